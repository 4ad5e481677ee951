import { expect, test } from "vitest";
import { type DismissalReason, Memory, type Suggestion } from "./index.js";

function suggestion(key: string, rule: string): Suggestion {
	const edits = [{ from: 0, to: 1, insert: "b" }];
	return {
		kind: "edit",
		uri: "a",
		edits,
		predictor: "rename",
		rules: [rule],
		confidence: 0.5,
		why: "",
		cursor: 1,
		key,
	};
}

function remember(answers: readonly (DismissalReason | "accepted" | undefined)[]): Memory {
	return answers.reduce<Memory>((memory, answer, i) => {
		const one = suggestion(`key ${i}`, "rule");
		return answer === "accepted" ? memory.accepted(one) : memory.rejected(one, answer);
	}, Memory.empty);
}

test("remembers rejected suggestions", () => {
	expect(remember(["rejected"]).isRejected("key 0")).toBe(true);
	expect(remember(["rejected"]).isRejected("key 1")).toBe(false);
});

test.each([["ignored"], ["replaced"], ["cancelled"], [undefined]] as const)(
	"does not count %s as a rejection",
	(reason) => {
		const memory = remember([reason, reason, reason]);
		expect(memory.isRejected("key 0")).toBe(false);
		expect(memory.isRetired("rule")).toBe(false);
	},
);

test("retires a rule after its third rejection", () => {
	expect(remember(["rejected", "rejected"]).isRetired("rule")).toBe(false);
	expect(remember(["rejected", "accepted", "rejected", "rejected"]).isRetired("rule")).toBe(true);
});

test("raises the confidence of an accepted rule, and slightly lowers that of an ignored one", () => {
	const { shiftOf } = { shiftOf: (memory: Memory) => memory.shiftOf(["rule"]) };
	expect(shiftOf(remember(["accepted"]))).toBeGreaterThan(0);
	expect(shiftOf(remember(["ignored"]))).toBeLessThan(0);
	expect(shiftOf(remember(["accepted", "ignored"]))).toBeGreaterThan(0);
	expect(shiftOf(remember(["replaced", "cancelled", undefined]))).toBe(0);
});

test("limits how far a rule's confidence is raised or lowered", () => {
	const shiftAfter = (answer: DismissalReason | "accepted", times: number) => {
		return remember(Array.from({ length: times }, () => answer)).shiftOf(["rule"]);
	};
	expect(shiftAfter("accepted", 5)).toBe(shiftAfter("accepted", 4));
	expect(shiftAfter("accepted", 4)).toBeGreaterThan(shiftAfter("accepted", 3));
	expect(shiftAfter("ignored", 5)).toBe(shiftAfter("ignored", 4));
	expect(shiftAfter("ignored", 4)).toBeLessThan(shiftAfter("ignored", 3));
	expect(shiftAfter("rejected", 1)).toBeLessThan(0);
});

test("uses the feedback on the best of several rules", () => {
	const memory = remember(["accepted"]).rejected(suggestion("key", "other"), "ignored");
	expect(memory.shiftOf(["rule", "other"])).toBe(memory.shiftOf(["rule"]));
	expect(memory.shiftOf(["other", "unknown"])).toBe(0);
	expect(memory.shiftOf([])).toBe(0);
});

test("forgets the oldest rejection when full", () => {
	const memory = remember(Array.from({ length: 201 }, () => "rejected" as const));
	expect(memory.isRejected("key 0")).toBe(false);
	expect(memory.isRejected("key 1")).toBe(true);
	expect(memory.isRejected("key 200")).toBe(true);
});

test("forgets the least recently used rule when full", () => {
	const others = Array.from({ length: 200 }, (_, i) => suggestion(`key ${i}`, `rule ${i}`));
	const first = suggestion("key", "rule");
	const all = others.slice(0, 199).reduce((memory, one) => memory.accepted(one), Memory.empty.accepted(first));
	expect(all.shiftOf(["rule"])).toBeGreaterThan(0);
	expect(all.accepted(others[199] as Suggestion).shiftOf(["rule"])).toBe(0);
	const again = all.accepted(first).accepted(others[199] as Suggestion);
	expect(again.shiftOf(["rule"])).toBeGreaterThan(0);
	expect(again.shiftOf(["rule 0"])).toBe(0);
});

test("refreshes a rejection when the suggestion is rejected again", () => {
	const twice = remember(["rejected", "rejected"]).rejected(suggestion("key 0", "rule"), "rejected");
	const others = Array.from({ length: 199 }, (_, i) => suggestion(`other ${i}`, "rule"));
	const again = others.reduce((memory, one) => memory.rejected(one, "rejected"), twice);
	expect(again.isRejected("key 0")).toBe(true);
	expect(again.isRejected("key 1")).toBe(false);
});

test("remembers the targets of jumps, by rule", () => {
	const jump: Suggestion = { ...suggestion("key", "rule"), kind: "jump", at: 0 };
	const memory = Memory.empty.accepted(jump);
	expect(memory.isVisited(["rule", "other rule"], "key")).toBe(true);
	expect(memory.isVisited(["other rule"], "key")).toBe(false);
	expect(memory.isVisited(["rule"], "other key")).toBe(false);
	expect(Memory.empty.accepted(suggestion("key", "rule")).isVisited(["rule"], "key")).toBe(false);
	const jumps = Array.from({ length: 200 }, (_, i) => ({ ...jump, key: `key ${i}` }));
	const full = jumps.reduce((all, one) => all.accepted(one), memory);
	expect(full.isVisited(["rule"], "key")).toBe(false);
	expect(full.isVisited(["rule"], "key 0")).toBe(true);
});

test("raises a rule's confidence as much for one jump as for several accepted edits", () => {
	const jump: Suggestion = { ...suggestion("key", "rule"), kind: "jump", at: 0 };
	const edits = remember(["accepted", "accepted", "accepted", "accepted"]);
	expect(Memory.empty.accepted(jump).shiftOf(["rule"])).toBe(edits.shiftOf(["rule"]));
});
