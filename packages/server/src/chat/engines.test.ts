import { Home } from "@segue/testing/home";
import { expect, onTestFinished, test } from "vitest";
import { ChatEngines } from "./engines.js";

/** The engines of a process whose user has this configured. */
function enginesFor(home: Home) {
	const notices: string[] = [];
	const engines = new ChatEngines({ SEGUE_HOME: home.home }, home.project, undefined, (notice) => notices.push(notice));
	onTestFinished(async () => {
		await engines.close();
		home[Symbol.dispose]();
	});
	return { engines, notices };
}

function modelNamed(name: string) {
	const local = { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1", models: { [name]: {} } };
	return { model: `local/${name}`, providers: { local } };
}

test("all who work in a folder have one engine, which ends with the last, and the next sees what is configured by then", async () => {
	const home = new Home({ "home/config.json": modelNamed("first") });
	const { engines } = enginesFor(home);
	const one = await engines.engineFor(home.project);
	const two = await engines.engineFor(home.project);
	expect(two.engine).toBe(one.engine);
	expect(one.engine.models.names).toEqual(["local/first"]);
	home.write("home/config.json", modelNamed("second"));
	one.release();
	one.release();
	const three = await engines.engineFor(home.project);
	expect(three.engine).toBe(two.engine);
	two.release();
	three.release();
	expect((await engines.engineFor(home.project)).engine.models.names).toEqual(["local/second"]);
});

test("a process works in any number of folders, one after the other, and in 64 at once", async () => {
	const { engines } = enginesFor(new Home());
	for (let i = 0; i < 70; i++) (await engines.engineFor(`/folder/${i}`)).release();
	const held = await Promise.all(Array.from({ length: 64 }, (_, i) => engines.engineFor(`/folder/${i}`)));
	await expect(engines.engineFor("/one/more")).rejects.toMatchObject({ message: expect.stringMatching(/^Busy/) });
	held[0]?.release();
	await engines.engineFor("/one/more");
});

test("a folder that could not be worked in can be when its configuration is mended", async () => {
	const home = new Home({ "home/config.json": { model: 1 } });
	const { engines } = enginesFor(home);
	const both = await Promise.allSettled([engines.engineFor(home.project), engines.engineFor(home.project)]);
	expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
	home.write("home/config.json", modelNamed("first"));
	expect((await engines.engineFor(home.project)).engine.models.names).toEqual(["local/first"]);
});

test("what is wrong in a folder is told once, however often it is worked in", async () => {
	const home = new Home({ "project/.segue.json": modelNamed("theirs") });
	const { engines, notices } = enginesFor(home);
	for (let i = 0; i < 3; i++) (await engines.engineFor(home.project)).release();
	expect(notices).toEqual([expect.stringMatching(/trust/)]);
});
