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

const WIRES = ["openai-compatible", "anthropic"] as const;
const KEY = "sk-test-0123456789abcdef";

describe.each(WIRES)("A model on the %s wire", (type) => {
	it.each<[what: string, answer: ModelAnswer, events: readonly ChatEvent[]]>([
		["text", ["It is ", "fine."], [{ type: "text", text: "It is fine." }, end("done")]],
		[
			"a thought, and its signature",
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
			"a call, its input to the letter",
			["Look:", { call: "read_file", id: "c1", input: ['{ "pa', 'th":"a.ts"  ', ', "n": 1.0}'] }],
			[
				{ type: "text", text: "Look:" },
				{ type: "call-begun", id: "c1", tool: "read_file" },
				{ type: "call", id: "c1", tool: "read_file", input: '{ "path":"a.ts"  , "n": 1.0}' },
				end("calls"),
			],
		],
		[
			"a call whose input is no JSON",
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
			"what it took",
			["Yes.", { usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 64 } }],
			[
				{ type: "text", text: "Yes." },
				{ type: "usage", usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 64, costUsd: undefined } },
				end("done"),
			],
		],
		["that it ran out of tokens", ["It", { end: "length" }], [{ type: "text", text: "It" }, end("length")]],
		["that it refuses", ["No", { end: "refused" }], [{ type: "text", text: "No" }, end("refused")]],
		["nothing at all", [], [end("done")]],
	])("tells %s", async (_, answer, expected) => {
		const { ask } = await start(type, [answer]);
		expect(await ask()).toEqual({ events: expected, failure: undefined });
	});

	it("tells two calls of one answer apart", async () => {
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

	it("gives out each piece of an answer as soon as it comes", async () => {
		const { model, server } = await start(type, [["It is ", { hold: true }, "fine."]]);
		const events = model.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toEqual({ type: "text", text: "It is " });
		await server.release();
		expect((await events.next()).value).toEqual({ type: "text", text: "fine." });
	});

	it("never parts the halves of a surrogate pair", async () => {
		const { model, server } = await start(type, [["It \ud83d", { hold: true }, "\ude00", { hold: true }, "\ud83d"]]);
		const events = model.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toEqual({ type: "text", text: "It " });
		await server.release();
		expect((await events.next()).value).toEqual({ type: "text", text: "😀" });
		await server.release();
		expect((await events.next()).value).toEqual({ type: "text", text: "\ud83d" });
	});

	it("says what the server said, whatever it is and however the network cuts it", async () => {
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
				// No event ends between the halves of a pair.
				expect(texts.join("|")).not.toMatch(/[\ud800-\udbff]\|[\udc00-\udfff]/);
			}),
			{ numRuns: runs(60) },
		);
	});

	it.each<[what: string, answers: readonly ModelAnswer[], kind: FailureKind, message: RegExp]>([
		["a wrong key", [{ refuse: "wrong-key" }], "wrong-key", /^test does not accept your key: .*Run "segue login test"/],
		["an unknown model", [{ refuse: "unknown-model" }], "unknown-model", /^test has no model small: .*Check the name/],
		["a conversation that is too long", [{ refuse: "too-long" }], "too-long", /too long for test\/small: .*new thread/],
		["a content filter", [{ refuse: "filtered" }], "filtered", /content filter of test .*other words/],
		["an empty account", [{ refuse: "no-credit" }], "refused", /credit or quota is used up: .*account/],
		["another refusal", [{ refuse: "bad-request" }], "refused", /^test refused the request \(400\): .*configuration/],
		[
			"a web page",
			[{ page: "<!doctype html><p>Sign in</p>" }],
			"malformed",
			/127\.0\.0\.1:\d+ answered with a web page.*\/v1/,
		],
		[
			"a web page that is missing",
			[body(404, "text/html", "<h1>Not Found</h1>")],
			"malformed",
			/answered with a web page/,
		],
		["a page that asks for a key", [body(401, "text/html", "<h1>Unauthorized</h1>")], "wrong-key", /segue login/],
		[
			"a page of a proxy",
			times(TRIES_MAX, body(502, "text/html", "<h1>Bad</h1>")),
			"busy",
			/\(502\)\. .*tried 5 times/,
		],
		[
			"an answer that is no stream",
			[body(200, "application/json", '{"choices":[]}')],
			"malformed",
			/that is no stream/,
		],
		[
			"an error with a good status",
			[body(200, "application/json", '{"error":"Over"}')],
			"refused",
			/refused the request: Over/,
		],
		["an empty refusal", [body(400, "text/plain", "")], "refused", /refused the request \(400\)\. Check/],
		[
			"a redirection, which is not followed",
			[{ status: 307, headers: { location: "https://elsewhere.example/v1/x?key=1" }, body: "" }],
			"malformed",
			/is somewhere else now, at https:\/\/elsewhere\.example\/v1\/x\. Check/,
		],
		["an endless page", [endless(400)], "refused", /xxx…/],
		["a piece that is no JSON", [["It ", { data: "{oops" }]], "malformed", /no JSON.*base URL/],
		["a connection cut in mid-answer", [["It ", { hold: true }, { cut: true }]], "cut", /broke off.*What came is kept/],
		["a stream that ends in mid-answer", [["It ", { stop: true }]], "cut", /broke off.*What came is kept/],
		["an error in mid-answer", [["It ", { fail: "overloaded" }]], "cut", /broke off.*verloaded.*What came is kept/],
		["an error in place of an answer", [[{ fail: "too-long" }]], "too-long", /new thread/],
		[
			"a busy provider",
			times(TRIES_MAX, { refuse: "busy" }),
			"busy",
			/busy or in trouble \(429\).*tried 5 times.*another model/,
		],
		["an overloaded provider", times(TRIES_MAX, { refuse: "overloaded" }), "busy", /verloaded.*tried 5 times/],
		["a provider in trouble", times(TRIES_MAX, { refuse: "trouble" }), "busy", /\(500\).*tried 5 times/],
		[
			"a provider that always hangs up",
			times(TRIES_MAX, { reset: true }),
			"unreachable",
			/127\.0\.0\.1:\d+ closed.*tried 5 times/,
		],
		[
			"a stream that always ends at once",
			times(TRIES_MAX, [{ cut: true }]),
			"unreachable",
			/closed the connection.*tried 5/,
		],
		[
			"a provider that wants to be left alone for long",
			[{ refuse: "busy", retryAfter: "3600" }],
			"busy",
			/wait 3600 seconds.*later/,
		],
	])("says what to do about %s, and never tells the key", async (_, answers, kind, message) => {
		const { server, ask } = await start(type, answers);
		const { failure, events } = await ask("releasing");
		expect(failure).toMatchObject({ name: "ModelFailure", kind, message: expect.stringMatching(message) });
		expect(server.requests).toHaveLength(answers.length);
		expect(JSON.stringify([String(failure), failure, events])).not.toContain("sk-test");
	});

	it.each<[what: string, answer: ModelAnswer]>([
		["a busy provider", { refuse: "busy" }],
		["an overloaded provider", { refuse: "overloaded" }],
		["a provider in trouble", { refuse: "trouble" }],
		["a closed connection", { reset: true }],
		["a stream that is cut before it begins", [{ cut: true }]],
		["a stream that ends before it begins", [{ stop: true }]],
		["an error in the stream before anything else", [{ fail: "overloaded" }]],
	])("tries again after %s, and says so", async (_, answer) => {
		const { ask } = await start(type, [answer, answer, ["Yes."]]);
		const { events } = await ask();
		expect(events).toEqual([
			{ type: "retrying", afterMs: 750, why: expect.stringMatching(/^(?:test|127)/) },
			{ type: "retrying", afterMs: 1500, why: expect.stringMatching(/^(?:test|127)/) },
			{ type: "text", text: "Yes." },
			end("done"),
		]);
	});

	it.each<[said: string, afterMs: number]>([
		["7", 7000],
		["0", 0],
		["Thu, 01 Jan 1970 00:00:09 GMT", 9000],
		["soon", 750],
	])("waits as long as Retry-After: %s says", async (retryAfter, afterMs) => {
		const { ask } = await start(type, [{ refuse: "busy", retryAfter }, ["Yes."]]);
		const { events } = await ask();
		expect(events[0]).toMatchObject({ type: "retrying", afterMs });
	});

	it("does not ask again once something has come out", async () => {
		const { server, ask } = await start(type, [["It ", { hold: true }, { cut: true }], ["never"]]);
		const { events } = await ask("releasing");
		expect(events).toEqual([{ type: "text", text: "It " }]);
		expect(server.requests).toHaveLength(1);
	});

	it("closes the request when it is cancelled in mid-answer", async () => {
		const { model, server } = await start(type, [["It is ", { hold: true }, "fine."]]);
		const stop = new AbortController();
		const events = model.stream(REQUEST, stop.signal)[Symbol.asyncIterator]();
		await events.next();
		const next = events.next();
		stop.abort(new Error("enough"));
		await expect(next).rejects.toThrow("enough");
		await server.requests[0]?.abandoned;
	});

	it("closes the request when it is cancelled before the answer begins", async () => {
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

	it("closes the request when nobody reads on", async () => {
		const { model, server } = await start(type, [["It is ", { hold: true }, "fine."]]);
		for await (const _ of model.stream(REQUEST, new AbortController().signal)) break;
		await server.requests[0]?.abandoned;
	});

	it("stops waiting for the next try at once when it is cancelled", async () => {
		const { model, server } = await start(type, [{ refuse: "busy" }]);
		const stop = new AbortController();
		const events = model.stream(REQUEST, stop.signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toMatchObject({ type: "retrying" });
		const next = events.next();
		stop.abort(new Error("enough"));
		await expect(next).rejects.toThrow("enough");
		expect(server.requests).toHaveLength(1);
	});

	it("asks nobody when it is cancelled before it begins", async () => {
		const { model, server } = await start(type, []);
		const events = model.stream(REQUEST, AbortSignal.abort(new Error("enough")))[Symbol.asyncIterator]();
		await expect(events.next()).rejects.toThrow("enough");
		expect(server.requests).toHaveLength(0);
	});

	it("asks nobody when it is cancelled while the request is being written", async () => {
		const { model, server } = await start(type, [{ silent: true }]);
		const stop = new AbortController();
		const next = model.stream(REQUEST, stop.signal)[Symbol.asyncIterator]().next();
		stop.abort(new Error("enough"));
		await expect(next).rejects.toThrow("enough");
		expect(server.requests).toHaveLength(0);
	});

	it("gives up on a server that takes the request and never answers", async () => {
		const arrived = deferred();
		const { server, clock, ask } = await start(type, [
			() => {
				arrived.open();
				return { silent: true };
			},
		]);
		const asked = ask();
		await arrived.opened;
		clock.advance(SILENCE_MS_MAX);
		const { failure } = await asked;
		expect(failure).toMatchObject({
			kind: "unreachable",
			message: expect.stringMatching(/Nothing came from 127\.0\.0\.1:\d+ for about 4/),
		});
		await server.requests[0]?.abandoned;
	});

	it("gives up on an answer that stalls", async () => {
		const { model, server, clock } = await start(type, [["It is ", { hold: true }]]);
		const events = model.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toEqual({ type: "text", text: "It is " });
		const next = events.next();
		clock.advance(SILENCE_MS_MAX);
		const message = expect.stringMatching(/broke off.*Nothing came from 127.* for about 4 minutes.*What came is kept/);
		await expect(next).rejects.toMatchObject({ kind: "cut", message });
		await server.requests[0]?.abandoned;
	});

	it("ends when the answer is whole, even if the server does not close", async () => {
		const last = type === "anthropic" ? '{"type":"message_stop"}' : "[DONE]";
		const { model, server, clock } = await start(type, [[{ data: last }, { hold: true }]]);
		const events = model.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
		expect((await events.next()).value).toEqual(end("done"));
		const next = events.next();
		clock.advance(LINGER_MS_MAX);
		expect(await next).toEqual({ done: true, value: undefined });
		await server.requests[0]?.abandoned;
	});

	it("keeps the connection for the next request", async () => {
		const { server, ask } = await start(type, [["One."], ["Two."], ["Three."]]);
		for (let i = 0; i < 3; i++) {
			await ask();
			await settled();
		}
		expect(server.requests).toHaveLength(3);
		expect(server.connections).toBe(1);
	});

	it("keeps the connection for the next request, even if nobody waits for the end of the answer", async () => {
		const last = type === "anthropic" ? '{"type":"message_stop"}' : "[DONE]";
		const { model, server, clock, ask } = await start(type, [[{ data: last }, { hold: true }], ["Two."]]);
		for await (const event of model.stream(REQUEST, new AbortController().signal)) if (event.type === "end") break;
		await server.release();
		await expect.poll(() => clock.isIdle).toBe(true);
		await ask();
		expect(server.connections).toBe(1);
	});

	it("closes the connection when the end of an answer does not come for a while", async () => {
		const last = type === "anthropic" ? '{"type":"message_stop"}' : "[DONE]";
		const { model, server, clock } = await start(type, [[{ data: last }, { hold: true }]]);
		for await (const event of model.stream(REQUEST, new AbortController().signal)) if (event.type === "end") break;
		clock.advance(LINGER_MS_MAX);
		await server.requests[0]?.abandoned;
	});

	it("says that nothing answers where no server runs", async () => {
		const { server, ask } = await start(type, []);
		await server.stop();
		const { failure } = await ask();
		const message = expect.stringMatching(/^Nothing answers at 127\.0\.0\.1:\d+\. Check the base URL/);
		expect(failure).toMatchObject({ kind: "unreachable", message });
	});

	it.each([
		["says that a server does not speak HTTP", "http:", "malformed", /does not speak HTTP/],
		[
			"says that a secure connection could not be made",
			"https:",
			"unreachable",
			/secure connection to 127\.0\.0\.1:\d+/,
		],
	])("%s", async (_, protocol, kind, message) => {
		const stranger = createServer((socket) => socket.on("error", () => {}).end("SSH-2.0-OpenSSH_9.2\r\n"));
		await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
		const address = stranger.address();
		const port = typeof address === "object" ? address?.port : undefined;
		const { ask } = await start(type, [], { baseUrl: `${protocol}//127.0.0.1:${port}/v1` });
		const { failure } = await ask();
		stranger.close();
		expect(failure).toMatchObject({ kind, message: expect.stringMatching(message) });
	});

	it.each<[what: string, change: Partial<ModelSettings>, kind: FailureKind, message: RegExp]>([
		["there is no key for the provider itself", { apiKey: undefined }, "no-key", /^test wants a key.*segue login test/],
		["a key has a line end in it", { apiKey: `${KEY}\nmore` }, "wrong-key", /characters that no key has/],
		["a key is not of ASCII", { apiKey: `${KEY}…` }, "wrong-key", /characters that no key has/],
		["the base URL is none", { baseUrl: "nonsense", apiKey: undefined }, "unreachable", /nonsense is no base URL/],
		[
			"a header has a line end in it",
			{ headers: { "x-key": `${KEY}\nmore` } },
			"refused",
			/line end. Configure it anew/,
		],
		["a header's name is none", { headers: { [`x ${KEY}`]: "1" } }, "refused", /cannot be sent/],
		["the base URL has a password", { baseUrl: `http://me:${KEY}@127.0.0.1:9/v1` }, "unreachable", /password/],
	])("asks nobody, and says so, when %s", async (_, change, kind, message) => {
		const { ask, server } = await start(type, [], { baseUrl: undefined, ...change });
		const { failure } = await ask();
		expect(server.requests).toHaveLength(0);
		expect(failure).toMatchObject({ kind, message: expect.stringMatching(message) });
		expect(String(failure)).not.toContain("sk-test");
	});

	it("says that a key is wanted when a server refuses to go without", async () => {
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

it("An OpenAI-compatible model tells what an answer cost, where the provider says it", async () => {
	const { ask } = await start("openai-compatible", [
		["Yes.", { usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.01 } }],
	]);
	const { events } = await ask();
	expect(events).toContainEqual({
		type: "usage",
		usage: { inputTokens: 1, outputTokens: 2, cachedTokens: undefined, costUsd: 0.01 },
	});
});

it("An OpenAI-compatible model makes a thought of what is in a think tag, in whatever pieces it comes", async () => {
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
	["its connection", { cut: true }],
	["an error", { fail: "overloaded" }],
] as const)("A model whose answer is cut by %s tells what it took until then", async (_, fault) => {
	const begun = { data: '{"type":"message_start","message":{"usage":{"input_tokens":7}}}' };
	const { ask } = await start("anthropic", [[begun, "It is ", fault]]);
	const { events, failure } = await ask();
	expect(failure).toMatchObject({ kind: "cut" });
	expect(events.at(-1)).toMatchObject({ type: "usage", usage: { inputTokens: 7 } });
});

it.runIf(isAll)("A model gives up on an answer that does not end", async () => {
	const chunk = JSON.stringify({ padding: "x".repeat(11 * 1024 * 1024) });
	const { ask } = await start("openai-compatible", [times(3, { data: chunk })]);
	const { failure } = await ask();
	expect(failure).toMatchObject({ kind: "malformed", message: expect.stringMatching(/an answer without an end/) });
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

/** A model whose server gives these answers, and how to ask it. Its time moves only for a test, and between two tries. */
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

	/** All that comes of one request. */
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

/** Cuts bytes into pieces of these sizes, over and over. */
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

/** A body that promises more than ever comes. */
function endless(status: number): ModelAnswer {
	return { status, headers: { "content-type": "text/plain", "content-length": "99999999" }, body: "x".repeat(100_000) };
}

function times<T>(count: number, value: T): T[] {
	return Array.from({ length: count }, () => value);
}

function end(reason: ChatEnd): ChatEvent {
	return { type: "end", reason };
}
