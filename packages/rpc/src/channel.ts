import type { RpcError } from "./error.js";
import { isLonger, tooLarge } from "./framing.js";
import { Queue } from "./queue.js";

/** Carries whole messages, as JSON text, between two peers; what a connection stands on. */
export interface Channel {
	/** Called once. From then on the receiver is told of what arrives, in order, and never from inside `send`. */
	open(receiver: Receiver, messageBytesMax: number): void;
	/** Writes a message with one write. */
	send(text: string): void;
	/**
	 * Stops reading until `resume`. Messages that were read but not yet delivered may still be delivered: at most one chunk.
	 * Undefined where the transport cannot stop, such as a browser's WebSocket.
	 */
	pause?(): void;
	resume?(): void;
	/** What was sent and the other side has not read: bytes or, where the wire keeps strings, their characters. */
	readonly unwrittenBytes: number;
	/** Writes out what was sent, and ends. Says when that is done, if the other side reads it. */
	close(done: () => void): void;
	/** Ends at once, whatever is still to be written. */
	drop(): void;
}

export interface Receiver {
	message(text: string): void;
	/** Something arrived that is no message; it was passed over, and the error says what it is answered with. */
	unreadable(error: RpcError): void;
	/** Nothing more will arrive, and nothing that is sent will be read. */
	closed(reason: string): void;
	/** Nothing more will arrive, but the other side may still read. A receiver without it is told that it is closed. */
	ended?(reason: string): void;
}

/** Two channels, each the other's end, in one process. Messages arrive in later microtasks, as on a real wire. */
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
	/** Messages from the other end that were not delivered yet. */
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
		// The rest of what the other end wrote before it closed is delivered without a pause.
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

	/** Each message has a microtask of its own; one that finds the channel paused leaves its message to `resume`. */
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
