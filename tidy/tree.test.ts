import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lineAt, readTree, writeTree } from "./tree.js";

let folder = "";

beforeAll(() => {
	folder = mkdtempSync(path.join(tmpdir(), "segue-tree-"));
	writeTree(folder, {
		".gitignore": "dist/\nnode_modules/\nnotes/\n",
		"a.ts": "a",
		"src/deep/b.ts": "b",
		"notes/c.md": "c",
		"dist/a.js": "",
		"src/dist/b.js": "",
		"node_modules/x/index.js": "",
		"src/node_modules/x/index.js": "",
	});
	writeFileSync(path.join(folder, "logo.png"), Buffer.from([0x89, 0x50, 0, 1]));
});

afterAll(() => rmSync(folder, { recursive: true }));

test("without git, reads everything that is neither installed nor built", () => {
	expect(Object.keys(readTree(folder))).toEqual([".gitignore", "a.ts", "logo.png", "notes/c.md", "src/deep/b.ts"]);
});

test("with git, reads existing files that are committed or would be", () => {
	for (const args of [
		["init", "--quiet"],
		["add", "a.ts"],
	])
		spawnSync("git", args, { cwd: folder });
	expect(Object.keys(readTree(folder))).toEqual([".gitignore", "a.ts", "logo.png", "src/deep/b.ts"]);
	rmSync(path.join(folder, "a.ts"));
	expect(Object.keys(readTree(folder))).toEqual([".gitignore", "logo.png", "src/deep/b.ts"]);
});

test("reads an ignored folder in a repository as if there were no git", () => {
	expect(readTree(path.join(folder, "notes"))).toEqual({ "c.md": "c" });
});

test("reads the text of every file, but an empty string for binary files", () => {
	expect(readTree(folder)).toMatchObject({ "src/deep/b.ts": "b", "logo.png": "" });
});

test("counts lines from 1", () => {
	expect([0, 1, 2, 4].map((offset) => lineAt("a\nb\r\nc", offset))).toEqual([1, 1, 2, 2]);
	expect(lineAt("a\nb\r\nc", 5)).toBe(3);
});
