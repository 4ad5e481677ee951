import { readPicture } from "@segue/story";
import { Change, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../candidate.js";
import { History, Memory, type Scene } from "../index.js";
import { sceneOf } from "../scene.js";
import { judge, type Objection } from "./gate.js";

/** The gate's objection to the drawn edits after the user has made the edits drawn in `done` in the same document. */
function objectionTo(
	drawn: string,
	{ done = [], confidence = 0.9, memory = Memory.empty, ...settings }: Circumstances = {},
): Objection | undefined {
	const { before, edits } = readPicture(drawn);
	const document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(before) };
	const scene: Scene = { ...sceneOf(document, historyOf(done), 0), ...settings };
	const rest = {
		predictor: "repeat",
		rules: ["rule", "other rule"],
		why: () => "",
		features: new Map(),
		isDoubtful: false,
		confidence,
	} as const;
	const candidate: Candidate = { proposal: { kind: "edit", uri: document.uri, edits }, ...rest };
	return judge(candidate, document, scene, memory).objection;
}

interface Circumstances extends Partial<Scene> {
	/** Pictures of the user's earlier edits. */
	readonly done?: readonly string[];
	readonly confidence?: number;
	readonly memory?: Memory;
}

function historyOf(done: readonly string[]): History {
	return done.reduce((history, drawn, i) => {
		const { before, edits } = readPicture(drawn);
		const document = { uri: "a.ts", languageId: "typescript", version: i, text: Text.of(before) };
		const change = Change.of(edits, before.length);
		return history.changed(document, change, { atMs: i * 10_000, isAccepted: false });
	}, History.empty);
}

/** Returns `count` different lines. */
function manyLines(count: number): string {
	return Array.from({ length: count }, (_, i) => `line${i}`).join("\n");
}

test.each([
	["a changed word", "log(‹a→b›)", undefined],
	["a change without effect", "log(‹a→a›)", "no-op"],
	["an inserted space", "log(‹→ ›a)", "whitespace-only"],
	["an inserted line break", "log(a)‹→\n›", "whitespace-only"],
	["a space inside a word", "log(a‹→ ›b)", "whitespace-only"],
	["40 new lines", `‹→${manyLines(40)}›`, undefined],
	["41 new lines", `‹→${manyLines(41)}›`, "too-large"],
	["deleting 41 lines", `‹${manyLines(41)}→›`, "too-large"],
	["deleting half of a small document", `‹${manyLines(3)}\n→›a\nb\nc`, undefined],
	["deleting more than half of a small document", `‹${manyLines(4)}\n→›a\nb\nc`, "deletes-most"],
	["deleting a whole document", `‹${manyLines(4)}→›`, "deletes-most"],
	["deleting as many lines from a larger document", `‹${manyLines(4)}\n→›a\nb\nc\nd`, undefined],
	["deleting 12 lines from a long document", `‹${manyLines(12)}\n→›${manyLines(40)}`, undefined],
	["deleting 13 lines from a long document", `‹${manyLines(13)}\n→›${manyLines(40)}`, "deletes-most"],
	["inserting as many lines as it deletes", `‹${manyLines(4)}→one\ntwo\nsix\nten›`, undefined],
	["inserting half as many lines as it deletes", `‹${manyLines(4)}→one\ntwo›`, undefined],
	["inserting fewer than half as many lines", `‹${manyLines(4)}→one›`, "deletes-most"],
	["emptying a document of one line", "‹log(a)→›", "deletes-most"],
	["emptying one of two lines", "‹log(a)→›\nlog(b)", undefined],
	["lines that already follow", "a\n‹→b\nc\n›b\nc\n", "repeats-next-lines"],
	["a line that occurs further below", "a\n‹→c\n›b\nc\n", undefined],
	["a copy of the line above", "a\n‹→a\n›b\n", undefined],
	["three equal lines", "a\n‹→one(1)\none(1)\none(1)\n›b\n", "equal-lines"],
	["two equal lines", "a\n‹→one(1)\none(1)\n›b\n", undefined],
	["equal lines with a different line between them", "a\n‹→one(1)\none(1)\ntwo(2)\none(1)\n›b\n", undefined],
	["empty lines", "a\n‹→one(1)\n\n\n\ntwo(2)\n›b\n", undefined],
	["equal lines that were already there", "‹one→two›(0)\none(1)\none(1)\none(1)\n‹six→ten›(0)\n", undefined],
	["an unclosed block", "a()\n‹→if (all) {\n›b()\n", "breaks-syntax"],
	["a closed block", "a()\n‹→if (all) {\n}\n›b()\n", undefined],
])("judges %s", (_, drawn, objection) => expect(objectionTo(drawn)).toBe(objection));

describe("after an edit by the user, the gate", () => {
	test.each([
		["allows the same edit elsewhere", ["log(‹a→b›)\nlog(a)\n"], "log(b)\nlog(‹a→b›)\n", undefined],
		["rejects the opposite edit elsewhere", ["log(‹a→b›)\nlog(b)\n"], "log(b)\nlog(‹b→a›)\n", "reverts-user"],
		["rejects undoing the edit", ["log(‹a→b›, c)\n"], "log(‹b→a›, c)\n", "reverts-user"],
		[
			"allows repeating an edit that was made, undone and made again",
			["log(‹a→b›)\nlog(a)\n", "log(‹b→a›)\nlog(a)\n", "log(‹a→b›)\nlog(a)\n"],
			"log(b)\nlog(‹a→b›)\n",
			undefined,
		],
		[
			"allows undoing part of the edit along with a larger new edit",
			["log(‹a→b›)\nlog(b, c, d)\n"],
			"log(b)\nlog(‹b→a›, ‹c→e›, ‹d→f›)\n",
			undefined,
		],
		["rejects restoring deleted lines", ["‹one(1)\ntwo(2)\n→›six(6)\n"], "‹→one(1)\ntwo(2)\n›six(6)\n", "reverts-user"],
	] as const)("%s", (_, done, drawn, objection) => expect(objectionTo(drawn, { done })).toBe(objection));

	test("rejects restoring any earlier version of the document", () => {
		const first = "log(‹a→b›)\nset(1)\n";
		const there = "log(b)\nset(‹1→2›)\n";
		const back = "log(b)\nset(‹2→1›)\n";
		const done = [first, there, back, there, back, there, back];
		expect(objectionTo("log(‹b→a›)\nset(1)\n", { done })).toBe("reverts-user");
		expect(objectionTo("log(‹b→a›)\nset(2)\n", { done: [...done, there] })).toBeUndefined();
	});

	test("ignores edits older than the last six", () => {
		const others = ["1", "2", "3", "4", "5", "6"].map((n) => `log(b)\nlog(b)\nset(‹${n}→${Number(n) + 1}›)\n`);
		const first = "log(‹a→b›)\nlog(b)\nset(1)\n";
		const drawn = (n: number) => `log(b)\nlog(‹b→a›)\nset(${n})\n`;
		expect(objectionTo(drawn(6), { done: [first, ...others.slice(0, 5)] })).toBe("reverts-user");
		expect(objectionTo(drawn(7), { done: [first, ...others] })).toBeUndefined();
	});
});

describe("after a dismissed suggestion, the gate", () => {
	/** A memory of a drawn suggestion that was dismissed. */
	function rejecting(drawn: string, rules: readonly string[], times = 1): Memory {
		const { before, edits } = readPicture(drawn);
		const document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(before) };
		const proposal = { kind: "edit", uri: document.uri, edits } as const;
		const scene = sceneOf(document, History.empty, 0);
		const { key } = judge({ proposal, rules, confidence: 0.9 }, document, scene, Memory.empty);
		return Array.from({ length: times }).reduce<Memory>((memory) => {
			return memory.rejected({ key, rules }, "rejected");
		}, Memory.empty);
	}

	test.each([
		["does not show the same suggestion", "log(‹a→b›)\n", "log(‹a→b›)\n", "rejected-before"],
		["does not show it after its line has moved", "log(‹a→b›)\n", "one()\ntwo()\nlog(‹a→b›)\n", "rejected-before"],
		["does not show it split into other edits", "log(‹a→b›)\n", "‹log(a)→log(b)›\n", "rejected-before"],
		["does not show it after the user typed its beginning", "log(‹→abc›)\n", "log(a‹→bc›)\n", "rejected-before"],
		["shows the deletion of another line", "‹one()\n→›two()\n", "‹six()\n→›two()\n", undefined],
		["shows different text at the same site", "log(‹a→b›)\n", "log(‹a→c›)\n", undefined],
		["shows the same edit on another line", "log(‹a→b›)\n", "set(‹a→b›)\n", undefined],
	] as const)("%s", (_, rejected, drawn, objection) => {
		expect(objectionTo(drawn, { memory: rejecting(rejected, ["another"]) })).toBe(objection);
	});

	test.each([
		["shows nothing if each rule of the candidate was rejected three times", ["rule", "other rule"], 3, "rule-retired"],
		["shows the candidate if only one of its rules was rejected", ["rule"], 3, undefined],
		["shows the candidate if its rules were rejected twice", ["rule", "other rule"], 2, undefined],
	] as const)("%s", (_, rules, times, objection) => {
		expect(objectionTo("log(‹a→b›)\n", { memory: rejecting("set(‹1→2›)\n", rules, times) })).toBe(objection);
	});

	test("does not show it on a manual request either", () => {
		const memory = rejecting("log(‹a→b›)\n", ["another"]);
		expect(objectionTo("log(‹a→b›)\n", { memory, trigger: "manual" })).toBe("rejected-before");
	});
});

test.each([
	["low", 0.74, "below-threshold"],
	["low", 0.76, undefined],
	["medium", 0.53, "below-threshold"],
	["medium", 0.55, undefined],
	["high", 0.29, "below-threshold"],
	["high", 0.31, undefined],
] as const)("with %s eagerness, the objection to a confidence of %d is %s", (eagerness, confidence, objection) => {
	expect(objectionTo("log(‹a→b›)", { eagerness, confidence })).toBe(objection);
	expect(objectionTo("log(‹a→b›)", { eagerness, confidence, trigger: "manual" })).toBeUndefined();
});

describe("near the threshold, the gate", () => {
	/** A memory with the outcomes of other suggestions from the rule. */
	function answered(...answers: readonly ("accepted" | "ignored" | "cancelled")[]): Memory {
		const edits = [{ from: 0, to: 1, insert: "x" }];
		const about = {
			predictor: "repeat",
			rules: ["rule"],
			why: "",
			confidence: 0.9,
			cursor: 0,
			key: "elsewhere",
		} as const;
		const one = { kind: "edit", uri: "a.ts", edits, ...about } as const;
		return answers.reduce<Memory>((memory, answer) => {
			return answer === "accepted" ? memory.accepted(one) : memory.rejected(one, answer);
		}, Memory.empty);
	}

	test("shows a less likely candidate once another suggestion from its rule has been accepted", () => {
		expect(objectionTo("log(‹a→b›)", { confidence: 0.49 })).toBe("below-threshold");
		expect(objectionTo("log(‹a→b›)", { confidence: 0.49, memory: answered("accepted") })).toBeUndefined();
		expect(objectionTo("log(‹a→b›)", { confidence: 0.49, memory: answered("cancelled") })).toBe("below-threshold");
	});

	test("shows a candidate from an ignored rule if another rule found it too", () => {
		const memory = answered("ignored", "ignored", "ignored", "ignored");
		expect(memory.shiftOf(["rule"])).toBeLessThan(0);
		expect(objectionTo("log(‹a→b›)", { confidence: 0.55, memory })).toBeUndefined();
	});
});

test("rejects a jump to an edit that it would reject for any reason except low confidence", () => {
	const objectionToJump = (drawn: string, confidence: number, done: readonly string[] = []) => {
		const { before, edits } = readPicture(drawn);
		const document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(before) };
		const proposal = { kind: "jump", uri: document.uri, at: edits[0]?.from ?? 0 } as const;
		const candidate = { proposal, rules: ["rule"], confidence, leadsTo: edits };
		const scene = { ...sceneOf(document, historyOf(done), 0), kinds: new Set(["jump"] as const) };
		return judge(candidate, document, scene, Memory.empty).objection;
	};
	expect(objectionToJump("log(‹a→b›)", 0.9)).toBeUndefined();
	expect(objectionToJump("log(‹a→b›)", 0.1)).toBe("below-threshold");
	expect(objectionToJump("log(‹a→a›)", 0.9)).toBe("no-op");
	expect(objectionToJump("log(‹a→b›)", 0.9, ["log(‹b→a›)"])).toBe("reverts-user");
});
