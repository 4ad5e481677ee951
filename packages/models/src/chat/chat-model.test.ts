import { createServer } from "node:net";
import { someText } from "@segue/testing/arbitrary";
import { FakeClock } from "@segue/testing/clock";
import { type ModelAnswer, type ModelServer, startModelServer } from "@segue/testing/models/model-server";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { isAll, runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { ChatEnd, ChatEvent } from "../events.js";
import type { FailureKind } from "../failure.js";
import { LINGER_MS_MAX, SILENCE_MS_MAX } from "../reply-stream.js";
import type { ModelSettings } from "../settings.js";
import { chatModel, TRIES_MAX } from "./chat-model.js";
import type { ChatRequest } from "./messages.js";

const APIS = ["openai-compatible", "anthropic"] as const;
const KEY = "sk-test-0123456789abcdef";

describe.each(APIS)("A chat model with the %s API", (type) => {
	it.each<[what: string, answer: ModelAnswer, events: readonly ChatEvent[]]>([
		["text", ["It is ", "fine."], [{ type: "text", text: "It is fine." }, end("done")]],
		[
			"a thought and its signature",
			[{ thought: "Let me " }, { thought: "see.", signature: "mine" }, "Yes."],
			[
				{
					type: "thought",
					text: "Let me see.",
					signature: type === "anthropic" ? "anthropic:mine" : "field:reasoning_content",
				},
				{ type: "text", text: "Yes." },
				end("done"),
			],
		],
		[
			"a call with its input unchanged",
			["Look:", { call: "read_file", id: "c1", input: ['{ "pa', 'th":"a.ts"  ', ', "n": 1.0}'] }],
			[
				{ type: "text", text: "Look:" },
				{ type: "call-begun", id: "c1", tool: "read_file" },
				{ type: "call", id: "c1", tool: "read_file", input: '{ "path":"a.ts"  , "n": 1.0}' },
				end("calls"),
			],
		],
		[
			"a call whose input is not JSON",
			[{ call: "read_file", id: "c1", input: ['{"path": a'] }],
			[
				{ type: "call-begun", id: "c1", tool: "read_file" },
				{ type: "call", id: "c1", tool: "read_file", input: '{"path": a' },
				end("calls"),
			],
		],
		[
			"a call without input",
			[{ call: "plan", id: "c1", input: [] }],
			[
				{ type: "call-begun", id: "c1", tool: "plan" },
				{ type: "call", id: "c1", tool: "plan", input: "{}" },
				end("calls"),
			],
		],
		[
			"usage",
			["Yes.", { usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 64 } }],
			[
				{ type: "text", text: "Yes." },
				{ type: "usage", usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 64, costUsd: undefined } },
				end("done"),
			],
		],
		["the end of a truncated reply", ["It", { end: "length" }], [{ type: "text", text: "It" }, end("length")]],
		["the end of a refused reply", ["No", { end: "refused" }], [{ type: "text", text: "No" }, end("refused")]],
		["only the end of an empty reply", [], [end("done")]],
	])("emits %s", async (_, answer, expected) => {
		const { ask } = await start(type, [answer]);
		expect(await ask()).toEqual({ events: expected, failure: undefined });
	});

	it("emits two calls from one reply", async () => {
		const { ask } = await start(type, [
			[
				{ call: "list", id: "c1", input: ['{"a"', ":1}"] },
				{ call: "list", id: "c2", input: ['{"b":2}'] },
			],
		]);
		const { events } = await ask();
		expect(events.filter((event) => event.type === "call")).toEqual([
			{ type: "call", id: "c1", tool: "list", input: '{"a":1}' },
			{ type: "call", id: "c2", tool: "list", input: '{"b":2}' },
		]);
		expect(events.at(-1)).toEqual(end("calls"));
	});

	it("emits each chunk as soon as it arrives", async () => {
		const { model, server } = await start(type, [["It is ", { hold: true }, "fine."]]);
		const events = model.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toEqual({ type: "text", text: "It is " });
		await server.release();
		expect((await events.next()).value).toEqual({ type: "text", text: "fine." });
	});

	it("never splits a surrogate pair", async () => {
		const { model, server } = await start(type, [["It \ud83d", { hold: true }, "\ude00", { hold: true }, "\ud83d"]]);
		const events = model.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toEqual({ type: "text", text: "It " });
		await server.release();
		expect((await events.next()).value).toEqual({ type: "text", text: "😀" });
		await server.release();
		expect((await events.next()).value).toEqual({ type: "text", text: "\ud83d" });
	});

	it("emits any text the server sends in chunks of any size", async () => {
		const { server, ask } = await start(type, []);
		const somePiece = fc.oneof(
			someText(),
			fc.constantFrom("data: x\n\n", "data:", "\n\nevent: error\n", "[DONE]", "</think>"),
		);
		await fc.assert(
			fc.asyncProperty(fc.array(somePiece), fc.array(fc.integer({ min: 1, max: 40 })), async (pieces, sizes) => {
				server.cut = (bytes) => cutInto(bytes, sizes);
				server.add(pieces);
				const { events, failure } = await ask();
				expect(failure).toBeUndefined();
				const texts = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
				expect(texts.join("")).toBe(pieces.join(""));
				// No event ends in the middle of a surrogate pair.
				expect(texts.join("|")).not.toMatch(/[\ud800-\udbff]\|[\udc00-\udfff]/);
			}),
			{ numRuns: runs(60) },
		);
	});

	it.each<[what: string, answers: readonly ModelAnswer[], kind: FailureKind, message: RegExp]>([
		["a wrong key", [{ refuse: "wrong-key" }], "wrong-key", /^test does not accept your key: .*Run "segue login test"/],
		[
			"an unknown model",
			[{ refuse: "unknown-model" }],
			"unknown-model",
			/^test has no model named "small": .*Check the name/,
		],
		["a conversation that is too long", [{ refuse: "too-long" }], "too-long", /too long for test\/small: .*new thread/],
		["a content filter", [{ refuse: "filtered" }], "filtered", /content filter of test .*Rephrase/],
		["an account without credit", [{ refuse: "no-credit" }], "refused", /credit or quota is used up: .*account/],
		["a bad request", [{ refuse: "bad-request" }], "refused", /^test refused the request \(400\): .*configuration/],
		[
			"a web page",
			[{ page: "<!doctype html><p>Sign in</p>" }],
			"malformed",
			/127\.0\.0\.1:\d+ answered with a web page.*\/v1/,
		],
		["a 404 page", [body(404, "text/html", "<h1>Not Found</h1>")], "malformed", /answered with a web page/],
		["a sign-in page", [body(401, "text/html", "<h1>Unauthorized</h1>")], "wrong-key", /segue login/],
		[
			"a proxy's error page",
			times(TRIES_MAX, body(502, "text/html", "<h1>Bad</h1>")),
			"busy",
			/\(502\)\. .*after 5 tries/,
		],
		[
			"a reply that is not a stream",
			[body(200, "application/json", '{"choices":[]}')],
			"malformed",
			/did not answer with a stream/,
		],
		[
			"an error with a success status",
			[body(200, "application/json", '{"error":"Over"}')],
			"refused",
			/refused the request: Over/,
		],
		["an error without a body", [body(400, "text/plain", "")], "refused", /refused the request \(400\)\. Check/],
		[
			"a redirect, which is not followed",
			[{ status: 307, headers: { location: "https://elsewhere.example/v1/x?key=1" }, body: "" }],
			"malformed",
			/redirects to https:\/\/elsewhere\.example\/v1\/x\. Check/,
		],
		["an endless error page", [endless(400)], "refused", /xxx…/],
		["a chunk that is not JSON", [["It ", { data: "{oops" }]], "malformed", /not valid JSON.*base URL/],
		["a connection lost mid-reply", [["It ", { hold: true }, { cut: true }]], "cut", /was interrupted.*reply is kept/],
		["a stream that ends mid-reply", [["It ", { stop: true }]], "cut", /was interrupted.*reply is kept/],
		["an error mid-reply", [["It ", { fail: "overloaded" }]], "cut", /was interrupted.*verloaded.*reply is kept/],
		["an error instead of a reply", [[{ fail: "too-long" }]], "too-long", /new thread/],
		[
			"a busy provider",
			times(TRIES_MAX, { refuse: "busy" }),
			"busy",
			/busy or unavailable \(429\).*after 5 tries.*another model/,
		],
		["an overloaded provider", times(TRIES_MAX, { refuse: "overloaded" }), "busy", /verloaded.*after 5 tries/],
		["an internal server error", times(TRIES_MAX, { refuse: "trouble" }), "busy", /\(500\).*after 5 tries/],
		[
			"a provider that always closes the connection",
			times(TRIES_MAX, { reset: true }),
			"unreachable",
			/127\.0\.0\.1:\d+ closed.*after 5 tries/,
		],
		[
			"a stream that always ends immediately",
			times(TRIES_MAX, [{ cut: true }]),
			"unreachable",
			/closed the connection.*after 5 tries/,
		],
		[
			"a provider that asks for a long wait",
			[{ refuse: "busy", retryAfter: "3600" }],
			"busy",
			/wait 3600 seconds.*later/,
		],
	])("gives advice about %s and never shows the key", async (_, answers, kind, message) => {
		const { server, ask } = await start(type, answers);
		const { failure, events } = await ask("releasing");
		expect(failure).toMatchObject({ name: "ModelFailure", kind, message: expect.stringMatching(message) });
		expect(server.requests).toHaveLength(answers.length);
		expect(JSON.stringify([String(failure), failure, events])).not.toContain("sk-test");
	});

	it.each<[what: string, answer: ModelAnswer]>([
		["a busy provider", { refuse: "busy" }],
		["an overloaded provider", { refuse: "overloaded" }],
		["an internal server error", { refuse: "trouble" }],
		["a closed connection", { reset: true }],
		["a connection lost before the first event", [{ cut: true }]],
		["a stream that ends before the first event", [{ stop: true }]],
		["an error as the first event", [{ fail: "overloaded" }]],
	])("retries after %s and emits an event", async (_, answer) => {
		const { ask } = await start(type, [answer, answer, ["Yes."]]);
		const { events } = await ask();
		expect(events).toEqual([
			{ type: "retrying", afterMs: 750, why: expect.stringMatching(/^(?:test|127)/) },
			{ type: "retrying", afterMs: 1500, why: expect.stringMatching(/^(?:test|127)/) },
			{ type: "text", text: "Yes." },
			end("done"),
		]);
	});

	it.each<[retryAfter: string, afterMs: number]>([
		["7", 7000],
		["0", 0],
		["Thu, 01 Jan 1970 00:00:09 GMT", 9000],
		["soon", 750],
	])("respects Retry-After: %s", async (retryAfter, afterMs) => {
		const { ask } = await start(type, [{ refuse: "busy", retryAfter }, ["Yes."]]);
		const { events } = await ask();
		expect(events[0]).toMatchObject({ type: "retrying", afterMs });
	});

	it("does not retry after the first event", async () => {
		const { server, ask } = await start(type, [["It ", { hold: true }, { cut: true }], ["never"]]);
		const { events } = await ask("releasing");
		expect(events).toEqual([{ type: "text", text: "It " }]);
		expect(server.requests).toHaveLength(1);
	});

	it("closes the request when cancelled mid-reply", async () => {
		const { model, server } = await start(type, [["It is ", { hold: true }, "fine."]]);
		const stop = new AbortController();
		const events = model.stream(REQUEST, stop.signal)[Symbol.asyncIterator]();
		await events.next();
		const next = events.next();
		stop.abort(new Error("enough"));
		await expect(next).rejects.toThrow("enough");
		await server.requests[0]?.abandoned;
	});

	it("closes the request when cancelled before the reply starts", async () => {
		const arrived = deferred();
		const { model, server } = await start(type, [
			() => {
				arrived.open();
				return { silent: true };
			},
		]);
		const stop = new AbortController();
		const next = model.stream(REQUEST, stop.signal)[Symbol.asyncIterator]().next();
		await arrived.opened;
		stop.abort(new Error("enough"));
		await expect(next).rejects.toThrow("enough");
		await server.requests[0]?.abandoned;
	});

	it("closes the request when the caller stops reading", async () => {
		const { model, server } = await start(type, [["It is ", { hold: true }, "fine."]]);
		for await (const _ of model.stream(REQUEST, new AbortController().signal)) break;
		await server.requests[0]?.abandoned;
	});

	it("stops waiting for the next try when cancelled", async () => {
		const { model, server } = await start(type, [{ refuse: "busy" }]);
		const stop = new AbortController();
		const events = model.stream(REQUEST, stop.signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toMatchObject({ type: "retrying" });
		const next = events.next();
		stop.abort(new Error("enough"));
		await expect(next).rejects.toThrow("enough");
		expect(server.requests).toHaveLength(1);
	});

	it("sends no request when cancelled before the start", async () => {
		const { model, server } = await start(type, []);
		const events = model.stream(REQUEST, AbortSignal.abort(new Error("enough")))[Symbol.asyncIterator]();
		await expect(events.next()).rejects.toThrow("enough");
		expect(server.requests).toHaveLength(0);
	});

	it("sends no request when cancelled while creating it", async () => {
		const { model, server } = await start(type, [{ silent: true }]);
		const stop = new AbortController();
		const next = model.stream(REQUEST, stop.signal)[Symbol.asyncIterator]().next();
		stop.abort(new Error("enough"));
		await expect(next).rejects.toThrow("enough");
		expect(server.requests).toHaveLength(0);
	});

	it("gives up on a server that never responds", async () => {
		const arrived = deferred();
		const { server, clock, ask } = await start(type, [
			() => {
				arrived.open();
				return { silent: true };
			},
		]);
		const result = ask();
		await arrived.opened;
		clock.advance(SILENCE_MS_MAX);
		const { failure } = await result;
		expect(failure).toMatchObject({
			kind: "unreachable",
			message: expect.stringMatching(/No data from 127\.0\.0\.1:\d+ for about 4/),
		});
		await server.requests[0]?.abandoned;
	});

	it("gives up on a reply that stalls", async () => {
		const { model, server, clock } = await start(type, [["It is ", { hold: true }]]);
		const events = model.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toEqual({ type: "text", text: "It is " });
		const next = events.next();
		clock.advance(SILENCE_MS_MAX);
		const message = expect.stringMatching(/was interrupted.*No data from 127.* for about 4 minutes.*reply is kept/);
		await expect(next).rejects.toMatchObject({ kind: "cut", message });
		await server.requests[0]?.abandoned;
	});

	it("ends after a complete reply even if the server keeps the connection open", async () => {
		const last = type === "anthropic" ? '{"type":"message_stop"}' : "[DONE]";
		const { model, server, clock } = await start(type, [[{ data: last }, { hold: true }]]);
		const events = model.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toEqual(end("done"));
		const next = events.next();
		clock.advance(LINGER_MS_MAX);
		expect(await next).toEqual({ done: true, value: undefined });
		await server.requests[0]?.abandoned;
	});

	it("reuses the connection for the next request", async () => {
		const { server, ask } = await start(type, [["One."], ["Two."], ["Three."]]);
		for (let i = 0; i < 3; i++) {
			await ask();
			await settled();
		}
		expect(server.requests).toHaveLength(3);
		expect(server.connections).toBe(1);
	});

	it("reuses the connection even if the caller stops at the end event", async () => {
		const last = type === "anthropic" ? '{"type":"message_stop"}' : "[DONE]";
		const { model, server, clock, ask } = await start(type, [[{ data: last }, { hold: true }], ["Two."]]);
		for await (const event of model.stream(REQUEST, new AbortController().signal)) if (event.type === "end") break;
		await server.release();
		await expect.poll(() => clock.isIdle).toBe(true);
		await ask();
		expect(server.connections).toBe(1);
	});

	it("closes the connection if the body does not end soon after the reply", async () => {
		const last = type === "anthropic" ? '{"type":"message_stop"}' : "[DONE]";
		const { model, server, clock } = await start(type, [[{ data: last }, { hold: true }]]);
		for await (const event of model.stream(REQUEST, new AbortController().signal)) if (event.type === "end") break;
		clock.advance(LINGER_MS_MAX);
		await server.requests[0]?.abandoned;
	});

	it("reports a refused connection if no server is running", async () => {
		const { server, ask } = await start(type, []);
		await server.stop();
		const { failure } = await ask();
		const message = expect.stringMatching(
			/^Cannot connect to 127\.0\.0\.1:\d+: connection refused\. Check the base URL/,
		);
		expect(failure).toMatchObject({ kind: "unreachable", message });
	});

	it.each([
		["reports a server that does not speak HTTP", "http:", "malformed", /does not speak HTTP/],
		["reports a failed secure connection", "https:", "unreachable", /secure connection to 127\.0\.0\.1:\d+/],
	])("%s", async (_, protocol, kind, message) => {
		const sshServer = createServer((socket) => socket.on("error", () => {}).end("SSH-2.0-OpenSSH_9.2\r\n"));
		await new Promise<void>((resolve) => sshServer.listen(0, "127.0.0.1", resolve));
		const address = sshServer.address();
		const port = typeof address === "object" ? address?.port : undefined;
		const { ask } = await start(type, [], { baseUrl: `${protocol}//127.0.0.1:${port}/v1` });
		const { failure } = await ask();
		sshServer.close();
		expect(failure).toMatchObject({ kind, message: expect.stringMatching(message) });
	});

	it.each<[what: string, change: Partial<ModelSettings>, kind: FailureKind, message: RegExp]>([
		["the default provider has no key", { apiKey: undefined }, "no-key", /^test requires an API key.*segue login test/],
		["the key contains a line break", { apiKey: `${KEY}\nmore` }, "wrong-key", /contains invalid characters/],
		["the key is not ASCII", { apiKey: `${KEY}…` }, "wrong-key", /contains invalid characters/],
		["the base URL is invalid", { baseUrl: "nonsense", apiKey: undefined }, "unreachable", /nonsense is not a valid/],
		[
			"a header contains a line break",
			{ headers: { "x-key": `${KEY}\nmore` } },
			"refused",
			/line break\. Fix the header/,
		],
		["a header's name is invalid", { headers: { [`x ${KEY}`]: "1" } }, "refused", /cannot be sent/],
		["the base URL contains a password", { baseUrl: `http://me:${KEY}@127.0.0.1:9/v1` }, "unreachable", /password/],
	])("fails without a request when %s", async (_, change, kind, message) => {
		const { ask, server } = await start(type, [], { baseUrl: undefined, ...change });
		const { failure } = await ask();
		expect(server.requests).toHaveLength(0);
		expect(failure).toMatchObject({ kind, message: expect.stringMatching(message) });
		expect(String(failure)).not.toContain("sk-test");
	});

	it("reports a missing key when the server requires one", async () => {
		const { server, ask } = await start(type, [{ refuse: "wrong-key" }], { apiKey: undefined });
		const { failure } = await ask();
		expect(failure).toMatchObject({ kind: "no-key" });
		expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
		expect(server.requests[0]?.headers).not.toHaveProperty("x-api-key");
	});

	it("sends the configured headers", async () => {
		const { server, ask } = await start(type, [["Yes."]], { headers: { "x-team": "blue" } });
		await ask();
		expect(server.requests[0]?.headers).toMatchObject({ "x-team": "blue" });
	});
});

it("An OpenAI-compatible model reports the cost if the provider does", async () => {
	const { ask } = await start("openai-compatible", [
		["Yes.", { usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.01 } }],
	]);
	const { events } = await ask();
	expect(events).toContainEqual({
		type: "usage",
		usage: { inputTokens: 1, outputTokens: 2, cachedTokens: undefined, costUsd: 0.01 },
	});
});

it("An OpenAI-compatible model turns a think tag into a thought, with chunks of any size", async () => {
	const text = "\n<think>\nOne < two </th.\n</think>\n\nYes, </think>.";
	const { ask, server } = await start("openai-compatible", []);
	for (let size = 1; size <= text.length; size++) {
		server.add(text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []);
		const { events } = await ask();
		expect(events).toEqual([
			{ type: "thought", text: "\nOne < two </th.\n", signature: undefined },
			{ type: "text", text: "Yes, </think>." },
			end("done"),
		]);
	}
});

it.each([
	["a lost connection", { cut: true }],
	["an error", { fail: "overloaded" }],
] as const)("A model reports the usage of a reply interrupted by %s", async (_, fault) => {
	const begun = { data: '{"type":"message_start","message":{"usage":{"input_tokens":7}}}' };
	const { ask } = await start("anthropic", [[begun, "It is ", fault]]);
	const { events, failure } = await ask();
	expect(failure).toMatchObject({ kind: "cut" });
	expect(events.at(-1)).toMatchObject({ type: "usage", usage: { inputTokens: 7 } });
});

it.runIf(isAll)("A model gives up on an endless reply", async () => {
	const chunk = JSON.stringify({ padding: "x".repeat(11 * 1024 * 1024) });
	const { ask } = await start("openai-compatible", [times(3, { data: chunk })]);
	const { failure } = await ask();
	expect(failure).toMatchObject({ kind: "malformed", message: expect.stringMatching(/a reply that is too long/) });
});

const REQUEST: ChatRequest = {
	system: "Be brief.",
	messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
	tools: [],
	effort: undefined,
};

const servers: ModelServer[] = [];

afterEach(async () => {
	for (const server of servers.splice(0)) await server.stop();
});

/**
 * Starts a server with these responses and creates a model for it. The clock advances only between tries and when the
 * test advances it.
 */
async function start(
	type: ModelSettings["type"],
	answers: readonly ModelAnswer[],
	change: Partial<ModelSettings> = {},
) {
	const server = await startModelServer(answers);
	servers.push(server);
	const clock = new FakeClock();
	const name = { name: "test/small", model: "small", type };
	const usual = { baseUrl: server.url, apiKey: KEY, headers: {}, windowTokens: undefined, takesImages: true };
	const random = () => 0.5;
	const model = chatModel({ ...name, ...usual, ...change }, { now: clock.now, after: clock.after, random });

	/** Sends a request and collects its events and its failure. */
	async function ask(releasing?: "releasing"): Promise<{ events: ChatEvent[]; failure: unknown }> {
		const events: ChatEvent[] = [];
		const stream = model.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
		try {
			for (let next = await stream.next(); next.done !== true; ) {
				events.push(next.value);
				const coming = stream.next();
				if (next.value.type === "retrying") clock.advance(next.value.afterMs);
				if (releasing) void server.release();
				next = await coming;
			}
			return { events, failure: undefined };
		} catch (failure) {
			return { events, failure };
		}
	}

	return { server, model, clock, ask };
}

/** Splits bytes into chunks, cycling through these sizes. */
function cutInto(bytes: Buffer, sizes: readonly number[]): Buffer[] {
	if (sizes.length === 0) return [bytes];
	const pieces: Buffer[] = [];
	for (let from = 0; from < bytes.length; from += pieces.at(-1)?.length ?? 1) {
		pieces.push(bytes.subarray(from, from + (sizes[pieces.length % sizes.length] ?? 1)));
	}
	return pieces;
}

function body(status: number, type: string, text: string): ModelAnswer {
	return { status, headers: { "content-type": type }, body: text };
}

/** A body shorter than its content length. */
function endless(status: number): ModelAnswer {
	return { status, headers: { "content-type": "text/plain", "content-length": "99999999" }, body: "x".repeat(100_000) };
}

function times<T>(count: number, value: T): T[] {
	return Array.from({ length: count }, () => value);
}

function end(reason: ChatEnd): ChatEvent {
	return { type: "end", reason };
}
