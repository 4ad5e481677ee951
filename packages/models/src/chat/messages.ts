import type { CallPart, ChatEvent, TextPart, ThoughtPart } from "../events.js";

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

/** How an answer is to be written, where that is not left to the model. */
export interface OutputLimits {
	/** Of what it says; thoughts are not counted. */
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

/** What a model is told of a tool. */
export interface ToolDescription {
	readonly name: string;
	readonly description: string;
	/** The JSON schema of its input. */
	readonly schema: Readonly<Record<string, unknown>>;
}
