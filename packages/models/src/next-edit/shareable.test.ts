import { History, type Scene, sceneOf } from "@segue/predict";
import { Text } from "@segue/text";
import { expect, test } from "vitest";
import { isShareable, shareable } from "./shareable.js";

const OPEN = "file:///app/lib.ts";
const HIDDEN = ["file:///app/.env", "file:///app/%2Eenv", "file:///app/dist/out.ts", "file:///app/dist/%6Fut.ts"];
const IGNORED = new Set(["file:///app/dist/out.ts"]);

function documentAt(uri: string, source = "log()") {
	return { uri, languageId: "typescript", version: 0, text: Text.of(source) };
}

const uris = [...HIDDEN, OPEN];
const SCENE: Scene = {
	...sceneOf(documentAt("file:///app/own.ts"), History.empty, 0),
	ignored: IGNORED,
	neighbours: [...uris.map((uri) => documentAt(uri)), documentAt("file:///app/odd.ts", "\0")],
	views: uris.map((uri) => ({ uri, languageId: undefined, cursor: 0, visible: undefined, focusedAtMs: 0 })),
	excerpts: uris.map((uri) => ({ uri, first: 0, last: 0, text: "log()" })),
	diagnostics: uris.map((uri) => ({ uri, from: 0, to: 0, severity: "error", message: "no" })),
};

test.each(["neighbours", "views", "excerpts", "diagnostics"] as const)("no model sees hidden files in %s", (part) => {
	const open = shareable(SCENE);
	expect(typeof open === "string" ? open : open[part].map(({ uri }) => uri)).toEqual([OPEN]);
});

test.each([
	["of an open file that is binary", "file:///app/odd.ts", "log()"],
	["of an open file that is minified", "file:///app/app.min.js", "log()"],
	["that is binary itself", "file:///app/shut.ts", "\0"],
	["that is minified itself", "file:///app/shut.ts", `log()\n${"x".repeat(6000)}`],
])("no model sees an excerpt %s", (_, uri, text) => {
	const neighbours = [...SCENE.neighbours, documentAt("file:///app/app.min.js", "x".repeat(6000))];
	const excerpts = [{ uri, first: 0, last: 0, text }, ...SCENE.excerpts];
	const open = shareable({ ...SCENE, neighbours, excerpts });
	expect(typeof open === "string" ? open : open.excerpts.map((one) => one.uri)).toEqual([OPEN]);
});

test("what is ignored now and was not before is hidden from now on", () => {
	const before = shareable({ ...SCENE, ignored: undefined });
	const now = shareable({ ...SCENE, ignored: new Set([...IGNORED, OPEN]) });
	if (typeof before === "string" || typeof now === "string") expect.fail();
	expect(before.neighbours).toHaveLength(3);
	expect(now.neighbours).toEqual([]);
});

test("the neighbours of a scene are looked through once", () => {
	const [one, other] = [shareable(SCENE), shareable({ ...SCENE, cursor: 3 })];
	if (typeof one === "string" || typeof other === "string") expect.fail();
	expect(one.neighbours).toBe(other.neighbours);
});

test.each(uris)("an event in %s is told of only where the file is open to all", (uri) => {
	expect(isShareable(uri, SCENE)).toBe(uri === OPEN);
});
