import * as lsp from "@segue/protocol/lsp";
import { memoryPair, type Problem } from "@segue/rpc";
import { FakeClock } from "@segue/testing/clock";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { expect, test } from "vitest";
import { serveLsp } from "./lsp-server.js";

// A client whose messages are damaged on the way. Whatever comes, the server answers every request that it can read, sends only
// what the protocol allows, and serves the next document as if nothing had happened.

const URI = "file:///project/a.ts";
const position = { line: 1, character: 4 };
const range = { start: position, end: { line: 1, character: 7 } };
const textDocument = { uri: URI, version: 2 };
const item = { insertText: "x", command: { title: "t", command: "segue.accept", arguments: ["suggestion_1"] } };

/** Messages of a client, the ids left out. */
const MESSAGES: readonly { method: string; params: unknown; isRequest?: boolean }[] = [
	{
		method: "textDocument/didOpen",
		params: { textDocument: { ...textDocument, languageId: "typescript", text: "const cnt = 0\nlog(cnt)\n" } },
	},
	{ method: "textDocument/didChange", params: { textDocument, contentChanges: [{ range, text: "count" }] } },
	{
		method: "textDocument/didChange",
		params: { textDocument, contentChanges: [{ text: "const count = 0\nlog(cnt)\n" }] },
	},
	{ method: "textDocument/didClose", params: { textDocument } },
	{ method: "textDocument/didSave", params: { textDocument } },
	{ method: "textDocument/didFocus", params: { textDocument } },
	{ method: "segue/diagnostics", params: { uri: URI, diagnostics: [{ range, severity: 1, message: "no" }] } },
	{
		method: "workspace/didChangeWorkspaceFolders",
		params: { event: { added: [{ uri: URI, name: "a" }], removed: [] } },
	},
	{
		method: "workspace/didChangeConfiguration",
		params: { settings: { segue: { enabled: true, mark: "diagnostic" } } },
	},
	{ method: "workspace/didChangeWatchedFiles", params: { changes: [{ uri: URI, type: 1 }] } },
	{
		method: "textDocument/inlineCompletion",
		params: { textDocument, position, context: { triggerKind: 1, selectedCompletionInfo: { range, text: "c" } } },
		isRequest: true,
	},
	{ method: "textDocument/copilotInlineEdit", params: { textDocument, position, workDoneToken: 1 }, isRequest: true },
	{
		method: "textDocument/codeAction",
		params: { textDocument, range, context: { diagnostics: [], only: ["quickfix"] } },
		isRequest: true,
	},
	{ method: "textDocument/inlayHint", params: { textDocument, range }, isRequest: true },
	{
		method: "workspace/executeCommand",
		params: { command: "segue.apply", arguments: ["suggestion_1"] },
		isRequest: true,
	},
	{ method: "workspace/executeCommand", params: { command: "segue.accept", arguments: ["suggestion_1"] } },
	{ method: "textDocument/didShowInlineEdit", params: { item } },
	{ method: "textDocument/didPartiallyAcceptCompletion", params: { item, acceptedLength: 1 } },
	{ method: "checkStatus", params: {}, isRequest: true },
	{ method: "$/cancelRequest", params: { id: 3 } },
];

/** How a message is damaged: a value in it is replaced or dropped, or a piece of its text is. */
interface Damage {
	readonly message: number;
	readonly at: number;
	readonly how: "keep" | "replace" | "drop" | "text";
	readonly by: unknown;
}

const damageArb: fc.Arbitrary<Damage> = fc.record({
	message: fc.nat({ max: MESSAGES.length - 1 }),
	at: fc.nat(),
	how: fc.constantFrom("keep", "keep", "replace", "replace", "drop", "text"),
	by: fc.oneof(
		fc.constantFrom(null, -1, 0, 1, 7, 2 ** 31, 2 ** 53, 1e300, 0.5, true, "", "x", "\u0000", "\ud800", [], {}, [[]]),
		fc.jsonValue({ maxDepth: 2 }),
	),
});

// 100 messages of 1,000 runs.
const MESSAGES_A_RUN = 100;

test("damaged messages leave the server as it was", async () => {
	const sessionArb = fc.array(damageArb, { minLength: MESSAGES_A_RUN, maxLength: MESSAGES_A_RUN });
	await fc.assert(
		fc.asyncProperty(sessionArb, async (damages) => {
			const wire = new Wire();
			wire.say({
				id: 0,
				method: "initialize",
				params: { capabilities: { window: { showDocument: { support: true } } } },
			});
			for (const [index, damage] of damages.entries()) {
				wire.write(damaged(damage, index + 1));
				wire.clock.advance(400);
				if (index % 10 === 0) await wire.settled();
			}
			await wire.settled();
			wire.clock.advance(5000);
			const uri = "file:///project/fresh.ts";
			const text = "const cnt = 0\nlog(cnt)\n";
			wire.say({
				method: "workspace/didChangeConfiguration",
				params: { settings: { segue: { enabled: true, eagerness: "medium", mark: "none" } } },
			});
			wire.say({
				method: "textDocument/didOpen",
				params: { textDocument: { uri, languageId: "typescript", version: 1, text } },
			});
			const change = { range: { start: { line: 0, character: 6 }, end: { line: 0, character: 9 } }, text: "count" };
			wire.say({
				method: "textDocument/didChange",
				params: { textDocument: { uri, version: 2 }, contentChanges: [change] },
			});
			wire.say({
				id: "last",
				method: "textDocument/copilotInlineEdit",
				params: { textDocument: { uri, version: 2 }, position: { line: 0, character: 11 } },
			});
			await wire.settled();
			const { result } = wire.answerTo("last") as { result: { edits: { text: string; textDocument: object }[] } };
			expect(result.edits.map((edit) => [edit.text, edit.textDocument])).toEqual([["count", { uri, version: 2 }]]);
			expect(wire.failures()).toEqual([]);
			expect(wire.unanswered()).toEqual([]);
		}),
		{ numRuns: runs(1000) },
	);
});

/** The raw end of a client. */
class Wire {
	readonly clock = new FakeClock();
	private readonly problems: Problem[] = [];
	/** The ids of requests that can be read. */
	private readonly asked = new Set<unknown>();
	private readonly received: {
		id?: unknown;
		method?: string;
		params?: unknown;
		result?: unknown;
		error?: { code: number };
	}[] = [];
	private readonly channel;

	constructor() {
		const [ours, theirs] = memoryPair();
		const { now, after } = this.clock;
		serveLsp(theirs, { version: "1", now, after, report: (problem) => this.problems.push(problem) });
		this.channel = ours;
		const message = (text: string) => {
			const read = JSON.parse(text) as (typeof this.received)[number];
			this.received.push(read);
			// A request of the server, such as to apply an edit.
			if (read.method !== undefined && read.id !== undefined) this.say({ id: read.id, result: {} });
		};
		ours.open({ message, unreadable: () => {}, closed: () => {} }, Number.POSITIVE_INFINITY);
	}

	say(message: object): void {
		this.write(JSON.stringify({ jsonrpc: "2.0", ...message }));
	}

	write(text: string): void {
		const id = requestIn(text);
		if (id !== undefined) this.asked.add(id);
		this.channel.send(text);
	}

	unanswered(): unknown[] {
		return [...this.asked].filter((id) => this.answerTo(id) === undefined);
	}

	settled(): Promise<void> {
		return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
	}

	answerTo(id: unknown): unknown {
		return this.received.find((one) => one.id === id && one.method === undefined);
	}

	/** What must not happen, whatever was received: handlers that throw, and answers with an internal error. */
	failures(): unknown[] {
		const failed = this.problems.filter(({ kind }) => kind === "handler-failed");
		const internal = this.received.filter(({ error }) => error?.code === -32603);
		// What the server sends by itself has the form that the protocol gives it.
		const wrong = this.received.filter(({ method, params }) => {
			const message = Object.values(lsp.messages).find((one) => one.method === method);
			return (
				method !== undefined && (message === undefined || "issues" in message.params["~standard"].validate(params))
			);
		});
		return [...failed.map(({ text, error }) => `${text}: ${error}`), ...internal, ...wrong];
	}
}

/** The id of a request, where a text is one. */
function requestIn(text: string): unknown {
	try {
		const { jsonrpc, id, method, params } = JSON.parse(text);
		const isGood = jsonrpc === "2.0" && typeof method === "string" && (params == null || typeof params === "object");
		return isGood && (typeof id === "string" || Number.isSafeInteger(id)) ? id : undefined;
	} catch {
		return undefined;
	}
}

function damaged({ message, at, how, by }: Damage, id: number): string {
	const { method, params, isRequest } = MESSAGES[message] ?? { method: "", params: {} };
	const whole = { jsonrpc: "2.0", ...(isRequest && { id }), method, params };
	if (how === "keep") return JSON.stringify(whole);
	if (how === "text") {
		const text = JSON.stringify(whole);
		const from = at % text.length;
		return text.slice(0, from) + (JSON.stringify(by) ?? "") + text.slice(from + (at % 5));
	}
	const copy = structuredClone(whole);
	const places = placesIn(copy);
	const place = places[at % places.length];
	if (place !== undefined) {
		if (how === "drop") Reflect.deleteProperty(place.owner, place.key);
		else place.owner[place.key] = by;
	}
	return JSON.stringify(copy);
}

/** Every member and item of a value. */
function placesIn(value: unknown): { owner: Record<string, unknown>; key: string }[] {
	if (typeof value !== "object" || value === null) return [];
	const owner = value as Record<string, unknown>;
	return Object.keys(owner).flatMap((key) => [{ owner, key }, ...placesIn(owner[key])]);
}
