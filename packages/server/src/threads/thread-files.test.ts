import { writeFileSync } from "node:fs";
import { chmod, mkdir, open, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RestrictedView } from "@segue/assist";
import type { ChatFixtureOptions } from "@segue/testing/chat/chat-fixture";
import { ThreadReader } from "@segue/testing/editors/thread-reader";
import { ThreadsFixture } from "@segue/testing/editors/threads-fixture";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { isAll, runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ThreadFiles } from "./thread-files.js";

const GiB = 2 ** 30;

/** Opens an editor that reads files in a new thread's workspace. */
async function openReader(conditions: ChatFixtureOptions = {}): Promise<ThreadReader> {
	const stage = await ThreadsFixture.open(conditions);
	return new ThreadReader(stage.connection, await stage.create(), stage.conversation.tools.root);
}

describe("a text file", () => {
	const FILES = { "empty.txt": "", "crlf.txt": "\ufeffone\r\ntwo\r\n\r\nfour", "end.txt": "one\ntwo\n" };

	test.each<[string, object, string]>([
		["empty.txt", {}, ""],
		["empty.txt", { lineOffset: 3, lineLimit: 2 }, ""],
		["crlf.txt", {}, "\ufeffone\r\ntwo\r\n\r\nfour"],
		["crlf.txt", { lineOffset: 1, lineLimit: 2 }, "two\r\n\r\n"],
		["crlf.txt", { lineOffset: 3 }, "four"],
		["crlf.txt", { lineOffset: 4 }, ""],
		["crlf.txt", { lineLimit: 0 }, ""],
		["end.txt", { lineOffset: null, lineLimit: null }, "one\ntwo\n"],
		["end.txt", { lineOffset: 1, lineLimit: 2 ** 32 - 1 }, "two\n"],
		["end.txt", { lineOffset: 2 }, ""],
	])("is read by line range, with line breaks: %s, %j", async (file, range, content) => {
		const reader = await openReader({ files: FILES });
		expect((await reader.text(file, range)).content).toBe(content);
	});

	test("is read correctly in random ranges", async () => {
		const reader = await openReader();
		const piece = fc.constantFrom("a", "é", "😀", "\n", "\r\n", "\r");
		await fc.assert(
			fc.asyncProperty(fc.array(piece), fc.nat(5), fc.option(fc.nat(5)), async (pieces, lineOffset, lineLimit) => {
				const content = pieces.join("");
				await writeFile(reader.file("a.txt"), content);
				const lines = content.split(/(?<=\n)/);
				const last = lineLimit === null ? undefined : lineOffset + lineLimit;
				const read = await reader.text("a.txt", { lineOffset, lineLimit });
				expect(read.content).toBe(lines.slice(lineOffset, last).join(""));
			}),
			{ numRuns: runs(100) },
		);
	});

	test.each([
		["bytes.bin", "bytes.bin is not UTF-8 text. It is binary or has another encoding."],
		["utf16.txt", "utf16.txt is not UTF-8 text. It is binary or has another encoding."],
	])("is rejected for every range if it is not UTF-8: %s", async (file, why) => {
		const files = { "bytes.bin": Buffer.from([65, 10, 255, 254]), "utf16.txt": Buffer.from("Hi\n", "utf16le") };
		const reader = await openReader({ files });
		expect(await reader.why(reader.text(file))).toBe(`path: ${why}`);
		expect(await reader.why(reader.text(file, { lineLimit: 1 }))).toBe(`path: ${why}`);
	});

	test("is read by range if it is large", async () => {
		const reader = await openReader();
		const lines = Array.from({ length: 1_000_000 }, (_, i) => `line ${i}\n`);
		await writeFile(reader.file("log.txt"), lines.join(""));
		for (const [lineOffset, lineLimit] of [
			[0, 3],
			[26_000, 26_000],
			[999_998, 9],
			[1_000_000, 1],
		] as const) {
			const { content } = await reader.text("log.txt", { lineOffset, lineLimit });
			expect(content).toBe(lines.slice(lineOffset, lineOffset + lineLimit).join(""));
		}
		const tooMuch = "log.txt has more than 4194304 bytes in this range; request less";
		expect(await reader.why(reader.text("log.txt"))).toBe(`lineLimit: ${tooMuch}`);
		expect(await reader.why(reader.text("log.txt", { lineLimit: 900_000 }))).toBe(`lineLimit: ${tooMuch}`);
	});
});

describe("bytes", () => {
	test.each<[object, number[]]>([
		[{}, [0, 255, 10, 13]],
		[{ byteOffset: 1, byteLimit: 2 }, [255, 10]],
		[{ byteOffset: 3, byteLimit: 99 }, [13]],
		[{ byteOffset: 4 }, []],
		[{ byteOffset: 2 ** 60, byteLimit: 2 ** 60 }, []],
		[{ byteLimit: 0 }, []],
		[{ byteOffset: null, byteLimit: null }, [0, 255, 10, 13]],
	])("are read as base64: %j", async (range, bytes) => {
		const reader = await openReader({ files: { "a.bin": Buffer.from([0, 255, 10, 13]), empty: "" } });
		expect((await reader.bytes("a.bin", range)).content).toBe(Buffer.from(bytes).toString("base64"));
		expect((await reader.bytes("empty", range)).content).toBe("");
	});
});

test("a file too large for memory is read by range, as text and as bytes", async () => {
	const reader = await openReader();
	const file = await open(reader.file("huge.log"), "w");
	await file.write("first\nsecond\n");
	await file.truncate(6 * GiB);
	await file.write("last\n", 6 * GiB - 5);
	await file.close();
	expect((await reader.text("huge.log", { lineLimit: 2 })).content).toBe("first\nsecond\n");
	expect((await reader.text("huge.log", { lineOffset: 1, lineLimit: 1 })).content).toBe("second\n");
	const bytes = await reader.bytes("huge.log", { byteOffset: 6 * GiB - 5 });
	expect(Buffer.from(bytes.content, "base64").toString()).toBe("last\n");
	expect(await reader.why(reader.bytes("huge.log"))).toMatch(/^byteLimit: huge.log has more than/);
	expect(await reader.why(reader.text("huge.log", { lineOffset: 2 }))).toMatch(/^lineLimit: huge.log has more than/);
	expect(await reader.why(reader.text("huge.log", { lineOffset: 2, lineLimit: 1 }))).toMatch(/^lineLimit: /);
});

describe("the version of a file", () => {
	test("increases with every change to the content and is the same for text and bytes", async () => {
		const reader = await openReader({ files: { "a.txt": "one", "b.txt": "one" } });
		const { version: first } = await reader.text("a.txt");
		expect(await reader.text("a.txt", { lineOffset: 9 })).toEqual({ version: first, content: "" });
		expect((await reader.bytes("a.txt")).version).toBe(first);
		await utimes(reader.file("a.txt"), 1, 1);
		expect((await reader.text("a.txt")).version).toBe(first);
		// The content has the same length and time, and is read through another name.
		await writeFile(reader.file("a.txt"), "two");
		await utimes(reader.file("a.txt"), 1, 1);
		await symlink("a.txt", reader.file("link.txt"));
		const { version: second } = await reader.bytes("link.txt");
		expect(second).toBeGreaterThan(first);
		expect((await reader.text("a.txt")).version).toBe(second);
		await writeFile(reader.file("a.txt"), "one");
		expect((await reader.text("a.txt")).version).toBeGreaterThan(second);
		await rm(reader.file("a.txt"));
		expect(await reader.why(reader.text("a.txt"))).toBe("path: a.txt does not exist.");
		expect(Number.isSafeInteger((await reader.text("b.txt")).version)).toBe(true);
	});

	test("depends on the time and size of a large file", async () => {
		const reader = await openReader();
		await writeFile(reader.file("big"), "");
		await truncate(reader.file("big"), 9 * 2 ** 20);
		await utimes(reader.file("big"), 1, 1);
		const version = async () => (await reader.bytes("big", { byteLimit: 1 })).version;
		const first = await version();
		expect(await version()).toBe(first);
		await utimes(reader.file("big"), 2, 2);
		const second = await version();
		expect(second).toBeGreaterThan(first);
		await truncate(reader.file("big"), 10 * 2 ** 20);
		await utimes(reader.file("big"), 2, 2);
		expect(await version()).toBeGreaterThan(second);
	});

	test("is not reused if a large file changes while it is read", async () => {
		const files = new ThreadFiles();
		const times = [1n, 2n, 2n, 2n, 2n, 2n];
		const view = {
			resolve: async (name: string) => ({ path: name, real: name, name, realName: name, kind: "file" as const }),
			open: async () => ({
				stat: async () => ({ size: 9n * 2n ** 20n, ino: 1n, mtimeNs: times.shift() }),
				read: async () => ({ bytesRead: 1 }),
				close: async () => {},
			}),
		} as unknown as RestrictedView;
		const read = () => files.readBinary(view, { threadId: "t", path: "big", byteLimit: 1 });
		expect([(await read()).version, (await read()).version, (await read()).version]).toEqual([1, 2, 2]);
	});

	test("never decreases, even if an earlier read takes longer than a later one", async () => {
		const files = new ThreadFiles();
		const slow = deferred<Buffer>();
		const texts = [slow.opened, Promise.resolve(Buffer.from("new"))];
		const opened: string[] = [];
		const view = {
			resolve: async (name: string) => ({ path: name, real: name, name, realName: name, kind: "file" as const }),
			open: async () => {
				const text = texts.shift();
				opened.push("opened");
				return { stat: async () => ({ size: 3n }), readFile: () => text, close: async () => {} };
			},
		} as unknown as RestrictedView;
		const params = { threadId: "t", path: "a.txt" };
		const { signal } = new AbortController();
		const reads = [files.readText(view, params, signal), files.readText(view, params, signal)];
		await settled();
		expect(opened).toHaveLength(1);
		slow.open(Buffer.from("old"));
		expect(await Promise.all(reads)).toEqual([
			{ version: 1, content: "old" },
			{ version: 2, content: "new" },
		]);
	});
});

describe("a path", () => {
	const FILES = {
		"a.txt": "a",
		"src/b.txt": "b",
		"src/loop": "→ ../src/loop",
		inside: "→ src",
		outside: "→ ..",
		"outside.txt": "→ ../secret.txt",
		nowhere: "→ nothing",
		".env": "KEY=1",
		"key.txt": "→ .env",
	};

	test.each([
		["src", true, true],
		["src/b.txt", true, false],
		["./src/../a.txt", true, false],
		["inside/b.txt", true, false],
		["none", false, false],
		["none/deeper.txt", false, false],
		["a.txt/b", false, false],
		["src/loop", false, false],
		["src/loop/b.txt", false, false],
		[".", true, true],
	])("is checked for existence: %s", async (file, exists, isDirectory) => {
		const reader = await openReader({ files: FILES });
		expect(await reader.stat(file)).toEqual({ exists, isDirectory });
		expect(await reader.stat(path.join(reader.root, file))).toEqual({ exists, isDirectory });
	});

	test.each([
		["src", "src is a folder."],
		["none.txt", "none.txt does not exist."],
		["a.txt/b", '"a.txt/b": a part of the path is a file, not a folder.'],
		["src/loop", '"src/loop": its links form a loop, or there are too many.'],
		["src/loop/b.txt", '"src/loop/b.txt": its links form a loop, or there are too many.'],
	])("cannot be read if it is not a file: %s", async (file, why) => {
		const reader = await openReader({ files: FILES });
		expect(await reader.why(reader.text(file))).toBe(`path: ${why}`);
		expect(await reader.why(reader.bytes(file))).toBe(`path: ${why}`);
	});

	test.each([
		["../secret.txt", "is outside the workspace"],
		["/etc/passwd", "is outside the workspace"],
		["outside/secret.txt", "is outside the workspace"],
		["outside.txt", "is outside the workspace"],
		["nowhere", "goes through a broken link"],
		[".env", "has the name of a secret file"],
		["key.txt", "has the name of a secret file"],
		["src\0b.txt", "expected a path without NUL characters"],
		["", "is an empty path"],
	])("is rejected by every method if forbidden: %j %s", async (file, why) => {
		const reader = await openReader({ files: FILES });
		await writeFile(path.join(reader.root, "..", "secret.txt"), "secret");
		for (const method of ["text", "bytes", "stat"] as const) {
			expect(await reader.why(reader[method](file))).toMatch(new RegExp(`^path: .*${why}`));
		}
	});

	test.skipIf(process.getuid?.() === 0)("fails with an explanation if it is not readable", async () => {
		const reader = await openReader({ files: FILES });
		await chmod(reader.file("a.txt"), 0);
		expect(await reader.why(reader.text("a.txt"))).toBe("path: a.txt: permission denied.");
	});

	test("is rejected if it is currently ignored and no rule allows reading it", async () => {
		let ignored = "build";
		const privacyOf = () => {
			let known = ignored;
			return {
				isPrivate: (uri: string) => uri.includes(`/${known}`),
				forget: () => {
					known = ignored;
				},
			};
		};
		const files = { "build/a.txt": "built", "dist/a.txt": "made" };
		const reader = await openReader({ files, privacyOf });
		const rule = '{"kind":"read-ignored","pattern":"build/a.txt","answer":"allow"}';
		const why = `path: build/a.txt is ignored. To allow reading it, add ${rule} to "approvals".`;
		expect(await reader.why(reader.text("build/a.txt"))).toBe(why);
		expect(await reader.why(reader.stat("build/a.txt"))).toBe(why);
		expect(await reader.glob("**/a.txt")).toEqual(["dist/a.txt"]);
		ignored = "dist";
		expect((await reader.text("build/a.txt")).content).toBe("built");
		const rules = [{ kind: "read-ignored" as const, pattern: "build/**", answer: "allow" as const }];
		ignored = "build";
		const allowed = await openReader({ files, privacyOf, rules });
		expect((await allowed.text("build/a.txt")).content).toBe("built");
	});
});

describe("a glob", () => {
	const FILES = {
		"b.ts": "",
		"a.ts": "",
		"src/c.ts": "",
		"src/x/d.ts": "",
		"src-2/e.ts": "",
		".env": "",
		"l.ts": "→ a.ts",
	};

	test.each([
		["*.ts", ["a.ts", "b.ts"]],
		["**/*.ts", ["a.ts", "b.ts", "src-2/e.ts", "src/c.ts", "src/x/d.ts"]],
		["src/**", ["src/c.ts", "src/x/d.ts"]],
		["./src/*.{ts,js}", ["src/c.ts"]],
		["*", ["a.ts", "b.ts"]],
		["none*", []],
	])("finds files relative to the root, sorted, without secret files and links: %s", async (pattern, expected) => {
		const reader = await openReader({ files: FILES });
		expect(await reader.glob(pattern)).toEqual(expected);
		expect(await reader.glob(path.join(reader.root, pattern))).toEqual(expected);
	});

	test.each(["../*", "/etc/*", "src/../../*"])("is rejected if it is outside the workspace: %s", async (pattern) => {
		const reader = await openReader({ files: FILES });
		expect(await reader.why(reader.glob(pattern))).toMatch(/^pattern: .* is outside the workspace/);
	});

	test.each(["", "./", "././", "."])("is rejected if it cannot match a file: %j", async (pattern) => {
		const reader = await openReader({ files: FILES });
		expect(await reader.why(reader.glob(pattern))).toBe(
			`pattern: ${JSON.stringify(pattern)} cannot match a file. Example: **/*.ts`,
		);
	});

	test.runIf(isAll)("limits the number of matches", async () => {
		const reader = await openReader();
		const many = reader.file("many");
		await mkdir(many);
		for (let i = 0; i < 10_100; i++) writeFileSync(path.join(many, String(i).padStart(5, "0")), "");
		const found = await reader.glob("many/*");
		expect(found).toHaveLength(10_000);
		expect(found.at(-1)).toBe("many/09999");
	});
});
