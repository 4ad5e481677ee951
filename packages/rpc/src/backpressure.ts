import { cancelled } from "./error.js";
import type { Limits } from "./limits.js";
import type { Message } from "./message.js";
import { Queue } from "./queue.js";

/** A message that was read from the channel. The text is undefined for input that was not a message. */
export interface ReceivedMessage {
	message: Message;
	readonly text: string | undefined;
}

/** The connection, as far as its intake needs it. */
interface Wire {
	dispatch(read: ReceivedMessage): void;
	/** Size of the output that the peer has not read. */
	readonly unwritten: number;
	/** Size of the output that the peer has read so far. Only its growth matters. */
	readonly written: number;
	/** Stops and restarts reading. Undefined where the channel cannot do that. */
	readonly pause: (() => void) | undefined;
	readonly resume: (() => void) | undefined;
	after(delayMs: number, run: () => void): () => void;
}

// Short enough that a drained output is not noticed late, long enough that the checks cost nothing.
const LOOK_MS = 10;
// Output that has not moved for this many looks, one second, is stalled. Streams write batches of 4 KiB, and output moves when
// a batch is written, so a peer may read as slowly as 4 KiB a second.
const STALLED_LOOKS = 100;
// After a stall the output may grow by this factor: from 1 MiB to the bound of 64 MiB in two stalls.
const STALL_GROWTH = 8;

/**
 * Back-pressure. A request produces output, so while more than `drainedBytesMax` of output waits to be read, requests are
 * held, and everything behind them, in wire order. Input that is answered with an error counts as a request. Responses and
 * cancellations are not held: handlers wait for them, and they produce no output. A notification is only held behind
 * a request.
 *
 * When `heldMax` messages or `heldBytesMax` characters are held, reading stops. The rest of the chunk that was being decoded
 * is still held, which is the only way to exceed these bounds.
 *
 * Two peers can wait for each other: both have output waiting, so both stop reading, so neither output moves. A peer that
 * writes everything before it reads anything does the same with one side. So a pause never depends on the peer alone: when
 * the output has not moved for a second, the bound on it is raised and held messages are handled, until
 * either the output moves or it exceeds `unwrittenBytesMax`, where the connection is dropped. Between two such peers
 * each second lets both read on, and a peer that never reads costs a bounded amount of memory. A peer that reads slowly,
 * but at least a batch of the channel in each second, keeps the output moving, so the bound is not raised and the peer is not dropped.
 */
export class Backpressure {
	private readonly held = new Queue<ReceivedMessage>();
	private heldBytes = 0;
	private outputMax: number;
	private isPaused = false;
	private callOffLook: (() => void) | undefined;
	private writtenAtLook = 0;
	private looksWithoutProgress = 0;

	constructor(
		private readonly limits: Pick<Limits, "drainedBytesMax" | "heldMax" | "heldBytesMax">,
		private readonly cancelMethod: string | undefined,
		private readonly wire: Wire,
	) {
		this.outputMax = limits.drainedBytesMax;
	}

	/** Whether every message was dispatched. */
	get isEmpty(): boolean {
		return this.held.size === 0;
	}

	add(read: ReceivedMessage): void {
		const { message } = read;
		const overtakes =
			message.kind === "response" || (message.kind === "notification" && message.method === this.cancelMethod);
		const isFree = this.held.size === 0 && (message.kind === "notification" || !this.isOutputFull);
		if (overtakes || isFree) this.wire.dispatch(read);
		else this.hold(read);
	}

	/** Cancels a held request: it is answered in its turn, but not handled. Does nothing if no such request is held. */
	cancel(id: unknown): void {
		for (const read of this.held) {
			const { message } = read;
			if (message.kind !== "request" || message.id !== id) continue;
			read.message = { kind: "invalid", id: message.id, error: cancelled() };
			return;
		}
	}

	close(): void {
		this.held.clear();
		this.heldBytes = 0;
		this.isPaused = false;
		this.callOffLook?.();
		this.callOffLook = undefined;
	}

	private get isOutputFull(): boolean {
		const { unwritten } = this.wire;
		// The peer reads again, so the bound that was raised for a stall is no longer needed.
		if (unwritten <= this.limits.drainedBytesMax) this.outputMax = this.limits.drainedBytesMax;
		return unwritten > this.outputMax;
	}

	private get isFull(): boolean {
		return this.held.size >= this.limits.heldMax || this.heldBytes >= this.limits.heldBytesMax;
	}

	private hold(read: ReceivedMessage): void {
		this.held.push(read);
		this.heldBytes += read.text?.length ?? 0;
		if (this.isFull) {
			if (this.wire.pause === undefined) {
				this.release();
				return;
			}
			if (!this.isPaused) {
				this.isPaused = true;
				this.wire.pause();
			}
		}
		if (this.callOffLook === undefined && this.held.size > 0) {
			this.writtenAtLook = this.wire.written;
			this.looksWithoutProgress = 0;
			this.lookLater();
		}
	}

	private lookLater(): void {
		this.callOffLook = this.wire.after(LOOK_MS, () => this.look());
	}

	private look(): void {
		this.callOffLook = undefined;
		const { written } = this.wire;
		if (written !== this.writtenAtLook) this.looksWithoutProgress = 0;
		else if (this.isOutputFull && ++this.looksWithoutProgress >= STALLED_LOOKS) {
			this.looksWithoutProgress = 0;
			this.outputMax *= STALL_GROWTH;
		}
		this.writtenAtLook = written;
		this.pump();
		if (this.held.size > 0) {
			this.lookLater();
			return;
		}
		if (this.isPaused) {
			this.isPaused = false;
			this.wire.resume?.();
		}
	}

	private pump(): void {
		while (this.held.peek()?.message.kind === "notification" || (this.held.size > 0 && !this.isOutputFull)) {
			this.release();
		}
	}

	private release(): void {
		const read = this.held.shift();
		if (read === undefined) return;
		this.heldBytes -= read.text?.length ?? 0;
		this.wire.dispatch(read);
	}
}
