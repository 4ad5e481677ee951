import { Outline, type OutlineData } from "@segue/predict";
import { runs } from "@segue/testing/setup/tier";
import { type Edit, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { installedGrammars } from "../node/grammar-files.js";
import { GRAMMARS } from "./grammars.js";
import { Parsers } from "./parser.js";

const parsers = new Parsers(installedGrammars);
for (const languageId of GRAMMARS.keys()) await parsers.load(languageId);

function read(languageId: string, source: string): OutlineData {
	const parsed = parsers.parse(languageId, source);
	const data = parsed.outline();
	parsed.free();
	return data;
}

function outlineOf(languageId: string, source: string): Outline {
	return Outline.of(Text.of(source), read(languageId, source));
}

/**
 * Fills in the marks in annotated code, in which each name is enclosed in ‹› and followed by a mark: a letter that
 * stands for its declaration, `free` if it has none, `.` for a property, both for a shorthand property, and `?` if it
 * is unknown.
 */
function drawn(languageId: string, picture: string): string {
	const outline = outlineOf(languageId, sourceOf(picture));
	const letters = new Map<number, string>();
	let shift = 0;
	return picture.replace(/‹(\$?\w+):([^›]*)›/gu, (whole, name: string, _mark: string, index: number) => {
		const at = index - shift;
		shift += whole.length - name.length;
		return `‹${name}:${markAt(outline, at, name, letters)}›`;
	});
}

function sourceOf(picture: string): string {
	return picture.replace(/‹(\$?\w+):[^›]*›/gu, "$1");
}

function markAt(outline: Outline, at: number, name: string, letters: Map<number, string>): string {
	const role = outline.roleAt(at);
	if (role === undefined) return "?";
	if (role === "property") return ".";
	const declared = role === "declaration" ? outline.declaredAt(at) : outline.meaningOf(name, at);
	if (declared === undefined) return "?";
	if (declared === "free") return "free";
	const letter = letters.get(declared.index) ?? String.fromCharCode(97 + letters.size);
	letters.set(declared.index, letter);
	return role === "shorthand" ? `${letter},.` : letter;
}

const PICTURES: Record<string, readonly string[]> = {
	typescript: [
		"const ‹name:a› = 1; f(‹name:a›, x.‹name:.›, { ‹name:.›: ‹name:a› }, { ‹name:a,.› })",
		"const { ‹a1:.›: ‹b1:a›, ‹c1:b› = ‹b1:a›, ...‹rest:c› } = x; [‹a1:free›, ‹b1:a›, ‹c1:b›, ‹rest:c›]",
		"function ‹run:a›(‹name:b›: string, { ‹id:c› }: Item, ‹more:d› = ‹name:b›) { return ‹id:c› + ‹more:d› } ‹run:a›(‹name:free›)",
		"const ‹name:a› = 1; xs.map((‹name:b›) => ‹name:b›); xs.map(‹name:c› => ‹name:c›); ‹name:a›",
		"import ‹one:a›, { ‹two:b›, ‹three:.› as ‹four:c› } from 'x'; import * as ‹five:d› from 'y'; [‹one:a›, ‹two:b›, ‹three:free›, ‹four:c›, ‹five:d›]",
		"const ‹name:a› = 1; export { ‹name:a› as ‹other:.› }",
		"class ‹Box:a›<‹Kind:b›> { ‹size:.›: ‹Kind:b›; ‹grow:.›(‹size:c›: number) { this.‹size:.› = ‹size:c› } } new ‹Box:a›()",
		"interface ‹Box:a› { ‹size:.›: number } let ‹size:b›: ‹Box:a›; type ‹Of:c›<‹Kind:d›> = ‹Kind:d› | ‹Box:a›['size']",
		"if (x) { const ‹one:a› = 1; ‹one:a› } else { ‹one:free› }; { var ‹two:b› = 2 } ‹two:b›",
		"for (const ‹one:a› of xs) ‹one:a›; for (let ‹one:b› = 0; ‹one:b› < 3; ‹one:b›++) {}; ‹one:free›; try {} catch (‹one:c›) { ‹one:c› }",
		"‹loop:.›: for (;;) break ‹loop:.›",
		"log(‹later:a›); const ‹later:a› = 1; enum ‹Color:b› { ‹red:.› } ‹Color:b›.‹red:.›",
		"namespace ‹Space:a› { const ‹one:b› = 1 } let ‹one:c›: ‹Space:a›.‹one:.›",
	],
	typescriptreact: ["const ‹Item:a› = (‹name:b›: string) => <‹Item:a› ‹name:.›={‹name:b›}>{‹name:b›}</‹Item:a›>"],
	javascript: [
		"var ‹one:a› = function ‹two:b›(‹three:c›) { ‹two:b›(‹three:c›) }; ‹two:free›; ‹one:a›",
		"class ‹Box:a› { #‹size:?› = 1; ‹grow:.›() { ‹grow:free›() } }; ({ ‹Box:a,.› })",
		"let ‹one:a›; ({ ‹one:a,.› } = x); [‹one:a›] = y; for (‹one:a› of xs) ‹one:a›",
	],
	python: [
		"‹name:a› = 1\nf(‹name:.›=‹name:a›, x=y.‹name:.›)\n",
		"def ‹run:a›(‹name:b›, *‹more:c›, ‹key:d›: int = 1):\n    return ‹name:b›, ‹more:c›, ‹key:d›\n‹run:a›(‹name:free›)\n",
		"‹count:a› = 0\ndef f():\n    global ‹count:a›\n    ‹count:a› = 1\ndef g():\n    ‹count:b› = 2\n    return ‹count:b›\n",
		"class ‹Box:a›:\n    ‹size:b› = 1\n    ‹wide:c› = ‹size:b›\n    def ‹grow:d›(self):\n        return self.‹size:.› + ‹size:free›\n",
		"import ‹one:a›.‹two:.›\nimport x as ‹three:b›\nfrom y import ‹four:c›, ‹five:.› as ‹six:d›\n[‹one:a›, ‹three:b›, ‹four:c›, ‹six:d›]\n",
		"‹name:a› = 1\n[‹name:b› for ‹name:b› in xs]\nlambda ‹name:c›: ‹name:c›\nfor ‹one:d›, ‹two:e› in ‹name:a›: ‹one:d›\n",
		"with open(x) as ‹file:a›:\n    ‹file:a›\ntry:\n    pass\nexcept E as ‹error:b›:\n    ‹error:b›\nif (‹found:c› := f()): ‹found:c›\n",
	],
	rust: [
		"fn ‹run:a›(‹name:b›: &str, (‹x1:c›, ‹y1:d›): P) -> ‹Box:free› { ‹name:b›; ‹x1:c› + ‹y1:d› } fn f() { ‹run:a›(‹name:free›) }",
		"fn f() { let ‹name:a› = 1; let ‹name:b› = ‹name:a› + 1; ‹name:b› }",
		"fn f() { if let Some(‹name:a›) = g() { ‹name:a› } match x { Kind::A(‹one:b›) | Kind::B(‹one:b›) => ‹one:b›, ‹MAX:c› => 0 } } const ‹MAX:c›: u8 = 1;",
		"struct ‹Item:a› { ‹size:.›: u8 } fn f(‹size:b›: u8) -> ‹Item:a› { ‹Item:a› { ‹size:b,.› } } fn g(i: ‹Item:a›) { let ‹Item:a› { ‹size:c› } = i; ‹size:c› + i.‹size:.› }",
		"impl A { fn ‹new:a›() {} fn g() { ‹new:free›(); Self::‹new:.›() } }",
		"use x::{‹one:a›, y::‹two:b›, ‹three:.› as ‹four:c›}; fn f() { ‹one:a›(‹two:b›, ‹four:c›) }",
		'fn f(‹name:a›: u8) { println!("{}", ‹name:a›.‹name:.›); xs.map(|‹name:b›| ‹name:b›); for ‹name:c› in xs { ‹name:c› } }',
	],
	go: [
		"package p\nfunc ‹run:a›(‹one:b›, ‹two:c› int) (‹err:d› error) { return ‹one:b› + ‹two:c›, ‹err:d› }\nfunc g() { ‹run:a›(‹one:free›) }",
		"package p\nfunc f() { ‹one:a› := 1; { ‹one:b› := ‹one:a›; ‹one:b›++ }; ‹one:a›, ‹two:c› := 2, 3; x.‹one:.›(‹two:c›) }",
		"package p\nfunc f() { if ‹err:a› := g(); ‹err:a› != nil { ‹err:a› }; for ‹i1:b›, ‹v1:c› := range xs { ‹i1:b› + ‹v1:c› }; ‹err:free› }",
		"package p\ntype ‹Box:a› struct { ‹size:.› int }\nfunc (‹box:b› *‹Box:a›) ‹Grow:.›() { ‹box:b›.‹size:.› = ‹Total:c› }\nvar ‹Total:c› = ‹Box:a›{‹size:?›: 1}",
	],
	java: [
		"class ‹Box:a› { int ‹size:b›; void ‹grow:c›(int ‹size:d›) { this.‹size:.› = ‹size:d›; ‹grow:c›(1); x.‹grow:.›(2); } int get() { return ‹size:b›; } }",
		"class A { void f(List<A> xs) { for (A ‹one:a› : xs) { ‹one:a›.g(); } xs.map(‹two:b› -> ‹two:b›); int ‹one:c› = 1; int ‹three:d› = ‹one:c›; } }",
	],
	c: [
		"int ‹total:a›; int ‹run:b›(int ‹one:c›, char *‹two:d›) { int ‹three:e› = ‹one:c›; return ‹three:e› + *‹two:d› + ‹total:a›; } void f() { ‹run:b›(x->‹one:.›, y.‹two:.›); }",
		"int f(int ‹one:a›); int ‹one:b›; struct ‹Box:c› { int ‹size:d›; }; void g(struct ‹Box:c› *b) { ‹one:b› = b->‹size:.›; }",
	],
	cpp: [
		"class ‹Box:a› { int ‹size:b›; int get() { return ‹size:b›; } }; void f(const ‹Box:a›& ‹box:c›) { auto ‹g1:d› = [&](int ‹one:e›) { return ‹one:e› + ‹box:c›.‹size:.›; }; ‹g1:d›(1); }",
		"struct A { void ‹draw:a›(); int ‹size:b›; }; struct B { void ‹draw:c›(); }; int ‹size:d›; void A::‹draw:a›() { ‹size:b›; ‹draw:a›(); } void B::‹draw:c›() { ‹size:d›; } void f() { ‹size:d›; x.‹draw:.›(); A::‹draw:.›(); }",
		"void A::‹draw:a›() { ‹draw:a›(); } void B::‹draw:b›() { ‹draw:b›(); } void A::‹show:c›() { ‹draw:a›(); } void f() { ‹draw:free›(); } void C<T>::‹draw:d›() {} int A::‹count:e› = 1;",
	],
	csharp: [
		"class ‹Box:a› { int ‹size:b›; public int ‹Size:c› { get { return ‹size:b›; } } void ‹Grow:d›(int ‹size:e›) { this.‹size:.› = ‹size:e›; ‹Grow:d›(‹size:.›: 1); } }",
		"class A { void F() { foreach (var ‹one:a› in xs) { ‹one:a›.‹two:.›(); } xs.Map(‹three:b› => ‹three:b›); var ‹one:c› = new A { ‹two:?› = ‹one:c› }; } }",
	],
	ruby: [
		"‹name:a› = 1\ndef ‹run:b›(‹one:c›, ‹key:d›: 2)\n  ‹one:c› + ‹key:d› + ‹name:free›\nend\n‹run:b›(‹name:a›, ‹key:.›: 3)\nx.‹run:.›\n",
		"class ‹Box:a›\n  def ‹size:b›\n    xs.each { |‹one:c›| ‹one:c› + ‹size:b› }\n  end\nend\n‹Box:a›.new\n",
	],
	php: [
		"<?php function ‹run:a›(‹$one:b›, ‹$two:c› = 1) { return ‹$one:b› + ‹$two:c› + ‹$three:free›; } ‹$three:d› = ‹run:a›(1); foreach ($xs as ‹$key:e› => ‹$one:f›) { echo ‹$one:f›; }",
	],
};

describe.for(Object.entries(PICTURES))("in %s, names resolve to their declarations", ([languageId, pictures]) => {
	test.for(pictures)("%s", (picture) => {
		expect(drawn(languageId, picture)).toBe(picture);
	});
});

describe("in malformed code", () => {
	test.for([
		["typescript", "function ‹run:a›(‹one:b›) { ‹one:b›; if ( } ‹run:a›; ‹two:?›"],
		["python", "def ‹run:a›(‹one:b›):\n    return ‹one:?› +\n\n‹two:?›\n"],
		["go", "package p\nfunc ‹run:a›(‹one:b› int) { ‹one:b›. }\nfunc g() { ‹run:a›(‹two:?›) }"],
	] as const)("in %s, an undeclared name is unknown", ([languageId, picture]) => {
		expect(drawn(languageId, picture)).toBe(picture);
	});

	test("skips only nodes that are nested too deeply", () => {
		const deep = `${"(".repeat(5000)}one${")".repeat(5000)}`;
		const outline = outlineOf("javascript", `let one = ${deep}; one`);
		expect(outline.roleAt(4)).toBe("declaration");
		expect(outline.roleAt(10 + 5000)).toBeUndefined();
		expect(outline.meaningOf("one", 10 + 10_003 + 2)).toMatchObject({ kind: "variable" });
		expect(outline.meaningOf("two", 0)).toBeUndefined();
	});

	test.for([...GRAMMARS.keys()])("parses any string as %s, including an empty one", (languageId) => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 200 }), (source) => {
				const { scopes } = read(languageId, source);
				expect(scopes.slice(0, 3)).toEqual(Int32Array.of(0, source.length + 1, -1));
			}),
			{ numRuns: runs(20) },
		);
	});
});

describe("names that other files can see", () => {
	/** Returns the declared names, with a minus sign before those that other files cannot see. */
	const seen = (languageId: string, source: string) => {
		const outline = outlineOf(languageId, source);
		const declared = [...source.matchAll(/\w+/g)].flatMap(({ 0: name, index }) => {
			const one = outline.declaredAt(index);
			return one === undefined ? [] : [one.isShared ? name : `-${name}`];
		});
		return declared.join(" ");
	};

	test.for([
		["typescript", "export const a = 1; const b = 2; export { c }; let c; function d(e) { let f }", "a -b c -d -e -f"],
		["typescript", "import { a } from 'x'; export default b; class b {} type c = 1", "a b -c"],
		["javascript", "const a = 1; function b() { var c } module.exports = { a }", "a b -c"],
		["python", "a = 1\ndef b(c):\n    d = 2\nclass e:\n    f = 3\n    def g(h): pass\n", "a b -c -d e f g -h"],
		["rust", "const A: u8 = 1; fn b(c: u8) { let d = 1; } mod e { fn f() {} } impl G { fn h() {} }", "A b -c -d e f h"],
		["go", "package p\nvar a = 1\nfunc b(c int) { d := 2 }\n", "a b -c -d"],
		["java", "class A { int b; void c(int d) { int e; } }", "A b c -d -e"],
	] as const)("in %s: %s", ([languageId, source, expected]) => {
		expect(seen(languageId, source)).toBe(expected);
	});
});

describe("incremental parsing", () => {
	const sources = Object.entries(PICTURES).flatMap(([languageId, pictures]) => {
		return pictures.map((picture) => ({ languageId, source: sourceOf(picture) }));
	});
	const piece = fc.constantFrom(
		"",
		"a",
		"name",
		" ",
		"\n",
		"\r\n",
		"\r",
		"\n    ",
		"(",
		")",
		"{",
		"}",
		'"',
		"é😀",
		"= 1;",
	);
	const edit = fc.record({ from: fc.nat(), length: fc.nat(8), insert: piece });

	test("gives the same outline as parsing the whole text after edits are made and undone", () => {
		fc.assert(
			fc.property(fc.constantFrom(...sources), fc.array(edit, { maxLength: 6 }), ({ languageId, source }, edits) => {
				const parsed = parsers.parse(languageId, source);
				parsed.outline();
				let now = source;
				for (const { from: seed, length, insert } of edits) {
					const from = seed % (now.length + 1);
					const one = { from, to: Math.min(from + length, now.length), insert };
					parsed.change([one]);
					now = applied(now, one);
					parsed.outline();
				}
				// The tree for malformed code depends on the previous tree. The tree for valid code does not.
				const back = { from: 0, to: now.length, insert: source };
				const { head, tail } = Text.of(now).common(Text.of(source));
				const least = { from: head, to: now.length - tail, insert: source.slice(head, source.length - tail) };
				parsed.change([edits.length % 2 === 0 ? least : back]);
				expect(parsed.outline()).toEqual(read(languageId, source));
				parsed.free();
			}),
		);
	});

	test("gives the same outline as parsing the whole text after each valid change", () => {
		const line = fc.constantFrom("let one = 1", "f(one)", "{ let one = 2; g(one) }", "const h = (one) => one", "");
		const lines = fc.array(line, { maxLength: 8 });
		fc.assert(
			fc.property(lines, fc.array(fc.tuple(fc.nat(), line), { maxLength: 6 }), (first, changes) => {
				const now = [...first];
				const parsed = parsers.parse("typescript", now.join("\n"));
				for (const [seed, insert] of changes) {
					const index = seed % (now.length + 1);
					const before = now.join("\n");
					now.splice(index, seed % 2, insert);
					const after = now.join("\n");
					const { head, tail } = Text.of(before).common(Text.of(after));
					parsed.change([{ from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) }]);
					expect(parsed.outline()).toEqual(read("typescript", after));
				}
				parsed.free();
			}),
		);
	});
});

function applied(source: string, { from, to, insert }: Edit): string {
	return source.slice(0, from) + insert + source.slice(to);
}

test("reports a missing grammar", async () => {
	await expect(new Parsers(installedGrammars).load("plaintext")).rejects.toThrow("there is no grammar for plaintext");
	expect(() => new Parsers(installedGrammars).parse("python", "")).toThrow("the grammar for python is not loaded");
});
