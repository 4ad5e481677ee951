import { expect, test } from "vitest";
import { interleave, median } from "./rounds.js";

test("starts each round with the next contender", async () => {
	const order: string[] = [];
	const turn = (name: string) => () => order.push(name);
	const samples = await interleave({ a: turn("a"), b: turn("b"), c: turn("c") }, 4, (round) => order.push(`${round}:`));
	expect(order.join(" ")).toBe("0: a b c 1: b c a 2: c a b 3: a b c");
	expect(samples).toEqual({ a: [2, 8, 11, 14], b: [3, 6, 12, 15], c: [4, 7, 10, 16] });
});

test.each([
	[[3, 1, 2], 2],
	[[4, 1, 3, 100], 3.5],
	[[10, 9], 9.5],
	[[7], 7],
])("the median of %j is %d", (values, expected) => {
	expect(median(values)).toBe(expected);
});

test("throws for the median of no values", () => {
	expect(() => median([])).toThrow(RangeError);
});
