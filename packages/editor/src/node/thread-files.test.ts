import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { open, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { threads, threadsDialect } from "@segue/protocol/threads";
import { Connection, memoryPair, PeerError } from "@segue/rpc";
import { describe, expect, onTestFinished, test } from "vitest";
import { MemoryThreads } from "../threads/memory-threads.js";
import { ThreadsEditor } from "../threads/threads-editor.js";
import { threadFiles } from "./thread-files.js";

/** An agent that reads the files of a folder through an editor. A text that begins with an arrow is a link. */
class Reader {
	readonly root: string;
	private readonly agent: Connection<"agent">;

	constructor(files: Readonly<Record<string, string | Uint8Array>>) {
		const box = mkdtempSync(path.join(os.tmpdir(), "segue-thread-files-"));
		onTestFinished(() => rmSync(box, { recursive: true }));
		this.root = path.join(box, "project");
		for (const [name, content] of Object.entries({ "../secret.txt": "secret", ...files })) {
			mkdirSync(path.dirname(this.file(name)), { recursive: true });
			if (typeof content === "string" && content.startsWith("→ ")) symlinkSync(content.slice(2), this.file(name));
			else writeFileSync(this.file(name), content);
		}
		const [ours, theirs] = memoryPair();
		const host = { ...threadFiles(this.root), chunk: () => {}, report: () => {}, threads: new MemoryThreads() };
		new ThreadsEditor(ours, host);
		this.agent = new Connection<"agent">(theirs, { dialect: threadsDialect, handlers: [], report: () => {} });
	}

	file(name: string): string {
		return path.join(this.root, name);
	}

	text(file: string, range: { lineOffset?: number; lineLimit?: number } = {}) {
		return this.agent.request(threads.readTextFile, { threadId: "t", path: file, ...range });
	}

	bytes(file: string, range: { byteOffset?: number; byteLimit?: number } = {}) {
		return this.agent.request(threads.readBinaryFile, { threadId: "t", path: file, ...range });
	}

	stat(file: string) {
		return this.agent.request(threads.stat, { threadId: "t", path: file });
	}

	async glob(pattern: string) {
		return (await this.agent.request(threads.globSearch, { threadId: "t", pattern })).matches;
	}

	async why(asked: Promise<unknown>): Promise<string> {
		const error = await asked.catch((reason: unknown) => reason);
		if (!(error instanceof PeerError)) return `no error of the peer: ${JSON.stringify(error)}`;
		return error.message.replace("Invalid params: params.", "");
	}
}

describe("files on disk", () => {
	test.each<[string, string, object, string]>([
		["an empty one", "", {}, ""],
		["an empty one, further on", "", { lineOffset: 5 }, ""],
		["with CRLF", "one\r\ntwo\r\n", { lineOffset: 1, lineLimit: 1 }, "two\r\n"],
		["with a mark of its encoding", "\ufeffone\n", {}, "\ufeffone\n"],
		["without a last newline", "one\ntwo", { lineOffset: 1, lineLimit: 7 }, "two"],
	])("are read as text: %s", async (_what, content, range, expected) => {
		const reader = new Reader({ "a b#.txt": content });
		expect(await reader.text("a b#.txt", range)).toEqual({ version: 1, content: expected });
		expect((await reader.text(reader.file("a b#.txt"), range)).content).toBe(expected);
	});

	test("that are no text are read as bytes only", async () => {
		const reader = new Reader({ "latin.txt": Buffer.from([0x61, 0xff]), "nul.txt": "a\0b" });
		for (const file of ["latin.txt", "nul.txt"]) {
			expect(await reader.why(reader.text(file))).toBe("path: it is no text; readBinaryFile reads it");
		}
		expect((await reader.bytes("latin.txt", { byteOffset: 1, byteLimit: 9 })).content).toBe("/w==");
	});

	test("of some GiB, which nobody could load, are read by range in either way", async () => {
		const reader = new Reader({ huge: "one\ntwo\n" });
		truncateSync(reader.file("huge"), 5 * 2 ** 30);
		const handle = await open(reader.file("huge"), "r+");
		await handle.write("end", 5 * 2 ** 30 - 3);
		await handle.close();
		expect((await reader.text("huge", { lineOffset: 1, lineLimit: 1 })).content).toBe("two\n");
		const { content } = await reader.bytes("huge", { byteOffset: 5 * 2 ** 30 - 3 });
		expect(Buffer.from(content, "base64").toString()).toBe("end");
		expect(await reader.why(reader.text("huge"))).toContain("lineLimit: there is more than");
		expect(await reader.why(reader.bytes("huge"))).toContain("byteLimit: there is more than");
	});

	test("have a version that stays with the content and grows with every change, small and large", async () => {
		const reader = new Reader({ small: "one", large: "" });
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
	])("leads to something, or not: %s", async (file, exists, isDirectory) => {
		expect(await new Reader(FILES).stat(file)).toEqual({ exists, isDirectory });
	});

	test.each([
		["../secret.txt", "it leads outside of the folder that the agent works in"],
		["outside/secret.txt", "it leads outside of the folder that the agent works in"],
		["outside.txt", "it leads outside of the folder that the agent works in"],
		[".env", "it is secret or ignored"],
		["key.txt", "it leads to something that is secret or ignored"],
		["build/c.txt", "it is secret or ignored"],
		["built.txt", "it leads to something that is secret or ignored"],
	])("that may not be followed is refused in every way: %s, because %s", async (file, why) => {
		const reader = new Reader(FILES);
		for (const ask of ["text", "bytes", "stat"] as const) {
			expect(await reader.why(reader[ask](file))).toBe(`path: ${why}`);
		}
	});

	test.each([
		["src", "it is a folder"],
		["src/loop", "there is no such file"],
		["none.txt", "there is no such file"],
	])("to no file is not read: %s", async (file, why) => {
		const reader = new Reader(FILES);
		expect(await reader.why(reader.text(file))).toBe(`path: ${why}`);
		expect(await reader.why(reader.bytes(file))).toBe(`path: ${why}`);
	});

	test("that is ignored only now is refused now", async () => {
		const reader = new Reader(FILES);
		expect((await reader.text("a.txt")).content).toBe("a");
		await writeFile(reader.file(".gitignore"), "*.txt\n");
		expect(await reader.why(reader.text("a.txt"))).toBe("path: it is secret or ignored");
	});

	test.skipIf(process.platform === "win32")("to a pipe is refused and not waited for", async () => {
		const reader = new Reader(FILES);
		await promisify(execFile)("mkfifo", [reader.file("pipe")]);
		expect(await reader.why(reader.text("pipe"))).toBe("path: it is a pipe, a socket or a device");
	});

	test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
		"to what is unreadable is refused",
		async () => {
			const reader = new Reader(FILES);
			chmodSync(reader.file("a.txt"), 0);
			expect(await reader.why(reader.text("a.txt"))).toBe("path: the system refuses it (EACCES)");
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
	])("finds files in order, without secrets, links and what is ignored: %s", async (pattern, expected) => {
		const reader = new Reader(FILES);
		expect(await reader.glob(pattern)).toEqual(expected);
		expect(await reader.glob(path.join(reader.root, pattern))).toEqual(expected);
	});

	test.each([
		["../*", "leads outside"],
		["/etc/*", "leads outside"],
		["", '"" is empty'],
		["./", '"./" is empty'],
	])("that leads outside or says nothing is refused: %j", async (pattern, why) => {
		const reader = new Reader(FILES);
		expect(await reader.why(reader.glob(pattern))).toMatch(new RegExp(`^pattern: .*${why}`));
	});
});
