import type { Readable, Writable } from "node:stream";
import { type Channel, type Framing, Queue, type Receiver } from "../index.js";

/**
 * Returns a channel over two byte streams: standard input and output, a child process's streams, or a socket (passed
 * twice).
 */
export function overStreams(input: Readable, output: Writable, framing: Framing): Channel {
	return new StreamChannel(input, output, framing);
}

// Small, so that a slow peer's progress is visible: `unwrittenBytes` decreases only when a whole write is done.
const BATCH_BYTES = 2 ** 12;
// A pipe usually accepts this much at once. Longer messages reach the peer in several chunks anyway.
const WHOLE_BYTES_MAX = 2 ** 16;

/**
 * Writes one batch at a time and queues the rest. A stream passes buffered writes to the operating system as one write,
 * so `unwrittenBytes` would not change until the peer has read all of them.
 *
 * The next batch is written in the callback of the previous one. The `drain` event is not enough: it is emitted only
 * after the stream's buffer, which can be larger than a batch, was full.
 */
class StreamChannel implements Channel {
	private readonly queued = new Queue<string | Uint8Array>();
	private queuedBytes = 0;
	/** Number of batches whose callback has not been called. */
	private unfinished = 0;
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
		// An input that has ended also closes, which does not affect the output.
		this.input.on("close", () => {
			if (!this.input.readableEnded) gone();
		});
		this.output.on("close", gone);
		this.input.on("error", (error) => receiver.closed(`reading failed: ${error.message}`));
		this.output.on("error", (error) => receiver.closed(`writing failed: ${error.message}`));
		// A stream that has already closed emits no more events.
		const isOver = this.input.readableEnded || this.input.destroyed || !this.output.writable;
		if (isOver) queueMicrotask(gone);
	}

	send(text: string): void {
		if (!this.output.writable || this.endOutput !== undefined) return;
		const data = this.framing.encode(text);
		const isWhole = data.length <= (this.isBusy ? BATCH_BYTES : WHOLE_BYTES_MAX);
		for (const part of isWhole ? [data] : partsOf(data)) {
			this.queued.push(part);
			this.queuedBytes += part.length;
		}
		this.writeQueued();
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
		// A failed output is never drained.
		if (this.queued.size === 0 || !this.output.writable) this.endOutput();
	}

	drop(): void {
		this.output.destroy();
		this.input.destroy();
	}

	/** Whether the output is still writing a batch. */
	private get isBusy(): boolean {
		return this.unfinished > 0 && this.output.writableLength > 0;
	}

	private writeQueued(): void {
		while (this.queued.size > 0 && !this.isBusy && this.output.writable) this.writeBatch();
		if (this.queued.size === 0) this.endOutput?.();
	}

	private writeBatch(): void {
		const batch: (string | Uint8Array)[] = [];
		for (let bytes = 0; this.queued.size > 0 && bytes < BATCH_BYTES; ) {
			const data = this.queued.shift() as string | Uint8Array;
			this.queuedBytes -= data.length;
			bytes += data.length;
			batch.push(data);
		}
		const last = batch.pop() as string | Uint8Array;
		this.unfinished++;
		// Corking combines the messages into one write to the operating system. Other streams still see separate writes.
		this.output.cork();
		for (const data of batch) this.output.write(data);
		this.output.write(last, () => {
			this.unfinished--;
			if (this.queued.size > 0) this.writeQueued();
		});
		this.output.uncork();
	}
}

function* partsOf(data: string | Uint8Array): Generator<Uint8Array> {
	const bytes = Buffer.from(data);
	for (let at = 0; at < bytes.length; at += BATCH_BYTES) yield bytes.subarray(at, at + BATCH_BYTES);
}
