/** Removes the code fence that a model put around its whole answer. */
export function withoutFence(answer: string): string {
	const stream = new FenceStripper("");
	return stream.take(answer) + stream.end();
}

/**
 * Removes a code fence and surrounding blank lines from streamed text, unless the original text starts with a fence.
 * Buffers text that could still turn out to be the end.
 */
export class FenceStripper {
	private held = "";
	private state: "begins" | "plain" | "fenced";
	/**
	 * The number of characters at the start of `held` that are not returned. This is the newline after the opening fence,
	 * which is kept so that a closing fence always follows a newline.
	 */
	private skipped = 0;

	/** @param original The text that is replaced. */
	constructor(original: string) {
		this.state = FENCE.test(original.trimStart()) ? "plain" : "begins";
	}

	/** Adds a chunk. Returns the text that is certain not to be part of the closing fence. */
	take(piece: string): string {
		this.held += piece;
		if (this.state === "begins") this.begin();
		if (this.state === "begins") return "";
		const end = this.state === "fenced" ? (CLOSING.exec(this.held)?.index ?? this.held.length) : this.held.length;
		const until = this.held.slice(0, end).trimEnd().length;
		const certain = this.held.slice(this.skipped, until);
		if (until > 0) this.skipped = 0;
		this.held = this.held.slice(until);
		return certain;
	}

	/** Returns the rest of the text. */
	end(): string {
		const { held, state } = this;
		this.held = "";
		if (state === "plain") return "";
		if (state === "begins") return held.trim();
		// Only the last fence closes the text. Fences before it are part of the text.
		const last = [...held.matchAll(/\n[ \t]*```[ \t]*(?=\r?\n|$)/g)].at(-1);
		return held
			.slice(0, last?.index ?? held.length)
			.trimEnd()
			.slice(this.skipped);
	}

	private begin(): void {
		const begun = this.held.replace(/^(?:[ \t]*\r?\n)+/, "");
		const first = begun.trimStart();
		if (FENCE.test(first)) {
			const line = first.indexOf("\n");
			if (line < 0) return;
			this.state = "fenced";
			this.held = first.slice(line);
			this.skipped = 1;
		} else if (!"```".startsWith(first)) {
			this.state = "plain";
			this.held = begun;
		}
	}
}

const FENCE = /^```/;
/** A closing fence, or the beginning of one. */
const CLOSING = /\n[ \t]*(?:```|`{1,2}$)/;

/** Returns the code from an answer that has text around a single code fence, or undefined for any other answer. */
export function fencedIn(answer: string): string | undefined {
	const [, code] = /^[^`]*\n[ \t]*```[^\n`]*\n(.*?)\n?[ \t]*```[ \t]*(?:\n[^`]*)?$/s.exec(`\n${answer.trim()}`) ?? [];
	return code?.includes("```") ? undefined : code;
}
