import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import { editModelRequestOf } from "../formats.js";
import { zeta21 } from "./zeta-2-1.js";

const SCENE = `import { Item } from "./item";

export function count(items: Item[]) {
⇥return items.length;
}

export function total(items: Item[]) {
⇥let ‹s→sum▮› = 0;
⇥for (const item of items) s += item.price;
⇥return s;
}

export const NONE: Item[] = [];
`;

test("the prompt contains a region with marks between its blocks", () => {
	const edits = [readPastEdit("src/item.ts", "export interface Item {\n⇥price: ‹string→number›;\n}\n")];
	expect(new FormatRequest(zeta21, readPromptInput(SCENE, { edits })).question.ask).toMatchInlineSnapshot(`
		{
		  "kind": "completion",
		  "prompt": "<[fim-suffix]>
		<[fim-prefix]><filename>edit_history
		--- a/src/item.ts
		+++ b/src/item.ts
		@@ -1,3 +1,3 @@
		 export interface Item {
		-	price: string;
		+	price: number;
		 }
		--- a/src/total.ts
		+++ b/src/total.ts
		@@ -5,7 +5,7 @@
		 }
		 
		 export function total(items: Item[]) {
		-	let s = 0;
		+	let sum = 0;
		 	for (const item of items) s += item.price;
		 	return s;
		 }

		<filename>src/total.ts
		<|marker_1|>import { Item } from "./item";

		export function count(items: Item[]) {
			return items.length;
		}

		<|marker_2|>export function total(items: Item[]) {
			let sum<|user_cursor|> = 0;
			for (const item of items) s += item.price;
			return s;
		}

		export const NONE: Item[] = [];
		<|marker_3|>
		<[fim-middle]>",
		  "stop": [
		    "<[end▁of▁sentence]>",
		  ],
		  "temperature": 0,
		  "tokensMax": 2048,
		}
	`);
});

/** Returns the region of a scene from its prompt. */
function region(scene: string): string {
	return (
		/<filename>src\/total\.ts\n([\s\S]*)\n<\[fim-middle\]>$/.exec(
			new FormatRequest(zeta21, readPromptInput(scene)).prompt,
		)?.[1] ?? ""
	);
}

/** Returns the lines that follow a mark. */
function marked(lines: readonly string[]): (string | undefined)[] {
	return region(["▮", ...lines].join("\n"))
		.split("\n")
		.flatMap((line) => (line.includes("<|marker_") ? [line.replaceAll(/<\|\w+\|>/g, "")] : []));
}

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line${i};`);

test.each([
	["only at the start and end of a short region", lines(8), ["", "line7;"]],
	["after sixteen lines without an empty line", lines(40), ["", "line15;", "line31;", "line39;"]],
	[
		"after an empty line, at least six lines after the previous mark",
		lines(14).with(3, "").with(6, ""),
		["", "line7;", "line13;"],
	],
	["only where enough lines follow", lines(12).with(6, ""), ["", "line11;"]],
	[
		"at a line that neither closes nor leaves a block",
		lines(20).with(6, "").with(7, "}").with(8, "return;"),
		["", "line9;", "line19;"],
	],
	["at a closing line if no other line is near", [...lines(15), ..."))))))".split("")], ["", ")", ")"]],
])("marks are placed %s", (_, text, expected) => {
	expect(marked(text)).toEqual(expected);
});

test.each([
	["at the first mark", "▮one", "<|marker_1|><|user_cursor|>one<|marker_2|>"],
	["at the last mark", "one▮", "<|marker_1|>one<|user_cursor|><|marker_2|>"],
	["in an empty file", "▮", "<|marker_1|><|user_cursor|><|marker_2|>"],
	["after the last line break", "one\n▮", "<|marker_1|>one\n<|user_cursor|><|marker_2|>"],
])("the cursor is marked %s", (_, scene, expected) => {
	expect(region(scene)).toBe(expected);
});

const SECOND =
	"export function total(items: Item[]) {\n\tlet sum = 0;\n\tfor (const item of items) sum += item.price;\n";
const THIRD = "\treturn sum;\n}\n\nexport const NONE: Item[] = [];\n";
const CHANGED = `import { Item } from "./item";

export function count(items: Item[]) {
⇥return items.length;
}

export function total(items: Item[]) {
⇥let sum = 0;
⇥for (const item of items) s‹→um› += item.price;
⇥return s‹→um›;
}

export const NONE: Item[] = [];
`;
const PART = CHANGED.replace("return s‹→um›", "return s");
const END = "<[end▁of▁sentence]>";

describe("a reply", () => {
	test.each([
		["from one mark to the next", `<|marker_2|>${SECOND}${THIRD}<|marker_3|>`, CHANGED],
		["with an end token", `<|marker_2|>${SECOND}${THIRD}<|marker_3|>${END}more`, CHANGED],
		["with text after the last mark", `<|marker_2|>${SECOND}${THIRD}<|marker_3|>\nmore`, CHANGED],
		["with text before the first mark", `Well: <|marker_2|>${SECOND}${THIRD}<|marker_3|>`, CHANGED],
		["with the cursor mark", `<|marker_2|>${SECOND}<|user_cursor|>${THIRD}<|marker_3|>`, CHANGED],
		["with a line break before the last mark", `<|marker_2|>${SECOND}${THIRD}\n<|marker_3|>`, CHANGED],
		["with other marks in between", `<|marker_2|>${SECOND}<|marker_2|>${THIRD}<|marker_3|>`, CHANGED],
		["with an unknown mark in between", `<|marker_2|>${SECOND}<|marker_9|>${THIRD}<|marker_3|>`, CHANGED],
		["with one mark twice", "<|marker_2|><|marker_2|>", "no-edit"],
		[
			"that changes nothing",
			`<|marker_2|>${SECOND}${THIRD}<|marker_3|>`.replaceAll("sum +", "s +").replace("return sum", "return s"),
			"no-edit",
		],
		["without marks", SECOND, "unreadable-answer"],
		["with one mark", `<|marker_2|>${SECOND}`, "unreadable-answer"],
		["with marks in the wrong order", `<|marker_2|>${SECOND}<|marker_1|>`, "unreadable-answer"],
		["that starts with an unknown mark", `<|marker_4|>${SECOND}<|marker_5|>`, "unreadable-answer"],
		["without a number in its marks", `<|marker_x|>${SECOND}<|marker_y|>`, "unreadable-answer"],
		["that is empty", "", "unreadable-answer"],
	])("%s", (_, reply, expected) => {
		expect(new FormatRequest(zeta21, readPromptInput(SCENE)).readAnswer(reply)).toBe(expected);
	});

	test("that is truncated deletes nothing after its end", () => {
		const request = new FormatRequest(zeta21, readPromptInput(SCENE));
		const cut = PART.replace("return s;", "ret‹urn s;→›");
		expect(request.readAnswer(`<|marker_2|>${SECOND}\tret`, "length")).toBe(`${cut} (cut)`);
	});

	test("with a missing or wrong end keeps its final hunks", () => {
		const request = new FormatRequest(zeta21, readPromptInput("one(▮);\ntwo();\nsix();\nten();"));
		const settled = "one(‹→1›);\ntwo();\nsix();\nten();";
		expect(request.readAnswer("<|marker_1|>one(1);\ntwo();\nsix();\nte")).toBe(settled);
		expect(request.readAnswer("<|marker_1|>one(1);\ntwo();\nsix();\nte<|marker_1|>")).toBe(settled);
	});
});

test("text with conflict markers is sent, but text with the format's marks is not", () => {
	const requestFor = (scene: string) =>
		editModelRequestOf(zeta21, readPromptInput(scene), { model: "zeta", windowTokens: undefined });
	expect(requestFor("one();▮\n=======\ntwo();\n")).toHaveProperty("ask.stop", [END]);
	expect(requestFor("one(▮'<|marker_1');")).toBe("special-token-in-text");
});
