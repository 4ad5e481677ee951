import type { EventBuffer } from "./events.js";

/** How a wire parts the bytes of an answer into pieces of data. */
export interface BodyFraming {
	/** Whether a body of this media type can be one of it. What cannot is looked at for an error. */
	takes(mediaType: string): boolean;
	/** The data that is whole with these bytes; undefined when a piece is longer than any may be. */
	read(bytes: Uint8Array): readonly string[] | undefined;
	/** The data that only the end of the body makes whole. */
	end(): readonly string[];
}

/** Many times what a model writes into a file at once. A server that sends more without an end does not end. */
const DATA_CHARS_MAX = 16 * 1024 * 1024;

/** Each line is a piece of data. */
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

/** The whole body is one piece of data, for wires that do not stream. */
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

/** How one answer becomes events: its bytes become data, and what the data says is gathered. */
export interface ReplyDecoder {
	readonly framing: BodyFraming;
	readonly reader: ReplyReader;
	/** Where the reading puts what it reads. */
	readonly events: EventBuffer;
}

/** An answer that is being read off one wire. What it says goes into a gathering. */
export interface ReplyReader {
	/** The provider has said that no more will come. */
	readonly isWhole: boolean;
	/**
	 * Reads the data of one event, or of a whole answer in one piece. Returns the error that the provider sent in place of an answer, as it sent it. Throws a
	 * SyntaxError for what is no JSON, or that of another API.
	 *
	 * Chunks are not checked with schemas: that alone costs more than all else that is done with a chunk.
	 */
	read(data: string, isInOnePiece: boolean): unknown;
	/** The stream is over, or broke off. Nothing more is read. */
	close(): void;
}

/** A value that should be text. */
export function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** A value that should be a number. */
export function numberOf(value: unknown): number | undefined {
	return typeof value === "number" ? value : undefined;
}
