import { Asked, readBrief, readPastEdit } from "@segue/testing";
import { expect, test } from "vitest";
import { questionOf } from "../format.js";
import { sweepV2 } from "./sweep-v2.js";

const SCENE = `export function total(items: Item[]) {
⇥let ‹s→sum▮› = 0;
⇥for (const item of items) s += item.price;
⇥return s;
}
`;

test("Sweep's second model is given files, changes, numbered lines with the cursor, and how its answer begins", () => {
	const edits = [readPastEdit("src/item.ts", "export interface Item {\n⇥price: ‹string→number›;\n}\n")];
	const related = [{ path: "src/item.ts", first: 0, last: 2, text: "export interface Item {\n\tprice: number;\n}" }];
	const recent = [{ path: "src/basket.ts", first: 3, last: 3, text: "const items = [];" }];
	expect(new Asked(sweepV2, readBrief(SCENE, { edits, related, recent })).question.ask).toMatchInlineSnapshot(`
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

test("Sweep's second model is given just the lines where nothing else is known", () => {
	expect(new Asked(sweepV2, readBrief("one(▮)")).prompt).toBe(
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

/** How an answer about a scene begins. */
function begun(scene: string): string {
	return /<\|file_sep\|>updated\/.*\n([\s\S]*)$/.exec(new Asked(sweepV2, readBrief(scene)).prompt)?.[1] ?? "";
}

test.each([
	["with the lines above the cursor", "one\ntwo\n‹→six▮›ten", "one\ntwo\n"],
	["with nothing on the first line", "one‹→1▮›\ntwo", ""],
	["with the first line after something was written above", "one\ntw‹→ice›\nsix\nten▮", "one\n"],
	["with the first line and the empty ones after it", "‹→one›\n\n\nsix\nten▮", "one\n\n\n"],
	["with the lines above after something was taken away there", "one\ntw‹ice→›\nsix\nten▮", "one\ntw\nsix\n"],
])("the answer of Sweep's second model begins %s", (_, scene, expected) => {
	expect(begun(scene)).toBe(expected);
});

test("the answer begins with a part of the first line where something was written above all that is seen", () => {
	const lines = Array.from({ length: 30 }, (_, i) => `line${i}`);
	expect(begun(lines.with(0, "‹→line0›").with(29, "line29▮").join("\n"))).toBe("line19\n");
});

const REST = `	let sum = 0;
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
	["that goes on", `${REST}\n`, CHANGED],
	["that goes on without the line ends at its end", REST.trimEnd(), CHANGED],
	["with its end left in", `${REST}<|endoftext|>`, CHANGED],
	["with the cursor in it", REST.replace("sum;", "sum<|cursor|>;"), CHANGED],
	["that changes nothing", REST.replace("sum +=", "s +=").replace("return sum", "return s"), "no-edit"],
	["that is empty", "\n<|file_sep|>", "no-edit"],
])("an answer of Sweep's second model %s", (_, said, expected) => {
	expect(new Asked(sweepV2, readBrief(SCENE)).answered(said)).toBe(expected);
});

test("an answer of Sweep's second model is settled line by line behind its beginning", () => {
	const asked = new Asked(sweepV2, readBrief("one();\ntwo(▮);\nsix();\nten();\nend();"));
	expect(asked.saying("two(2);\nsix();\nten(")).toBe("one();\ntwo();\nsix();\nten();\nend();");
	expect(asked.saying("two(2);\nsix();\nten();\n")).toBe("one();\ntwo(‹→2›);\nsix();\nten();\nend();");
	expect(asked.answered("two(2);\nsi", "length")).toBe("one();\ntwo(‹→2›);\nsi‹x();→›\nten();\nend();");
});

test.each([
	["into an empty file", "▮", "next();\n", "‹→next();›"],
	["at the end of a file", "one();\n▮", "next();\n", "one();\n‹→next();\n›"],
	["with the line ends of the file", "one();␍\ntwo(▮);␍\n", "two(2);\nnew();\n", "one();␍\ntwo(‹→2);␍\nnew(›);␍\n"],
])("Sweep's second model writes %s", (_, scene, said, expected) => {
	expect(new Asked(sweepV2, readBrief(scene)).answered(said)).toBe(expected);
});

test("Sweep's second model is told changes before the file, and the file before others", () => {
	const edits = Array.from({ length: 9 }, (_, i) => readPastEdit(`edit${i}`, `${"x".repeat(150)}\n‹→y\n›z`));
	const related = [{ path: "r0", first: 9, last: 9, text: "r".repeat(3000) }];
	const recent = [{ path: "r1", first: 9, last: 9, text: "recent".repeat(30) }];
	const text = Array.from({ length: 100 }, (_, i) => `const line${i} = ${i};`).with(50, "▮");
	const told = (windowTokens?: number) => {
		const { prompt, question } = new Asked(
			sweepV2,
			readBrief(text.join("\n"), { edits, related, recent }),
			windowTokens,
		);
		const paths = Array.from(prompt.matchAll(/<\|file_sep\|>(edit\d|r\d|src)/g), ([, path]) => path);
		const file = /<\|file_sep\|>src\/total.ts\n([^<]*)\n/.exec(prompt)?.[1] ?? "";
		return { paths, lines: file.split("\n").length, shown: question.shown };
	};
	const six = ["edit3", "edit4", "edit5", "edit6", "edit7", "edit8"];
	expect(told()).toMatchObject({ paths: ["r1", "src", "r0", ...six], lines: 100 });
	expect(told(3200)).toMatchObject({ paths: ["r1", "src", ...six], lines: 100 });
	expect(told(2000)).toMatchObject({ paths: ["src", ...six], lines: 64 });
	expect(told(1000)).toMatchObject({ paths: ["src", "edit6", "edit7", "edit8"], lines: 1 });
});

test("the prompt of Sweep's second model begins alike after one more letter, and a few lines further down", () => {
	const lines = Array.from({ length: 400 }, (_, i) => `line${i}();`);
	const prompt = (drawn: readonly string[]) => new Asked(sweepV2, readBrief(drawn.join("\n"))).prompt;
	const common = (one: string, two: string) =>
		one.slice(
			0,
			[...one].findIndex((char, i) => char !== two[i]),
		);
	const typed = common(prompt(lines.with(204, "‹→a▮›")), prompt(lines.with(204, "‹→ab▮›")));
	expect(typed).toMatch(
		/<\|file_sep\|>src\/total\.ts\nline50\(\);\n[^<]*line350\(\);\n<\|file_sep\|>src\/total\.ts:202:208\noriginal:\n/,
	);
	const moved = common(prompt(lines.with(204, "line204();▮")), prompt(lines.with(209, "line209();▮")));
	expect(moved).toMatch(/line350\(\);\n\n<\|file_sep\|>original\/src\/total\.ts:$/);
});

test("Sweep's second model is not asked about its own tokens", () => {
	const asked = (scene: string) => questionOf(sweepV2, readBrief(scene), { model: "sweep", windowTokens: undefined });
	expect(asked("mark('<|cursor|>')▮")).toBe("special-token-in-text");
});
