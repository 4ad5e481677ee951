/** An event in a streamed reply. Events arrive in the order in which the model writes them. */
export type ChatEvent =
	| TextPart
	| ThoughtPart
	/** A call that the model has started to write, so that it can be shown early. */
	| { readonly type: "call-begun"; readonly id: string; readonly tool: string }
	/** A complete call. */
	| CallPart
	| { readonly type: "usage"; readonly usage: Usage }
	/** The request failed temporarily and will be retried. */
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
	 * Data that must be sent back to the provider so that it recognizes the thought. In a stream, it arrives with the last
	 * event of the thought, which may have no text. Any text after it starts another thought.
	 */
	readonly signature: string | undefined;
}

export interface CallPart {
	readonly type: "call";
	readonly id: string;
	readonly tool: string;
	/** The text as written by the model. Usually, but not always, valid JSON. */
	readonly input: string;
}

/**
 * Why a model stopped: it is done, it is waiting for the results of its calls, it ran out of tokens, or the model or
 * its provider refused.
 */
export type ChatEnd = "done" | "calls" | "length" | "refused";

/** Resources used by a reply, as reported by the provider. */
export interface Usage {
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** Input tokens read from the provider's cache. */
	readonly cachedTokens: number | undefined;
	readonly costUsd: number | undefined;
}

/**
 * Collects events until the next `take`. Adjacent text is merged into one event. A surrogate pair is never split
 * between events, because half of a pair cannot be written to a file.
 */
export class EventBuffer {
	private events: ChatEvent[] = [];
	/** The text or thought being collected. */
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

	/** Adds an event that is neither text nor thought. */
	add(event: ChatEvent): void {
		this.endRun();
		this.events.push(event);
	}

	/** Whether anything is buffered, including half of a surrogate pair. */
	get isHolding(): boolean {
		return this.run !== "" || this.events.length > 0;
	}

	/** Returns the events since the last call to `take`. */
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
