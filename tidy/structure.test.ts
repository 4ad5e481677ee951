import { describe, expect, test } from "vitest";
import { findCrowdedFolders, findFragments, findImportCycles, findRepeatedNames } from "./structure.js";

const MANIFESTS = {
	"package.json": `{ "name": "segue" }`,
	"packages/text/package.json": JSON.stringify({
		name: "@segue/text",
		exports: { ".": { "@segue/source": "./src/index.ts" }, "./*": "./src/*.ts" },
	}),
	"packages/rpc/package.json": `{ "name": "@segue/rpc" }`,
};

/** Returns a workspace of two packages with these sources. */
function workspace(sources: Readonly<Record<string, string>>): Record<string, string> {
	return { ...MANIFESTS, ...sources };
}

/** Returns a folder with `count` source files. */
function filesIn(folder: string, count: number, ending = ".ts"): Record<string, string> {
	return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/file${i}${ending}`, ""]));
}

const LONG = "// A line.\n".repeat(60);

describe("a crowded folder", () => {
	test.for(["packages/text/src", "packages/text/src/deep", "tidy", "scripts", "lab/src/bench"])(
		"is found in %s",
		(folder) => {
			expect(findCrowdedFolders(filesIn(folder, 26))).toEqual([
				`${folder}:1 has 26 source entries, more than 25: group the files that belong together in folders`,
			]);
		},
	);

	test("counts each folder of sources as one entry", () => {
		const tree = { ...filesIn("src", 24), ...filesIn("src/a", 25), ...filesIn("src/b/c", 3) };
		expect(findCrowdedFolders(tree)).toEqual([expect.stringContaining("src:1 has 26 source entries")]);
	});

	test("does not count tests, declarations and other files", () => {
		const tree = {
			...filesIn("src", 25),
			...filesIn("src", 9, ".test.ts"),
			...filesIn("src", 9, ".d.ts"),
			...filesIn("src", 9, ".md"),
			...filesIn("src/examples", 9, ".json"),
		};
		expect(findCrowdedFolders(tree)).toEqual([]);
	});
});

describe("a repeated file name", () => {
	test("is found in two folders of one package", () => {
		const tree = workspace({ "packages/text/src/a/line.ts": "", "packages/text/src/b/line.tsx": "" });
		expect(findRepeatedNames(tree)).toEqual([
			"packages/text/src/b/line.tsx:1 has the same name as packages/text/src/a/line.ts: give each a more specific name",
		]);
	});

	test.for([
		["a file of another package", "packages/text/src/line.ts", "packages/rpc/src/line.ts"],
		["an index file", "packages/text/src/index.ts", "packages/text/src/node/index.ts"],
		["a command", "packages/text/src/line.ts", "packages/text/src/commands/line.ts"],
		["a wire conversion", "packages/text/src/a/from-wire.ts", "packages/text/src/b/from-wire.ts"],
		["a file for one language", "packages/text/src/a/python.ts", "packages/text/src/b/python.ts"],
		["a test", "packages/text/src/line.ts", "packages/text/src/a/line.test.ts"],
	] as const)("is not reported for %s", ([, one, other]) => {
		expect(findRepeatedNames(workspace({ [one]: "", [other]: "" }))).toEqual([]);
	});
});

describe("a fragment", () => {
	const fragment = "packages/text/src/part.ts";
	const importing = { "packages/text/src/whole.ts": `import { a } from "./part.js"` };

	test("is found if only one file imports it", () => {
		expect(findFragments(workspace({ ...importing, [fragment]: "export const a = 1;\n" }), {})).toEqual([
			`${fragment}:1 has 1 lines and one importer, packages/text/src/whole.ts: merge it into that file, or list it with a reason in tidy/structure.ts`,
		]);
	});

	test.for([
		["only types are imported", `import type { A } from "./part.js"`],
		["it is imported on demand", `const { a } = await import("./part.js")`],
		["it is re-exported", `export { a } from "./part.js"`],
	] as const)("is found if %s", ([, source]) => {
		expect(findFragments(workspace({ "packages/text/src/whole.ts": source, [fragment]: "" }), {})).toHaveLength(1);
	});

	test("is found if the importer is in another package", () => {
		const tree = workspace({ "packages/rpc/src/a.ts": `import "@segue/text/part"`, [fragment]: "" });
		expect(findFragments(tree, {})).toEqual([expect.stringContaining("one importer, packages/rpc/src/a.ts")]);
	});

	test("is found even if a test imports it too, but never in a long file", () => {
		const tested = { ...importing, "packages/text/src/part.test.ts": `import { a } from "./part.js"` };
		expect(findFragments(workspace({ ...tested, [fragment]: "" }), {})).toHaveLength(1);
		expect(findFragments(workspace({ ...tested, [fragment]: LONG }), {})).toEqual([]);
	});

	test.for([
		["with two importers", { ...importing, "packages/text/src/b.ts": `import "./part.js"` }],
		["that nothing imports", {}],
		["that an index exports", { "packages/text/src/index.ts": `export * from "./part.js"` }],
	] as const)("is not a file %s", ([, sources]) => {
		expect(findFragments(workspace({ ...sources, [fragment]: "" }), {})).toEqual([]);
	});

	test.for(["commands/part.ts", "to-wire.ts", "rust.ts"])("is not reported for %s", (name) => {
		const tree = workspace({
			"packages/text/src/whole.ts": `import "./${name.replace(".ts", ".js")}"`,
			[`packages/text/src/${name}`]: "",
		});
		expect(findFragments(tree, {})).toEqual([]);
	});

	test("is not reported if the table lists it", () => {
		expect(findFragments(workspace({ ...importing, [fragment]: "" }), { [fragment]: "a reason" })).toEqual([]);
	});

	test.for([
		["is gone", {}],
		["is long enough", { ...importing, [fragment]: LONG }],
		["has another importer", { ...importing, "packages/text/src/b.ts": `import "./part.js"`, [fragment]: "" }],
	] as const)("must be removed from the table if the file %s", ([, sources]) => {
		expect(findFragments(workspace(sources), { [fragment]: "a reason" })).toEqual([
			`tidy/structure.ts:1 lists ${fragment}, which is no longer a fragment: remove the entry`,
		]);
	});
});

describe("an import cycle", () => {
	/** Creates files in one package, each with the files that it imports. */
	function importing(imports: Readonly<Record<string, readonly string[]>>, word = "import"): Record<string, string> {
		const sources = Object.entries(imports).map(([file, targets]) => {
			return [`packages/text/src/${file}.ts`, targets.map((target) => `${word} {} from "./${target}.js"`).join("\n")];
		});
		return workspace(Object.fromEntries(sources));
	}

	test("is found between two files", () => {
		expect(findImportCycles(importing({ a: ["b"], b: ["a"] }))).toEqual([
			expect.stringMatching(
				/^packages\/text\/src\/[ab]\.ts:1 is in an import cycle, .*[ab]\.ts → .*[ab]\.ts → .*: move what they share/,
			),
		]);
	});

	test.for(["import type", "export", "export type"])("is found in `%s`", (word) => {
		expect(findImportCycles(importing({ a: ["b"], b: ["c"], c: ["a"] }, word))).toHaveLength(1);
	});

	test("is found once per group of files, with the shortest cycle", () => {
		const [finding, ...others] = findImportCycles(importing({ a: ["b"], b: ["a", "c"], c: ["d"], d: ["b"] }));
		expect(finding).toMatch(/and [12] more files are in cycles with these/);
		expect(others).toEqual([]);
	});

	test("is found for each group", () => {
		expect(findImportCycles(importing({ a: ["b"], b: ["a", "c"], c: ["d"], d: ["c"] }))).toHaveLength(2);
	});

	test("is found through the package's own name", () => {
		const tree = importing({ a: ["index"] });
		const index = { "packages/text/src/index.ts": `export {} from "@segue/text/a"` };
		expect(findImportCycles({ ...tree, ...index })).toHaveLength(1);
	});

	test("is found in the root's files", () => {
		expect(findImportCycles({ "tidy/a.ts": `import "./b.js"`, "tidy/b.ts": `import "./a.js"` })).toHaveLength(1);
	});

	test("is not reported for a shared import or a test", () => {
		const tree = importing({ a: ["b", "c"], b: ["c"], c: [] });
		const tested = { "packages/text/src/c.test.ts": `import "./a.js"` };
		expect(findImportCycles({ ...tree, ...tested })).toEqual([]);
	});
});
