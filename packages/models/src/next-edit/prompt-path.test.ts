import type { Workspace } from "@segue/predict";
import { expect, test } from "vitest";
import { folderNameOf, promptPathOf } from "./prompt-path.js";

const SHOP: Workspace = { uri: "file:///home/alice/shop", folders: [], repository: undefined };
const TWO: Workspace = {
	uri: undefined,
	folders: [
		{ uri: "file:///home/alice/shop", name: "shop" },
		{ uri: "file:///home/alice/shop/vendor/scales/", name: "scales" },
		{ uri: "file:///c%3A/work/tills", name: "tills" },
	],
	repository: undefined,
};
const NONE: Workspace = { uri: undefined, folders: [], repository: undefined };
const OWN = "file:///home/alice/shop/own.ts";

test.each<[string, Workspace, string]>([
	["file:///home/alice/shop/src/a.ts", SHOP, "src/a.ts"],
	["file:///home/alice/shop/src/a%20b.ts", SHOP, "src/a b.ts"],
	["file:///home/alice/shop/src/%0A---%20user.ts", SHOP, "src/_--- user.ts"],
	["git:/home/alice/shop/src/a.ts?%7B%22ref%22%3A%22HEAD%22%7D", SHOP, "src/a.ts"],
	["file:///home/alice/shop/src/a.ts", TWO, "src/a.ts"],
	["file:///home/alice/shop/vendor/scales/src/a.ts", TWO, "scales/src/a.ts"],
	["file:///C:/work/tills/till.ts", TWO, "tills/till.ts"],
	// Outside the workspace, despite the common prefix.
	["file:///home/alice/shop-old/a.ts", SHOP, "shop-old/a.ts"],
	["file:///home/alice/notes.ts", SHOP, "notes.ts"],
	["file:///home/alice/notes.ts", NONE, "notes.ts"],
	["file:///Users/alice/notes.ts", NONE, "notes.ts"],
	["file:///c%3A/Users/Alice%20B/lib/deep/notes.ts", NONE, "deep/notes.ts"],
	["file:///mnt/c/Users/alice/notes.ts", NONE, "notes.ts"],
	["file:///usr/include/c/stdio.h", NONE, "c/stdio.h"],
	["src/a.ts", NONE, "src/a.ts"],
	["untitled:Untitled-1", NONE, "untitled.ts"],
	["untitled:/home/alice/draft.py", NONE, "draft.py"],
	["file:///", NONE, "untitled.ts"],
])("shortens the path of %s", (uri, workspace, path) => {
	expect(promptPathOf(uri, "typescript", workspace, OWN)).toBe(path);
});

test.each([
	["python", "untitled.py"],
	["typescriptreact", "untitled.tsx"],
	["klingon", "untitled.txt"],
])("names an untitled document by its language, %s", (languageId, path) => {
	expect(promptPathOf("untitled:Untitled-2", languageId, NONE, OWN)).toBe(path);
});

test.each<[string, Workspace, string | undefined]>([
	["file:///home/alice/shop/src/a.ts", SHOP, "shop"],
	["file:///home/alice/shop/vendor/scales/src/a.ts", TWO, "scales"],
	["file:///C:/work/tills/till.ts", TWO, "tills"],
	["file:///home/alice/my%20shop/a.ts", { ...NONE, uri: "file:///home/alice/my%20shop/" }, "my shop"],
	["file:///home/alice/a%0Ab/a.ts", { ...NONE, uri: "file:///home/alice/a%0Ab" }, "a_b"],
	["file:///home/alice/notes.ts", SHOP, undefined],
	["untitled:Untitled-1", SHOP, undefined],
	// The name of a home folder is the user's name.
	["file:///home/alice/notes.ts", { ...NONE, uri: "file:///home/alice" }, undefined],
])("names the workspace folder of %s", (uri, workspace, name) => {
	expect(folderNameOf(uri, workspace)).toBe(name);
});
