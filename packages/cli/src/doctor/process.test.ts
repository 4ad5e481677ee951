import { startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import { hasTerminals, SegueProcess } from "@segue/testing/process/segue-process";
import { expect, test } from "vitest";

const USER = { nextEdit: { model: "mine/scripted", format: "fim-qwen" } };

/** Starts a command in the project folder, with a model server for next edits. */
function segue(home: Home, args: readonly string[], url: string, isTerminal = false) {
	const providers = { mine: { type: "openai-compatible", baseUrl: url } };
	home.write("home/config.json", { ...USER, providers });
	return new SegueProcess(args, { folder: home.project, env: { SEGUE_HOME: home.home, NO_COLOR: "1" }, isTerminal });
}

test("segue doctor and segue models run in their own processes", async () => {
	using home = new Home();
	const line = ["\tconst dz = a.z - b.z;\n"];
	const server = await startModelServer([line, line]);
	const models = segue(home, ["models"], server.url);
	expect(await models.ended).toBe(0);
	expect(models.stdout).toContain("* mine/scripted    fim-qwen");
	const doctor = segue(home, ["doctor"], server.url);
	expect(await doctor.ended).toBe(0);
	expect(doctor.stderr).toBe("");
	expect(doctor.stdout).toContain("+\tconst dz = a.z - b.z;\n");
	await server.stop();
});

test.runIf(hasTerminals)("segue doctor shows progress and stops on Ctrl-C", async () => {
	using home = new Home();
	const server = await startModelServer([[{ hold: true }]]);
	const doctor = segue(home, ["doctor"], server.url, true);
	await server.holding();
	await doctor.until("waiting for mine/scripted 1 s");
	doctor.type("\u0003");
	await doctor.until("Stopped.");
	expect(await doctor.ended).toBe(130);
	await server.stop();
});
