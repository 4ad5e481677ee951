import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatEvent } from "../events.js";
import type { ModelSettings } from "../settings.js";
import { chatReplyDecoder } from "./chat-model.js";

describe("An OpenAI-compatible answer", () => {
	it.each<[what: string, deltas: readonly object[], calls: readonly string[]]>([
		[
			"pieces that are told apart by index",
			[
				call(0, "a", "f", ""),
				call(1, "b", "g", ""),
				call(0, undefined, undefined, "1"),
				call(1, undefined, undefined, "2"),
			],
			["a f 1", "b g 2"],
		],
		["calls without an index", [call(undefined, "a", "f", "1"), call(undefined, "b", "g", "2")], ["a f 1", "b g 2"]],
		["calls that all have the same index", [call(0, "a", "f", "1"), call(0, "b", "g", "2")], ["a f 1", "b g 2"]],
		["calls of one id", [call(0, "a", "f", "1"), call(0, "a", "g", "2")], ["a f 1", "a g 2"]],
		["an id that is repeated", [call(0, "a", "f", "1"), call(0, "a", "f", "2")], ["a f 12"]],
		["an empty id in later pieces", [call(0, "a", "f", "1"), call(0, "", "", "2")], ["a f 12"]],
		["a name that comes late", [call(0, "a", undefined, "1"), call(0, undefined, "f", "2")], ["a f 12"]],
	])("has its calls read from %s", (_, deltas, calls) => {
		const events = read(...deltas.map((delta) => chunk(delta)), "[DONE]");
		expect(
			events.flatMap((event) => (event.type === "call" ? [`${event.id} ${event.tool} ${event.input}`] : [])),
		).toEqual(calls);
		expect(events.filter(({ type }) => type === "call-begun")).toHaveLength(calls.length);
		expect(events.at(-1)).toEqual({ type: "end", reason: "calls" });
	});

	it("has ids made for calls that come without", () => {
		const indices = [0, 1, undefined, undefined];
		const events = read(...indices.map((index) => chunk(call(index, "", "f", "1"))), "[DONE]");
		const ids = events.flatMap((event) => (event.type === "call" ? [event.id] : []));
		expect(new Set(ids).size).toBe(4);
		for (const id of ids) expect(id).toMatch(/^call_[0-9a-f-]{36}$/);
	});

	it.each([
		["is done at the last word, even if no reason was given", [chunk({ content: "a" }), "[DONE]"], "done"],
		["is done at the reason, even if no last word comes", [chunk({ content: "a" }, "stop")], "done"],
		["has calls, even if it says stop", [chunk(call(0, "a", "f", "")), chunk({}, "stop"), "[DONE]"], "calls"],
		["was too long, even if it has calls", [chunk(call(0, "a", "f", "")), chunk({}, "length"), "[DONE]"], "length"],
		["is done for a reason that nobody knows", [chunk({}, "because"), "[DONE]"], "done"],
	])("%s", (_, chunks, reason) => {
		expect(read(...chunks).at(-1)).toEqual({ type: "end", reason });
	});

	it.each<[what: string, content: unknown]>([
		["a text", "It is"],
		["a list of parts", [{ type: "text", text: "It" }, null, { type: "other" }, { type: "text", text: " is" }]],
	])("has its text read from %s", (_, content) => {
		expect(read(chunk({ content }), "[DONE]")[0]).toEqual({ type: "text", text: "It is" });
	});

	it.each([
		["which says why it ended", { message: { content: "It is" }, finish_reason: "length" }, "length"],
		["which does not", { message: { content: "It is" } }, "done"],
	])("is read in one piece, %s", (_, choice, reason) => {
		const events = read(JSON.stringify({ choices: [choice], usage: { prompt_tokens: 7, completion_tokens: 2 } }));
		expect(events.map(({ type }) => type)).toEqual(["text", "usage", "end"]);
		expect(events.at(-1)).toEqual({ type: "end", reason });
	});

	it("has its calls read in one piece, too", () => {
		const message = { content: null, ...call(undefined, "a", "f", "1") };
		const events = read(JSON.stringify({ choices: [{ message, finish_reason: "tool_calls" }] }));
		expect(events.map(({ type }) => type)).toEqual(["call-begun", "call", "end"]);
		expect(events.at(-1)).toEqual({ type: "end", reason: "calls" });
	});

	it("is not whole without a reason and a last word", () => {
		const { reading } = readInto("openai-compatible", chunk({ content: "a" }));
		expect(reading.isWhole).toBe(false);
	});

	it.each([
		["reasoning_content", { reasoning_content: "Hm" }],
		["reasoning", { reasoning: "Hm" }],
		["reasoning_content", { reasoning_content: "Hm", reasoning: "Hm" }],
	])("has its thought read from %s once", (field, delta) => {
		expect(read(chunk(delta), chunk({ content: "a" }), "[DONE]")[0]).toEqual({
			type: "thought",
			text: "Hm",
			signature: `field:${field}`,
		});
	});
});

const TEXT = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It is"}}';

describe("An Anthropic answer", () => {
	it("has a thought that nobody may see, to be sent back", () => {
		const block = { type: "redacted_thinking", data: "xyz" };
		expect(readInto("anthropic", JSON.stringify({ type: "content_block_start", content_block: block })).events).toEqual(
			[{ type: "thought", text: "", signature: "anthropic-redacted:xyz" }],
		);
	});

	it("has a call whose input came with its beginning", () => {
		const { events } = readInto(
			"anthropic",
			'{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"x":1}}}',
			'{"type":"content_block_stop","index":0}',
		);
		expect(events.at(-1)).toEqual({ type: "call", id: "a", tool: "f", input: '{"x":1}' });
	});

	it("is read in one piece, with its thoughts, its calls and what it took", () => {
		const content = [
			{ type: "thinking", thinking: "Hm", signature: "xyz" },
			null,
			{ type: "text", text: "It is" },
			{ type: "tool_use", id: "a", name: "f", input: { x: 1 } },
		];
		const usage = { input_tokens: 7, output_tokens: 2 };
		const whole = { type: "message", content, stop_reason: "tool_use", usage };
		const { events, reading } = readInto("anthropic", JSON.stringify(whole));
		expect(reading.isWhole).toBe(true);
		expect(events).toEqual([
			{ type: "thought", text: "Hm", signature: "anthropic:xyz" },
			{ type: "text", text: "It is" },
			{ type: "call-begun", id: "a", tool: "f" },
			{ type: "call", id: "a", tool: "f", input: '{"x":1}' },
			{ type: "usage", usage: { inputTokens: 7, outputTokens: 2, cachedTokens: undefined, costUsd: undefined } },
			{ type: "end", reason: "calls" },
		]);
	});

	it.each([
		["tells what it took, where it broke off after it had begun", [TEXT], [7]],
		["tells nothing, where it broke off before, since it is asked for again", [], []],
	])("%s", (_, data, told) => {
		const usage = { input_tokens: 7, output_tokens: 1 };
		const { events } = readInto("anthropic", JSON.stringify({ type: "message_start", message: { usage } }), ...data);
		expect(events.flatMap((event) => (event.type === "usage" ? [event.usage.inputTokens] : []))).toEqual(told);
	});

	it("counts what was read from the cache and what was written to it as input", () => {
		const usage = { input_tokens: 1, cache_read_input_tokens: 20, cache_creation_input_tokens: 300, output_tokens: 1 };
		const { events } = readInto(
			"anthropic",
			JSON.stringify({ type: "message_start", message: { usage } }),
			JSON.stringify({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } }),
			'{"type":"message_stop"}',
		);
		expect(events[0]).toEqual({
			type: "usage",
			usage: { inputTokens: 321, outputTokens: 7, cachedTokens: 20, costUsd: undefined },
		});
	});
});

it.each([
	["An OpenAI-compatible", "openai-compatible"],
	["An Anthropic", "anthropic"],
] as const)("%s answer of any JSON is read without an error of ours", (_, type) => {
	const key = fc.constantFrom(
		..."type choices delta content tool_calls function usage error index message content_block".split(" "),
	);
	const value = fc.constantFrom(
		"content_block_start",
		"content_block_delta",
		"content_block_stop",
		"message_delta",
		"message",
		"tool_use",
	);
	const { json } = fc.letrec<{ json: unknown }>((tie) => ({
		json: fc.oneof(
			{ depthSize: "medium" },
			fc.constantFrom<unknown>(null, 0, "x", true),
			value,
			fc.dictionary(key, tie("json"), { maxKeys: 4 }),
			fc.array(tie("json"), { maxLength: 3 }),
		),
	}));
	fc.assert(
		fc.property(fc.array(json), (chunks) => void readInto(type, ...chunks.map((chunk) => JSON.stringify(chunk)))),
	);
});

function read(...data: string[]): readonly ChatEvent[] {
	return readInto("openai-compatible", ...data).events;
}

function readInto(type: ModelSettings["type"], ...data: string[]) {
	const { reader: reading, events: gathering } = chatReplyDecoder(type);
	for (const one of data) reading.read(one, false);
	reading.close();
	return { reading, events: gathering.take() };
}

function chunk(delta: object, finish: string | null = null): string {
	return JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
}

function call(index: number | undefined, id: string | undefined, name: string | undefined, input: string): object {
	return { tool_calls: [{ index, id, function: { name, arguments: input } }] };
}
