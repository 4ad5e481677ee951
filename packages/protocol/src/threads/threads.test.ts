import { on, type ParamsOf, type ResultOf } from "@segue/rpc";
import { connectByHand, readMessagePart, settled } from "@segue/testing/rpc/peers";
import { describe, expect, expectTypeOf, test } from "vitest";
import examples from "./examples.json" with { type: "json" };
import * as threads from "./index.js";

type Name = keyof typeof threads.messages;
type Part = "params" | "result";

describe("the examples", () => {
	test.each(examples.map((example, index) => [index, example.message, example.part, example.value] as const))(
		"are read and written back as they are: %i, %s %s",
		(_index, name, part, value) => {
			expect(JSON.stringify(readMessagePart(threads.messages[name as Name], part as Part, value))).toBe(
				JSON.stringify(value),
			);
		},
	);

	test("cover every message, both ways", () => {
		const covered = new Set(examples.map(({ message, part }) => `${message} ${part}`));
		const expected = Object.keys(threads.messages).flatMap((name) => [`${name} params`, `${name} result`]);
		expect([...covered].sort()).toEqual(expected.sort());
	});
});

describe("a message", () => {
	const file = { threadId: "t", path: "a" };

	test.each<[string, Name, Part, unknown, unknown]>([
		["has no params", "getThreads", "params", undefined, null],
		["has empty params where there are none", "createThread", "params", {}, null],
		["is answered with an object where there is nothing to say", "sendMessage", "result", {}, null],
		["has members that are not known here", "stat", "params", { ...file, x: 1 }, { ...file, x: 1 }],
		[
			"has a version past 2^53",
			"readTextFile",
			"result",
			{ version: 2 ** 60, content: "" },
			{ version: 2 ** 60, content: "" },
		],
	])("is read though it %s", (_title, name, part, value, expected) => {
		expect(readMessagePart(threads.messages[name], part, value)).toEqual(expected);
	});

	test.each<[string, Name, Part, unknown]>([
		["names no thread", "openThread", "params", {}],
		["has no params where there are some", "openThread", "params", null],
		["has an offset below 0", "readTextFile", "params", { ...file, lineOffset: -1 }],
		["has a line past 32 bits", "readTextFile", "params", { ...file, lineLimit: 2 ** 32 }],
		["has half a byte for an offset", "readBinaryFile", "params", { ...file, byteOffset: 0.5 }],
		["has a role that nobody has", "sendMessage", "params", { threadId: "t", message: { role: "system", chunks: [] } }],
		[
			"has a chunk that is no text",
			"streamMessageChunk",
			"params",
			{ threadId: "t", chunk: { type: "image", chunk: "" } },
		],
		["has an entry of no known type", "getThreadEntries", "result", { entries: [{ type: "smell" }] }],
	])("is refused when it %s", (_title, name, part, value) => {
		expect(readMessagePart(threads.messages[name], part, value)).toBeUndefined();
	});

	test("has the types that its schema says", () => {
		expectTypeOf<ParamsOf<typeof threads.getThreads>>().toBeNull();
		expectTypeOf<ResultOf<typeof threads.getThreadEntries>["entries"]>().toEqualTypeOf<threads.ThreadEntry[]>();
	});
});

describe("the wire", () => {
	test("has ids from 0 both ways, params of null where there are none, and errors that name the wrong field", async () => {
		const handlers = [
			on(threads.createThread, () => ({ threadId: "t" })),
			on(threads.openThread, () => null),
			on(threads.sendMessage, () => null),
		];
		const { agent, hand } = connectByHand(handlers, { dialect: threads.dialect });
		const message = { role: "user", chunks: [{ type: "text", chunk: 5 }] };
		const answers = await hand.write(
			{ id: 0, method: "createThread" },
			{ id: 1, method: "openThread", params: { threadId: "t" } },
			{ id: 2, method: "sendMessage", params: { threadId: "t", message } },
			{ id: 3, method: "nonExistentMethod", params: null },
			"{ oops",
		);
		expect(answers).toEqual([
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
		const asked = agent.request(threads.getThreads, null);
		await settled();
		expect(hand.received.at(-1)).toEqual({ id: 0, method: "getThreads", params: null });
		await hand.write({ id: 0, result: { threads: [] } });
		expect(await asked).toEqual({ threads: [] });
	});
});
