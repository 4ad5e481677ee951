import { FormatRequest, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import type { Format } from "./format.js";
import { sweep } from "./formats/sweep.js";
import { sweepV2 } from "./formats/sweep-v2.js";
import { zeta1 } from "./formats/zeta-1.js";
import { zeta2 } from "./formats/zeta-2.js";
import { zeta21 } from "./formats/zeta-2-1.js";

/** Formats that replace lines, and the text that surrounds the lines in their replies. */
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

describe.each(MODELS)("A reply from %s", (_, format, before, behind) => {
	test.each([
		["contains the new lines", SCENE, NEW, CHANGED],
		["can lack the final line break", SCENE, NEW.trimEnd(), CHANGED],
		["can have an extra line break", SCENE, `${NEW}\n`, CHANGED],
		["can leave the text unchanged", SCENE, NEW.replace("sum +=", "s +=").replace("return sum", "return s"), "no-edit"],
		["writes into an empty file", "▮", "next();\n", "‹→next();›"],
		["writes into an empty file without a line break", "▮", "next();", "‹→next();›"],
		["writes at the end of a file", "one();\n▮", "one();\nnext();\n", "one();\n‹→next();\n›"],
		["writes on an empty line at the end of a file", "one();\n\n▮", "one();\n\nnext();\n", "one();\n\n‹→next();\n›"],
		["writes on an empty last line without a line break", "one();\n\n▮", "one();\n\nnext();", "one();\n\n‹→next();\n›"],
		["writes on one of several empty lines", "one();\n▮\n\n", "one();\nnext();\n", "one();\n‹→next();›\n\n"],
		["changes the last line before empty lines", "one(▮);\n\n\n", "one(1);\n", "one(‹→1›);\n\n\n"],
		[
			"writes a line above the last line before empty lines",
			"one(▮);\n\n\n",
			"new();\none();\n",
			"‹→new();\n›one();\n\n\n",
		],
		["keeps whitespace at the end of a file", "one();\n⇥▮", "one();\n\n", "no-edit"],
		["can have trailing whitespace", SCENE, NEW.replace(/;\n/g, ";  \n"), CHANGED],
		["writes a line after the last line", "one();▮", "one();\nnext();\n", "one();‹→\nnext();›"],
		[
			"gets the file's line breaks",
			"one();␍\ntwo(▮);␍\n",
			"one();\ntwo(2);\nnew();\n",
			"one();␍\ntwo(‹→2);␍\nnew(›);␍\n",
		],
		[
			"gets the line breaks of a file without a final line break",
			"one();␍\ntwo(▮);␍\nsix();",
			"one();\ntwo(2);\nnew();\nsix();\n",
			"one();␍\ntwo(‹→2);␍\nnew(›);␍\nsix();",
		],
		[
			"gets the file's line breaks in two places",
			"one(▮);␍\ntwo();␍\n",
			"one(1);\ntwo();\nnew();\n",
			"one(‹→1›);␍\ntwo();␍\n‹→new();␍\n›",
		],
	])("%s", (_, drawn, lines, expected) => {
		const { request, reply } = replyWith(drawn, lines);
		expect(request.readAnswer(reply + behind)).toBe(expected);
	});

	test.each([
		["one();\ntwo(2);\nsix();\nten(", "one();\ntwo();\nsix();\nten();\nend();"],
		["one();\ntwo(2);\nsix();\nten();\n", "one();\ntwo(‹→2›);\nsix();\nten();\nend();"],
	])("becomes final line by line: %j", (lines, expected) => {
		const { request, reply } = replyWith("one();\ntwo(▮);\nsix();\nten();\nend();", lines);
		expect(request.readPartial(reply)).toBe(expected);
	});

	test("deletes nothing after the line in which it was truncated", () => {
		const { request, reply } = replyWith("one();\ntwo(▮);\nsix();\nten();\nend();", "one();\ntwo(2);\nsi");
		expect(request.readAnswer(reply, "length")).toBe("one();\ntwo(‹→2›);\nsi‹x();→›\nten();\nend(); (cut)");
	});

	/** Creates the reply that replaces the whole drawn text with these lines. */
	function replyWith(drawn: string, lines: string) {
		const request = new FormatRequest(format, readPromptInput(drawn));
		// The prompt may contain the start of the reply.
		const given = /\n<\|file_sep\|>updated\/.*\n([\s\S]*)$/.exec(request.prompt)?.[1] ?? "";
		expect(lines.slice(0, given.length)).toBe(given);
		return { request, reply: before + lines.slice(given.length) };
	}
});
