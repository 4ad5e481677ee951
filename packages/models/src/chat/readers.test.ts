import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatEvent } from "../events.js";
import type { ModelSettings } from "../settings.js";
import { chatReplyDecoder } from "./chat-model.js";

describe("The OpenAI reader", () => {
	it.each<[what: string, deltas: readonly object[], calls: readonly string[]]>([
		[
			"interleaved deltas with different indices",
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
		["calls with the same id", [call(0, "a", "f", "1"), call(0, "a", "g", "2")], ["a f 1", "a g 2"]],
		["deltas that repeat the id", [call(0, "a", "f", "1"), call(0, "a", "f", "2")], ["a f 12"]],
		["deltas with an empty id", [call(0, "a", "f", "1"), call(0, "", "", "2")], ["a f 12"]],
		["deltas that start without a name", [call(0, "a", undefined, "1"), call(0, undefined, "f", "2")], ["a f 12"]],
	])("reads calls from %s", (_, deltas, calls) => {
		const events = read(...deltas.map((delta) => chunk(delta)), "[DONE]");
		expect(
			events.flatMap((event) => (event.type === "call" ? [`${event.id} ${event.tool} ${event.input}`] : [])),
		).toEqual(calls);
		expect(events.filter(({ type }) => type === "call-begun")).toHaveLength(calls.length);
		expect(events.at(-1)).toEqual({ type: "end", reason: "calls" });
	});

	it("creates ids for calls without one", () => {
		const indices = [0, 1, undefined, undefined];
		const events = read(...indices.map((index) => chunk(call(index, "", "f", "1"))), "[DONE]");
		const ids = events.flatMap((event) => (event.type === "call" ? [event.id] : []));
		expect(new Set(ids).size).toBe(4);
		for (const id of ids) expect(id).toMatch(/^call_[0-9a-f-]{36}$/);
	});

	it.each([
		["ends at [DONE] without a finish reason", [chunk({ content: "a" }), "[DONE]"], "done"],
		["ends after a finish reason without [DONE]", [chunk({ content: "a" }, "stop")], "done"],
		["reports calls even if the reason is stop", [chunk(call(0, "a", "f", "")), chunk({}, "stop"), "[DONE]"], "calls"],
		[
			"reports a truncated reply even if it has calls",
			[chunk(call(0, "a", "f", "")), chunk({}, "length"), "[DONE]"],
			"length",
		],
		["treats an unknown finish reason as done", [chunk({}, "because"), "[DONE]"], "done"],
	])("%s", (_, chunks, reason) => {
		expect(read(...chunks).at(-1)).toEqual({ type: "end", reason });
	});

	it.each<[what: string, content: unknown]>([
		["a string", "It is"],
		["a list of parts", [{ type: "text", text: "It" }, null, { type: "other" }, { type: "text", text: " is" }]],
	])("reads text from %s", (_, content) => {
		expect(read(chunk({ content }), "[DONE]")[0]).toEqual({ type: "text", text: "It is" });
	});

	it.each([
		["with a finish reason", { message: { content: "It is" }, finish_reason: "length" }, "length"],
		["without a finish reason", { message: { content: "It is" } }, "done"],
	])("reads a complete message %s", (_, choice, reason) => {
		const events = read(JSON.stringify({ choices: [choice], usage: { prompt_tokens: 7, completion_tokens: 2 } }));
		expect(events.map(({ type }) => type)).toEqual(["text", "usage", "end"]);
		expect(events.at(-1)).toEqual({ type: "end", reason });
	});

	it("reads calls from a complete message", () => {
		const message = { content: null, ...call(undefined, "a", "f", "1") };
		const events = read(JSON.stringify({ choices: [{ message, finish_reason: "tool_calls" }] }));
		expect(events.map(({ type }) => type)).toEqual(["call-begun", "call", "end"]);
		expect(events.at(-1)).toEqual({ type: "end", reason: "calls" });
	});

	it("treats a reply without a finish reason or [DONE] as incomplete", () => {
		const { reader } = readInto("openai-compatible", chunk({ content: "a" }));
		expect(reader.isWhole).toBe(false);
	});

	it.each([
		["reasoning_content", { reasoning_content: "Hm" }],
		["reasoning", { reasoning: "Hm" }],
		["reasoning_content", { reasoning_content: "Hm", reasoning: "Hm" }],
	])("reads a thought from %s once", (field, delta) => {
		expect(read(chunk(delta), chunk({ content: "a" }), "[DONE]")[0]).toEqual({
			type: "thought",
			text: "Hm",
			signature: `field:${field}`,
		});
	});
});

const TEXT = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It is"}}';

describe("The Anthropic reader", () => {
	it("keeps a redacted thought so that it can be sent back", () => {
		const block = { type: "redacted_thinking", data: "xyz" };
		expect(readInto("anthropic", JSON.stringify({ type: "content_block_start", content_block: block })).events).toEqual(
			[{ type: "thought", text: "", signature: "anthropic-redacted:xyz" }],
		);
	});

	it("reads a call whose input arrives in the start event", () => {
		const { events } = readInto(
			"anthropic",
			'{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"x":1}}}',
			'{"type":"content_block_stop","index":0}',
		);
		expect(events.at(-1)).toEqual({ type: "call", id: "a", tool: "f", input: '{"x":1}' });
	});

	it("reads a complete message with thoughts, calls and usage", () => {
		const content = [
			{ type: "thinking", thinking: "Hm", signature: "xyz" },
			null,
			{ type: "text", text: "It is" },
			{ type: "tool_use", id: "a", name: "f", input: { x: 1 } },
		];
		const usage = { input_tokens: 7, output_tokens: 2 };
		const whole = { type: "message", content, stop_reason: "tool_use", usage };
		const { events, reader } = readInto("anthropic", JSON.stringify(whole));
		expect(reader.isWhole).toBe(true);
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
		["reports the usage of a reply interrupted after it started", [TEXT], [7]],
		["reports no usage for a reply interrupted before it started, which is retried", [], []],
	])("%s", (_, data, reported) => {
		const usage = { input_tokens: 7, output_tokens: 1 };
		const { events } = readInto("anthropic", JSON.stringify({ type: "message_start", message: { usage } }), ...data);
		expect(events.flatMap((event) => (event.type === "usage" ? [event.usage.inputTokens] : []))).toEqual(reported);
	});

	it("counts cache reads and writes as input", () => {
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
	["OpenAI", "openai-compatible"],
	["Anthropic", "anthropic"],
] as const)("The %s reader never throws for valid JSON", (_, type) => {
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
	const { reader, events } = chatReplyDecoder(type);
	for (const one of data) reader.read(one, false);
	reader.close();
	return { reader, events: events.take() };
}

function chunk(delta: object, finish: string | null = null): string {
	return JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
}

function call(index: number | undefined, id: string | undefined, name: string | undefined, input: string): object {
	return { tool_calls: [{ index, id, function: { name, arguments: input } }] };
}
