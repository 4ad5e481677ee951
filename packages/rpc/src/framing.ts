import { ErrorCode, RpcError } from "./error.js";

/** Separates messages in a byte stream. */
export interface Framing {
	/** Encodes a message for one write. */
	encode(text: string): string | Uint8Array;
	decoder(sink: FrameSink, messageBytesMax: number): Decoder;
}

export interface FrameSink {
	message(text: string): void;
	unreadable(error: RpcError): void;
}

/** Decodes a byte stream that arrives in chunks split at any position, in linear time and memory. */
export interface Decoder {
	push(chunk: Uint8Array): void;
	/** Handles the end of the stream. */
	end(): void;
}

/** A growable byte buffer. Its capacity doubles, so single-byte chunks cost no more than large ones. */
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

	/** Returns all bytes and empties the buffer. */
	take(): Uint8Array {
		const taken = this.bytes.subarray(0, this.length);
		this.bytes = new Uint8Array(0);
		this.length = 0;
		return taken;
	}
}

// Fatal, because silently replaced bytes would make a document differ from the editor's copy.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Returns undefined if the bytes are invalid. */
export function decode(bytes: Uint8Array): string | undefined {
	try {
		return utf8.decode(bytes);
	} catch {
		return undefined;
	}
}

export function tooLarge(messageBytesMax: number): RpcError {
	return new RpcError(ErrorCode.invalidRequest, `Invalid request: the message is longer than ${messageBytesMax} bytes`);
}

export function notUtf8(): RpcError {
	return new RpcError(ErrorCode.parse, "Parse error: the message is not UTF-8");
}

/** Whether the text is too long in UTF-8. Encodes the text only if its length alone is not enough to tell. */
export function isLonger(text: string, bytesMax: number): boolean {
	if (3 * text.length <= bytesMax) return false;
	return text.length > bytesMax || new TextEncoder().encode(text).length > bytesMax;
}
