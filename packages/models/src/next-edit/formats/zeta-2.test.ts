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

test("the prompt contains the suffix, related files, edits, and one side of a conflict", () => {
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

test("the prompt contains lines around the region of a long file", () => {
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

describe("a reply", () => {
	test.each([
		["with its end mark", `${NEW}>>>>>>> UPDATED\nand more`, CHANGED],
		["with the cursor mark", NEW.replace("1", "1<|user_cursor|>"), CHANGED],
		["with an end token", `${NEW}<[end▁of▁sentence]>`, CHANGED],
		["that says no edit", "NO_EDITS\n", "no-edit"],
		["that says no edit and continues", `NO_EDITS\n>>>>>>> UPDATED\n${NEW}`, "no-edit"],
		["that starts with KEEP_PREVIOUS", `KEEP_PREVIOUS\n${NEW}`, "no-edit"],
		["that ends with KEEP_PREVIOUS", `${NEW}KEEP_PREVIOUS\n`, CHANGED],
		["with KEEP_PREVIOUS on its last line", `${NEW.trimEnd()}KEEP_PREVIOUS`, CHANGED],
		["with KEEP_PREVIOUS for the rest", "one(1);\nKEEP_PREVIOUS\n", "one(‹→1›);\ntwo();\n (cut)"],
		["that is empty", "\n", "no-edit"],
	])("%s", (_, reply, expected) => {
		expect(new FormatRequest(zeta2, readPromptInput("one(▮);\ntwo();\n")).readAnswer(reply)).toBe(expected);
	});

	test("can contain NO_EDITS as code if the file does", () => {
		expect(new FormatRequest(zeta2, readPromptInput("NO_EDITS\nlog(▮)")).readAnswer("NO_EDITS\nlog(1)\n")).toBe(
			"NO_EDITS\nlog(‹→1›)",
		);
	});

	test("that says no edit is final once its line is complete", () => {
		const request = new FormatRequest(zeta2, readPromptInput("one(▮);\ntwo();\n"));
		expect(request.readPartial("NO_EDITS")).toBe("one();\ntwo();\n");
		expect(request.readPartial("NO_EDITS\n")).toBe("no-edit");
	});
});

test("related snippets exclude lines already shown", () => {
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
	["a conflict with CR LF", "one();␍\n<<<<<<< HEAD␍\n=======␍\ntwo();▮␍\n>>>>>>> theirs␍\n"],
	["its end mark", "one();▮\n>>>>>>> UPDATED\n"],
	["one of its tokens", 'usage("cut <filename>");▮'],
])("text with %s is not sent", (_, scene) => {
	expect(editModelRequestOf(zeta2, readPromptInput(scene), { model: "zeta-2", windowTokens: undefined })).toBe(
		"special-token-in-text",
	);
});

test.each([
	["that only ends like a separator", "// ==========\n// =======\none();▮"],
	["under a heading", "Example\n=======\n\nIt counts ▮words.\n"],
])("text with a line %s is sent", (_, scene) => {
	const question = editModelRequestOf(zeta2, readPromptInput(scene), { model: "zeta-2", windowTokens: undefined });
	expect(question).toHaveProperty("ask.kind", "completion");
});

test("a reply keeps an underlined heading", () => {
	const request = new FormatRequest(
		zeta2,
		readPromptInput("Example\n=======\n\nIt counts ▮.\n", { path: "README.md" }),
	);
	expect(request.readAnswer("Example\n=======\n\nIt counts words.\n>>>>>>> UPDATED\n")).toBe(
		"Example\n=======\n\nIt counts ‹→words›.\n",
	);
});

test("accepted suggestions are marked in the history", () => {
	const edit = readPastEdit("src/a.ts", "‹a→b›\n");
	const accepted = { ...edit, event: { ...edit.event, isAccepted: true } };
	expect(new FormatRequest(zeta2, readPromptInput("one▮", { edits: [accepted] })).prompt).toContain(
		"<filename>edit_history\n// User accepted prediction:\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,1 +1,1 @@\n-a\n+b\n\n",
	);
});

test.each<[what: string, related: readonly CodeSnippet[], shown: string]>([
	[
		"completely",
		[{ path: "a.ts", first: 0, last: 2, lineCount: 3, text: "one\ntwo\n" }],
		"<filename>a.ts\none\ntwo\n\n",
	],
	[
		"completely, without a final line break",
		[{ path: "a.ts", first: 0, last: 1, lineCount: 2, text: "one\ntwo" }],
		"<filename>a.ts\none\ntwo\n\n",
	],
	[
		"with its first lines",
		[{ path: "a.ts", first: 0, last: 1, lineCount: 9, text: "one\ntwo" }],
		"<filename>a.ts\none\ntwo\n...\n\n",
	],
	[
		"with its last lines",
		[{ path: "a.ts", first: 7, last: 8, lineCount: 9, text: "one\ntwo" }],
		"<filename>a.ts\none\ntwo\n\n",
	],
	[
		"of unknown length with its first lines",
		[{ path: "a.ts", first: 0, last: 0, text: "one" }],
		"<filename>a.ts\none\n\n",
	],
	[
		"of unknown length with later lines",
		[{ path: "a.ts", first: 1, last: 1, text: "one" }],
		"<filename>a.ts\none\n...\n\n",
	],
	["without lines", [{ path: "a.ts", first: 0, last: 0, lineCount: 1, text: "" }], "<filename>a.ts\n\n"],
	[
		"with two adjacent parts",
		[
			{ path: "a.ts", first: 3, last: 4, lineCount: 5, text: "three\n" },
			{ path: "a.ts", first: 1, last: 2, lineCount: 5, text: "one\ntwo" },
		],
		"<filename>a.ts\none\ntwo\n...\nthree\n\n",
	],
])("a related file is shown %s", (_, related, shown) => {
	const { prompt } = new FormatRequest(zeta2, readPromptInput("one▮", { related }));
	expect(prompt.slice(0, prompt.indexOf("<filename>src/total.ts"))).toBe(`<[fim-suffix]>\n<[fim-prefix]>${shown}`);
});

test("a renamed file is shown with both names", () => {
	const edit = { ...readPastEdit("src/b.ts", "‹a→b›\n"), oldPath: "src/a.ts" };
	expect(new FormatRequest(zeta2, readPromptInput("one▮", { edits: [edit] })).prompt).toContain(
		"\n--- a/src/a.ts\n+++ b/src/b.ts\n@@",
	);
});

test.each([
	["fills an empty file", "‹→a\n›", "@@ -1,0 +1,1 @@\n+a\n"],
	["empties a file", "‹a\nb\n→›", "@@ -1,2 +1,0 @@\n-a\n-b\n"],
	["changes the only line", "‹a→b›", "@@ -1,1 +1,1 @@\n-a\n+b\n"],
	["has CR LF", "a␍\n‹b→c›␍\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"],
	["looks like a hunk header", "‹@@ -1 +1 @@→b›\n", "@@ -1,1 +1,1 @@\n-@@ -1 +1 @@\n+b\n"],
])("hunk headers are the same as Zed's for an edit that %s", (_, drawn, diff) => {
	const edits = [readPastEdit("a.ts", drawn)];
	expect(new FormatRequest(zeta2, readPromptInput("one▮", { edits })).prompt).toContain(
		`+++ b/a.ts\n${diff}\n<filename>`,
	);
});
