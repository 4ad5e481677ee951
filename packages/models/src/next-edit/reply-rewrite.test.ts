import { FormatRequest, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import type { Format } from "./format.js";
import { sweep } from "./formats/sweep.js";
import { sweepV2 } from "./formats/sweep-v2.js";
import { zeta1 } from "./formats/zeta-1.js";
import { zeta2 } from "./formats/zeta-2.js";
import { zeta21 } from "./formats/zeta-2-1.js";

/** The models that write lines in the place of others, and what they say before those and behind them. */
const MODELS: readonly [name: string, format: Format, before: string, behind: string][] = [
	["Zeta 1", zeta1, "<|editable_region_start|>\n", "<|editable_region_end|>"],
	["Zeta 2", zeta2, "", ""],
	["Zeta 2.1", zeta21, "<|marker_1|>", "<|marker_2|>"],
	["Sweep's model", sweep, "", ""],
	["Sweep's second model", sweepV2, "", ""],
];

const SCENE = `export function total(items: Item[]) {
⇥let ‹s→sum▮› = 0;
⇥for (const item of items) s += item.price;
⇥return s;
}
`;
const NEW = `export function total(items: Item[]) {
	let sum = 0;
	for (const item of items) sum += item.price;
	return sum;
}
`;
const CHANGED = `export function total(items: Item[]) {
⇥let sum = 0;
⇥for (const item of items) s‹→um› += item.price;
⇥return s‹→um›;
}
`;

describe.each(MODELS)("An answer of %s", (_, format, before, behind) => {
	test.each([
		["writes the lines as they will be", SCENE, NEW, CHANGED],
		["may lack the line end at its end", SCENE, NEW.trimEnd(), CHANGED],
		["may have a line end too many", SCENE, `${NEW}\n`, CHANGED],
		["may change nothing", SCENE, NEW.replace("sum +=", "s +=").replace("return sum", "return s"), "no-edit"],
		["writes into an empty file", "▮", "next();\n", "‹→next();›"],
		["writes into an empty file without a line end", "▮", "next();", "‹→next();›"],
		["writes at the end of a file", "one();\n▮", "one();\nnext();\n", "one();\n‹→next();\n›"],
		["writes on an empty line at the end of a file", "one();\n\n▮", "one();\n\nnext();\n", "one();\n\n‹→next();\n›"],
		["writes there without a line end", "one();\n\n▮", "one();\n\nnext();", "one();\n\n‹→next();\n›"],
		["writes on one of several empty lines", "one();\n▮\n\n", "one();\nnext();\n", "one();\n‹→next();›\n\n"],
		["changes the last line before empty ones", "one(▮);\n\n\n", "one(1);\n", "one(‹→1›);\n\n\n"],
		["writes a line above the last before empty ones", "one(▮);\n\n\n", "new();\none();\n", "‹→new();\n›one();\n\n\n"],
		["leaves blanks at the end of a file", "one();\n⇥▮", "one();\n\n", "no-edit"],
		["has blanks at the ends of its lines", SCENE, NEW.replace(/;\n/g, ";  \n"), CHANGED],
		["writes a line after the last", "one();▮", "one();\nnext();\n", "one();‹→\nnext();›"],
		[
			"gets the line ends of the file",
			"one();␍\ntwo(▮);␍\n",
			"one();\ntwo(2);\nnew();\n",
			"one();␍\ntwo(‹→2);␍\nnew(›);␍\n",
		],
		[
			"gets the line ends of a file that ends without one",
			"one();␍\ntwo(▮);␍\nsix();",
			"one();\ntwo(2);\nnew();\nsix();\n",
			"one();␍\ntwo(‹→2);␍\nnew(›);␍\nsix();",
		],
		[
			"gets the line ends of the file in two places",
			"one(▮);␍\ntwo();␍\n",
			"one(1);\ntwo();\nnew();\n",
			"one(‹→1›);␍\ntwo();␍\n‹→new();␍\n›",
		],
	])("%s", (_, drawn, lines, expected) => {
		const { asked, said } = saying(drawn, lines);
		expect(asked.readAnswer(said + behind)).toBe(expected);
	});

	test.each([
		["one();\ntwo(2);\nsix();\nten(", "one();\ntwo();\nsix();\nten();\nend();"],
		["one();\ntwo(2);\nsix();\nten();\n", "one();\ntwo(‹→2›);\nsix();\nten();\nend();"],
	])("is settled line by line while it comes: %j", (lines, expected) => {
		const { asked, said } = saying("one();\ntwo(▮);\nsix();\nten();\nend();", lines);
		expect(asked.readPartial(said)).toBe(expected);
	});

	test("takes away nothing behind the line in which it was cut off", () => {
		const { asked, said } = saying("one();\ntwo(▮);\nsix();\nten();\nend();", "one();\ntwo(2);\nsi");
		expect(asked.readAnswer(said, "length")).toBe("one();\ntwo(‹→2›);\nsi‹x();→›\nten();\nend(); (cut)");
	});

	/** What the model says to write lines in the place of all that is drawn. */
	function saying(drawn: string, lines: string) {
		const asked = new FormatRequest(format, readPromptInput(drawn));
		// One that is told how its answer begins goes on from there.
		const begun = /\n<\|file_sep\|>updated\/.*\n([\s\S]*)$/.exec(asked.prompt)?.[1] ?? "";
		expect(lines.slice(0, begun.length)).toBe(begun);
		return { asked, said: before + lines.slice(begun.length) };
	}
});
