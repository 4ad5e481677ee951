import { readPicture } from "@segue/story";
import { Text } from "@segue/text";
import { expect, test } from "vitest";
import type { Candidate } from "./candidate.js";
import { judge, type Objection } from "./gate.js";
import { History, Memory, type Scene } from "./index.js";

const FEATURES = {
	support: 1,
	left: 1,
	skipped: 0,
	age: 0,
	rank: 0,
	isElsewhere: 0,
	isDeclaration: 0,
	isWholeLine: 0,
	kept: 1,
	isInsertion: 0,
	isShort: 0,
} as const;

/** What the gate says of the edits that a picture shows. */
function objectionTo(drawn: string, settings: Partial<Scene & { confidence: number }> = {}): Objection | undefined {
	const { before, edits } = readPicture(drawn);
	const document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(before) };
	const scene: Scene = {
		document,
		cursor: 0,
		selection: { anchor: 0, head: 0 },
		history: History.empty,
		neighbours: [],
		diagnostics: [],
		views: [],
		excerpts: [],
		actions: [],
		workspace: { uri: undefined, folders: [], repository: undefined },
		trigger: "automatic",
		kinds: new Set(),
		eagerness: "medium",
		...settings,
	};
	const { confidence = 0.9 } = settings;
	const said = { predictor: "repeat", rule: "rule", why: "", features: FEATURES, confidence } as const;
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
	["low", 0.69, "below-threshold"],
	["low", 0.71, undefined],
	["medium", 0.49, "below-threshold"],
	["medium", 0.51, undefined],
	["high", 0.29, "below-threshold"],
	["high", 0.31, undefined],
] as const)("when eagerness is %s, says of a confidence of %d: %s", (eagerness, confidence, objection) => {
	expect(objectionTo("log(‹a→b›)", { eagerness, confidence })).toBe(objection);
	expect(objectionTo("log(‹a→b›)", { eagerness, confidence, trigger: "manual" })).toBeUndefined();
});
