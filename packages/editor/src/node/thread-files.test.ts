import { execFile } from "node:child_process";
import { chmodSync, truncateSync } from "node:fs";
import { open, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import * as threads from "@segue/protocol/threads";
import { Connection, memoryPair } from "@segue/rpc";
import { type FolderPicture, ToolFixture } from "@segue/testing/chat/tool-fixture";
import { ThreadReader } from "@segue/testing/editors/thread-reader";
import { describe, expect, test } from "vitest";
import { MemoryThreads } from "../threads/memory-threads.js";
import { ThreadsEditor } from "../threads/threads-editor.js";
import { threadFiles } from "./thread-files.js";

/** Creates these files, and connects an agent that reads them through an editor. */
async function openReader(files: FolderPicture): Promise<ThreadReader> {
	const { root } = await ToolFixture.draw({ "../secret.txt": "secret", ...files });
	const [ours, theirs] = memoryPair();
	new ThreadsEditor(ours, { ...threadFiles(root), chunk: () => {}, report: () => {}, threads: new MemoryThreads() });
	const agent = new Connection<"agent">(theirs, { dialect: threads.dialect, handlers: [], report: () => {} });
	return new ThreadReader(agent, "t", root);
}

describe("files on disk", () => {
	test.each<[string, string, object, string]>([
		["empty", "", {}, ""],
		["empty, with an offset", "", { lineOffset: 5 }, ""],
		["with CRLF", "one\r\ntwo\r\n", { lineOffset: 1, lineLimit: 1 }, "two\r\n"],
		["with a byte order mark", "\ufeffone\n", {}, "\ufeffone\n"],
		["without a final newline", "one\ntwo", { lineOffset: 1, lineLimit: 7 }, "two"],
	])("can be read as text: %s", async (_what, content, range, expected) => {
		const reader = await openReader({ "a b#.txt": content });
		expect(await reader.text("a b#.txt", range)).toEqual({ version: 1, content: expected });
		expect((await reader.text(reader.file("a b#.txt"), range)).content).toBe(expected);
	});

	test("that are not text can only be read as bytes", async () => {
		const reader = await openReader({ "latin.txt": Buffer.from([0x61, 0xff]), "nul.txt": "a\0b" });
		for (const file of ["latin.txt", "nul.txt"]) {
			expect(await reader.why(reader.text(file))).toBe("path: it is not text; use readBinaryFile");
		}
		expect((await reader.bytes("latin.txt", { byteOffset: 1, byteLimit: 9 })).content).toBe("/w==");
	});

	test("of several GiB can be read by range, as text and as bytes", async () => {
		const reader = await openReader({ huge: "one\ntwo\n" });
		truncateSync(reader.file("huge"), 5 * 2 ** 30);
		const handle = await open(reader.file("huge"), "r+");
		await handle.write("end", 5 * 2 ** 30 - 3);
		await handle.close();
		expect((await reader.text("huge", { lineOffset: 1, lineLimit: 1 })).content).toBe("two\n");
		const { content } = await reader.bytes("huge", { byteOffset: 5 * 2 ** 30 - 3 });
		expect(Buffer.from(content, "base64").toString()).toBe("end");
		expect(await reader.why(reader.text("huge"))).toContain("lineLimit: the content is longer than");
		expect(await reader.why(reader.bytes("huge"))).toContain("byteLimit: the content is longer than");
	});

	test("have a version that increases with every change, whether the file is small or large", async () => {
		const reader = await openReader({ small: "one", large: "" });
		truncateSync(reader.file("large"), 9 * 2 ** 20);
		const version = async (file: string) => (await reader.bytes(file, { byteLimit: 1 })).version;
		const [small, large] = [await version("small"), await version("large")];
		expect([await version("small"), await version("large")]).toEqual([small, large]);
		await writeFile(reader.file("small"), "two");
		await utimes(reader.file("large"), 2, 2);
		expect(await version("small")).toBeGreaterThan(small);
		expect((await reader.text("small")).version).toBe(await version("small"));
		expect(await version("large")).toBeGreaterThan(large);
	});
});

describe("a path on disk", () => {
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
		".gitignore": "build/\n",
		"build/c.txt": "c",
		"built.txt": "→ build/c.txt",
	};

	test.each([
		["src", true, true],
		["inside/b.txt", true, false],
		["none", false, false],
		["a.txt/b", false, false],
		["src/loop", false, false],
		["nowhere", false, false],
		[".", true, true],
	])("is reported as a file, a folder or missing: %s", async (file, exists, isDirectory) => {
		expect(await (await openReader(FILES)).stat(file)).toEqual({ exists, isDirectory });
	});

	test.each([
		["../secret.txt", "it is outside the agent's folder"],
		["outside/secret.txt", "it is outside the agent's folder"],
		["outside.txt", "it is outside the agent's folder"],
		[".env", "it is secret or ignored"],
		["key.txt", "it is a link to a secret or ignored file"],
		["build/c.txt", "it is secret or ignored"],
		["built.txt", "it is a link to a secret or ignored file"],
	])("that is not allowed is refused by every method: %s, because %s", async (file, why) => {
		const reader = await openReader(FILES);
		for (const ask of ["text", "bytes", "stat"] as const) {
			expect(await reader.why(reader[ask](file))).toBe(`path: ${why}`);
		}
	});

	test.each([
		["src", "it is a folder"],
		["src/loop", "no such file"],
		["none.txt", "no such file"],
	])("that does not lead to a file cannot be read: %s", async (file, why) => {
		const reader = await openReader(FILES);
		expect(await reader.why(reader.text(file))).toBe(`path: ${why}`);
		expect(await reader.why(reader.bytes(file))).toBe(`path: ${why}`);
	});

	test("that becomes ignored is refused", async () => {
		const reader = await openReader(FILES);
		expect((await reader.text("a.txt")).content).toBe("a");
		await writeFile(reader.file(".gitignore"), "*.txt\n");
		expect(await reader.why(reader.text("a.txt"))).toBe("path: it is secret or ignored");
	});

	test.skipIf(process.platform === "win32")("to a pipe is refused without blocking", async () => {
		const reader = await openReader(FILES);
		await promisify(execFile)("mkfifo", [reader.file("pipe")]);
		expect(await reader.why(reader.text("pipe"))).toBe("path: it is a pipe, a socket or a device");
	});

	test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
		"to an unreadable file is refused",
		async () => {
			const reader = await openReader(FILES);
			chmodSync(reader.file("a.txt"), 0);
			expect(await reader.why(reader.text("a.txt"))).toBe("path: access failed (EACCES)");
		},
	);
});

describe("a glob on disk", () => {
	const FILES = {
		"b.ts": "",
		"a.ts": "",
		"src/c d.ts": "",
		".env": "",
		"l.ts": "→ a.ts",
		"out/e.ts": "",
		".gitignore": "out",
	};

	test.each([
		["**/*.ts", ["a.ts", "b.ts", "src/c d.ts"]],
		["*", [".gitignore", "a.ts", "b.ts"]],
		["none*", []],
	])("finds files in order, except secret and ignored ones and links: %s", async (pattern, expected) => {
		const reader = await openReader(FILES);
		expect(await reader.glob(pattern)).toEqual(expected);
		expect(await reader.glob(path.join(reader.root, pattern))).toEqual(expected);
	});

	test.each([
		["../*", "is outside"],
		["/etc/*", "is outside"],
		["", '"" is empty'],
		["./", '"./" is empty'],
	])("that is outside the folder or empty is refused: %j", async (pattern, why) => {
		const reader = await openReader(FILES);
		expect(await reader.why(reader.glob(pattern))).toMatch(new RegExp(`^pattern: .*${why}`));
	});
});
