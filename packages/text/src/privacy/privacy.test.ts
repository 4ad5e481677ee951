import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { deferred, settled } from "@segue/testing/rpc/peers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { uriKey } from "../uri.js";
import { Privacy } from "./privacy.js";

const TOP = "file:///app";

/** Creates a workspace with these files, by path. */
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
] as const)("the ignore file %j makes %s private, and not %s", async ([text, ignored, others]) => {
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
		["a.ts", { ".git/info/exclude": "a.ts", ".git/HEAD": "" }, true],
		["sub/a.ts", { "sub/.git/info/exclude": "/a.ts", "sub/.git/HEAD": "" }, true],
		["a.ts", { "sub/.git/info/exclude": "/a.ts", "sub/.git/HEAD": "" }, false],
		["sub/a.ts", { ".gitignore": "a.ts", "sub/.git/HEAD": "" }, true],
		["sub/a.log", { ".gitignore": "*.ts", "sub/.gitignore": "\ufeffa.log" }, true],
		["sub/a.log", { ".gitignore": "*.log", "sub/.gitignore": "\ufeff!a.log" }, false],
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
		["priv%E9.ts", { ".gitignore": "priv\ufffd.ts" }, true],
		["priv%E9.ts", { ".gitignore": "*.ts\n!priv\ufffd.ts" }, true],
		["%E9/a.ts", { "%E9/.gitignore": "a.ts" }, true],
	] as const)("or not: %s with %j: %s", async ([name, texts, expected]) => {
		const { privacy } = privacyOf(texts);
		expect(await privacy.isPrivate(`${TOP}/${name}`)).toBe(expected);
		expect(privacy.isPrivate(`${TOP}/${name}`)).toBe(expected);
	});

	test("if it is an ignored folder and its URI has a trailing slash", async () => {
		const { privacy } = privacyOf({ ".gitignore": "out/" });
		expect(await privacy.isPrivate(`${TOP}/out/`)).toBe(true);
		expect(await privacy.isPrivate(`${TOP}/out`)).toBe(false);
		expect(await privacy.isPrivate(`${TOP}/.git/`)).toBe(true);
		expect(await privacy.isPrivate(`${TOP}/`)).toBe(false);
		expect(await privacy.isPrivate(TOP)).toBe(false);
	});

	test("only because of its name, if it has no path or files cannot be read", () => {
		const { privacy, reads } = privacyOf({ ".gitignore": "*" });
		const blind = new Privacy(undefined, () => [TOP]);
		for (const uri of ["untitled:Untitled-1", ""]) expect([uri, privacy.isPrivate(uri)]).toEqual([uri, false]);
		expect(blind.isPrivate(`${TOP}/a.ts`)).toBe(false);
		for (const uri of ["file:///apple/.env", "untitled:.env"]) expect(privacy.isPrivate(uri)).toBe(true);
		expect(blind.isPrivate(`${TOP}/id_rsa`)).toBe(true);
		expect(reads).toEqual([]);
	});

	const PLACES: readonly [string, readonly string[]][] = [
		["below the workspace folder", [TOP]],
		["with a workspace folder inside the repository", [`${TOP}/repo/sub/deep`]],
		["outside the workspace", ["file:///else"]],
		["without a workspace", []],
	];
	test.for(PLACES)("according to all ignore files in its repository: %s", async ([, folders]) => {
		const { privacy } = privacyOf(
			{
				"repo/.git/HEAD": "ref: refs/heads/main",
				"repo/.git/info/exclude": "excluded.ts",
				"repo/.gitignore": "/sub/deep/tied.ts\n*.log",
				"repo/sub/.ignore": "inner.ts\n!kept.log",
			},
			folders,
		);
		for (const name of ["excluded.ts", "tied.ts", "a.log", "inner.ts"]) {
			expect([name, await privacy.isPrivate(`${TOP}/repo/sub/deep/${name}`)]).toEqual([name, true]);
		}
		for (const name of ["a.ts", "kept.log"]) {
			expect([name, await privacy.isPrivate(`${TOP}/repo/sub/deep/${name}`)]).toEqual([name, false]);
		}
	});

	test.for([
		["a repository", { "repo/.git/HEAD": "ref: refs/heads/main" }],
		["a submodule", { "repo/.git": "gitdir: ../.git/modules/repo\n" }],
	] as const)("unless the ignore files are above the root of %s", async ([, texts]) => {
		const above = { ".gitignore": "*", ".git/HEAD": "", ...texts };
		expect(await privacyOf(above, [`${TOP}/repo`]).privacy.isPrivate(`${TOP}/repo/`)).toBe(false);
		expect(await privacyOf(above, [`${TOP}/repo/sub`]).privacy.isPrivate(`${TOP}/repo/sub/a.ts`)).toBe(false);
		expect(await privacyOf(above, []).privacy.isPrivate(`${TOP}/repo/sub/a.ts`)).toBe(false);
		expect(await privacyOf(above, [TOP]).privacy.isPrivate(`${TOP}/repo/sub/a.ts`)).toBe(true);
	});

	test.for([
		["a submodule", { "sub/.git": "gitdir: ../.git/modules/s b\n", ".git/modules/s b/info/exclude": "a.ts" }],
		[
			"a linked worktree",
			{
				"sub/.git": "gitdir: /app/main/.git/worktrees/sub\r\n",
				"main/.git/worktrees/sub/commondir": "../..\n",
				"main/.git/info/exclude": "a.ts",
			},
		],
	] as const)("according to the exclude file of %s, wherever that file is", async ([, texts]) => {
		for (const folders of [[TOP], [`${TOP}/sub`], []]) {
			const { privacy } = privacyOf(texts, folders);
			expect(await privacy.isPrivate(`${TOP}/sub/deep/a.ts`)).toBe(true);
			expect(await privacy.isPrivate(`${TOP}/sub/deep/b.ts`)).toBe(false);
		}
	});

	test("if it is nested in too many folders", async () => {
		const { privacy, reads } = privacyOf({});
		expect(await privacy.isPrivate(`${TOP}/${"a/".repeat(126)}a`)).toBe(false);
		const before = reads.length;
		expect(privacy.isPrivate(`${TOP}/${"a/".repeat(127)}a`)).toBe(true);
		expect(reads).toHaveLength(before);
	});

	test("according to the ignore files in its outermost workspace folder", async () => {
		const { privacy } = privacyOf({ ".gitignore": "*.log" }, [`${TOP}/sub`, TOP, `${TOP}/sub/deep/`, "file:///else"]);
		expect(await privacy.isPrivate(`${TOP}/sub/deep/a.log`)).toBe(true);
	});

	test("in a workspace folder that is the root directory", async () => {
		const { privacy } = privacyOf({ ".gitignore": "*.log" }, ["file:///"]);
		expect(await privacy.isPrivate(`${TOP}/a.log`)).toBe(true);
		expect(await privacy.isPrivate(`${TOP}/a.ts`)).toBe(false);
	});

	test("no matter how its URI is spelled", async () => {
		const { privacy } = privacyOf({ "a b/.gitignore": "c.ts" }, ["file:///%61pp/"]);
		for (const uri of ["file:///app/a b/c.ts", "file://localhost/app/a%20b/%63.ts", "FILE:///app/a%20b//c.ts"]) {
			expect([uri, await privacy.isPrivate(uri)]).toEqual([uri, true]);
		}
	});
});

test.for([".gitignore", "sub/.ignore", ".git/HEAD", "sub/.git/info/exclude"])(
	"while %s cannot be read, everything it could apply to is private",
	async (name) => {
		let isBroken = true;
		const read = async (uri: string) => {
			if (isBroken && uri === `${TOP}/${name}`) throw new Error("EMFILE");
			return uri === `${TOP}/sub/.gitignore` ? "*.log" : undefined;
		};
		const privacy = new Privacy({ read, list: async () => [] }, () => [TOP]);
		expect(await privacy.isPrivate(`${TOP}/sub/a.ts`)).toBe(true);
		expect(await privacy.isPrivate(`${TOP}/sub/a.ts`)).toBe(true);
		expect(await privacy.isPrivate("file:///else/a.ts")).toBe(false);
		isBroken = false;
		expect(await privacy.isPrivate(`${TOP}/sub/a.ts`)).toBe(false);
		expect(await privacy.isPrivate(`${TOP}/sub/a.log`)).toBe(true);
	},
);

test("a host that throws synchronously makes everything private too", async () => {
	const read = () => {
		throw new Error("not connected");
	};
	const privacy = new Privacy({ read, list: async () => [] }, () => [TOP]);
	expect(await privacy.isPrivate(`${TOP}/a.ts`)).toBe(true);
});

test("uses the host's `readRules` if it has one", async () => {
	const files = { read: async () => undefined, readRules: async () => "*.log", list: async () => [] };
	expect(await new Privacy(files, () => [TOP]).isPrivate(`${TOP}/a.log`)).toBe(true);
});

describe("ignore files", () => {
	test("are read once, and later results are synchronous", async () => {
		const { privacy, reads } = privacyOf({ ".gitignore": "*.log" });
		const answers = [privacy.isPrivate(`${TOP}/sub/a.log`), privacy.isPrivate(`${TOP}/sub/a.ts`)];
		expect(await Promise.all(answers)).toEqual([true, false]);
		const folders = ["file://", TOP, `${TOP}/sub`];
		const names = [".git", ".git/HEAD", ".git/info/exclude", ".gitignore", ".ignore"];
		const expected = folders.flatMap((folder) => names.map((name) => `${folder}/${name}`));
		expect([...new Set(reads)].toSorted()).toEqual(expected.toSorted());
		const { length } = reads;
		expect([privacy.isPrivate(`${TOP}/sub/b.log`), privacy.isPrivate(`${TOP}/b.ts`)]).toEqual([true, false]);
		expect(reads).toHaveLength(length);
	});

	test("are not read in an ignored folder", async () => {
		const { privacy, reads } = privacyOf({ ".gitignore": "node_modules/" });
		expect(await privacy.isPrivate(`${TOP}/node_modules/a/b/c.js`)).toBe(true);
		expect(reads.filter((uri) => uri.includes("node_modules"))).toEqual([]);
	});

	test.for(["sub/.gitignore", "sub/.ignore", ".git/info/exclude", "sub/.git", ".git/HEAD", "sub", "sub/deep/"])(
		"are read again when %s has changed, and only then",
		async (name) => {
			const { privacy, write } = privacyOf({ "sub/.gitignore": "*.log" });
			expect(await privacy.isPrivate(`${TOP}/sub/deep/a.log`)).toBe(true);
			write("sub/.gitignore", "");
			privacy.changed([`${TOP}/sub/a.log`, `${TOP}/x.gitignore`, `${TOP}/other`]);
			expect(privacy.isPrivate(`${TOP}/sub/deep/a.log`)).toBe(true);
			privacy.changed([`${TOP}/sub/a.log`, `${TOP}/${name}`]);
			expect(await privacy.isPrivate(`${TOP}/sub/deep/a.log`)).toBe(false);
		},
	);

	test("that change while being read are read again before the result is returned", async () => {
		const first = deferred<string>();
		const texts = [first.opened, Promise.resolve("*.log")];
		const read = async (uri: string) => (uri === `${TOP}/.gitignore` ? texts.shift() : undefined);
		const privacy = new Privacy({ read, list: async () => [] }, () => [TOP]);
		const before = privacy.isPrivate(`${TOP}/a.log`);
		await settled();
		privacy.changed([`${TOP}/.gitignore`]);
		expect(await privacy.isPrivate(`${TOP}/a.log`)).toBe(true);
		first.open("");
		expect(await before).toBe(true);
		expect(privacy.isPrivate(`${TOP}/a.log`)).toBe(true);
	});

	test("are read again if there are more folders than the cache holds", async () => {
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
// Git does not define whether an inner repository can override the rules of an outer one.
const someExclude = fc
	.array(
		somePattern.map((pattern) => pattern.replace("!", "")),
		{ maxLength: 3 },
	)
	.map((patterns) => patterns.join("\n"));

// Other systems may not allow folders whose names differ only in case.
const canAskGit = process.platform === "linux" && spawnSync("git", ["--version"]).status === 0;

const encode = (name: string) => name.split("/").map(encodeURIComponent).join("/");
const encodeAll = (texts: Readonly<Record<string, string>>) =>
	Object.fromEntries(Object.entries(texts).map(([name, text]) => [encode(name), text]));

async function privateAmong(paths: readonly string[], privacy: Privacy): Promise<string[]> {
	const arePrivate = await Promise.all(paths.map((file) => privacy.isPrivate(`${TOP}/${encode(file)}`)));
	return paths.filter((_, i) => arePrivate[i]);
}

/** Returns the paths that can be files because no other path needs them as folders. */
function filesAmong(paths: readonly string[], texts: Readonly<Record<string, string>>): string[] {
	const folders = Object.keys(texts).map((name) => path.posix.dirname(name));
	return paths.filter((file) => !folders.some((folder) => `${folder}/`.startsWith(`${file}/`)));
}

test.skipIf(!canAskGit)("ignores the same files as git, ignoring case", async () => {
	const texts: Record<string, string> = { ".git/HEAD": HEAD };
	const paths: string[] = [];
	// Git is called only once for many trees, each in its own folder.
	for (const [i, tree] of fc.sample(someTree, { numRuns: 400, seed: 7 }).entries()) {
		for (const { folder, text } of tree.ignoreFiles) texts[[`tree${i}`, ...folder, ".gitignore"].join("/")] = text;
		paths.push(...tree.paths.map((names) => [`tree${i}`, ...names].join("/")));
	}
	const candidates = filesAmong(paths, texts);
	const [ignored = new Set()] = askGit(texts, [["", candidates]]);
	expect(ignored.size).toBeGreaterThan(100);

	// The result does not depend on how much of the repository is in the workspace.
	for (const folders of [[TOP], ["a", "b"].map((name) => `${TOP}/tree7/${name}`), []]) {
		const { privacy } = privacyOf(encodeAll(texts), folders);
		expect(await privateAmong(candidates, privacy)).toEqual(candidates.filter((file) => ignored.has(file)));
	}
});

test.skipIf(!canAskGit)("ignores the same files as git in nested repositories", async () => {
	const texts: Record<string, string> = { ".git/HEAD": HEAD };
	const questions: [string, string[]][] = [];
	const trees = fc.sample(fc.record({ tree: someTree, inner: someName, exclude: someExclude }), {
		numRuns: 60,
		seed: 7,
	});
	for (const [i, { tree, inner, exclude }] of trees.entries()) {
		const repository = `tree${i}/${inner}`;
		for (const { folder, text } of tree.ignoreFiles) {
			texts[[`tree${i}`, ...folder, ".gitignore"].join("/")] = text;
			texts[[repository, ...folder, ".gitignore"].join("/")] ??= text;
		}
		texts[`${repository}/.git/HEAD`] = HEAD;
		texts[`${repository}/.git/info/exclude`] = exclude;
		questions.push([`${repository}/`, tree.paths.map((names) => [repository, ...names].join("/"))]);
	}
	const candidates = questions.map(([top, paths]): [string, string[]] => [top, filesAmong(paths, texts)]);
	const files = candidates.flatMap(([, paths]) => paths);
	const [outer = new Set(), ...inner] = askGit(texts, [["", files], ...candidates]);
	const ignoredInside = new Set(inner.flatMap((some) => [...some]));
	expect(files.filter((file) => ignoredInside.has(file) !== outer.has(file)).length).toBeGreaterThan(20);

	const whole = privacyOf(encodeAll(texts)).privacy;
	const alone = privacyOf(encodeAll(texts), []).privacy;
	expect(await privateAmong(files, alone)).toEqual(files.filter((file) => ignoredInside.has(file)));
	expect(await privateAmong(files, whole)).toEqual(files.filter((file) => ignoredInside.has(file) || outer.has(file)));
});

describe("a malicious ignore file", () => {
	test("is matched quickly", async () => {
		const { privacy } = privacyOf({ ".gitignore": `${"/**/a".repeat(8)}/**/b\n` });
		const deep = Array(40).fill("a").join("/");
		expect(await privacy.isPrivate(`${TOP}/${deep}/f.ts`)).toBe(false);
		expect(await privacy.isPrivate(`${TOP}/${deep}/b`)).toBe(true);
		expect(privacy.problem(`${TOP}/${deep}/b`)).toBeUndefined();
	});

	test.each([
		["with too many patterns", "**/a*b*c\n".repeat(900_000), "more than 1000000 characters"],
		["with a pattern that is too long", "a".repeat(5000), "a pattern has more than 4096 characters"],
	])("makes everything in its folder private, gives a reason, and is read only once: %s", async (_, text, why) => {
		const { privacy, reads } = privacyOf({ "sub/.gitignore": text });
		for (const name of ["sub/a.txt", "sub/deep/er/b.txt", "sub/c.txt"]) {
			expect(await privacy.isPrivate(`${TOP}/${name}`)).toBe(true);
			expect(privacy.problem(`${TOP}/${name}`)).toBe(
				`Everything in this folder is private: the ignore file sub/.gitignore cannot be used, because ${why.startsWith("a ") ? "" : "it has "}${why}.`,
			);
		}
		expect(await privacy.isPrivate(`${TOP}/a.txt`)).toBe(false);
		expect(privacy.problem(`${TOP}/a.txt`)).toBeUndefined();
		expect(reads.filter((uri) => uri === `${TOP}/sub/.gitignore`)).toHaveLength(1);
	});

	test("makes private only the files that take too many steps to match", async () => {
		const lines = Array.from({ length: 200 }, (_, i) => `${"*a".repeat(20 + i)}*b*`);
		const { privacy } = privacyOf({ ".gitignore": lines.join("\n") });
		const long = `${TOP}/b${"a".repeat(254)}`;
		expect(await privacy.isPrivate(long)).toBe(true);
		expect(privacy.problem(long)).toBe(
			"This file is private: the patterns in its ignore files take too long to match.",
		);
		expect(await privacy.isPrivate(`${TOP}/src/main.ts`)).toBe(false);
	});
});

const HEAD = "ref: refs/heads/main\n";

/** Returns, for each repository by its location, the paths that git ignores there. */
function askGit(
	texts: Readonly<Record<string, string>>,
	questions: readonly (readonly [string, readonly string[]])[],
): ReadonlySet<string>[] {
	const top = mkdtempSync(path.join(tmpdir(), "segue-privacy-"));
	try {
		for (const [name, text] of Object.entries(texts)) {
			const file = path.join(top, name);
			mkdirSync(path.dirname(file), { recursive: true });
			writeFileSync(file, text);
			// The minimum for a repository.
			if (name.endsWith("/HEAD")) for (const of of ["objects", "refs"]) mkdirSync(path.join(file, "..", of));
		}
		return questions.map(([repository, paths]) => {
			const args = ["-c", "core.ignorecase=true", "check-ignore", "--no-index", "--stdin", "-z"];
			const input = paths.map((file) => file.slice(repository.length)).join("\0");
			const { stdout, status, stderr } = spawnSync("git", args, {
				cwd: path.join(top, repository),
				input,
				encoding: "utf8",
			});
			if (status !== 0 && status !== 1) throw new Error(stderr);
			return new Set(stdout.split("\0").map((file) => repository + file));
		});
	} finally {
		rmSync(top, { recursive: true });
	}
}

/** A disk with symbolic links, by their targets. */
function linkedDisk(links: Readonly<Record<string, string>>, texts: Readonly<Record<string, string>> = {}) {
	const resolved: string[] = [];
	const resolve = async (uri: string): Promise<string> => {
		resolved.push(uri);
		const link = Object.keys(links).find((one) => uri === `file://${one}` || uri.startsWith(`file://${one}/`));
		if (link === undefined) return uri;
		const target = links[link] as string;
		if (target === "nowhere") throw new Error("ENOENT");
		return resolve(`file://${target}${uri.slice(`file://${link}`.length)}`);
	};
	const read = async (uri: string) => texts[uri.slice("file://".length)];
	return { resolved, links, files: { read, resolve, list: async () => [] } };
}

describe("behind symbolic links", () => {
	const TEXTS = { "/app/.gitignore": "private/\n*.log" };
	test.for([
		["a secret file", { "/app/lenv.ts": "/app/.env" }, "/app/lenv.ts", true],
		["a secret file outside the workspace", { "/app/lenv.ts": "/home/alice/.ssh/work" }, "/app/lenv.ts", true],
		["an ignored folder", { "/app/public": "/app/private" }, "/app/public/p.ts", true],
		["an ignored folder itself", { "/app/public": "/app/private" }, "/app/public/", true],
		["an ignored file in another folder", { "/else/a.ts": "/app/a.log" }, "/else/a.ts", true],
		["a link to a link", { "/app/a.ts": "/app/b.ts", "/app/b.ts": "/app/.env" }, "/app/a.ts", true],
		["a dangling link", { "/app/a.ts": "nowhere" }, "/app/a.ts", true],
		["an ordinary file", { "/app/a.ts": "/app/b.ts" }, "/app/a.ts", false],
		["an ordinary file outside the workspace", { "/app/a.ts": "/lib/b.ts" }, "/app/a.ts", false],
		["no link", {}, "/app/a.ts", false],
	] as const)("finds %s", async ([, links, path, expected]) => {
		const { files, resolved } = linkedDisk(links, TEXTS);
		const privacy = new Privacy(files, () => [TOP]);
		expect(await privacy.isPrivate(`file://${path}`)).toBe(expected);
		if (path.endsWith("/") || Object.values(links).includes("nowhere" as never)) return;
		// Cached results need no disk access.
		const { length } = resolved;
		expect(privacy.isPrivate(`file://${path}`)).toBe(expected);
		expect(resolved).toHaveLength(length);
	});

	test("ignore files apply in a workspace folder that is a link", async () => {
		const { files } = linkedDisk({ "/app": "/disk/app", "/disk/app/b.ts": "/disk/app/x.log" }, TEXTS);
		const privacy = new Privacy(files, () => [TOP]);
		expect(await privacy.isPrivate(`${TOP}/a.ts`)).toBe(false);
		expect(await privacy.isPrivate(`${TOP}/b.ts`)).toBe(true);
	});

	test.for(["/app/a.ts", "/app"])("a link is followed again when %s has changed", async (changed) => {
		const links: Record<string, string> = {};
		const { files } = linkedDisk(links, TEXTS);
		const privacy = new Privacy(files, () => [TOP]);
		expect(await privacy.isPrivate(`${TOP}/a.ts`)).toBe(false);
		links["/app/a.ts"] = "/app/.env";
		privacy.changed([`${TOP}/b.ts`]);
		expect(privacy.isPrivate(`${TOP}/a.ts`)).toBe(false);
		privacy.changed([`file://${changed}`]);
		expect(await privacy.isPrivate(`${TOP}/a.ts`)).toBe(true);
	});

	test("a link is followed again when it has changed together with an ignore file", async () => {
		const links: Record<string, string> = {};
		const { files } = linkedDisk(links, TEXTS);
		const privacy = new Privacy(files, () => [TOP]);
		expect(await privacy.isPrivate(`${TOP}/a.ts`)).toBe(false);
		links["/app/a.ts"] = "/app/.env";
		privacy.changed([`${TOP}/.gitignore`, `${TOP}/a.ts`]);
		expect(await privacy.isPrivate(`${TOP}/a.ts`)).toBe(true);
	});

	test("a link that changes while it is followed is followed again", async () => {
		const links: Record<string, string> = {};
		const { files } = linkedDisk(links, TEXTS);
		const privacy = new Privacy(files, () => [TOP]);
		const isPrivate = privacy.isPrivate(`${TOP}/a.ts`);
		links["/app/a.ts"] = "/app/.env";
		privacy.changed([`${TOP}/a.ts`]);
		expect(await isPrivate).toBe(true);
	});
});

describe("schemes", () => {
	test.for(["vscode-remote://wsl/app/a.ts", "git:/app/a.ts", "http://example.com/a.ts", "ssh://host/a.ts"])(
		"%s is private by default",
		(uri) => {
			for (const files of [undefined, linkedDisk({}).files]) {
				const privacy = new Privacy(files, () => [TOP]);
				expect(privacy.isPrivate(uri)).toBe(true);
				expect(privacy.reasonOf(uri)).toBe("virtual-file");
			}
		},
	);

	test("a host decides about its own schemes, but secret names and ignore files still apply", async () => {
		const texts: Record<string, string> = { "vscode-remote://wsl/app/.gitignore": "*.log" };
		const files = { read: async (uri: string) => texts[uri], list: async () => [] };
		const privacy = new Privacy(
			files,
			() => ["vscode-remote://wsl/app"],
			(uri) => !uri.startsWith("vscode-remote:"),
		);
		const ask = (uri: string) => Promise.resolve(privacy.isPrivate(uri));
		expect(await ask("vscode-remote://wsl/app/a.ts")).toBe(false);
		expect(await ask("vscode-remote://wsl/app/a.log")).toBe(true);
		expect(await ask("vscode-remote://wsl/app/.env")).toBe(true);
		expect(await ask("git:/app/a.ts")).toBe(true);
		expect(privacy.reasonOf("vscode-remote://wsl/app/a.log")).toBe("ignored-file");
	});

	test.for([
		["/app/private/p.ts", true],
		["/app/main.ts", false],
		["private/p.ts", true],
		["main.ts", false],
		["../app/main.ts", true],
		["//host/share/main.ts", true],
		["/app/a%2Fb#?.ts", false],
	] as const)("without a scheme, %s is a path", async ([path, expected]) => {
		const { files } = linkedDisk({}, { "/app/.gitignore": "private/" });
		expect(await new Privacy(files, () => [TOP]).isPrivate(path)).toBe(expected);
	});

	test("a relative path is private if no folder is open", () => {
		expect(new Privacy(linkedDisk({}).files, () => []).isPrivate("main.ts")).toBe(true);
	});

	test("a Windows path is supported", async () => {
		const files = {
			...linkedDisk({}).files,
			read: async (uri: string) => (uri.toLowerCase() === "file:///c%3a/app/.gitignore" ? "x.ts" : undefined),
		};
		const privacy = new Privacy(files, () => ["file:///c%3A/app"]);
		expect(await privacy.isPrivate("C:\\app\\x.ts")).toBe(true);
		expect(await privacy.isPrivate("c:/app/y.ts")).toBe(false);
	});
});
