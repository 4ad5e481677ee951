import type { RpcError } from "./error.js";
import { isLonger, tooLarge } from "./framing.js";

/** Carries whole messages, as JSON text, between two peers; what a connection stands on. */
export interface Channel {
	/** Called once. From then on the receiver is told of what arrives, in order, and never from inside `send`. */
	open(receiver: Receiver, messageBytesMax: number): void;
	/** Writes a message with one write. */
	send(text: string): void;
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
	private readonly early: string[] = [];
	private isClosed = false;
	private messageBytesMax = 0;

	open(receiver: Receiver, messageBytesMax: number): void {
		this.receiver = receiver;
		this.messageBytesMax = messageBytesMax;
		for (const text of this.early.splice(0)) this.deliver(text);
		if (this.other?.isClosed) this.end();
	}

	send(text: string): void {
		this.unwrittenBytes += text.length;
		this.other?.deliver(text);
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
		queueMicrotask(() => this.receiver?.closed("the other side closed the connection"));
	}

	private deliver(text: string): void {
		const receiver = this.receiver;
		if (receiver === undefined) {
			this.early.push(text);
			return;
		}
		queueMicrotask(() => {
			if (this.other !== undefined) this.other.unwrittenBytes -= text.length;
			if (this.isClosed) return;
			if (isLonger(text, this.messageBytesMax)) receiver.unreadable(tooLarge(this.messageBytesMax));
			else receiver.message(text);
		});
	}
}
