import type { Prediction, Scene } from "@segue/predict";
import { type Document, Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_CONTEXT } from "../next-edit/request.js";
import { NextEditSession } from "../next-edit/session.js";
import { installedGrammars } from "../node/grammar-files.js";
import type { OutlineReply } from "./outline-tasks.js";
import { Outliner } from "./outliner.js";
import { Parsers } from "./parser.js";
import { SyntaxChecker } from "./syntax-checker.js";

const parsers = new Parsers(installedGrammars);
for (const languageId of ["typescript", "python", "go"]) await parsers.load(languageId);

function fail(why: string): never {
	throw new Error(why);
}

function document(source: string, languageId = "typescript", uri = "a"): Document {
	return { uri, languageId, version: 1, text: Text.of(source) };
}

const ALL = { from: 0, to: Number.POSITIVE_INFINITY };

test.each([
	["typescript", "let a = { b: 1 }\n", 0],
	["typescript", 'switch (a) {\n  case "open", b: 0 :\n}\n', 1],
	["typescript", "let a = (1\n", 1],
	["python", "def f():\n    return 1\n", 0],
	["python", "def f(:\n    return 1\n", 1],
	["go", "package a\n\nfunc f() { g( }\n", 1],
])("counts syntax errors: %s %j", (languageId, source, total) => {
	const { parse } = new SyntaxChecker(parsers, fail);
	expect(parse(document(source, languageId), ALL)?.total).toBe(total);
});

test("counts the errors that touch a range", () => {
	const { parse } = new SyntaxChecker(parsers, fail);
	const broken = document("let a = 1\nlet b = f(]);\nlet c = 3\n");
	expect(parse(broken, { from: 0, to: 9 })).toEqual({ total: 1, inRange: 0 });
	expect(parse(broken, { from: 10, to: 22 })).toEqual({ total: 1, inRange: 1 });
	expect(parse(broken, { from: 23, to: 32 })).toEqual({ total: 1, inRange: 0 });
});

test("returns undefined for a language without a loaded grammar", () => {
	const { parse } = new SyntaxChecker(parsers, fail);
	expect(parse(document("(", "plaintext"), ALL)).toBeUndefined();
	expect(parse(document("(", "rust"), ALL)).toBeUndefined();
});

test("returns undefined for a document that is too long", () => {
	const { parse } = new SyntaxChecker(parsers, fail);
	const code = "const label = shown(first, second);\n".repeat(1300);
	expect(parse(document(code.padEnd(50_000, "\n")), ALL)).toEqual({ total: 0, inRange: 0 });
	expect(parse(document(code.padEnd(50_001, "\n")), ALL)).toBeUndefined();
});

test("gives up on a document that takes too long to parse, and parses the next one", () => {
	const { parse } = new SyntaxChecker(parsers, fail);
	const nonsense = document("}{)(".repeat(12_000), "typescript", "nonsense");
	expect(parse(nonsense, ALL)).toBeUndefined();
	expect(parse(nonsense, ALL)).toBeUndefined();
	expect(parse(document("let a = 1\n"), ALL)).toEqual({ total: 0, inRange: 0 });
});

test("gives up on a document after a timeout", () => {
	const code = document("const label = shown(first, second);\n".repeat(1000));
	let [timeMs, calls] = [0, 0];
	const now = () => {
		calls++;
		return timeMs++;
	};
	expect(new SyntaxChecker(parsers, fail, now).parse(code, ALL)).toBeUndefined();
	expect(calls).toBe(32);
	expect(new SyntaxChecker(parsers, fail, () => 0).parse(code, ALL)).toEqual({ total: 0, inRange: 0 });
});

test("skips the next versions of a document that it gave up on", () => {
	let calls = 0;
	const now = () => 100 * calls++;
	const checker = new SyntaxChecker(parsers, fail, now);
	const code = document("const label = shown(first, second);\n".repeat(1000));
	const changed = (version: number) => ({ ...code, version, text: code.text.replace(0, 0, `${version}\n`) });
	expect(checker.parse({ ...code, version: 10 }, ALL)).toBeUndefined();
	const once = calls;
	for (let version = 11; version <= 60; version++) expect(checker.parse(changed(version), ALL)).toBeUndefined();
	expect(calls).toBe(once);
	checker.parse(changed(61), ALL);
	expect(calls).toBe(2 * once);
	checker.parse(changed(62), ALL);
	expect(calls).toBe(2 * once);
	// The document was closed and opened again.
	checker.parse(changed(1), ALL);
	expect(calls).toBe(3 * once);
	expect(checker.parse(document("let a = 1\n", "typescript", "b"), ALL)).toEqual({ total: 0, inRange: 0 });
});

test.each(["(", "{a:", "a<", "<a>", "<a>\n"])("does not parse code that is nested too deeply: %j", (piece) => {
	const { parse } = new SyntaxChecker(parsers, fail);
	expect(parse(document(piece.repeat(100)), ALL)).toBeDefined();
	expect(parse(document(piece.repeat(201), "typescript", "deep"), ALL)).toBeUndefined();
});

test("parses long code that is not nested deeply", () => {
	const { parse } = new SyntaxChecker(parsers, fail);
	const code = "if (a < b) { c([1, { d: e<f>(g) }]) }\nfor (let i = 0; i < n; i++) show(i)\n";
	expect(parse(document(code.repeat(500)), ALL)).toEqual({ total: 0, inRange: 0 });
});

test("finds errors in any version of a document, regardless of earlier versions", () => {
	const piece = fc.constantFrom("a", " ", "\n", "\r\n", "(", ")", "{", "}", '"', "= 1", "let ", "if (a) {}", "é", "😀");
	const edit = fc.record({ at: fc.nat(), gone: fc.constantFrom(0, 0, 1, 3), insert: piece });
	const languageId = fc.constantFrom("typescript", "python", "go");
	fc.assert(
		fc.property(fc.array(piece), fc.array(edit, { maxLength: 10 }), languageId, (pieces, edits, languageId) => {
			const { parse } = new SyntaxChecker(parsers, fail);
			let { text } = document(pieces.join(""));
			for (const { at, gone, insert } of edits) {
				const from = at % (text.length + 1);
				text = text.replace(from, Math.min(from + gone, text.length), insert);
				const fresh = new SyntaxChecker(parsers, fail);
				const [known, expected] = [parse, fresh.parse].map((one) => one({ ...document("", languageId), text }, ALL));
				expect(known === undefined || known.total > 0).toBe(expected === undefined || expected.total > 0);
				fresh.clear();
			}
		}),
	);
});

test("keeps a limited number of syntax trees", () => {
	const checker = new SyntaxChecker(parsers, fail);
	const sources = Array.from({ length: 100 }, (_, i) => document(`let a = ${i}\n`, "typescript", `${i}.ts`));
	for (const source of sources) expect(checker.parse(source, ALL)?.total).toBe(0);
	expect(checker.size).toBe(16);
	for (let i = 0; i < 10; i++) checker.parse(document(`let a = ${i}\n`.repeat(4000), "typescript", `${i}.ts`), ALL);
	expect(checker.size).toBe(5);
	checker.clear();
	expect(checker.size).toBe(0);
});

/** Creates outlines from an outliner with a checker and a fake worker. */
function outlinerWith(start: () => Promise<Parsers>) {
	const reported: string[] = [];
	const checker = new SyntaxChecker(start, (why) => reported.push(why));
	let reply: (reply: OutlineReply) => void = () => {};
	const worker = () => ({
		post: () => {},
		receive: (listener: typeof reply) => {
			reply = listener;
		},
		stop: () => {},
	});
	const outliner = new Outliner(worker, fail, checker);
	return { outlines: outliner.outlines(), reported, reply: (one: OutlineReply) => reply(one) };
}

test("loads a grammar only after the worker's first outline in that language", async () => {
	let started = 0;
	let loading: Promise<void> | undefined;
	class Observed extends Parsers {
		override load(languageId: string): Promise<void> {
			loading = super.load(languageId);
			return loading;
		}
	}
	const { outlines, reply } = outlinerWith(async () => {
		started++;
		return new Observed(installedGrammars);
	});
	const one = document("let a = (1\n");
	outlines.update(one);
	expect(outlines.parse?.(one, ALL)).toBeUndefined();
	expect(started).toBe(0);
	const data = parsers.parse("typescript", "let a = (1\n").outline();
	reply({ id: 1, data });
	reply({ id: 1, data });
	expect(started).toBe(1);
	expect(outlines.parse?.(one, ALL)).toBeUndefined();
	await new Promise((resolve) => setImmediate(resolve));
	await loading;
	expect(outlines.parse?.(one, ALL)?.total).toBe(1);
	expect(started).toBe(1);
});

test("reports once that a grammar cannot be loaded", async () => {
	const { outlines, reported, reply } = outlinerWith(() => Promise.reject(new Error("not installed")));
	outlines.update(document("a"));
	const data = parsers.parse("typescript", "a").outline();
	reply({ id: 1, data });
	reply({ id: 1, data });
	await new Promise((resolve) => setImmediate(resolve));
	expect(reported).toEqual(["no syntax checks for typescript: Error: not installed"]);
	expect(outlines.parse?.(document("("), ALL)).toBeUndefined();
});

test.each([
	["typescript", "class A {\n  m() {\n    f(▮1)\n  }\n}\nlet b\n", ["{\n    f(1)\n  }", "m() {\n    f(1)\n  }"]],
	[
		"python",
		"def f():\n    if a:\n        g(▮)\n    return 1\n",
		["if a:\n        g()", "if a:\n        g()\n    return 1"],
	],
	["go", "package a\n\nfunc f() {\n\tg(▮)\n}\n", ["g()\n", "{\n\tg()\n}"]],
])("finds multi-line nodes around an offset, innermost first: %s", (languageId, drawn, innermost) => {
	const source = drawn.replace("▮", "");
	const { nodesAround } = new SyntaxChecker(parsers, fail);
	const nodes = nodesAround(document(source, languageId), drawn.indexOf("▮"))?.map(({ from, to }) =>
		source.slice(from, to),
	);
	expect(nodes?.slice(0, 2)).toEqual(innermost);
	expect(nodes?.at(-1)?.trimEnd()).toBe(source.trimEnd());
});

test("finds nodes in a cached tree", () => {
	const { nodesAround, parse } = new SyntaxChecker(parsers, fail);
	const one = document("f(() => {\n  1\n})\n");
	expect(parse(one, ALL)).toEqual({ total: 0, inRange: 0 });
	expect(nodesAround(one, 12)?.[0]).toEqual({ from: 8, to: 15 });
});

test("finds no nodes in a language without a grammar, or in deeply nested code", () => {
	const { nodesAround } = new SyntaxChecker(parsers, fail);
	expect(nodesAround(document("(", "plaintext"), 0)).toBeUndefined();
	expect(nodesAround(document("(\n".repeat(300)), 0)).toBeUndefined();
});

test("limits the nodes in a long chain of operators", () => {
	const { nodesAround } = new SyntaxChecker(parsers, fail);
	expect(nodesAround(document(`let a = 1\n${"+ 1\n".repeat(8000)}`), 20_000)?.length).toBe(99);
});

test("is available in the scenes of a session", async () => {
	const checker = new SyntaxChecker(parsers, fail);
	const worker = () => ({ post: () => {}, receive: () => {}, stop: () => {} });
	const outlines = new Outliner(worker, fail, checker).outlines();
	const scenes: Scene[] = [];
	const predict = (scene: Scene): Prediction => {
		scenes.push(scene);
		return { silence: "nothing-found" };
	};
	const workspace = { uri: undefined, folders: [], repository: undefined };
	const session = new NextEditSession({ kinds: new Set(), workspace, predict, outlines, now: () => 0 });
	const one = document("f(() => {\n  1\n})\n");
	session.didOpen(one);
	const at = { uri: one.uri, version: one.version, cursor: 12, anchor: 12 };
	await session.suggest({ ...at, trigger: "manual", context: NO_CONTEXT }, { signal: new AbortController().signal });
	expect(scenes.map((scene) => scene.nodesAround?.(scene.document, scene.cursor)?.[0])).toEqual([{ from: 8, to: 15 }]);
});
