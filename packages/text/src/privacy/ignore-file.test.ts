import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GlobError, StepBudget } from "../glob.js";
import { foldName, IgnoreFile } from "./ignore-file.js";

/** Whether a file or one of its parent folders is ignored. A path with a trailing slash is a folder. */
function isIgnored(file: IgnoreFile, written: string): boolean {
	const isFolder = written.endsWith("/");
	const names = written.replace(/\/$/, "").split("/").map(foldName);
	return names.some((_, i) => {
		const isLast = i === names.length - 1;
		return file.decide(names.slice(0, i + 1).join("/"), !isLast || isFolder, new StepBudget()) === true;
	});
}

const TABLE: readonly (readonly [string, string, string])[] = [
	// anchoring
	["*.log", "a.log|sub/b.log|A.LOG", "a.ts|log"],
	["/dist", "dist|dist/a.js", "sub/dist"],
	["a/b", "a/b|a/b/c", "x/a/b"],
	["build/", "build/|sub/build/a.js", "build|sub/build"],
	["a/b/", "a/b/", "a/b|a/bc/"],
	// two stars
	["**/tmp", "tmp|a/tmp/x", "tmpx"],
	["docs/**/old", "docs/old|docs/a/b/old", "a/docs/old|docsold"],
	["docs/**", "docs/a|docs/a/b", "docs|docs/"],
	["**", "a|a/b", ""],
	["a/**/**/b", "a/b|a/x/b|a/x/y/b", "ab"],
	["x/a**/b", "x/a/b|x/ab/b", "x/b"],
	["?**/b", "a/b|ab/b", "a/x/b"],
	// negation
	["*\n!*/\n!*.ts", "a.js|sub/a.js", "a.ts|sub/a.ts"],
	["out/\n!out/keep.ts", "out/keep.ts", "keep.ts"],
	["a\n!a\na", "a", "b"],
	["!a\na\n!a", "", "a"],
	// sets
	["[xy].ts", "x.ts|Y.ts", "z.ts|[xy].ts"],
	["[!a-c]x", "dx", "bx"],
	["[^a]x", "bx", "ax"],
	["[]-]x", "]x|-x", "ax"],
	["[a\\]b]x", "]x|ax", "\\x"],
	["[[:digit:][:upper:]]x", "1x|Ax|ax", "_x"],
	["[[:none:]]x", "", "nx|:x"],
	["[a", "", "a|[a"],
	["[A]x", "Ax|ax", "bx"],
	["a[/]b", "", "a/b"],
	// escapes, spaces, line endings, comments
	["\\#a\n\\!b\n#c\n\n", "#a|!b", "a|c|b"],
	["c\\ ", "c ", "c|c\\ "],
	["a   \nb\\\\  ", "a|b\\", "b|a   |b\\ "],
	["a\t", "a\t", "a"],
	["a\\", "", "a|a\\"],
	["\\*\\?", "*?", "ab"],
	["\ufeffa.ts\r\nb.ts\r\n", "a.ts|b.ts", "c.ts"],
	// bytes and letters
	["caf\u00c9", "caf\u00e9|caf\u00c9", "cafe"],
	["caf?", "cafe", "caf\u00e9"],
	["priv\ufffd.ts", "priv\u00e9.ts|priv.ts", "pri.ts"],
	["*.ts\n!priv\ufffd.ts", "privx.ts", ""],
	["/\n//\n!\n!/\n ", "", "a|a/b"],
];

test.each(TABLE)("the ignore file %j ignores %s and not %s", (text, ignored, others) => {
	const file = new IgnoreFile(text);
	const paths = [ignored, others].map((some) => some.split("|").filter((one) => one !== ""));
	expect(paths.flat().filter((one) => isIgnored(file, one))).toEqual(paths[0]);
});

const somePattern = fc
	.record({
		not: fc.constantFrom("", "", "", "!"),
		start: fc.constantFrom("", "", "/"),
		names: fc.array(
			fc.oneof(
				fc.constantFrom("**", "*", "a", "b"),
				fc
					.array(
						fc.constantFrom(
							..."ab.-\\",
							..."*?",
							..."ab",
							"[ab]",
							"[!a]",
							"[^b]",
							"[a-c]",
							"[]a]",
							"[a-]",
							"[\\]]",
							"[[:alpha:]]",
							"[[:punct:]b]",
							"[[:x:]]",
							"[:a]",
							"[",
							"]",
							"\\*",
							"\\[",
							"\\ ",
							"\\\\",
							" ",
							"#",
							"\u00e9",
						),
						{ minLength: 1, maxLength: 4 },
					)
					.map((parts) => parts.join(""))
					// Before version 2.42, git compares addresses in different texts to decide whether `**` matches folders in
					// `a**/b`.
					.filter((name) => !name.includes("**")),
			),
			{ minLength: 1, maxLength: 4 },
		),
		end: fc.constantFrom("", "", "", "/", " ", "  ", "/**", "\\ ", "\r"),
	})
	.map(({ not, start, names, end }) => not + start + names.join("/") + end);
const someName = fc
	.string({ unit: fc.constantFrom("a", "b", "c", ".", "-", "]", " ", "\\", "\u00e9"), minLength: 1, maxLength: 4 })
	.filter((name) => !/^\.+$/.test(name));
const somePath = fc.array(someName, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

const canAskGit = process.platform === "linux" && spawnSync("git", ["--version"]).status === 0;

test.skipIf(!canAskGit)("ignores the same paths as git", () => {
	const top = mkdtempSync(path.join(tmpdir(), "segue-ignore-"));
	try {
		spawnSync("git", ["init", "-q", top]);
		fc.assert(
			fc.property(
				fc.array(somePattern, { minLength: 1, maxLength: 4 }).map((patterns) => patterns.join("\n")),
				fc.array(somePath, { minLength: 30, maxLength: 30 }),
				(text, paths) => {
					writeFileSync(path.join(top, ".gitignore"), text);
					// The paths do not exist, so git treats each path as a file and its parents as folders.
					const args = ["-c", "core.ignorecase=true", "check-ignore", "--no-index", "--stdin", "-z"];
					const { stdout } = spawnSync("git", args, { cwd: top, input: paths.join("\0"), encoding: "utf8" });
					const expected = new Set(stdout.split("\0"));
					const file = new IgnoreFile(text);
					for (const each of paths) expect([each, isIgnored(file, each)]).toEqual([each, expected.has(each)]);
				},
			),
			{ numRuns: 100, seed: 7 },
		);
	} finally {
		rmSync(top, { recursive: true });
	}
});

describe("an ignore file is rejected", () => {
	test.each([
		["with too much text", "#".repeat(1_000_001), "more than 1000000 characters"],
		["with too many patterns", "a\n".repeat(20_001), "more than 20000 patterns"],
		["with a pattern that is too long", "a".repeat(4097), "a pattern has more than 4096 characters"],
		[
			"with too many wildcards",
			Array.from({ length: 20_000 }, (_, i) => `**/a*b*c${i}`).join("\n"),
			"wildcards have more than",
		],
	])("%s", (_, text, why) => {
		expect(() => new IgnoreFile(text)).toThrow(GlobError);
		expect(() => new IgnoreFile(text)).toThrow(why);
	});
});

test("patterns without wildcards, and suffixes, take no steps", () => {
	const lines = Array.from({ length: 6000 }, (_, i) => `name${i}\n/path/to/${i}\n*.ending${i}`);
	const file = new IgnoreFile(lines.join("\n"));
	const none = new StepBudget(0);
	for (const ignored of ["x/name5999", "path/to/0", "a.ending7"]) expect(file.decide(ignored, false, none)).toBe(true);
	expect(file.decide("name", false, none)).toBeUndefined();
});

test("repeated patterns are matched once", () => {
	const file = new IgnoreFile("**/a*b*c\n".repeat(20_000));
	expect(file.decide("a/bb", false, new StepBudget(100))).toBeUndefined();
});

test("a match that takes too many steps throws", () => {
	const file = new IgnoreFile(Array.from({ length: 200 }, (_, i) => `${"*a".repeat(20 + i)}*b*`).join("\n"));
	expect(() => file.decide(`b${"a".repeat(254)}`, false, new StepBudget(100_000))).toThrow(GlobError);
});
