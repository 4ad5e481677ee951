/** How a wire parts the bytes of an answer into pieces of data. */
export interface Framing {
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
export class LineReader implements Framing {
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
export class WholeReader implements Framing {
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
