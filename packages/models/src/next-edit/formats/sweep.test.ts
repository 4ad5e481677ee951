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

test("the prompt contains related files, changes, and the lines around the cursor before and after the latest edit", () => {
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

test("the prompt contains 21 lines, and their earlier version if an edit moved them", () => {
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
	["with an end token", "one(1);\n\n<|file_sep|>updated/src/other.ts\n", "one(‹→1›);\n"],
	["with an end-of-text token", "one(1);\n<|endoftext|>", "one(‹→1›);\n"],
	["that is empty", "", "no-edit"],
	["with only an end token", "<|endoftext|>", "no-edit"],
	["with only a line break", "\n", "no-edit"],
])("reads a reply %s", (_, reply, expected) => {
	expect(new FormatRequest(sweep, readPromptInput("one(▮);\n")).readAnswer(reply)).toBe(expected);
});

test("a change has at most forty lines", () => {
	const lines = Array.from({ length: 100 }, (_, i) => `new${i}\n`).join("");
	const { prompt } = new FormatRequest(
		sweep,
		readPromptInput("one▮", { edits: [readPastEdit("src/a.ts", `‹→${lines}›one`)] }),
	);
	expect(prompt).toContain("<|file_sep|>src/a.ts.diff\noriginal:\none\nupdated:\nnew0\n");
	expect(prompt).toContain("new39\n<|file_sep|>original/");
});

test("the original code is the current code if the latest edit did not produce the current text", () => {
	const edits = [readPastEdit("src/total.ts", "‹a→b›\n")];
	expect(new FormatRequest(sweep, readPromptInput("c▮", { edits })).prompt).toContain(
		"<|file_sep|>original/src/total.ts\nc\n<|file_sep|>current/src/total.ts\nc\n<|file_sep|>updated/src/total.ts\n",
	);
});

test("text that contains the model's tokens is not sent, but text with other models' tokens is", () => {
	const requestFor = (scene: string) =>
		editModelRequestOf(sweep, readPromptInput(scene), { model: "sweep", windowTokens: undefined });
	expect(requestFor("split('<|file_sep|>')▮")).toBe("special-token-in-text");
	expect(requestFor("<p><s>old</s>▮</p>")).toHaveProperty("ask.stop", ["<|file_sep|>", "<|endoftext|>"]);
});
