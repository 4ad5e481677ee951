import type { BodyFraming } from "./framing.js";

/**
 * Longer than any event in a reply, such as a tool call that writes a whole file. A server that sends a longer line or
 * event is not actually streaming events.
 */
const EVENT_CHARS_MAX = 16 * 1024 * 1024;

/** Reads the data of server-sent events from chunks of any size. Ignores event names, ids and comments. */
export class EventReader implements BodyFraming {
	private readonly decoder = new TextDecoder();
	/** The incomplete last line. */
	private line = "";
	/** The data of the incomplete last event. */
	private data: string | undefined;
	/** Whether the last character was a carriage return; a line feed after it belongs to the same line break. */
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

	/** Some servers omit the empty line after the last event. */
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

	/** Normalizes CR and CR LF to line feeds. Most servers send only line feeds. */
	private lineFeeds(text: string): string {
		if (!this.afterReturn && !text.includes("\r")) return text;
		const rest = this.afterReturn && text.startsWith("\n") ? text.slice(1) : text;
		if (text !== "") this.afterReturn = text.endsWith("\r");
		return rest.replace(/\r\n?/g, "\n");
	}
}
