import type { CallPart, ChatEvent, TextPart, ThoughtPart } from "../events.js";

/** A language model for chat with tools. */
export interface ChatModel {
	/** The name that users choose, in the form `provider/model`. */
	readonly name: string;
	/** Size of the context window, or undefined if unknown. */
	readonly windowTokens: number | undefined;
	readonly takesImages: boolean;
	/**
	 * Streams one reply. The last event is an `end`. On failure, the stream throws a `ModelFailure`. Aborting the signal
	 * closes the HTTP request and makes the stream throw the signal's reason. Temporary failures are retried, but only
	 * until the first event has arrived.
	 */
	stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
}

export interface ChatRequest {
	readonly system: string;
	readonly messages: readonly ChatMessage[];
	readonly tools: readonly ToolDescription[];
	readonly effort: Effort | undefined;
}

/** How much a reasoning model should think. */
export type Effort = "low" | "medium" | "high";

/** Limits on a reply. */
export interface OutputLimits {
	/** Maximum length of the reply, not counting thoughts. */
	readonly tokensMax: number;
	readonly temperature: number;
}

export type ChatMessage =
	| { readonly role: "user"; readonly parts: readonly (TextPart | ImagePart)[] }
	| { readonly role: "assistant"; readonly parts: readonly (TextPart | ThoughtPart | CallPart)[] }
	| { readonly role: "tool"; readonly results: readonly ToolResult[] };

export interface ImagePart {
	readonly type: "image";
	readonly mediaType: string;
	readonly base64: string;
}

export interface ToolResult {
	readonly id: string;
	readonly tool: string;
	readonly output: string;
	readonly failed: boolean;
}

/** A tool, as described to the model. */
export interface ToolDescription {
	readonly name: string;
	readonly description: string;
	/** JSON schema for the tool's input. */
	readonly schema: Readonly<Record<string, unknown>>;
}
