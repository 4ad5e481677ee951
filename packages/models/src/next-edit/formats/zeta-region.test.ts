import { readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PromptInput } from "../format.js";
import { zetaEditsOf, zetaRegionOf, zetaTokens } from "./zeta-region.js";

// The budgets are 350 tokens for the region (262 of them spread evenly) and 150 tokens for the lines around it.

/**
 * Creates an input with lines of these token counts, the cursor in one of them, and syntax nodes given as line ranges.
 */
function inputWith(
	tokens: readonly number[],
	cursorLine: number,
	nodes: readonly (readonly [number, number])[] = [],
): PromptInput {
	const text = Text.of(tokens.map((count) => "x".repeat(3 * count)).join("\n"));
	const rangeOf = ([first, last]: readonly [number, number]) => ({
		from: text.lineStart(first),
		to: text.lineEnd(last),
	});
	const cursor = text.lineStart(cursorLine);
	return { ...readPromptInput("▮"), text, cursor, nodesAround: () => nodes.map(rangeOf) };
}

/** Returns the first and last line of the region, and of the lines shown. */
function linesOf(input: PromptInput): { region: [number, number]; shown: [number, number] } {
	const { window, shown } = zetaRegionOf(input);
	return { region: [window.first, window.last], shown: [shown.first, shown.last] };
}

const same = (count: number, tokens: number) => Array.from({ length: count }, () => tokens);

describe("A region for Zed's models", () => {
	test("contains 350 tokens of lines spread evenly around the cursor, and 150 tokens of context", () => {
		expect(linesOf(inputWith(same(201, 10), 100))).toEqual({ region: [83, 117], shown: [75, 124] });
	});

	test("takes more lines from the other side at the start and end of the file", () => {
		expect(linesOf(inputWith(same(201, 10), 2))).toEqual({ region: [0, 34], shown: [0, 49] });
		expect(linesOf(inputWith(same(201, 10), 200))).toEqual({ region: [166, 200], shown: [151, 200] });
	});

	test.each([
		["one token for every three bytes, rounded down", "x".repeat(29), 9],
		["at least one token", "", 1],
		["bytes instead of characters", "é".repeat(15), 10],
	])("counts %s", (_, line, cost) => {
		const text = Text.of(Array.from({ length: 1001 }, () => line).join("\n"));
		const { window } = zetaRegionOf({ ...readPromptInput("▮"), text, cursor: text.lineStart(500) });
		expect(window.last - window.first + 1).toBe(Math.floor(350 / cost));
	});

	test("stops growing evenly at the first line that does not fit, then adds lines that fit on either side", () => {
		// The cursor's line and two lines on either side cost 50 tokens. The next line below never fits, so the other 300
		// tokens are used above.
		const tokens = [...same(100, 10), 10, ...same(2, 10), 330, ...same(50, 10)];
		expect(linesOf(inputWith(tokens, 100)).region).toEqual([68, 102]);
	});

	test("always contains the cursor's line", () => {
		expect(linesOf(inputWith([10, 400, 10], 1))).toEqual({ region: [0, 2], shown: [0, 2] });
		expect(linesOf(inputWith([100, 400, 100], 1)).region).toEqual([1, 1]);
	});

	test("grows to the ends of the syntax nodes around the cursor, then evenly", () => {
		// Growing evenly gives lines 88 to 113, with 90 tokens left. The side with fewer lines added by nodes grows first.
		expect(
			linesOf(
				inputWith(same(201, 10), 100, [
					[95, 105],
					[82, 113],
				]),
			).region,
		).toEqual([81, 115]);
		expect(
			linesOf(
				inputWith(same(201, 10), 100, [
					[95, 105],
					[87, 118],
				]),
			).region,
		).toEqual([85, 119]);
	});

	test("does not grow to a node that does not fit, nor to nodes around it", () => {
		const plain = linesOf(inputWith(same(201, 10), 100)).region;
		expect(
			linesOf(
				inputWith(same(201, 10), 100, [
					[70, 113],
					[69, 114],
				]),
			).region,
		).toEqual(plain);
	});

	test("is shown up to the ends of a node and no further", () => {
		expect(linesOf(inputWith(same(201, 10), 100, [[80, 119]]))).toEqual({ region: [83, 117], shown: [80, 119] });
		expect(linesOf(inputWith(same(201, 10), 100, [[0, 200]])).shown).toEqual([75, 124]);
	});

	test("never exceeds its budgets", () => {
		const line = fc.integer({ min: 0, max: 120 });
		const node = fc.tuple(fc.nat(80), fc.nat(80));
		fc.assert(
			fc.property(
				fc.array(line, { minLength: 1, maxLength: 80 }),
				fc.nat(79),
				fc.array(node, { maxLength: 5 }),
				(tokens, at, pairs) => {
					const last = tokens.length - 1;
					const cursor = Math.min(at, last);
					const nodes = pairs.map(([up, down]) => [Math.max(cursor - up, 0), Math.min(cursor + down, last)] as const);
					const { region, shown } = linesOf(inputWith(tokens, cursor, nodes));
					const costOf = ([first, end]: readonly [number, number]) => {
						return tokens.slice(first, end + 1).reduce((sum, count) => sum + Math.max(count, 1), 0);
					};
					const own = Math.max(tokens[cursor] ?? 0, 1);
					expect(region[0]).toBeLessThanOrEqual(cursor);
					expect(region[1]).toBeGreaterThanOrEqual(cursor);
					expect(costOf(region)).toBeLessThanOrEqual(Math.max(350, own + 88));
					expect(shown[0]).toBeLessThanOrEqual(region[0]);
					expect(shown[1]).toBeGreaterThanOrEqual(region[1]);
					expect(costOf(shown) - costOf(region)).toBeLessThanOrEqual(150);
				},
			),
		);
	});
});

test("the newest six edits are shown, up to the first that does not fit", () => {
	const edits = Array.from({ length: 8 }, (_, i) =>
		readPastEdit(`${i}.ts`, i === 4 ? `‹→${"x".repeat(900)}›` : "‹a→b›"),
	);
	const input = readPromptInput("▮", { edits });
	const print = ({ path }: { readonly path: string }) => path.repeat(path === "4.ts" ? 300 : 3);
	const shown = (tokens: number) => zetaEditsOf(input, tokens, print).map(({ path }) => path);
	expect(shown(1000)).toEqual(["2.ts", "3.ts", "4.ts", "5.ts", "6.ts", "7.ts"]);
	expect(shown(100)).toEqual(["5.ts", "6.ts", "7.ts"]);
	expect(shown(zetaTokens(print({ path: "7.ts" })))).toEqual(["7.ts"]);
	expect(shown(0)).toEqual([]);
});
