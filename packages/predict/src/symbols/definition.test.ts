import { readPicture } from "@segue/story";
import { type Document, languageOf, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { History, Outline, type OutlineData, type Scene } from "../index.js";
import { sceneOf } from "../scene.js";
import { WordIndex } from "../search/word-index.js";
import { definitionsAround, isNearby } from "./definition.js";

function documentAt(uri: string, source: string): Document {
	return { uri, languageId: languageOf(uri), version: 0, text: Text.of(source) };
}

/** Creates a scene with the drawn document and cursor, and with other documents as neighbours. */
function sceneAt(drawn: string, others: Readonly<Record<string, string>>, uri = "own.ts"): Scene {
	const { before, selection } = readPicture(drawn);
	const neighbours = Object.entries(others).map(([name, source]) => documentAt(name, source));
	return { ...sceneOf(documentAt(uri, before), History.empty, selection?.head ?? 0), neighbours };
}

/** The definitions found in a scene, each as document, line and text. */
function found(scene: Scene): string[] {
	return definitionsAround(scene).map(({ document, first, last }) => {
		const lines = Array.from({ length: last - first + 1 }, (_, i) => document.text.line(first + i));
		return `${document.uri}:${first} ${lines.join("⏎")}`;
	});
}

/** Returns lines without names. */
function filler(count: number): string {
	return Array.from({ length: count }, () => "// …").join("\n");
}

describe("definitionsAround", () => {
	test.each<[string, string, string, string, string]>([
		["a function", "own.ts", "area(1)\n▮", "lib.ts", "export function area(w: number) {⏎\treturn w⏎}"],
		["a type", "own.ts", "x: Shape\n▮", "lib.ts", "export interface Shape {⏎\twidth: number⏎}"],
		["a class", "own.py", "Shape(1)\n▮", "lib.py", "class Shape:⏎    def width(self):⏎        return 1"],
		["a constant", "own.ts", "log(LIMIT)\n▮", "lib.ts", "export const LIMIT = 12"],
		["a method", "own.java", "shape.width();\n▮", "Lib.java", "  public int width() {⏎    return 1;⏎  }"],
		["a method with a receiver", "own.go", "s.Width()\n▮", "lib.go", "func (s *Shape) Width() int {⏎\treturn 1⏎}"],
		["a struct", "own.rs", "Shape::new()\n▮", "lib.rs", "pub struct Shape {⏎    width: u32,⏎}"],
		["a function in C", "own.c", "area(1);\n▮", "lib.c", "static int area(int w) {⏎  return w;⏎}"],
		["parameters on separate lines", "own.ts", "area(1)\n▮", "lib.ts", "function area(⏎\tw: number,⏎) {⏎\treturn w⏎}"],
	])("finds %s", (_, uri, drawn, lib, definition) => {
		const source = `${filler(3)}\n${definition.replaceAll("⏎", "\n")}\n${filler(3)}`;
		expect(found(sceneAt(drawn, { [lib]: source }, uri))).toEqual([`${lib}:3 ${definition}`]);
	});

	test.each<[string, string, string, string]>([
		["in a comment", "own.ts", "area(1)\n▮", "// the function area is not here"],
		["in a string", "own.ts", "area(1)\n▮", 'log("function area")'],
		["for a use", "own.ts", "area(1)\n▮", "const all = area(2)\nreturn area(3)\nif (area(4)) {\n\tarea(5)\n}"],
		["for a local variable", "own.ts", "width(1)\n▮", "function one() {\n\tconst width = 1\n}"],
		["for a name that is being typed", "own.ts", "area▮", "export function area() {}"],
		["for short names", "own.ts", "ab(1)\n▮", "export function ab() {}"],
		["for names far away", "own.ts", `area(1)\n${filler(9)}\n▮`, "export function area() {}"],
		["for names in strings", "own.ts", "log('area')\n▮", "export function area() {}"],
	])("finds nothing %s", (_, uri, drawn, source) => {
		expect(found(sceneAt(drawn, { "lib.ts": source }, uri))).toEqual([]);
	});

	test("prefers a distant part of the document to other files", () => {
		const other = { "lib.ts": "export function area() {}" };
		const far = `function area() {\n⇥return 1\n}\n${filler(40)}\narea(1)\n▮`;
		expect(found(sceneAt(far, other))).toEqual(["own.ts:0 function area() {⏎\treturn 1⏎}"]);
		const near = `function area() {\n⇥return 1\n}\n${filler(20)}\narea(1)\n▮`;
		expect(found(sceneAt(near, other))).toEqual([]);
	});

	test("ignores files in another language", () => {
		expect(found(sceneAt("area(1)\n▮", { "lib.py": "def area():\n    pass" }))).toEqual([]);
	});

	test("finds at most two definitions of a name, and none if there are more", () => {
		const files = (count: number) => {
			return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.ts`, "export function area() {}"]));
		};
		expect(found(sceneAt("area(1)\n▮", files(2)))).toHaveLength(2);
		expect(found(sceneAt("area(1)\n▮", files(3)))).toEqual([]);
	});

	test("finds a definition only once, even if several names in it are used", () => {
		const lib = "export class Shape {\n\twidth() {\n\t\treturn 1\n\t}\n}";
		expect(found(sceneAt("Shape.width()\n▮", { "lib.ts": lib }))).toHaveLength(1);
	});

	test("limits a definition to twelve lines", () => {
		const lib = `export class Shape {\n${filler(30).replaceAll("//", "\t//")}\n}`;
		expect(definitionsAround(sceneAt("Shape()\n▮", { "lib.ts": lib }))).toMatchObject([{ first: 0, last: 11 }]);
	});

	test("uses the outline if there is one", () => {
		// Without an outline, the first line would be the definition; the outline shows that it is not exported.
		const source = "function area() {}\nexport { area2 as area }\nconst area2 = area";
		const scene = sceneAt("area2()\n▮", { "lib.ts": source });
		const data: OutlineData = {
			words: ["area2"],
			scopes: Int32Array.of(0, source.length + 1, -1, 0),
			declarations: Int32Array.of(source.lastIndexOf("area2"), 0, 0, 0, 0, 1),
			names: Int32Array.of(source.lastIndexOf("area2"), source.lastIndexOf("area2") + 5, 1),
			isSequential: false,
			isBroken: false,
		};
		const text = scene.neighbours[0]?.text ?? expect.fail();
		const outlined = { ...scene, outlines: new Map([["lib.ts", Outline.of(text, data)]]) };
		expect(found(outlined)).toEqual(["lib.ts:2 const area2 = area"]);
		const kept = { ...data, declarations: data.declarations.with(5, 0) };
		const unshared = { ...scene, outlines: new Map([["lib.ts", Outline.of(text, kept)]]) };
		expect(found(unshared)).toEqual([]);
	});
});

test("sorts by distance, with the cursor's own line last", () => {
	const lib = ["one", "two", "six", "ten"].map((name) => `export const ${name} = 0`).join("\n");
	const scene = sceneAt("one()\nten()\ntwo() ▮\nsix()", { "lib.ts": lib });
	expect(definitionsAround(scene).map(({ first }) => first)).toEqual([3, 2, 0, 1]);
});

test("isNearby is true only for lines of the document near the cursor", () => {
	const scene = sceneAt(`${filler(100)}\n▮\n${filler(100)}`, {});
	expect(isNearby(scene, "own.ts", 60, 69)).toBe(false);
	expect(isNearby(scene, "own.ts", 60, 70)).toBe(true);
	expect(isNearby(scene, "own.ts", 130, 140)).toBe(true);
	expect(isNearby(scene, "own.ts", 131, 140)).toBe(false);
	expect(isNearby(scene, "lib.ts", 100, 100)).toBe(false);
});

const NAMES = ["area", "width", "Shape", "LIMIT"];
const someLine = fc.oneof(
	fc.constantFrom(...NAMES).map((name) => `export function ${name}() {`),
	fc.constantFrom(...NAMES).map((name) => `\tconst ${name} = 1`),
	fc.constantFrom(...NAMES).map((name) => `\tlog(${name})`),
	fc.constantFrom("}", "", "// area", "`", "class Shape {"),
);
const someSource = fc.array(someLine, { maxLength: 12 }).map((lines) => lines.join("\n"));

test("finds the same definitions with and without a word index, and each line once, in any documents", () => {
	fc.assert(
		fc.property(someSource, fc.array(someSource, { maxLength: 4 }), fc.nat(), (own, others, place) => {
			const neighbours = others.map((source, i) => documentAt(`${i}.ts`, source));
			const document = documentAt("own.ts", own);
			const scene = { ...sceneOf(document, History.empty, place % (own.length + 1)), neighbours };
			const wordIndex = new WordIndex();
			for (const one of [document, ...neighbours]) wordIndex.open(one);
			expect(found({ ...scene, wordIndex: wordIndex.snapshot() })).toEqual(found(scene));
			const lines = definitionsAround(scene).flatMap((one) => {
				expect(isNearby(scene, one.document.uri, one.first, one.last)).toBe(false);
				return Array.from({ length: one.last - one.first + 1 }, (_, i) => `${one.document.uri}:${one.first + i}`);
			});
			expect(new Set(lines).size).toBe(lines.length);
		}),
	);
});
