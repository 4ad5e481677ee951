import type { EventBuffer } from "../events.js";

const OPENING = "<think>";
const CLOSING = "</think>";

/**
 * Separates thoughts from text for models that write a leading `<think>` block. Local models do so if their server does
 * not remove the block. Tags may be split between chunks, so text that could be the start of a tag is held back.
 */
export class ThinkTagReader {
	private state: "start" | "thinking" | "thought" | "text" = "start";
	private held = "";

	constructor(private readonly buffer: EventBuffer) {}

	add(text: string): void {
		if (this.state === "text") this.buffer.text(text);
		else this.scan(this.held + text);
	}

	/** Flushes the held-back text when the reply ends. */
	end(): void {
		const held = this.held;
		this.held = "";
		if (held === "") return;
		if (this.state === "thinking") this.buffer.thought(held);
		else if (this.state !== "thought") this.buffer.text(held);
	}

	private scan(text: string): void {
		this.held = "";
		if (this.state === "start") {
			const trimmed = text.trimStart();
			if (trimmed.startsWith(OPENING)) {
				this.state = "thinking";
				this.scan(trimmed.slice(OPENING.length));
			} else if (OPENING.startsWith(trimmed)) {
				this.held = text;
			} else {
				this.state = "text";
				this.buffer.text(text);
			}
		} else if (this.state === "thinking") {
			const at = text.indexOf(CLOSING);
			if (at === -1) {
				const kept = text.length - beginningAtEnd(text);
				this.held = text.slice(kept);
				if (kept > 0) this.buffer.thought(text.slice(0, kept));
			} else {
				if (at > 0) this.buffer.thought(text.slice(0, at));
				this.state = "thought";
				this.scan(text.slice(at + CLOSING.length));
			}
		} else {
			// Drop the blank lines between the closing tag and the text.
			const trimmed = text.trimStart();
			if (trimmed === "") return;
			this.state = "text";
			this.buffer.text(trimmed);
		}
	}
}

/** Returns how many characters at the end of the text could be the start of the closing tag. */
function beginningAtEnd(text: string): number {
	for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length--) {
		if (CLOSING.startsWith(text.slice(-length))) return length;
	}
	return 0;
}

/**
 * Data to send back to the provider along with a thought. A thread may continue with another model, which would reject
 * a foreign signature. The data therefore starts with its kind: an Anthropic signature, a redacted Anthropic thought,
 * or the field in which an OpenAI-compatible server sent the thought.
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
