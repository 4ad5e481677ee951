import { type HttpRequest, headersFor } from "../http-request.js";
import { baseUrlOf, type ModelSettings } from "../settings.js";
import { inputOf, type OrderedMessage, orderedMessages } from "./conversation.js";
import type { ChatRequest, Effort, ImagePart, OutputLimits } from "./messages.js";
import { readSignature } from "./thoughts.js";

/** Large enough for a whole file, but limits a model that repeats itself. Lowered for models with a smaller maximum. */
const OUTPUT_TOKENS_MAX = 32_000;

/** Thinking budgets for Anthropic's older models. The API's minimum is 1,024. */
const THINKING_TOKENS: Readonly<Record<Effort, number>> = { low: 2_048, medium: 8_192, high: 16_384 };

/** Creates a request to Anthropic's Messages API. Throws an `Error` if the API does not accept an attachment. */
export function anthropicRequest(
	settings: ModelSettings,
	request: ChatRequest,
	limits: OutputLimits | undefined,
): HttpRequest & { readonly body: string } {
	const { model } = settings;
	const { takesTemperature, outputTokensMax } = capabilitiesOf(model);
	const { effort, system, tools } = request;
	// Requests with an output limit need a quick reply, so thinking stays off. Some models think anyway.
	const thinking = limits === undefined && effort !== undefined ? thinkingOf(model, effort) : undefined;
	const tokens = (limits?.tokensMax ?? OUTPUT_TOKENS_MAX) + (thinking?.budget_tokens ?? 0);
	const body = {
		model,
		max_tokens: Math.min(tokens, outputTokensMax ?? tokens),
		temperature: limits && takesTemperature ? Math.max(0, Math.min(limits.temperature, 1)) : undefined,
		thinking,
		output_config: effort === undefined || thinking?.type === "enabled" ? undefined : { effort },
		system: system === "" ? undefined : [{ type: "text", text: system, ...CACHED }],
		messages: messagesOf(orderedMessages(request.messages)),
		tools:
			tools.length === 0
				? undefined
				: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
		stream: true,
	};
	return { url: urlOf(settings), headers: headersOf(settings, request), body: JSON.stringify(body) };
}

function urlOf(settings: ModelSettings): string {
	const base = baseUrlOf(settings).replace(/\/$/, "");
	return `${base === "https://api.anthropic.com" ? `${base}/v1` : base}/messages`;
}

function headersOf(settings: ModelSettings, { tools }: ChatRequest): Record<string, string> {
	const { apiKey, model } = settings;
	const headers = headersFor(settings, {
		"content-type": "application/json",
		"anthropic-version": "2023-06-01",
		...(apiKey !== undefined && { "x-api-key": apiKey }),
	});
	const configured = (headers["anthropic-beta"] ?? "").toLowerCase().split(",");
	const betas = [
		...(tools.length > 0 && capabilitiesOf(model).takesStrictTools ? ["structured-outputs-2025-11-13"] : []),
		...configured.map((beta) => beta.trim()).filter((beta) => beta !== ""),
	];
	return betas.length === 0 ? headers : { ...headers, "anthropic-beta": [...new Set(betas)].join(",") };
}

type Thinking =
	| { readonly type: "enabled"; readonly budget_tokens: number }
	| { readonly type: "adaptive"; readonly budget_tokens?: undefined; readonly display: "summarized" };

function thinkingOf(model: string, effort: Effort): Thinking {
	return thinksByBudget(model)
		? { type: "enabled", budget_tokens: THINKING_TOKENS[effort] }
		: { type: "adaptive", display: "summarized" };
}

/** Whether the model accepts a thinking budget in tokens (up to Claude 4.5). Later models accept an effort level. */
export function thinksByBudget(model: string): boolean {
	if (/claude-3/.test(model)) return true;
	const four = /claude-[a-z]+-4(?:-(\d{1,2}))?(?!\d)/.exec(model);
	return four !== null && Number(four[1] ?? 0) <= 5;
}

interface Capabilities {
	/** Undefined if unknown. */
	readonly outputTokensMax: number | undefined;
	readonly takesTemperature: boolean;
	/** Whether a request with tools sends the beta header for strict tools. */
	readonly takesStrictTools: boolean;
}

const UNKNOWN: Capabilities = { outputTokensMax: undefined, takesTemperature: true, takesStrictTools: false };

/** Capabilities by model name. The first matching pattern wins. */
const MODELS: readonly (readonly [RegExp, Capabilities])[] = [
	[/claude-(?:opus-4-[78]|(?:sonnet|opus|fable)-5|haiku-5-5)/, known(128_000, false, true)],
	[/claude-(?:sonnet|opus)-4-6/, known(128_000, true, true)],
	[/claude-(?:sonnet|opus|haiku)-4-5/, known(64_000, true, true)],
	[/claude-opus-4-1/, known(32_000, true, true)],
	[/claude-sonnet-4-/, known(64_000, true, false)],
	[/claude-opus-4-/, known(32_000, true, false)],
	[/claude-3-haiku/, known(4_096, true, false)],
	[/claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/, UNKNOWN],
	// Unknown models are probably new, so treat them like the newest.
	[/claude-/, { outputTokensMax: undefined, takesTemperature: false, takesStrictTools: true }],
];

function known(outputTokensMax: number, takesTemperature: boolean, takesStrictTools: boolean): Capabilities {
	return { outputTokensMax, takesTemperature, takesStrictTools };
}

function capabilitiesOf(model: string): Capabilities {
	return MODELS.find(([pattern]) => pattern.test(model))?.[1] ?? UNKNOWN;
}

/** Makes Anthropic cache the prompt up to this block. */
const CACHED = { cache_control: { type: "ephemeral" } };

interface Message {
	readonly role: "user" | "assistant";
	readonly content: readonly Block[];
}

type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

/**
 * Converts messages and marks the last block for caching. Merges adjacent messages with the same role, because roles
 * must alternate.
 */
function messagesOf(ordered: readonly OrderedMessage[]): Message[] {
	const messages = ordered
		.map(
			(message): Message => ({
				role: message.role === "assistant" ? "assistant" : "user",
				content: blocksOf(message),
			}),
		)
		.filter(({ content }) => content.length > 0);
	const last = messages.pop();
	if (last !== undefined) messages.push(withCacheMark(last));
	const joined: Message[] = [];
	for (const { role, content } of messages) {
		const before = joined.at(-1);
		if (before?.role === role) joined[joined.length - 1] = { role, content: [...before.content, ...content] };
		else joined.push({ role, content });
	}
	return joined.map(({ role, content }) => ({ role, content: role === "assistant" ? callsLast(content) : content }));
}

function blocksOf(message: OrderedMessage): Block[] {
	switch (message.role) {
		case "user":
			return message.parts.map((part) => (part.type === "text" ? { type: "text", text: part.text } : imageOf(part)));
		case "tool":
			return message.results.map(({ id, output, failed }) => ({
				...{ type: "tool_result", tool_use_id: id, content: output },
				...(failed && { is_error: true }),
			}));
		case "assistant":
			return message.parts.flatMap((part): Block[] => {
				if (part.type === "text") return [{ type: "text", text: part.text }];
				if (part.type === "call") return [{ type: "tool_use", id: part.id, name: part.tool, input: inputOf(part) }];
				const signature = readSignature(part.signature);
				if (signature?.of === "anthropic")
					return [{ type: "thinking", thinking: part.text, signature: signature.value }];
				return signature?.of === "anthropic-redacted" ? [{ type: "redacted_thinking", data: signature.value }] : [];
			});
	}
}

function imageOf({ mediaType, base64 }: ImagePart): Block {
	if (!mediaType.startsWith("image/"))
		throw new Error(`attachments of type ${mediaType} are not supported, only images`);
	const media_type = mediaType === "image/*" ? "image/jpeg" : mediaType;
	return { type: "image", source: { type: "base64", media_type, data: base64 } };
}

/**
 * Marks the last block for caching. Thinking blocks cannot be marked, and a final assistant message must not end in
 * whitespace.
 */
function withCacheMark({ role, content }: Message): Message {
	const last = content.at(-1) as Block;
	if (isThought(last)) return { role, content };
	const isAnswer = role === "assistant" && typeof last["text"] === "string";
	const block = isAnswer ? { ...last, text: (last["text"] as string).trim() } : last;
	return { role, content: [...content.slice(0, -1), { ...block, ...CACHED }] };
}

function isThought({ type }: Block): boolean {
	return type === "thinking" || type === "redacted_thinking";
}

/** Moves tool calls after the text between the same two thinking blocks, as the API requires. */
function callsLast(content: readonly Block[]): Block[] {
	const sorted: Block[] = [];
	let calls: Block[] = [];
	for (const block of content) {
		if (block.type === "tool_use") calls.push(block);
		else if (isThought(block)) {
			sorted.push(...calls, block);
			calls = [];
		} else sorted.push(block);
	}
	return [...sorted, ...calls];
}
