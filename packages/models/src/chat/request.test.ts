import { describe, expect, it } from "vitest";
import type { ModelSettings } from "../settings.js";
import type { ChatMessage, ChatRequest, Effort } from "./messages.js";
import { writeChatRequest } from "./request.js";

const HI: ChatMessage = { role: "user", parts: [{ type: "text", text: "Hi" }] };
const APIS = ["openai-compatible", "anthropic"] as const;
const CACHED = { cache_control: { type: "ephemeral" } };

describe("A request", () => {
	it("to an OpenAI-compatible server asks for a stream with usage and sends a bearer token", async () => {
		const { url, headers, body } = await write("openai-compatible", {
			tools: [{ name: "f", description: "Does f.", schema: { type: "object" } }],
		});
		expect(url).toBe("http://127.0.0.1:1/v1/chat/completions");
		expect(headers).toMatchObject({ authorization: "Bearer key", "content-type": "application/json", "x-own": "1" });
		expect(body).toEqual({
			model: "small",
			stream: true,
			stream_options: { include_usage: true },
			messages: [
				{ role: "system", content: "Be brief." },
				{ role: "user", content: "Hi" },
			],
			tools: [{ type: "function", function: { name: "f", description: "Does f.", parameters: { type: "object" } } }],
		});
	});

	it("to Anthropic marks blocks for caching and limits the reply", async () => {
		const { url, headers, body } = await write("anthropic", {
			tools: [{ name: "f", description: "Does f.", schema: { type: "object" } }],
		});
		expect(url).toBe("http://127.0.0.1:1/v1/messages");
		expect(headers).toMatchObject({ "x-api-key": "key", "anthropic-version": "2023-06-01", "x-own": "1" });
		expect(body).toEqual({
			model: "small",
			max_tokens: 32_000,
			stream: true,
			system: [{ type: "text", text: "Be brief.", ...CACHED }],
			messages: [{ role: "user", content: [{ type: "text", text: "Hi", ...CACHED }] }],
			tools: [{ name: "f", description: "Does f.", input_schema: { type: "object" } }],
		});
	});

	it.each<[type: ModelSettings["type"], model: string, effort: Effort, expected: object]>([
		["openai-compatible", "small", "low", { reasoning_effort: "low" }],
		["anthropic", "claude-sonnet-4-5", "high", { thinking: { type: "enabled", budget_tokens: 16_384 } }],
		["anthropic", "claude-opus-4-20250514", "low", { thinking: { type: "enabled", budget_tokens: 2048 } }],
		["anthropic", "claude-3-7-sonnet-latest", "medium", { thinking: { type: "enabled", budget_tokens: 8192 } }],
		["anthropic", "claude-opus-4-6", "high", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }],
		["anthropic", "claude-sonnet-5", "low", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
	])("to the %s model %s encodes the effort %s", async (type, model, effort, expected) => {
		const { body } = await write(type, { effort }, { model });
		expect(body).toMatchObject(expected);
	});

	it.each<[what: string, messages: readonly ChatMessage[], openai: unknown, anthropic: unknown]>([
		[
			"a call and its result",
			[HI, assistantCalls("c1"), { role: "tool", results: [{ id: "c1", tool: "f", output: "ok", failed: false }] }],
			[
				{ role: "user", content: "Hi" },
				{ role: "assistant", content: null, tool_calls: [openAiCall("c1", '{"a":1}')] },
				{ role: "tool", tool_call_id: "c1", content: "ok" },
			],
			[
				{ role: "user", content: [{ type: "text", text: "Hi" }] },
				{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: { a: 1 } }] },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "ok", ...CACHED }] },
			],
		],
		[
			"an interrupted call with a result that reports the interruption",
			[assistantCalls("c1"), HI],
			[
				{ role: "assistant", content: null, tool_calls: [openAiCall("c1", '{"a":1}')] },
				{ role: "tool", tool_call_id: "c1", content: expect.stringContaining("interrupted") },
				{ role: "user", content: "Hi" },
			],
			[
				{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: { a: 1 } }] },
				{
					role: "user",
					content: [
						{
							type: "tool_result",
							tool_use_id: "c1",
							content: expect.stringContaining("interrupted"),
							is_error: true,
						},
						{ type: "text", text: "Hi", ...CACHED },
					],
				},
			],
		],
		[
			"no orphaned results and no empty messages",
			[
				{ role: "tool", results: [{ id: "c9", tool: "f", output: "ok", failed: false }] },
				{ role: "assistant", parts: [{ type: "text", text: " \n" }] },
				{ role: "user", parts: [] },
				HI,
			],
			[{ role: "user", content: "Hi" }],
			[{ role: "user", content: [{ type: "text", text: "Hi", ...CACHED }] }],
		],
		[
			"an input that is not a JSON object, wrapped in one",
			[assistantCalls("c1", '{"a": oops'), HI],
			expect.arrayContaining([
				{ role: "assistant", content: null, tool_calls: [openAiCall("c1", '{"input":"{\\"a\\": oops"}')] },
			]),
			expect.arrayContaining([
				{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: { input: '{"a": oops' } }] },
			]),
		],
		[
			"thoughts from this turn, only to the provider they came from",
			[
				HI,
				{
					role: "assistant",
					parts: [
						{ type: "thought", text: "A", signature: "anthropic:sig" },
						{ type: "thought", text: "", signature: "anthropic-redacted:xyz" },
						{ type: "thought", text: "B", signature: "field:reasoning" },
						{ type: "thought", text: "C", signature: undefined },
						{ type: "text", text: "Hm" },
					],
				},
			],
			[
				{ role: "user", content: "Hi" },
				{ role: "assistant", content: "Hm", reasoning: "B" },
			],
			[
				{ role: "user", content: [{ type: "text", text: "Hi" }] },
				{
					role: "assistant",
					content: [
						{ type: "thinking", thinking: "A", signature: "sig" },
						{ type: "redacted_thinking", data: "xyz" },
						{ type: "text", text: "Hm", ...CACHED },
					],
				},
			],
		],
		[
			"thoughts from earlier turns, only to Anthropic",
			[
				{
					role: "assistant",
					parts: [
						{ type: "thought", text: "A", signature: "anthropic:sig" },
						{ type: "thought", text: "B", signature: "field:reasoning_content" },
						{ type: "text", text: "Hm" },
					],
				},
				HI,
			],
			[
				{ role: "assistant", content: "Hm" },
				{ role: "user", content: "Hi" },
			],
			[
				{
					role: "assistant",
					content: [
						{ type: "thinking", thinking: "A", signature: "sig" },
						{ type: "text", text: "Hm" },
					],
				},
				{ role: "user", content: [{ type: "text", text: "Hi", ...CACHED }] },
			],
		],
		[
			"an image",
			[{ role: "user", parts: [{ type: "image", mediaType: "image/png", base64: "aGk=" }] }],
			[{ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }] }],
			[
				{
					role: "user",
					content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" }, ...CACHED }],
				},
			],
		],
	])("contains %s", async (_, messages, openai, anthropic) => {
		expect((await write("openai-compatible", { messages, system: "" })).body["messages"]).toEqual(openai);
		expect((await write("anthropic", { messages, system: "" })).body["messages"]).toEqual(anthropic);
	});

	it.each(APIS)("with an unsupported attachment fails with a message (%s)", async (type) => {
		const image = { type: "image", mediaType: "application/x-odd", base64: "aGk=" } as const;
		const written = write(type, { messages: [{ role: "user", parts: [image] }] });
		const message =
			"Cannot create a request for test/small: attachments of type application/x-odd are not supported, only images. Start a new thread, or choose another model.";
		await expect(written).rejects.toMatchObject({ name: "ModelFailure", kind: "refused", message });
	});

	it.each<[type: ModelSettings["type"], url: string]>([
		["openai-compatible", "https://api.openai.com/v1/chat/completions"],
		["anthropic", "https://api.anthropic.com/v1/messages"],
	])("without a base URL goes to the default %s server, ignoring the environment", async (type, url) => {
		process.env["ANTHROPIC_BASE_URL"] = "http://evil.example/v1";
		process.env["ANTHROPIC_API_KEY"] = "not-ours";
		try {
			const written = await write(type, {}, { baseUrl: undefined, apiKey: undefined });
			expect(written.url).toBe(url);
			expect(written.headers).not.toHaveProperty("x-api-key");
			expect(written.headers).not.toHaveProperty("authorization");
		} finally {
			delete process.env["ANTHROPIC_BASE_URL"];
			delete process.env["ANTHROPIC_API_KEY"];
		}
	});
});

async function write(
	type: ModelSettings["type"],
	request: Partial<ChatRequest>,
	settings: Partial<ModelSettings> = {},
): Promise<{ url: string; headers: Readonly<Record<string, string>>; body: Record<string, unknown> }> {
	const { url, headers, body } = writeChatRequest(
		{
			name: "test/small",
			model: "small",
			type,
			baseUrl: "http://127.0.0.1:1/v1/",
			apiKey: "key",
			headers: { "x-own": "1" },
			windowTokens: undefined,
			takesImages: true,
			...settings,
		},
		{ system: "Be brief.", messages: [HI], tools: [], effort: undefined, ...request },
	);
	return { url, headers, body: JSON.parse(body) };
}

function assistantCalls(id: string, input = '{"a": 1}'): ChatMessage {
	return { role: "assistant", parts: [{ type: "call", id, tool: "f", input }] };
}

function openAiCall(id: string, input: string): unknown {
	return { id, type: "function", function: { name: "f", arguments: input } };
}
