import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import { editModelRequestOf } from "../formats.js";
import { sweepV2 } from "./sweep-v2.js";

const SCENE = `export function total(items: Item[]) {
⇥let ‹s→sum▮› = 0;
⇥for (const item of items) s += item.price;
⇥return s;
}
`;

test("the prompt contains files, changes, numbered lines with the cursor, and the start of the reply", () => {
	const edits = [readPastEdit("src/item.ts", "export interface Item {\n⇥price: ‹string→number›;\n}\n")];
	const related = [{ path: "src/item.ts", first: 0, last: 2, text: "export interface Item {\n\tprice: number;\n}" }];
	const recent = [{ path: "src/basket.ts", first: 3, last: 3, text: "const items = [];" }];
	expect(
		new FormatRequest(sweepV2, readPromptInput(SCENE, { edits, related, recent })).question.ask,
	).toMatchInlineSnapshot(`
		{
		  "kind": "completion",
		  "prompt": "<|file_sep|>src/basket.ts
		const items = [];
		<|file_sep|>src/total.ts
		export function total(items: Item[]) {
			let s = 0;
			for (const item of items) s += item.price;
			return s;
		}

		<|file_sep|>src/item.ts
		export interface Item {
			price: number;
		}

		<|file_sep|>src/item.ts:1:3
		original:
		export interface Item {
			price: string;
		}
		updated:
		export interface Item {
			price: number;
		}
		<|file_sep|>src/total.ts:1:5
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
		<|file_sep|>original/src/total.ts:1:6
		export function total(items: Item[]) {
			let s = 0;
			for (const item of items) s += item.price;
			return s;
		}

		<|file_sep|>current/src/total.ts:1:6
		export function total(items: Item[]) {
			let sum<|cursor|> = 0;
			for (const item of items) s += item.price;
			return s;
		}

		<|file_sep|>updated/src/total.ts:1:6
		export function total(items: Item[]) {
		",
		  "stop": [
		    "<|file_sep|>",
		    "<|endoftext|>",
		  ],
		  "temperature": 0,
		  "tokensMax": 1024,
		}
	`);
});

test("a prompt without context contains only the lines", () => {
	expect(new FormatRequest(sweepV2, readPromptInput("one(▮)")).prompt).toBe(
		[
			"<|file_sep|>src/total.ts",
			"one()",
			"",
			"<|file_sep|>original/src/total.ts:1:1",
			"one()",
			"<|file_sep|>current/src/total.ts:1:1",
			"one(<|cursor|>)",
			"<|file_sep|>updated/src/total.ts:1:1",
			"",
		].join("\n"),
	);
});

/** Returns the start of the reply that the prompt for a scene contains. */
function begun(scene: string): string {
	return (
		/<\|file_sep\|>updated\/.*\n([\s\S]*)$/.exec(new FormatRequest(sweepV2, readPromptInput(scene)).prompt)?.[1] ?? ""
	);
}

test.each([
	["with the lines above the cursor", "one\ntwo\n‹→six▮›ten", "one\ntwo\n"],
	["with nothing if the cursor is on the first line", "one‹→1▮›\ntwo", ""],
	["with only the first line, after an insertion above the cursor", "one\ntw‹→ice›\nsix\nten▮", "one\n"],
	["with the first line and the empty lines after it", "‹→one›\n\n\nsix\nten▮", "one\n\n\n"],
	["with the lines above the cursor, even if text was deleted there", "one\ntw‹ice→›\nsix\nten▮", "one\ntw\nsix\n"],
])("the reply starts %s", (_, scene, expected) => {
	expect(begun(scene)).toBe(expected);
});

test("the reply starts with only the window's first line, after an insertion above the window", () => {
	const lines = Array.from({ length: 30 }, (_, i) => `line${i}`);
	expect(begun(lines.with(0, "‹→line0›").with(29, "line29▮").join("\n"))).toBe("line19\n");
});

test.each([
	["with an end token", "two(2);\n<|endoftext|>", "one();\ntwo(‹→2›);\n"],
	["with the cursor mark", "two(2<|cursor|>);\n", "one();\ntwo(‹→2›);\n"],
	["that is empty", "\n<|file_sep|>", "no-edit"],
])("reads a reply %s", (_, reply, expected) => {
	expect(new FormatRequest(sweepV2, readPromptInput("one();\ntwo(▮);\n")).readAnswer(reply)).toBe(expected);
});

test("text that contains the model's tokens is not sent", () => {
	const requestFor = (scene: string) =>
		editModelRequestOf(sweepV2, readPromptInput(scene), { model: "sweep", windowTokens: undefined });
	expect(requestFor("mark('<|cursor|>')▮")).toBe("special-token-in-text");
});
