import * as acp from "@segue/protocol/acp";
import { Connection, memoryPair } from "@segue/rpc";
import { someChange, someText } from "@segue/testing/arbitrary";
import { Change, type Document, type Edit, readContentChanges, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DocumentSynchronizer } from "./document-sync.js";

const A = "file:///project/a.ts";
const B = "file:///project/b.ts";

type Asked = NonNullable<NonNullable<acp.NesCapabilities["events"]>["document"]>;
const ALL: Asked = { didOpen: {}, didChange: { syncKind: "incremental" }, didClose: {}, didSave: {}, didFocus: {} };

/** An editor's documents and an agent that applies exactly what it receives. */
class Wire {
	readonly sync: DocumentSynchronizer;
	/** The messages, without the session id. */
	readonly messages: { method: string; params: Record<string, unknown> }[] = [];
	readonly documents = new Map<string, Document>();
	/** The agent's documents. */
	readonly mirror = new Map<string, { text: Text; version: number }>();

	constructor(
		document: Asked | undefined,
		private readonly encoding: acp.PositionEncoding = "utf-16",
	) {
		const [ours] = memoryPair();
		const connection = new Connection<"client">(ours, { dialect: acp.dialect, handlers: [], report: () => {} });
		connection.tap(({ phase, text }) => {
			if (phase === "before") this.hear(JSON.parse(text));
		});
		this.sync = new DocumentSynchronizer({
			connection,
			id: "s",
			encoding,
			capabilities: document ? { events: { document } } : {},
		});
	}

	open(uri: string, text: string, version = 1): void {
		const document = { uri, languageId: "typescript", version, text: Text.of(text) };
		this.documents.set(uri, document);
		this.sync.opened(document);
	}

	change(uri: string, ...edits: Edit[]): void {
		const before = this.documents.get(uri) as Document;
		const change = Change.of(edits, before.text.length);
		const after = { ...before, version: before.version + 1, text: change.apply(before.text) };
		this.documents.set(uri, after);
		this.sync.changed(after, change);
	}

	close(uri: string): void {
		this.documents.delete(uri);
		this.sync.closed(uri);
	}

	text(uri: string): string | undefined {
		return this.documents.get(uri)?.text.toString();
	}

	versionOf(uri: string): number {
		return this.sync.versionOf(this.documents.get(uri) as Document);
	}

	get methods(): string[] {
		return this.messages.map(({ method }) => method.replace("document/", ""));
	}

	/**
	 * Checks that the agent has the current text of every document it knows, and the version that a request would use.
	 */
	checkMirror(): void {
		for (const [uri, { text, version }] of this.mirror) {
			if (!this.documents.has(uri)) continue;
			expect(text.toString()).toBe(this.text(uri));
			expect(version).toBe(this.versionOf(uri));
		}
	}

	private hear({ method, params }: { method: string; params: Record<string, unknown> }): void {
		const { sessionId, ...rest } = params;
		expect(sessionId).toBe("s");
		this.messages.push({ method, params: rest });
		const { uri } = params as { uri: string };
		if (method === "document/didOpen") {
			const { text, version } = params as { text: string; version: number };
			expect(this.mirror.has(uri)).toBe(false); // an open document is not opened again
			this.mirror.set(uri, { text: Text.of(text), version });
		} else if (method === "document/didChange") {
			const { version = 0, contentChanges = [] } = params as acp.DidChange;
			const known = this.mirror.get(uri);
			if (known === undefined)
				expect(contentChanges[0]?.range).toBeUndefined(); // without didOpen, the first change has the full text
			else expect(version).toBeGreaterThan(known.version); // versions only increase
			const before = known?.text ?? Text.empty;
			const change = readContentChanges(before, contentChanges, this.encoding);
			this.mirror.set(uri, { text: change.apply(before), version });
		} else if (method === "document/didClose") this.mirror.delete(uri);
	}
}

function insert(at: number, text: string): Edit {
	return { from: at, to: at, insert: text };
}

describe("an agent receives", () => {
	const KEYS = ["didOpen", "didChange", "didClose", "didSave", "didFocus"] as const;

	test.for(Array.from({ length: 32 }, (_, bits) => KEYS.filter((_key, i) => bits & (1 << i))))(
		"exactly the events it requested: %j",
		(keys) => {
			const asked = Object.fromEntries(keys.map((key) => [key, ALL[key]])) as Asked;
			const wire = new Wire(asked);
			wire.open(A, "a");
			wire.sync.focused(A, { anchor: 0, head: 1, visible: { from: 0, to: 1 } });
			wire.change(A, insert(1, "b"));
			wire.sync.saved(A);
			wire.sync.flushAll();
			wire.close(A);
			const expected = ["didOpen", "didFocus", "didChange", "didSave", "didClose"];
			expect(wire.methods).toEqual(expected.filter((key) => (keys as string[]).includes(key)));
		},
	);

	test("nothing if it requested no events", () => {
		const wire = new Wire(undefined);
		wire.open(A, "a");
		wire.change(A, insert(0, "b"));
		wire.sync.flushAll();
		wire.close(A);
		expect(wire.messages).toEqual([]);
	});

	test("nothing about a document that was never opened", () => {
		const wire = new Wire(ALL);
		const document = { uri: A, languageId: "typescript", version: 2, text: Text.of("ab") };
		wire.sync.changed(document, Change.of([insert(1, "b")], 1));
		wire.sync.saved(A);
		wire.sync.focused(A, { anchor: 0, head: 0 });
		wire.sync.flushAll();
		wire.sync.closed(A);
		expect(wire.messages).toEqual([]);
	});

	test("ranges if it requested them, in an order in which they can be applied", () => {
		const wire = new Wire({ ...ALL });
		wire.open(A, "a\nb\n");
		wire.change(A, insert(0, "1"), insert(2, "2"));
		wire.sync.flush(A);
		const range = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 0 } });
		expect(wire.messages.at(-1)?.params).toEqual({
			uri: A,
			version: 2,
			contentChanges: [
				{ range: range(1), text: "2" },
				{ range: range(0), text: "1" },
			],
		});
	});

	test("full texts without a range if it requested them", () => {
		const wire = new Wire({ ...ALL, didChange: { syncKind: "full" } });
		wire.open(A, "a");
		wire.change(A, insert(1, "b"));
		wire.change(A, insert(2, "c"));
		wire.sync.flush(A);
		expect(wire.messages.at(-1)?.params).toEqual({ uri: A, version: 3, contentChanges: [{ text: "abc" }] });
	});

	test("many keystrokes in one change, with the last version", () => {
		const wire = new Wire(ALL);
		wire.open(A, "", 7);
		for (const [at, letter] of [..."hello"].entries()) wire.change(A, insert(at, letter));
		expect(wire.methods).toEqual(["didOpen"]);
		wire.sync.flush(A);
		wire.sync.flush(A);
		expect(wire.methods).toEqual(["didOpen", "didChange"]);
		expect(wire.messages.at(-1)?.params).toMatchObject({ version: 12, contentChanges: [{ text: "hello" }] });
	});

	test.for([
		["focus", (wire: Wire) => wire.sync.focused(A, { anchor: 0, head: 2 })],
		["save", (wire: Wire) => wire.sync.saved(A)],
	] as const)("pending changes before a %s", ([, cause]) => {
		const wire = new Wire(ALL);
		wire.open(A, "a");
		wire.change(A, insert(1, "b"));
		cause(wire);
		expect(wire.methods[1]).toBe("didChange");
		wire.checkMirror();
	});

	test("a paste in a change of its own, so that the agent can tell it from the typing before and after it", () => {
		const wire = new Wire(ALL);
		wire.open(A, "one\n");
		wire.change(A, insert(3, ";"));
		wire.change(A, { from: 0, to: 3, insert: "two\ntwo" });
		wire.change(A, insert(8, "!"));
		wire.sync.flush(A);
		expect(wire.methods).toEqual(["didOpen", "didChange", "didChange", "didChange"]);
		wire.checkMirror();
	});

	test("pending changes before there are too many", () => {
		const wire = new Wire(ALL);
		wire.open(A, "a\n".repeat(300));
		for (let i = 0; i < 150; i++) wire.change(A, insert(599 - 2 * i, "x"));
		expect(wire.methods).toEqual(["didOpen", "didChange"]);
		wire.sync.flushAll();
		wire.checkMirror();
	});

	test("the cursor, and the whole document if the visible range is unknown", () => {
		const wire = new Wire(ALL, "utf-8");
		wire.open(A, "é\nb");
		wire.sync.focused(A, { anchor: 0, head: 1 });
		expect(wire.messages.at(-1)?.params).toEqual({
			uri: A,
			version: 1,
			position: { line: 0, character: 2 },
			visibleRange: { start: { line: 0, character: 0 }, end: { line: 1, character: 1 } },
		});
	});

	test("an undone change", () => {
		const wire = new Wire(ALL);
		wire.open(A, "ab");
		wire.change(A, insert(1, "x"));
		wire.change(A, { from: 1, to: 2, insert: "" });
		wire.sync.flush(A);
		wire.checkMirror();
		expect(wire.versionOf(A)).toBe(3);
	});
});

describe("an agent without didOpen", () => {
	const { didOpen, didClose, ...rest } = ALL;

	test("receives the first change as full text, and later ones as ranges", () => {
		const wire = new Wire(rest);
		wire.open(A, "ab");
		wire.sync.flushAll();
		expect([wire.messages, wire.sync.mirrors(A)]).toEqual([[], false]);
		wire.change(A, insert(2, "c"));
		wire.sync.flushAll();
		expect(wire.messages.at(-1)?.params["contentChanges"]).toEqual([{ text: "abc" }]);
		wire.change(A, insert(3, "d"));
		wire.sync.flushAll();
		expect(wire.messages.at(-1)?.params["contentChanges"]).toMatchObject([{ range: {}, text: "d" }]);
		expect(wire.sync.mirrors(A)).toBe(true);
		wire.checkMirror();
	});

	test("receives increasing versions and the current text when a document is reopened", () => {
		const wire = new Wire(rest);
		wire.open(A, "ab", 5);
		wire.change(A, insert(2, "c"));
		wire.sync.flushAll();
		wire.close(A);
		wire.open(A, "other", 1);
		wire.sync.flushAll();
		wire.checkMirror();
		expect(wire.messages.at(-1)?.params).toMatchObject({ version: 7, contentChanges: [{ text: "other" }] });
		wire.change(A, insert(0, "an"));
		wire.sync.flushAll();
		wire.checkMirror();
	});

	test("but with didClose starts over when a document is reopened", () => {
		const wire = new Wire({ ...rest, didClose: {} });
		wire.open(A, "ab", 5);
		wire.change(A, insert(2, "c"));
		wire.sync.flushAll();
		wire.close(A);
		wire.open(A, "other", 1);
		wire.sync.flushAll();
		expect(wire.methods).toEqual(["didChange", "didClose"]);
		expect(wire.versionOf(A)).toBe(1);
	});
});

test("an agent without didChange never has the current text, so the document's own version is used", () => {
	const wire = new Wire({ didOpen: {} });
	wire.open(A, "a");
	wire.change(A, insert(1, "b"));
	wire.sync.flushAll();
	expect([wire.methods, wire.sync.mirrors(A), wire.versionOf(A)]).toEqual([["didOpen"], false, 2]);
});

test("all spellings of a URI refer to the same document, which is sent with the URI it was opened with", () => {
	const wire = new Wire(ALL);
	wire.open("file:///project/%61.ts", "a");
	expect(wire.sync.mirrors(A)).toBe(true);
	wire.change("file:///project/%61.ts", insert(0, "b"));
	wire.sync.flush(A);
	expect(wire.messages.at(-1)?.params["uri"]).toBe("file:///project/%61.ts");
});

describe("after any sequence of events", () => {
	type Step = (wire: Wire) => void;
	const someUri = fc.constantFrom(A, B);
	const someStep: fc.Arbitrary<Step> = fc.oneof(
		{
			weight: 6,
			arbitrary: fc.tuple(someUri, someText(), fc.nat(), fc.nat()).map(([uri, text, a, b]) => (wire: Wire) => {
				const length = wire.text(uri)?.length;
				if (length === undefined) return;
				const [from = 0, to = 0] = [a % (length + 1), b % (length + 1)].sort((x, y) => x - y);
				wire.change(uri, { from, to, insert: text });
			}),
		},
		someUri.map((uri) => (wire: Wire) => wire.sync.flush(uri)),
		someUri.map((uri) => (wire: Wire) => wire.sync.saved(uri)),
		someUri.map((uri) => (wire: Wire) => wire.close(uri)),
		fc.tuple(someUri, someText(), fc.nat(3)).map(([uri, text, version]) => (wire: Wire) => {
			if (!wire.documents.has(uri)) wire.open(uri, text, version);
		}),
	);
	const someSyncKind = fc.constantFrom("incremental", "full");
	const someAsked = fc
		.tuple(fc.subarray(["didOpen", "didClose", "didSave"] as const), someSyncKind)
		.filter(([keys]) => keys.includes("didClose") || !keys.includes("didOpen")) // the mirror rejects opening a document twice
		.map(
			([keys, syncKind]) => ({ ...Object.fromEntries(keys.map((key) => [key, {}])), didChange: { syncKind } }) as Asked,
		);
	const someEncoding = fc.constantFrom("utf-8", "utf-16", "utf-32");

	test("the agent has the editor's text after a flush", () => {
		fc.assert(
			fc.property(someAsked, someEncoding, fc.array(someStep, { maxLength: 30 }), (asked, encoding, steps) => {
				const wire = new Wire(asked, encoding);
				for (const step of steps) {
					step(wire);
					if (steps.indexOf(step) % 3 === 0) {
						wire.sync.flushAll();
						wire.checkMirror();
					}
				}
				wire.sync.flushAll();
				wire.checkMirror();
				for (const uri of wire.documents.keys()) if (wire.sync.mirrors(uri)) expect(wire.mirror.has(uri)).toBe(true);
			}),
		);
	});

	test("a change with several edits arrives unchanged", () => {
		const someCase = someText().chain((before) => fc.tuple(fc.constant(before), someChange(Text.of(before))));
		fc.assert(
			fc.property(someCase, someSyncKind, someEncoding, ([before, change], syncKind, encoding) => {
				const wire = new Wire({ ...ALL, didChange: { syncKind } }, encoding);
				wire.open(A, before);
				wire.change(A, ...change.edits);
				wire.sync.flush(A);
				wire.checkMirror();
			}),
		);
	});
});
