import { existsSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/process/home";
import { expect, test } from "vitest";
import { openThreadStore, readAllowances } from "./open-store.js";

const MAKE = { kind: "command", subject: "make" } as const;

test("what was always allowed is read of the store of the folder, which is not made for that", async () => {
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
	["a folder in the store's place", { "home/segue.db/file": "" }, {}, [/segue\.db is a folder/]],
	["a damaged store", { "home/segue.db": "not a database" }, {}, [/segue\.db\.corrupt-/]],
	["no home that could be meant", {}, { SEGUE_HOME: "home" }, []],
])("where there is %s, nothing is read, and it is told unless it was", async ([, files, env, problems]) => {
	using home = new Home(files);
	expect(await readAllowances(home.project, { SEGUE_HOME: home.home, ...env })).toEqual({
		allowances: [],
		problems: problems.map((problem) => expect.stringMatching(problem)),
	});
});

test("a home that cannot be meant is not replaced by another", async () => {
	using home = new Home();
	await expect(openThreadStore(home.project, { SEGUE_HOME: "home" })).rejects.toThrow(
		"SEGUE_HOME must be the absolute path",
	);
});
