import { FakeClock } from "@segue/testing/clock";
import { acpDialect, connectByHand, connectPeers, deferred, recordTap, settled } from "@segue/testing/rpc/peers";
import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { type Channel, memoryPair, type Receiver } from "./channel.js";
import { Connection } from "./connection.js";
import { ConnectionError, RpcError } from "./error.js";
import { LIMITS, type Limits } from "./limits.js";
import { type Call, type Handler, notification, on, request } from "./method.js";

const add = request({
	method: "add",
	from: "client",
	params: z.object({ numbers: z.array(z.number()) }),
	result: z.number(),
});
const wait = request({ method: "wait", from: "client", params: z.object({}), result: z.string() });
const ask = request({ method: "ask", from: "agent", params: z.object({}), result: z.string() });
const note = notification({ method: "note", from: "client", params: z.object({ text: z.string() }) });

const cancelledError = { code: -32800, message: "Request cancelled" };

const sum = on(add, ({ numbers }) => numbers.reduce((a, b) => a + b, 0));

describe("a request", () => {
	test("is answered with the handler's result, synchronous or asynchronous", async () => {
		const { client } = connectPeers([sum, on(wait, async () => "later")]);
		expect(await client.request(add, { numbers: [1, 2] })).toBe(3);
		expect(await client.request(wait, {})).toBe("later");
	});

	test("can be sent in both directions at the same time with the same id", async () => {
		const { agent, client } = connectPeers(
			[on(wait, async () => `agent: ${await agent.request(ask, {})}`)],
			[on(ask, () => "client")],
		);
		expect(await client.request(wait, {})).toBe("agent: client");
	});

	test("is typed by params, result and direction", () => {
		const { client } = connectPeers([sum]);
		expectTypeOf(client.request<{ numbers: number[] }, number>).returns.resolves.toBeNumber();
		// @ts-expect-error: the params of another message
		const wrongParams = () => client.request(add, { text: "" });
		// @ts-expect-error: a message that only the agent sends
		const wrongSide = () => client.request(ask, {});
		// @ts-expect-error: the promise would not be awaited
		const asynchronous = () => on(note, async () => {});
		expect([wrongParams, wrongSide, asynchronous]).toHaveLength(3);
	});
});

describe("bad input", () => {
	const envelope = (message: object) => ({ jsonrpc: "2.0", ...message });
	const invalid = (text: string, id: unknown = null) => [[id, -32600, `Invalid request: ${text}`]];

	test.each<[string, unknown, unknown[]]>([
		["malformed JSON", '{"jsonrpc":', [[null, -32700, "Parse error: the message is not JSON"]]],
		["a message that is not an object", "5", invalid("a message must be an object")],
		["null", "null", invalid("a message must be an object")],
		["a batch", [envelope({ id: 1, method: "add" })], invalid("batches are not supported")],
		["an empty object", {}, invalid('"jsonrpc" must be "2.0"')],
		["another envelope", { id: 1, method: "add" }, invalid('"jsonrpc" must be "2.0"', 1)],
		[
			"a method that is not a string",
			envelope({ id: 1, method: 5 }),
			invalid('"method" must be a string of at most 256 characters', 1),
		],
		[
			"params that are neither object nor array",
			envelope({ id: 1, method: "add", params: 5 }),
			invalid('"params" must be an object, an array or null', 1),
		],
		[
			"a null id",
			envelope({ id: null, method: "add" }),
			invalid('"id" must be a string of at most 256 characters, or a safe number'),
		],
		[
			"an id that is an object",
			envelope({ id: {}, method: "add" }),
			invalid('"id" must be a string of at most 256 characters, or a safe number'),
		],
		[
			"an id past 2^53",
			'{"jsonrpc":"2.0","id":9007199254740993,"method":"add"}',
			invalid('"id" must be a string of at most 256 characters, or a safe number'),
		],
		[
			"an id that is too long",
			envelope({ id: "x".repeat(257), method: "add" }),
			invalid('"id" must be a string of at most 256 characters, or a safe number'),
		],
		[
			"a message without a method",
			envelope({ id: 5, params: {} }),
			invalid('"method" must be a string of at most 256 characters', 5),
		],
		[
			"a method that is too long",
			envelope({ id: 5, method: "x".repeat(257) }),
			invalid('"method" must be a string of at most 256 characters', 5),
		],
		["an unknown request", envelope({ id: 1, method: "nope" }), [[1, -32601, "Method not found: nope"]]],
		[
			"a request for a notification's method",
			envelope({ id: 1, method: "note" }),
			[[1, -32601, "Method not found: note"]],
		],
		[
			"params of the wrong type",
			envelope({ id: 1, method: "add", params: { numbers: [1, "secret"] } }),
			[[1, -32602, "Invalid params: params.numbers[1]: expected number, got string"]],
		],
		[
			"params that lack a field",
			envelope({ id: "a", method: "add", params: {} }),
			[["a", -32602, "Invalid params: params.numbers: expected array, got nothing"]],
		],
		[
			"no params",
			envelope({ id: 1, method: "add" }),
			[[1, -32602, "Invalid params: params: expected object, got nothing"]],
		],
	])("gets an error response, and the connection continues: %s", async (_title, message, expected) => {
		const { hand, problems } = connectByHand([sum, on(note, () => {})]);
		const text = typeof message === "string" ? message : JSON.stringify(message);
		const answers = (await hand.write(text)) as { id: unknown; error: { code: number; message: string } }[];
		expect(answers.map(({ id, error }) => [id, error.code, error.message])).toEqual(expected);
		// An error response without an id is hard to interpret, so the problem is also reported on this side.
		const named = answers.filter(({ id }) => id !== null);
		expect(problems.map(({ kind }) => kind)).toEqual(named.length > 0 ? [] : ["unreadable"]);
		expect(await hand.write(envelope({ id: 7, method: "add", params: { numbers: [7] } }))).toEqual([
			{ jsonrpc: "2.0", id: 7, result: 7 },
		]);
	});

	test("is not validated in a request that is not admitted", async () => {
		const refusal = new RpcError(-32600, "not yet");
		let isOpen = false;
		const { hand } = connectByHand([sum], { admit: (method) => (isOpen || method === "first" ? undefined : refusal) });
		const requests = [
			envelope({ id: 1, method: "add", params: { numbers: "many" } }),
			envelope({ id: 2, method: "nope" }),
			envelope({ id: 3, method: "first" }),
		];
		const codes = (answers: unknown[]) => (answers as { error: RpcError }[]).map(({ error }) => error.code);
		expect(codes(await hand.write(...requests))).toEqual([-32600, -32600, -32601]);
		isOpen = true;
		expect(codes(await hand.write(...requests))).toEqual([-32602, -32601, -32601]);
	});

	test("can be handled by a fallback for requests", async () => {
		const echo = request({ method: "_echo", from: "either", params: z.unknown(), result: z.unknown() });
		const { hand } = connectByHand([sum], {
			fallback: (method) =>
				method.startsWith("_") ? on({ ...echo, method }, (params) => ({ method, params })) : undefined,
		});
		const answers = await hand.write(
			envelope({ id: 1, method: "_any", params: { a: 1 } }),
			envelope({ id: 2, method: "any" }),
			envelope({ id: 3, method: "add", params: { numbers: [1, 2] } }),
		);
		expect(answers).toMatchObject([
			{ id: 1, result: { method: "_any", params: { a: 1 } } },
			{ id: 2, error: { code: -32601 } },
			{ id: 3, result: 3 },
		]);
	});

	test("can be handled by a fallback for notifications", async () => {
		const received: unknown[] = [];
		const { hand, problems } = connectByHand([sum], {
			fallback: (method, kind) => {
				if (kind === "request" || !method.startsWith("_")) return undefined;
				const news = notification({ method, from: "either", params: z.unknown() });
				return on(news, (params) => void received.push({ method, params }));
			},
		});
		const answers = await hand.write(
			envelope({ method: "_any", params: { a: 1 } }),
			envelope({ id: 1, method: "_any" }),
			envelope({ method: "any" }),
		);
		expect(received).toEqual([{ method: "_any", params: { a: 1 } }]);
		expect(answers).toMatchObject([{ id: 1, error: { code: -32601 } }]);
		expect(problems.map(({ kind }) => kind)).toEqual(["unknown-notification"]);
	});

	test.each<[string, unknown, string]>([
		["an unknown notification", envelope({ method: "nope" }), "unknown-notification"],
		["a notification for a request's method", envelope({ method: "add" }), "unknown-notification"],
		["a notification with bad params", envelope({ method: "note", params: { text: 5 } }), "bad-notification"],
		["a response to an unknown request", envelope({ id: 99, result: 1 }), "unknown-response"],
		[
			"an error for an unknown request",
			envelope({ id: null, error: { code: -32700, message: "?" } }),
			"unknown-response",
		],
		["a cancellation of an unknown request", envelope({ method: "$/cancel_request", params: { requestId: 99 } }), ""],
		["a cancellation without params", envelope({ method: "$/cancel_request" }), ""],
	])("without a response is reported: %s", async (_title, message, kind) => {
		const { hand, problems } = connectByHand([sum, on(note, () => {})]);
		expect(await hand.write(message)).toEqual([]);
		expect(problems.map((problem) => problem.kind)).toEqual(kind === "" ? [] : [kind]);
	});

	test.each([
		[
			"throws",
			() => {
				throw new Error("sk-1");
			},
		],
		[
			"is asynchronous",
			async () => {
				throw new Error("sk-1");
			},
		],
	])("is reported if a schema %s, and the connection continues", async (_how, validate) => {
		const odd = { "~standard": { version: 1 as const, vendor: "odd", validate: validate as never } };
		const oddRequest = request({ method: "odd", from: "client", params: odd, result: z.null() });
		const oddNote = notification({ method: "oddNote", from: "client", params: odd });
		const oddAnswer = request({ method: "ask", from: "agent", params: z.object({}), result: odd });
		const { agent, hand, problems } = connectByHand([on(oddRequest, () => null), on(oddNote, () => {}), sum]);
		const failed = agent.request(oddAnswer, {}).catch((error: unknown) => error);
		const answers = await hand.write(
			envelope({ id: 1, method: "odd", params: {} }),
			envelope({ method: "oddNote", params: {} }),
			envelope({ id: 0, result: "x" }),
			envelope({ id: 2, method: "add", params: { numbers: [2] } }),
		);
		expect(answers.slice(-2)).toEqual([
			envelope({ id: 1, error: { code: -32602, message: "Invalid params: params: cannot be validated" } }),
			envelope({ id: 2, result: 2 }),
		]);
		expect(problems).toEqual([{ kind: "bad-notification", method: "oddNote", text: "params: cannot be validated" }]);
		expect(await failed).toMatchObject({ kind: "bad-result" });
	});

	test.each<[string, z.ZodType, unknown, string]>([
		[
			"a number that is too small",
			z.object({ a: z.number().min(1) }),
			{ a: 0 },
			"params.a: expected at least 1, got number",
		],
		[
			"a number that is too large",
			z.object({ a: z.number().max(1) }),
			{ a: 2 },
			"params.a: expected at most 1, got number",
		],
		[
			"a value outside an enum",
			z.object({ a: z.enum(["x", "y"]) }),
			{ a: "z" },
			'params.a: expected "x" or "y", got string',
		],
		["another format", z.object({ a: z.uuid() }), { a: "z" }, "params.a: expected the format uuid, got string"],
		[
			"a wrong value in a map",
			z.record(z.string(), z.number()),
			{ "/home/me\n": "" },
			"params[…]: expected number, got string",
		],
	])("gets a response that states what was expected: %s", async (_title, params, sent, expected) => {
		const checked = request({ method: "checked", from: "client", params, result: z.null() });
		const { hand } = connectByHand([on(checked, () => null)]);
		const answers = await hand.write(envelope({ id: 1, method: "checked", params: sent }));
		expect(answers).toMatchObject([{ error: { code: -32602, message: `Invalid params: ${expected}` } }]);
	});

	test("is never quoted in an error", async () => {
		const strict = request({
			method: "strict",
			from: "client",
			params: z.strictObject({ kind: z.enum(["a"]), map: z.record(z.string(), z.number()) }),
			result: z.null(),
		});
		const { hand } = connectByHand([on(strict, () => null)]);
		for (const params of [
			{ kind: "sk-1", map: {} },
			{ kind: "a", map: {}, "sk-1": 1 },
			{ kind: "a", map: { a: "sk-1" } },
			{ kind: "a", map: { "sk-1": "" } },
		]) {
			expect(JSON.stringify(await hand.write(envelope({ id: 1, method: "strict", params })))).not.toContain("sk-1");
		}
	});

	test("includes a second request with an id that is in flight", async () => {
		const { opened, open } = deferred<string>();
		const { hand } = connectByHand([on(wait, () => opened)]);
		const message = envelope({ id: 1, method: "wait", params: {} });
		expect(await hand.write(message, message)).toMatchObject([{ id: 1, error: { code: -32600 } }]);
		open("done");
		await settled();
		expect(hand.received.at(-1)).toEqual({ jsonrpc: "2.0", id: 1, result: "done" });
		expect(await hand.write(message)).toEqual([{ jsonrpc: "2.0", id: 1, result: "done" }]);
	});
});

test("the bare envelope is written without a jsonrpc member or error data, and read with or without the member", async () => {
	const bare = {
		...acpDialect,
		envelope: "bare" as const,
		methodNotFound: (name: string) => `Method not found - '${name}'`,
	};
	const handlers = [
		sum,
		on(wait, () => {
			throw new RpcError(-1, "no", { more: 1 });
		}),
	];
	const { agent, hand } = connectByHand(handlers, { dialect: bare });
	const answers = await hand.write(
		{ id: 0, method: "add", params: { numbers: [1] } },
		{ jsonrpc: "2.0", id: 1, method: "add", params: { numbers: [2] } },
		{ id: 2, method: "wait", params: {} },
		{ id: 3, method: "nope", params: null },
		{ method: "add", params: { numbers: [3] } },
		"{",
	);
	expect(answers).toEqual([
		{ id: 0, result: 1 },
		{ id: 1, result: 2 },
		{ id: 2, error: { code: -1, message: "no" } },
		{ id: 3, error: { code: -32601, message: "Method not found - 'nope'" } },
		{ id: null, error: { code: -32600, message: 'Invalid request: a request must have an "id"' } },
		{ id: null, error: { code: -32700, message: "Parse error: the message is not JSON" } },
	]);
	const answered = agent.request(ask, {});
	await settled();
	expect(hand.received.at(-1)).toEqual({ id: 0, method: "ask", params: {} });
	await hand.write({ id: 0, result: "yes" });
	expect(await answered).toBe("yes");
});

test("a dialect can add members to every error without hiding the error's own", async () => {
	const dialect = { ...acpDialect, errorMembers: { type: "error", code: 0, message: "other" } };
	const refuse = on(wait, () => {
		throw new RpcError(-1, "no", { more: 1 });
	});
	const { hand } = connectByHand([sum, refuse], { dialect });
	const answers = await hand.write(
		{ jsonrpc: "2.0", id: 0, method: "wait", params: {} },
		{ jsonrpc: "2.0", id: 1, method: "nope" },
		{ jsonrpc: "2.0", id: 2, method: "add", params: {} },
		{ jsonrpc: "2.0", id: 3, method: "add", params: { numbers: [3] } },
	);
	expect(answers).toEqual([
		{ jsonrpc: "2.0", id: 0, error: { type: "error", code: -1, message: "no", data: { more: 1 } } },
		{ jsonrpc: "2.0", id: 1, error: { type: "error", code: -32601, message: "Method not found: nope" } },
		{ jsonrpc: "2.0", id: 2, error: { type: "error", code: -32602, message: expect.stringMatching("numbers") } },
		{ jsonrpc: "2.0", id: 3, result: 3 },
	]);
});

test.each([
	["invalid JSON", "{"],
	["a batch", "[]"],
	["a request without a usable id", { jsonrpc: "2.0", id: {}, method: "add" }],
])("a dialect can leave unreadable input unanswered: %s", async (_title, message) => {
	const { hand, problems } = connectByHand([sum], { dialect: { ...acpDialect, answersUnreadable: false } });
	expect(await hand.write(message)).toEqual([]);
	expect(problems).toMatchObject([{ kind: "unreadable" }]);
	// A request with a usable id still gets a response.
	expect(await hand.write({ id: 4, method: "add" })).toMatchObject([{ id: 4, error: { code: -32600 } }]);
});

test("cancellation uses the protocol's method and field", async () => {
	const dialect = { ...acpDialect, cancel: { method: "$/cancelRequest", idField: "id" } };
	const rejected = ({ signal }: Call) =>
		new Promise<string>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
	const { agent, hand } = connectByHand([on(wait, (_params, call) => rejected(call))], { dialect });
	const answers = await hand.write(
		{ jsonrpc: "2.0", id: "a", method: "wait", params: {} },
		{ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: "a" } },
	);
	expect(answers).toMatchObject([{ id: "a", error: { code: -32800 } }]);
	const controller = new AbortController();
	agent.request(ask, {}, controller.signal).catch(() => {});
	controller.abort();
	await settled();
	expect(hand.received.at(-1)).toEqual({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 0 } });
});

describe("a closed connection", () => {
	test("rejects pending requests, aborts handlers and reports the reason", async () => {
		const signals: AbortSignal[] = [];
		const { agent, hand } = connectByHand([
			on(wait, (_params, { signal }) => {
				signals.push(signal);
				return new Promise<string>(() => {});
			}),
		]);
		const failed = agent.request(ask, {}).catch((error: unknown) => error);
		await hand.write({ jsonrpc: "2.0", id: 1, method: "wait", params: {} });
		await hand.end();
		const error = await failed;
		expect(error).toBeInstanceOf(ConnectionError);
		expect(error).toMatchObject({ kind: "closed", message: "ask has no answer: the other side closed the connection" });
		expect(signals.map((signal) => signal.aborted)).toEqual([true]);
		expect(await agent.closed).toEqual({ by: "other", reason: "the other side closed the connection" });
		await expect(agent.request(ask, {})).rejects.toThrow("the connection is closed");
	});

	test("counts as drained, as does a connection whose peer has read most of the output", async () => {
		const clock = new FakeClock();
		const channel = { open: () => {}, send: () => {}, unwrittenBytes: 0, close: () => {}, drop: () => {} };
		const options = { dialect: acpDialect, handlers: [], report: () => {}, after: clock.after };
		const agent = new Connection<"agent">(channel, options);
		let drained = 0;
		const wait = async () => {
			void agent.drained().then(() => drained++);
			await settled();
		};
		channel.unwrittenBytes = LIMITS.drainedBytesMax;
		await wait();
		expect(drained).toBe(1);
		channel.unwrittenBytes++;
		await wait();
		clock.advance(1_000);
		await settled();
		expect(drained).toBe(1);
		channel.unwrittenBytes--;
		clock.advance(10);
		await settled();
		expect(drained).toBe(2);
		channel.unwrittenBytes++;
		await wait();
		agent.close();
		clock.advance(10);
		await settled();
		expect(drained).toBe(3);
	});

	test("resolves `closed` when the output is written, or after a timeout", async () => {
		for (const isRead of [true, false]) {
			const clock = new FakeClock();
			const done: (() => void)[] = [];
			let isDropped = false;
			const channel = {
				open: () => {},
				send: () => {},
				unwrittenBytes: 0,
				close: (written: () => void) => done.push(written),
				drop: () => {
					isDropped = true;
				},
			};
			const options = { dialect: acpDialect, handlers: [], report: () => {}, after: clock.after };
			const agent = new Connection<"agent">(channel, options);
			let isOver = false;
			agent.closed.then(
				() => {
					isOver = true;
				},
				() => {},
			);
			agent.close();
			await settled();
			expect(isOver).toBe(false);
			if (isRead) done[0]?.();
			else clock.advance(LIMITS.flushMsMax);
			await settled();
			expect([isOver, isDropped]).toEqual([true, !isRead]);
		}
	});

	test("is noticed by a peer that opens its end later", async () => {
		const [a, b] = memoryPair();
		a.drop();
		const options = { dialect: acpDialect, handlers: [], report: () => {} };
		expect(await new Connection<"agent">(b, options).closed).toMatchObject({ by: "other" });
	});

	test("handles nothing more, not even the message during which a tap closed it", async () => {
		const seen: string[] = [];
		const { agent, hand } = connectByHand([
			on(note, ({ text }) => {
				seen.push(text);
			}),
		]);
		agent.tap(() => agent.close());
		await hand.write({ jsonrpc: "2.0", method: "note", params: { text: "late" } });
		expect(seen).toEqual([]);
	});

	test("can be closed once, by either side, and sends nothing more", async () => {
		const { opened, open } = deferred<string>();
		const { agent, hand } = connectByHand([on(wait, () => opened)]);
		await hand.write({ jsonrpc: "2.0", id: 1, method: "wait", params: {} });
		agent.close();
		agent.close("again");
		open("too late");
		await settled();
		expect(hand.received).toEqual([]);
		expect(hand.closedWith).toBe("the other side closed the connection");
		expect(await agent.closed).toEqual({ by: "us", reason: "this side closed the connection" });
	});
});

describe("a connection whose peer has ended its output", () => {
	/** Connects to a peer that sends nothing more but still reads. */
	function connectEnding(handlers: readonly Handler<"client" | "either">[], limits: Partial<Limits> = {}) {
		const clock = new FakeClock();
		const sent: unknown[] = [];
		let receiver: Receiver | undefined;
		const channel: Channel = {
			open: (given) => {
				receiver = given;
			},
			send: (text) => sent.push(JSON.parse(text)),
			unwrittenBytes: 0,
			close: (done) => {
				sent.push("the end");
				done();
			},
			drop: () => {},
		};
		const options = { dialect: acpDialect, report: () => {}, after: clock.after, limits };
		const agent = new Connection<"agent">(channel, { ...options, handlers });
		const write = (id: number) => receiver?.message(JSON.stringify({ jsonrpc: "2.0", id, method: "wait", params: {} }));
		return { agent, clock, sent, write, end: () => receiver?.ended?.("it ended") };
	}
	const answer = (id: number, result: string) => ({ jsonrpc: "2.0", id, result });

	test("closes immediately if nothing is left to answer", async () => {
		const { agent, sent, end } = connectEnding([]);
		end();
		expect(await agent.closed).toEqual({ by: "other", reason: "it ended" });
		expect(sent).toEqual(["the end"]);
	});

	test("answers earlier requests, including waiting ones, and then closes", async () => {
		const gates = [deferred<string>(), deferred<string>()];
		let begun = 0;
		const { agent, sent, write, end } = connectEnding([on(wait, () => gates[begun++]?.opened ?? "")], {
			handlingMax: 1,
		});
		write(1);
		write(2);
		end();
		gates[0]?.open("one");
		await settled();
		expect(sent).toEqual([answer(1, "one")]);
		gates[1]?.open("two");
		expect(await agent.closed).toEqual({ by: "other", reason: "it ended" });
		expect(sent).toEqual([answer(1, "one"), answer(2, "two"), "the end"]);
	});

	test("sends messages from `afterwards`", async () => {
		const { agent, sent, write, end } = connectEnding([
			on(wait, async (_params, call) => {
				call.afterwards(() => sent.push("behind"));
				return "one";
			}),
		]);
		write(1);
		end();
		await agent.closed;
		expect(sent).toEqual([answer(1, "one"), "behind", "the end"]);
	});

	test("rejects new and pending requests of its own", async () => {
		const { agent, sent, write, end } = connectEnding([
			on(wait, () => agent.request(ask, {}).catch((error: ConnectionError) => error.message)),
		]);
		write(1);
		end();
		await expect(agent.request(ask, {})).rejects.toThrow("ask has no answer: it ended");
		await agent.closed;
		expect(sent.slice(1)).toEqual([answer(1, "ask has no answer: it ended"), "the end"]);
	});

	test("cancels a request with `isTalk` and sends its response, or a cancellation if it has not started", async () => {
		const talk = ({ signal }: Call) =>
			new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("cancelled")));
		const handlers = [on(wait, (_params, call) => talk(call), { isTalk: true })];
		const { agent, sent, write, end } = connectEnding(handlers, { handlingMax: 1 });
		write(1);
		write(2);
		end();
		await agent.closed;
		expect(sent).toEqual([
			expect.objectContaining({ id: 2, error: cancelledError }),
			answer(1, "cancelled"),
			"the end",
		]);
	});

	test("cancels requests that take too long, and closes without their responses", async () => {
		const signals: AbortSignal[] = [];
		const { agent, clock, sent, write, end } = connectEnding([
			on(wait, (_params, { signal }) => {
				signals.push(signal);
				return new Promise<string>(() => {});
			}),
		]);
		write(1);
		end();
		clock.advance(LIMITS.lastAnswersMsMax - 1);
		await settled();
		expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
		clock.advance(1);
		await agent.closed;
		expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
		expect(sent).toEqual(["the end"]);
	});
});

describe("the limits", () => {
	test("are large enough for the largest file and normal use", () => {
		expect(LIMITS).toMatchObject({ messageBytesMax: 32 * 2 ** 20, handlingMax: 64 });
	});

	test("never block responses: all handlers can wait for the peer at the same time", async () => {
		const { agent, client } = connectPeers([on(wait, () => agent.request(ask, {}))], [on(ask, async () => "answer")], {
			limits: { handlingMax: 4 },
		});
		const requests = Array.from({ length: 50 }, () => client.request(wait, {}));
		expect(new Set(await Promise.all(requests))).toEqual(new Set(["answer"]));
	});
});

describe("a tap", () => {
	test("sees all messages in both directions, before and after handling, with the time", async () => {
		const clock = new FakeClock();
		const { agent, hand } = connectByHand([sum], { now: clock.now });
		const seen: Parameters<typeof recordTap>[0] = [];
		const also: typeof seen = [];
		agent.tap(recordTap(seen));
		const stop = agent.tap(recordTap(also));
		clock.advance(5);
		const sent = '{"jsonrpc":"2.0","id":1,"method":"add","params":{"numbers":[1]}}';
		const answered = '{"jsonrpc":"2.0","id":1,"result":1}';
		await hand.write(sent, "{");
		expect(seen.slice(0, 4)).toEqual([
			{ direction: "in", phase: "before", atMs: 5, text: sent },
			{ direction: "out", phase: "before", atMs: 5, text: answered },
			{ direction: "out", phase: "after", atMs: 5, text: answered },
			{ direction: "in", phase: "after", atMs: 5, text: sent },
		]);
		expect(seen[4]).toMatchObject({ direction: "in", text: "{" });
		expect(also).toEqual(seen);
		stop();
		await hand.write("5");
		expect(also).toHaveLength(8);
		expect(seen).toHaveLength(12);
	});

	test("that throws is reported and does no harm", async () => {
		const { agent, hand, problems } = connectByHand([sum]);
		agent.tap(() => {
			throw new Error("no");
		});
		const answers = await hand.write({ jsonrpc: "2.0", id: 1, method: "add", params: { numbers: [1] } });
		expect(answers).toEqual([{ jsonrpc: "2.0", id: 1, result: 1 }]);
		expect(new Set(problems.map((problem) => problem.kind))).toEqual(new Set(["tap-failed"]));
	});
});

test("a `report` that throws does no harm", async () => {
	const seen: string[] = [];
	const [a, b] = memoryPair();
	const handlers = [
		on(note, ({ text }) => {
			if (text === "bad") throw new Error("no");
			seen.push(text);
		}),
	];
	const report = () => {
		throw new Error("no log");
	};
	new Connection<"agent">(a, { dialect: acpDialect, handlers, report });
	const client = new Connection<"client">(b, { dialect: acpDialect, handlers: [], report });
	client.notify(note, { text: "bad" });
	client.notify(note, { text: "good" });
	await settled();
	expect(seen).toEqual(["good"]);
});

test("throws if a method has two handlers", () => {
	expect(() => connectByHand([sum, sum])).toThrow("two handlers for add");
});
