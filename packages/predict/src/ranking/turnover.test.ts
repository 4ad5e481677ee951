import { Change, Text } from "@segue/text";
import { expect, test } from "vitest";
import { History } from "../history.js";
import { sceneOf } from "../scene.js";
import { turnoverFeatures } from "./turnover.js";

/** The features of an edit that replaces `old` with `now`, after the user has changed the text. */
function featuresAfter(before: string, after: string, old: string, now: string): ReturnType<typeof turnoverFeatures> {
	const start = { uri: "a.ts", languageId: "typescript", version: 1, text: Text.of(before) };
	const change = Change.of([{ from: 0, to: before.length, insert: after }], before.length);
	const history = History.empty.opened(start).changed(start, change, { atMs: 0, isAccepted: false });
	const document = { ...start, version: 2, text: Text.of(after) };
	const from = after.lastIndexOf(old);
	const edits = [{ from, to: from + old.length, insert: now }];
	return turnoverFeatures(sceneOf(document, history, 0), document, { kind: "edit", uri: document.uri, edits });
}

test("measures how many uses of a removed name are gone, and whether its declaration is also gone", () => {
	const features = featuresAfter("const total = 0\nlog(total)\n", "const sum = 0\nlog(total)\n", "total", "sum");
	expect(features).toMatchObject({
		replaced: 0.5,
		standing: 0,
		orphaned: 1,
		coined: 1,
		declared: 1,
		missing: 0,
		doomed: 0,
	});
});

test("recognizes a removed name that is still declared", () => {
	const features = featuresAfter("const a1 = 0\nf(a1)\ng(a1)\n", "const a1 = 0\nf(b2)\ng(a1)\n", "a1", "b2");
	expect(features).toMatchObject({ standing: 1, orphaned: 0, declared: 0 });
	expect(features["replaced"]).toBeCloseTo(1 / 3);
});

test("measures how many uses of a kept name are gone elsewhere", () => {
	const features = featuresAfter("use(left, 1)\nuse(left, 1)\n", "use(right, 2)\nuse(left, 1)\n", "1", "2");
	expect(features).toMatchObject({ doomed: 0.5, replaced: 0 });
});

test("recognizes a name that is new in the file, and an unbalanced bracket", () => {
	const features = featuresAfter("call(one)\n", "call(one);\n", "one", "list[");
	expect(features).toMatchObject({ missing: 1, unbalanced: 1 });
});

test("has no features for a jump", () => {
	const document = { uri: "a.ts", languageId: "typescript", version: 1, text: Text.of("a") };
	const jump = { kind: "jump", uri: document.uri, at: 0 } as const;
	expect(turnoverFeatures(sceneOf(document, History.empty, 0), document, jump)).toEqual({});
});
