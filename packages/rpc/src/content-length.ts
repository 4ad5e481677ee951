import { ErrorCode, RpcError } from "./error.js";
import { ByteBuffer, type Decoder, decode, type FrameSink, type Framing, notUtf8, tooLarge } from "./framing.js";

/** The LSP framing: a header block with the message's length in bytes, an empty line, and the message. */
export const contentLength: Framing = {
	encode: (text) => {
		const body = encoder.encode(text);
		const header = encoder.encode(`Content-Length: ${body.length}\r\n\r\n`);
		const whole = new Uint8Array(header.length + body.length);
		whole.set(header);
		whole.set(body, header.length);
		return whole;
	},
	decoder: (sink, messageBytesMax) => new ContentLengthDecoder(sink, messageBytesMax),
};

const encoder = new TextEncoder();
const LF = 10;

// Longer than any header line. If a line is longer, only its end matters, because a header can follow garbage.
const HEADER_LINE_MAX = 1024;

// Oversized messages are skipped. A length beyond this limit is a mistake, and skipping that many bytes would block all
// later input.
const SKIPPED_BYTES_MAX = 2 ** 30;

const HEADER = "content-length:";

/**
 * Reads header lines up to an empty one. Lines that are not headers, such as stray log lines, are skipped up to the
 * next Content-Length and reported once.
 */
class ContentLengthDecoder implements Decoder {
	private readonly line = new ByteBuffer();
	private readonly body = new ByteBuffer();
	/** The length from the current header block. */
	private length: number | undefined;
	private sawLine = false;
	private sawGarbage = false;
	/** Remaining bytes of the body; 0 while reading headers. */
	private bodyLeft = 0;
	private isSkipping = false;

	constructor(
		private readonly sink: FrameSink,
		private readonly messageBytesMax: number,
	) {}

	push(chunk: Uint8Array): void {
		let at = 0;
		while (at < chunk.length) at = this.bodyLeft > 0 ? this.readBody(chunk, at) : this.readHeader(chunk, at);
	}

	end(): void {
		if (this.bodyLeft > 0 || this.line.length > 0 || this.sawLine) {
			this.sink.unreadable(new RpcError(ErrorCode.parse, "Parse error: the input ended inside a message"));
		}
	}

	private readHeader(chunk: Uint8Array, from: number): number {
		const newline = chunk.indexOf(LF, from);
		const to = newline < 0 ? chunk.length : newline;
		this.line.append(chunk.subarray(from, to));
		if (newline >= 0) this.finishLine(this.takeLine());
		// Truncate only after the size has doubled, so that each byte is moved at most twice, no matter how small the
		// chunks.
		else if (this.line.length > 2 * HEADER_LINE_MAX) this.line.append(this.takeLine());
		return to + 1;
	}

	/** Returns the end of the line, no longer than the maximum length of a header. */
	private takeLine(): Uint8Array {
		const bytes = this.line.take();
		if (bytes.length <= HEADER_LINE_MAX) return bytes;
		this.sawGarbage = true;
		return bytes.subarray(bytes.length - HEADER_LINE_MAX);
	}

	private finishLine(bytes: Uint8Array): void {
		const line = String.fromCharCode(...bytes).replace(/\r$/, "");
		if (line === "") {
			this.finishHeaders();
			return;
		}
		this.sawLine = true;
		const at = line.toLowerCase().lastIndexOf(HEADER);
		const value = at < 0 ? "" : line.slice(at + HEADER.length).trim();
		const isLength = /^\d+$/.test(value) && Number(value) <= SKIPPED_BYTES_MAX;
		if (isLength) this.length = Number(value);
		if (isLength ? at > 0 : !/^[\w-]+:/.test(line)) this.sawGarbage = true;
	}

	private finishHeaders(): void {
		const { length, sawLine, sawGarbage } = this;
		this.length = undefined;
		this.sawLine = false;
		this.sawGarbage = false;
		if (sawGarbage || (sawLine && length === undefined)) {
			this.sink.unreadable(new RpcError(ErrorCode.parse, "Parse error: skipped bytes between messages"));
		}
		if (length === 0) this.sink.message("");
		this.bodyLeft = length ?? 0;
		this.isSkipping = this.bodyLeft > this.messageBytesMax;
		if (this.isSkipping) this.sink.unreadable(tooLarge(this.messageBytesMax));
	}

	private readBody(chunk: Uint8Array, from: number): number {
		const to = Math.min(from + this.bodyLeft, chunk.length);
		this.bodyLeft -= to - from;
		if (!this.isSkipping) this.body.append(chunk.subarray(from, to));
		if (this.bodyLeft === 0 && !this.isSkipping) {
			const text = decode(this.body.take());
			if (text === undefined) this.sink.unreadable(notUtf8());
			else this.sink.message(text);
		}
		return to;
	}
}
