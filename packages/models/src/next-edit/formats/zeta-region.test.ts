import { readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PromptInput } from "../format.js";
import { zetaEditsOf, zetaRegionOf, zetaTokens } from "./zeta-region.js";

// The budgets are 350 tokens for the region, 262 of them evenly, and 150 for the lines around it.

/** A brief with lines of so many tokens each, the cursor in one of them, and syntax nodes from one line to another. */
function briefOf(
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

/** The first and last lines of the region, and of the lines shown. */
function linesOf(brief: PromptInput): { region: [number, number]; shown: [number, number] } {
	const { window, shown } = zetaRegionOf(brief);
	return { region: [window.first, window.last], shown: [shown.first, shown.last] };
}

const same = (count: number, tokens: number) => Array.from({ length: count }, () => tokens);

describe("A region for Zed's models", () => {
	test("has the lines evenly above and below the cursor that cost 350 tokens, and 150 tokens of lines around it", () => {
		expect(linesOf(briefOf(same(201, 10), 100))).toEqual({ region: [83, 117], shown: [75, 124] });
	});

	test("takes the last lines from the other side where the file ends", () => {
		expect(linesOf(briefOf(same(201, 10), 2))).toEqual({ region: [0, 34], shown: [0, 49] });
		expect(linesOf(briefOf(same(201, 10), 200))).toEqual({ region: [166, 200], shown: [151, 200] });
	});

	test.each([
		["a token for every three bytes, rounded down", "x".repeat(29), 9],
		["a token at least", "", 1],
		["bytes instead of characters", "é".repeat(15), 10],
	])("counts %s", (_, line, cost) => {
		const text = Text.of(Array.from({ length: 1001 }, () => line).join("\n"));
		const { window } = zetaRegionOf({ ...readPromptInput("▮"), text, cursor: text.lineStart(500) });
		expect(window.last - window.first + 1).toBe(Math.floor(350 / cost));
	});

	test("stops growing evenly at the first line that does not fit, and then takes whatever fits on either side", () => {
		// Two lines on either side cost 50 with the cursor's. The next below never fits, so the other 300 tokens go up.
		const tokens = [...same(100, 10), 10, ...same(2, 10), 330, ...same(50, 10)];
		expect(linesOf(briefOf(tokens, 100)).region).toEqual([68, 102]);
	});

	test("has the line of the cursor, however long it is", () => {
		expect(linesOf(briefOf([10, 400, 10], 1))).toEqual({ region: [0, 2], shown: [0, 2] });
		expect(linesOf(briefOf([100, 400, 100], 1)).region).toEqual([1, 1]);
	});

	test("grows to the ends of the syntax nodes around the cursor, then evenly", () => {
		// Evenly it has lines 88 to 113, and 90 tokens are left. The side that a node has added fewer lines to comes first.
		expect(
			linesOf(
				briefOf(same(201, 10), 100, [
					[95, 105],
					[82, 113],
				]),
			).region,
		).toEqual([81, 115]);
		expect(
			linesOf(
				briefOf(same(201, 10), 100, [
					[95, 105],
					[87, 118],
				]),
			).region,
		).toEqual([85, 119]);
	});

	test("does not grow to a node that has no room, nor to one around that", () => {
		const plain = linesOf(briefOf(same(201, 10), 100)).region;
		expect(
			linesOf(
				briefOf(same(201, 10), 100, [
					[70, 113],
					[69, 114],
				]),
			).region,
		).toEqual(plain);
	});

	test("is shown up to the ends of a node, without the lines beyond", () => {
		expect(linesOf(briefOf(same(201, 10), 100, [[80, 119]]))).toEqual({ region: [83, 117], shown: [80, 119] });
		expect(linesOf(briefOf(same(201, 10), 100, [[0, 200]])).shown).toEqual([75, 124]);
	});

	test("never costs more than its budgets, whatever the text and the nodes are", () => {
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
					const { region, shown } = linesOf(briefOf(tokens, cursor, nodes));
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

test("Zed's models are shown the newest six edits, up to the first that does not fit", () => {
	const edits = Array.from({ length: 8 }, (_, i) =>
		readPastEdit(`${i}.ts`, i === 4 ? `‹→${"x".repeat(900)}›` : "‹a→b›"),
	);
	const brief = readPromptInput("▮", { edits });
	const print = ({ path }: { readonly path: string }) => path.repeat(path === "4.ts" ? 300 : 3);
	const shown = (tokens: number) => zetaEditsOf(brief, tokens, print).map(({ path }) => path);
	expect(shown(1000)).toEqual(["2.ts", "3.ts", "4.ts", "5.ts", "6.ts", "7.ts"]);
	expect(shown(100)).toEqual(["5.ts", "6.ts", "7.ts"]);
	expect(shown(zetaTokens(print({ path: "7.ts" })))).toEqual(["7.ts"]);
	expect(shown(0)).toEqual([]);
});
