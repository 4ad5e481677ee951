import { describe, expect, test } from "vitest";
import { findMachinePaths, findVagueNames } from "./names.js";

describe("a vague name", () => {
	test.for([
		["src/utils.ts", "src/utils"],
		["src/util.test.ts", "src/util"],
		["src/helpers/text.ts", "src/helpers"],
		["src/string-utils.ts", "src/string-utils.ts"],
		["src/types.ts", "src/types.ts"],
		["Common/a/b.ts", "Common"],
		["service.d.ts", "service"],
	] as const)("is found in %s", ([file, place]) => {
		const [finding] = findVagueNames({ [file]: "" });
		expect(finding?.startsWith(place)).toBe(true);
	});

	test("is found once for a folder with many files", () => {
		expect(findVagueNames({ "misc/a.ts": "", "misc/b.ts": "" })).toHaveLength(1);
	});

	test("is not found as part of a longer name", () => {
		expect(findVagueNames({ "src/common-prefix.ts": "", "src/helper-process.ts": "", ".github/a.yml": "" })).toEqual(
			[],
		);
	});
});

describe("a machine-specific path", () => {
	// Assembled here, because the rule applies to this file too.
	const under = (...parts: string[]) => ["", ...parts].join("/");

	test.for([
		`const home = "${under("home", "carol", "segue")}"`,
		`see ${under("Users", "carol", "segue")}`,
		`(${under("root", "segue")})`,
		`cd ${under("work", "main")}`,
		`log to ${under("tmp", "segue.log")}`,
		`PATH=${under("home", "carol")}`,
		["C:", "Users", "carol"].join("\\"),
		["C:", "Users", "carol"].join("\\\\"),
		["d:", "Users", "carol"].join("/"),
	])("is found in: %s", (text) => {
		expect(findMachinePaths({ "a.md": `\n${text}\n` })).toEqual([expect.stringContaining("a.md:2 contains")]);
	});

	test.for([
		`uri: "file://${under("Users", "carol", "a.ts")}"`,
		`uri: "file://${under("tmp", "a.ts")}"`,
		`const home = "/home/alice/segue"`,
		"C:\\Users\\alice\\segue",
		`https://example.com${under("home", "page")}`,
		`./${under("tmp", "a.ts")}`,
		`src${under("work", "queue.ts")}`,
		`\${folder}${under("tmp", "a.ts")}`,
		under("work", ".test(name)"),
		"/usr/bin/env node",
		"/path/to/a.ts",
	])("is not found in: %s", (text) => {
		expect(findMachinePaths({ "a.md": text })).toEqual([]);
	});
});
