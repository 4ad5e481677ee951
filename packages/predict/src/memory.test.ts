import { expect, test } from "vitest";
import { Memory, type Reason, type Suggestion } from "./index.js";

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

function remember(answers: readonly (Reason | "accepted" | undefined)[]): Memory {
	return answers.reduce<Memory>((memory, answer, i) => {
		const one = suggestion(`key ${i}`, "rule");
		return answer === "accepted" ? memory.accepted(one) : memory.rejected(one, answer);
	}, Memory.empty);
}

test("remembers what was rejected", () => {
	expect(remember(["rejected"]).isRejected("key 0")).toBe(true);
	expect(remember(["rejected"]).isRejected("key 1")).toBe(false);
});

test.each([["ignored"], ["replaced"], ["cancelled"], [undefined]] as const)(
	"does not take %s for a rejection",
	(reason) => {
		const memory = remember([reason, reason, reason]);
		expect(memory.isRejected("key 0")).toBe(false);
		expect(memory.isRetired("rule")).toBe(false);
	},
);

test("retires a rule at its third rejection", () => {
	expect(remember(["rejected", "rejected"]).isRetired("rule")).toBe(false);
	expect(remember(["rejected", "accepted", "rejected", "rejected"]).isRetired("rule")).toBe(true);
});

test("raises a rule that was accepted, and lowers one that was ignored a little", () => {
	const { shiftOf } = { shiftOf: (memory: Memory) => memory.shiftOf(["rule"]) };
	expect(shiftOf(remember(["accepted"]))).toBeGreaterThan(0);
	expect(shiftOf(remember(["ignored"]))).toBeLessThan(0);
	expect(shiftOf(remember(["accepted", "ignored"]))).toBeGreaterThan(0);
	expect(shiftOf(remember(["replaced", "cancelled", undefined]))).toBe(0);
});

test("forgets the oldest of very many", () => {
	const memory = remember(Array.from({ length: 201 }, () => "rejected" as const));
	expect(memory.isRejected("key 0")).toBe(false);
	expect(memory.isRejected("key 1")).toBe(true);
	expect(memory.isRejected("key 200")).toBe(true);
});
