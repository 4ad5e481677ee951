import { connectByHand, connectPeers, deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ErrorCode, PeerError, RpcError } from "./error.js";
import { notification, on, request } from "./method.js";

const wait = request({ method: "wait", from: "client", params: z.object({}), result: z.string() });
const ask = request({ method: "ask", from: "agent", params: z.object({}), result: z.string() });
const forget = request({ method: "forget", from: "either", params: z.unknown(), result: z.null() });
const note = notification({ method: "note", from: "client", params: z.object({ text: z.string() }) });
const news = notification({ method: "news", from: "agent", params: z.object({}) });

const waitFor = (id: number) => ({ jsonrpc: "2.0", id, method: "wait", params: {} });
const noteOf = (text: string) => ({ jsonrpc: "2.0", method: "note", params: { text } });

describe("the response to a request", () => {
	test("is the RpcError thrown by its handler", async () => {
		const { client } = connectPeers([
			on(wait, () => {
				throw new RpcError(-32002, "not found", { sessionId: "x" });
			}),
		]);
		const error = await client.request(wait, {}).catch((e: unknown) => e);
		expect(error).toBeInstanceOf(RpcError);
		expect(error).toMatchObject({ code: -32002, message: "not found", data: { sessionId: "x" } });
	});

	test.each([
		[
			"thrown synchronously",
			() => {
				throw new Error("key sk-123 at /home/me");
			},
		],
		["thrown asynchronously", () => Promise.reject(new Error("key sk-123 at /home/me"))],
		["caused by a result that is not JSON", () => 1n as unknown as string],
	])("hides any other error: %s", async (_when, handle) => {
		const { hand, problems } = connectByHand([on(wait, handle)]);
		const answers = await hand.write(waitFor(1));
		expect(answers).toEqual([{ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } }]);
		expect(problems).toMatchObject([{ kind: "handler-failed", error: expect.any(Error) }]);
	});

	test("does not forward another peer's error", async () => {
		const { agent, client } = connectPeers(
			[on(wait, () => agent.request(ask, {}))],
			[
				on(ask, () => {
					throw new RpcError(-32001, "invalid key sk-123", { key: "sk-123" });
				}),
			],
		);
		await expect(agent.request(ask, {})).rejects.toBeInstanceOf(PeerError);
		await expect(client.request(wait, {})).rejects.toMatchObject({ code: -32603, message: "Internal error" });
	});

	test("omits error data that is not JSON, and the next request runs", async () => {
		const data: Record<string, unknown> = {};
		data["self"] = data;
		const handlers = [
			on(wait, () => {
				throw new RpcError(-1, "no", data);
			}),
		];
		const { hand } = connectByHand(handlers, { limits: { handlingMax: 1 } });
		expect(await hand.write(waitFor(1), waitFor(2))).toEqual([
			{ jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } },
			{ jsonrpc: "2.0", id: 2, error: { code: -1, message: "no" } },
		]);
	});

	test("is null if there is no value", async () => {
		const { hand } = connectByHand([on(forget, () => null), on(wait, () => undefined as unknown as string)]);
		const answers = await hand.write({ jsonrpc: "2.0", id: 1, method: "forget" }, waitFor(2));
		expect(answers).toEqual([
			{ jsonrpc: "2.0", id: 1, result: null },
			{ jsonrpc: "2.0", id: 2, result: null },
		]);
	});
});

test.each([
	["synchronously", () => "yes"],
	["asynchronously", async () => "yes"],
])("`afterwards` runs right after a response sent %s", async (_title, answer) => {
	const { agent, hand, problems } = connectByHand([
		on(wait, (_params, call) => {
			call.afterwards(() => {
				throw new Error("of no consequence");
			});
			call.afterwards(() => agent.notify(news, {}));
			return answer();
		}),
	]);
	const answers = await hand.write(waitFor(1));
	expect(answers).toMatchObject([{ id: 1, result: "yes" }, { method: "news" }]);
	expect(problems).toMatchObject([{ kind: "handler-failed" }]);
});

test("`afterwards` does not run after an error", async () => {
	const { agent, hand } = connectByHand([
		on(wait, (_params, call) => {
			call.afterwards(() => agent.notify(news, {}));
			throw new RpcError(ErrorCode.invalidParams, "no");
		}),
	]);
	const answers = await hand.write(waitFor(1));
	expect(answers).toMatchObject([{ id: 1, error: { message: "no" } }]);
});

describe("cancellation", () => {
	test("aborts the handler's signal, and is answered with -32800", async () => {
		let aborted = 0;
		const { client } = connectPeers([
			on(wait, (_params, { signal }) => {
				signal.addEventListener("abort", () => aborted++);
				return rejectWhenAborted(signal);
			}),
		]);
		const controller = new AbortController();
		const waited = client.request(wait, {}, controller.signal);
		await settled();
		controller.abort();
		await expect(waited).rejects.toMatchObject({ code: ErrorCode.cancelled });
		expect(aborted).toBe(1);
	});

	test("that the handler ignores does not change the result", async () => {
		const { opened, open } = deferred<string>();
		const { client } = connectPeers([on(wait, () => opened)]);
		const controller = new AbortController();
		const waited = client.request(wait, {}, controller.signal);
		controller.abort();
		await settled();
		open("done anyway");
		expect(await waited).toBe("done anyway");
	});

	test("is visible to a handler that reads its signal only afterwards", async () => {
		const { opened, open } = deferred();
		const { client } = connectPeers([
			on(wait, async (_params, call) => {
				await opened;
				return String(call.signal.aborted);
			}),
		]);
		const controller = new AbortController();
		const waited = client.request(wait, {}, controller.signal);
		controller.abort();
		await settled();
		open();
		expect(await waited).toBe("true");
	});

	test("removes a waiting request, and the messages behind it proceed", async () => {
		const { opened, open } = deferred<string>();
		const notes: string[] = [];
		const handlers = [
			on(wait, () => opened),
			on(note, ({ text }) => {
				notes.push(text);
			}),
		];
		const { hand } = connectByHand(handlers, { limits: { handlingMax: 1 } });
		await hand.write(waitFor(1), waitFor(2), noteOf("behind"));
		expect(notes).toEqual([]);
		const answers = await hand.write({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 2 } });
		expect(answers).toMatchObject([{ id: 2, error: { code: -32800 } }]);
		expect(notes).toEqual(["behind"]);
		open("");
	});
});

describe("a request beyond the handling limit", () => {
	/** An agent whose handlers the test completes, and a log of what they saw. */
	function slowAgent(limits: { handlingMax: number; waitingMax?: number; waitingBytesMax?: number }) {
		const log: string[] = [];
		const gates: (() => void)[] = [];
		const handlers = [
			on(wait, () => {
				log.push("wait");
				const { opened, open } = deferred<string>();
				gates.push(() => open(""));
				return opened;
			}),
			on(note, ({ text }) => {
				log.push(text);
			}),
		];
		return { ...connectByHand(handlers, { limits }), log, gates };
	}

	test("waits, as do the messages behind it, in order", async () => {
		const { hand, log, gates } = slowAgent({ handlingMax: 1 });
		await hand.write(noteOf("a"), waitFor(1), noteOf("b"), waitFor(2), noteOf("c"), noteOf("d"));
		expect(log).toEqual(["a", "wait", "b"]);
		gates[0]?.();
		await settled();
		expect(log).toEqual(["a", "wait", "b", "wait", "c", "d"]);
	});

	test("is answered with a busy error when the queue is full, and no notification is dropped", async () => {
		const { hand, log } = slowAgent({ handlingMax: 1, waitingMax: 2 });
		const answers = await hand.write(waitFor(1), waitFor(2), waitFor(3), waitFor(4));
		expect(answers).toMatchObject([{ id: 4, error: { code: ErrorCode.busy } }]);
		const more = await hand.write(noteOf("a"), noteOf("b"), noteOf("c"));
		expect(more).toMatchObject([
			{ id: 2, error: { code: ErrorCode.busy } },
			{ id: 3, error: { code: ErrorCode.busy } },
		]);
		expect(log).toEqual(["wait", "a", "b", "c"]);
	});

	test("is also limited by the size of the queue", async () => {
		const { hand, log } = slowAgent({ handlingMax: 1, waitingBytesMax: 200 });
		const answers = await hand.write(waitFor(1), waitFor(2), noteOf("x".repeat(300)));
		expect(answers).toMatchObject([{ id: 2, error: { code: ErrorCode.busy } }]);
		expect(log).toEqual(["wait", "x".repeat(300)]);
	});
});

test("a notification whose handler fails is reported, and the next one is handled", async () => {
	const seen: string[] = [];
	const { hand, problems } = connectByHand([
		on(note, ({ text }) => {
			if (text === "bad") throw new Error("no");
			seen.push(text);
		}),
	]);
	expect(await hand.write(noteOf("bad"), noteOf("good"))).toEqual([]);
	expect(seen).toEqual(["good"]);
	expect(problems).toMatchObject([{ kind: "handler-failed", method: "note" }]);
});

function rejectWhenAborted(signal: AbortSignal): Promise<string> {
	return new Promise((_resolve, reject) => {
		signal.addEventListener("abort", () => reject(signal.reason));
	});
}
