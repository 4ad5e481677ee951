/** A language model that can hold a conversation and ask for tools. One value for each model that can be chosen. */
export interface ChatModel {
	/** As a person chooses it: the provider's name, a slash, and the model's name at that provider. */
	readonly name: string;
	/** How many tokens it can look at, or undefined where nobody has said. */
	readonly windowTokens: number | undefined;
	readonly takesImages: boolean;
	/**
	 * Answers once. The stream ends after an `end`; if it cannot, it throws a `ModelFailure`. Aborting the signal closes the
	 * request on the wire and makes the stream throw the signal's reason. What can be tried again is tried again, as long as
	 * nothing of the answer has come out.
	 */
	stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
}

/** Everything that a model is told. */
export interface ChatRequest {
	readonly system: string;
	readonly messages: readonly ChatMessage[];
	readonly tools: readonly ToolDescription[];
	readonly effort: Effort | undefined;
}

/** How much a model that can think should think. */
export type Effort = "low" | "medium" | "high";

export type ChatMessage =
	| { readonly role: "user"; readonly parts: readonly (TextPart | ImagePart)[] }
	| { readonly role: "assistant"; readonly parts: readonly (TextPart | ThoughtPart | CallPart)[] }
	| { readonly role: "tool"; readonly results: readonly ToolResult[] };

export interface TextPart {
	readonly type: "text";
	readonly text: string;
}

export interface ImagePart {
	readonly type: "image";
	readonly mediaType: string;
	readonly base64: string;
}

export interface ThoughtPart {
	readonly type: "thought";
	readonly text: string;
	/**
	 * What the provider wants back with the thought, to know that it is its own. In a stream it comes with the last event of a
	 * thought, which may have no text; text after it is another thought.
	 */
	readonly signature: string | undefined;
}

export interface CallPart {
	readonly type: "call";
	readonly id: string;
	readonly tool: string;
	/** As the model wrote it: JSON, or what it took for JSON. */
	readonly input: string;
}

export interface ToolResult {
	readonly id: string;
	readonly tool: string;
	readonly output: string;
	readonly failed: boolean;
}

/** What a model is told of a tool. */
export interface ToolDescription {
	readonly name: string;
	readonly description: string;
	/** The JSON schema of its input. */
	readonly schema: Readonly<Record<string, unknown>>;
}

/** One piece of an answer, in the order in which the model writes. */
export type ChatEvent =
	| TextPart
	| ThoughtPart
	/** A call that is being written, so that it can be shown before it is whole. */
	| { readonly type: "call-begun"; readonly id: string; readonly tool: string }
	/** A call that is whole. */
	| CallPart
	| { readonly type: "usage"; readonly usage: Usage }
	/** The request failed in a way that passes, and is tried again. */
	| { readonly type: "retrying"; readonly afterMs: number; readonly why: string }
	| { readonly type: "end"; readonly reason: ChatEnd };

/** Why a model stopped: it was done, it wants its calls answered, it ran out of tokens, or it or its provider refused. */
export type ChatEnd = "done" | "calls" | "length" | "refused";

/** What an answer took, as far as the provider tells. */
export interface Usage {
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** Of the input, what the provider had kept from before. */
	readonly cachedTokens: number | undefined;
	readonly costUsd: number | undefined;
}
