import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gate } from "@segue/testing";
import { uriKey } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Privacy } from "./privacy.js";

const TOP = "file:///app";

/** A workspace of these files, by their paths. */
function privacyOf(texts: Readonly<Record<string, string>>, folders: readonly string[] = [TOP]) {
	const byKey = new Map(Object.entries(texts).map(([name, text]) => [uriKey(`${TOP}/${name}`), text]));
	const reads: string[] = [];
	const files = {
		read: async (uri: string) => {
			reads.push(uri);
			return byKey.get(uriKey(uri));
		},
		list: async () => [],
	};
	const privacy = new Privacy(files, () => folders);
	return { privacy, reads, write: (name: string, text: string) => byKey.set(uriKey(`${TOP}/${name}`), text) };
}

test.for([
	["*.log", "a.log sub/b.log A.LOG", "a.ts log"],
	["/dist\nbuild/", "dist dist/a.js sub/build/a.js", "sub/dist build sub/build"],
	["*\n!*/\n!*.ts", "a.js sub/a.js", "a.ts sub/a.ts"],
	["out/\n!out/keep.ts", "out/keep.ts", "keep.ts"],
	["# notes\n\n\\#a\n\\!b\nc\\ ", "#a !b c%20", "notes c b"],
	["a b\n[xy].ts\nfile?.ts", "a%20b x.ts y.ts file1.ts", "ab z.ts file.ts"],
	["docs/**/old\n**/tmp", "docs/old docs/a/b/old tmp a/tmp/x", "a/docs/old"],
	["\ufeffa.ts\r\nb.ts\r\n", "a.ts b.ts", "c.ts"],
	["100%\nwhy#\nwho\\?", "100%25 why%23 who%3F", "100 why who"],
	["caf\u00e9\u2028x", "caf%C3%A9%E2%80%A8x", "caf%C3%A9"],
	["a\\\nb", "b", "a"],
] as const)("by the ignore file %j %s are private, and %s are not", async ([text, ignored, others]) => {
	const { privacy } = privacyOf({ ".gitignore": text });
	for (const name of ignored.split(" "))
		expect([name, await privacy.isPrivate(`${TOP}/${name}`)]).toEqual([name, true]);
	for (const name of others.split(" "))
		expect([name, await privacy.isPrivate(`${TOP}/${name}`)]).toEqual([name, false]);
});

describe("a file is private", () => {
	test.for([
		["sub/a.log", { ".gitignore": "*.log" }, true],
		["sub/a.log", { ".gitignore": "*.log", "sub/.gitignore": "!a.log" }, false],
		["sub/deep/a.log", { ".gitignore": "*.log", "sub/.gitignore": "!a.log" }, false],
		["sub/deep/a.log", { ".gitignore": "*.log", "sub/.gitignore": "!/a.log" }, true],
		["a.log", { ".gitignore": "*.log", "sub/.gitignore": "!a.log" }, true],
		["sub/x/a.ts", { "sub/.gitignore": "/x" }, true],
		["x/a.ts", { "sub/.gitignore": "/x" }, false],
		["sub/build/x.ts", { ".gitignore": "build", "sub/.gitignore": "!build" }, false],
		["out/keep.ts", { ".gitignore": "out/", "out/.gitignore": "!keep.ts" }, true],
		["sub/x/a.ts", { "sub/.gitignore": "/" }, false],
		["a%20[1]/x/b.ts", { "a [1]/.gitignore": "x" }, true],
		["a%20[1]/b.ts", { "a [1]/.gitignore": "b.ts\n!b.ts\n/b.ts" }, true],
		["a1/b.ts", { "a [1]/.gitignore": "b.ts", "a[1]/.gitignore": "b.ts" }, false],
		["a.ts", { ".git/info/exclude": "a.ts" }, true],
		["a.ts", { ".git/info/exclude": "a.ts", ".gitignore": "!a.ts" }, false],
		["a.ts", { ".ignore": "a.ts" }, true],
		["a.ts", { ".gitignore": "a.ts", ".ignore": "!a.ts" }, false],
		[".git/config", {}, true],
		["sub/.git/hooks/a", {}, true],
		["sub/.Git", {}, true],
		[".gitignore", {}, false],
		[".env.local", {}, true],
		["sub/%2e%2e/a.ts", {}, true],
		["sub/..%5Ca.ts", {}, true],
		["a%2Fb.ts", {}, true],
	] as const)("or not: %s with %j: %s", async ([name, texts, expected]) => {
		const { privacy } = privacyOf(texts);
		expect(await privacy.isPrivate(`${TOP}/${name}`)).toBe(expected);
		expect(privacy.isPrivate(`${TOP}/${name}`)).toBe(expected);
	});

	test("and so is a folder, if there is a slash at the end of its uri", async () => {
		const { privacy } = privacyOf({ ".gitignore": "out/" });
		expect(await privacy.isPrivate(`${TOP}/out/`)).toBe(true);
		expect(await privacy.isPrivate(`${TOP}/out`)).toBe(false);
		expect(await privacy.isPrivate(`${TOP}/.git/`)).toBe(true);
		expect(await privacy.isPrivate(`${TOP}/`)).toBe(false);
		expect(await privacy.isPrivate(TOP)).toBe(false);
	});

	test("by its name alone, if it is outside of the workspace or files cannot be read", () => {
		const { privacy, reads } = privacyOf({ ".gitignore": "*" });
		const blind = new Privacy(undefined, () => [TOP]);
		for (const uri of ["file:///apple/a.ts", "file:///a.ts", "untitled:Untitled-1", ""]) {
			expect([uri, privacy.isPrivate(uri)]).toEqual([uri, false]);
		}
		expect(blind.isPrivate(`${TOP}/a.ts`)).toBe(false);
		for (const uri of ["file:///apple/.env", "untitled:.env"]) expect(privacy.isPrivate(uri)).toBe(true);
		expect(blind.isPrivate(`${TOP}/id_rsa`)).toBe(true);
		expect(reads).toEqual([]);
	});

	test("by the ignore files of the outermost workspace folder that it is in", async () => {
		const { privacy } = privacyOf({ ".gitignore": "*.log" }, [`${TOP}/sub`, TOP, `${TOP}/sub/deep/`, "file:///else"]);
		expect(await privacy.isPrivate(`${TOP}/sub/deep/a.log`)).toBe(true);
	});

	test("in a workspace folder that is the root of all files", async () => {
		const { privacy } = privacyOf({ ".gitignore": "*.log" }, ["file:///"]);
		expect(await privacy.isPrivate(`${TOP}/a.log`)).toBe(true);
		expect(await privacy.isPrivate(`${TOP}/a.ts`)).toBe(false);
	});

	test("whatever way its uri is written", async () => {
		const { privacy } = privacyOf({ "a b/.gitignore": "c.ts" }, ["file:///%61pp/"]);
		for (const uri of ["file:///app/a b/c.ts", "file://localhost/app/a%20b/%63.ts", "FILE:///app/a%20b//c.ts"]) {
			expect([uri, await privacy.isPrivate(uri)]).toEqual([uri, true]);
		}
	});
});

test("a host that cannot read a file counts as one that has none", async () => {
	const files = {
		read: async (uri: string) => {
			if (uri.endsWith("/sub/.gitignore")) return "*.log";
			throw new Error("EACCES");
		},
		list: async () => [],
	};
	const privacy = new Privacy(files, () => [TOP]);
	expect(await privacy.isPrivate(`${TOP}/a.log`)).toBe(false);
	expect(await privacy.isPrivate(`${TOP}/sub/a.log`)).toBe(true);
});

describe("ignore files", () => {
	test("are read once, and then every answer comes at once", async () => {
		const { privacy, reads } = privacyOf({ ".gitignore": "*.log" });
		const answers = [privacy.isPrivate(`${TOP}/sub/a.log`), privacy.isPrivate(`${TOP}/sub/a.ts`)];
		expect(await Promise.all(answers)).toEqual([true, false]);
		expect(reads.toSorted()).toEqual([
			`${TOP}/.git/info/exclude`,
			`${TOP}/.gitignore`,
			`${TOP}/.ignore`,
			`${TOP}/sub/.gitignore`,
			`${TOP}/sub/.ignore`,
		]);
		expect([privacy.isPrivate(`${TOP}/sub/b.log`), privacy.isPrivate(`${TOP}/b.ts`)]).toEqual([true, false]);
		expect(reads).toHaveLength(5);
	});

	test("are not looked for in a folder that is ignored", async () => {
		const { privacy, reads } = privacyOf({ ".gitignore": "node_modules/" });
		expect(await privacy.isPrivate(`${TOP}/node_modules/a/b/c.js`)).toBe(true);
		expect(reads.filter((uri) => uri.includes("node_modules"))).toEqual([]);
	});

	test("are read again when one was saved, and only then", async () => {
		const { privacy, write } = privacyOf({ "sub/.gitignore": "*.log" });
		for (const name of ["sub/.gitignore", "sub/.ignore", ".git/info/exclude"]) {
			write("sub/.gitignore", "*.log");
			privacy.forget(`${TOP}/${name}`);
			expect(await privacy.isPrivate(`${TOP}/sub/deep/a.log`)).toBe(true);
			write("sub/.gitignore", "");
			privacy.forget(`${TOP}/sub/a.log`);
			expect(privacy.isPrivate(`${TOP}/sub/deep/a.log`)).toBe(true);
		}
	});

	test("that were saved while they were read are read again", async () => {
		const first = gate<string>();
		const texts = [first.opened, Promise.resolve("")];
		const read = (uri: string) => (uri.endsWith("/app/.gitignore") ? texts.shift() : undefined) ?? Promise.resolve("");
		const privacy = new Privacy({ read, list: async () => [] }, () => [TOP]);
		const before = privacy.isPrivate(`${TOP}/a.log`);
		privacy.forget(`${TOP}/.gitignore`);
		const after = privacy.isPrivate(`${TOP}/a.log`);
		expect(await after).toBe(false);
		first.open("*.log");
		expect(await before).toBe(true);
		expect(privacy.isPrivate(`${TOP}/a.log`)).toBe(false);
	});

	test("of more folders than can be kept are read again", async () => {
		const { privacy, reads } = privacyOf({ ".gitignore": "*.log" });
		expect(await privacy.isPrivate(`${TOP}/a.log`)).toBe(true);
		for (let i = 0; i < 10_000; i++) expect(await privacy.isPrivate(`${TOP}/sub${i}/a.log`)).toBe(true);
		const before = reads.length;
		expect(await privacy.isPrivate(`${TOP}/sub0/a.log`)).toBe(true);
		expect(reads.length).toBeGreaterThan(before);
	});
});

const someName = fc.constantFrom("a", "b", "x.log", "A", "a b", "[a]", "a*", "#a", "!b", "..a");
const somePattern = fc
	.record({
		not: fc.constantFrom("", "", "!"),
		start: fc.constantFrom("", "", "/"),
		names: fc.array(
			fc.constantFrom(
				"*",
				"**",
				"*.log",
				"a",
				"[ab]",
				"[!a]",
				"a?b",
				"?",
				"..a",
				"\\#a",
				"\\!b",
				"#a",
				"\\[a\\]",
				"a\\ b",
				"",
			),
			{ minLength: 1, maxLength: 2 },
		),
		end: fc.constantFrom("", "", "/", " ", "/**"),
	})
	.map(({ not, start, names, end }) => not + start + names.join("/") + end);
const someIgnoreFile = fc.record({
	folder: fc.array(someName, { maxLength: 2, size: "max" }),
	text: fc.array(somePattern, { maxLength: 4, size: "max" }).map((patterns) => patterns.join("\n")),
});
const someTree = fc.record({
	ignoreFiles: fc.array(someIgnoreFile, { maxLength: 3, size: "max" }),
	paths: fc.array(fc.array(someName, { minLength: 1, maxLength: 4, size: "max" }), { minLength: 4, maxLength: 4 }),
});

// Elsewhere there may be no folders whose names differ only in case.
const canAskGit = process.platform === "linux" && spawnSync("git", ["--version"]).status === 0;

test.skipIf(!canAskGit)("what is ignored is what git ignores, where case makes no difference", async () => {
	const texts: Record<string, string> = {};
	const paths: string[] = [];
	// Git is asked once about many trees, each in a folder of its own.
	for (const [i, tree] of fc.sample(someTree, { numRuns: 400, seed: 7 }).entries()) {
		for (const { folder, text } of tree.ignoreFiles) texts[[`tree${i}`, ...folder, ".gitignore"].join("/")] = text;
		paths.push(...tree.paths.map((names) => [`tree${i}`, ...names].join("/")));
	}
	const folders = Object.keys(texts).map((name) => path.posix.dirname(name));
	const asked = paths.filter((file) => !folders.some((folder) => `${folder}/`.startsWith(`${file}/`)));
	const ignored = askGit(texts, asked);
	expect(ignored.size).toBeGreaterThan(100);

	const encode = (name: string) => name.split("/").map(encodeURIComponent).join("/");
	const { privacy } = privacyOf(Object.fromEntries(Object.entries(texts).map(([name, text]) => [encode(name), text])));
	for (const file of asked) {
		expect([file, await privacy.isPrivate(`${TOP}/${encode(file)}`)]).toEqual([file, ignored.has(file)]);
	}
});

/** Those of some paths that git ignores in a repository with these files. */
function askGit(texts: Readonly<Record<string, string>>, paths: readonly string[]): ReadonlySet<string> {
	const folder = mkdtempSync(path.join(tmpdir(), "segue-privacy-"));
	try {
		execFileSync("git", ["init", "--quiet", folder]);
		for (const [name, text] of Object.entries(texts)) {
			mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
			writeFileSync(path.join(folder, name), text);
		}
		const args = ["-C", folder, "-c", "core.ignorecase=true", "check-ignore", "--no-index", "--stdin", "-z"];
		return new Set(execFileSync("git", args, { input: paths.join("\0"), encoding: "utf8" }).split("\0"));
	} finally {
		rmSync(folder, { recursive: true });
	}
}
