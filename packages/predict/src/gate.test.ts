import { readPicture } from "@segue/story";
import { sceneOf } from "@segue/testing";
import { Text } from "@segue/text";
import { expect, test } from "vitest";
import type { Candidate } from "./candidate.js";
import { judge, type Objection } from "./gate.js";
import { History, Memory, type Scene } from "./index.js";

/** What the gate says of the edits that a picture shows. */
function objectionTo(drawn: string, settings: Partial<Scene & { confidence: number }> = {}): Objection | undefined {
	const { before, edits } = readPicture(drawn);
	const document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(before) };
	const scene: Scene = { ...sceneOf(document, History.empty, 0), ...settings };
	const { confidence = 0.9 } = settings;
	const said = { predictor: "repeat", rules: ["rule"], why: "", features: {}, confidence } as const;
	const candidate: Candidate = { proposal: { kind: "edit", uri: document.uri, edits }, ...said };
	return judge(candidate, document, scene, Memory.empty).objection;
}

const MANY_LINES = "line\n".repeat(40);

test.each([
	["what changes something", "log(‹a→b›)", undefined],
	["what changes nothing", "log(‹a→a›)", "no-op"],
	["white space", "log(‹→ ›a)", "whitespace-only"],
	["another line break", "log(a)‹→\n›", "whitespace-only"],
	["forty lines", `‹→${MANY_LINES.slice(0, -1)}›`, undefined],
	["more than forty lines", `‹→${MANY_LINES}line›`, "too-large"],
	["removing more than forty lines", `‹${MANY_LINES}line→›`, "too-large"],
	["lines that are there already", "a\n‹→b\nc\n›b\nc\n", "repeats-next-lines"],
	["a line that is further below", "a\n‹→c\n›b\nc\n", undefined],
])("judges %s", (_, drawn, objection) => expect(objectionTo(drawn)).toBe(objection));

test.each([
	["low", 0.71, "below-threshold"],
	["low", 0.73, undefined],
	["medium", 0.59, "below-threshold"],
	["medium", 0.61, undefined],
	["high", 0.41, "below-threshold"],
	["high", 0.43, undefined],
] as const)("when eagerness is %s, says of a confidence of %d: %s", (eagerness, confidence, objection) => {
	expect(objectionTo("log(‹a→b›)", { eagerness, confidence })).toBe(objection);
	expect(objectionTo("log(‹a→b›)", { eagerness, confidence, trigger: "manual" })).toBeUndefined();
});
