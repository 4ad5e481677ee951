import type { ChatEnd, Usage } from "@segue/models";

/** One step of a scripted answer. */
export type ModelStep =
	/** One chunk of text. */
	| string
	/** A chunk of reasoning. Anthropic's API sends the signature after the last chunk. */
	| { readonly thought: string; readonly signature?: string }
	/** A tool call. Each piece of the input is one chunk. */
	| { readonly call: string; readonly id: string; readonly input: readonly string[] }
	| { readonly usage: Pick<Usage, "inputTokens" | "outputTokens"> & Partial<Usage> }
	/** Pauses until the test releases the answer. */
	| { readonly hold: true }
	/** Destroys the socket. */
	| { readonly cut: true }
	/** Closes the response cleanly, without the events that end an answer. */
	| { readonly stop: true }
	/** An event that contains this raw data. */
	| { readonly data: string }
	/** An error instead of the rest of the answer. */
	| { readonly fail: ModelRefusal }
	/** Overrides the reason why the answer ends. */
	| { readonly end: ChatEnd };

/** Reasons why a provider refuses a request. */
export type ModelRefusal =
	| "busy"
	| "overloaded"
	| "trouble"
	| "wrong-key"
	| "unknown-model"
	| "too-long"
	| "filtered"
	| "no-credit"
	| "bad-request"
	/** The request came after the end of the script. */
	| "out-of-script";

/** A received request. */
export interface ModelRequest {
	readonly path: string;
	readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
	/** The parsed JSON body, decompressed if necessary. */
	readonly body: Readonly<Record<string, unknown>>;
	/** Resolves when the client closes the connection before the end of the answer. */
	readonly abandoned: Promise<void>;
}

/** Encodes scripted answers for one API. */
export interface ScriptedApi {
	refusal(refusal: ModelRefusal, request: ModelRequest): { readonly status: number; readonly body: unknown };
	begin(request: ModelRequest): ResponseWriter;
}

/** Steps that are written to the response. The server handles the other steps. */
type WrittenStep = Exclude<ModelStep, { hold: true } | { cut: true } | { stop: true }>;

/** Writes one answer. */
export abstract class ResponseWriter {
	/** The media type used by most APIs. */
	readonly mediaType: string = "text/event-stream";
	private written = "";
	private reason: ChatEnd = "done";

	constructor(protected readonly model: unknown) {}

	/** Returns what was written since the last call, in the API's framing. */
	flush(): string {
		const written = this.written;
		this.written = "";
		return written;
	}

	step(step: WrittenStep): void {
		if (typeof step === "string") this.text(step);
		else if ("thought" in step) this.thought(step.thought, step.signature);
		else if ("call" in step) {
			this.reason = "calls";
			this.call(step.call, step.id, step.input);
		} else if ("usage" in step) this.usage(step.usage);
		else if ("data" in step) this.write(step.data);
		else if ("fail" in step) this.fail(step.fail);
		else this.reason = step.end;
	}

	end(): void {
		this.finish(this.reason);
	}

	protected write(data: string, event?: string): void {
		this.put(`${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`);
	}

	/** Appends raw data. */
	protected put(text: string): void {
		this.written += text;
	}

	protected abstract text(text: string): void;
	protected abstract thought(text: string, signature: string | undefined): void;
	protected abstract call(tool: string, id: string, input: readonly string[]): void;
	protected abstract usage(usage: UsageStep["usage"]): void;
	protected abstract fail(refusal: ModelRefusal): void;
	protected abstract finish(reason: ChatEnd): void;
}

type UsageStep = Extract<ModelStep, { usage: unknown }>;

class OpenAiWriter extends ResponseWriter {
	private calls = 0;
	private lastUsage: unknown;

	protected text(content: string): void {
		this.chunk({ content });
	}

	protected thought(text: string): void {
		this.chunk({ reasoning_content: text });
	}

	protected call(tool: string, id: string, input: readonly string[]): void {
		const index = this.calls++;
		this.chunk({ tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }] });
		for (const piece of input) this.chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
	}

	protected usage({ inputTokens, outputTokens, cachedTokens, costUsd }: UsageStep["usage"]): void {
		this.lastUsage = {
			prompt_tokens: inputTokens,
			completion_tokens: outputTokens,
			total_tokens: inputTokens + outputTokens,
			...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
			...(costUsd !== undefined && { cost: costUsd }),
		};
	}

	protected fail(refusal: ModelRefusal): void {
		this.write(JSON.stringify(openAiError(refusal, "")));
	}

	protected finish(reason: ChatEnd): void {
		this.chunk({}, { done: "stop", calls: "tool_calls", length: "length", refused: "content_filter" }[reason]);
		if (this.lastUsage !== undefined) this.write(JSON.stringify(this.envelope([], this.lastUsage)));
		this.write("[DONE]");
	}

	private chunk(delta: Record<string, unknown>, finish: string | null = null): void {
		this.write(JSON.stringify(this.envelope([{ index: 0, delta, finish_reason: finish }])));
	}

	private envelope(choices: unknown[], usage?: unknown): unknown {
		const usual = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: this.model };
		return { ...usual, choices, ...(usage !== undefined && { usage }) };
	}
}

class AnthropicWriter extends ResponseWriter {
	/** The type of the open content block. */
	private open: string | undefined;
	private index = -1;
	private outputTokens = 0;

	constructor(model: unknown) {
		super(model);
		const usage = { input_tokens: 0, output_tokens: 0 };
		const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null, usage };
		this.event("message_start", { message });
		this.event("ping", {});
	}

	protected text(text: string): void {
		this.block("text", { text: "" });
		this.delta({ type: "text_delta", text });
	}

	protected thought(thinking: string, signature: string | undefined): void {
		this.block("thinking", { thinking: "", signature: "" });
		this.delta({ type: "thinking_delta", thinking });
		if (signature !== undefined) this.delta({ type: "signature_delta", signature });
	}

	protected call(tool: string, id: string, input: readonly string[]): void {
		this.endBlock();
		this.block("tool_use", { id, name: tool, input: {} });
		for (const piece of input) this.delta({ type: "input_json_delta", partial_json: piece });
	}

	protected usage({ inputTokens, outputTokens, cachedTokens }: UsageStep["usage"]): void {
		this.outputTokens = outputTokens;
		const input_tokens = inputTokens - (cachedTokens ?? 0);
		const usage = { input_tokens, cache_read_input_tokens: cachedTokens, output_tokens: outputTokens };
		this.event("message_delta", { delta: {}, usage });
	}

	protected fail(refusal: ModelRefusal): void {
		this.write(JSON.stringify(anthropicError(refusal, "")), "error");
	}

	protected finish(reason: ChatEnd): void {
		this.endBlock();
		const stop_reason = { done: "end_turn", calls: "tool_use", length: "max_tokens", refused: "refusal" }[reason];
		this.event("message_delta", {
			delta: { stop_reason, stop_sequence: null },
			usage: { output_tokens: this.outputTokens },
		});
		this.event("message_stop", {});
	}

	private block(type: string, content: Record<string, unknown>): void {
		if (this.open === type) return;
		this.endBlock();
		this.open = type;
		this.event("content_block_start", { index: ++this.index, content_block: { type, ...content } });
	}

	private endBlock(): void {
		if (this.open !== undefined) this.event("content_block_stop", { index: this.index });
		this.open = undefined;
	}

	private delta(delta: Record<string, unknown>): void {
		this.event("content_block_delta", { index: this.index, delta });
	}

	private event(type: string, members: Record<string, unknown>): void {
		this.write(JSON.stringify({ type, ...members }), type);
	}
}

/** The chat APIs by request path. */
export const SCRIPTED_CHAT_APIS: Readonly<Record<string, ScriptedApi>> = {
	"/v1/chat/completions": {
		begin: ({ body }) => new OpenAiWriter(body["model"]),
		refusal: (refusal, { headers, body }) => ({
			status: PROVIDER_ERRORS[refusal].openai.status,
			body: openAiError(refusal, `${headers["authorization"] ?? ""} ${body["model"]}`),
		}),
	},
	"/v1/messages": {
		begin: ({ body }) => new AnthropicWriter(body["model"]),
		refusal: (refusal, { headers, body }) => ({
			status: PROVIDER_ERRORS[refusal].anthropic.status,
			body: anthropicError(refusal, `${headers["x-api-key"] ?? ""} ${body["model"]}`),
		}),
	},
};

export function openAiError(refusal: ModelRefusal, echo: string): unknown {
	const { code, message } = PROVIDER_ERRORS[refusal].openai;
	return { error: { message: `${message} ${echo}`.trim(), type: "invalid_request_error", param: null, code } };
}

function anthropicError(refusal: ModelRefusal, echo: string): unknown {
	const { code, message } = PROVIDER_ERRORS[refusal].anthropic;
	return { type: "error", error: { type: code, message: `${message} ${echo}`.trim() } };
}

interface ProviderError {
	readonly status: number;
	readonly code: string;
	readonly message: string;
}

/**
 * Real error messages from the providers. The request's key and model are appended to each message, because some
 * servers echo them.
 */
export const PROVIDER_ERRORS: Readonly<
	Record<ModelRefusal, { readonly openai: ProviderError; readonly anthropic: ProviderError }>
> = {
	busy: {
		openai: { status: 429, code: "rate_limit_exceeded", message: "Rate limit reached for requests." },
		anthropic: { status: 429, code: "rate_limit_error", message: "This request would exceed your rate limit." },
	},
	overloaded: {
		openai: { status: 503, code: "overloaded", message: "The engine is currently overloaded." },
		anthropic: { status: 529, code: "overloaded_error", message: "Overloaded" },
	},
	trouble: {
		openai: { status: 500, code: "server_error", message: "The server had an error." },
		anthropic: { status: 500, code: "api_error", message: "Internal server error" },
	},
	"wrong-key": {
		openai: { status: 401, code: "invalid_api_key", message: "Incorrect API key provided:" },
		anthropic: { status: 401, code: "authentication_error", message: "invalid x-api-key" },
	},
	"unknown-model": {
		openai: { status: 404, code: "model_not_found", message: "The model does not exist." },
		anthropic: { status: 404, code: "not_found_error", message: "model:" },
	},
	"too-long": {
		openai: { status: 400, code: "context_length_exceeded", message: "This model's maximum is 8192 tokens." },
		anthropic: { status: 400, code: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000" },
	},
	filtered: {
		openai: { status: 400, code: "content_filter", message: "The response was filtered." },
		anthropic: { status: 400, code: "invalid_request_error", message: "Output blocked by content filtering policy" },
	},
	"no-credit": {
		openai: { status: 429, code: "insufficient_quota", message: "You exceeded your current quota." },
		anthropic: { status: 400, code: "invalid_request_error", message: "Your credit balance is too low." },
	},
	"bad-request": {
		openai: { status: 400, code: "invalid_value", message: "Unrecognized request argument." },
		anthropic: { status: 400, code: "invalid_request_error", message: "messages: roles must alternate" },
	},
	"out-of-script": {
		openai: { status: 400, code: "out_of_script", message: "The script has no answer for this request." },
		anthropic: { status: 400, code: "out_of_script", message: "The script has no answer for this request." },
	},
};
