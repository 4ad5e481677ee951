import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import type { CodeSnippet } from "../format.js";
import { editModelRequestOf } from "../formats.js";
import { zeta2 } from "./zeta-2.js";

const SCENE = `export function total(items: Item[]) {
⇥let ‹s→sum▮› = 0;
⇥for (const item of items) s += item.price;
⇥return s;
}
`;

test("Zeta 2 is given what follows, related files, what the user did, and one side of a conflict", () => {
	const edits = [readPastEdit("src/item.ts", "export interface Item {\n⇥price: ‹string→number›;\n}\n")];
	const related = [
		{ path: "src/item.ts", first: 0, last: 2, text: "export interface Item {\n\tprice: number;\n}" },
		{ path: "src/basket.ts", first: 40, last: 41, text: "// Sums up.\ntotal(items);" },
		{ path: "src/basket.ts", first: 3, last: 3, text: "const items = [];" },
	];
	expect(new FormatRequest(zeta2, readPromptInput(SCENE, { edits, related })).question.ask).toMatchInlineSnapshot(`
		{
		  "kind": "completion",
		  "prompt": "<[fim-suffix]>
		<[fim-prefix]><filename>src/item.ts
		export interface Item {
			price: number;
		}
		<filename>src/basket.ts
		const items = [];
		...
		// Sums up.
		total(items);
		...

		<filename>edit_history
		--- a/src/item.ts
		+++ b/src/item.ts
		@@ -1,3 +1,3 @@
		 export interface Item {
		-	price: string;
		+	price: number;
		 }
		--- a/src/total.ts
		+++ b/src/total.ts
		@@ -1,5 +1,5 @@
		 export function total(items: Item[]) {
		-	let s = 0;
		+	let sum = 0;
		 	for (const item of items) s += item.price;
		 	return s;
		 }

		<filename>src/total.ts
		<<<<<<< CURRENT
		export function total(items: Item[]) {
			let sum<|user_cursor|> = 0;
			for (const item of items) s += item.price;
			return s;
		}
		=======
		<[fim-middle]>",
		  "stop": [
		    ">>>>>>> UPDATED",
		  ],
		  "temperature": 0,
		  "tokensMax": 2048,
		}
	`);
});

test("Zeta 2 is told around a region in a long file what is before and after it", () => {
	const lines = Array.from({ length: 200 }, (_, i) => `const line${i} = ${i};`);
	const { prompt } = new FormatRequest(zeta2, readPromptInput(lines.with(100, "let ▮").join("\n")));
	const [, after, path, before, region] =
		/^<\[fim-suffix\]>\n([^<]*)\n<\[fim-prefix\]><filename>(.*)\n([^<]*)\n<<<<<<< CURRENT\n([\s\S]*)\n=======\n<\[fim-middle\]>$/.exec(
			prompt,
		) ?? [];
	expect(path).toBe("src/total.ts");
	const shown = [before, region, after].map((part) => part?.split("\n"));
	expect(shown.flat()).toEqual(lines.with(100, "let <|user_cursor|>").slice(58, 142));
	expect(shown.map((part) => part?.length)).toEqual([13, 59, 12]);
});

const NEW = "one(1);\ntwo();\n";
const CHANGED = "one(‹→1›);\ntwo();\n";

describe("an answer of Zeta 2", () => {
	test.each([
		["with its end left in", `${NEW}>>>>>>> UPDATED\nand more`, CHANGED],
		["with the cursor in it", NEW.replace("1", "1<|user_cursor|>"), CHANGED],
		["with the end of a sentence", `${NEW}<[end▁of▁sentence]>`, CHANGED],
		["that says so when there is nothing to do", "NO_EDITS\n", "no-edit"],
		["that says so and goes on", `NO_EDITS\n>>>>>>> UPDATED\n${NEW}`, "no-edit"],
		["that leaks another word for it", `KEEP_PREVIOUS\n${NEW}`, "no-edit"],
		["that leaks it at the end", `${NEW}KEEP_PREVIOUS\n`, CHANGED],
		["that leaks it behind a line", `${NEW.trimEnd()}KEEP_PREVIOUS`, CHANGED],
		["that leaks it for what it does not write", "one(1);\nKEEP_PREVIOUS\n", "one(‹→1›);\ntwo();\n (cut)"],
		["that is empty", "\n", "no-edit"],
	])("%s", (_, said, expected) => {
		expect(new FormatRequest(zeta2, readPromptInput("one(▮);\ntwo();\n")).readAnswer(said)).toBe(expected);
	});

	test("may be the word for nothing where the file has it", () => {
		expect(new FormatRequest(zeta2, readPromptInput("NO_EDITS\nlog(▮)")).readAnswer("NO_EDITS\nlog(1)\n")).toBe(
			"NO_EDITS\nlog(‹→1›)",
		);
	});

	test("that there is nothing to do is settled with the line that says so", () => {
		const asked = new FormatRequest(zeta2, readPromptInput("one(▮);\ntwo();\n"));
		expect(asked.readPartial("NO_EDITS")).toBe("one();\ntwo();\n");
		expect(asked.readPartial("NO_EDITS\n")).toBe("no-edit");
	});
});

test("Zeta 2 is not shown as related what it sees of the file anyway", () => {
	const related = [
		{ path: "src/total.ts", first: 1, last: 2, text: "seen" },
		{ path: "src/total.ts", first: 900, last: 901, text: "further down" },
	];
	const recent = [{ path: "src/total.ts", first: 901, last: 902, text: "twice" }];
	const { prompt } = new FormatRequest(zeta2, readPromptInput(SCENE, { related, recent }));
	expect(prompt).toContain("<[fim-prefix]><filename>src/total.ts\nfurther down\n...\n\n<filename>edit_history\n");
	expect(prompt).not.toMatch(/seen|twice/);
});

test.each([
	["a conflict", "one();\n<<<<<<< HEAD\ntwo();▮\n=======\nsix();\n>>>>>>> theirs\n"],
	["a conflict with other line ends", "one();␍\n<<<<<<< HEAD␍\n=======␍\ntwo();▮␍\n>>>>>>> theirs␍\n"],
	["what would end its answer", "one();▮\n>>>>>>> UPDATED\n"],
	["one of its tokens", 'usage("cut <filename>");▮'],
])("Zeta 2 is not asked about a text with %s", (_, scene) => {
	expect(editModelRequestOf(zeta2, readPromptInput(scene), { model: "zeta-2", windowTokens: undefined })).toBe(
		"special-token-in-text",
	);
});

test.each([
	["that only ends like a conflict's", "// ==========\n// =======\none();▮"],
	["under a heading", "Example\n=======\n\nIt counts ▮words.\n"],
])("Zeta 2 is asked about a text with a line %s", (_, scene) => {
	const question = editModelRequestOf(zeta2, readPromptInput(scene), { model: "zeta-2", windowTokens: undefined });
	expect(question).toHaveProperty("ask.kind", "completion");
});

test("an answer of Zeta 2 keeps a heading and its line", () => {
	const asked = new FormatRequest(zeta2, readPromptInput("Example\n=======\n\nIt counts ▮.\n", { path: "README.md" }));
	expect(asked.readAnswer("Example\n=======\n\nIt counts words.\n>>>>>>> UPDATED\n")).toBe(
		"Example\n=======\n\nIt counts ‹→words›.\n",
	);
});

test("Zeta 2 is told which edits were suggestions", () => {
	const edit = readPastEdit("src/a.ts", "‹a→b›\n");
	const accepted = { ...edit, event: { ...edit.event, isAccepted: true } };
	expect(new FormatRequest(zeta2, readPromptInput("one▮", { edits: [accepted] })).prompt).toContain(
		"<filename>edit_history\n// User accepted prediction:\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,1 +1,1 @@\n-a\n+b\n\n",
	);
});

test.each<[what: string, related: readonly CodeSnippet[], shown: string]>([
	["whole", [{ path: "a.ts", first: 0, last: 2, lineCount: 3, text: "one\ntwo\n" }], "<filename>a.ts\none\ntwo\n\n"],
	[
		"whole, without a last line end",
		[{ path: "a.ts", first: 0, last: 1, lineCount: 2, text: "one\ntwo" }],
		"<filename>a.ts\none\ntwo\n\n",
	],
	[
		"by its first lines",
		[{ path: "a.ts", first: 0, last: 1, lineCount: 9, text: "one\ntwo" }],
		"<filename>a.ts\none\ntwo\n...\n\n",
	],
	[
		"by its last lines",
		[{ path: "a.ts", first: 7, last: 8, lineCount: 9, text: "one\ntwo" }],
		"<filename>a.ts\none\ntwo\n\n",
	],
	[
		"of unknown length by its first lines",
		[{ path: "a.ts", first: 0, last: 0, text: "one" }],
		"<filename>a.ts\none\n\n",
	],
	[
		"of unknown length by later lines",
		[{ path: "a.ts", first: 1, last: 1, text: "one" }],
		"<filename>a.ts\none\n...\n\n",
	],
	["empty", [{ path: "a.ts", first: 0, last: 0, lineCount: 1, text: "" }], "<filename>a.ts\n\n"],
	[
		"by two parts, one right below the other",
		[
			{ path: "a.ts", first: 3, last: 4, lineCount: 5, text: "three\n" },
			{ path: "a.ts", first: 1, last: 2, lineCount: 5, text: "one\ntwo" },
		],
		"<filename>a.ts\none\ntwo\n...\nthree\n\n",
	],
])("Zeta 2 is shown a related file %s", (_, related, shown) => {
	const { prompt } = new FormatRequest(zeta2, readPromptInput("one▮", { related }));
	expect(prompt.slice(0, prompt.indexOf("<filename>src/total.ts"))).toBe(`<[fim-suffix]>\n<[fim-prefix]>${shown}`);
});

test("Zeta 2 is shown a file that was renamed under both names", () => {
	const edit = { ...readPastEdit("src/b.ts", "‹a→b›\n"), oldPath: "src/a.ts" };
	expect(new FormatRequest(zeta2, readPromptInput("one▮", { edits: [edit] })).prompt).toContain(
		"\n--- a/src/a.ts\n+++ b/src/b.ts\n@@",
	);
});

test.each([
	["fills an empty file", "‹→a\n›", "@@ -1,0 +1,1 @@\n+a\n"],
	["empties a file", "‹a\nb\n→›", "@@ -1,2 +1,0 @@\n-a\n-b\n"],
	["changes the only line", "‹a→b›", "@@ -1,1 +1,1 @@\n-a\n+b\n"],
	["has Windows line ends", "a␍\n‹b→c›␍\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"],
	["looks like a head itself", "‹@@ -1 +1 @@→b›\n", "@@ -1,1 +1,1 @@\n-@@ -1 +1 @@\n+b\n"],
])("Zeta 2 is shown line numbers and counts as Zed writes them for an edit that %s", (_, drawn, diff) => {
	const edits = [readPastEdit("a.ts", drawn)];
	expect(new FormatRequest(zeta2, readPromptInput("one▮", { edits })).prompt).toContain(
		`+++ b/a.ts\n${diff}\n<filename>`,
	);
});
