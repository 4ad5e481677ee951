import { Asked, readBrief, readPastEdit } from "@segue/testing/brief";
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
		expect(new Asked(zeta2, readBrief("one(▮);\ntwo();\n")).answered(said)).toBe(expected);
	});

	test("may be the word for nothing where the file has it", () => {
		expect(new Asked(zeta2, readBrief("NO_EDITS\nlog(▮)")).answered("NO_EDITS\nlog(1)\n")).toBe("NO_EDITS\nlog(‹→1›)");
	});

	test("that there is nothing to do is settled with the line that says so", () => {
		const asked = new Asked(zeta2, readBrief("one(▮);\ntwo();\n"));
		expect(asked.saying("NO_EDITS")).toBe("one();\ntwo();\n");
		expect(asked.saying("NO_EDITS\n")).toBe("no-edit");
	});
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

test.each([
	["a conflict", "one();\n<<<<<<< HEAD\ntwo();▮\n=======\nsix();\n>>>>>>> theirs\n"],
	["a conflict with other line ends", "one();␍\n<<<<<<< HEAD␍\n=======␍\ntwo();▮␍\n>>>>>>> theirs␍\n"],
	["what would end its answer", "one();▮\n>>>>>>> UPDATED\n"],
	["one of its tokens", 'usage("cut <filename>");▮'],
])("Zeta 2 is not asked about a text with %s", (_, scene) => {
	expect(questionOf(zeta2, readBrief(scene), { model: "zeta-2", windowTokens: undefined })).toBe(
		"special-token-in-text",
	);
});

test.each([
	["that only ends like a conflict's", "// ==========\n// =======\none();▮"],
	["under a heading", "Example\n=======\n\nIt counts ▮words.\n"],
])("Zeta 2 is asked about a text with a line %s", (_, scene) => {
	const question = questionOf(zeta2, readBrief(scene), { model: "zeta-2", windowTokens: undefined });
	expect(question).toHaveProperty("ask.kind", "completion");
});

test("an answer of Zeta 2 keeps a heading and its line", () => {
	const asked = new Asked(zeta2, readBrief("Example\n=======\n\nIt counts ▮.\n", { path: "README.md" }));
	expect(asked.answered("Example\n=======\n\nIt counts words.\n>>>>>>> UPDATED\n")).toBe(
		"Example\n=======\n\nIt counts ‹→words›.\n",
	);
});

test("Zeta 2 is told which edits were suggestions", () => {
	const edit = readPastEdit("src/a.ts", "‹a→b›\n");
	const accepted = { ...edit, event: { ...edit.event, isAccepted: true } };
	expect(new Asked(zeta2, readBrief("one▮", { edits: [accepted] })).prompt).toContain(
		"<filename>edit_history\n// User accepted prediction:\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n\n",
	);
});
