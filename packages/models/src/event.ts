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

export interface TextPart {
	readonly type: "text";
	readonly text: string;
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
