import * as sdk from "@agentclientprotocol/sdk/experimental/nes";
import type { Memory, Prediction, Scene, Suggestion } from "@segue/predict";
import {
	acp,
	acpDialect,
	type ClientCapabilities,
	type ConfigOption,
	type ContentChange,
	type SuggestRequest,
	type SuggestResponse,
} from "@segue/protocol/acp";
import { Connection, memoryPair, on, type Problem, RpcError } from "@segue/rpc";
import { gate, settled } from "@segue/testing";
import type { Edit } from "@segue/text";
import { afterEach, describe, expect, test } from "vitest";
import { type AcpOptions, type Authentication, type Sync, serveAcp } from "./acp.js";

// Rows of the design that only concern the client have no test here: 4, 33, 36, 37, 38, 48. The agent's half of 33 is
// under row 31, since no edit that changes nothing leaves it.

const A = "file:///a.ts";
const B = "file:///b.ts";

/** Where every message of every connection of a test is checked, so that no test can forget it. */
const emitted: { readonly method: string; readonly part: "result" | "error" | "params"; readonly value: unknown }[] =
	[];

/** The SDK's frozen validators: the strictest reading of the wire. */
const STRICTEST: Readonly<Record<string, { parse(value: unknown): unknown }>> = {
	initialize: sdk.zInitializeResponse,
	"nes/start": sdk.validate.zStartNesResponse,
	"nes/suggest": sdk.validate.zSuggestNesResponse,
	"nes/close": sdk.validate.zCloseNesResponse,
};

afterEach(() => {
	for (const { method, part, value } of emitted.splice(0)) {
		if (part === "error") {
			expect(value).toEqual({ code: expect.any(Number), message: expect.any(String), ...dataOf(value) });
		} else if (part === "result" && STRICTEST[method] !== undefined) {
			// The validators strip members that they do not know: what is left must still have all that was said.
			expect(STRICTEST[method].parse(value)).toMatchObject(value as object);
		}
	}
});

function dataOf(error: unknown): object {
	const { data } = error as { data?: unknown };
	return data === undefined ? {} : { data };
}

/** Notes what an agent emits, each answer with the method that it answers. */
function watch(agent: Connection<"agent">): void {
	const methods = new Map<unknown, string>();
	agent.tap(({ direction, phase, text }) => {
		if (phase !== "before") return;
		const { id, method, params, result, error } = text.startsWith("{") ? JSON.parse(text) : {};
		if (direction === "in") methods.set(id, method);
		else if (method !== undefined) emitted.push({ method, part: "params", value: params });
		else if (error !== undefined) emitted.push({ method: methods.get(id) ?? "", part: "error", value: error });
		else emitted.push({ method: methods.get(id) ?? "", part: "result", value: result });
	});
}

interface Circumstances extends Partial<AcpOptions> {
	readonly capabilities?: ClientCapabilities;
}

/** An editor and the agent, on a wire in memory. */
class Editor {
	readonly client: Connection<"client">;
	readonly problems: Problem[] = [];
	readonly updates: unknown[] = [];
	/** All that the agent said, in order: results and errors by the method that they answer. */
	readonly said: string[] = [];
	sessionId = "";
	private readonly raw: (text: string) => void;

	/** Connects, and says nothing yet. */
	constructor({ capabilities: _, ...options }: Circumstances = {}) {
		const [a, b] = memoryPair();
		const report = (problem: Problem) => this.problems.push(problem);
		const agent = serveAcp(a, { version: "1.2.3", sync: "events", report, ...options });
		watch(agent);
		this.raw = (text) => b.send(text);
		this.client = new Connection<"client">(b, {
			dialect: acpDialect,
			report: () => {},
			handlers: [on(acp.sessionUpdate, (update) => void this.updates.push(update))],
		});
		this.client.tap(({ direction, phase, text }) => {
			if (direction !== "in" || phase !== "before") return;
			const { id, method, error } = JSON.parse(text);
			this.said.push(method ?? `#${id} ${error === undefined ? "result" : error.code}`);
		});
	}

	/** Connects, starts a session and opens documents, each at version 1. */
	static async open(files: Readonly<Record<string, string>> = {}, circumstances: Circumstances = {}): Promise<Editor> {
		const editor = new Editor(circumstances);
		await editor.initialize(circumstances.capabilities);
		await editor.start();
		for (const [uri, text] of Object.entries(files)) editor.didOpen(uri, text);
		return editor;
	}

	initialize(clientCapabilities: ClientCapabilities = {}, protocolVersion = 1) {
		return this.client.request(acp.initialize, { protocolVersion, clientCapabilities });
	}

	async start(): Promise<string> {
		const { sessionId } = await this.client.request(acp.nesStart, {});
		this.sessionId = sessionId;
		return sessionId;
	}

	didOpen(uri: string, text: string, version = 1): void {
		const { sessionId } = this;
		this.client.notify(acp.didOpen, { sessionId, uri, languageId: "typescript", version, text });
	}

	didChange(uri: string, version: number, ...contentChanges: ContentChange[]): void {
		this.client.notify(acp.didChange, { sessionId: this.sessionId, uri, version, contentChanges });
	}

	suggest(uri: string, version: number, more: Partial<SuggestRequest> = {}, signal?: AbortSignal) {
		const { sessionId } = this;
		const position = { line: 0, character: 0 };
		const request = { sessionId, uri, version, position, triggerKind: "manual", ...more };
		return this.client.request(acp.nesSuggest, request, signal);
	}

	close(sessionId = this.sessionId) {
		return this.client.request(acp.nesClose, { sessionId });
	}

	accept(id: string): void {
		this.client.notify(acp.nesAccept, { sessionId: this.sessionId, id });
	}

	reject(id: string, reason?: string): void {
		this.client.notify(acp.nesReject, { sessionId: this.sessionId, id, ...(reason !== undefined && { reason }) });
	}

	set(configId: string, value: string | boolean) {
		return this.client.request(acp.setConfigOption, { sessionId: this.sessionId, configId, value });
	}

	/** Writes a message as it is, and waits for what it does. */
	async write(method: string, params: unknown, id?: number): Promise<void> {
		this.raw(JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params }));
		await settled();
	}
}

/** Line, start and end of a change, and its new text. */
function ranged(line: number, from: number, to: number, text: string): ContentChange {
	return { range: { start: { line, character: from }, end: { line, character: to } }, text };
}

function reasonOf({ suggestions, _meta }: SuggestResponse): unknown {
	expect(suggestions).toEqual([]);
	return segueIn(_meta)["reason"];
}

/** What is ours in a message. */
function segueIn(meta: Record<string, unknown> | null | undefined): Record<string, unknown> {
	return (meta?.["segue"] ?? {}) as Record<string, unknown>;
}

/** A code and its data, of a request that is refused. */
async function refusal(request: Promise<unknown>): Promise<unknown> {
	const error = await request.then(
		() => expect.unreachable("it was answered"),
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(RpcError);
	const { code, data } = error as RpcError;
	return data === undefined ? code : [code, data];
}

/** A prediction that only looks at the scenes. */
function looker() {
	const scenes: Scene[] = [];
	const predict = (scene: Scene): Prediction => {
		scenes.push(scene);
		return { silence: "nothing-found" };
	};
	/** The text of the last scene's document, with ▮ where the cursor is. */
	const seen = () => {
		const { document, cursor } = scenes.at(-1) as Scene;
		return `${document.text.slice(0, cursor)}▮${document.text.slice(cursor)}`;
	};
	return { scenes, predict, seen };
}

const about = { predictor: "repeat", rule: "rule", confidence: 1, why: "because", cursor: 0 } as const;

function edit(uri: string, from: number, to: number, insert: string): Suggestion {
	return { ...about, kind: "edit", uri, edits: [{ from, to, insert }], cursor: from + insert.length, key: `${from}` };
}

const EVERY_KIND: Suggestion[] = [
	{ ...about, key: "1", kind: "jump", uri: A, at: 1 },
	{ ...about, key: "2", kind: "rename", uri: A, at: 0, oldName: "ab", newName: "cd" },
	{ ...about, key: "3", kind: "searchAndReplace", uri: A, search: "a", replace: "b", isRegex: false },
];

/** Always suggests the same. */
function always(...suggestions: Suggestion[]) {
	return (): Prediction => ({ suggestions });
}

/** A user who has begun to rename: the next place is on the second line, from 4 to 7. */
async function renaming(circumstances: Circumstances = {}): Promise<Editor> {
	const editor = await Editor.open({ [A]: "const cnt = 0\nlog(cnt)\n" }, circumstances);
	editor.didChange(A, 2, ranged(0, 6, 9, "count"));
	return editor;
}

const RENAMED = {
	kind: "edit",
	uri: A,
	edits: [{ range: { start: { line: 1, character: 4 }, end: { line: 1, character: 7 } }, newText: "count" }],
	cursorPosition: { line: 1, character: 9 },
};

/** The first suggestion to a user who has begun to rename. */
async function first(editor: Editor) {
	const { suggestions } = await editor.suggest(A, 2);
	const [suggestion] = suggestions;
	if (suggestion === undefined) throw new Error("nothing was suggested");
	return suggestion;
}

describe("documents", () => {
	test("row 1: any greater version is taken; an equal or lower one leaves the document lost", async () => {
		const { predict, seen } = looker();
		const editor = await Editor.open({ [A]: "b" }, { predict });
		editor.didChange(A, 7, ranged(0, 0, 0, "a"));
		await editor.suggest(A, 7);
		expect(seen()).toBe("▮ab");
		editor.didChange(A, 7, ranged(0, 0, 0, "x"));
		expect(reasonOf(await editor.suggest(A, 7))).toBe("lost");
		expect(editor.problems).toMatchObject([{ kind: "bad-notification", text: "version 7 after version 7" }]);
	});

	test("row 2: a request for a later version than the mirror's is answered with nothing, as stale", async () => {
		const editor = await renaming();
		expect(reasonOf(await editor.suggest(A, 3))).toBe("stale");
	});

	test("row 3: a request for an earlier version than the mirror's is answered with nothing, as stale", async () => {
		const editor = await renaming();
		expect(reasonOf(await editor.suggest(A, 1))).toBe("stale");
	});

	test("row 5: a suggestion tells the version of the document it is for, as far as one is known", async () => {
		const attached = { recentFiles: [{ uri: "file:///c.ts", languageId: "typescript", text: "c" }] };
		const predict = always(edit(A, 0, 0, "x"), edit(B, 0, 0, "x"), edit("file:///c.ts", 0, 0, "x"));
		const editor = await Editor.open({ [A]: "a" }, { predict });
		editor.didOpen(B, "b", 9);
		const { suggestions } = await editor.suggest(A, 1, { context: attached });
		expect(suggestions.map(({ uri, _meta }) => [uri, segueIn(_meta)])).toMatchObject([
			[A, { version: 1 }],
			[B, { version: 9 }],
			["file:///c.ts", { version: null }],
		]);
	});

	test("row 6: the whole text opens a document that never was; a range of it is ignored", async () => {
		const { predict, seen, scenes } = looker();
		const editor = await Editor.open({}, { predict });
		editor.didChange(A, 1, ranged(0, 0, 0, "x"));
		expect(reasonOf(await editor.suggest(A, 1))).toBe("no-text");
		expect(editor.problems).toMatchObject([{ kind: "bad-notification", method: "document/didChange" }]);
		editor.didChange(A, 2, { text: "whole" });
		await editor.suggest(A, 2);
		expect(seen()).toBe("▮whole");
		expect(scenes[0]?.document.languageId).toBe("plaintext");
	});

	test("row 7: a document that is opened twice has the new text and version, with a warning", async () => {
		const { predict, seen } = looker();
		const editor = await Editor.open({ [A]: "old" }, { predict });
		editor.didOpen(A, "new", 5);
		await editor.suggest(A, 5);
		expect(seen()).toBe("▮new");
		expect(editor.problems).toMatchObject([{ method: "document/didOpen", text: expect.stringContaining("twice") }]);
	});

	test("row 8: closing and saving a document that is not known is ignored silently", async () => {
		const editor = await Editor.open();
		const { sessionId } = editor;
		editor.client.notify(acp.didClose, { sessionId, uri: A });
		editor.client.notify(acp.didSave, { sessionId, uri: A });
		await settled();
		expect(editor.problems).toEqual([]);
	});

	test("row 9: the focus of a document that was never opened is taken, and brings no text", async () => {
		const editor = await Editor.open();
		const position = { line: 3, character: 4 };
		const visibleRange = { start: position, end: position };
		editor.client.notify(acp.didFocus, { sessionId: editor.sessionId, uri: A, version: 1, position, visibleRange });
		expect(reasonOf(await editor.suggest(A, 1))).toBe("no-text");
		expect(editor.problems).toEqual([]);
	});

	test("a document that was closed is no longer known", async () => {
		const editor = await Editor.open({ [A]: "a" });
		editor.client.notify(acp.didClose, { sessionId: editor.sessionId, uri: A });
		expect(reasonOf(await editor.suggest(A, 1))).toBe("no-text");
	});

	test("row 20: several changes apply one after the other, and all or none", async () => {
		const { predict, seen } = looker();
		const editor = await Editor.open({ [A]: "ab" }, { predict });
		editor.didChange(A, 2, ranged(0, 1, 1, "\n"), ranged(1, 0, 0, "x"));
		await editor.suggest(A, 2);
		expect(seen()).toBe("▮a\nxb");
		const contentChanges = [ranged(0, 0, 0, "y"), { text: 5 }];
		await editor.write("document/didChange", { sessionId: editor.sessionId, uri: A, version: 3, contentChanges });
		expect(reasonOf(await editor.suggest(A, 2))).toBe("lost");
	});

	test.each([
		["an item is no object", { version: 2, contentChanges: [5] }],
		["a position is negative", { version: 2, contentChanges: [ranged(-1, 0, 0, "")] }],
		["there are no changes", { version: 2 }],
		["the version is no integer", { version: 1.5, contentChanges: [] }],
		["there is no version", { contentChanges: [] }],
	])("row 21: a change of which %s leaves the document lost until its text comes again", async (_what, change) => {
		const { predict, seen } = looker();
		const editor = await Editor.open({ [A]: "a" }, { predict });
		await editor.write("document/didChange", { sessionId: editor.sessionId, uri: A, ...change });
		expect(reasonOf(await editor.suggest(A, 1))).toBe("lost");
		editor.didChange(A, 3, ranged(0, 0, 0, "x"));
		expect(reasonOf(await editor.suggest(A, 3))).toBe("lost");
		editor.didChange(A, 4, { text: "again" });
		await editor.suggest(A, 4);
		expect(seen()).toBe("▮again");
		expect(editor.problems.map(({ kind }) => kind)).toEqual(["bad-notification", "bad-notification"]);
	});

	test("row 22: a range and the whole text are both taken, whichever was asked for", async () => {
		const { predict, seen } = looker();
		const editor = await Editor.open({ [A]: "ab" }, { predict });
		editor.didChange(A, 2, { text: "cd" }, ranged(0, 2, 2, "e"));
		await editor.suggest(A, 2);
		expect(seen()).toBe("▮cde");
	});

	test("row 44: a document is known by any spelling of its uri; the wire has the one it was opened with", async () => {
		const opened = "file:///C%3A/%61.ts";
		const editor = await Editor.open({ [opened]: "ab" }, { predict: always(edit("file:///c:/a.ts", 0, 1, "x")) });
		editor.didChange("file:///c:/a.ts", 2, ranged(0, 2, 2, "c"));
		const { suggestions } = await editor.suggest("file:///C:/a.ts", 2);
		expect(suggestions).toMatchObject([{ uri: opened }]);
		editor.didOpen("untitled:Untitled-1", "ab");
		expect((await editor.suggest("untitled:Untitled-1", 1)).suggestions).toHaveLength(1);
	});
});

describe("positions", () => {
	/** What the agent takes a cursor for, in a text of the given encoding. */
	async function cursorIn(text: string, line: number, character: number, encoding: "utf-8" | "utf-16" | "utf-32") {
		const { predict, seen } = looker();
		const editor = await Editor.open({ [A]: text }, { predict, capabilities: { positionEncodings: [encoding] } });
		await editor.suggest(A, 1, { position: { line, character } });
		return seen();
	}

	test.each([
		["a\r\nb\rc\nd", 3, "a\r\nb\rc\n▮d"],
		["a\u2028b\fc\nd", 1, "a\u2028b\fc\n▮d"],
	])("row 23: lines end at \\n, \\r\\n and \\r and at nothing else: %j", async (text, line, expected) => {
		expect(await cursorIn(text, line, 0, "utf-16")).toBe(expected);
	});

	test("row 24: a character past the end of its line is the line's end", async () => {
		expect(await cursorIn("ab\r\nc", 0, 99, "utf-16")).toBe("ab▮\r\nc");
	});

	test("row 25: a line past the last is the document's end, and a negative one is refused", async () => {
		expect(await cursorIn("ab\nc", 9, 0, "utf-16")).toBe("ab\nc▮");
		const editor = await Editor.open({ [A]: "" });
		expect(await refusal(editor.suggest(A, 1, { position: { line: -1, character: 0 } }))).toBe(-32602);
	});

	test("row 26: a selection or a change that is written backwards is turned round", async () => {
		const { predict, scenes, seen } = looker();
		const editor = await Editor.open({ [A]: "abcd" }, { predict });
		editor.didChange(A, 2, ranged(0, 3, 1, "x"));
		const [start, end] = [2, 1].map((character) => ({ line: 0, character })) as [never, never];
		await editor.suggest(A, 2, { position: end, selection: { start, end } });
		expect(seen()).toBe("a▮xd");
		expect(scenes[0]?.selection).toEqual({ anchor: 2, head: 1 });
	});

	test.each([
		["utf-16", 1],
		["utf-8", 1],
		["utf-8", 3],
	] as const)("row 27: a position inside a character is its start: %s, %i", async (encoding, character) => {
		expect(await cursorIn("😀a", 0, character, encoding)).toBe("▮😀a");
	});

	test.each([
		["utf-8", 3],
		["utf-16", 1],
		["utf-32", 1],
	] as const)("row 28: half of a pair stays as it is, and counts as U+FFFD does: %s", async (encoding, character) => {
		expect(await cursorIn("\ud83da", 0, character, encoding)).toBe("\ud83d▮a");
	});

	test.each<[string, unknown, string | undefined, string]>([
		["the client's first preference", ["utf-32", "utf-16"], "utf-32", "😀▮a"],
		["the first that is known", ["utf-7", "utf-8"], "utf-8", "▮😀a"],
		["utf-16, and is not named, where none is offered", undefined, undefined, "▮😀a"],
		["utf-16, and is not named, where none is known", ["utf-7"], undefined, "▮😀a"],
	])("row 29: the encoding is %s", async (_what, offered, expected, cursor) => {
		const { predict, seen } = looker();
		const editor = new Editor({ predict });
		const { agentCapabilities } = await editor.initialize({ positionEncodings: offered } as ClientCapabilities);
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
	] as const)("a suggestion has positions of the encoding: %s", async (encoding, from, to) => {
		const circumstances = { capabilities: { positionEncodings: [encoding] } };
		const editor = await Editor.open({ [A]: 'const cnt = 0\n"😀" + cnt\n'.replace(" + ", "+") }, circumstances);
		editor.didChange(A, 2, ranged(0, 6, 9, "count"));
		const { edits, cursorPosition } = (await first(editor)) as { edits: unknown; cursorPosition: unknown };
		expect(edits).toEqual([
			{ range: { start: { line: 1, character: from - 1 }, end: { line: 1, character: to - 1 } }, newText: "count" },
		]);
		expect(cursorPosition).toEqual({ line: 1, character: to + 1 });
	});
});

describe("the wire", () => {
	const DOCUMENT = { didOpen: {}, didChange: { syncKind: "incremental" }, didClose: {}, didSave: {}, didFocus: {} };
	const CONTEXT = { diagnostics: {}, openFiles: {}, userActions: { maxCount: 16 }, relatedSnippets: {} };
	const EVERYTHING = { ...CONTEXT, recentFiles: { maxCount: 10 }, editHistory: { maxCount: 6 } };

	test.each<[Sync, object]>([
		["events", { events: { document: DOCUMENT }, context: CONTEXT }],
		["context", { context: EVERYTHING }],
		["both", { events: { document: DOCUMENT }, context: EVERYTHING }],
	])("row 46: with --sync %s exactly what is used is asked for, under _meta once more", async (sync, nes) => {
		const { agentCapabilities } = await new Editor({ sync }).initialize();
		expect(agentCapabilities).toEqual({ nes, _meta: { segue: { nes } } });
	});

	test.each<Sync>(["events", "context", "both"])(
		"row 10: changes are never asked for without openings: --sync %s",
		async (sync) => {
			const { agentCapabilities } = await new Editor({ sync }).initialize();
			const { didChange, didOpen } = agentCapabilities?.nes?.events?.document ?? {};
			expect(didChange === undefined).toBe(didOpen === undefined);
		},
	);

	test("row 11: events that were not asked for are ignored, and noted", async () => {
		const editor = await Editor.open({ [A]: "a" }, { sync: "context" });
		expect(reasonOf(await editor.suggest(A, 1))).toBe("no-text");
		expect(editor.problems).toMatchObject([{ kind: "unknown-notification", method: "document/didOpen" }]);
	});

	test("row 12: a request for a session that is not there is refused, and told which", async () => {
		const editor = await Editor.open();
		const expected = [-32002, { sessionId: "nes_99" }];
		expect(await refusal(editor.suggest(A, 1, { sessionId: "nes_99" }))).toEqual(expected);
		expect(await refusal(editor.close("nes_99"))).toEqual(expected);
		editor.sessionId = "nes_99";
		expect(await refusal(editor.set("nes_enabled", "on"))).toEqual(expected);
	});

	test("row 13: a notification for a session that is not there is ignored, and noted", async () => {
		const editor = await Editor.open({ [A]: "" });
		const gone = { sessionId: "nes_99", uri: A, id: "suggestion_1" };
		const position = { line: 0, character: 0 };
		editor.client.notify(acp.didOpen, { ...gone, languageId: "typescript", version: 1, text: "" });
		editor.client.notify(acp.didChange, { ...gone, version: 2, contentChanges: [] });
		editor.client.notify(acp.didClose, gone);
		editor.client.notify(acp.didSave, gone);
		editor.client.notify(acp.didFocus, { ...gone, version: 1, position });
		editor.client.notify(acp.nesAccept, gone);
		editor.client.notify(acp.nesReject, gone);
		await settled();
		expect(editor.problems).toHaveLength(7);
		expect(new Set(editor.problems.map(({ text }) => text))).toEqual(new Set(["there is no such session"]));
	});

	test("row 14: a session of chat is none of next edits, whose ids have a form of their own", async () => {
		const editor = await Editor.open();
		expect(editor.sessionId).toMatch(/^nes_/);
		expect(await refusal(editor.suggest(A, 1, { sessionId: "sess_abc123" }))).toEqual([
			-32002,
			{ sessionId: "sess_abc123" },
		]);
	});

	test("row 15: every start is another session, and none knows the documents of another", async () => {
		const editor = await Editor.open({ [A]: "a" });
		const one = editor.sessionId;
		const other = await editor.start();
		expect(other).not.toBe(one);
		expect(reasonOf(await editor.suggest(A, 1))).toBe("no-text");
		expect(reasonOf(await editor.suggest(A, 1, { sessionId: one }))).toBe("no-history");
	});

	test("row 16: closing cancels what is pending, answers it first, and frees the session", async () => {
		const { opened } = gate<Prediction>();
		const signals: AbortSignal[] = [];
		const predict = (_scene: Scene, _memory: unknown, signal: AbortSignal) => {
			signals.push(signal);
			return opened;
		};
		const editor = await Editor.open({ [A]: "a" }, { predict });
		await settled();
		const before = editor.said.length;
		const [one, two] = [editor.suggest(A, 1), editor.suggest(A, 1)].map(refusal);
		expect(await editor.close()).toEqual({});
		expect([await one, await two]).toEqual([-32800, -32800]);
		expect(editor.said.slice(before)).toEqual(["#2 -32800", "#3 -32800", "#4 result"]);
		expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
		expect(editor.problems).toEqual([]);

		editor.didChange(A, 2, { text: "" });
		expect(await refusal(editor.close())).toEqual([-32002, { sessionId: editor.sessionId }]);
		expect(editor.problems).toMatchObject([{ kind: "bad-notification", method: "document/didChange" }]);
	});

	test("row 16: a session whose predictions never end keeps neither itself nor others waiting", async () => {
		const editor = await Editor.open({ [A]: "a" }, { predict: () => gate<Prediction>().opened });
		const asked = Array.from({ length: 200 }, () => refusal(editor.suggest(A, 1)));
		expect(await editor.close()).toEqual({});
		expect(new Set(await Promise.all(asked))).toEqual(new Set([-32800]));
	});

	test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
		"row 16: an answer that is just ready when its session is closed comes first as well: %i moments before",
		async (moments) => {
			const { opened, open } = gate<Prediction>();
			const editor = await Editor.open({ [A]: "a" }, { predict: () => opened });
			await settled();
			const before = editor.said.length;
			const answer = editor.suggest(A, 1).catch(() => {});
			await settled();
			open({ silence: "nothing-found" });
			for (let moment = 0; moment < moments; moment++) await undefined;
			await Promise.all([answer, editor.close()]);
			expect(editor.said.slice(before).map((one) => one.slice(0, 2))).toEqual(["#2", "#3"]);
		},
	);

	test("row 17: a request that is cancelled stops its prediction and is answered with -32800", async () => {
		const signals: AbortSignal[] = [];
		const predict = (_scene: Scene, _memory: unknown, signal: AbortSignal) => {
			signals.push(signal);
			return gate<Prediction>().opened;
		};
		const editor = await Editor.open({ [A]: "a" }, { predict });
		const controller = new AbortController();
		const refused = refusal(editor.suggest(A, 1, {}, controller.signal));
		await settled();
		controller.abort();
		expect(await refused).toBe(-32800);
		expect(signals[0]?.aborted).toBe(true);
		expect(editor.problems).toEqual([]);
	});

	test("row 17: the cancellation of a request that was answered changes nothing", async () => {
		const editor = await renaming();
		await first(editor);
		await editor.write("$/cancel_request", { requestId: 2 });
		expect(editor.problems).toEqual([]);
		await first(editor);
	});

	test("row 18: several requests for one document are all answered, in the order their predictions come", async () => {
		const gates = [gate<Prediction>(), gate<Prediction>()];
		let count = 0;
		const predict = () => gates[count++]?.opened as Promise<Prediction>;
		const editor = await Editor.open({ [A]: "a" }, { predict });
		const answers = [editor.suggest(A, 1), editor.suggest(A, 1)];
		await settled();
		gates[1]?.open({ suggestions: [edit(A, 0, 0, "2")] });
		expect(await answers[1]).toMatchObject({ suggestions: [{ id: "suggestion_1" }] });
		gates[0]?.open({ suggestions: [edit(A, 0, 0, "1")] });
		expect(await answers[0]).toMatchObject({ suggestions: [{ id: "suggestion_2" }] });
	});

	test("row 19: a request sees the document as it was when it was sent, whatever comes while it is predicted", async () => {
		const { opened, open } = gate();
		const texts: string[] = [];
		const predict = async ({ document }: Scene): Promise<Prediction> => {
			await opened;
			texts.push(document.text.toString());
			return { suggestions: [edit(A, 0, document.text.length, "x")] };
		};
		const editor = await Editor.open({ [A]: "1" }, { predict });
		const answers = [2, 3].map((version) => {
			editor.didChange(A, version, { text: "1".repeat(version) });
			return editor.suggest(A, version);
		});
		editor.didChange(A, 4, { text: "" });
		await settled();
		open();
		expect((await Promise.all(answers)).map(({ suggestions }) => segueIn(suggestions[0]?._meta))).toMatchObject([
			{ version: 2 },
			{ version: 3 },
		]);
		expect(texts).toEqual(["11", "111"]);
	});
});

describe("what is attached to a request", () => {
	const recentFiles = [
		{ uri: B, languageId: "typescript", text: "b" },
		{ uri: A, languageId: "typescript", text: "const count = 0\nlog(cnt)\n" },
	];
	const editHistory = [{ uri: A, diff: "@@ -1,1 +1,1 @@\n-const cnt = 0\n+const count = 0\n" }];

	test.each<Sync>(["events", "context", "both"])(
		"row 45: the text of the file is in recentFiles where no event told it: --sync %s",
		async (sync) => {
			const editor = await Editor.open({}, { sync });
			const { suggestions } = await editor.suggest(A, 2, { context: { recentFiles, editHistory } });
			expect(suggestions).toMatchObject([RENAMED]);
			expect(reasonOf(await editor.suggest("file:///c.ts", 2, { context: { recentFiles } }))).toBe("no-text");
		},
	);

	test("events win where what is attached says otherwise", async () => {
		const { predict, seen } = looker();
		const editor = await Editor.open({ [A]: "told" }, { predict, sync: "both" });
		await editor.suggest(A, 1, { context: { recentFiles } });
		expect(seen()).toBe("▮told");
	});

	test.each([
		["the last line and no line end", { startLine: 0, endLine: 1, text: "one\ntwo" }],
		["the line after and a line end", { startLine: 0, endLine: 2, text: "one\ntwo\n" }],
	])("row 30: excerpts are read with %s", async (_what, excerpt) => {
		const editor = await renaming();
		const context = { relatedSnippets: [{ uri: B, excerpts: [excerpt] }] };
		expect((await editor.suggest(A, 2, { context })).suggestions).toMatchObject([RENAMED]);
	});

	test("row 43: of the edit history the last is the newest, and of the files the first the most recent", async () => {
		const { predict, scenes } = looker();
		const editor = await Editor.open({}, { predict, sync: "context" });
		const steps = ["b", "c", "d"].map((letter, index) => {
			return { uri: A, diff: `@@ -1,1 +1,1 @@\n-${"abc"[index]}\n+${letter}\n` };
		});
		const files = [A, B, "file:///c.ts"].map((uri) => ({ uri, languageId: "plaintext", text: "d\n" }));
		await editor.suggest(A, 1, { context: { recentFiles: files, editHistory: steps } });
		expect(scenes[0]?.history.events.map(({ after }) => after.toString())).toEqual(["b\n", "c\n", "d\n"]);
		expect(scenes[0]?.neighbours.map(({ uri }) => uri)).toEqual([B, "file:///c.ts"]);
	});

	test("is read as far as it makes sense: a bad item spoils neither the others nor the request", async () => {
		const { predict, scenes } = looker();
		const editor = await Editor.open({ [A]: "abc" }, { predict });
		const range = { start: { line: 0, character: 1 }, end: { line: 0, character: 2 } };
		const diagnostics = ["error", "later", "constructor"].map((severity) => {
			return { uri: A, range, severity, message: severity };
		});
		const context = { diagnostics: [5, ...diagnostics, { uri: A }], openFiles: "none", userActions: [{}] };
		await editor.suggest(A, 1, { triggerKind: "later", context: context as never });
		expect(scenes[0]?.trigger).toBe("automatic");
		expect(scenes[0]?.diagnostics.map(({ from, to, severity }) => [from, to, severity])).toEqual([
			[1, 2, "error"],
			[1, 2, "info"],
			[1, 2, "info"],
		]);
	});
});

describe("suggestions", () => {
	test.each<[string, readonly Edit[]]>([
		["has no edits", []],
		["changes nothing (row 33)", [{ from: 0, to: 2, insert: "ab" }]],
		["inserts nothing", [{ from: 1, to: 1, insert: "" }]],
	])("row 31: an edit that %s does not leave the agent", async (_what, edits) => {
		const predict = always({ ...about, key: "1", kind: "edit", uri: A, edits });
		const editor = await Editor.open({ [A]: "ab" }, { predict });
		expect(reasonOf(await editor.suggest(A, 1))).toBe("unfit");
	});

	test("row 31: no suggestion at all is an empty list", async () => {
		const editor = await Editor.open({ [A]: "ab" }, { predict: always() });
		expect(reasonOf(await editor.suggest(A, 1))).toBe("nothing-found");
	});

	test.each<[string, readonly Edit[]]>([
		[
			"overlap",
			[
				{ from: 0, to: 2, insert: "x" },
				{ from: 1, to: 3, insert: "y" },
			],
		],
		["go past the end", [{ from: 0, to: 99, insert: "x" }]],
		["are written backwards (row 26)", [{ from: 2, to: 1, insert: "x" }]],
		["split a character (row 27)", [{ from: 4, to: 4, insert: "x" }]],
		["split a line end", [{ from: 6, to: 6, insert: "x" }]],
	])("row 32: edits that %s do not leave the agent; the others of the answer do", async (_what, edits) => {
		const predict = always({ ...about, key: "1", kind: "edit", uri: A, edits }, edit(A, 0, 0, "good"));
		const editor = await Editor.open({ [A]: "abc😀\r\n" }, { predict });
		expect((await editor.suggest(A, 1)).suggestions).toMatchObject([{ edits: [{ newText: "good" }] }]);
	});

	test("row 32: several inserts at one place become one, in their order, and edits are sorted", async () => {
		const edits = [
			{ from: 2, to: 3, insert: "z" },
			{ from: 0, to: 0, insert: "x" },
			{ from: 0, to: 1, insert: "y" },
		];
		const editor = await Editor.open(
			{ [A]: "abc" },
			{ predict: always({ ...about, key: "1", kind: "edit", uri: A, edits }) },
		);
		expect((await editor.suggest(A, 1)).suggestions).toMatchObject([
			{ edits: [ranged(0, 0, 1, "xy"), ranged(0, 2, 3, "z")].map(({ range, text }) => ({ range, newText: text })) },
		]);
	});

	test("row 34: the cursor's position is of the document after the edits", async () => {
		const editor = await Editor.open({ [A]: "a" }, { predict: always(edit(A, 1, 1, "\nb\ncd")) });
		expect((await editor.suggest(A, 1)).suggestions).toMatchObject([{ cursorPosition: { line: 2, character: 2 } }]);
	});

	test("row 35: a jump's position is of the document it leads to", async () => {
		const predict = always({ ...about, key: "1", kind: "jump", uri: B, at: 4 });
		const editor = await Editor.open({ [A]: "", [B]: "b\n😀c" }, { predict, capabilities: { nes: { jump: {} } } });
		expect((await editor.suggest(A, 1)).suggestions).toMatchObject([
			{ kind: "jump", uri: B, position: { line: 1, character: 2 } },
		]);
	});

	test.each([
		["none", {}, []],
		["jump", { jump: {} }, ["jump"]],
		["rename", { rename: {}, jump: null }, ["rename"]],
		["all", { jump: {}, rename: {}, searchAndReplace: {} }, ["jump", "rename", "searchAndReplace"]],
	])("row 39: only kinds that the client has advertised are sent: %s", async (_what, nes, kinds) => {
		const predict = always(...EVERY_KIND, edit(A, 0, 0, "x"));
		const editor = await Editor.open({ [A]: "ab" }, { predict, capabilities: { nes } });
		const { suggestions } = await editor.suggest(A, 1);
		expect(suggestions.map(({ kind }) => kind)).toEqual([...kinds, "edit"].slice(0, 3));
	});

	test.each([
		["edit", {}],
		["rename", { capabilities: { nes: { rename: {} } } }],
		["rename", { capabilities: { _meta: { segue: { nes: { rename: {} } } } } }],
	])("row 39: the engine renames by %s, as the client's capabilities are %j", async (kind, circumstances) => {
		const editor = await renaming(circumstances);
		expect((await first(editor)).kind).toBe(kind);
	});

	test("for a document that is not in the scene do not leave the agent", async () => {
		const editor = await Editor.open({ [A]: "ab" }, { predict: always(edit(B, 0, 0, "x")) });
		expect(reasonOf(await editor.suggest(A, 1))).toBe("unfit");
	});

	test("row 42: ids are never used again in a session", async () => {
		const editor = await renaming();
		const ids = new Set<string>();
		for (let count = 0; count < 40; count++) {
			const { id } = await first(editor);
			ids.add(id);
			if (count % 2 === 0) editor.accept(id);
		}
		expect(ids.size).toBe(40);
	});

	test("row 47: an answer has at most three, the best first", async () => {
		const predict = always(...[4, 3, 2, 1].map((at) => edit(A, at, at, `${at}`)));
		const editor = await Editor.open({ [A]: "abcdef" }, { predict });
		const { suggestions } = await editor.suggest(A, 1);
		expect(suggestions).toMatchObject([4, 3, 2].map((at) => ({ edits: [{ newText: `${at}` }] })));
	});

	test("say who predicted them, and why", async () => {
		const editor = await renaming();
		expect(await first(editor)).toMatchObject({
			...RENAMED,
			_meta: { segue: { version: 2, predictor: "rename", why: expect.stringContaining("cnt") } },
		});
	});

	test.each([
		["no-history", A],
		["secret-file", "file:///.env"],
	])("that there are none of have a reason: %s", async (reason, uri) => {
		const editor = await Editor.open({ [uri]: "a" });
		expect(await editor.suggest(uri, 1)).toEqual({ suggestions: [], _meta: { segue: { reason } } });
	});

	test("that fail to be predicted are an error, of which the client learns nothing", async () => {
		const predict = () => {
			throw new Error("secret");
		};
		const editor = await Editor.open({ [A]: "a" }, { predict });
		expect(await refusal(editor.suggest(A, 1))).toBe(-32603);
		expect(editor.problems).toMatchObject([{ kind: "handler-failed" }]);
		expect(await editor.close()).toEqual({});
	});
});

describe("verdicts", () => {
	test("rejecting a suggestion keeps it away, and no other reason does", async () => {
		const editor = await renaming();
		for (const reason of ["ignored", "replaced", "cancelled", "later", undefined]) {
			editor.reject((await first(editor)).id, reason);
		}
		editor.reject((await first(editor)).id, "rejected");
		expect(reasonOf(await editor.suggest(A, 2))).toBe("rejected-before");
	});

	test.each([
		["rejected", true],
		["ignored", true],
		["replaced", false],
		["cancelled", false],
		["later", false],
		[undefined, false],
	])("row 32: a suggestion that is gone because it was %s counts against its rule: %s", async (reason, counts) => {
		const shifts: number[] = [];
		const predict = (_scene: Scene, memory: Memory): Prediction => {
			shifts.push(memory.shiftOf(about.rule));
			return { suggestions: [edit(A, 0, 0, "x")] };
		};
		const editor = await Editor.open({ [A]: "a" }, { predict });
		const [suggestion] = (await editor.suggest(A, 1)).suggestions;
		editor.reject(suggestion?.id ?? "", reason);
		await editor.suggest(A, 1);
		expect(shifts.map((shift) => shift < 0)).toEqual([false, counts]);
	});

	test("row 40: the first verdict on an id holds, and one on an id that never was is ignored", async () => {
		const editor = await renaming();
		const { id } = await first(editor);
		editor.reject("suggestion_99", "rejected");
		editor.accept("suggestion_99");
		editor.accept(id);
		editor.reject(id, "rejected");
		const again = await first(editor);
		editor.reject(again.id, "rejected");
		editor.accept(again.id);
		expect(reasonOf(await editor.suggest(A, 2))).toBe("rejected-before");
		expect(editor.problems).toEqual([]);
	});

	test("row 40: a part that is accepted is accepted", async () => {
		const editor = await renaming();
		const { id } = await first(editor);
		editor.client.notify(acp.nesAccept, { sessionId: editor.sessionId, id, _meta: { segue: { partial: true } } });
		editor.reject(id, "rejected");
		expect((await first(editor)).id).not.toBe(id);
	});

	test("are read with the name that the second version of the protocol has for the id", async () => {
		const editor = await renaming();
		const { id } = await first(editor);
		const { sessionId } = editor;
		await editor.write("nes/reject", { sessionId, suggestionId: id, reason: "rejected" });
		expect(reasonOf(await editor.suggest(A, 2))).toBe("rejected-before");
	});

	test.each(["before", "after"])("an accepted edit is known as such when its change comes %s", async (order) => {
		const { predict, scenes } = looker();
		const text = "const cnt = 0\nlog(cnt)\n";
		let isFirst = true;
		const twice = (scene: Scene): Prediction => {
			if (!isFirst) return predict(scene);
			isFirst = false;
			return { suggestions: [edit(A, 18, 21, "count")] };
		};
		const editor = await Editor.open({ [A]: text }, { predict: twice });
		const [suggestion] = (await editor.suggest(A, 1)).suggestions;
		if (order === "after") editor.accept(suggestion?.id ?? "");
		editor.didChange(A, 2, ranged(1, 4, 7, "count"));
		if (order === "before") editor.accept(suggestion?.id ?? "");
		await editor.suggest(A, 2);
		expect(scenes[0]?.history.events).toMatchObject([{ isAccepted: true }]);
	});

	test("row 41: a session may be closed, or the wire be cut, with suggestions that have no verdict", async () => {
		const editor = await renaming();
		const { id } = await first(editor);
		expect(await editor.close()).toEqual({});
		editor.accept(id);
		await settled();
		expect(editor.problems).toMatchObject([{ method: "nes/accept", text: "there is no such session" }]);
		const cut = await renaming();
		await first(cut);
		cut.client.close();
		await settled();
		expect(cut.problems).toEqual([]);
	});

	test("of one session mean nothing to another", async () => {
		const editor = await renaming();
		editor.reject((await first(editor)).id, "rejected");
		const rejected = editor.sessionId;
		await editor.start();
		editor.didOpen(A, "const cnt = 0\nlog(cnt)\n");
		editor.didChange(A, 2, ranged(0, 6, 9, "count"));
		expect(await first(editor)).toMatchObject({ ...RENAMED, id: "suggestion_1" });
		expect(reasonOf(await editor.suggest(A, 2, { sessionId: rejected }))).toBe("rejected-before");
	});
});

describe("initialize", () => {
	test.each([0, 1, 2, 65535])("agrees on version 1 with a client of version %i", async (version) => {
		const result = await new Editor().initialize({}, version);
		expect(result).toMatchObject({ protocolVersion: 1, agentInfo: { name: "segue", version: "1.2.3" } });
	});

	test("comes before any other request", async () => {
		const editor = new Editor();
		const { client } = editor;
		expect(await refusal(editor.start())).toBe(-32600);
		expect(await refusal(editor.suggest(A, 1))).toBe(-32600);
		expect(await refusal(editor.close())).toBe(-32600);
		expect(await refusal(editor.set("nes_enabled", "on"))).toBe(-32600);
		expect(await refusal(client.request(acp.authenticate, { methodId: "key" }))).toBe(-32600);
		expect(await refusal(client.request(acp.logout, {}))).toBe(-32600);
		await editor.initialize();
		expect(await editor.start()).toBe("nes_1");
	});

	test("comes once", async () => {
		const editor = await Editor.open();
		expect(await refusal(editor.initialize())).toBe(-32600);
		await editor.start();
	});

	test("is refused without a version, and may be sent again", async () => {
		const editor = new Editor();
		await editor.write("initialize", {}, 77);
		expect(editor.said).toEqual(["#77 -32602"]);
		expect(await editor.initialize()).toMatchObject({ protocolVersion: 1 });
	});

	test("finds the capabilities where the second version of the protocol has them", async () => {
		const editor = new Editor();
		const capabilities = { positionEncodings: ["utf-8"] };
		const { agentCapabilities } = await editor.client.request(acp.initialize, {
			protocolVersion: 2,
			capabilities: capabilities as never,
		});
		expect(agentCapabilities?.positionEncoding).toBe("utf-8");
	});

	test("is followed by no chat: its methods are not there", async () => {
		const editor = await Editor.open();
		await settled();
		const before = editor.said.length;
		await editor.write("session/new", { cwd: "/", mcpServers: [] }, 77);
		await editor.write("session/prompt", { sessionId: "s", prompt: [] }, 78);
		expect(editor.said.slice(before)).toEqual(["#77 -32601", "#78 -32601"]);
	});
});

describe("a session", () => {
	test("is started with any metadata of a workspace, or none", async () => {
		const editor = new Editor();
		await editor.initialize();
		const started = [undefined, {}, { workspaceUri: 5, repository: { name: "a" } }, { workspaceFolders: null }];
		for (const params of started) await editor.write("nes/start", params, 100);
		await editor.write("nes/start", { workspaceFolders: [{ uri: "file:///a" }] }, 100);
		const answers = editor.said.filter((one) => one.startsWith("#100"));
		expect(answers).toEqual([...started.map(() => "#100 result"), "#100 -32602"]);
	});

	test("is refused as busy when far too many are open, and may be had when one is closed", async () => {
		const editor = await Editor.open();
		while (editor.sessionId !== "nes_4096") await editor.start();
		expect(await refusal(editor.start())).toBe(-32001);
		await editor.close();
		expect(await editor.start()).toBe("nes_4097");
	});
});

describe("the settings", () => {
	const current = (options: readonly ConfigOption[]) => options.map(({ id, currentValue }) => [id, currentValue]);
	const DEFAULTS = [
		["nes_enabled", "on"],
		["nes_eagerness", "medium"],
		["nes_model", "embedded"],
	];

	test("are announced after the answer to start, which has them under _meta as well", async () => {
		const editor = new Editor();
		await editor.initialize();
		const { sessionId, _meta } = await editor.client.request(acp.nesStart, {});
		await settled();
		const configOptions = segueIn(_meta)["configOptions"] as ConfigOption[];
		expect(current(configOptions)).toEqual(DEFAULTS);
		expect(editor.said).toEqual(["#0 result", "#1 result", "session/update"]);
		expect(editor.updates).toEqual([{ sessionId, update: { sessionUpdate: "config_option_update", configOptions } }]);
	});

	test.each([
		["a boolean for a client that knows them", { session: { configOptions: { boolean: {} } } }, "boolean", true, false],
		["two words for one that does not", {}, "select", "on", "off"],
	])("have %s", async (_what, capabilities, type, yes, no) => {
		const editor = await Editor.open({}, { capabilities });
		const { configOptions } = await editor.set("nes_enabled", no);
		expect(configOptions[0]).toMatchObject({ id: "nes_enabled", type, currentValue: no });
		expect((await editor.set("nes_enabled", yes)).configOptions[0]).toMatchObject({ type, currentValue: yes });
	});

	test("are all in the answer to a change of one", async () => {
		const editor = await Editor.open();
		const { configOptions } = await editor.set("nes_eagerness", "high");
		expect(current(configOptions)).toEqual([DEFAULTS[0], ["nes_eagerness", "high"], DEFAULTS[2]]);
	});

	test("are changed by a boolean that says its type", async () => {
		const editor = await Editor.open({ [A]: "" });
		const { sessionId } = editor;
		const change = { sessionId, configId: "nes_enabled", type: "boolean", value: false };
		await editor.write("session/set_config_option", change, 77);
		expect(reasonOf(await editor.suggest(A, 1))).toBe("disabled");
	});

	test.each([
		["nes_enabled", "maybe"],
		["nes_eagerness", "huge"],
		["nes_eagerness", true],
		["nes_model", "other"],
		["toString", "on"],
	])("refuse what there is not: %s, %s", async (configId, value) => {
		const editor = await Editor.open();
		expect(await refusal(editor.set(configId, value))).toBe(-32602);
	});

	test("turn suggestions off and on, for one session", async () => {
		const editor = await renaming();
		await editor.set("nes_enabled", "off");
		expect(reasonOf(await editor.suggest(A, 2))).toBe("disabled");
		const off = editor.sessionId;
		await editor.start();
		expect(reasonOf(await editor.suggest(A, 2))).toBe("no-text");
		editor.sessionId = off;
		await editor.set("nes_enabled", "on");
		expect(await first(editor)).toMatchObject(RENAMED);
	});

	test.each(["low", "medium", "high"])("tell the engine how eager to be: %s", async (eagerness) => {
		const { predict, scenes } = looker();
		const editor = await Editor.open({ [A]: "" }, { predict });
		await editor.set("nes_eagerness", eagerness);
		await editor.suggest(A, 1);
		expect(scenes[0]?.eagerness).toBe(eagerness);
	});
});

describe("authentication", () => {
	test("that nobody asked for has no logout either", async () => {
		const editor = new Editor({});
		await editor.initialize();
		expect(await refusal(editor.client.request(acp.logout, {}))).toBe(-32601);
	});

	const REQUIRED = [-32000, { reason: "auth_required" }];
	const methods = [{ id: "key", name: "API key" }];

	function door(): Authentication {
		let isOpen = false;
		return {
			methods,
			isSignedIn: () => isOpen,
			signIn: async () => {
				isOpen = true;
			},
			signOut: async () => {
				isOpen = false;
			},
		};
	}

	test("is required where the hook says so; authenticate opens the door and logout closes it", async () => {
		const editor = new Editor({ authentication: door() });
		const { authMethods, agentCapabilities } = await editor.initialize();
		expect(authMethods).toEqual(methods);
		expect(agentCapabilities?.auth).toEqual({ logout: {} });
		expect(await refusal(editor.start())).toEqual(REQUIRED);

		expect(await editor.client.request(acp.authenticate, { methodId: "key" })).toEqual({});
		await editor.start();
		editor.didOpen(A, "a");
		expect(reasonOf(await editor.suggest(A, 1))).toBe("no-history");

		expect(await editor.client.request(acp.logout, {})).toEqual({});
		expect(await refusal(editor.suggest(A, 1))).toEqual(REQUIRED);
		expect(await refusal(editor.start())).toEqual(REQUIRED);
		expect(await editor.close()).toEqual({});
	});

	test.each<[string, Authentication | undefined]>([
		["with others", door()],
		["without any", undefined],
	])("knows no method of another name: %s", async (_what, authentication) => {
		const editor = new Editor(authentication && { authentication });
		await editor.initialize();
		expect(await refusal(editor.client.request(acp.authenticate, { methodId: "other" }))).toBe(-32602);
	});

	test("that fails leaves the door closed, and says why", async () => {
		const signIn = () => Promise.reject(new RpcError(-32000, "The key is wrong"));
		const editor = new Editor({ authentication: { ...door(), signIn } });
		await editor.initialize();
		expect(await refusal(editor.client.request(acp.authenticate, { methodId: "key" }))).toBe(-32000);
		expect(await refusal(editor.start())).toEqual(REQUIRED);
	});

	test("is not asked for where there is no hook", async () => {
		const { authMethods, agentCapabilities } = await new Editor().initialize();
		expect(authMethods).toEqual([]);
		expect(agentCapabilities).not.toHaveProperty("auth");
	});
});
