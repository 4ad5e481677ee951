import { Asked, readBrief, readPastEdit } from "@segue/testing";
import { expect, test } from "vitest";
import { questionOf } from "../format.js";
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
	expect(new Asked(sweep, readBrief(SCENE, { edits, related })).question.ask).toMatchInlineSnapshot(`
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
	const { prompt, question } = new Asked(sweep, readBrief(drawn));
	const part = (name: string) =>
		new RegExp(`<\\|file_sep\\|>${name}/src/total.ts\n([^<]*)\n<`).exec(prompt)?.[1]?.split("\n");
	expect(part("current")).toEqual(expect.arrayContaining(["line21", "new();", "more();", "line39"]));
	expect(part("current")).toHaveLength(21);
	expect(part("original")).toEqual(Array.from({ length: 19 }, (_, i) => `line${i + 21}`));
	expect(question.window).toMatchObject({ first: 21, last: 41 });
});

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

test.each([
	["as it is", `${NEW}\n`, CHANGED],
	["without the line ends at its end", NEW.trimEnd(), CHANGED],
	["with its end left in", `${NEW}\n<|file_sep|>updated/src/other.ts\n`, CHANGED],
	["with the end of the text left in", `${NEW}<|endoftext|>`, CHANGED],
	["that changes nothing", NEW.replace("sum +=", "s +=").replace("return sum", "return s"), "no-edit"],
	["that is empty", "", "no-edit"],
	["that ends at once", "<|endoftext|>", "no-edit"],
	["for an empty line", "\n", "no-edit"],
])("an answer of Sweep's model %s", (_, said, expected) => {
	expect(new Asked(sweep, readBrief(SCENE)).answered(said)).toBe(expected);
});

test.each([
	["into an empty file", "▮", "next();\n", "‹→next();›"],
	["at the end of a file", "one();\n▮", "one();\nnext();\n", "one();\n‹→next();\n›"],
	[
		"with the line ends of the file",
		"one();␍\ntwo(▮);␍\n",
		"one(1);\ntwo();\nnew();\n",
		"one(‹→1›);␍\ntwo();␍\n‹→new();␍\n›",
	],
])("Sweep's model writes %s", (_, scene, said, expected) => {
	expect(new Asked(sweep, readBrief(scene)).answered(said)).toBe(expected);
});

test("Sweep's model is told the newest changes before other files, and the most useful of those", () => {
	const edits = Array.from({ length: 5 }, (_, i) => readPastEdit(`edit${i}`, `${"x".repeat(600)}\n‹→y\n›z`));
	const related = ["r0", "r1", "r2"].map((path) => ({ path, first: 9, last: 9, text: "r".repeat(9000) }));
	const told = (windowTokens?: number) => {
		const { prompt } = new Asked(sweep, readBrief("one▮", { edits, related }), windowTokens);
		return Array.from(prompt.matchAll(/<\|file_sep\|>(edit\d|r\d)/g), ([, path]) => path);
	};
	expect(told()).toEqual(["r0", "r1", "edit2", "edit3", "edit4"]);
	expect(told(1200)).toEqual(["edit3", "edit4"]);
	expect(told(60)).toEqual([]);
	expect(() => told(30)).toThrow("no question");
});

test("Sweep's model is told forty lines of a change at most", () => {
	const lines = Array.from({ length: 100 }, (_, i) => `new${i}\n`).join("");
	const { prompt } = new Asked(sweep, readBrief("one▮", { edits: [readPastEdit("src/a.ts", `‹→${lines}›one`)] }));
	expect(prompt).toContain("<|file_sep|>src/a.ts.diff\noriginal:\none\nupdated:\nnew0\n");
	expect(prompt).toContain("new39\n<|file_sep|>original/");
});

test("the prompt of Sweep's model begins alike after one more letter", () => {
	const related = [{ path: "src/item.ts", first: 0, last: 0, text: "export interface Item {}" }];
	const one = new Asked(sweep, readBrief(SCENE, { related })).prompt;
	const two = new Asked(sweep, readBrief(SCENE.replace("sum▮", "sums▮"), { related })).prompt;
	const at = [...one].findIndex((char, i) => char !== two[i]);
	expect(one.slice(0, at).split("\n").at(-1)).toBe("\tlet sum");
});

test("a text from another state than the latest edit led to is shown as it is", () => {
	const edits = [readPastEdit("src/total.ts", "‹a→b›\n")];
	expect(new Asked(sweep, readBrief("c▮", { edits })).prompt).toContain(
		"<|file_sep|>original/src/total.ts\nc\n<|file_sep|>current/src/total.ts\nc\n<|file_sep|>updated/src/total.ts\n",
	);
});

test("Sweep's model is not asked about its own tokens, and is about what other models have for the end", () => {
	const asked = (scene: string) => questionOf(sweep, readBrief(scene), { model: "sweep", windowTokens: undefined });
	expect(asked("split('<|file_sep|>')▮")).toBe("special-token-in-text");
	expect(asked("<p><s>old</s>▮</p>")).toHaveProperty("ask.stop", ["<|file_sep|>", "<|endoftext|>"]);
});
