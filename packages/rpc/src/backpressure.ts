import { cancelled } from "./error.js";
import type { Limits } from "./limits.js";
import type { Message } from "./message.js";
import { Queue } from "./queue.js";

/** A message read from the channel. The text is undefined if the input was not a message. */
export interface ReceivedMessage {
	message: Message;
	readonly text: string | undefined;
}

/** The parts of the connection that back-pressure needs. */
interface Wire {
	dispatch(read: ReceivedMessage): void;
	/** Size of the output that the peer has not read yet. */
	readonly unwritten: number;
	/** Size of the output that the peer has read so far. Only increases matter. */
	readonly written: number;
	/** Stops and restarts reading. Undefined if the channel cannot do that. */
	readonly pause: (() => void) | undefined;
	readonly resume: (() => void) | undefined;
	after(delayMs: number, run: () => void): () => void;
}

// Short enough to notice drained output quickly, but long enough that polling costs nothing.
const POLL_MS = 10;
// The output is stalled after this many polls (one second) without progress. Streams write batches of 4 KiB, and
// progress is visible only when a whole batch has been written, so a peer can read as slowly as 4 KiB per second.
const STALLED_POLLS = 100;
// After a stall, the output limit grows by this factor: from 1 MiB to the maximum of 64 MiB in two stalls.
const STALL_GROWTH = 8;

/**
 * Back-pressure. Requests produce output, so while more than `drainedBytesMax` of output is unread, requests are held,
 * as are all messages after them, to preserve the order. Input that gets an error response counts as a request.
 * Responses and cancellations are not held, because handlers wait for them and they produce no output. Notifications
 * are held only behind a request.
 *
 * When `heldMax` messages or `heldBytesMax` characters are held, reading stops. The rest of the chunk being decoded is
 * still added, which is the only way to exceed these limits.
 *
 * Two peers can block each other: both have unread output, so both stop reading, and neither makes progress. A peer
 * that writes everything before it reads anything causes the same deadlock by itself. The end of a pause must therefore
 * not depend only on the peer: if the output makes no progress for a second, its limit is raised and held messages are
 * handled, until the output moves or exceeds `unwrittenBytesMax`, at which point the connection is dropped. Two such
 * peers can both continue every second, and a peer that never reads costs a bounded amount of memory. A slow peer that
 * reads at least one batch per second keeps the output moving, so its limit is not raised and it is not dropped.
 */
export class Backpressure {
	private readonly held = new Queue<ReceivedMessage>();
	private heldBytes = 0;
	private outputMax: number;
	private isPaused = false;
	private cancelPoll: (() => void) | undefined;
	private writtenAtPoll = 0;
	private pollsWithoutProgress = 0;

	constructor(
		private readonly limits: Pick<Limits, "drainedBytesMax" | "heldMax" | "heldBytesMax">,
		private readonly cancelMethod: string | undefined,
		private readonly wire: Wire,
	) {
		this.outputMax = limits.drainedBytesMax;
	}

	/** Whether no message is held. */
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

	/**
	 * Cancels a held request, so that it is answered in order but not handled. Does nothing if the request is not held.
	 */
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
		this.cancelPoll?.();
		this.cancelPoll = undefined;
	}

	private get isOutputFull(): boolean {
		const { unwritten } = this.wire;
		// The peer is reading again, so the limit no longer needs to be raised.
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
		if (this.cancelPoll === undefined && this.held.size > 0) {
			this.writtenAtPoll = this.wire.written;
			this.pollsWithoutProgress = 0;
			this.schedulePoll();
		}
	}

	private schedulePoll(): void {
		this.cancelPoll = this.wire.after(POLL_MS, () => this.poll());
	}

	private poll(): void {
		this.cancelPoll = undefined;
		const { written } = this.wire;
		if (written !== this.writtenAtPoll) this.pollsWithoutProgress = 0;
		else if (this.isOutputFull && ++this.pollsWithoutProgress >= STALLED_POLLS) {
			this.pollsWithoutProgress = 0;
			this.outputMax *= STALL_GROWTH;
		}
		this.writtenAtPoll = written;
		this.pump();
		if (this.held.size > 0) {
			this.schedulePoll();
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
