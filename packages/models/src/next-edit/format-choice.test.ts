import { FormatRequest, readPromptInput } from "@segue/testing/models/prompt-input";
import { expect, test } from "vitest";
import type { Api } from "../settings.js";
import type { ModelPrompt } from "./format.js";
import { chooseFormat, formatObjection } from "./format-choice.js";
import { FORMATS } from "./formats.js";

test.each<[model: string, api: Api, format: string | undefined]>([
	["zed-industries/zeta", "openai", "zeta-1"],
	["zeta", "ollama", "zeta-1"],
	["hf.co/bartowski/zed-industries_zeta-GGUF:Q4_K_M", "ollama", "zeta-1"],
	["zeta-GGUF:Q2_K", "ollama", "zeta-1"],
	["zeta1", "ollama", "zeta-1"],
	["zeta-1:latest", "ollama", "zeta-1"],
	["zeta-1-q8_0.gguf", "llamacpp", "zeta-1"],
	["zeta-1b", "openai", "chat"],
	["zeta-12b", "openai", "chat"],
	["zed-industries/zeta-2", "openai", "zeta-2"],
	["zeta2:latest", "ollama", "zeta-2"],
	["zed-industries_zeta-2-Q5_K_M.gguf", "llamacpp", "zeta-2"],
	["zeta-2.1.Q8_0", "llamacpp", "zeta-2.1"],
	["ZETA-2.1", "openai", "zeta-2.1"],
	["zeta-2-1", "ollama", "zeta-2.1"],
	["zeta_2_1-Q8_0.gguf", "llamacpp", "zeta-2.1"],
	["zeta2-1:latest", "ollama", "zeta-2.1"],
	["zeta-2-16k", "ollama", "zeta-2"],
	["zeta-2", "anthropic", "chat"],
	["sweepai/sweep-next-edit-1.5B", "openai", "sweep"],
	["sweep-next-edit-0.5b.q8_0.gguf", "llamacpp", "sweep"],
	["sweep-next-edit-1.5b.q8_0.v2.gguf", "llamacpp", "sweep"],
	["sweep-next-edit-v2-7B-Q5_K_M", "llamacpp", "sweep-v2"],
	["sweep-next-edit-v2-7b.q8_0.v2.gguf", "llamacpp", "sweep-v2"],
	["sweep-next-edit", "sweep", "sweep-local"],
	["", "sweep", "sweep-local"],
	["continuedev/instinct", "openai", "instinct"],
	["nate/instinct:latest", "ollama", "instinct"],
	["mercury-edit-2", "inception", "mercury"],
	["mercury-coder", "inception", "mercury"],
	["inception/mercury-coder", "openai", "chat"],
	["mercury-2", "inception", "chat"],
	["xtab-275", "openai", "xtab"],
	["nep-3b", "openai", "nep"],
	["nep-3b", "mistral", "nep-chat"],
	["codestral-latest", "mistral", "fill"],
	["codestral-2508", "mistral", "fill"],
	["codestral-latest", "anthropic", "chat"],
	["mistralai/Codestral-22B-v0.1", "openai", "fim-codestral"],
	["codestral:22b-v0.1-q4_0", "ollama", "fim-codestral"],
	["codestral-mamba-latest", "mistral", "chat"],
	["codestral-embed", "mistral", undefined],
	["devstral-small-2507", "mistral", "chat"],
	["qwen2.5-coder:7b-base", "ollama", "fim-qwen"],
	["qwen2.5-coder:1.5b", "ollama", "fim-qwen"],
	["Qwen/Qwen2.5-Coder-7B", "openai", "fim-qwen"],
	["hf.co/unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:UD-Q4_K_XL", "ollama", "fim-qwen"],
	["/models/qwen2.5-coder-3b-q8_0.gguf", "llamacpp", "fim-qwen"],
	["C:\\models\\Qwen2.5-Coder-14B-Q4_K_M.gguf", "llamacpp", "fim-qwen"],
	["qwen2.5-coder:7b", "anthropic", "chat"],
	["qwen/qwen3-coder-plus", "openai", "chat"],
	["codeqwen:7b-code-v1.5-q4_0", "ollama", "fim-starcoder"],
	["ByteDance-Seed/Seed-Coder-8B-Base", "openai", "fim-seed"],
	["Seed-Coder-8B-Instruct", "openai", "chat"],
	["bigcode/starcoder2-3b", "openai", "fim-starcoder"],
	["starcoder2:7b-q4_K_M", "ollama", "fim-starcoder"],
	["starcoder2-15b-instruct-v0.1", "openai", "chat"],
	["stable-code:3b-code-q4_0", "ollama", "fim-starcoder"],
	["deepseek-coder:6.7b-base", "ollama", "fim-deepseek"],
	["deepseek-ai/DeepSeek-Coder-V2-Lite-Base", "openai", "fim-deepseek"],
	["deepseek-coder-v2:16b-lite-base-q4_0", "ollama", "fim-deepseek"],
	["deepseek-chat", "openai", "chat"],
	["deepseek-r1:14b", "ollama", "chat"],
	["codellama:7b-code", "ollama", "fim-codellama"],
	["codellama/CodeLlama-13b-hf", "openai", "fim-codellama"],
	["codellama:34b-instruct", "ollama", "chat"],
	["codellama:7b-python", "ollama", "chat"],
	["ibm-granite/granite-8b-code-base-4k", "openai", "fim-granite"],
	["granite-code:8b", "ollama", "fim-granite"],
	["granite3.3:8b", "ollama", "fim-granite"],
	["granite3.1-dense:8b", "ollama", "chat"],
	["ibm-granite/granite-4.0-h-tiny", "openai", "fim-granite-4"],
	["granite4:3b-h", "ollama", "fim-granite-4"],
	["JetBrains/Mellum-4b-sft-all", "openai", "fim-mellum"],
	["mellum-4b-dpo-all.Q8_0.gguf", "llamacpp", "fim-mellum"],
	["JetBrains/Mellum2-12B-A2.5B-Instruct", "openai", "chat"],
	["google/codegemma-2b", "openai", "fim-codegemma"],
	["codegemma:7b-code-q4_K_M", "ollama", "fim-codegemma"],
	["codegemma-7b-it", "openai", "chat"],
	["zai-org/GLM-4.5-Air-Base", "openai", "fim-glm"],
	["glm-4.6", "openai", "chat"],
	["claude-sonnet-4-5-20250929", "anthropic", "chat"],
	["gpt-4.1-mini", "openai", "chat"],
	["openai/gpt-oss-20b", "openai", "chat"],
	["gpt-oss-20b-mxfp4.gguf", "llamacpp", "chat"],
	["Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llamacpp", "chat"],
	["Mistral-7B-Instruct-v0.3.Q4_K_M.gguf", "llamacpp", "chat"],
	["ministral-8b-latest", "mistral", "chat"],
	["qwen3:30b", "ollama", "chat"],
	["gemma3n:latest", "ollama", "chat"],
	["model.gguf", "llamacpp", "fill"],
	["default", "llamacpp", "fill"],
	["my-own-model", "openai", "chat"],
	["my-own-model", "ollama", "chat"],
	["text-embedding-3-small", "openai", undefined],
	["nomic-embed-text:latest", "ollama", undefined],
	["bge-m3", "ollama", undefined],
])("chooses by name: %s with the %s API uses %s", (model, api, format) => {
	expect(chooseFormat({ model, api, baseUrl: "http://127.0.0.1:8000/v1" })).toBe(format);
});

const DEEPSEEK = "https://api.deepseek.com";

test.each<[model: string, baseUrl: string, format: string, api?: Api]>([
	["deepseek-chat", `${DEEPSEEK}/beta`, "fill"],
	["deepseek-v4-flash", `${DEEPSEEK}/beta/`, "fill"],
	["deepseek-v4-pro", "https://API.DeepSeek.com/beta", "fill"],
	["deepseek-coder-v2", `${DEEPSEEK}/beta`, "fill"],
	["deepseek-reasoner", `${DEEPSEEK}/beta`, "chat"],
	// Only the beta endpoint accepts a suffix.
	["deepseek-chat", DEEPSEEK, "chat"],
	["deepseek-chat", `${DEEPSEEK}/v1`, "chat"],
	["deepseek-chat", `${DEEPSEEK}/betamax`, "chat"],
	["deepseek-v4-pro", `${DEEPSEEK}/anthropic`, "chat", "anthropic"],
	// A name without a size means the largest model, which is served only for chat.
	["qwen/qwen3-coder", "https://openrouter.ai/api/v1", "chat"],
	["qwen/qwen3-coder:free", "https://openrouter.ai/api/v1", "chat"],
	["qwen/qwen3-coder-30b-a3b-instruct", "https://openrouter.ai/api/v1", "fim-qwen"],
	["qwen3-coder", "http://127.0.0.1:11434/v1", "fim-qwen", "ollama"],
	// The hosted API counts positions in bytes; the published server does not.
	["sweep", "https://autocomplete.sweep.dev", "sweep-api", "sweep"],
	["sweep", "https://Autocomplete.Sweep.dev:443/", "sweep-api", "sweep"],
	["sweep", "http://127.0.0.1:8081", "sweep-local", "sweep"],
	["sweep", "https://sweep.dev.example.org", "sweep-local", "sweep"],
	// The same weights hosted on other servers.
	["deepseek-chat", "https://openrouter.ai/api/v1", "chat"],
	["deepseek-chat", "https://api.deepseek.com.example.org/beta", "chat"],
	["deepseek-coder-v2", "http://127.0.0.1:8000/v1", "fim-deepseek"],
])("chooses by address: %s at %s uses %s", (model, baseUrl, format, api = "openai") => {
	expect(chooseFormat({ model, api, baseUrl })).toBe(format);
});

const SERVERS = {
	completion: ["openai", "ollama", "llamacpp"],
	fill: ["openai", "ollama", "llamacpp", "mistral", "inception"],
	chat: ["openai", "anthropic", "ollama", "llamacpp", "mistral", "inception"],
	edit: ["inception"],
	sweep: ["sweep"],
} as const satisfies Record<ModelPrompt["kind"], readonly Api[]>;

test.each([...FORMATS])("%s can be used with APIs that support its prompts", (name, format) => {
	const { kind } = new FormatRequest(format, readPromptInput("let a = ▮")).question.ask;
	const apis = ["openai", "anthropic", "ollama", "llamacpp", "mistral", "inception", "sweep"] as const;
	expect(apis.filter((api) => formatObjection(name, api) === undefined)).toEqual(SERVERS[kind]);
});

test("the message for a rejected format lists the supported formats", () => {
	expect(formatObjection("fill", "ollama")).toBeUndefined();
	expect(formatObjection("fim-qwen", "anthropic")).toBe(
		'The format "fim-qwen" cannot be used with the api "anthropic", which supports: instinct, xtab, chat, nep-chat.',
	);
	expect(formatObjection("zeta-9", "sweep")).toBe(
		'Unknown format "zeta-9". The api "sweep" supports: sweep-api, sweep-local.',
	);
});
