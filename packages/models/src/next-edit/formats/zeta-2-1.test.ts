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

test("Zeta 2.1 is given a region with marks between its blocks", () => {
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

/** The region of a scene as Zeta 2.1 sees it. */
function region(scene: string): string {
	return (
		/<filename>src\/total\.ts\n([\s\S]*)\n<\[fim-middle\]>$/.exec(
			new FormatRequest(zeta21, readPromptInput(scene)).prompt,
		)?.[1] ?? ""
	);
}

/** The lines before which there is a mark. */
function marked(lines: readonly string[]): (string | undefined)[] {
	return region(["▮", ...lines].join("\n"))
		.split("\n")
		.flatMap((line) => (line.includes("<|marker_") ? [line.replaceAll(/<\|\w+\|>/g, "")] : []));
}

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line${i};`);

test.each([
	["only around a short region", lines(8), ["", "line7;"]],
	["after sixteen lines without an empty one", lines(40), ["", "line15;", "line31;", "line39;"]],
	["after an empty line, six lines from the last", lines(14).with(3, "").with(6, ""), ["", "line7;", "line13;"]],
	["not where too few lines would follow", lines(12).with(6, ""), ["", "line11;"]],
	["at a line that ends nothing", lines(20).with(6, "").with(7, "}").with(8, "return;"), ["", "line9;", "line19;"]],
	["at an end where nothing else is near", [...lines(15), ..."))))))".split("")], ["", ")", ")"]],
])("Zeta 2.1 has marks %s", (_, text, expected) => {
	expect(marked(text)).toEqual(expected);
});

test.each([
	["at the first mark", "▮one", "<|marker_1|><|user_cursor|>one<|marker_2|>"],
	["at the last mark", "one▮", "<|marker_1|>one<|user_cursor|><|marker_2|>"],
	["in nothing", "▮", "<|marker_1|><|user_cursor|><|marker_2|>"],
	["after a last line end", "one\n▮", "<|marker_1|>one\n<|user_cursor|><|marker_2|>"],
])("Zeta 2.1 is shown a cursor %s", (_, scene, expected) => {
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

describe("an answer of Zeta 2.1", () => {
	test.each([
		["from one mark to the next", `<|marker_2|>${SECOND}${THIRD}<|marker_3|>`, CHANGED],
		["with its end left in", `<|marker_2|>${SECOND}${THIRD}<|marker_3|>${END}more`, CHANGED],
		["with something after the last mark of all", `<|marker_2|>${SECOND}${THIRD}<|marker_3|>\nmore`, CHANGED],
		["with something before the first", `Well: <|marker_2|>${SECOND}${THIRD}<|marker_3|>`, CHANGED],
		["with the cursor in it", `<|marker_2|>${SECOND}<|user_cursor|>${THIRD}<|marker_3|>`, CHANGED],
		["with a line end before the last mark", `<|marker_2|>${SECOND}${THIRD}\n<|marker_3|>`, CHANGED],
		["with other marks in it", `<|marker_2|>${SECOND}<|marker_2|>${THIRD}<|marker_3|>`, CHANGED],
		["with a number that is none", `<|marker_2|>${SECOND}<|marker_9|>${THIRD}<|marker_3|>`, CHANGED],
		["that names one mark twice", "<|marker_2|><|marker_2|>", "no-edit"],
		[
			"that changes nothing",
			`<|marker_2|>${SECOND}${THIRD}<|marker_3|>`.replaceAll("sum +", "s +").replace("return sum", "return s"),
			"no-edit",
		],
		["without marks", SECOND, "unreadable-answer"],
		["with one mark", `<|marker_2|>${SECOND}`, "unreadable-answer"],
		["with marks in the wrong order", `<|marker_2|>${SECOND}<|marker_1|>`, "unreadable-answer"],
		["that begins with a mark that is not there", `<|marker_4|>${SECOND}<|marker_5|>`, "unreadable-answer"],
		["that begins with no number", `<|marker_x|>${SECOND}<|marker_y|>`, "unreadable-answer"],
		["that is empty", "", "unreadable-answer"],
	])("%s", (_, said, expected) => {
		expect(new FormatRequest(zeta21, readPromptInput(SCENE)).readAnswer(said)).toBe(expected);
	});

	test("that was cut off has what was said by then, and takes nothing else away", () => {
		const asked = new FormatRequest(zeta21, readPromptInput(SCENE));
		const cut = PART.replace("return s;", "ret‹urn s;→›");
		expect(asked.readAnswer(`<|marker_2|>${SECOND}\tret`, "length")).toBe(`${cut} (cut)`);
	});

	test("stays as far as it was settled where it is never closed, or closed wrongly", () => {
		const asked = new FormatRequest(zeta21, readPromptInput("one(▮);\ntwo();\nsix();\nten();"));
		const settled = "one(‹→1›);\ntwo();\nsix();\nten();";
		expect(asked.readAnswer("<|marker_1|>one(1);\ntwo();\nsix();\nte")).toBe(settled);
		expect(asked.readAnswer("<|marker_1|>one(1);\ntwo();\nsix();\nte<|marker_1|>")).toBe(settled);
	});
});

test("Zeta 2.1 may be asked about a conflict, but not about marks", () => {
	const asked = (scene: string) =>
		editModelRequestOf(zeta21, readPromptInput(scene), { model: "zeta", windowTokens: undefined });
	expect(asked("one();▮\n=======\ntwo();\n")).toHaveProperty("ask.stop", [END]);
	expect(asked("one(▮'<|marker_1');")).toBe("special-token-in-text");
});
