import { ErrorCode, RpcError } from "./error.js";

/** How messages are told apart in a stream of bytes. */
export interface Framing {
	/** A message as it goes on the wire, for one write. */
	encode(text: string): string | Uint8Array;
	decoder(sink: FrameSink, messageBytesMax: number): Decoder;
}

export interface FrameSink {
	message(text: string): void;
	unreadable(error: RpcError): void;
}

/** Takes a stream of bytes in chunks that may be cut anywhere. Its work and memory are linear in what it is given. */
export interface Decoder {
	push(chunk: Uint8Array): void;
	/** The stream has ended. */
	end(): void;
}

/** Bytes gathered from many chunks. Room is doubled, so a stream of single bytes costs no more than one of blocks. */
export class ByteBuffer {
	length = 0;
	private bytes = new Uint8Array(0);

	append(chunk: Uint8Array): void {
		const length = this.length + chunk.length;
		if (length > this.bytes.length) {
			const grown = new Uint8Array(Math.max(length, 2 * this.bytes.length));
			grown.set(this.bytes.subarray(0, this.length));
			this.bytes = grown;
		}
		this.bytes.set(chunk, this.length);
		this.length = length;
	}

	/** All that was gathered; the buffer is empty afterwards. */
	take(): Uint8Array {
		const taken = this.bytes.subarray(0, this.length);
		this.bytes = new Uint8Array(0);
		this.length = 0;
		return taken;
	}
}

// Bytes that are not UTF-8 would otherwise be replaced in silence, and a document would differ from its editor's.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of some bytes, undefined where they are not UTF-8. */
export function decode(bytes: Uint8Array): string | undefined {
	try {
		return utf8.decode(bytes);
	} catch {
		return undefined;
	}
}

export function tooLarge(messageBytesMax: number): RpcError {
	return new RpcError(ErrorCode.invalidRequest, `Invalid request: a message has at most ${messageBytesMax} bytes`);
}

export function notUtf8(): RpcError {
	return new RpcError(ErrorCode.parse, "Parse error: the message is not UTF-8");
}

/** Whether a text has more bytes than allowed, which only needs counting when it might. */
export function isLonger(text: string, bytesMax: number): boolean {
	if (3 * text.length <= bytesMax) return false;
	return text.length > bytesMax || new TextEncoder().encode(text).length > bytesMax;
}
