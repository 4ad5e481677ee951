import * as threads from "@segue/protocol/threads";
import { Connection, memoryPair, on, PeerError, type Problem } from "@segue/rpc";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryThreads } from "./memory-threads.js";
import { ThreadsEditor } from "./threads-editor.js";
import type { ThreadsHost } from "./threads-host.js";

const NOW = new Date("2030-01-02T03:04:05.678Z");

/** An editor with an agent that the test controls. */
function connect(besides: Partial<ThreadsHost> = {}, handlers: Parameters<typeof agentOn>[1] = []) {
	const [ours, theirs] = memoryPair();
	const received: string[] = [];
	const problems: Problem[] = [];
	let ids = 0;
	const host: ThreadsHost = {
		folder: "file:///project",
		chunk: (threadId, text) => {
			received.push(`${threadId}: ${text}`);
		},
		report: (problem) => problems.push(problem),
		threads: new MemoryThreads(
			() => NOW,
			() => `kept${++ids}`,
		),
		...besides,
	};
	const editor = new ThreadsEditor(ours, host);
	return { editor, agent: agentOn(theirs, handlers), received, problems };
}

function agentOn(
	channel: ConstructorParameters<typeof Connection<"agent">>[0],
	handlers: ConstructorParameters<typeof Connection<"agent">>[1]["handlers"],
): Connection<"agent"> {
	return new Connection<"agent">(channel, { dialect: threads.dialect, handlers, report: () => {} });
}

function text(chunk: string) {
	return { type: "text" as const, chunk };
}

async function errorOf(request: Promise<unknown>): Promise<string> {
	const error = await request.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	return error instanceof PeerError ? `${error.code} ${error.message}` : `not a peer error: ${error}`;
}

describe("an editor", () => {
	test("sends a message and receives the reply before the end of the turn", async () => {
		const metadata = { id: "t", title: "Hi", modifiedAt: NOW.toISOString() };
		const opened: string[] = [];
		const { editor, agent, received } = connect({}, [
			on(threads.getThreads, () => ({ threads: [metadata] })),
			on(threads.createThread, () => ({ threadId: "t" })),
			on(threads.openThread, ({ threadId }) => {
				opened.push(threadId);
				return null;
			}),
			on(threads.getThreadEntries, () => ({ entries: [{ type: "readFile" as const, path: "/a", content: "" }] })),
			on(threads.sendMessage, async ({ threadId, message }) => {
				const question = message.chunks.map(({ chunk }) => chunk).join("");
				for (const chunk of [message.role, question]) {
					await agent.request(threads.streamMessageChunk, { threadId, chunk: text(chunk) });
				}
				return null;
			}),
		]);
		expect(await editor.createThread()).toBe("t");
		await editor.sendMessage("t", "Hi");
		expect(received).toEqual(["t: user", "t: Hi"]);
		await editor.openThread("t");
		expect(opened).toEqual(["t"]);
		expect(await editor.getThreads()).toEqual([metadata]);
		expect(await editor.getThreadEntries("t")).toEqual([{ type: "readFile", path: "/a", content: "" }]);
		await editor.close();
		expect(await agent.closed).toMatchObject({ by: "other" });
	});

	test("stores threads for an agent that does not, and shows its messages", async () => {
		const { agent, received } = connect();
		const { threadId } = await agent.request(threads.createThread, null);
		await agent.request(threads.openThread, { threadId });
		const send = (role: "user" | "assistant", ...chunks: string[]) =>
			agent.request(threads.sendMessage, { threadId, message: { role, chunks: chunks.map(text) } });
		await send("user", "What is\n", "this?");
		await send("assistant", "A ", "test.");
		for (const chunk of ["Of ", "course."])
			await agent.request(threads.streamMessageChunk, { threadId, chunk: text(chunk) });
		await send("assistant", "Bye.");
		const message = (role: string, ...chunks: string[]) => ({ type: "message", role, chunks: chunks.map(text) });
		expect((await agent.request(threads.getThreadEntries, { threadId })).entries).toEqual([
			message("user", "What is\n", "this?"),
			message("assistant", "A ", "test."),
			message("assistant", "Of ", "course."),
			message("assistant", "Bye."),
		]);
		expect(received).toEqual(["A ", "test.", "Of ", "course.", "Bye."].map((chunk) => `kept1: ${chunk}`));
		const other = await agent.request(threads.createThread, null);
		expect((await agent.request(threads.getThreads, null)).threads).toEqual([
			{ id: other.threadId, title: "", modifiedAt: NOW.toISOString() },
			{ id: threadId, title: "What is this?", modifiedAt: NOW.toISOString() },
		]);
	});

	test("returns an error for an unknown thread", async () => {
		const { agent, received } = connect();
		const message = { role: "assistant" as const, chunks: [text("Hi")] };
		const none = "-32602 Invalid params: params.threadId: the editor has no such thread";
		expect(await errorOf(agent.request(threads.openThread, { threadId: "x" }))).toBe(none);
		expect(await errorOf(agent.request(threads.getThreadEntries, { threadId: "x" }))).toBe(none);
		expect(await errorOf(agent.request(threads.sendMessage, { threadId: "x", message }))).toBe(none);
		expect(received).toEqual([]);
	});

	test("limits the length of a streamed message", async () => {
		const kept = new MemoryThreads();
		const { agent } = connect({ threads: kept });
		const { threadId } = await agent.request(threads.createThread, null);
		for (const chunk of ["a".repeat(2 ** 20 - 1), "b", "", "c", "d"]) {
			await agent.request(threads.streamMessageChunk, { threadId, chunk: text(chunk) });
		}
		const [entry] = kept.entries(threadId) ?? [];
		expect(entry?.type === "message" && entry.chunks.map(({ chunk }) => chunk.slice(0, 2))).toEqual(["aa", "b"]);
	});

	test("lets the host slow down the agent's stream", async () => {
		let show = () => {};
		const { agent } = connect({ chunk: () => new Promise((resolve) => (show = resolve)) });
		let isAnswered = false;
		const sent = agent.request(threads.streamMessageChunk, { threadId: "t", chunk: text("Hi") }).then(() => {
			isAnswered = true;
		});
		await new Promise(setImmediate);
		expect(isAnswered).toBe(false);
		show();
		await sent;
	});
});

describe("an editor's files", () => {
	const TEXT = "one\r\ntwo\nthree";
	const host: Partial<ThreadsHost> = {
		readText: (uri) => (uri === "file:///project/src/a%20b.txt" ? { content: TEXT, version: 7 } : undefined),
		readBinary: () => ({ content: Uint8Array.from({ length: 20_000 }, (_, i) => i % 256), version: 8 }),
		stat: (uri) => (uri === "file:///project/src" ? { isFolder: true } : undefined),
		glob: async (pattern) => (pattern === "**" ? ["src/b", "src/a", ".env", "../out", "old/c"] : []),
		isPrivate: (uri) => uri.startsWith("file:///project/old/"),
	};

	test.each<[string, object, string]>([
		["src/a b.txt", {}, TEXT],
		["/project/./src/../src/a b.txt", {}, TEXT],
		["src/a b.txt", { lineOffset: 1 }, "two\nthree"],
		["src/a b.txt", { lineOffset: 0, lineLimit: 1 }, "one\r\n"],
		["src/a b.txt", { lineOffset: 1, lineLimit: 9 }, "two\nthree"],
		["src/a b.txt", { lineOffset: 3 }, ""],
		["src/a b.txt", { lineLimit: 0 }, ""],
		["src/a b.txt", { lineOffset: null, lineLimit: null }, TEXT],
	])("are read as text: %s, %j", async (path, range, content) => {
		const { agent } = connect(host);
		expect(await agent.request(threads.readTextFile, { threadId: "t", path, ...range })).toEqual({
			version: 7,
			content,
		});
	});

	test("are split into the same lines as in a simple model", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.constantFrom("a", "\n", "\r\n", "é", "😀")),
				fc.nat(6),
				fc.option(fc.nat(6)),
				async (pieces, lineOffset, lineLimit) => {
					const content = pieces.join("");
					const { agent } = connect({ readText: () => ({ content, version: 0 }) });
					const read = await agent.request(threads.readTextFile, { threadId: "t", path: "a", lineOffset, lineLimit });
					const lines = content.split(/(?<=\n)/);
					const last = lineLimit === null ? undefined : lineOffset + lineLimit;
					expect(read.content).toBe(lines.slice(lineOffset, last).join(""));
				},
			),
		);
	});

	test.each<[object, Buffer]>([
		[{ byteOffset: 254, byteLimit: 4 }, Buffer.from([254, 255, 0, 1])],
		[{ byteOffset: 19_999 }, Buffer.from([31])],
		[{ byteOffset: 2 ** 60 }, Buffer.alloc(0)],
		[{}, Buffer.from(Uint8Array.from({ length: 20_000 }, (_, i) => i % 256))],
	])("are read as bytes: %j", async (range, bytes) => {
		const { agent } = connect(host);
		const read = await agent.request(threads.readBinaryFile, { threadId: "t", path: "x", ...range });
		expect(read).toEqual({ version: 8, content: bytes.toString("base64") });
	});

	test("are found in order, except secret and private files and those outside the folder", async () => {
		const { agent } = connect(host);
		const stat = (path: string) => agent.request(threads.stat, { threadId: "t", path });
		expect(await stat("src")).toEqual({ exists: true, isDirectory: true });
		expect(await stat("none")).toEqual({ exists: false, isDirectory: false });
		expect(await agent.request(threads.globSearch, { threadId: "t", pattern: "**" })).toEqual({
			matches: ["src/a", "src/b"],
		});
	});

	test.each([
		["../secret.txt", "it is outside the agent's folder"],
		["/etc/passwd", "it is outside the agent's folder"],
		["/project-of-another/a", "it is outside the agent's folder"],
		[".env.local", "it is secret or ignored"],
		["old/a.txt", "it is secret or ignored"],
		["none.txt", "the editor has no such text file"],
	])("are refused: %s, because %s", async (path, why) => {
		const { agent } = connect(host);
		const error = await errorOf(agent.request(threads.readTextFile, { threadId: "t", path }));
		expect(error).toBe(`-32602 Invalid params: params.path: ${why}`);
	});

	test("can be read by range, and the host receives the range", async () => {
		const ranges: unknown[] = [];
		const { agent } = connect({
			readText: (_uri, range) => {
				ranges.push(range);
				return { content: "two\n", version: 3, isRange: true };
			},
			readBinary: (_uri, range) => {
				ranges.push(range);
				return { content: Uint8Array.of(7), version: 4, isRange: true };
			},
		});
		const file = { threadId: "t", path: "a" };
		const lines = { lineOffset: 1, lineLimit: 1 };
		expect(await agent.request(threads.readTextFile, { ...file, ...lines })).toEqual({ version: 3, content: "two\n" });
		const bytes = { byteOffset: 9, byteLimit: null };
		expect(await agent.request(threads.readBinaryFile, { ...file, ...bytes })).toEqual({ version: 4, content: "Bw==" });
		expect(ranges).toEqual([
			{ offset: 1, limit: 1 },
			{ offset: 9, limit: undefined },
		]);
	});

	test("are checked for privacy only up to the limit on matches", async () => {
		let checks = 0;
		const { agent } = connect({
			glob: () => Array.from({ length: 10_100 }, (_, i) => `f${i}`),
			isPrivate: () => {
				checks++;
				return false;
			},
		});
		const { matches } = await agent.request(threads.globSearch, { threadId: "t", pattern: "*" });
		expect([matches.length, checks]).toEqual([10_000, 10_000]);
	});

	test("are refused if the content is too long", async () => {
		const { agent } = connect({ readText: () => ({ content: "a".repeat(4 * 2 ** 20 + 1), version: 0 }) });
		expect(await errorOf(agent.request(threads.readTextFile, { threadId: "t", path: "a" }))).toContain(
			"params.lineLimit",
		);
	});

	test("cannot be requested if the host serves no files", async () => {
		const { agent } = connect();
		const file = { threadId: "t", path: "a" };
		expect(await errorOf(agent.request(threads.readTextFile, file))).toBe("-32601 Method not found - 'readTextFile'");
		expect(await errorOf(agent.request(threads.readBinaryFile, file))).toBe(
			"-32601 Method not found - 'readBinaryFile'",
		);
		expect(await errorOf(agent.request(threads.stat, file))).toBe("-32601 Method not found - 'stat'");
		const search = agent.request(threads.globSearch, { threadId: "t", pattern: "*" });
		expect(await errorOf(search)).toBe("-32601 Method not found - 'globSearch'");
	});
});
