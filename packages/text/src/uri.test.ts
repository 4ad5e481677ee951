import fc from "fast-check";
import { expect, test } from "vitest";
import { fileNameOf, sameUri, uriKey } from "./uri.js";

function expectSame(...uris: readonly [string, string, ...string[]]): void {
	for (const a of uris) for (const b of uris) expect([a, b, sameUri(a, b)]).toEqual([a, b, true]);
}

function expectDifferent(...uris: readonly [string, string, ...string[]]): void {
	for (const a of uris) for (const b of uris) expect([a, b, sameUri(a, b)]).toEqual([a, b, a === b]);
}

test("ignores the case of escapes", () => expectSame("file:///a%3ab", "file:///a%3Ab", "file:///a:b"));
test("ignores whether a character is escaped", () =>
	expectSame("file:///a b/(c).ts", "file:///a%20b/(c).ts", "file:///%61%20b/%28c%29%2Ets", "file:///a%20b/%28c%29.ts"));
test("ignores whether a character beyond ASCII is escaped", () => {
	expectSame("file:///é漢😀", "file:///%C3%A9%E6%BC%A2%F0%9F%98%80", "file:///%c3%a9漢%f0%9f%98%80");
	expectSame("untitled:Grüße", "untitled:Gr%C3%BC%C3%9Fe");
});
test("ignores the case of a drive letter and how its colon is written", () =>
	expectSame("file:///c:/x", "file:///C:/x", "file:///c%3A/x", "file:///C%3A/x", "file:///C%3a/x"));
test("ignores the case of the scheme", () => expectSame("file:///x", "FILE:///x", "File:///x"));
test("ignores an explicit localhost", () =>
	expectSame("file:///c:/x", "file://localhost/c:/x", "file://LOCALHOST/C%3A/x"));

test("distinguishes paths by case", () => expectDifferent("file:///c:/x", "file:///c:/X"));
test("distinguishes an escaped delimiter from a plain one", () => {
	expectDifferent("file:///a/b", "file:///a%2Fb");
	expectDifferent("file:///a?b", "file:///a%3Fb");
	expectDifferent("file:///a#b", "file:///a%23b");
	expectDifferent("file:///a%41", "file:///a%2541");
});
test("ignores the case of an escaped delimiter", () => expectSame("file:///a%2fb", "file:///a%2Fb"));
test("distinguishes hosts, schemes and queries", () => {
	expectDifferent("file:///x", "file://server/x", "untitled:///x", "file:///x?1", "file:///x#1");
	expectDifferent("untitled:Untitled-1", "untitled:Untitled-2");
});
test("recognizes a drive letter only at the start of a file's path", () => {
	expectDifferent("file:///x/C:/y", "file:///x/c:/y");
	expectDifferent("untitled:C:/y", "untitled:c:/y");
});

test("treats a percent sign that escapes nothing as literal", () => {
	expectSame("file:///100%", "file:///100%25");
	expectSame("file:///100%-%zz", "file:///100%25-%25zz");
	expectSame("file:///%%34%31", "file:///%2541");
});
test("compares bytes that are not UTF-8 as written", () => {
	expectSame("file:///%ff", "file:///%FF");
	expectSame("file:///%41%ff%C3%A9", "file:///A%FFé");
	expectDifferent("file:///%FF", "file:///%FE", "file:///ÿ", "file:///\ufffd");
	expectDifferent("file:///%ED%A0%80", "file:///%C0%AF", "file:///%2F", "file:////");
});
test("gives an empty string its own key", () => {
	expect(uriKey("")).toBe("");
	expectDifferent("", "file:///");
});

/** The spellings of a character: unescaped, or escaped with digits in either case. */
function writingsOf(character: string): string[] {
	const escaped = Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16).padStart(2, "0")}`);
	return [character, escaped.join(""), escaped.join("").toUpperCase()];
}

// Everything that a path may contain, with its spellings. An escaped delimiter differs from a plain one, and a percent
// sign is always escaped, because the following text may look like digits.
const SIGNS = [
	...["a", "B", "4", "1", " ", ":", "@", "+", "~", "é", "漢", "😀"].map(writingsOf),
	...["%", "/", "?", "#"].map((delimiter) => writingsOf(delimiter).slice(1)),
	...[["/"], ["?"], ["#"], ["%ff", "%FF"]],
];

/** A path as a list of character indices, with two spellings of it. */
const somePath = fc.array(fc.tuple(fc.nat(SIGNS.length - 1), fc.nat(), fc.nat()), { maxLength: 6 }).map((picks) => {
	const write = (sign: number, pick: number) => SIGNS[sign]?.[pick % SIGNS[sign].length] ?? "";
	return {
		signs: picks.map(([sign]) => sign).join(),
		one: picks.map(([sign, pick]) => write(sign, pick)).join(""),
		other: picks.map(([sign, , pick]) => write(sign, pick)).join(""),
	};
});

test("gives all spellings of a path the same key", () =>
	fc.assert(
		fc.property(somePath, ({ one, other }) => {
			expect(uriKey(`file:///x/${one}`)).toBe(uriKey(`file:///x/${other}`));
		}),
	));

test("gives different paths different keys", () =>
	fc.assert(
		fc.property(somePath, somePath, (a, b) => {
			expect(sameUri(`untitled:${a.one}`, `untitled:${b.one}`)).toBe(a.signs === b.signs);
		}),
	));

test.each([
	["file:///project/src/a.ts", "a.ts"],
	["file:///project/my%20file.ts", "my file.ts"],
	["file:///project/100%.ts", "100%.ts"],
	["untitled:1", "untitled:1"],
])("the file name of %s is %s", (uri, name) => {
	expect(fileNameOf(uri)).toBe(name);
});

test("is idempotent", () => {
	const somePiece = fc.constantFrom(
		"file:",
		"///",
		"//localhost/",
		"C",
		"c",
		":",
		"/",
		"%",
		"%25",
		"%2f",
		"%3A",
		"%34",
		"1",
	);
	const someOther = fc.constantFrom("%C3", "%a9", "%ff", "%F0%9F", "é", "😀", "?", "#", "untitled:", "\ud83d");
	fc.assert(
		fc.property(fc.array(fc.oneof(somePiece, someOther)), (pieces) => {
			const key = uriKey(pieces.join(""));
			expect(uriKey(key)).toBe(key);
		}),
	);
});
