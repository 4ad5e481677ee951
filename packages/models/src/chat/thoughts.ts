import type { EventBuffer } from "../events.js";

const OPENING = "<think>";
const CLOSING = "</think>";

/**
 * Text of a model that writes its thoughts into it, in a `<think>` at the very beginning, as local models do where their server
 * does not take it out. Tags may come in pieces, so what may be the beginning of one is held back until it is known.
 */
export class ThinkTagReader {
	private state: "start" | "thinking" | "thought" | "text" = "start";
	private held = "";

	constructor(private readonly gathering: EventBuffer) {}

	add(text: string): void {
		if (this.state === "text") this.gathering.text(text);
		else this.look(this.held + text);
	}

	/** Gives out what is held: no more will come. */
	end(): void {
		const held = this.held;
		this.held = "";
		if (held === "") return;
		if (this.state === "thinking") this.gathering.thought(held);
		else if (this.state !== "thought") this.gathering.text(held);
	}

	private look(text: string): void {
		this.held = "";
		if (this.state === "start") {
			const begun = text.trimStart();
			if (begun.startsWith(OPENING)) {
				this.state = "thinking";
				this.look(begun.slice(OPENING.length));
			} else if (OPENING.startsWith(begun)) {
				this.held = text;
			} else {
				this.state = "text";
				this.gathering.text(text);
			}
		} else if (this.state === "thinking") {
			const at = text.indexOf(CLOSING);
			if (at === -1) {
				const kept = text.length - beginningAtEnd(text);
				this.held = text.slice(kept);
				if (kept > 0) this.gathering.thought(text.slice(0, kept));
			} else {
				if (at > 0) this.gathering.thought(text.slice(0, at));
				this.state = "thought";
				this.look(text.slice(at + CLOSING.length));
			}
		} else {
			// The empty lines between the thought and the text belong to the tag.
			const begun = text.trimStart();
			if (begun === "") return;
			this.state = "text";
			this.gathering.text(begun);
		}
	}
}

/** How many characters at the end of a text may be the beginning of the closing tag. */
function beginningAtEnd(text: string): number {
	for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length--) {
		if (CLOSING.startsWith(text.slice(-length))) return length;
	}
	return 0;
}

/**
 * What a provider wants back with a thought. A thread may go on with another model, which would refuse what is not its own, so
 * a signature begins with what it is: an Anthropic signature, a thought that Anthropic shows to nobody, or the name of the
 * field that an OpenAI-compatible server wrote the thought to.
 */
type ThoughtSignature =
	| { readonly of: "anthropic"; readonly value: string }
	| { readonly of: "anthropic-redacted"; readonly value: string }
	| { readonly of: "field"; readonly value: string };

export function writeSignature({ of, value }: ThoughtSignature): string {
	return `${of}:${value}`;
}

export function readSignature(text: string | undefined): ThoughtSignature | undefined {
	const at = text?.indexOf(":") ?? -1;
	if (text === undefined || at === -1) return undefined;
	const of = text.slice(0, at);
	const value = text.slice(at + 1);
	return of === "anthropic" || of === "anthropic-redacted" || of === "field" ? { of, value } : undefined;
}
