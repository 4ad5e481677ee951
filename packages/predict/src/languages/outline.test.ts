import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DECLARATION_KINDS, NAME_ROLES, Outline, type OutlineData, SCOPE_KINDS } from "./outline.js";

/** A parser for a toy language: braces are scopes, `+a` declares, `a` uses, `.a` is a property. */
function parse(source: string): OutlineData {
	const scopes: number[][] = [[0, source.length + 1, -1, SCOPE_KINDS.indexOf("block")]];
	const declarations: number[][] = [];
	const names: number[][] = [];
	const words: string[] = [];
	let scope = 0;
	for (const { 0: sign, index } of source.matchAll(/[{}]|[+.]?[a-z]+/g)) {
		if (sign === "{") {
			scopes.push([index, source.length, scope, SCOPE_KINDS.indexOf("block")]);
			scope = scopes.length - 1;
		} else if (sign === "}") {
			(scopes[scope] as number[])[1] = index + 1;
			scope = Math.max(scopes[scope]?.[2] ?? 0, 0);
		} else {
			const word = sign.replace(/^[+.]/, "");
			const from = index + sign.length - word.length;
			const role = sign.startsWith("+") ? "declaration" : sign.startsWith(".") ? "property" : "use";
			names.push([from, from + word.length, NAME_ROLES.indexOf(role)]);
			if (role !== "declaration") continue;
			if (!words.includes(word)) words.push(word);
			const reach = scopes[scope]?.[0] ?? 0;
			declarations.push([from, words.indexOf(word), scope, reach, DECLARATION_KINDS.indexOf("variable"), 1]);
		}
	}
	return {
		words,
		scopes: Int32Array.from(scopes.flat()),
		declarations: Int32Array.from(declarations.flat()),
		names: Int32Array.from(names.flat()),
		isSequential: false,
		isBroken: false,
	};
}

const outlineOf = (text: Text) => Outline.of(text, parse(text.toString()));

test("resolves a name to its innermost declaration, and an undeclared name to `free`", () => {
	const outline = outlineOf(Text.of("+a { +a a } a b .a"));
	const [outer, inner] = [outline.declaredAt(1), outline.declaredAt(6)];
	expect(inner?.scope).not.toBe(outer?.scope);
	expect(outline.meaningOf("a", 8)).toEqual(inner);
	expect(outline.meaningOf("a", 12)).toEqual(outer);
	expect(outline.meaningOf("b", 14)).toBe("free");
	expect([0, 1, 8, 17].map((at) => outline.roleAt(at))).toEqual([undefined, "declaration", "use", "property"]);
});

test("returns undefined for the changed part of a later version, and for names in it", () => {
	const text = Text.of("+a { +b b } a c");
	const later = text.replace(5, 7, "+d e");
	const outline = outlineOf(text).for(later);
	expect(outline?.declaredAt(6)).toBeUndefined();
	expect(outline?.roleAt(10)).toBe("use");
	expect(outline?.meaningOf("a", 14)).toMatchObject({ kind: "variable" });
	expect(outline?.meaningOf("c", 16)).toBe("free");
	expect(outline?.meaningOf("d", 16)).toBeUndefined();
	// Its declaration was deleted.
	expect(outline?.meaningOf("b", 10)).toBe("free");
});

test.for([
	["+one { one }", 1, 4, "two"],
	["+one { one }", 2, 2, "x"],
	["+one { one }", 4, 4, "s"],
	["+one { one }", 1, 3, ""],
] as const)("follows a rename in `%s` that replaces %i–%i with `%s`", ([source, from, to, insert]) => {
	const text = Text.of(source);
	const outline = outlineOf(text).for(text.replace(from, to, insert));
	const declared = outline?.declaredAt(1);
	expect(declared).toMatchObject({ kind: "variable" });
	expect(outline?.roleAt(1)).toBe("declaration");
	const use = 7 + insert.length - (to - from);
	expect(outline?.meaningOf("one", use, declared)).toEqual(declared);
});

test.for([
	["+one { one }", 1, 4, "a b"],
	["+one { one }", 0, 4, "two"],
	["+one two { one }", 3, 6, "x"],
] as const)(
	"returns undefined for the declaration in `%s` after %i–%i was replaced with `%s`",
	([source, from, to, insert]) => {
		const text = Text.of(source);
		expect(
			outlineOf(text)
				.for(text.replace(from, to, insert))
				?.declaredAt(1),
		).toBeUndefined();
	},
);

test("does not apply to a version that differs too much", () => {
	const outline = outlineOf(Text.of("+a a"));
	expect(outline.for(Text.of(`+a ${"b ".repeat(2000)}a`))).toBeUndefined();
	expect(outline.for(Text.of("+a b a"))).toBeDefined();
});

test("agrees with a new outline of a later version if no declaration was changed", () => {
	const piece = fc.constantFrom("+a ", "+b ", "a ", "b ", ".a ", "{ ", "} ");
	const use = fc.constantFrom("a ", "b ", ".b ", "ab ");
	fc.assert(
		fc.property(fc.array(piece), fc.nat(), fc.array(use, { maxLength: 4 }), (pieces, index, inserted) => {
			const text = Text.of(pieces.join(""));
			const at = pieces.slice(0, index % (pieces.length + 1)).join("").length;
			const later = text.replace(at, at, inserted.join(""));
			const [old, fresh] = [outlineOf(text).for(later) as Outline, outlineOf(later)];
			let known = 0;
			for (const { 0: name, index } of later.toString().matchAll(/[a-z]+/g)) {
				const role = old.roleAt(index);
				if (role === undefined) continue;
				known++;
				expect(role).toBe(fresh.roleAt(index));
				const meaning = old.meaningOf(name, index);
				if (meaning !== undefined) expect(meaning).toEqual(fresh.meaningOf(name, index));
			}
			// Only the inserted names and their neighbours are unknown.
			expect(known).toBeGreaterThanOrEqual([...text.toString().matchAll(/[a-z]+/g)].length - 2);
		}),
	);
});

test("finds the declarations of a name, also in a later version, but not in the changed part", () => {
	const text = Text.of("+a { +b } +b");
	const outline = outlineOf(text);
	const placesIn = (of: Outline | undefined, name: string) =>
		of?.declarationsNamed(name).map(({ at, scope }) => [at, scope]);
	expect(placesIn(outline, "b")).toEqual([
		[6, 1],
		[11, 0],
	]);
	expect(placesIn(outline, "c")).toEqual([]);
	const later = outline.for(text.replace(8, 8, "+b .c "));
	expect(placesIn(later, "a")).toEqual([[1, 0]]);
	expect(placesIn(later, "b")).toEqual([
		[6, 1],
		[17, 0],
	]);
	expect(placesIn(outline.for(text.replace(6, 7, "")), "b")).toEqual([[10, 0]]);
});
