import type { EventBuffer } from "./events.js";

/** Splits the bytes of a response body into messages. */
export interface BodyFraming {
	/** Whether the framing can read a body of this media type. Other bodies are searched for an error message. */
	takes(mediaType: string): boolean;
	/** Returns the messages completed by these bytes, or undefined if a message exceeds the size limit. */
	read(bytes: Uint8Array): readonly string[] | undefined;
	/** Returns the messages completed by the end of the body. */
	end(): readonly string[];
}

/** Far more than a model writes to a file at once. A longer message would probably never end. */
const DATA_CHARS_MAX = 16 * 1024 * 1024;

/** Reads one message per line. */
export class JsonLineReader implements BodyFraming {
	private readonly decoder = new TextDecoder();
	private line = "";

	takes(mediaType: string): boolean {
		return !mediaType.includes("html");
	}

	read(bytes: Uint8Array): readonly string[] | undefined {
		const lines = (this.line + this.decoder.decode(bytes, { stream: true })).split("\n");
		this.line = lines.pop() ?? "";
		return this.line.length > DATA_CHARS_MAX ? undefined : lines.filter(isFilled);
	}

	end(): readonly string[] {
		return [this.line].filter(isFilled);
	}
}

function isFilled(line: string): boolean {
	return line.trim() !== "";
}

/** Reads the whole body as one message, for APIs that do not stream. */
export class WholeReader implements BodyFraming {
	private readonly decoder = new TextDecoder();
	private text = "";

	takes(mediaType: string): boolean {
		return !mediaType.includes("html");
	}

	read(bytes: Uint8Array): readonly string[] | undefined {
		this.text += this.decoder.decode(bytes, { stream: true });
		return this.text.length > DATA_CHARS_MAX ? undefined : [];
	}

	end(): readonly string[] {
		return [this.text];
	}
}

/** The parts that turn the bytes of a reply into events. */
export interface ReplyDecoder {
	readonly framing: BodyFraming;
	readonly reader: ReplyReader;
	/** Filled by the reader. */
	readonly events: EventBuffer;
}

/** Parses the messages of a reply and adds the resulting events to an `EventBuffer`. */
export interface ReplyReader {
	/** Whether the provider has marked the reply as complete. */
	readonly isWhole: boolean;
	/**
	 * Reads one message of a stream, or a whole reply. If the provider sent an error, returns it unchanged. Throws a
	 * `SyntaxError` for invalid JSON or JSON from another API.
	 *
	 * Messages are not validated with schemas, because that would cost more than all other work on a chunk.
	 */
	read(data: string, isInOnePiece: boolean): unknown;
	/** Called once, when the stream has ended or has been interrupted. */
	close(): void;
}

/** Returns the value if it is a string, or else an empty string. */
export function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** Returns the value if it is a number, or else undefined. */
export function numberOf(value: unknown): number | undefined {
	return typeof value === "number" ? value : undefined;
}
