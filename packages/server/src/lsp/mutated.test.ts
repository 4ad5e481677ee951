import * as lsp from "@segue/protocol/lsp";
import { memoryPair, type Problem } from "@segue/rpc";
import { FakeClock } from "@segue/testing/clock";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { expect, test } from "vitest";
import { serveLsp } from "./lsp-server.js";

// Sends randomly corrupted messages. The server must answer every readable request, send only valid messages and still
// serve the next document.

const URI = "file:///project/a.ts";
const position = { line: 1, character: 4 };
const range = { start: position, end: { line: 1, character: 7 } };
const textDocument = { uri: URI, version: 2 };
const item = { insertText: "x", command: { title: "t", command: "segue.accept", arguments: ["suggestion_1"] } };

/** Messages from a client, without ids. */
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

/** Mutates a message: replaces or removes a value, or replaces part of the text. */
interface Mutation {
	readonly message: number;
	readonly at: number;
	readonly how: "keep" | "replace" | "drop" | "text";
	readonly by: unknown;
}

const mutationArb: fc.Arbitrary<Mutation> = fc.record({
	message: fc.nat({ max: MESSAGES.length - 1 }),
	at: fc.nat(),
	how: fc.constantFrom("keep", "keep", "replace", "replace", "drop", "text"),
	by: fc.oneof(
		fc.constantFrom(null, -1, 0, 1, 7, 2 ** 31, 2 ** 53, 1e300, 0.5, true, "", "x", "\u0000", "\ud800", [], {}, [[]]),
		fc.jsonValue({ maxDepth: 2 }),
	),
});

const MESSAGES_PER_RUN = 100;

test("the server works after corrupted messages", async () => {
	const sessionArb = fc.array(mutationArb, { minLength: MESSAGES_PER_RUN, maxLength: MESSAGES_PER_RUN });
	await fc.assert(
		fc.asyncProperty(sessionArb, async (mutations) => {
			const wire = new Wire();
			wire.send({
				id: 0,
				method: "initialize",
				params: { capabilities: { window: { showDocument: { support: true } } } },
			});
			for (const [index, mutation] of mutations.entries()) {
				wire.write(mutated(mutation, index + 1));
				wire.clock.advance(400);
				if (index % 10 === 0) await wire.settled();
			}
			await wire.settled();
			wire.clock.advance(5000);
			const uri = "file:///project/fresh.ts";
			const text = "const cnt = 0\nlog(cnt)\n";
			wire.send({
				method: "workspace/didChangeConfiguration",
				params: { settings: { segue: { enabled: true, eagerness: "medium", mark: "none" } } },
			});
			wire.send({
				method: "textDocument/didOpen",
				params: { textDocument: { uri, languageId: "typescript", version: 1, text } },
			});
			const change = { range: { start: { line: 0, character: 6 }, end: { line: 0, character: 9 } }, text: "count" };
			wire.send({
				method: "textDocument/didChange",
				params: { textDocument: { uri, version: 2 }, contentChanges: [change] },
			});
			wire.send({
				id: "last",
				method: "textDocument/copilotInlineEdit",
				params: { textDocument: { uri, version: 2 }, position: { line: 0, character: 11 } },
			});
			await wire.settled();
			const { result } = wire.responseTo("last") as { result: { edits: { text: string; textDocument: object }[] } };
			expect(result.edits.map((edit) => [edit.text, edit.textDocument])).toEqual([["count", { uri, version: 2 }]]);
			expect(wire.failures()).toEqual([]);
			expect(wire.unanswered()).toEqual([]);
		}),
		{ numRuns: runs(1000) },
	);
});

/** A client that writes raw messages. */
class Wire {
	readonly clock = new FakeClock();
	private readonly problems: Problem[] = [];
	/** The ids of readable requests. */
	private readonly sent = new Set<unknown>();
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
			// Respond to requests from the server, such as applyEdit.
			if (read.method !== undefined && read.id !== undefined) this.send({ id: read.id, result: {} });
		};
		ours.open({ message, unreadable: () => {}, closed: () => {} }, Number.POSITIVE_INFINITY);
	}

	send(message: object): void {
		this.write(JSON.stringify({ jsonrpc: "2.0", ...message }));
	}

	write(text: string): void {
		const id = requestIn(text);
		if (id !== undefined) this.sent.add(id);
		this.channel.send(text);
	}

	unanswered(): unknown[] {
		return [...this.sent].filter((id) => this.responseTo(id) === undefined);
	}

	settled(): Promise<void> {
		return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
	}

	responseTo(id: unknown): unknown {
		return this.received.find((one) => one.id === id && one.method === undefined);
	}

	/** Returns failed handlers, internal errors and invalid messages in the server. */
	failures(): unknown[] {
		const failed = this.problems.filter(({ kind }) => kind === "handler-failed");
		const internal = this.received.filter(({ error }) => error?.code === -32603);
		const invalid = this.received.filter(({ method, params }) => {
			const message = Object.values(lsp.messages).find((one) => one.method === method);
			return (
				method !== undefined && (message === undefined || "issues" in message.params["~standard"].validate(params))
			);
		});
		return [...failed.map(({ text, error }) => `${text}: ${error}`), ...internal, ...invalid];
	}
}

/** Returns the id of a request, or undefined if the text is not a valid request. */
function requestIn(text: string): unknown {
	try {
		const { jsonrpc, id, method, params } = JSON.parse(text);
		const isGood = jsonrpc === "2.0" && typeof method === "string" && (params == null || typeof params === "object");
		return isGood && (typeof id === "string" || Number.isSafeInteger(id)) ? id : undefined;
	} catch {
		return undefined;
	}
}

function mutated({ message, at, how, by }: Mutation, id: number): string {
	const { method, params, isRequest } = MESSAGES[message] ?? { method: "", params: {} };
	const whole = { jsonrpc: "2.0", ...(isRequest && { id }), method, params };
	if (how === "keep") return JSON.stringify(whole);
	if (how === "text") {
		const text = JSON.stringify(whole);
		const from = at % text.length;
		return text.slice(0, from) + (JSON.stringify(by) ?? "") + text.slice(from + (at % 5));
	}
	const copy = structuredClone(whole);
	const members = membersOf(copy);
	const member = members[at % members.length];
	if (member !== undefined) {
		if (how === "drop") Reflect.deleteProperty(member.owner, member.key);
		else member.owner[member.key] = by;
	}
	return JSON.stringify(copy);
}

/** Returns every property and item in a value, recursively. */
function membersOf(value: unknown): { owner: Record<string, unknown>; key: string }[] {
	if (typeof value !== "object" || value === null) return [];
	const owner = value as Record<string, unknown>;
	return Object.keys(owner).flatMap((key) => [{ owner, key }, ...membersOf(owner[key])]);
}
