import type { RpcError } from "./error.js";

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
