import type { RpcError } from "./error.js";

/** Carries whole messages, as JSON text, between two peers; what a connection stands on. */
export interface Channel {
	/** Called once. From then on the receiver is told of what arrives, in order, and never from inside `send`. */
	open(receiver: Receiver, messageBytesMax: number): void;
	/** Writes a message with one write. */
	send(text: string): void;
	/** Bytes that were sent and that the other side has not read. */
	readonly unwrittenBytes: number;
	/** Writes out what was sent, and ends. */
	close(): void;
	/** Ends at once, whatever is still to be written. */
	drop(): void;
}

export interface Receiver {
	message(text: string): void;
	/** Something arrived that is no message; it was passed over, and the error says what it is answered with. */
	unreadable(error: RpcError): void;
	/** Nothing more will arrive. */
	closed(reason: string): void;
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

	open(receiver: Receiver): void {
		this.receiver = receiver;
		for (const text of this.early.splice(0)) this.deliver(text);
	}

	send(text: string): void {
		this.unwrittenBytes += text.length;
		this.other?.deliver(text);
	}

	close(): void {
		if (this.isClosed) return;
		this.isClosed = true;
		const other = this.other;
		queueMicrotask(() => other?.receiver?.closed("the other side closed the connection"));
	}

	drop(): void {
		this.close();
	}

	private deliver(text: string): void {
		const receiver = this.receiver;
		if (receiver === undefined) {
			this.early.push(text);
			return;
		}
		queueMicrotask(() => {
			if (this.other !== undefined) this.other.unwrittenBytes -= text.length;
			if (!this.isClosed) receiver.message(text);
		});
	}
}
