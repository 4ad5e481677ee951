import { FakeClock } from "@segue/testing/clock";
import { startInlineWorker } from "@segue/testing/editors/fake-host";
import { runs } from "@segue/testing/setup/tier";
import { Change, type Document, Text, uriKey } from "@segue/text";
import { Privacy } from "@segue/text/privacy";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Matcher } from "./matcher.js";
import { previewReplace, type SearchAndReplace } from "./search-and-replace.js";

const TOP = "file:///app";
const never = new AbortController().signal;

interface World {
	/** File contents by path in the workspace; undefined for a file that is not text. */
	readonly disk?: Readonly<Record<string, string | undefined>>;
	readonly open?: Readonly<Record<string, string>>;
	readonly folders?: readonly string[];
	readonly hasFiles?: boolean;
	readonly signal?: AbortSignal;
	readonly list?: (uri: string) => Promise<readonly { uri: string; isFolder: boolean }[]>;
}

function uriOf(name: string): string {
	return /^[a-z]+:/.test(name) ? name : [TOP, ...name.split("/").map(encodeURIComponent)].join("/");
}

function preview(replacement: Partial<SearchAndReplace>, world: World) {
	const { disk = {}, open = {}, folders = [TOP], hasFiles = true, signal = never } = world;
	const texts = new Map(Object.entries(disk).map(([name, text]) => [uriKey(uriOf(name)), text]));
	const listOf = async (folder: string) => {
		const top = `${uriKey(folder)}/`;
		const below = [...texts.keys()].filter((key) => key.startsWith(top)).map((key) => key.slice(top.length).split("/"));
		const entries = below.map(
			([name = "", ...rest]) => [name, { uri: top + name, isFolder: rest.length > 0 }] as const,
		);
		return [...new Map(entries).values()];
	};
	const files = hasFiles
		? { read: async (uri: string) => texts.get(uriKey(uri)), list: world.list ?? listOf }
		: undefined;
	const documents = Object.entries(open).map(([name, text]): Document => {
		return { uri: uriOf(name), languageId: "plaintext", version: 7, text: Text.of(text) };
	});
	return previewReplace(
		{ uri: TOP, search: "old", replace: "new", isRegex: false, ...replacement },
		{
			folders,
			open: documents,
			files,
			privacy: new Privacy(files, () => folders),
			matcher: new Matcher(startInlineWorker, new FakeClock()),
			signal,
		},
	);
}

/** Returns the paths that a preview changes, with open documents marked. */
async function changed(replacement: Partial<SearchAndReplace>, world: World): Promise<string> {
	const { files } = await preview(replacement, world);
	return files
		.map(({ uri, version }) => uri.slice(TOP.length + 1) + (version === undefined ? "" : `@${version}`))
		.join(" ");
}

/** Returns a document's text after the replacement. */
async function replaced(text: string, replacement: Partial<SearchAndReplace>): Promise<string> {
	const { files } = await preview(replacement, { open: { a: text } });
	return Change.of(files[0]?.edits ?? [], text.length)
		.apply(Text.of(text))
		.toString();
}

describe("a preview", () => {
	const disk = {
		"b.ts": "old old",
		"a/x.ts": "old",
		"a/deep/y.ts": "an old\none",
		"a/z.ts": "none",
		"c d/é#.ts": "old",
	};

	test("of a folder has the edits to all files below it, sorted by URI", async () => {
		expect(await preview({}, { disk })).toEqual({
			files: [
				{ uri: "file:///app/a/deep/y.ts", edits: [{ from: 3, to: 6, insert: "new" }], version: undefined },
				{ uri: "file:///app/a/x.ts", edits: [{ from: 0, to: 3, insert: "new" }], version: undefined },
				{
					uri: "file:///app/b.ts",
					edits: [
						{ from: 0, to: 3, insert: "new" },
						{ from: 4, to: 7, insert: "new" },
					],
					version: undefined,
				},
				{ uri: "file:///app/c d/é%23.ts", edits: [{ from: 0, to: 3, insert: "new" }], version: undefined },
			],
			skipped: 0,
			limit: undefined,
		});
		expect(await changed({ uri: `${TOP}/a` }, { disk })).toBe("a/deep/y.ts a/x.ts");
		expect(await changed({ uri: `${TOP}/a/` }, { disk })).toBe("a/deep/y.ts a/x.ts");
	});

	test("of a file covers only that file, however its URI is spelled", async () => {
		expect(await changed({ uri: `${TOP}/b.ts` }, { disk })).toBe("b.ts");
		expect(await changed({ uri: "FILE://localhost/app/%62.ts" }, { disk })).toBe("b.ts");
		expect(await changed({ uri: `${TOP}/c%20d/%C3%A9%23.ts` }, { disk })).toBe("c d/é%23.ts");
	});

	test("uses the open document and its version instead of the file on disk", async () => {
		const open = { "b.ts": "none", "a/z.ts": "old", "a/unsaved.ts": "old", "other.ts": "old" };
		expect(await changed({}, { disk, open })).toBe("a/deep/y.ts a/unsaved.ts@7 a/x.ts a/z.ts@7 c d/é%23.ts other.ts@7");
		expect(await changed({ uri: `${TOP}/a` }, { disk, open })).toBe("a/deep/y.ts a/unsaved.ts@7 a/x.ts a/z.ts@7");
		expect(await changed({ uri: `${TOP}/b.ts` }, { disk, open })).toBe("");
		expect(await changed({ uri: `${TOP}/new` }, { disk, open: { "new/a.ts": "old" } })).toBe("new/a.ts@7");
	});

	test("has only open documents if the host provides no files", async () => {
		const world = { disk, open: { "a/x.ts": "old", "b.ts": "old" }, hasFiles: false };
		expect(await changed({}, world)).toBe("a/x.ts@7 b.ts@7");
		expect(await changed({ uri: `${TOP}/a` }, world)).toBe("a/x.ts@7");
	});

	test("omits ignored and secret files, open or not", async () => {
		const ignoring = {
			...disk,
			".gitignore": "/a/deep/\n*.log",
			".git/config": "old",
			".env": "old",
			"x.log": "old",
			"a/.ignore": "x.ts",
		};
		expect(await changed({}, { disk: ignoring })).toBe("b.ts c d/é%23.ts");
		expect(await changed({}, { disk: ignoring, open: { "x.log": "old", ".env": "old", "a/deep/y.ts": "old" } })).toBe(
			"b.ts c d/é%23.ts",
		);
		for (const name of ["a/deep", "a/deep/y.ts", "x.log", ".env", ".git", ".git/config"]) {
			expect([name, await changed({ uri: `${TOP}/${name}` }, { disk: ignoring })]).toEqual([name, ""]);
		}
	});

	test("does not list an ignored folder", async () => {
		const listed: string[] = [];
		const list = async (uri: string) => {
			listed.push(uri);
			return uri === TOP ? ["out", "src"].map((name) => ({ uri: `${TOP}/${name}`, isFolder: true })) : [];
		};
		await preview({}, { disk: { ".gitignore": "out/" }, list });
		expect(listed).toEqual([TOP, `${TOP}/src`]);
	});

	test("skips and counts files that are not text", async () => {
		const binary = { "a.png": undefined, "b.bin": "old\0", "c.ts": "old" };
		expect(await preview({}, { disk: binary })).toMatchObject({ files: [{ uri: `${TOP}/c.ts` }], skipped: 2 });
		expect(await preview({ uri: `${TOP}/b.bin` }, { disk: binary })).toMatchObject({ files: [], skipped: 1 });
	});

	test.for([
		["another folder", "file:///else/a.ts"],
		["a folder whose name starts like the workspace's", "file:///apple/a.ts"],
		["the parent folder", "file:///"],
		["a parent reference", "file:///app/../else/a.ts"],
		["an escaped parent reference", "file:///app/%2e%2E/else/a.ts"],
		["a parent reference with a backslash", "file:///app/..\\else"],
		["a parent reference with an escaped slash", "file:///app/..%2Felse"],
		["a parent reference with a tab", "file:///app/.\t./else"],
		["another scheme", "untitled:app/a.ts"],
		["another host", "file://host/app/a.ts"],
		["nothing", ""],
	] as const)("is refused outside the workspace: %s", async ([, uri]) => {
		const world = { disk: { [`${uri}`]: "old" }, open: { "file:///else/a.ts": "old" } };
		await expect(preview({ uri }, world)).rejects.toMatchObject({
			name: "ReplaceError",
			message: `${uri} is not in the workspace, so nothing is replaced there.`,
		});
	});

	test("stays inside the workspace, whatever the host lists or has open", async () => {
		const list = async (uri: string) => {
			if (uri !== TOP) return [];
			return ["file:///else/a.ts", `${TOP}/../b.ts`, `${TOP}/..`, `${TOP}/x/y.ts`, TOP, `${TOP}/ok.ts`].map((one) => {
				return { uri: one, isFolder: false };
			});
		};
		const outside = {
			"file:///else/a.ts": "old",
			"file:///b.ts": "old",
			[`${TOP}/..`]: "old",
			"x/y.ts": "old",
			"ok.ts": "old",
		};
		const open = { "file:///else/b.ts": "old", "untitled:Untitled-1": "old", [`${TOP}/../c.ts`]: "old" };
		expect(await changed({}, { disk: outside, list, open })).toBe("ok.ts");
		expect(await changed({}, { open, hasFiles: false })).toBe("");
	});

	test("does not follow links, which are not listed", async () => {
		const list = async (uri: string) => (uri === TOP ? [{ uri: `${TOP}/a.ts`, isFolder: false }] : []);
		const world = { disk: { "a.ts": "old", "link/b.ts": "old" }, list };
		expect(await changed({}, world)).toBe("a.ts");
		await expect(preview({ uri: `${TOP}/link/b.ts` }, world)).rejects.toThrow("file:///app/link/b.ts does not exist.");
	});

	test("of a missing file is refused", async () => {
		for (const name of ["none.ts", "b.ts/x", "a/none"]) {
			await expect(preview({ uri: `${TOP}/${name}` }, { disk })).rejects.toThrow(`${TOP}/${name} does not exist.`);
		}
	});

	test("tolerates a host that fails to list or read", async () => {
		const list = async (uri: string) => {
			if (uri === TOP) return ["a", "b", "c"].map((name) => ({ uri: `${TOP}/${name}`, isFolder: name === "a" }));
			throw new Error("EACCES");
		};
		expect(await preview({}, { disk: { b: "old" }, list })).toMatchObject({ files: [{ uri: `${TOP}/b` }], skipped: 1 });
	});

	test("ends when it is cancelled", async () => {
		const controller = new AbortController();
		const list = async (uri: string) => {
			controller.abort(new Error("not wanted"));
			return [{ uri: `${uri}/a`, isFolder: true }];
		};
		await expect(preview({}, { list, signal: controller.signal })).rejects.toThrow("not wanted");
	});

	test("fails for an invalid search", async () => {
		await expect(preview({ search: "(", isRegex: true }, { disk })).rejects.toMatchObject({ kind: "invalid" });
	});
});

describe("a preview reports a limit", () => {
	test.for([false, true])("on files and folders (folders: %s)", async (isFolder) => {
		const list = async (uri: string) => {
			if (uri !== TOP) return [];
			const many = Array.from({ length: 20_000 }, (_, i) => ({ uri: `${TOP}/b${i}`, isFolder }));
			return [{ uri: `${TOP}/a`, isFolder: false }, ...many];
		};
		expect(await preview({}, { disk: { a: "old" }, list })).toMatchObject({
			files: [{ uri: `${TOP}/a` }],
			limit: "Only the first 20000 files and folders were searched.",
		});
	});

	test("on the amount of text", async () => {
		const text = " ".repeat(8 * 2 ** 20);
		const disk = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`${10 + i}`, text]));
		expect(await preview({}, { disk: { ...disk, "0": "old" } })).toMatchObject({
			files: [{ uri: `${TOP}/0` }],
			limit: "Only the first 268435456 characters were searched.",
		});
	});

	test("on matches, and has either all edits to a file or none", async () => {
		const disk = { a: "old".repeat(9999), b: "old old", c: "old" };
		const { files, limit } = await preview({}, { disk });
		expect(files.map(({ uri, edits }) => [uri, edits.length])).toEqual([[`${TOP}/a`, 9999]]);
		expect(limit).toBe("There are more than 10000 matches.");
		expect((await preview({}, { disk: { ...disk, b: "old" } })).limit).toBe("There are more than 10000 matches.");
		expect((await preview({}, { disk: { ...disk, b: "" } })).limit).toBeUndefined();
	});

	test("on matches in one file, and continues with the other files", async () => {
		const disk = { a: "old".repeat(10_001), b: " ".repeat(8 * 2 ** 20 + 1), c: "old" };
		expect(await preview({}, { disk })).toMatchObject({
			files: [{ uri: `${TOP}/c` }],
			limit: "A file has more than 10000 matches.",
		});
	});
});

describe("a replacement uses the line endings of the document", () => {
	test.for([
		["a\r\nb\r\n", "a\nb", "x\ny\nz", false, "x\r\ny\r\nz\r\n"],
		["a\r\nb\r\n", "a\r\nb", "x\r\ny", false, "x\r\ny\r\n"],
		["a\nb\n", "a\r\nb", "x\r\ny", false, "x\ny\n"],
		["a\rb\r", "a\nb", "x\ny", false, "x\ry\r"],
		["a\r\nb\r\nc", "^", "> ", true, "> a\r\n> b\r\n> c"],
		["a\r\nb\r\nc", "$", ";", true, "a;\r\nb;\r\nc;"],
		["a\r\nb\r\n", String.raw`\n`, ",", true, "a,b,"],
		["a\r\nb\r\n", String.raw`\r\n`, ",", true, "a,b,"],
		["a\r\nb\r\n", String.raw`\r?\n`, "\n\n", true, "a\r\n\r\nb\r\n\r\n"],
		["a\nb\n", String.raw`\r\n`, ",", true, "a,b,"],
		["a\\r\r\nb", String.raw`\\r\n`, ",", true, "a,b"],
		["a \r\nb\t\r\n", String.raw`[ \t]+$`, "", true, "a\r\nb\r\n"],
		["a\r\nb\nc\r\n", "b\nc", "x\ny", false, "a\r\nx\r\ny\r\n"],
		["a\r\nb\nc", "[^]+", "$&", true, "a\r\nb\nc"],
		["\ufeffa\r\nb", "^", "> ", true, "\ufeff> a\r\n> b"],
		["\ufeffa\r\nb", "a\nb", "c\nd", false, "\ufeffc\r\nd"],
	] as const)("%j: %j → %j (pattern: %s): %j", async ([text, search, replace, isRegex, expected]) => {
		expect(await replaced(text, { search, replace, isRegex })).toBe(expected);
	});

	test("and leaves the rest unchanged", async () => {
		const someText = fc.oneof(
			fc.string({ unit: fc.constantFrom("a", "b", "\r\n", "\r\n", "\n", "😀") }),
			fc.string({ unit: fc.constantFrom("a", "b", "\r") }),
		);
		const somePattern = fc.constantFrom("a", "^", "$", "\\n", "a\\n", "[^]", "a*", "^a|b$", "\\s+");
		const plain = (text: string) => text.replace(/\r\n|\r/g, "\n");
		await fc.assert(
			fc.asyncProperty(someText, somePattern, fc.constantFrom("x", "\n", "x\ny", ""), async (...drawn) => {
				const [text, search, replace] = drawn;
				const { files } = await preview({ search, replace, isRegex: true }, { open: { a: text } });
				const edits = files[0]?.edits ?? [];
				const after = Change.of(edits, text.length).apply(Text.of(text)).toString();
				expect(plain(after)).toBe(plain(text).replace(new RegExp(search, "gmu"), replace));
			}),
			{ numRuns: runs(300) },
		);
	});
});
