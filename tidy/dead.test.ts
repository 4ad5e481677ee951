import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { findDeadCode } from "./dead.js";
import { type Tree, writeTree } from "./tree.js";

let folder = "";

afterEach(() => rmSync(folder, { recursive: true }));

function deadIn(tree: Tree): string[] {
	folder = mkdtempSync(path.join(tmpdir(), "segue-dead-"));
	writeTree(folder, tree);
	return findDeadCode(folder);
}

const workspace = {
	"package.json": JSON.stringify({ name: "made-up", private: true, workspaces: ["packages/*"] }),
	"knip.json": JSON.stringify({ workspaces: { "packages/*": { project: ["src/**"] } } }),
	"packages/a/package.json": JSON.stringify({ name: "@made/a", exports: "./src/index.ts" }),
	"packages/a/src/index.ts": `export { used } from "./used.js";\n`,
	"packages/a/src/used.ts": `export const used = 1;\n`,
};

test("reports nothing if everything is used", () => {
	expect(deadIn(workspace)).toEqual([]);
});

test("reports an unused file, export, type and dependency", () => {
	const findings = deadIn({
		...workspace,
		"packages/a/package.json": JSON.stringify({
			name: "@made/a",
			exports: "./src/index.ts",
			dependencies: { zod: "1.0.0" },
		}),
		"packages/a/src/left.ts": "export const left = 1;\n",
		"packages/a/src/used.ts": "export const used = 1;\nexport const unused = 2;\nexport type Unused = 3;\n",
	});
	expect(findings.toSorted()).toEqual([
		"packages/a/package.json:1 zod is declared but not used: remove it from the manifest",
		"packages/a/src/left.ts:1 is not reachable from an entry point: delete or import it",
		"packages/a/src/used.ts:2 unused is exported but never imported: remove the export or the declaration",
		"packages/a/src/used.ts:3 Unused is exported but never imported: remove the export or the declaration",
	]);
});

test("reports a knip.json that names missing files", () => {
	const config = { workspaces: { "packages/*": { project: ["src/**"], ignoreDependencies: ["gone"] } } };
	expect(deadIn({ ...workspace, "knip.json": JSON.stringify(config) })).toEqual([
		expect.stringMatching(/^knip.json:1/),
	]);
});
