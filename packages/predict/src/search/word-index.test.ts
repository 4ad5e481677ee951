import { someChange, someText } from "@segue/testing/arbitrary";
import { Change, type Document, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { History } from "../history.js";
import { Memory } from "../memory.js";
import { predict } from "../predict.js";
import { sceneOf } from "../scene.js";
import { documentsWith } from "./scene-search.js";
import { Search } from "./search.js";
import { WordIndex } from "./word-index.js";

function documentOf(uri: string, text: string | Text): Document {
	return { uri, languageId: "typescript", version: 0, text: typeof text === "string" ? Text.of(text) : text };
}

const [A, B, C] = ["file:///a.ts", "file:///b.ts", "file:///c.ts"] as const;

/** The keys of the documents that contain a word. */
function having(wordIndex: WordIndex, word: string): string[] | undefined {
	const keys = wordIndex.snapshot().having(new Search(word).query);
	return keys && [...keys].sort();
}

describe("a word index", () => {
	test("finds the documents that contain a word", () => {
		const wordIndex = wordIndexOf(documentOf(A, "cnt = other"), documentOf(B, "cnts"), documentOf(C, "f(cnt)"));
		expect(having(wordIndex, "cnt")).toEqual([A, C]);
		expect(having(wordIndex, "cnts")).toEqual([B]);
		expect(having(wordIndex, "cn")).toEqual([]);
	});

	test("updates after a change inside a word", () => {
		const text = Text.of("const cnt = 1;\ncnt++;\n");
		const wordIndex = wordIndexOf(documentOf(A, text));
		const change = Change.of([{ from: 8, to: 8, insert: "ou" }], text.length);
		wordIndex.change(documentOf(A, change.apply(text)), change);
		expect(having(wordIndex, "cnout")).toEqual([A]);
		expect(having(wordIndex, "cnt")).toEqual([A]);
		const second = Change.of([{ from: 17, to: 20, insert: "" }], change.lengthAfter);
		wordIndex.change(documentOf(A, second.apply(change.apply(text))), second);
		expect(having(wordIndex, "cnt")).toEqual([]);
	});

	test("removes closed documents", () => {
		const wordIndex = wordIndexOf(documentOf(A, "cnt"), documentOf(B, "cnt x"));
		wordIndex.close(A);
		wordIndex.close(A);
		expect(having(wordIndex, "cnt")).toEqual([B]);
		wordIndex.close(B);
		expect(wordIndex.size).toBe(0);
		wordIndex.open(documentOf(C, "cnt"));
		expect(having(wordIndex, "cnt")).toEqual([C]);
	});

	test.each([
		["binary", "cnt\0"],
		["minified", `cnt ${"x".repeat(5000)}`],
	])("does not index a document while it is %s", (_, source) => {
		const text = Text.of(source);
		const wordIndex = wordIndexOf(documentOf(A, text));
		expect(wordIndex.size).toBe(0);
		const change = Change.of([{ from: 3, to: text.length, insert: "" }], text.length);
		wordIndex.change(documentOf(A, change.apply(text)), change);
		expect(having(wordIndex, "cnt")).toEqual([A]);
		wordIndex.change(documentOf(A, text), change.invert(text));
		expect(wordIndex.size).toBe(0);
	});

	test("updates after a burst of changes", () => {
		let text = Text.of("cnt other");
		const wordIndex = wordIndexOf(documentOf(A, text));
		expect(having(wordIndex, "cnt")).toEqual([A]);
		for (let i = 0; i < 100; i++) {
			const change = Change.of([{ from: 3, to: 3, insert: "x" }], text.length);
			text = change.apply(text);
			wordIndex.change(documentOf(A, text), change);
		}
		expect(having(wordIndex, "cnt")).toEqual([]);
		expect(having(wordIndex, "other")).toEqual([A]);
		expect(having(wordIndex, `cnt${"x".repeat(100)}`)).toEqual([A]);
		expect(wordIndex.size).toBe(2);
	});

	test("has no answer in a stale snapshot", () => {
		const wordIndex = wordIndexOf(documentOf(A, "cnt"));
		const snapshot = wordIndex.snapshot();
		wordIndex.open(documentOf(B, "cnt"));
		expect(snapshot.having(new Search("cnt").query)).toBeUndefined();
	});

	test("agrees with a new index after any changes", () => {
		// Short words made of few letters, so that they often repeat and are joined or split by changes.
		const someWords = fc.oneof(
			someText(),
			fc.string({ unit: fc.constantFrom(..."ab \n($\0é"), maxLength: 30 }),
			fc
				.tuple(fc.constantFrom("ab a ", "b(ab)\n", "a"), fc.integer({ min: 1, max: 700 }))
				.map(([one, n]) => one.repeat(n)),
		);
		fc.assert(
			fc.property(someWords, someWords, fc.nat(5), fc.gen(), (first, second, rounds, gen) => {
				const texts = new Map([
					[A, Text.of(first)],
					[B, Text.of(second)],
				]);
				const wordIndex = wordIndexOf(...Array.from(texts, ([uri, text]) => documentOf(uri, text)));
				wordIndex.snapshot();
				for (let round = 0; round < rounds; round++) {
					const uri = gen(() => fc.constantFrom(A, B));
					const before = texts.get(uri) as Text;
					const change = gen(someChange, before);
					texts.set(uri, change.apply(before));
					wordIndex.change(documentOf(uri, change.apply(before)), change);
					if (gen(fc.boolean)) wordIndex.snapshot();
				}
				const fresh = wordIndexOf(...Array.from(texts, ([uri, text]) => documentOf(uri, text)));
				expect(wordIndex.size).toBe(fresh.size);
				const all = `${first} ${second} ${[...texts.values()].join(" ")}`;
				for (const word of new Set(all.match(/[\w$]+/g))) expect(having(wordIndex, word)).toEqual(having(fresh, word));
			}),
		);
	});
});

function wordIndexOf(...documents: readonly Document[]): WordIndex {
	const wordIndex = new WordIndex();
	for (const document of documents) wordIndex.open(document);
	return wordIndex;
}

describe("documentsWith", () => {
	const own = documentOf("file:///own.ts", "cnt = 1");
	const neighbours = [documentOf(C, "f(cnt)"), documentOf(A, "other"), documentOf(B, "cnt cnt")];
	const scene = { ...sceneOf(own, History.empty, 0), neighbours };

	test.each([
		["cnt", [own.uri, C, B]],
		["other", [A]],
		["f(cnt)", [own.uri, C, B]],
		["=", [own.uri, C, A, B]],
	])("returns the same with and without a word index: %s", (wanted, expected) => {
		const urisWith = (wordIndex: WordIndex | undefined) => {
			return documentsWith({ ...scene, wordIndex: wordIndex?.snapshot() }, new Search(wanted)).map(({ uri }) => uri);
		};
		// Without an index, there may be false positives.
		expect(urisWith(undefined).filter((uri) => expected.includes(uri))).toEqual(expected);
		expect(urisWith(wordIndexOf(own, ...neighbours))).toEqual(expected);
		// An attached document is not in the index.
		expect(urisWith(wordIndexOf(own, ...neighbours.slice(0, 2)))).toEqual(expected);
	});

	test("returns the nearest documents if a word is in too many", () => {
		const many = Array.from({ length: 200 }, (_, i) => documentOf(`file:///${i}.ts`, i % 2 === 0 ? "cnt" : "other"));
		const wordIndex = wordIndexOf(own, ...many).snapshot();
		const wide = { ...scene, neighbours: many };
		for (const one of [wide, { ...wide, wordIndex }]) {
			const found = documentsWith(one, new Search("cnt"), new Search("other")).map(({ uri }) => uri);
			expect(found).toEqual([own, ...many.slice(0, 100)].map(({ uri }) => uri));
		}
	});

	test("returns the documents that contain any of several strings", () => {
		const wordIndex = wordIndexOf(own, ...neighbours).snapshot();
		const found = documentsWith({ ...scene, wordIndex }, new Search("other"), new Search("f"));
		expect(found.map(({ uri }) => uri)).toEqual([C, A]);
	});
});

test("the engine predicts the same with a word index, without one, and with a stale one", () => {
	const someName = fc.constantFrom("cnt", "total", "parse", "load", "x");
	const someLine = fc.tuple(fc.nat(4), someName, someName).map(([kind, a, b]) => {
		return [`const ${a} = ${b};`, `${a}(${b});`, `function ${a}(${b}) {`, `\treturn ${a};`, "}"][kind] ?? "";
	});
	const someFile = fc.array(someLine, { minLength: 1, maxLength: 12 }).map((lines) => lines.join("\n"));
	fc.assert(
		fc.property(fc.array(someFile, { minLength: 1, maxLength: 4 }), fc.gen(), (sources, gen) => {
			const documents = sources.map((source, i) => documentOf(`file:///${i}.ts`, source));
			const wordIndex = wordIndexOf(...documents);
			const stale = wordIndex.snapshot();
			const edits = gen(someLineEdit, (documents[0] as Document).text);
			const before = documents[0] as Document;
			const change = Change.of(edits, before.text.length);
			const own = documentOf(before.uri, change.apply(before.text));
			wordIndex.change(own, change);
			const history = History.empty.changed(before, change, { atMs: 0, isAccepted: false, after: own.text });
			const scene = {
				...sceneOf(own, history, change.map(edits[0]?.to ?? 0, "after")),
				neighbours: documents.slice(1),
			};
			const expected = predict(scene, Memory.empty);
			expect(predict({ ...scene, wordIndex: wordIndex.snapshot() }, Memory.empty)).toEqual(expected);
			expect(predict({ ...scene, wordIndex: stale }, Memory.empty)).toEqual(expected);
		}),
	);
});

/** Returns an edit that replaces one name in a text. */
function someLineEdit(text: Text): fc.Arbitrary<{ from: number; to: number; insert: string }[]> {
	const names = [...text.toString().matchAll(/\b(?:cnt|total|parse|load|x)\b/g)];
	const someInsert = fc.constantFrom("count", "parseAll", "load", "");
	if (names.length === 0) return someInsert.map((insert) => [{ from: 0, to: 0, insert }]);
	return fc.tuple(fc.constantFrom(...names), someInsert).map(([{ 0: name, index }, insert]) => {
		return [{ from: index, to: index + name.length, insert }];
	});
}
