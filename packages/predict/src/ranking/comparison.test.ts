import { Change, type Document, Text } from "@segue/text";
import { expect, test } from "vitest";
import { examplesOf } from "../example.js";
import { History } from "../history.js";
import { sceneOf } from "../scene.js";
import { type ComparedEdit, EditComparison } from "./comparison.js";

const BEFORE = "open(a)\nload(a)\nload(b)\nsave(b)\n";
// The user has changed the second line.
const AFTER = "open(a)\nread(a)\nload(b)\nsave(b)\n";

const document = { uri: "a.ts", languageId: "typescript", version: 1, text: Text.of(BEFORE) };
const change = Change.of(
	[{ from: BEFORE.indexOf("load"), to: BEFORE.indexOf("load") + 4, insert: "read" }],
	BEFORE.length,
);
const history = History.empty.opened(document).changed(document, change, { atMs: 0, isAccepted: false });
const now = { ...document, version: 2, text: Text.of(AFTER) };
const scene = sceneOf(now, history, AFTER.indexOf("read") + 4);

/** An edit that replaces the last occurrence of a text. */
function edit(old: string, insert: string, rule = "rule"): ComparedEdit {
	const from = AFTER.lastIndexOf(old);
	return { document: now, line: now.text.lineAt(from), edits: [{ from, to: from + old.length, insert }], rule };
}

function featuresOf(one: ComparedEdit, ...others: readonly ComparedEdit[]) {
	return new EditComparison(scene, examplesOf(history), [one, ...others]).featuresOf(one);
}

test("compares the tokens of an edit with those of the user's changes", () => {
	expect(featuresOf(edit("load", "read"))).toMatchObject({
		...{ lastAdded: 1, lastRemoved: 1, lastHere: 1, lastInserts: 0, lastDeletes: 0 },
		...{ mostAdded: 1, mostRemoved: 1, equalChanges: 1 },
	});
	expect(featuresOf(edit("save", "read"))).toMatchObject({ lastAdded: 1, lastRemoved: 0, equalChanges: 0 });
});

test("measures an edit and the lines next to it", () => {
	expect(featuresOf(edit("save(b)", "load(c, d)"))).toMatchObject({
		...{ oldLength: 7, oldTokens: 4, growth: 3, insertedLength: 10, deletedLength: 7 },
		// `load`, `c`, a comma and `d` for `save` and `b`. The lines above contain `load` and `b`.
		...{ addedTokens: 4, removedTokens: 2, addedNear: 0.25, removedNear: 0.5 },
	});
});

test("counts the other edits at the same place, from the same rule, with the same effect, and closer to the cursor", () => {
	const own = edit("save", "read");
	expect(featuresOf(own)).toMatchObject({ samePlace: 1, sameRule: 1, sameEdit: 1, nearer: 0, candidates: 1, files: 1 });
	const others = [
		edit("load", "read"),
		edit("open", "read", "other"),
		edit("b)", "c)"),
		{ ...edit("save", "read"), line: 0 },
	];
	expect(featuresOf(own, ...others)).toMatchObject({
		...{ samePlace: 2, sameRule: 4, sameEdit: 2, nearer: 2, nearerOnward: 1, nearerAll: 3, candidates: 5, files: 1 },
		signedDistance: 2,
	});
});

test("finds the change that followed an earlier one like the last", () => {
	const before = "open(a)\nlock(a)\nuse()\nopen(b)\nlock(b)\n";
	const after = "read(a)\nfree(a)\nuse()\nread(b)\nlock(b)\n";
	let document: Document = { uri: "a.ts", languageId: "typescript", version: 1, text: Text.of(before) };
	let history = History.empty.opened(document);
	for (const [line, insert] of [
		[0, "read"],
		[1, "free"],
		[3, "read"],
	] as const) {
		const { text } = document;
		const from = text.lineStart(line);
		const change = Change.of([{ from, to: from + 4, insert }], text.length);
		history = history.changed(document, change, { atMs: 0, isAccepted: false });
		document = { ...document, version: document.version + 1, text: change.apply(text) };
	}
	expect(document.text.toString()).toBe(after);
	const scene = sceneOf(document, history, after.indexOf("read(b)") + 4);
	const replacing = (old: string, insert: string) => {
		const from = after.lastIndexOf(old);
		return { document, line: document.text.lineAt(from), edits: [{ from, to: from + old.length, insert }], rule: "" };
	};
	const featuresOf = (edit: ComparedEdit) => new EditComparison(scene, examplesOf(history), [edit]).featuresOf(edit);
	expect(featuresOf(replacing("lock", "free"))).toMatchObject({
		...{ sequence: 1, continuesAdded: 1, continuesRemoved: 1, continuesStep: 0 },
	});
	expect(featuresOf(replacing("use", "free"))).toMatchObject({
		...{ sequence: 1, continuesAdded: 1, continuesRemoved: 0, continuesStep: 2 },
	});
});
