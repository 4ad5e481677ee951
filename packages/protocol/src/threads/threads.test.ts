import { on, type ParamsOf, type ResultOf } from "@segue/rpc";
import { connectByHand, readMessagePart, settled } from "@segue/testing/rpc/peers";
import { describe, expect, expectTypeOf, test } from "vitest";
import examples from "./examples.json" with { type: "json" };
import * as threads from "./index.js";

type Name = keyof typeof threads.messages;
type Part = "params" | "result";

describe("examples", () => {
	test.each(examples.map((example, index) => [index, example.message, example.part, example.value] as const))(
		"round-trip unchanged: %i, %s %s",
		(_index, name, part, value) => {
			expect(JSON.stringify(readMessagePart(threads.messages[name as Name], part as Part, value))).toBe(
				JSON.stringify(value),
			);
		},
	);

	test("cover the params and result of every message", () => {
		const covered = new Set(examples.map(({ message, part }) => `${message} ${part}`));
		const expected = Object.keys(threads.messages).flatMap((name) => [`${name} params`, `${name} result`]);
		expect([...covered].sort()).toEqual(expected.sort());
	});
});

describe("message schemas", () => {
	const file = { threadId: "t", path: "a" };

	test.each<[string, Name, Part, unknown, unknown]>([
		["missing params", "getThreads", "params", undefined, null],
		["an empty object for empty params", "createThread", "params", {}, null],
		["an empty object for an empty result", "sendMessage", "result", {}, null],
		["unknown members", "stat", "params", { ...file, x: 1 }, { ...file, x: 1 }],
		[
			"a version beyond 2^53",
			"readTextFile",
			"result",
			{ version: 2 ** 60, content: "" },
			{ version: 2 ** 60, content: "" },
		],
	])("accept %s", (_title, name, part, value, expected) => {
		expect(readMessagePart(threads.messages[name], part, value)).toEqual(expected);
	});

	test.each<[string, Name, Part, unknown]>([
		["a missing thread id", "openThread", "params", {}],
		["null for required params", "openThread", "params", null],
		["a negative offset", "readTextFile", "params", { ...file, lineOffset: -1 }],
		["a line limit beyond 32 bits", "readTextFile", "params", { ...file, lineLimit: 2 ** 32 }],
		["a fractional byte offset", "readBinaryFile", "params", { ...file, byteOffset: 0.5 }],
		["an unknown role", "sendMessage", "params", { threadId: "t", message: { role: "system", chunks: [] } }],
		[
			"a chunk that is not text",
			"streamMessageChunk",
			"params",
			{ threadId: "t", chunk: { type: "image", chunk: "" } },
		],
		["an entry of an unknown type", "getThreadEntries", "result", { entries: [{ type: "smell" }] }],
	])("reject %s", (_title, name, part, value) => {
		expect(readMessagePart(threads.messages[name], part, value)).toBeUndefined();
	});

	test("infer the types of params and results", () => {
		expectTypeOf<ParamsOf<typeof threads.getThreads>>().toBeNull();
		expectTypeOf<ResultOf<typeof threads.getThreadEntries>["entries"]>().toEqualTypeOf<threads.ThreadEntry[]>();
	});
});

describe("wire format", () => {
	test("numbers requests from 0 on both sides, sends null for empty params, and names the invalid field", async () => {
		const handlers = [
			on(threads.createThread, () => ({ threadId: "t" })),
			on(threads.openThread, () => null),
			on(threads.sendMessage, () => null),
		];
		const { agent, hand } = connectByHand(handlers, { dialect: threads.dialect });
		const message = { role: "user", chunks: [{ type: "text", chunk: 5 }] };
		const responses = await hand.write(
			{ id: 0, method: "createThread" },
			{ id: 1, method: "openThread", params: { threadId: "t" } },
			{ id: 2, method: "sendMessage", params: { threadId: "t", message } },
			{ id: 3, method: "nonExistentMethod", params: null },
			"{ oops",
		);
		expect(responses).toEqual([
			{ id: 0, result: { threadId: "t" } },
			{ id: 1, result: null },
			{
				id: 2,
				error: {
					code: -32602,
					message: "Invalid params: params.message.chunks[0].chunk: expected string, got number",
				},
			},
			{ id: 3, error: { code: -32601, message: "Method not found - 'nonExistentMethod'" } },
			{ id: null, error: { code: -32700, message: "Parse error: the message is not JSON" } },
		]);
		const request = agent.request(threads.getThreads, null);
		await settled();
		expect(hand.received.at(-1)).toEqual({ id: 0, method: "getThreads", params: null });
		await hand.write({ id: 0, result: { threads: [] } });
		expect(await request).toEqual({ threads: [] });
	});
});
