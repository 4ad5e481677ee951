/** A text without the fence that a model put around all of it. */
export function withoutFence(answer: string): string {
	const stream = new FenceStripper("");
	return stream.take(answer) + stream.end();
}

/**
 * Takes the fence off a text that comes in pieces, and the empty lines around it. A text that is to begin with a fence keeps
 * it. What could still be the end of the text is held back.
 */
export class FenceStripper {
	private held = "";
	private state: "begins" | "plain" | "fenced";
	/** The end of the fence's line is held, too, so that what closes the fence always follows a line end. It is not told. */
	private skipped = 0;

	/** @param original What the text takes the place of. */
	constructor(original: string) {
		this.state = FENCE.test(original.trimStart()) ? "plain" : "begins";
	}

	/** What of it can be told now. */
	take(piece: string): string {
		this.held += piece;
		if (this.state === "begins") this.begin();
		if (this.state === "begins") return "";
		const end = this.state === "fenced" ? (CLOSING.exec(this.held)?.index ?? this.held.length) : this.held.length;
		const until = this.held.slice(0, end).trimEnd().length;
		const told = this.held.slice(this.skipped, until);
		if (until > 0) this.skipped = 0;
		this.held = this.held.slice(until);
		return told;
	}

	/** What is left of it to be told. */
	end(): string {
		const { held, state } = this;
		this.held = "";
		if (state === "plain") return "";
		if (state === "begins") return held.trim();
		// A fence in the middle is part of the text; only the last one closes it.
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
/** What closes a fence, or may when it goes on. */
const CLOSING = /\n[ \t]*(?:```|`{1,2}$)/;

/** The code in the only fence of an answer that says something around it; undefined where there is no such. */
export function fencedIn(answer: string): string | undefined {
	const [, code] = /^[^`]*\n[ \t]*```[^\n`]*\n(.*?)\n?[ \t]*```[ \t]*(?:\n[^`]*)?$/s.exec(`\n${answer.trim()}`) ?? [];
	return code?.includes("```") ? undefined : code;
}
