import { readPicture } from "@segue/story";
import { Change, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../candidate.js";
import { History, Memory, type Scene } from "../index.js";
import { sceneOf } from "../scene.js";
import { judge, type Objection } from "./gate.js";

/** What the gate says of the edits that a picture shows, after those that another one shows of the same document. */
function objectionTo(
	drawn: string,
	{ done = [], confidence = 0.9, memory = Memory.empty, ...settings }: Circumstances = {},
): Objection | undefined {
	const { before, edits } = readPicture(drawn);
	const document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(before) };
	const scene: Scene = { ...sceneOf(document, historyOf(done), 0), ...settings };
	const said = {
		predictor: "repeat",
		rules: ["rule", "other rule"],
		why: () => "",
		features: new Map(),
		isDoubtful: false,
		confidence,
	} as const;
	const candidate: Candidate = { proposal: { kind: "edit", uri: document.uri, edits }, ...said };
	return judge(candidate, document, scene, memory).objection;
}

interface Circumstances extends Partial<Scene> {
	/** What the user did before, drawn. */
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

/** A line each, and no two alike. */
function manyLines(count: number): string {
	return Array.from({ length: count }, (_, i) => `line${i}`).join("\n");
}

test.each([
	["what changes something", "log(‹a→b›)", undefined],
	["what changes nothing", "log(‹a→a›)", "no-op"],
	["white space", "log(‹→ ›a)", "whitespace-only"],
	["another line break", "log(a)‹→\n›", "whitespace-only"],
	["a word that is taken apart", "log(a‹→ ›b)", "whitespace-only"],
	["forty lines", `‹→${manyLines(40)}›`, undefined],
	["more than forty lines", `‹→${manyLines(41)}›`, "too-large"],
	["removing more than forty lines", `‹${manyLines(41)}→›`, "too-large"],
	["removing half of a small document", `‹${manyLines(3)}\n→›a\nb\nc`, undefined],
	["removing more than half of it", `‹${manyLines(4)}\n→›a\nb\nc`, "deletes-most"],
	["removing all of it", `‹${manyLines(4)}→›`, "deletes-most"],
	["removing as many lines of a larger one", `‹${manyLines(4)}\n→›a\nb\nc\nd`, undefined],
	["removing twelve lines of a long one", `‹${manyLines(12)}\n→›${manyLines(40)}`, undefined],
	["removing thirteen lines of a long one", `‹${manyLines(13)}\n→›${manyLines(40)}`, "deletes-most"],
	["writing as many lines as it removes", `‹${manyLines(4)}→one\ntwo\nsix\nten›`, undefined],
	["writing half as many as it removes", `‹${manyLines(4)}→one\ntwo›`, undefined],
	["writing fewer than that", `‹${manyLines(4)}→one›`, "deletes-most"],
	["emptying a document of one line", "‹log(a)→›", "deletes-most"],
	["emptying one of two lines", "‹log(a)→›\nlog(b)", undefined],
	["lines that are there already", "a\n‹→b\nc\n›b\nc\n", "repeats-next-lines"],
	["a line that is further below", "a\n‹→c\n›b\nc\n", undefined],
	["a line that is above", "a\n‹→a\n›b\n", undefined],
	["three equal lines", "a\n‹→one(1)\none(1)\none(1)\n›b\n", "equal-lines"],
	["two equal lines", "a\n‹→one(1)\none(1)\n›b\n", undefined],
	["equal lines with another between them", "a\n‹→one(1)\none(1)\ntwo(2)\none(1)\n›b\n", undefined],
	["empty lines", "a\n‹→one(1)\n\n\n\ntwo(2)\n›b\n", undefined],
	["equal lines that were there", "‹one→two›(0)\none(1)\none(1)\none(1)\n‹six→ten›(0)\n", undefined],
	["a block without its end", "a()\n‹→if (all) {\n›b()\n", "breaks-syntax"],
	["a block with its end", "a()\n‹→if (all) {\n}\n›b()\n", undefined],
])("judges %s", (_, drawn, objection) => expect(objectionTo(drawn)).toBe(objection));

describe("of a user who has just changed something, the gate", () => {
	test.each([
		["lets the same be done elsewhere", ["log(‹a→b›)\nlog(a)\n"], "log(b)\nlog(‹a→b›)\n", undefined],
		["does not let the opposite be done elsewhere", ["log(‹a→b›)\nlog(b)\n"], "log(b)\nlog(‹b→a›)\n", "reverts-user"],
		["does not let it be taken back", ["log(‹a→b›, c)\n"], "log(‹b→a›, c)\n", "reverts-user"],
		[
			"lets it be done again that was done, undone and done once more",
			["log(‹a→b›)\nlog(a)\n", "log(‹b→a›)\nlog(a)\n", "log(‹a→b›)\nlog(a)\n"],
			"log(b)\nlog(‹a→b›)\n",
			undefined,
		],
		[
			"lets a part of it be taken back with more that is new",
			["log(‹a→b›)\nlog(b, c, d)\n"],
			"log(b)\nlog(‹b→a›, ‹c→e›, ‹d→f›)\n",
			undefined,
		],
		[
			"does not let lines come back that went",
			["‹one(1)\ntwo(2)\n→›six(6)\n"],
			"‹→one(1)\ntwo(2)\n›six(6)\n",
			"reverts-user",
		],
	] as const)("%s", (_, done, drawn, objection) => expect(objectionTo(drawn, { done })).toBe(objection));

	test("lets the document never become what it was, however long ago", () => {
		const first = "log(‹a→b›)\nset(1)\n";
		const there = "log(b)\nset(‹1→2›)\n";
		const back = "log(b)\nset(‹2→1›)\n";
		const done = [first, there, back, there, back, there, back];
		expect(objectionTo("log(‹b→a›)\nset(1)\n", { done })).toBe("reverts-user");
		expect(objectionTo("log(‹b→a›)\nset(2)\n", { done: [...done, there] })).toBeUndefined();
	});

	test("has forgotten by the seventh change what the first was", () => {
		const others = ["1", "2", "3", "4", "5", "6"].map((n) => `log(b)\nlog(b)\nset(‹${n}→${Number(n) + 1}›)\n`);
		const first = "log(‹a→b›)\nlog(b)\nset(1)\n";
		const drawn = (n: number) => `log(b)\nlog(‹b→a›)\nset(${n})\n`;
		expect(objectionTo(drawn(6), { done: [first, ...others.slice(0, 5)] })).toBe("reverts-user");
		expect(objectionTo(drawn(7), { done: [first, ...others] })).toBeUndefined();
	});
});

describe("of what the user has rejected, the gate", () => {
	/** A memory of a suggestion, by what it writes and the rules it follows. */
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
		["does not show what writes the same", "log(‹a→b›)\n", "log(‹a→b›)\n", "rejected-before"],
		[
			"does not show it either where its line has moved to",
			"log(‹a→b›)\n",
			"one()\ntwo()\nlog(‹a→b›)\n",
			"rejected-before",
		],
		["does not show it either in other pieces", "log(‹a→b›)\n", "‹log(a)→log(b)›\n", "rejected-before"],
		["does not show it either when its beginning was typed", "log(‹→abc›)\n", "log(a‹→bc›)\n", "rejected-before"],
		["shows what takes another line away", "‹one()\n→›two()\n", "‹six()\n→›two()\n", undefined],
		["shows what writes something else there", "log(‹a→b›)\n", "log(‹a→c›)\n", undefined],
		["shows the same on another line", "log(‹a→b›)\n", "set(‹a→b›)\n", undefined],
	] as const)("%s", (_, rejected, drawn, objection) => {
		expect(objectionTo(drawn, { memory: rejecting(rejected, ["another"]) })).toBe(objection);
	});

	test.each([
		[
			"shows nothing when all rules that lead to it were rejected three times",
			["rule", "other rule"],
			3,
			"rule-retired",
		],
		["shows it while one of them was not", ["rule"], 3, undefined],
		["shows it while they were rejected twice", ["rule", "other rule"], 2, undefined],
	] as const)("%s", (_, rules, times, objection) => {
		expect(objectionTo("log(‹a→b›)\n", { memory: rejecting("set(‹1→2›)\n", rules, times) })).toBe(objection);
	});

	test("shows nothing of it to a user who asks either", () => {
		const memory = rejecting("log(‹a→b›)\n", ["another"]);
		expect(objectionTo("log(‹a→b›)\n", { memory, trigger: "manual" })).toBe("rejected-before");
	});
});

test.each([
	["low", 0.74, "below-threshold"],
	["low", 0.76, undefined],
	["medium", 0.59, "below-threshold"],
	["medium", 0.61, undefined],
	["high", 0.44, "below-threshold"],
	["high", 0.46, undefined],
] as const)("when eagerness is %s, says of a confidence of %d: %s", (eagerness, confidence, objection) => {
	expect(objectionTo("log(‹a→b›)", { eagerness, confidence })).toBe(objection);
	expect(objectionTo("log(‹a→b›)", { eagerness, confidence, trigger: "manual" })).toBeUndefined();
});

describe("of what it is not sure enough, the gate", () => {
	/** What became of other suggestions of a rule. */
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

	test("shows what it would not have shown, once another place of its rule was accepted", () => {
		expect(objectionTo("log(‹a→b›)", { confidence: 0.55 })).toBe("below-threshold");
		expect(objectionTo("log(‹a→b›)", { confidence: 0.55, memory: answered("accepted") })).toBeUndefined();
		expect(objectionTo("log(‹a→b›)", { confidence: 0.55, memory: answered("cancelled") })).toBe("below-threshold");
	});

	test("shows what one rule leads to that was ignored, while another leads there, too", () => {
		const memory = answered("ignored", "ignored", "ignored", "ignored");
		expect(memory.shiftOf(["rule"])).toBeLessThan(0);
		expect(objectionTo("log(‹a→b›)", { confidence: 0.61, memory })).toBeUndefined();
	});
});

test("a jump is refused for what is wrong with the edit that it leads to, unless that is only unsure", () => {
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
