import { PassThrough } from "node:stream";
import * as acp from "@segue/protocol/acp";
import { lines } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import {
	A,
	AcpEditor,
	always,
	B,
	edit,
	errorCodeOf,
	first,
	lineChange,
	noSuggestionReasonOf,
	sceneRecorder,
	segueMetaOf,
	startRename,
} from "@segue/testing/editors/acp-editor";
import { settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";

describe("documents", () => {
	test("accept any higher version and are lost on an equal or lower version", async () => {
		const { predict, seen } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: "b" }, { predict });
		editor.didChange(A, 7, lineChange(0, 0, 0, "a"));
		await editor.suggest(A, 7);
		expect(seen()).toBe("▮ab");
		editor.didChange(A, 7, lineChange(0, 0, 0, "x"));
		expect(noSuggestionReasonOf(await editor.suggest(A, 7))).toBe("lost");
		expect(editor.problems).toMatchObject([{ kind: "bad-notification", text: "received version 7 after version 7" }]);
	});

	test("get no suggestions for a version later than the mirror's", async () => {
		const editor = await startRename();
		expect(noSuggestionReasonOf(await editor.suggest(A, 3))).toBe("stale");
	});

	test("get no suggestions for a version earlier than the mirror's", async () => {
		const editor = await startRename();
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("stale");
	});

	test("have their version included in suggestions if it is known", async () => {
		const attached = { recentFiles: [{ uri: "file:///c.ts", languageId: "typescript", text: "c" }] };
		const predict = always(edit(A, 0, 0, "x"), edit(B, 0, 0, "x"), edit("file:///c.ts", 0, 0, "x"));
		const editor = await AcpEditor.open({ [A]: "a" }, { predict });
		editor.didOpen(B, "b", 9);
		const { suggestions } = await editor.suggest(A, 1, { context: attached });
		expect(suggestions.map(({ uri, _meta }) => [uri, segueMetaOf(_meta)])).toMatchObject([
			[A, { version: 1 }],
			[B, { version: 9 }],
			["file:///c.ts", {}],
		]);
		expect(segueMetaOf(suggestions[2]?._meta)).not.toHaveProperty("version");
	});

	test("are opened by a full change, but not by an incremental one", async () => {
		const { predict, seen, scenes } = sceneRecorder();
		const editor = await AcpEditor.open({}, { predict });
		editor.didChange(A, 1, lineChange(0, 0, 0, "x"));
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("no-text");
		expect(editor.problems).toMatchObject([{ kind: "bad-notification", method: "document/didChange" }]);
		editor.didChange(A, 2, { text: "whole" });
		await editor.suggest(A, 2);
		expect(seen()).toBe("▮whole");
		expect(scenes[0]?.document.languageId).toBe("plaintext");
	});

	test("have the new text and version when opened twice, and a warning is reported", async () => {
		const { predict, seen } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: "old" }, { predict });
		editor.didOpen(A, "new", 5);
		await editor.suggest(A, 5);
		expect(seen()).toBe("▮new");
		expect(editor.problems).toMatchObject([{ method: "document/didOpen", text: expect.stringContaining("twice") }]);
	});

	test("can be closed and saved without having been opened", async () => {
		const editor = await AcpEditor.open();
		const { sessionId } = editor;
		editor.client.notify(acp.didClose, { sessionId, uri: A });
		editor.client.notify(acp.didSave, { sessionId, uri: A });
		await settled();
		expect(editor.problems).toEqual([]);
	});

	test("can be focused without having been opened, but have no text", async () => {
		const editor = await AcpEditor.open();
		const position = { line: 3, character: 4 };
		editor.didFocus(A, position, { start: position, end: position });
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("no-text");
		expect(editor.problems).toEqual([]);
	});

	test("are unknown once closed", async () => {
		const editor = await AcpEditor.open({ [A]: "a" });
		editor.didClose(A);
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("no-text");
	});

	test("keep their history when reopened, unless their text has changed", async () => {
		const editor = await startRename();
		editor.didClose(A);
		editor.didOpen(A, "const count = 0\nlog(cnt)\n", 3);
		expect((await editor.suggest(A, 3)).suggestions).toMatchObject([{ edits: [{ newText: "count" }] }]);
		editor.didClose(A);
		editor.didOpen(A, "log(cnt)\n", 4);
		expect(noSuggestionReasonOf(await editor.suggest(A, 4))).toBe("no-history");
	});

	test("apply several changes in sequence, or none of them", async () => {
		const { predict, seen } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: "ab" }, { predict });
		editor.didChange(A, 2, lineChange(0, 1, 1, "\n"), lineChange(1, 0, 0, "x"));
		await editor.suggest(A, 2);
		expect(seen()).toBe("▮a\nxb");
		const contentChanges = [lineChange(0, 0, 0, "y"), { text: 5 }];
		await editor.write("document/didChange", { sessionId: editor.sessionId, uri: A, version: 3, contentChanges });
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("lost");
	});

	test.each([
		["with an item that is not an object", { version: 2, contentChanges: [5] }],
		["with a negative position", { version: 2, contentChanges: [lineChange(-1, 0, 0, "")] }],
		["without content changes", { version: 2 }],
		["with a fractional version", { version: 1.5, contentChanges: [] }],
		["without a version", { contentChanges: [] }],
	])("are lost on a change %s until their full text arrives", async (_what, change) => {
		const { predict, seen } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: "a" }, { predict });
		await editor.write("document/didChange", { sessionId: editor.sessionId, uri: A, ...change });
		expect(noSuggestionReasonOf(await editor.suggest(A, 1))).toBe("lost");
		editor.didChange(A, 3, lineChange(0, 0, 0, "x"));
		expect(noSuggestionReasonOf(await editor.suggest(A, 3))).toBe("lost");
		editor.didChange(A, 4, { text: "again" });
		await editor.suggest(A, 4);
		expect(seen()).toBe("▮again");
		expect(editor.problems.map(({ kind }) => kind)).toEqual(["bad-notification", "bad-notification"]);
	});

	test("have no history after being lost", async () => {
		const editor = await startRename();
		await editor.write("document/didChange", { sessionId: editor.sessionId, uri: A, version: 3 });
		editor.didChange(A, 4, { text: "const count = 0\n\nlog(cnt)\n" });
		expect(noSuggestionReasonOf(await editor.suggest(A, 4))).toBe("no-history");
	});

	test("accept full and incremental changes in one event", async () => {
		const { predict, seen } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: "ab" }, { predict });
		editor.didChange(A, 2, { text: "cd" }, lineChange(0, 2, 2, "e"));
		await editor.suggest(A, 2);
		expect(seen()).toBe("▮cde");
	});

	test("are found by any spelling of their URI; responses use the first spelling", async () => {
		const opened = "file:///C%3A/%61.ts";
		const editor = await AcpEditor.open({ [opened]: "ab" }, { predict: always(edit("file:///c:/a.ts", 0, 1, "x")) });
		editor.didChange("file:///c:/a.ts", 2, lineChange(0, 2, 2, "c"));
		const { suggestions } = await editor.suggest("file:///C:/a.ts", 2);
		expect(suggestions).toMatchObject([{ uri: opened }]);
		editor.didOpen("untitled:Untitled-1", "ab");
		expect((await editor.suggest("untitled:Untitled-1", 1)).suggestions).toHaveLength(1);
	});
});

describe("a rejected message", () => {
	/** Opens two sessions with one document each. Also returns a function that writes raw bytes to the agent. */
	async function twoSessions() {
		const [toAgent, toEditor] = [new PassThrough(), new PassThrough()];
		const { predict, scenes } = sceneRecorder();
		const editor = await AcpEditor.open(
			{ [A]: "a" },
			{ predict, wire: [overStreams(toAgent, toEditor, lines), overStreams(toEditor, toAgent, lines)] },
		);
		const other = editor.sessionId;
		await editor.start();
		editor.didOpen(A, "a");
		return { editor, other, scenes, write: (bytes: Uint8Array | string) => toAgent.write(bytes) };
	}

	const change = { jsonrpc: "2.0", method: "document/didChange", params: { sessionId: "nes_1", uri: A } };
	const written = JSON.stringify(change);

	test.each<[string, Uint8Array | string]>([
		["it was too large", JSON.stringify({ ...change, padding: "x".repeat(32 * 2 ** 20) })],
		["it was not UTF-8", Buffer.from(written.replace("a.ts", "\xff.ts"), "latin1")],
		["it was not JSON", written.slice(0, -1)],
		["it was part of a batch", `[${written}]`],
		["its JSON-RPC version was wrong", written.replace("2.0", "3.0")],
		["it did not name the document", JSON.stringify({ ...change, params: { sessionId: "nes_1" } })],
	])("loses all documents if %s, because it may have been a change", async (_what, message) => {
		const { editor, other, scenes, write } = await twoSessions();
		await editor.suggest(A, 1);
		write(message);
		write("\n");
		for (const sessionId of [editor.sessionId, other]) {
			expect(noSuggestionReasonOf(await editor.suggest(A, 1, { sessionId }))).toBe("lost");
		}
		editor.didChange(A, 2, lineChange(0, 0, 0, "x"));
		expect(noSuggestionReasonOf(await editor.suggest(A, 2))).toBe("lost");
		editor.didOpen(A, "again", 3);
		await editor.suggest(A, 3);
		editor.sessionId = other;
		editor.didChange(A, 4, { text: "as well" });
		await editor.suggest(A, 4);
		expect(scenes.map(({ document }) => `${document.text}`)).toEqual(["a", "again", "as well"]);
	});

	test("loses no documents if it was readable and was not a change", async () => {
		const { editor, scenes, write } = await twoSessions();
		write(`${JSON.stringify({ jsonrpc: "2.0", method: "document/didFocus", params: {} })}\n`);
		write(`${JSON.stringify({ jsonrpc: "2.0", id: 99, method: "nes/suggest", params: {} })}\n`);
		write(`${JSON.stringify({ jsonrpc: "2.0", method: "later", params: {} })}\n`);
		await editor.suggest(A, 1);
		expect(scenes).toHaveLength(1);
	});
});

describe("positions", () => {
	/** Returns the text with a mark where the agent places the cursor for a position in the given encoding. */
	async function cursorIn(text: string, line: number, character: number, encoding: "utf-8" | "utf-16" | "utf-32") {
		const { predict, seen } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: text }, { predict, capabilities: { positionEncodings: [encoding] } });
		await editor.suggest(A, 1, { position: { line, character } });
		return seen();
	}

	test.each([
		["a\r\nb\rc\nd", 3, "a\r\nb\rc\n▮d"],
		["a\u2028b\fc\nd", 1, "a\u2028b\fc\n▮d"],
	])("break lines only at \\n, \\r\\n and \\r: %j", async (text, line, expected) => {
		expect(await cursorIn(text, line, 0, "utf-16")).toBe(expected);
	});

	test("are clamped to the end of the line", async () => {
		expect(await cursorIn("ab\r\nc", 0, 99, "utf-16")).toBe("ab▮\r\nc");
	});

	test("are clamped to the end of the document, and rejected if negative", async () => {
		expect(await cursorIn("ab\nc", 9, 0, "utf-16")).toBe("ab\nc▮");
		const editor = await AcpEditor.open({ [A]: "" });
		expect(await errorCodeOf(editor.suggest(A, 1, { position: { line: -1, character: 0 } }))).toBe(-32602);
	});

	test("are swapped in a reversed selection or change", async () => {
		const { predict, scenes, seen } = sceneRecorder();
		const editor = await AcpEditor.open({ [A]: "abcd" }, { predict });
		editor.didChange(A, 2, lineChange(0, 3, 1, "x"));
		const [start, end] = [2, 1].map((character) => ({ line: 0, character })) as [never, never];
		await editor.suggest(A, 2, { position: end, selection: { start, end } });
		expect(seen()).toBe("a▮xd");
		expect(scenes[0]?.selection).toEqual({ anchor: 2, head: 1 });
	});

	test.each([
		["utf-16", 1],
		["utf-8", 1],
		["utf-8", 3],
	] as const)("move to the start of a character: %s, %i", async (encoding, character) => {
		expect(await cursorIn("😀a", 0, character, encoding)).toBe("▮😀a");
	});

	test.each([
		["utf-8", 3],
		["utf-16", 1],
		["utf-32", 1],
	] as const)("count a lone surrogate like U+FFFD: %s", async (encoding, character) => {
		expect(await cursorIn("\ud83da", 0, character, encoding)).toBe("\ud83d▮a");
	});

	test.each<[string, unknown, string | undefined, string]>([
		["use the client's first preference", ["utf-32", "utf-16"], "utf-32", "😀▮a"],
		["use the first supported encoding", ["utf-7", "utf-8"], "utf-8", "▮😀a"],
		["default to utf-16 if no encoding is offered", undefined, undefined, "▮😀a"],
		["default to utf-16 if no encoding is supported", ["utf-7"], undefined, "▮😀a"],
	])("%s", async (_what, offered, expected, cursor) => {
		const { predict, seen } = sceneRecorder();
		const editor = new AcpEditor({ predict });
		const { agentCapabilities } = await editor.initialize({ positionEncodings: offered } as acp.ClientCapabilities);
		expect(agentCapabilities?.positionEncoding).toBe(expected);
		await editor.start();
		editor.didOpen(A, "😀a");
		await editor.suggest(A, 1, { position: { line: 0, character: 1 } });
		expect(seen()).toBe(cursor);
	});

	test.each([
		["utf-8", 8, 11],
		["utf-16", 6, 9],
		["utf-32", 5, 8],
	] as const)("use the negotiated encoding in suggestions: %s", async (encoding, from, to) => {
		const options = { capabilities: { positionEncodings: [encoding] } };
		const editor = await AcpEditor.open({ [A]: 'const cnt = 0\n"😀" + cnt\n'.replace(" + ", "+") }, options);
		editor.didChange(A, 2, lineChange(0, 6, 9, "count"));
		const { edits, cursorPosition } = (await first(editor)) as { edits: unknown; cursorPosition: unknown };
		expect(edits).toEqual([
			{ range: { start: { line: 1, character: from - 1 }, end: { line: 1, character: to - 1 } }, newText: "count" },
		]);
		expect(cursorPosition).toEqual({ line: 1, character: to + 1 });
	});
});
