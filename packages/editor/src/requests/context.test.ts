import { validate } from "@agentclientprotocol/sdk/experimental/nes";
import type * as acp from "@segue/protocol/acp";
import { someChange, someText } from "@segue/testing/arbitrary";
import { runs } from "@segue/testing/setup/tier";
import { applyUnified, Change, type Document, type Event, parseUnified, recordChange, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Session } from "../connection/agent-connection.js";
import type { DocumentView } from "../document-view.js";
import type { DocumentDiagnostic, Notice } from "../host.js";
import { ActionHistory } from "./action-history.js";
import { type ContextInput, contextOf } from "./context.js";

type Asked = NonNullable<acp.NesCapabilities["context"]>;

const EVERYTHING: Asked = {
	recentFiles: {},
	relatedSnippets: {},
	editHistory: {},
	userActions: {},
	openFiles: {},
	diagnostics: {},
};

const ROOT = "file:///project";

/** An editor with the given files open, the first one active. Files with "secret" in their names are private. */
function editorWith(sources: Readonly<Record<string, string>>) {
	const documents = Object.entries(sources).map(([path, source], i) => ({
		document: { uri: `${ROOT}/${path}`, languageId: "typescript", version: 1, text: Text.of(source) },
		lastFocusedMs: 1000.4 - i,
	}));
	const notes: Notice[] = [];
	const around: ContextInput = {
		host: { view: () => undefined },
		folders: [ROOT],
		documents,
		current: documents[0]?.document as Document,
		cursor: 0,
		events: [],
		actions: [],
		related: [],
		isMirrored: () => false,
		isPrivate: (uri) => uri.includes("secret"),
		report: (note) => notes.push(note),
	};
	return { around, notes };
}

/** Returns the context of a request after validating it strictly. */
function attached(asked: Asked, around: ContextInput, encoding: acp.PositionEncoding = "utf-16"): acp.SuggestContext {
	const context = contextOf({ capabilities: { context: asked }, encoding } as Session, around);
	const position = { line: 0, character: 0 };
	const { uri } = around.current;
	const request = { sessionId: "s", uri, version: 1, position, triggerKind: "automatic", context };
	const read = validate.zSuggestNesRequest.strict().safeParse(request);
	expect(read.error).toBeUndefined();
	expect(read.data?.context).toEqual(context);
	return context ?? {};
}

/** Replaces the first occurrence of a string in a document, long after any earlier event. */
function edit(events: readonly Event[], document: Document, old: string, insert: string): readonly Event[] {
	const from = document.text.toString().indexOf(old);
	const change = Change.of([{ from, to: from + old.length, insert }], document.text.length);
	const after = change.apply(document.text);
	const atMs = (events.at(-1)?.atMs ?? 0) + 5000;
	return recordChange(events, { document, change, after, atMs, isAccepted: false }, 32);
}

function names(items: readonly { uri: string }[] | null | undefined): string[] | undefined {
	return items?.map(({ uri }) => uri.slice(ROOT.length + 1));
}

describe("the context of a request", () => {
	test.each<[string, acp.NesCapabilities]>([
		["is missing", {}],
		["is null", { context: null }],
		["is empty", { context: {} }],
		["has only null members", { context: { recentFiles: null, diagnostics: null } }],
	])("is undefined if the agent's context capability %s", (_, asked) => {
		const session = { capabilities: asked, encoding: "utf-16" } as Session;
		expect(contextOf(session, editorWith({ a: "one" }).around)).toBeUndefined();
	});

	test.each(Object.keys(EVERYTHING) as (keyof Asked)[])(
		"is %s and nothing else if only that is requested",
		(member) => {
			const context = attached({ [member]: {} }, editorWith({ a: "one" }).around);
			expect(Object.keys(context)).toEqual([member]);
		},
	);

	test("has every member if all are requested, even empty ones", () => {
		const { around } = editorWith({ a: "one" });
		expect(attached(EVERYTHING, { ...around, isMirrored: () => true })).toEqual({
			recentFiles: [],
			relatedSnippets: [],
			editHistory: [],
			userActions: [],
			openFiles: [{ uri: `${ROOT}/a`, languageId: "typescript", visibleRange: null, lastFocusedMs: 1000 }],
			diagnostics: [],
		});
	});

	test("is empty if all limits are zero", () => {
		const { around } = editorWith({ a: "one" });
		const none = { maxCount: 0 };
		const events = edit([], around.current, "one", "two");
		const actions = ActionHistory.none.moved(around.current, 1, 0).list;
		const asked = { recentFiles: none, editHistory: none, userActions: none };
		expect(attached(asked, { ...around, events, actions })).toEqual({
			recentFiles: [],
			editHistory: [],
			userActions: [],
		});
	});

	test("omits files that are private or not yet checked", () => {
		const { around } = editorWith({ secret: "one", unknown: "one", b: "one" });
		const documents = around.documents.map(({ document }) => document);
		const events = documents.reduce<readonly Event[]>((all, document) => edit(all, document, "one", "two"), []);
		const actions = documents.reduce((all, document) => all.moved(document, 1, 0), ActionHistory.none).list;
		const diagnostic: DocumentDiagnostic = { from: 0, to: 1, severity: "error", message: "bad" };
		const context = attached(EVERYTHING, {
			...around,
			events,
			actions,
			host: { view: () => ({ anchor: 0, head: 0 }), diagnostics: () => [diagnostic] },
			isPrivate: (uri) => (uri.includes("unknown") ? Promise.resolve(false) : uri.includes("secret")),
		});
		expect(names(context.recentFiles)).toEqual(["b"]);
		expect(names(context.editHistory)).toEqual(["b"]);
		expect(names(context.userActions)).toEqual(["b"]);
		expect(names(context.openFiles)).toEqual(["b"]);
		expect(names(context.diagnostics)).toEqual(["b"]);
	});
});

describe("recent files", () => {
	test("start with the current one, even if another was focused last", () => {
		const { around } = editorWith({ a: "one", b: "two", c: "six" });
		const current = around.documents[1]?.document as Document;
		expect(attached({ recentFiles: {} }, { ...around, current }).recentFiles).toEqual([
			{ uri: `${ROOT}/b`, languageId: "typescript", text: "two" },
			{ uri: `${ROOT}/a`, languageId: "typescript", text: "one" },
			{ uri: `${ROOT}/c`, languageId: "typescript", text: "six" },
		]);
	});

	test("omit files that the agent has through events, including the current one", () => {
		const { around } = editorWith({ a: "one", b: "two", c: "six" });
		const isMirrored = (uri: string) => !uri.endsWith("b");
		expect(names(attached({ recentFiles: {} }, { ...around, isMirrored }).recentFiles)).toEqual(["b"]);
	});

	test("are the ten most recent ones by default", () => {
		const { around } = editorWith(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, ""])));
		expect(names(attached({ recentFiles: { maxCount: 2 } }, around).recentFiles)).toEqual(["f0", "f1"]);
		expect(attached({ recentFiles: {} }, around).recentFiles).toHaveLength(10);
		expect(attached({ recentFiles: { maxCount: 100 } }, around).recentFiles).toHaveLength(12);
	});

	test("are limited to a million characters; files that do not fit are skipped", () => {
		const { around } = editorWith({ a: "x".repeat(600_000), b: "x".repeat(600_000), c: "six" });
		expect(names(attached({ recentFiles: {} }, around).recentFiles)).toEqual(["a", "c"]);
	});
});

describe("related snippets", () => {
	const snippet = (path: string, firstLine: number, text: string) => {
		return { uri: `${ROOT}/${path}`, firstLine, lastLine: firstLine + 1, text };
	};

	test("are grouped by file and have no final line ending", () => {
		const { around } = editorWith({ a: "one" });
		const related = [
			snippet("b", 3, "x\ny\n"),
			snippet("c", 0, "x\r\ny\r\n"),
			snippet("b", 7, "x\n\n"),
			snippet("b", 9, ""),
		];
		expect(attached({ relatedSnippets: {} }, { ...around, related }).relatedSnippets).toEqual([
			{
				uri: `${ROOT}/b`,
				excerpts: [
					{ startLine: 3, endLine: 4, text: "x\ny" },
					{ startLine: 7, endLine: 8, text: "x\n" },
					{ startLine: 9, endLine: 10, text: "" },
				],
			},
			{ uri: `${ROOT}/c`, excerpts: [{ startLine: 0, endLine: 1, text: "x\r\ny" }] },
		]);
	});

	test("are limited to a few thousand lines", () => {
		const { around } = editorWith({ a: "one" });
		const related = [snippet("b", 0, "x".repeat(60_000)), snippet("c", 0, "x".repeat(6000)), snippet("d", 0, "x")];
		expect(names(attached({ relatedSnippets: {} }, { ...around, related }).relatedSnippets)).toEqual(["b", "d"]);
	});
});

describe("the edit history", () => {
	const numbered = Array.from({ length: 9 }, (_, i) => `${i}`).join("\n");

	/** Creates events that put parentheses around one number after another. */
	function marked(document: Document, count: number): readonly Event[] {
		let events: readonly Event[] = [];
		let text = document.text;
		for (let i = 0; i < count; i++) {
			events = edit(events, { ...document, text }, `${i}`, `(${i})`);
			text = events.at(-1)?.after as Text;
		}
		return events;
	}

	test("consists of unified diffs with paths relative to the workspace folder", () => {
		const { around } = editorWith({ "src/a%20b.ts": "one\ntwo\n" });
		const events = edit([], around.current, "two", "2");
		expect(attached({ editHistory: {} }, { ...around, events }).editHistory).toEqual([
			{
				uri: `${ROOT}/src/a%20b.ts`,
				diff: "--- a/src/a b.ts\n+++ b/src/a b.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
			},
		]);
	});

	test.each([
		["outside the workspace", "file:///else/where.ts", "where.ts"],
		["without a path", "untitled:Untitled-1", "untitled:Untitled-1"],
		["with a line ending in its name", `${ROOT}/a%0Ab`, "a%0Ab"],
	])("has a valid path for a file %s", (_, uri, path) => {
		const { around } = editorWith({ a: "one" });
		const events = edit([], { ...around.current, uri }, "one", "two");
		const [entry] = attached({ editHistory: {} }, { ...around, events }).editHistory ?? [];
		expect(entry?.uri).toBe(uri);
		expect(parseUnified(entry?.diff ?? "")).toMatchObject({ oldPath: `a/${path}`, newPath: `b/${path}` });
	});

	test("ends with the newest edit, and has six edits by default", () => {
		const { around } = editorWith({ a: numbered });
		const events = marked(around.current, 8);
		const addedBy = (asked: Asked) => {
			const { editHistory } = attached(asked, { ...around, events });
			return editHistory?.map(({ diff }) => /^\+\((\d)\)/m.exec(diff)?.[1]);
		};
		expect(addedBy({ editHistory: {} })).toEqual(["2", "3", "4", "5", "6", "7"]);
		expect(addedBy({ editHistory: { maxCount: 2 } })).toEqual(["6", "7"]);
	});

	test("skips edits that do not fit, keeping the newest", () => {
		const { around } = editorWith({ a: "", b: "", c: "", d: "" });
		const sizes = [30_000, 70_000, 40_000, 5000];
		const events = around.documents.reduce<readonly Event[]>((all, { document }, i) => {
			return edit(all, document, "", "x".repeat(sizes[i] as number));
		}, []);
		expect(names(attached({ editHistory: {} }, { ...around, events }).editHistory)).toEqual(["c", "d"]);
	});

	test("skips a small change in an extremely long line", () => {
		const { around } = editorWith({ a: "x".repeat(50_000) });
		const events = edit([], around.current, "x", "y");
		expect(attached({ editHistory: {} }, { ...around, events }).editHistory).toEqual([]);
	});

	test("formats an event once, and again if its path changes", () => {
		const { around } = editorWith({ a: "one" });
		const events = edit([], around.current, "one", "two");
		const diffIn = (folders: readonly string[]) => {
			return attached({ editHistory: {} }, { ...around, events, folders }).editHistory?.[0]?.diff;
		};
		expect(diffIn([ROOT])).toContain("--- a/a\n");
		expect(diffIn(["file:///"])).toContain("--- a/project/a\n");
		expect(diffIn([ROOT])).toContain("--- a/a\n");
	});

	test("reproduces the changes to the text", () => {
		const someCase = someText().chain((source) => fc.tuple(fc.constant(source), someChange(Text.of(source))));
		fc.assert(
			fc.property(someCase, ([source, change]) => {
				const { around } = editorWith({ a: source });
				const after = change.apply(around.current.text);
				const step = { document: around.current, change, after, atMs: 0, isAccepted: false };
				const { editHistory } = attached({ editHistory: {} }, { ...around, events: recordChange([], step, 32) });
				const result = (editHistory ?? []).reduce((text, { diff }) => applyUnified(text, parseUnified(diff)), source);
				expect(result).toBe(after.toString());
			}),
			{ numRuns: runs(200) },
		);
	});
});

describe("user actions", () => {
	test.each<[acp.PositionEncoding, number]>([
		["utf-8", 4],
		["utf-16", 2],
		["utf-32", 1],
	])("have positions in the text at the time of the action, in %s", (encoding, character) => {
		const { around } = editorWith({ a: "one\n😀" });
		const actions = ActionHistory.none.moved(around.current, 6, 1234.5).list;
		const current = { ...around.current, text: Text.empty };
		expect(attached({ userActions: {} }, { ...around, current, actions }, encoding).userActions).toEqual([
			{ action: "cursorMovement", uri: `${ROOT}/a`, position: { line: 1, character }, timestampMs: 1235 },
		]);
	});

	test("end with the newest action, and are limited to sixteen by default", () => {
		const { around } = editorWith({ a: "x".repeat(40) });
		let actions = ActionHistory.none;
		for (let i = 0; i < 40; i++) actions = actions.moved(around.current, i, i * 1000);
		const timesOf = (asked: Asked) => {
			const { userActions } = attached(asked, { ...around, actions: actions.list });
			return userActions?.map(({ timestampMs }) => timestampMs / 1000);
		};
		expect(timesOf({ userActions: {} })).toEqual(Array.from({ length: 16 }, (_, i) => 24 + i));
		expect(timesOf({ userActions: { maxCount: 2 } })).toEqual([38, 39]);
		expect(timesOf({ userActions: { maxCount: 30 } })).toHaveLength(30);
	});
});

describe("open files", () => {
	test("have visible ranges, the most recently focused first", () => {
		const { around } = editorWith({ a: "one\ntwo", b: "six", c: "ten" });
		const views: Record<string, DocumentView> = {
			[`${ROOT}/a`]: { anchor: 0, head: 0, visible: { from: 4, to: 900 } },
			[`${ROOT}/b`]: { anchor: 0, head: 0 },
		};
		const host = { view: (uri: string) => views[uri] };
		const { openFiles } = attached({ openFiles: {} }, { ...around, host });
		const visible = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
		expect(names(openFiles)).toEqual(["a", "b", "c"]);
		expect(openFiles?.map(({ visibleRange }) => visibleRange)).toEqual([visible, null, null]);
		expect(openFiles?.map(({ lastFocusedMs }) => lastFocusedMs)).toEqual([1000, 999, 998]);
	});

	test("are limited to fifty", () => {
		const { around } = editorWith(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, ""])));
		expect(attached({ openFiles: {} }, around).openFiles).toHaveLength(50);
	});
});

describe("diagnostics", () => {
	const at = (from: number, to: number, message = "bad"): DocumentDiagnostic => ({
		from,
		to,
		severity: "warning",
		message,
	});

	function diagnosticsIn(sources: Record<string, string>, reported: Record<string, DocumentDiagnostic[]>, cursor = 0) {
		const { around } = editorWith(sources);
		const host = { ...around.host, diagnostics: (uri: string) => reported[uri.slice(ROOT.length + 1)] ?? [] };
		return attached({ diagnostics: {} }, { ...around, host, cursor }, "utf-8").diagnostics ?? [];
	}

	test("are sorted by document, the current one first, and by distance from the cursor", () => {
		const reported = { a: [at(0, 1, "far"), at(9, 12, "here"), at(7, 8, "near")], b: [at(0, 1, "else")] };
		const found = diagnosticsIn({ a: "x".repeat(20), b: "x" }, reported, 10);
		expect(found.map(({ message }) => message)).toEqual(["here", "near", "far", "else"]);
	});

	test("use the negotiated encoding, and are clamped to their document", () => {
		const [found] = diagnosticsIn({ a: "é\né!" }, { a: [at(99, 4)] });
		expect(found).toEqual({
			uri: `${ROOT}/a`,
			range: { start: { line: 1, character: 3 }, end: { line: 1, character: 3 } },
			severity: "warning",
			message: "bad",
		});
		expect(diagnosticsIn({ a: "é\né!" }, { a: [at(4, 3)] })[0]?.range).toEqual({
			start: { line: 1, character: 2 },
			end: { line: 1, character: 3 },
		});
	});

	test("are limited in number and length", () => {
		const many = (count: number) => Array.from({ length: count }, () => at(0, 0));
		const found = diagnosticsIn({ a: "", b: "", c: "" }, { a: many(60), b: many(60), c: many(1) });
		expect(names(found)).toEqual([...Array(60).fill("a"), ...Array(40).fill("b")]);
		const [long] = diagnosticsIn({ a: "" }, { a: [at(0, 0, `${"x".repeat(1999)}😀`)] });
		expect(long?.message).toBe(`${"x".repeat(1999)}…`);
	});
});

test.each<[string, ContextInput["host"], Asked, string]>([
	[
		"view",
		{
			view: () => {
				throw new Error("no");
			},
		},
		{ openFiles: {} },
		"view: Error: no",
	],
	[
		"diagnostics",
		{
			view: () => undefined,
			diagnostics: () => {
				throw new Error("no");
			},
		},
		{ diagnostics: {} },
		"diagnostics: Error: no",
	],
	[
		"invalid diagnostics",
		{ view: () => undefined, diagnostics: () => [{ from: Number.NaN, to: 1, severity: "hint", message: "" }] },
		{ diagnostics: {} },
		"diagnostics: RangeError: NaN–NaN is not a range in a text of length 3",
	],
])("a host's failure is reported, and the request continues: %s", (_, host, asked, text) => {
	const { around, notes } = editorWith({ a: "one" });
	attached(asked, { ...around, host });
	expect(notes).toEqual([{ kind: "failed", text }]);
});
