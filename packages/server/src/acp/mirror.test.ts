import { Mirror, type SyncResult } from "@segue/agent/next-edit/mirror";
import type * as acp from "@segue/protocol/acp";
import { someEdits, someText } from "@segue/testing/arbitrary";
import { FakeEditor } from "@segue/testing/editors/fake-editor";
import { Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentFromWire, updateFromWire } from "./from-wire.js";

const uri = "file:///a.ts";
const sessionId = "s";

/** A mirror updated by protocol messages. */
class WireMirror extends Mirror {
	constructor(private readonly encoding: acp.PositionEncoding = "utf-16") {
		super();
	}

	didOpen(event: acp.DidOpen): SyncResult {
		const document = documentFromWire(event);
		return document === undefined ? this.lose(event.uri, "invalid") : this.open(document);
	}

	didChange(event: acp.DidChange): SyncResult {
		const before = this.find(event.uri)?.document.text ?? Text.empty;
		const update = updateFromWire(event, before, this.encoding);
		return update === undefined ? this.lose(event.uri, "invalid") : this.change(update);
	}
}

function mirrorOf(text: string): WireMirror {
	const mirror = new WireMirror();
	mirror.didOpen({ sessionId, uri, languageId: "typescript", version: 1, text });
	return mirror;
}

function insertAt(line: number, character: number, text: string): acp.ContentChange {
	const start = { line, character };
	return { range: { start, end: start }, text };
}

/** Returns the mirrored text, "unknown" or "lost". */
function textIn(mirror: Mirror, of = uri): string {
	const found = mirror.find(of);
	if (found === undefined) return "unknown";
	return found.isLost ? "lost" : found.document.text.toString();
}

describe("the mirror", () => {
	const change = (mirror: WireMirror, version: number | undefined, ...contentChanges: acp.ContentChange[]) =>
		mirror.didChange({ sessionId, uri, version, contentChanges });

	test("accepts any higher version and loses the document on an equal or lower version", () => {
		const mirror = mirrorOf("b");
		expect(change(mirror, 7, insertAt(0, 0, "a")).kind).toBe("changed");
		expect(textIn(mirror)).toBe("ab");
		expect(change(mirror, 7, insertAt(0, 0, "x")).kind).toBe("lost");
		expect(textIn(mirror)).toBe("lost");
	});

	test("recovers a lost document from its full text", () => {
		const mirror = mirrorOf("b");
		mirror.didChange({ sessionId, uri, version: 2, contentChanges: undefined });
		expect(textIn(mirror)).toBe("lost");
		expect(change(mirror, 3, insertAt(0, 0, "x")).kind).toBe("lost");
		expect(change(mirror, 4, { text: "whole" }).kind).toBe("done");
		expect(textIn(mirror)).toBe("whole");
		expect(change(mirror, 5, insertAt(0, 0, "the ")).kind).toBe("changed");
		expect(textIn(mirror)).toBe("the whole");
	});

	test("opens an unknown document on a full change, but not on an incremental one", () => {
		const mirror = new WireMirror();
		expect(change(mirror, 1, insertAt(0, 0, "x")).kind).toBe("lost");
		expect(textIn(mirror)).toBe("unknown");
		expect(change(mirror, 2, { text: "whole" }).kind).toBe("done");
		expect(mirror.find(uri)?.document).toMatchObject({ languageId: "plaintext", version: 2 });
	});

	test("replaces a document that is opened again", () => {
		const mirror = mirrorOf("old");
		expect(mirror.didOpen({ sessionId, uri, languageId: "typescript", version: 1, text: "new" }).kind).toBe("lost");
		expect(textIn(mirror)).toBe("new");
	});

	test("loses a document on an invalid didOpen", () => {
		const mirror = mirrorOf("old");
		expect(mirror.didOpen({ sessionId, uri, languageId: "typescript", version: 2, text: undefined }).kind).toBe("lost");
		expect(textIn(mirror)).toBe("lost");
	});

	test("ignores close and focus events for an unknown document", () => {
		const mirror = mirrorOf("a");
		mirror.close("file:///b.ts");
		mirror.focus("file:///b.ts");
		expect(mirror.othersThan("file:///none.ts").map((document) => document.uri)).toEqual([uri]);
	});

	test("applies several changes in sequence", () => {
		const mirror = mirrorOf("ab");
		expect(change(mirror, 2, insertAt(0, 1, "\n"), insertAt(1, 0, "x")).kind).toBe("changed");
		expect(textIn(mirror)).toBe("a\nxb");
	});

	test("accepts full and incremental changes in one event", () => {
		const mirror = mirrorOf("ab");
		expect(change(mirror, 2, { text: "cd" }, insertAt(0, 2, "e")).kind).toBe("changed");
		expect(textIn(mirror)).toBe("cde");
	});

	test("finds a document by any spelling of its URI and keeps the first spelling", () => {
		const mirror = new WireMirror();
		mirror.didOpen({ sessionId, uri: "file:///C%3A/%61.ts", languageId: "typescript", version: 1, text: "x" });
		expect(textIn(mirror, "file:///c:/a.ts")).toBe("x");
		expect(mirror.othersThan("file:///none.ts")[0]?.uri).toBe("file:///C%3A/%61.ts");
	});

	test("orders documents by last focus or change", () => {
		const mirror = mirrorOf("a");
		mirror.didOpen({ sessionId, uri: "file:///b.ts", languageId: "typescript", version: 1, text: "" });
		expect(mirror.othersThan("file:///none.ts").map((document) => document.uri)).toEqual(["file:///b.ts", uri]);
		mirror.focus(uri);
		expect(mirror.othersThan("file:///none.ts").map((document) => document.uri)).toEqual([uri, "file:///b.ts"]);
	});

	test("returns the same list of other documents while only the current one changes", () => {
		const mirror = mirrorOf("a");
		mirror.didOpen({ sessionId, uri: "file:///b.ts", languageId: "typescript", version: 1, text: "" });
		const others = mirror.othersThan(uri);
		expect(others.map((document) => document.uri)).toEqual(["file:///b.ts"]);
		change(mirror, 2, insertAt(0, 1, "b"));
		mirror.focus(uri);
		expect(mirror.othersThan(uri)).toBe(others);
		mirror.didChange({ sessionId, uri: "file:///b.ts", version: 2, contentChanges: [{ text: "b" }] });
		expect(mirror.othersThan(uri).map(({ text }) => text.toString())).toEqual(["b"]);
		mirror.close("file:///b.ts");
		expect(mirror.othersThan(uri)).toEqual([]);
	});

	test("removes closed and lost documents from the word index", () => {
		const mirror = mirrorOf("alpha beta");
		expect(mirror.wordIndex.size).toBe(2);
		change(mirror, 2, { text: "gamma" });
		expect(mirror.wordIndex.size).toBe(1);
		change(mirror, 1, { text: "late" });
		expect(mirror.wordIndex.size).toBe(0);
		change(mirror, 3, { text: "delta" });
		mirror.close(uri);
		expect(mirror.wordIndex.size).toBe(0);
	});

	test("evicts the least recently used document above the limit", () => {
		const mirror = mirrorOf("a");
		for (let i = 0; i < 1000; i++) {
			mirror.didOpen({ sessionId, uri: `file:///${i}.ts`, languageId: "typescript", version: 1, text: "" });
		}
		expect(textIn(mirror)).toBe("unknown");
		expect(mirror.othersThan("file:///none.ts")).toHaveLength(1000);
	});

	test("has exactly the editor's text after random edits in every encoding and sync kind", () => {
		fc.assert(
			fc.property(
				fc.constantFrom("utf-8" as const, "utf-16" as const, "utf-32" as const),
				fc.constantFrom("full" as const, "incremental" as const),
				someText(),
				fc.nat(5),
				fc.gen(),
				(encoding, syncKind, text, rounds, gen) => {
					const mirror = new WireMirror(encoding);
					const editor = new FakeEditor({
						sessionId,
						encoding,
						syncKind,
						send: (event) => {
							if (event.method === "document/didOpen") mirror.didOpen(event.params);
							else if (event.method === "document/didChange") mirror.didChange(event.params as never);
						},
					});
					editor.open(uri, text);
					for (let round = 0; round < rounds; round++) {
						editor.edit(uri, gen(someEdits, editor.document(uri).text.length));
						expect(textIn(mirror)).toBe(editor.document(uri).text.toString());
					}
				},
			),
		);
	});
});
