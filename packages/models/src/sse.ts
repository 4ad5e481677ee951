import type { BodyFraming } from "./framing.js";

/**
 * Longer than any chunk of an answer: a whole file written by a tool call in one event. A server that sends more without
 * the end of a line, or of an event, is not streaming events.
 */
const EVENT_CHARS_MAX = 16 * 1024 * 1024;

/** Reads the data of server-sent events out of bytes, however they are cut. Names, ids and comments are passed over. */
export class EventReader implements BodyFraming {
	private readonly decoder = new TextDecoder();
	/** The beginning of a line whose end has not come. */
	private line = "";
	/** The data of an event whose end has not come. */
	private data: string | undefined;
	/** The last byte was a carriage return: a line feed after it belongs to the same line end. */
	private afterReturn = false;

	takes(mediaType: string): boolean {
		return !/\b(?:html|json)\b/.test(mediaType);
	}

	read(bytes: Uint8Array): readonly string[] | undefined {
		const whole: string[] = [];
		const text = this.line + this.lineFeeds(this.decoder.decode(bytes, { stream: true }));
		let from = 0;
		for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
			this.readLine(text, from, to, whole);
			from = to + 1;
		}
		this.line = text.slice(from);
		return this.line.length + (this.data?.length ?? 0) > EVENT_CHARS_MAX ? undefined : whole;
	}

	/** An event may be without its empty line there. Servers exist that stop like this. */
	end(): readonly string[] {
		const whole: string[] = [];
		this.readLine(this.line, 0, this.line.length, whole);
		this.readLine("", 0, 0, whole);
		return whole;
	}

	private readLine(text: string, from: number, to: number, whole: string[]): void {
		if (from === to) {
			if (this.data !== undefined) whole.push(this.data);
			this.data = undefined;
			return;
		}
		if (!text.startsWith("data:", from) || from + 5 > to) return;
		const value = text.slice(text[from + 5] === " " ? from + 6 : from + 5, to);
		this.data = this.data === undefined ? value : `${this.data}\n${value}`;
	}

	/** A line may end with a line feed, a carriage return, or both; nearly all servers send line feeds only. */
	private lineFeeds(text: string): string {
		if (!this.afterReturn && !text.includes("\r")) return text;
		const rest = this.afterReturn && text.startsWith("\n") ? text.slice(1) : text;
		if (text !== "") this.afterReturn = text.endsWith("\r");
		return rest.replace(/\r\n?/g, "\n");
	}
}
