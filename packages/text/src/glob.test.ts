import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { Glob, GlobError, StepBudget } from "./glob.js";

describe("a glob", () => {
	test.each([
		["*.ts", "a.ts .ts", "a.js src/a.ts"],
		["src/?.ts", "src/a.ts", "src/ab.ts src/.ts"],
		["./src/*", "src/a", "src src/a/b"],
		["**/*.ts", "a.ts src/x/a.ts", "a.tsx"],
		["src/**", "src src/a src/x/a", "src-2/a a"],
		["**/x/**/a.ts", "x/a.ts s/x/y/z/a.ts x/x/a.ts", "x/a.js a.ts"],
		["a**b/c", "ab/c axb/c", "a/b/c"],
		["*.{ts,{js,mjs}}", "a.ts a.js a.mjs", "a.{ts a.css"],
		["{src,test}/**", "src/a test/b/c test", "lib/a"],
		["{src/**,test/*}", "src/a/b test/a", "src test test/a/b"],
		["*/**", "a/b a/b/c", "a"],
		["{**/,}a", "a x/y/a", "xa"],
		["a{b}c", "a{b}c", "abc"],
		["a{b,c", "a{b,c", "ab ac"],
		["v{1..3}", "v1 v2 v3", "v4 v"],
		["[ab].ts", "a.ts b.ts [ab].ts", "c.ts"],
		["[a-c]x", "ax cx", "dx [a-c]x"],
		["[!a]x", "bx", "ax /x"],
		["[^a]x", "bx", "ax"],
		["[]a]x", "]x ax", "bx"],
		["[[:digit:]]x", "1x", "ax"],
		["[a", "[a", "a"],
		["[id]/page", "i/page [id]/page", "x/page"],
		["\\*.ts", "*.ts", "a.ts"],
		["a.b", "a.b", "axb"],
		["@(a|b).ts", "a.ts b.ts", "ab.ts .ts"],
		["(a|b).ts", "a.ts b.ts", "c.ts"],
		["a?(b)c", "ac abc", "abbc"],
		["a*(b|cd)e", "ae abe abcdbe", "ace"],
		["a+(b)c", "abc abbc", "ac"],
		["!(*.test).ts", "a.ts a-test.ts", "a.test.ts b/a.ts"],
		["src/!(a|b)/x", "src/c/x src/ab/x", "src/a/x src/b/x src/c/d/x"],
		["!*.ts", "a.js src/a.ts", "a.ts"],
		["!!*.ts", "a.ts", "a.js"],
		["!{a/b,c/*}", "a/c d/b", "a/b c/d"],
		["", "", "a"],
	])("%j matches some paths and not others", (pattern, like, unlike) => {
		const glob = Glob.parse(pattern);
		const paths = [...like.split(" "), ...unlike.split(" ")];
		expect(paths.filter((path) => glob.matches(path))).toEqual(like.split(" "));
	});

	test("matches the same paths as a backtracking regular expression", () => {
		const segment = fc.oneof(
			{ weight: 2, arbitrary: fc.constantFrom("**", "*", "a").map((text) => ({ text, source: SOURCES[text] ?? "" })) },
			{
				weight: 3,
				arbitrary: fc
					.array(fc.constantFrom(...Object.keys(SOURCES)), { minLength: 1, maxLength: 3 })
					.map((parts) => ({ text: parts.join(""), source: parts.map((part) => SOURCES[part]).join("") }))
					// Next to a group, two stars may also match folders.
					.filter(({ text }) => !/\*\*[{(]|[})]\*\*/.test(text)),
			},
		);
		const name = fc
			.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 4 })
			.filter((text) => !/^\.+$/.test(text));
		const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
		fc.assert(
			fc.property(
				// A leading `./` has no effect.
				fc.array(segment, { minLength: 1, maxLength: 4 }).filter(([first]) => first?.text !== "."),
				fc.array(path, { minLength: 8, maxLength: 8 }),
				(segments, paths) => {
					const model = modelOf(segments);
					const glob = Glob.parse(segments.map(({ text }) => text).join("/"));
					expect(paths.filter((each) => glob.matches(each))).toEqual(paths.filter((each) => model.test(each)));
				},
			),
			{ numRuns: 300 },
		);
	});

	test.each([
		["stars", `${"*a".repeat(400)}*b`, "a".repeat(1000)],
		["folders", `${"**/a/".repeat(190)}b`, "a/".repeat(500)],
		["nested groups", `${"+(".repeat(20)}a${")".repeat(20)}b`, "a".repeat(2000)],
		["overlapping groups", "*(a|aa|aaa)*(a|aa)*(a|aa)b", "a".repeat(2000)],
		["braces", `${"{a,aa}".repeat(100)}b`, "a".repeat(200)],
	])("takes at most a few steps per character of pattern and text: %s", (_, pattern, text) => {
		expect(Glob.parse(pattern).matches(text, new StepBudget(4 * pattern.length * text.length))).toBe(false);
	});

	test("throws when its steps are used up", () => {
		expect(() => Glob.parse("*a*b").matches("a".repeat(100), new StepBudget(50))).toThrow(GlobError);
		const nested = `${"*!(".repeat(30)}a${")".repeat(30)}b`;
		expect(() => Glob.parse(nested).matches("a".repeat(255))).toThrow(GlobError);
	});

	test("counts each position after a negation as a step", () => {
		// Each of the 40 negations has 40 start positions and, for each of them, about 20 later positions at which it ends.
		const glob = Glob.parse(`${"!(a)".repeat(40)}b`);
		expect(() => glob.matches("a".repeat(40), new StepBudget(60_000))).toThrow(GlobError);
		expect(glob.matches("a".repeat(40), new StepBudget(80_000))).toBe(false);
		expect(() => Glob.parse(`${"!(a)".repeat(2000)}b`).matches("a".repeat(50))).toThrow(GlobError);
	});

	test.each([
		["unclosed brackets", "[".repeat(1000)],
		["unclosed brackets with text", "[a".repeat(500)],
		["brackets before an unknown class name", `${"[a".repeat(500)}[:none:]`],
		["a bracket closed only by a class name", "[a".repeat(500).concat("[:alpha:]")],
	])("is parsed in linear time: %s", (_, pattern) => {
		using read = vi.spyOn(String.prototype, "charCodeAt");
		Glob.parse(pattern);
		expect(read.mock.calls.length).toBeLessThan(4 * pattern.length);
	});

	test.each([
		["braces", "{a,", "}", 2000],
		["negations", "!(", ")", 2000],
		["groups", "(", ")", 4900],
		["groups just above the limit", "+(", ")", 51],
	])("is rejected if it is nested too deeply: %s", (_, opening, closing, depth) => {
		expect(() => Glob.parse(opening.repeat(depth) + closing.repeat(depth))).toThrow(GlobError);
	});

	test("can be nested up to the limit, and contain any number of unclosed groups", () => {
		expect(Glob.parse(`${"{a,".repeat(50)}b${"}".repeat(50)}`).matches("b")).toBe(true);
		expect(Glob.parse("(".repeat(1000)).matches("(".repeat(1000))).toBe(true);
	});

	test("is rejected if it is too long", () => {
		expect(() => Glob.parse("a".repeat(10_001))).toThrow("longer than 10000 characters");
	});
});

/** Parts of names in a glob, each with its regular expression. */
const SOURCES: Readonly<Record<string, string>> = {
	"*": "[^/]*",
	a: "a",
	b: "b",
	".": "\\.",
	"?": "[^/]",
	"{a,b}": "(?:a|b)",
	"{a,b*}": "(?:a|b[^/]*)",
	"[ab]": "[ab]",
	"[a-b]": "[a-b]",
	"@(a|b)": "(?:a|b)",
	"+(a)": "a+",
	"?(b)a": "b?a",
};

/**
 * Converts the names in a glob to one regular expression. Two or more stars as a whole name match any number of
 * folders. At the end they also match none, except after a `*`. Inside a name they count as one star.
 */
function modelOf(segments: readonly { readonly text: string; readonly source: string }[]): RegExp {
	let source = "";
	let slash = "";
	for (const [i, segment] of segments.entries()) {
		const isLast = i === segments.length - 1;
		const isFolders = /^\*{2,}$/.test(segment.text);
		if (!isFolders) source += slash + segment.source;
		else if (!isLast) source += `${slash}(?:.*/)?`;
		else source += slash === "" || segments[i - 1]?.text.endsWith("*") ? `${slash}.*` : "(?:/.*)?";
		slash = isFolders ? "" : "/";
	}
	return new RegExp(`^${source}$`);
}
