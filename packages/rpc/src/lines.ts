import { ByteBuffer, type Decoder, decode, type FrameSink, type Framing, notUtf8, tooLarge } from "./framing.js";

/** Newline-delimited JSON: one message per line. */
export const lines: Framing = {
	encode: (text) => `${text}\n`,
	decoder: (sink, messageBytesMax) => new LineDecoder(sink, messageBytesMax),
};

const LF = 10;

class LineDecoder implements Decoder {
	private readonly start = new ByteBuffer();
	private isSkipping = false;

	constructor(
		private readonly sink: FrameSink,
		private readonly messageBytesMax: number,
	) {}

	push(chunk: Uint8Array): void {
		const last = chunk.lastIndexOf(LF);
		if (last < 0) {
			this.keep(chunk);
			return;
		}
		let from = 0;
		if (this.isSkipping || this.start.length > 0) {
			const end = chunk.indexOf(LF);
			this.keep(chunk.subarray(0, end));
			this.finishLine();
			from = end + 1;
		}
		if (from <= last) this.readLines(chunk.subarray(from, last));
		if (last + 1 < chunk.length) this.keep(chunk.subarray(last + 1));
	}

	end(): void {
		if (this.isSkipping || this.start.length > 0) this.finishLine();
	}

	private keep(part: Uint8Array): void {
		if (this.isSkipping) return;
		if (this.start.length + part.length <= this.messageBytesMax) this.start.append(part);
		else {
			this.start.take();
			this.isSkipping = true;
		}
	}

	private finishLine(): void {
		if (this.isSkipping) this.sink.unreadable(tooLarge(this.messageBytesMax));
		else this.readLine(this.start.take());
		this.isSkipping = false;
	}

	/** Reads whole lines, without the last newline. Decodes them all at once unless one needs special treatment. */
	private readLines(bytes: Uint8Array): void {
		const text = bytes.length <= this.messageBytesMax ? decode(bytes) : undefined;
		if (text !== undefined) {
			for (const line of text.split("\n")) this.deliver(line);
			return;
		}
		for (let from = 0; from <= bytes.length; ) {
			const newline = bytes.indexOf(LF, from);
			const to = newline < 0 ? bytes.length : newline;
			this.readLine(bytes.subarray(from, to));
			from = to + 1;
		}
	}

	private readLine(bytes: Uint8Array): void {
		if (bytes.length > this.messageBytesMax) this.sink.unreadable(tooLarge(this.messageBytesMax));
		else {
			const text = decode(bytes);
			if (text === undefined) this.sink.unreadable(notUtf8());
			else this.deliver(text);
		}
	}

	private deliver(line: string): void {
		const isBlank = line.length === 0 || (line.charCodeAt(0) <= 32 && line.trim() === "");
		// When writing to a pipe, some shells put a byte order mark before the first line.
		if (!isBlank) this.sink.message(line.startsWith("\ufeff") ? line.slice(1) : line);
	}
}
