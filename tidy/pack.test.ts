import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	findBroken,
	findPublishingMistakes,
	findStrayFiles,
	findUninvited,
	findWrongTypes,
	installAlone,
	type Packed,
	pack,
} from "./pack.js";
import { packagesOf } from "./packages.js";
import { readTree, root, type Tree, writeTree } from "./tree.js";

// Packing takes a long time. `isAll` from packages/testing is not imported, because tidy/ does not import any package.
const isAll = process.env["SEGUE_TESTS"] === "all";

const folder = mkdtempSync(path.join(tmpdir(), "segue-pack-"));

afterAll(() => rmSync(folder, { recursive: true }));

describe.runIf(isAll)("a published package", () => {
	const published = packagesOf(readTree(root)).filter(
		(it) => /^(?:packages|editors)\//.test(it.folder) && !it.manifest.private,
	);
	const packages = new Map<string, Packed>();

	beforeAll(() => {
		const isBuilt = (at: string) => ["dist", "bundle"].some((name) => existsSync(path.join(root, at, name)));
		const unbuilt = published.filter((it) => !isBuilt(it.folder));
		const names = unbuilt.map((it) => it.folder).join(", ");
		if (unbuilt.length > 0) throw new Error(`not built: ${names}. Run npm run build before these tests`);
		const all = pack(
			published.map((it) => path.join(root, it.folder)),
			folder,
		);
		for (const packed of all) packages.set(packed.manifest.name, packed);
	});

	function packedOf(name: string): Packed {
		const packed = packages.get(name);
		if (packed === undefined) throw new Error(`${name} is not packed`);
		return packed;
	}

	describe.for(published.map(({ manifest }) => manifest.name))("%s", (name) => {
		test("contains no tests, compiler state or files from other packages", () => {
			expect(findStrayFiles(packedOf(name))).toEqual([]);
		});

		test("has no publint warnings", async () => {
			expect(await findPublishingMistakes(packedOf(name))).toEqual([]);
		});

		test("has types that match the modules Node loads", async () => {
			expect(await findWrongTypes(packedOf(name))).toEqual([]);
		});

		test("works in an empty project with only its declared dependencies", () => {
			const project = path.join(folder, "alone", name);
			const siblings = [...packages.values()];
			installAlone(packedOf(name), siblings, project);
			expect(findUninvited(packedOf(name), siblings, project)).toEqual([]);
			expect(findBroken(packedOf(name), project)).toEqual([]);
		});
	});
});

describe.runIf(isAll)("a package", () => {
	const index = { exports: { ".": { types: "./index.d.ts", default: "./index.js" } } };
	const module = { "index.js": "export const a = 1;\n", "index.d.ts": "export declare const a = 1;\n" };
	const manifests: Record<string, object> = {
		base: index,
		sound: { ...index, dependencies: { "@made/base": "0.1.0" }, bin: { sound: "bin.js" } },
		greedy: index,
		loud: index,
		lost: { exports: { ".": "./index.js", "./lost": "./lost.js" } },
		untyped: { exports: { ".": "./index.js" } },
		masked: { exports: { ".": { types: "./index.d.cts", default: "./index.js" } } },
		stale: { bin: { stale: "bin.js" } },
		stranger: { ...index, dependencies: { "@made/private": "0.1.0" } },
	};
	const sources: Record<string, Tree> = {
		base: module,
		sound: {
			...module,
			"index.js": `export { a } from "@made/base";\n`,
			"bin.js": `#!/usr/bin/env node\nconsole.log(process.argv[2] === "help" ? "sound helps" : "0.1.0");\n`,
		},
		greedy: { ...module, "index.js": `export { a } from "@made/base";\n` },
		loud: { ...module, "index.js": `console.log("hello");\n` },
		lost: module,
		untyped: { "index.js": "export const a = 1;\n" },
		masked: { "index.js": "export const a = 1;\n", "index.d.cts": "export declare const a = 1;\n" },
		stale: { "bin.js": `#!/usr/bin/env node\nconsole.log("0.0.9");\n` },
		stranger: module,
	};
	let all: Packed[] = [];

	beforeAll(() => {
		const made = path.join(folder, "made");
		for (const [name, manifest] of Object.entries(manifests)) {
			const shared = { name: `@made/${name}`, version: "0.1.0", type: "module", license: "Apache-2.0" };
			const files = { ...sources[name], "package.json": JSON.stringify({ ...shared, ...manifest }) };
			writeTree(path.join(made, name), files);
		}
		all = pack(
			Object.keys(manifests).map((name) => path.join(made, name)),
			folder,
		);
	});

	function made(name: string): Packed {
		const packed = all.find(({ manifest }) => manifest.name === `@made/${name}`);
		if (packed === undefined) throw new Error(`no made-up package ${name}`);
		return packed;
	}

	/** Installs a package alone and returns all findings. */
	function findInProject(name: string): string[] {
		const project = path.join(folder, "projects", name);
		installAlone(made(name), all, project);
		return [...findUninvited(made(name), all, project), ...findBroken(made(name), project)];
	}

	test("with a dependency and a command passes every check", async () => {
		expect(findStrayFiles(made("sound"))).toEqual([]);
		expect(await findPublishingMistakes(made("sound"))).toEqual([]);
		expect(await findWrongTypes(made("sound"))).toEqual([]);
		expect(findInProject("sound")).toEqual([]);
	});

	test("with only a command needs no types", async () => {
		expect(await findWrongTypes(made("stale"))).toEqual([]);
	});

	test("that exports a missing file is reported by publint", async () => {
		expect(await findPublishingMistakes(made("lost"))).toEqual([expect.stringContaining("lost.js")]);
	});

	test("without types, or with types for another module kind, is reported", async () => {
		expect(await findWrongTypes(made("untyped"))).toEqual(["@made/untyped has exports, but no types for them"]);
		expect(await findWrongTypes(made("masked"))).toEqual([expect.stringContaining("wrong types: FalseCJS")]);
	});

	test("with an undeclared import is reported", () => {
		expect(findInProject("greedy")).toEqual([expect.stringContaining("@made/greedy cannot be imported")]);
	});

	test("that prints something when it is imported is reported", () => {
		expect(findInProject("loud")).toEqual(["@made/loud prints something when it is imported: hello\n"]);
	});

	test("with a command that prints the wrong version and no help is reported", () => {
		expect(findInProject("stale")).toEqual([
			expect.stringContaining("stale --version prints 0.0.9"),
			expect.stringContaining("stale help prints no help"),
		]);
	});

	test("that is installed with undeclared packages is reported", () => {
		const project = path.join(folder, "projects", "crowded");
		installAlone(made("base"), all, project);
		writeTree(path.join(project, "node_modules"), {
			"extra/package.json": "{}",
			"@made/base/node_modules/@in/side/a.js": "",
		});
		expect(findUninvited(made("base"), all, project)).toEqual([
			"@in/side is installed with @made/base, but not declared",
			"extra is installed with @made/base, but not declared",
		]);
	});

	test("with an unpublished dependency cannot be installed", () => {
		expect(() => findInProject("stranger")).toThrow("@made/stranger needs @made/private, which is neither");
	});

	test.for([
		["a test", "src/a.test.ts", "a test"],
		["a compiled test", "dist/a.test.js", "a test"],
		["the compiler's state", "dist/.tsbuildinfo", "only for the compiler"],
		["the compiler's settings", "src/node/tsconfig.json", "only for the compiler"],
		["another package's output", "dist/text/src/change.js", "which has no source"],
		["the output of a deleted source", "dist/gone.d.ts.map", "which has no source"],
	] as const)("with a stray file is reported: %s", ([, stray, because]) => {
		const files = ["package.json", "src/a.ts", "dist/a.js", "dist/a.d.ts", "dist/a.js.map", stray];
		expect(findStrayFiles({ manifest: { name: "@made/up" }, files })).toEqual([expect.stringContaining(because)]);
	});
});
