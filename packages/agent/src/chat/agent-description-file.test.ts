import { statSync } from "node:fs";
import path from "node:path";
import { Home } from "@segue/testing/process/home";
import { expect, test } from "vitest";
import { AgentDescriptionFile } from "./engine-pool.js";

function fileIn(home: Home) {
	const reported: string[] = [];
	const file = path.join(home.home, "agents.json");
	return { file, memory: new AgentDescriptionFile(file, (line) => reported.push(line)), reported };
}

test("stores the latest text for each of the 32 most recent keys in a file that only the user can read", () => {
	using home = new Home();
	const { file, memory } = fileIn(home);
	for (let i = 0; i < 33; i++) memory.store(`key ${i}`, "old");
	memory.store("key 1", "new");
	memory.store("key 33", "old");
	expect([0, 1, 2, 3, 33].map((i) => memory.recall(`key ${i}`))).toEqual([undefined, "new", undefined, "old", "old"]);
	if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each(["", "not JSON", '{"a":1}', '[["a"]]'])(
	"treats a file with the content %j as empty and replaces it",
	(text) => {
		using home = new Home({ "home/agents.json": text });
		const { memory, reported } = fileIn(home);
		expect(memory.recall("a")).toBeUndefined();
		memory.store("a", "b");
		expect(memory.recall("a")).toBe("b");
		expect(reported).toEqual([]);
	},
);

test("reports that the file cannot be written", () => {
	using home = new Home({ "home/agents.json/a": "" });
	const { memory, reported } = fileIn(home);
	memory.store("a", "b");
	expect(reported).toEqual([expect.stringMatching(/agents\.json cannot be written/)]);
});
