import type { Readable, Writable } from "node:stream";
import { type Channel, type Framing, Queue, type Receiver } from "../index.js";

/** Messages over two byte streams: standard input and output, a child's, or (given twice) a socket. */
export function overStreams(input: Readable, output: Writable, framing: Framing): Channel {
	return new StreamChannel(input, output, framing);
}

// As much as a pipe usually takes at once.
const BATCH_BYTES = 2 ** 16;

/**
 * Gives the output no more than it asks for and queues the rest here. A stream that has many writes buffered passes them to
 * the operating system as one, and `unwrittenBytes` would not move before the peer has read all of it.
 */
class StreamChannel implements Channel {
	private readonly queued = new Queue<string | Uint8Array>();
	private queuedBytes = 0;
	/** Ends the output; set once the channel is closed. */
	private endOutput: (() => void) | undefined;

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
		this.output.on("drain", () => this.writeQueued());
		this.input.on("error", (error) => receiver.closed(`reading failed: ${error.message}`));
		this.output.on("error", (error) => receiver.closed(`writing failed: ${error.message}`));
		// A stream that is over already tells nobody again.
		const isOver = this.input.readableEnded || this.input.destroyed || !this.output.writable;
		if (isOver) queueMicrotask(gone);
	}

	send(text: string): void {
		if (!this.output.writable || this.endOutput !== undefined) return;
		const data = this.framing.encode(text);
		if (this.queued.size === 0 && !this.output.writableNeedDrain) this.output.write(data);
		else {
			this.queued.push(data);
			this.queuedBytes += data.length;
		}
	}

	pause(): void {
		this.input.pause();
	}

	resume(): void {
		this.input.resume();
	}

	get unwrittenBytes(): number {
		return this.output.writableLength + this.queuedBytes;
	}

	close(done: () => void): void {
		this.endOutput = () => {
			this.output.end(() => {
				this.input.destroy();
				done();
			});
		};
		// An output that failed is never drained.
		if (this.queued.size === 0 || !this.output.writable) this.endOutput();
	}

	drop(): void {
		this.output.destroy();
		this.input.destroy();
	}

	private writeQueued(): void {
		// Corked, they are one write for the operating system. Each is still a write of its own for other streams.
		this.output.cork();
		for (let batch = 0; this.queued.size > 0 && batch < BATCH_BYTES; ) {
			const data = this.queued.shift() as string | Uint8Array;
			this.queuedBytes -= data.length;
			batch += data.length;
			this.output.write(data);
		}
		this.output.uncork();
		if (this.queued.size === 0) this.endOutput?.();
	}
}
