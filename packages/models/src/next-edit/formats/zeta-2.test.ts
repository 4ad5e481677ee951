import { Asked, readBrief, readPastEdit } from "@segue/testing";
import { describe, expect, test } from "vitest";
import { questionOf } from "../format.js";
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
	expect(new Asked(zeta2, readBrief(SCENE, { edits, related })).question.ask).toMatchInlineSnapshot(`
		{
		  "kind": "completion",
		  "prompt": "<[fim-suffix]>
		<[fim-prefix]><filename>src/basket.ts
		const items = [];
		...
		// Sums up.
		total(items);
		...
		<filename>src/item.ts
		export interface Item {
			price: number;
		}

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
	const { prompt } = new Asked(zeta2, readBrief(lines.with(100, "let ▮").join("\n")));
	const [, after, path, before, region] =
		/^<\[fim-suffix\]>\n([^<]*)\n<\[fim-prefix\]><filename>(.*)\n([^<]*)\n<<<<<<< CURRENT\n([\s\S]*)\n=======\n<\[fim-middle\]>$/.exec(
			prompt,
		) ?? [];
	expect(path).toBe("src/total.ts");
	const shown = [before, region, after].map((part) => part?.split("\n"));
	expect(shown.flat()).toEqual(lines.with(100, "let <|user_cursor|>").slice(67, 134));
	expect(shown.map((part) => part?.length)).toEqual([10, 47, 10]);
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
const OLD = NEW.replace("sum +=", "s +=").replace("return sum", "return s");

describe("an answer of Zeta 2", () => {
	test.each([
		["where the server stops", NEW, CHANGED],
		["with its end left in", `${NEW}>>>>>>> UPDATED\nand more`, CHANGED],
		["with the cursor in it", NEW.replace("sum;", "sum<|user_cursor|>;"), CHANGED],
		["with the end of a sentence", `${NEW}<[end▁of▁sentence]>`, CHANGED],
		["without the line end at its end", NEW.trimEnd(), CHANGED],
		["with a line end too many", `${NEW}\n`, CHANGED],
		["that says so when there is nothing to do", "NO_EDITS\n", "no-edit"],
		["that says so and goes on", `NO_EDITS\n>>>>>>> UPDATED\n${NEW}`, "no-edit"],
		["that leaks another word for it", `KEEP_PREVIOUS\n${NEW}`, "no-edit"],
		["that changes nothing", OLD, "no-edit"],
		["that is empty", "\n", "no-edit"],
	])("%s", (_, said, expected) => {
		expect(new Asked(zeta2, readBrief(SCENE)).answered(said)).toBe(expected);
	});

	test("that was cut off keeps what comes after it", () => {
		const cut = "export function total(items: Item[]) {\n\tlet sum = 0;\n\tfor (const it";
		expect(new Asked(zeta2, readBrief(SCENE)).answered(cut, "length")).toBe(
			drawn(OLD).replace("item of items) s += item.price;", "it‹em of items) s += item.price;→›"),
		);
	});

	test("may be the word for nothing where the file has it", () => {
		expect(new Asked(zeta2, readBrief("NO_EDITS\nlog(▮)")).answered("NO_EDITS\nlog(1)\n")).toBe("NO_EDITS\nlog(‹→1›)");
	});

	test("is settled line by line while it comes", () => {
		const asked = new Asked(zeta2, readBrief("one(▮);\ntwo();\nsix();\nten();"));
		expect(asked.saying("one(1);\ntwo();\nsix(")).toBe("one();\ntwo();\nsix();\nten();");
		expect(asked.saying("one(1);\ntwo();\nsix();\n")).toBe("one(‹→1›);\ntwo();\nsix();\nten();");
		expect(asked.saying("NO_EDITS")).toBe("one();\ntwo();\nsix();\nten();");
		expect(asked.saying("NO_EDITS\n")).toBe("no-edit");
	});
});

test.each([
	["a line at the end of a file", "one();\n▮", "one();\nnext();\n", "one();\n‹→next();\n›"],
	["a line after the last", "one();▮", "one();\nnext();\n", "one();‹→\nnext();›"],
	["into an empty file", "▮", "next();\n", "‹→next();›"],
	[
		"its own line ends in a file of others",
		"one();␍\ntwo(▮);␍\nsix();",
		"one();\ntwo(2);\nnew();\nsix();\n",
		"one();␍\ntwo(‹→2);␍\nnew(›);␍\nsix();",
	],
])("Zeta 2 writes %s", (_, scene, said, expected) => {
	expect(new Asked(zeta2, readBrief(scene)).answered(said)).toBe(expected);
});

test("Zeta 2 is told the newest edits before related files, and the most useful of those", () => {
	const edits = Array.from({ length: 9 }, (_, i) => readPastEdit(`edit${i}`, `${"x".repeat(600)}\n‹→y\n›z`));
	const related = ["r0", "r1", "r2"].map((path) => ({ path, first: 9, last: 9, text: "r".repeat(3000) }));
	const recent = [{ path: "r3", first: 9, last: 9, text: "recent" }];
	const told = (windowTokens?: number) => {
		const { prompt } = new Asked(zeta2, readBrief(SCENE, { edits, related, recent }), windowTokens);
		return Array.from(prompt.matchAll(/(?:<filename>|\+\+\+ b\/)(edit\d|r\d)/g), ([, path]) => path);
	};
	expect(told()).toEqual(["r0", "r1", "r3", "edit4", "edit5", "edit6", "edit7", "edit8"]);
	expect(told(1300)).toEqual(["r3", "edit6", "edit7", "edit8"]);
	expect(told(300)).toEqual(["r3"]);
});

test("Zeta 2 is not shown as related what it sees of the file anyway", () => {
	const related = [
		{ path: "src/total.ts", first: 1, last: 2, text: "seen" },
		{ path: "src/total.ts", first: 900, last: 901, text: "further down" },
	];
	const recent = [{ path: "src/total.ts", first: 901, last: 902, text: "twice" }];
	const { prompt } = new Asked(zeta2, readBrief(SCENE, { related, recent }));
	expect(prompt).toContain("<[fim-prefix]><filename>src/total.ts\nfurther down\n...\n\n<filename>edit_history\n");
	expect(prompt).not.toMatch(/seen|twice/);
});

test("the prompt of Zeta 2 begins alike after one more letter", () => {
	const related = [{ path: "src/item.ts", first: 0, last: 0, text: "export interface Item {}" }];
	const one = new Asked(zeta2, readBrief(SCENE, { related })).prompt;
	const two = new Asked(zeta2, readBrief(SCENE.replace("sum▮", "sums▮"), { related })).prompt;
	const common = one.slice(
		0,
		[...one].findIndex((char, i) => char !== two[i]),
	);
	expect(common.split("\n").at(-1)).toBe("+\tlet sum");
});

test.each([
	["a conflict", "one();\n<<<<<<< HEAD\ntwo();▮\n=======\nsix();\n>>>>>>> theirs\n"],
	["a conflict with other line ends", "one();␍\n=======␍\ntwo();▮␍\n"],
	["one of its tokens", 'usage("cut <filename>");▮'],
])("Zeta 2 is not asked about a text with %s", (_, scene) => {
	expect(questionOf(zeta2, readBrief(scene), { model: "zeta-2", windowTokens: undefined })).toBe(
		"special-token-in-text",
	);
});

test("Zeta 2 is asked about a text with a line that only ends like a conflict's", () => {
	const brief = readBrief("// ==========\n// =======\none();▮");
	expect(questionOf(zeta2, brief, { model: "zeta-2", windowTokens: undefined })).toHaveProperty(
		"ask.kind",
		"completion",
	);
});

test("Zeta 2 is told which edits were suggestions", () => {
	const edit = readPastEdit("src/a.ts", "‹a→b›\n");
	const accepted = { ...edit, event: { ...edit.event, isAccepted: true } };
	expect(new Asked(zeta2, readBrief("one▮", { edits: [accepted] })).prompt).toContain(
		"<filename>edit_history\n// User accepted prediction:\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n\n",
	);
});

function drawn(text: string): string {
	return text.replaceAll("\t", "⇥");
}
