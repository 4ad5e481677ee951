import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import { editModelRequestOf } from "../formats.js";
import { sweep } from "./sweep.js";

const SCENE = `export function total(items: Item[]) {
⇥let ‹s→sum▮› = 0;
⇥for (const item of items) s += item.price;
⇥return s;
}
`;

test("Sweep's model is given related files, changes, and the lines around the cursor before and after the latest", () => {
	const edits = [readPastEdit("src/item.ts", "export interface Item {\n⇥price: ‹string→number›;\n}\n")];
	const related = [{ path: "src/item.ts", first: 0, last: 2, text: "export interface Item {\n\tprice: number;\n}" }];
	expect(new FormatRequest(sweep, readPromptInput(SCENE, { edits, related })).question.ask).toMatchInlineSnapshot(`
		{
		  "kind": "completion",
		  "prompt": "<|file_sep|>src/item.ts
		export interface Item {
			price: number;
		}
		<|file_sep|>src/item.ts.diff
		original:
		export interface Item {
			price: string;
		}
		updated:
		export interface Item {
			price: number;
		}
		<|file_sep|>src/total.ts.diff
		original:
		export function total(items: Item[]) {
			let s = 0;
			for (const item of items) s += item.price;
			return s;
		}
		updated:
		export function total(items: Item[]) {
			let sum = 0;
			for (const item of items) s += item.price;
			return s;
		}
		<|file_sep|>original/src/total.ts
		export function total(items: Item[]) {
			let s = 0;
			for (const item of items) s += item.price;
			return s;
		}

		<|file_sep|>current/src/total.ts
		export function total(items: Item[]) {
			let sum = 0;
			for (const item of items) s += item.price;
			return s;
		}

		<|file_sep|>updated/src/total.ts
		",
		  "stop": [
		    "<|file_sep|>",
		    "<|endoftext|>",
		  ],
		  "temperature": 0,
		  "tokensMax": 2048,
		}
	`);
});

test("Sweep's model sees twenty-one lines, and their places before an edit that moved them", () => {
	const drawn = Array.from({ length: 60 }, (_, i) => (i === 30 ? "‹→new();\nmore();▮\n›line30" : `line${i}`)).join(
		"\n",
	);
	const { prompt, question } = new FormatRequest(sweep, readPromptInput(drawn));
	const part = (name: string) =>
		new RegExp(`<\\|file_sep\\|>${name}/src/total.ts\n([^<]*)\n<`).exec(prompt)?.[1]?.split("\n");
	expect(part("current")).toEqual(expect.arrayContaining(["line21", "new();", "more();", "line39"]));
	expect(part("current")).toHaveLength(21);
	expect(part("original")).toEqual(Array.from({ length: 19 }, (_, i) => `line${i + 21}`));
	expect(question.window).toMatchObject({ first: 21, last: 41 });
});

test.each([
	["with its end left in", "one(1);\n\n<|file_sep|>updated/src/other.ts\n", "one(‹→1›);\n"],
	["with the end of the text left in", "one(1);\n<|endoftext|>", "one(‹→1›);\n"],
	["that is empty", "", "no-edit"],
	["that ends at once", "<|endoftext|>", "no-edit"],
	["for an empty line", "\n", "no-edit"],
])("an answer of Sweep's model %s", (_, said, expected) => {
	expect(new FormatRequest(sweep, readPromptInput("one(▮);\n")).readAnswer(said)).toBe(expected);
});

test("Sweep's model is told forty lines of a change at most", () => {
	const lines = Array.from({ length: 100 }, (_, i) => `new${i}\n`).join("");
	const { prompt } = new FormatRequest(
		sweep,
		readPromptInput("one▮", { edits: [readPastEdit("src/a.ts", `‹→${lines}›one`)] }),
	);
	expect(prompt).toContain("<|file_sep|>src/a.ts.diff\noriginal:\none\nupdated:\nnew0\n");
	expect(prompt).toContain("new39\n<|file_sep|>original/");
});

test("a text from another state than the latest edit led to is shown as it is", () => {
	const edits = [readPastEdit("src/total.ts", "‹a→b›\n")];
	expect(new FormatRequest(sweep, readPromptInput("c▮", { edits })).prompt).toContain(
		"<|file_sep|>original/src/total.ts\nc\n<|file_sep|>current/src/total.ts\nc\n<|file_sep|>updated/src/total.ts\n",
	);
});

test("Sweep's model is not asked about its own tokens, and is about what other models have for the end", () => {
	const asked = (scene: string) =>
		editModelRequestOf(sweep, readPromptInput(scene), { model: "sweep", windowTokens: undefined });
	expect(asked("split('<|file_sep|>')▮")).toBe("special-token-in-text");
	expect(asked("<p><s>old</s>▮</p>")).toHaveProperty("ask.stop", ["<|file_sep|>", "<|endoftext|>"]);
});
