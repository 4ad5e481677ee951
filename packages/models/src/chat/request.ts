import type { LanguageModelV3, LanguageModelV3FunctionTool, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { unwritableRequest } from "../failure.js";
import type { HttpRequest } from "../http-request.js";
import { baseUrlOf, type ModelSettings } from "../settings.js";
import { conversationOf } from "./conversation.js";
import type { ChatRequest, Effort, ToolDescription } from "./messages.js";

/**
 * Long enough for a whole file, and a bound for a model that repeats itself. Where a model is known to write less, the
 * provider's package lowers it.
 */
const OUTPUT_TOKENS_MAX = 32_000;

/** How an answer is to be written, where that is not left to the model. */
export interface OutputLimits {
	/** Of what it says; thoughts are not counted. */
	readonly tokensMax: number;
	readonly temperature: number;
}

/** Room for the thoughts of a model that cannot answer without any, and is told to keep them short. */
export const THOUGHT_TOKENS_MAX = 2_048;

/** What Anthropic's older models may think, in tokens; 1,024 is the least that they take. */
const THINKING_TOKENS: Readonly<Record<Effort, number>> = { low: 2_048, medium: 8_192, high: 16_384 };

/**
 * Has the provider's package write a request: it knows what each model takes, and throws a `ModelFailure` for what
 * it does not. It does not get to send it. Its reading of the
 * answer costs four times as much for each chunk as the bare stream, so that sending and reading are our own.
 */
export async function writeChatRequest(
	settings: ModelSettings,
	request: ChatRequest,
	writing?: OutputLimits,
): Promise<HttpRequest & { readonly body: string }> {
	let written: (HttpRequest & { readonly body: string }) | undefined;
	const model = await openModel(settings, async (url, init) => {
		written = { url: String(url), headers: headersOf(init?.headers), body: String(init?.body) };
		return new Response("", { headers: { "content-type": "text/event-stream" } });
	});
	try {
		await model.doStream({
			prompt: conversationOf(request, settings),
			tools: request.tools.map(toolOf),
			providerOptions: optionsOf(settings, request.effort, writing),
			...(settings.type === "anthropic" && { maxOutputTokens: OUTPUT_TOKENS_MAX }),
			...(writing !== undefined && {
				maxOutputTokens: writing.tokensMax + (request.effort === undefined ? 0 : THOUGHT_TOKENS_MAX),
				temperature: writing.temperature,
			}),
		});
	} catch (error) {
		throw unwritableRequest(settings, error);
	}
	if (written === undefined) throw new Error(`the package for ${settings.type} wrote no request`);
	return written;
}

async function openModel(settings: ModelSettings, fetch: typeof globalThis.fetch): Promise<LanguageModelV3> {
	const { model, headers } = settings;
	const baseURL = baseUrlOf(settings);
	// Without a key of ours the packages would look for one in the environment. An empty one is not sent.
	const apiKey = settings.apiKey ?? "";
	if (settings.type === "anthropic") {
		const { createAnthropic } = await import("@ai-sdk/anthropic");
		return createAnthropic({ baseURL, apiKey, headers, fetch })(model);
	}
	const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
	return createOpenAICompatible({ name: OPENAI, baseURL, apiKey, headers, fetch, includeUsage: true })(model);
}

function headersOf(headers: RequestInit["headers"]): Record<string, string> {
	return Object.fromEntries([...new Headers(headers)].filter(([, value]) => value !== ""));
}

function toolOf({ name, description, schema }: ToolDescription): LanguageModelV3FunctionTool {
	return { type: "function", name, description, inputSchema: schema };
}

function optionsOf(
	{ type, model }: ModelSettings,
	effort: Effort | undefined,
	writing: OutputLimits | undefined,
): SharedV3ProviderOptions {
	if (type === "openai-compatible") return effort === undefined ? {} : { [OPENAI]: { reasoningEffort: effort } };
	// A call's input that comes early may be no JSON, and nobody shows it before it is whole.
	const calls = { toolStreaming: false };
	if (effort === undefined) return { anthropic: calls };
	// Who bounds what is written does not wait for thoughts, so they are not switched on; some models have them anyway.
	if (writing !== undefined) return { anthropic: { ...calls, effort } };
	return thinksByBudget(model)
		? { anthropic: { ...calls, thinking: { type: "enabled", budgetTokens: THINKING_TOKENS[effort] } } }
		: { anthropic: { ...calls, thinking: { type: "adaptive", display: "summarized" }, effort } };
}

/** True for models up to Claude 4.5, which are told how much to think in tokens. Later ones are told the effort. */
export function thinksByBudget(model: string): boolean {
	if (/claude-3/.test(model)) return true;
	const four = /claude-[a-z]+-4(?:-(\d{1,2}))?(?!\d)/.exec(model);
	return four !== null && Number(four[1] ?? 0) <= 5;
}

/** The name under which the package for OpenAI-compatible servers takes its options. */
const OPENAI = "openaiCompatible";
