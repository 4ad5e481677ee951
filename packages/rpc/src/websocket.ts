import type { Channel, Receiver } from "./channel.js";
import { ErrorCode, RpcError } from "./error.js";
import { isLonger, tooLarge } from "./framing.js";
import { Queue } from "./queue.js";

// As much as one write to a socket usually takes.
const IN_FLIGHT_BYTES_MAX = 2 ** 16;

/** An open WebSocket: a browser's, or one of the package `ws`, which can also be paused and ended at once. */
export interface Socket {
	readonly bufferedAmount: number;
	/** A browser ignores the callback. */
	send(data: string, written?: () => void): void;
	close(): void;
	/** Only in `ws`. */
	terminate?(): void;
	/** Only in `ws`. */
	pause?(): void;
	/** Only in `ws`. */
	resume?(): void;
	addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
	addEventListener(type: "close" | "error", listener: () => void): void;
}

/**
 * One message a frame over an open WebSocket. A frame arrives whole, so what may be buffered is for the socket to bound:
 * `maxPayload` in `ws`, which closes the connection at a larger frame.
 *
 * With `nextTurn`, such as `setImmediate`, each message is delivered in a turn of its own, so that a client which writes many
 * messages at once does not delay the clients of other sockets. Undelivered messages are at most those of one chunk, because
 * the socket is paused meanwhile. This replaces the `allowSynchronousEvents: false` of `ws`, which is unsafe: it keeps
 * later chunks in the buffer of a stream, and the stream goes on with the next one after an invalid frame.
 */
export function overWebSocket(socket: Socket, nextTurn?: (run: () => void) => void): Channel {
	return socket.pause === undefined ? new WebSocketChannel(socket) : new PausableChannel(socket, nextTurn);
}

class WebSocketChannel implements Channel {
	private isClosed = false;

	constructor(protected readonly socket: Socket) {}

	open(receiver: Receiver, messageBytesMax: number): void {
		this.socket.addEventListener("message", ({ data }) => {
			this.arrive(() => {
				if (typeof data !== "string") {
					receiver.unreadable(new RpcError(ErrorCode.invalidRequest, "Invalid request: a message is a text frame"));
				} else if (isLonger(data, messageBytesMax)) receiver.unreadable(tooLarge(messageBytesMax));
				else receiver.message(data);
			});
		});
		this.socket.addEventListener("error", () => this.arriveLast(() => receiver.closed("the WebSocket failed")));
		this.socket.addEventListener("close", () => {
			this.isClosed = true;
			this.arriveLast(() => receiver.closed("the other side closed the connection"));
		});
	}

	send(text: string): void {
		this.socket.send(text);
	}

	get unwrittenBytes(): number {
		return this.socket.bufferedAmount;
	}

	close(done: () => void): void {
		if (this.isClosed) {
			done();
			return;
		}
		this.socket.addEventListener("close", done);
		this.endOutput();
	}

	// A browser cannot end a socket faster than this; one of `ws` can.
	drop(): void {
		if (this.socket.terminate) this.socket.terminate();
		else this.socket.close();
	}

	protected arrive(deliver: () => void): void {
		deliver();
	}

	protected arriveLast(deliver: () => void): void {
		deliver();
	}

	protected endOutput(): void {
		this.socket.close();
	}
}

/** A socket of the package `ws`. Its output is queued here for the same reason as that of streams. */
class PausableChannel extends WebSocketChannel {
	private readonly arrived = new Queue<() => void>();
	private isScheduled = false;
	private isPaused = false;
	/** The socket is over, so there is nothing to pause. */
	private isOver = false;
	private readonly queued = new Queue<string>();
	private queuedBytes = 0;
	private isEnding = false;

	constructor(
		socket: Socket,
		private readonly nextTurn: ((run: () => void) => void) | undefined,
	) {
		super(socket);
	}

	override send(text: string): void {
		if (this.isEnding) return;
		if (this.queued.size === 0 && this.socket.bufferedAmount <= IN_FLIGHT_BYTES_MAX)
			this.socket.send(text, this.written);
		else {
			this.queued.push(text);
			this.queuedBytes += text.length;
		}
	}

	override get unwrittenBytes(): number {
		return this.socket.bufferedAmount + this.queuedBytes;
	}

	pause(): void {
		this.isPaused = true;
		this.socket.pause?.();
	}

	resume(): void {
		this.isPaused = false;
		if (this.arrived.size > 0) this.schedule();
		else this.socket.resume?.();
	}

	protected override arrive(deliver: () => void): void {
		if (this.nextTurn === undefined && !this.isPaused && this.arrived.size === 0) {
			deliver();
			return;
		}
		this.arrived.push(deliver);
		this.socket.pause?.();
		this.schedule();
	}

	protected override arriveLast(deliver: () => void): void {
		this.isOver = true;
		if (this.arrived.size === 0) deliver();
		else {
			this.arrived.push(deliver);
			this.schedule();
		}
	}

	/** Lets the peer read what is queued, then closes. */
	protected override endOutput(): void {
		this.isEnding = true;
		if (this.queued.size === 0) this.socket.close();
		// Only a socket that is read sees that the peer closes it.
		this.resume();
	}

	private schedule(): void {
		if (this.isScheduled || (this.isPaused && !this.isOver)) return;
		this.isScheduled = true;
		(this.nextTurn ?? queueMicrotask)(() => {
			this.isScheduled = false;
			if (this.isPaused && !this.isOver) return;
			this.arrived.shift()?.();
			if (this.arrived.size > 0) this.schedule();
			else if (!this.isPaused) this.socket.resume?.();
		});
	}

	private readonly written = (): void => {
		while (this.queued.size > 0 && this.socket.bufferedAmount <= IN_FLIGHT_BYTES_MAX) {
			const text = this.queued.shift() as string;
			this.queuedBytes -= text.length;
			this.socket.send(text, this.written);
		}
		if (this.isEnding && this.queued.size === 0) this.socket.close();
	};
}
