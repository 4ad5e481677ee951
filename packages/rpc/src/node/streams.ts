import type { Readable, Writable } from "node:stream";
import type { Channel, Framing, Receiver } from "../index.js";

/** Messages over two byte streams: standard input and output, a child's, or (given twice) a socket. */
export function overStreams(input: Readable, output: Writable, framing: Framing): Channel {
	return new StreamChannel(input, output, framing);
}

class StreamChannel implements Channel {
	constructor(
		private readonly input: Readable,
		private readonly output: Writable,
		private readonly framing: Framing,
	) {}

	open(receiver: Receiver, messageBytesMax: number): void {
		const reason = "the other side closed the connection";
		const gone = () => receiver.closed(reason);
		const decoder = this.framing.decoder(receiver, messageBytesMax);
		this.input.on("data", (chunk: Uint8Array) => decoder.push(chunk));
		this.input.on("end", () => {
			decoder.end();
			if (receiver.ended === undefined) gone();
			else receiver.ended(reason);
		});
		// An input that came to its end closes by itself, and says nothing about the output.
		this.input.on("close", () => {
			if (!this.input.readableEnded) gone();
		});
		this.output.on("close", gone);
		this.input.on("error", (error) => receiver.closed(`reading failed: ${error.message}`));
		this.output.on("error", (error) => receiver.closed(`writing failed: ${error.message}`));
		// A stream that is over already tells nobody again.
		const isOver = this.input.readableEnded || this.input.destroyed || !this.output.writable;
		if (isOver) queueMicrotask(gone);
	}

	send(text: string): void {
		if (this.output.writable) this.output.write(this.framing.encode(text));
	}

	get unwrittenBytes(): number {
		return this.output.writableLength;
	}

	close(done: () => void): void {
		this.output.end(() => {
			this.input.destroy();
			done();
		});
	}

	drop(): void {
		this.output.destroy();
		this.input.destroy();
	}
}
