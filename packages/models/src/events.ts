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

/**
 * The events of an answer between two times that they are taken. What comes at once is joined: a text in ten pieces is one
 * event. The two halves of a surrogate pair are never in two events, because half of one cannot be written to a file.
 */
export class EventBuffer {
	private events: ChatEvent[] = [];
	/** The text or thought that goes on. */
	private run = "";
	private runType: "text" | "thought" = "text";

	text(text: string): void {
		if (this.runType !== "text") this.endRun();
		this.runType = "text";
		this.run += text;
	}

	thought(text: string): void {
		if (this.runType !== "thought") this.endRun();
		this.runType = "thought";
		this.run += text;
	}

	/** Ends a thought. */
	sign(signature: string): void {
		const text = this.runType === "thought" ? this.run : "";
		if (this.runType === "text") this.endRun();
		this.run = "";
		this.events.push({ type: "thought", text, signature });
	}

	/** Adds what is neither text nor thought. */
	add(event: ChatEvent): void {
		this.endRun();
		this.events.push(event);
	}

	/** Whether there is anything to take, now or later. */
	get isHolding(): boolean {
		return this.run !== "" || this.events.length > 0;
	}

	/** What came since the last time. */
	take(): readonly ChatEvent[] {
		if (this.run !== "") {
			const last = this.run.charCodeAt(this.run.length - 1);
			const held = last >= 0xd800 && last < 0xdc00 ? this.run.slice(-1) : "";
			this.run = held === "" ? this.run : this.run.slice(0, -1);
			this.endRun();
			this.run = held;
		}
		const taken = this.events;
		this.events = [];
		return taken;
	}

	private endRun(): void {
		if (this.run === "") return;
		this.events.push(
			this.runType === "text"
				? { type: "text", text: this.run }
				: { type: "thought", text: this.run, signature: undefined },
		);
		this.run = "";
	}
}
