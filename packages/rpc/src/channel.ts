import type { RpcError } from "./error.js";
import { isLonger, tooLarge } from "./framing.js";
import { Queue } from "./queue.js";

/** The transport of a connection: carries whole messages, as JSON text, between two peers. */
export interface Channel {
	/** Starts delivery to the receiver, in order and never from within `send`. Called once. */
	open(receiver: Receiver, messageBytesMax: number): void;
	/** Sends a message as one write. */
	send(text: string): void;
	/**
	 * Stops reading until `resume`. Messages that were already read, at most one chunk, can still arrive. Undefined if
	 * the transport cannot pause, such as a browser's WebSocket.
	 */
	pause?(): void;
	resume?(): void;
	/** Size of the output that the peer has not read: bytes or, if the transport keeps strings, characters. */
	readonly unwrittenBytes: number;
	/** Flushes the output and closes. Calls `done` afterwards if the peer has read everything. */
	close(done: () => void): void;
	/** Closes immediately and discards unwritten output. */
	drop(): void;
}

export interface Receiver {
	message(text: string): void;
	/** Called when input that is not a message has been skipped. The error is the response to send. */
	unreadable(error: RpcError): void;
	/** Called when the channel is closed in both directions. */
	closed(reason: string): void;
	/** Called when the peer has ended its output but may still read. Without this method, `closed` is called instead. */
	ended?(reason: string): void;
}

/**
 * Returns two connected channels in one process. Messages arrive in later microtasks, as they do on a real transport.
 */
export function memoryPair(): [Channel, Channel] {
	const a = new MemoryChannel();
	const b = new MemoryChannel();
	a.other = b;
	b.other = a;
	return [a, b];
}

class MemoryChannel implements Channel {
	other: MemoryChannel | undefined;
	unwrittenBytes = 0;
	private receiver: Receiver | undefined;
	/** Messages from the other end that have not been delivered yet. */
	private readonly arrived = new Queue<string>();
	private isPaused = false;
	private isClosed = false;
	private messageBytesMax = 0;

	open(receiver: Receiver, messageBytesMax: number): void {
		this.receiver = receiver;
		this.messageBytesMax = messageBytesMax;
		this.deliverArrived();
		if (this.other?.isClosed) this.end();
	}

	send(text: string): void {
		this.unwrittenBytes += text.length;
		this.other?.take(text);
	}

	pause(): void {
		// Don't pause once the other end has closed, so that its last messages are delivered.
		this.isPaused = this.other?.isClosed === false;
	}

	resume(): void {
		this.isPaused = false;
		this.deliverArrived();
	}

	close(done: () => void): void {
		if (!this.isClosed) this.other?.end();
		this.isClosed = true;
		queueMicrotask(done);
	}

	drop(): void {
		this.close(() => {});
	}

	private end(): void {
		this.resume();
		queueMicrotask(() => this.receiver?.closed("the other side closed the connection"));
	}

	private take(text: string): void {
		this.arrived.push(text);
		if (this.receiver !== undefined) queueMicrotask(() => this.deliver());
	}

	private deliverArrived(): void {
		for (let left = this.arrived.size; left > 0; left--) queueMicrotask(() => this.deliver());
	}

	/**
	 * Runs in a separate microtask for each message. If the channel is paused, the message stays queued until `resume`.
	 */
	private deliver(): void {
		if (this.isPaused || this.receiver === undefined) return;
		const text = this.arrived.shift();
		if (text === undefined) return;
		if (this.other !== undefined) this.other.unwrittenBytes -= text.length;
		if (this.isClosed) return;
		if (isLonger(text, this.messageBytesMax)) this.receiver.unreadable(tooLarge(this.messageBytesMax));
		else this.receiver.message(text);
	}
}
