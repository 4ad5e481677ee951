import { PassThrough, Readable, Writable } from "node:stream";
import * as sdk from "@agentclientprotocol/sdk/experimental/nes";
import { type DocumentEvent, FakeEditor } from "@segue/testing/editors/fake-editor";
import { acpDialect, deferred, settled } from "@segue/testing/rpc/peers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { Connection } from "./connection.js";
import { lines } from "./lines.js";
import { notification, on, request } from "./method.js";
import { overStreams } from "./node/streams.js";

// Next-edit suggestions depend on this order: a request sees exactly the documents sent before it, regardless of how
// slow it is, what is cancelled, and the order in which handlers were registered.

type OpenParams = { uri: string; text: string };
type ChangeParams = { uri: string; contentChanges: { text: string }[] };

/**
 * The agent's handlers for the three messages. The user types only at the start of the document. `suggest` reads its
 * document on arrival and responds when released.
 */
class SlowAgent {
	private readonly texts = new Map<string, string>();

	constructor(private readonly mayAnswer: Promise<void>) {}

	didOpen({ uri, text }: OpenParams): void {
		this.texts.set(uri, text);
	}

	didChange({ uri, contentChanges }: ChangeParams): void {
		const typed = contentChanges.map((change) => change.text).join("");
		this.texts.set(uri, typed + this.texts.get(uri));
	}

	async suggest({ uri }: { uri: string }, signal: AbortSignal): Promise<{ suggestions: unknown[] }> {
		const text = this.texts.get(uri) ?? "no such document";
		await this.mayAnswer;
		signal.throwIfAborted();
		const start = { line: 0, character: 0 };
		return { suggestions: [{ id: "s", kind: "edit", uri, edits: [{ range: { start, end: start }, newText: text }] }] };
	}
}

/**
 * Connects an agent to two byte streams, with its handlers registered in the given order (a permutation of 0, 1, 2).
 */
type Dispatcher = (agent: SlowAgent, input: Readable, output: Writable, order: readonly number[]) => void;

const didOpen = notification({
	method: "document/didOpen",
	from: "client",
	params: z.looseObject({ uri: z.string(), text: z.string() }),
});
const didChange = notification({
	method: "document/didChange",
	from: "client",
	params: z.looseObject({
		uri: z.string(),
		contentChanges: z.array(z.looseObject({ text: z.string() })),
	}),
});
const suggest = request({
	method: "nes/suggest",
	from: "client",
	params: z.looseObject({ uri: z.string() }),
	result: z.object({ suggestions: z.array(z.unknown()) }),
});

const ours: Dispatcher = (agent, input, output, order) => {
	const handlers = [
		on(didOpen, (params) => agent.didOpen(params)),
		on(didChange, (params) => agent.didChange(params)),
		on(suggest, (params, { signal }) => agent.suggest(params, signal)),
	];
	new Connection<"agent">(overStreams(input, output, lines), {
		dialect: acpDialect,
		handlers: order.flatMap((index) => handlers[index] ?? []),
		report: (problem) => {
			throw new Error(problem.text);
		},
	});
};

const theSdk: Dispatcher = (agent, input, output, order) => {
	const app = sdk.agent({ name: "slow" });
	const register = [
		() => app.onNotification("document/didOpen", ({ params }) => agent.didOpen(params)),
		() => app.onNotification("document/didChange", ({ params }) => agent.didChange(params as ChangeParams)),
		() => app.onRequest("nes/suggest", ({ params, signal }) => agent.suggest(params, signal) as never),
	];
	for (const index of order) register[index]?.();
	const streams = [Writable.toWeb(output), Readable.toWeb(input)] as const;
	app.connect(sdk.ndJsonStream(streams[0] as WritableStream<Uint8Array>, streams[1] as ReadableStream<Uint8Array>));
};

/** A user action: an edit, a request for a suggestion, or the cancellation of an earlier request. */
type Step = { readonly type: string } | "suggest" | { readonly cancel: number };

/**
 * Sends steps to an agent in one chunk. Returns the response to each `suggest` (the text it saw, or an error code) and
 * the expected response.
 */
async function play(dispatcher: Dispatcher, order: readonly number[], steps: readonly Step[]) {
	const messages: object[] = [];
	const editor = new FakeEditor({
		sessionId: "s",
		encoding: "utf-16",
		syncKind: "incremental",
		send: (event: DocumentEvent) => messages.push({ jsonrpc: "2.0", ...event }),
	});
	const uri = "file:///a.ts";
	editor.open(uri, "");
	const expected: (string | number)[] = [];
	for (const step of steps) {
		if (step === "suggest") {
			const id = expected.push(editor.document(uri).text.toString()) - 1;
			const params = { sessionId: "s", uri, version: 1, position: { line: 0, character: 0 }, triggerKind: "automatic" };
			messages.push({ jsonrpc: "2.0", id, method: "nes/suggest", params });
		} else if ("cancel" in step) {
			if (expected[step.cancel] === undefined) continue;
			expected[step.cancel] = -32800;
			messages.push({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: step.cancel } });
		} else editor.edit(uri, [{ from: 0, to: 0, insert: step.type }]);
	}

	const { opened, open } = deferred();
	const input = new PassThrough();
	const output = new PassThrough();
	dispatcher(new SlowAgent(opened), input, output, order);
	const answers: {
		id: number;
		result?: { suggestions: { edits: { newText: string }[] }[] };
		error?: { code: number };
	}[] = [];
	const decoder = lines.decoder({ message: (text) => answers.push(JSON.parse(text)), unreadable: () => {} }, 1e6);
	output.on("data", (chunk: Uint8Array) => decoder.push(chunk));
	input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
	await settled();
	open();
	while (answers.length < expected.length) await settled();
	input.end();
	const seen = expected.map((_, id) => {
		const answer = answers.find((other) => other.id === id);
		return answer?.error?.code ?? answer?.result?.suggestions[0]?.edits[0]?.newText;
	});
	return { seen, expected };
}

const ORDERS = [
	[0, 1, 2],
	[0, 2, 1],
	[1, 0, 2],
	[1, 2, 0],
	[2, 0, 1],
	[2, 1, 0],
];

const STORY: Step[] = [
	{ type: "c" },
	"suggest",
	{ type: "b" },
	"suggest",
	{ cancel: 0 },
	{ type: "a" },
	"suggest",
	{ cancel: 2 },
	"suggest",
];

describe("messages written in one chunk", () => {
	test.each(ORDERS)("are handled in order with handlers registered as %i, %i, %i", async (...order) => {
		const { seen, expected } = await play(ours, order, STORY);
		expect(expected).toEqual([-32800, "bc", -32800, "abc"]);
		expect(seen).toEqual(expected);
	});

	test("are handled in order, whatever the user does", async () => {
		const step = fc.oneof(
			fc.record({ type: fc.constantFrom("x", "y", "\n", "😀") }),
			fc.constant("suggest" as const),
			fc.record({ cancel: fc.nat(5) }),
		);
		await fc.assert(
			fc.asyncProperty(fc.constantFrom(...ORDERS), fc.array(step, { maxLength: 20 }), async (order, steps) => {
				const { seen, expected } = await play(ours, order, steps);
				expect(seen).toEqual(expected);
			}),
		);
	});

	// This is why we have our own dispatcher. If this test ever fails, the SDK has started to preserve the order.
	test("are not handled in order by the ACP SDK's dispatcher", async () => {
		const results = await Promise.all(ORDERS.map((order) => play(theSdk, order, STORY)));
		const isKept = results.map(({ seen, expected }) => JSON.stringify(seen) === JSON.stringify(expected));
		expect(isKept).toContain(false);
	});
});
