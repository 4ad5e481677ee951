import { existsSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/process/home";
import { expect, test } from "vitest";
import { openThreadStore, readAllowances } from "./open-store.js";

const MAKE = { kind: "command", subject: "make" } as const;

test("readAllowances reads the folder's store but does not create one", async () => {
	using home = new Home();
	const read = () => readAllowances(home.project, { SEGUE_HOME: home.home });
	expect(await read()).toEqual({ allowances: [], problems: [] });
	expect(existsSync(path.join(home.home, "segue.db"))).toBe(false);
	const { store } = await openThreadStore(home.project, { SEGUE_HOME: home.home });
	await store.allow("/w", MAKE);
	await store.close();
	expect(await read()).toEqual({ allowances: [{ workspace: "/w", permission: MAKE }], problems: [] });
});

test.for<[string, Record<string, unknown>, Record<string, string>, RegExp[]]>([
	["a folder instead of the store", { "home/segue.db/file": "" }, {}, [/segue\.db is a folder/]],
	["a damaged store", { "home/segue.db": "not a database" }, {}, [/segue\.db\.corrupt-/]],
	["an invalid home", {}, { SEGUE_HOME: "home" }, []],
])("readAllowances returns only the problems for %s", async ([, files, env, problems]) => {
	using home = new Home(files);
	expect(await readAllowances(home.project, { SEGUE_HOME: home.home, ...env })).toEqual({
		allowances: [],
		problems: problems.map((problem) => expect.stringMatching(problem)),
	});
});

test("openThreadStore rejects an invalid home", async () => {
	using home = new Home();
	await expect(openThreadStore(home.project, { SEGUE_HOME: "home" })).rejects.toThrow(
		"SEGUE_HOME must be the absolute path",
	);
});
