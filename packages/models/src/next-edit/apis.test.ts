import { brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Api, EditModelSettings } from "../settings.js";
import { feedbackRequest } from "./apis/inception.js";
import { EDIT_APIS } from "./edit-model.js";
import type { ModelPrompt } from "./format.js";

const COMPLETION: ModelPrompt = {
	kind: "completion",
	prompt: "a<mid>",
	stop: ["<end>"],
	tokensMax: 100,
	temperature: 0.2,
};
const FILL: Extract<ModelPrompt, { kind: "fill" }> = {
	kind: "fill",
	prefix: "if (a) {\n\tlog(",
	suffix: ")",
	extra: [{ path: "b.ts", text: "b()" }],
	stop: [],
	tokensMax: 100,
	temperature: 0.2,
};
const CHAT: ModelPrompt = { kind: "chat", system: "Rewrite.", user: "one()", tokensMax: 100, temperature: 0.2 };
const EDIT: ModelPrompt = { kind: "edit", user: "one()", tokensMax: 100 };
const SWEEP: ModelPrompt = { kind: "sweep", body: { file_path: "a.ts", file_contents: "one()" } };
const MESSAGES = [
	{ role: "system", content: "Rewrite." },
	{ role: "user", content: "one()" },
];

describe("A request", () => {
	it.each<[api: Api, what: string, ask: ModelPrompt, path: string, body: object]>([
		[
			"openai",
			"complete",
			COMPLETION,
			"/v1/completions",
			{ model: "small", prompt: "a<mid>", max_tokens: 100, temperature: 0.2, stop: ["<end>"], stream: true },
		],
		[
			"openai",
			"fill in",
			FILL,
			"/v1/completions",
			{ model: "small", prompt: FILL.prefix, suffix: ")", max_tokens: 100, temperature: 0.2, stream: true },
		],
		[
			"openai",
			"answer",
			CHAT,
			"/v1/chat/completions",
			{ model: "small", messages: MESSAGES, stream: true, max_tokens: 100, temperature: 0.2 },
		],
		[
			"ollama",
			"complete",
			COMPLETION,
			"/api/generate",
			{
				model: "small",
				prompt: "a<mid>",
				raw: true,
				stream: true,
				options: { num_predict: 100, temperature: 0.2, stop: ["<end>"], num_ctx: 4096 },
			},
		],
		[
			"ollama",
			"fill in",
			FILL,
			"/api/generate",
			{
				model: "small",
				prompt: FILL.prefix,
				suffix: ")",
				stream: true,
				options: { num_predict: 100, temperature: 0.2, num_ctx: 4096 },
			},
		],
		[
			"ollama",
			"answer",
			CHAT,
			"/api/chat",
			{
				model: "small",
				messages: MESSAGES,
				stream: true,
				think: false,
				options: { num_predict: 100, temperature: 0.2, num_ctx: 4096 },
			},
		],
		[
			"llamacpp",
			"complete",
			COMPLETION,
			"/completion",
			{
				model: "small",
				prompt: "a<mid>",
				n_predict: 100,
				temperature: 0.2,
				stop: ["<end>"],
				stream: true,
				cache_prompt: true,
			},
		],
		[
			"llamacpp",
			"fill in",
			FILL,
			"/infill",
			{
				model: "small",
				samplers: ["top_k", "top_p", "infill"],
				top_k: 40,
				top_p: 0.99,
				t_max_prompt_ms: 500,
				t_max_predict_ms: 1000,
				input_prefix: "if (a) {\n",
				prompt: "\tlog(",
				n_indent: 1,
				input_suffix: ")",
				input_extra: [{ filename: "b.ts", text: "b()" }],
				n_predict: 100,
				temperature: 0.2,
				stream: true,
				cache_prompt: true,
			},
		],
		[
			"llamacpp",
			"answer",
			CHAT,
			"/v1/chat/completions",
			{
				model: "small",
				messages: MESSAGES,
				stream: true,
				chat_template_kwargs: { enable_thinking: false },
				cache_prompt: true,
				max_tokens: 100,
				temperature: 0.2,
			},
		],
		[
			"mistral",
			"fill in",
			FILL,
			"/v1/fim/completions",
			{ model: "small", prompt: FILL.prefix, suffix: ")", max_tokens: 100, temperature: 0.2, stream: true },
		],
		[
			"inception",
			"fill in",
			FILL,
			"/v1/fim/completions",
			{ model: "small", prompt: FILL.prefix, suffix: ")", max_tokens: 100, temperature: 0.2, stream: true },
		],
		[
			"inception",
			"edit",
			EDIT,
			"/v1/edit/completions",
			{ model: "small", messages: [{ role: "user", content: "one()" }], stream: false, max_tokens: 100 },
		],
	])("to the %s API (%s) contains the whole prompt and the key", async (api, _, ask, path, body) => {
		const written = await write(api, ask);
		expect(written?.url).toBe(`http://127.0.0.1:9${path}`);
		expect(written?.body).toEqual(body);
		expect(written?.headers).toEqual({ "content-type": "application/json", authorization: "Bearer key", "x-own": "1" });
	});

	it("to Anthropic has an x-api-key, limits and a temperature, and disables thinking", async () => {
		const written = await write("anthropic", CHAT, { model: "claude-haiku-4-5" });
		expect(written?.url).toBe("http://127.0.0.1:9/v1/messages");
		expect(written?.headers).toMatchObject({ "x-api-key": "key", "x-own": "1" });
		expect(written?.body).toMatchObject({ max_tokens: 100, temperature: 0.2, stream: true });
		expect(written?.body).not.toHaveProperty("thinking");
	});

	it("to an Anthropic model that always thinks asks for low effort", async () => {
		const written = await write("anthropic", CHAT, { model: "claude-opus-5-5" });
		expect(written?.body).toMatchObject({ max_tokens: 2148, output_config: { effort: "low" } });
		expect(written?.body).not.toHaveProperty("temperature");
	});

	it.each<[model: string, baseUrl: string, bounds: object]>([
		["gpt-4.1", "https://api.openai.com/v1", { max_completion_tokens: 100, temperature: 0.2 }],
		["gpt-5-mini", "https://api.openai.com/v1", { max_completion_tokens: 2148, reasoning_effort: "low" }],
		["openai/o4-mini", "https://openrouter.ai/api/v1", { max_completion_tokens: 2148, reasoning_effort: "low" }],
		["gpt-5-chat-latest", "https://api.openai.com/v1", { max_completion_tokens: 100, temperature: 0.2 }],
		["gpt-oss:20b", "http://127.0.0.1:9", { max_tokens: 2148, temperature: 0.2, reasoning_effort: "low" }],
	])("to %s at %s uses the right fields for its limits", async (model, baseUrl, bounds) => {
		const { messages, stream, model: _, ...rest } = (await write("openai", CHAT, { model, baseUrl }))?.body ?? {};
		expect(rest).toEqual(bounds);
	});

	it.each<[what: string, ask: ModelPrompt]>([
		["complete", COMPLETION],
		["fill in", FILL],
		["answer", CHAT],
	])("to Ollama (%s) sets the context size, limited to the most that any format needs", async (_, ask) => {
		for (const [windowTokens, num_ctx] of [
			[2_048, 2_048],
			[8_192, 8_192],
			[131_072, 16_384],
		] as const) {
			const written = await write("ollama", ask, { windowTokens });
			expect(written?.body).toMatchObject({ options: { num_ctx } });
		}
	});

	it("to an Ollama model that always thinks reserves tokens for its thoughts", async () => {
		const { think, options } = (await write("ollama", CHAT, { model: "gpt-oss:20b" }))?.body ?? {};
		expect(think).toBe("low");
		expect(options).toEqual({ num_predict: 2148, temperature: 0.2, num_ctx: 6144 });
	});

	it("to OpenAI has at most four stop sequences, and to other APIs all of them", async () => {
		const stop = ["\n", "<1>", "<2>", "<3>", "<4>"];
		const stopsOf = async (api: Api) => (await write(api, { ...COMPLETION, stop }))?.body.stop;
		expect(await stopsOf("openai")).toEqual(["\n", "<1>", "<2>", "<3>"]);
		expect(await stopsOf("llamacpp")).toEqual(stop);
	});

	it("to Sweep is compressed", async () => {
		const apiRequest = await EDIT_APIS.sweep(SWEEP, settingsOf("sweep"));
		expect(apiRequest?.request.url).toBe("http://127.0.0.1:9/backend/next_edit_autocomplete");
		expect(apiRequest?.request.headers).toMatchObject({ "content-encoding": "br", authorization: "Bearer key" });
		const body = brotliDecompressSync(apiRequest?.request.body as Uint8Array).toString();
		expect(JSON.parse(body)).toEqual({ file_path: "a.ts", file_contents: "one()" });
	});

	it.each<[api: Api, baseUrl: string, ask: ModelPrompt, url: string]>([
		["openai", "http://localhost:1234", COMPLETION, "http://localhost:1234/v1/completions"],
		["openai", "http://localhost:1234/v1/", COMPLETION, "http://localhost:1234/v1/completions"],
		["openai", "https://openrouter.ai/api/v1", COMPLETION, "https://openrouter.ai/api/v1/completions"],
		["openai", "https://api.deepseek.com/beta", FILL, "https://api.deepseek.com/beta/completions"],
		["ollama", "http://localhost:11434/v1", COMPLETION, "http://localhost:11434/api/generate"],
		["ollama", "http://localhost:11434/api", CHAT, "http://localhost:11434/api/chat"],
		["llamacpp", "http://gpu:8080/llama/v1", FILL, "http://gpu:8080/llama/infill"],
		["mistral", "https://codestral.mistral.ai", FILL, "https://codestral.mistral.ai/v1/fim/completions"],
		["sweep", "https://autocomplete.sweep.dev", SWEEP, "https://autocomplete.sweep.dev/backend/next_edit_autocomplete"],
	])("to %s at %s uses the right URL", async (api, baseUrl, ask, url) => {
		const apiRequest = await EDIT_APIS[api](ask, { ...settingsOf(api), baseUrl });
		expect(apiRequest?.request.url).toBe(url);
	});

	it("without a key has no authorization header, and configured headers take precedence", async () => {
		const keyless = await write("openai", COMPLETION, { apiKey: undefined, headers: {} });
		expect(keyless?.headers).toEqual({ "content-type": "application/json" });
		const own = await write("openai", COMPLETION, { headers: { Authorization: "Basic own" } });
		expect(own?.headers).toMatchObject({ authorization: "Basic own" });
	});
});

it.each([
	["https://api.inceptionlabs.ai/v1", "https://api-feedback.inceptionlabs.ai/feedback"],
	["https://api.example.com/v1", "https://api.example.com/feedback"],
	["http://127.0.0.1:9", "http://127.0.0.1:9/feedback"],
])("Feedback for %s goes to %s, without the key", (baseUrl, url) => {
	const request = feedbackRequest({ ...settingsOf("inception"), baseUrl }, "edit-1", "accepted");
	expect(request.url).toBe(url);
	expect(JSON.stringify(request)).not.toContain("key");
});

it("An API returns undefined for prompts it does not support", async () => {
	const supportedBy = async (api: Api) => {
		const asks = [COMPLETION, FILL, CHAT, EDIT, SWEEP];
		const requests = await Promise.all(asks.map((ask) => EDIT_APIS[api](ask, settingsOf(api))));
		return asks.filter((_, i) => requests[i] !== undefined).map(({ kind }) => kind);
	};
	expect(await supportedBy("openai")).toEqual(["completion", "fill", "chat"]);
	expect(await supportedBy("anthropic")).toEqual(["chat"]);
	expect(await supportedBy("ollama")).toEqual(["completion", "fill", "chat"]);
	expect(await supportedBy("llamacpp")).toEqual(["completion", "fill", "chat"]);
	expect(await supportedBy("mistral")).toEqual(["fill", "chat"]);
	expect(await supportedBy("inception")).toEqual(["fill", "chat", "edit"]);
	expect(await supportedBy("sweep")).toEqual(["sweep"]);
});

async function write(api: Api, ask: ModelPrompt, change: Partial<EditModelSettings> = {}) {
	const apiRequest = await EDIT_APIS[api](ask, { ...settingsOf(api), ...change });
	if (apiRequest === undefined) return undefined;
	const { url, headers, body } = apiRequest.request;
	return { url, headers, body: JSON.parse(String(body)) };
}

function settingsOf(api: Api): EditModelSettings {
	return {
		name: "test/small",
		api,
		model: "small",
		baseUrl: "http://127.0.0.1:9",
		apiKey: "key",
		headers: { "x-own": "1" },
		windowTokens: undefined,
		format: undefined,
		tellsVerdicts: false,
	};
}

describe("A fill request to llama.cpp", () => {
	it.each([
		["", "", "", 0],
		["log(", "", "log(", 0],
		["if (a) {\n    log(", "if (a) {\n", "    log(", 4],
		["if (a) {\n", "if (a) {\n", "", 0],
		// On a blank line, the user may still change the indentation.
		["if (a) {\n    ", "if (a) {\n", "    ", 0],
	])("separates the typed part of the line and sends its indentation: %j", async (prefix, before, prompt, n_indent) => {
		const request = (await EDIT_APIS.llamacpp({ ...FILL, prefix }, settingsOf("llamacpp")))?.request;
		expect(JSON.parse(String(request?.body))).toMatchObject({ input_prefix: before, prompt, n_indent });
	});
});
