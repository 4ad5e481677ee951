import { ErrorCode, RpcError } from "./error.js";
import { ByteBuffer, type Decoder, type FrameSink, type Framing } from "./framing.js";
import { decode, notUtf8, tooLarge } from "./lines.js";

/** A header block with the length of the message in bytes, an empty line, and the message: the framing of LSP. */
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

// Longer than any header line. Of a longer one only the end can matter, where a header may follow garbage.
const HEADER_LINE_MAX = 1024;

/**
 * Reads header lines until an empty one. A line that is no header is garbage, such as a stray log line; it is passed
 * over up to the next Content-Length, and reported once.
 */
class ContentLengthDecoder implements Decoder {
	private readonly line = new ByteBuffer();
	private readonly body = new ByteBuffer();
	/** From the header block being read. */
	private length: number | undefined;
	private sawLine = false;
	private sawGarbage = false;
	/** Bytes of the body still to come; 0 while headers are read. */
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
		if (this.bodyLeft > 0 || this.line.length > 0) {
			this.sink.unreadable(new RpcError(ErrorCode.parse, "Parse error: the input ended inside a message"));
		}
	}

	private readHeader(chunk: Uint8Array, from: number): number {
		const newline = chunk.indexOf(LF, from);
		const to = newline < 0 ? chunk.length : newline;
		this.keepLine(chunk.subarray(Math.max(from, to - HEADER_LINE_MAX), to));
		if (newline >= 0) this.finishHeader(String.fromCharCode(...this.line.take()).replace(/\r$/, ""));
		return to + 1;
	}

	private keepLine(part: Uint8Array): void {
		if (this.line.length + part.length > HEADER_LINE_MAX) {
			const joined = this.line.take();
			this.line.append(joined.subarray(Math.max(0, joined.length - HEADER_LINE_MAX + part.length)));
			this.sawGarbage = true;
		}
		this.line.append(part);
	}

	private finishHeader(line: string): void {
		if (line === "") {
			this.finishHeaders();
			return;
		}
		this.sawLine = true;
		const header = /(.*?)content-length:\s*(\d+)\s*$/i.exec(line);
		if (header !== null && Number.isSafeInteger(Number(header[2]))) {
			this.length = Number(header[2]);
			if (header[1] !== "") this.sawGarbage = true;
		} else if (!/^[\w-]+:/.test(line)) this.sawGarbage = true;
	}

	private finishHeaders(): void {
		const { length, sawLine, sawGarbage } = this;
		this.length = undefined;
		this.sawLine = false;
		this.sawGarbage = false;
		if (sawGarbage || (sawLine && length === undefined)) {
			this.sink.unreadable(new RpcError(ErrorCode.parse, "Parse error: bytes between messages were passed over"));
		}
		if (length === 0) this.sink.message("");
		this.bodyLeft = length ?? 0;
		this.isSkipping = this.bodyLeft > this.messageBytesMax;
	}

	private readBody(chunk: Uint8Array, from: number): number {
		const to = Math.min(from + this.bodyLeft, chunk.length);
		this.bodyLeft -= to - from;
		if (!this.isSkipping) this.body.append(chunk.subarray(from, to));
		if (this.bodyLeft > 0) return to;
		if (this.isSkipping) this.sink.unreadable(tooLarge(this.messageBytesMax));
		else {
			const text = decode(this.body.take());
			if (text === undefined) this.sink.unreadable(notUtf8());
			else this.sink.message(text);
		}
		this.isSkipping = false;
		return to;
	}
}
