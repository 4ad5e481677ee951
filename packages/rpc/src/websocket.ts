import type { Channel, Receiver } from "./channel.js";
import { ErrorCode, RpcError } from "./error.js";
import { isLonger, tooLarge } from "./framing.js";
import { Queue } from "./queue.js";

// The usual size of one write to a socket.
const IN_FLIGHT_BYTES_MAX = 2 ** 16;

/** An open WebSocket from a browser or from the package `ws`. The latter can also be paused and terminated. */
export interface Socket {
	readonly bufferedAmount: number;
	/** Browsers ignore the callback. */
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
 * Returns a channel over an open WebSocket, with one message per frame. Frames arrive whole, so the socket must limit
 * their size: with `ws`, `maxPayload` closes the connection when a frame is larger.
 *
 * With `nextTurn`, such as `setImmediate`, each message is delivered in its own turn of the event loop, so that a
 * client that writes many messages at once does not delay clients on other sockets. The socket is paused meanwhile, so
 * at most one chunk of messages is undelivered. Don't use the `ws` option `allowSynchronousEvents: false` instead: it
 * keeps later chunks in a stream's buffer, and after an invalid frame the stream continues with the next chunk.
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
					receiver.unreadable(
						new RpcError(ErrorCode.invalidRequest, "Invalid request: a message must be a text frame"),
					);
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

	// Browsers cannot terminate a socket; `ws` can.
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

/** A socket from the package `ws`. Queues its output for the same reason as `StreamChannel`. */
class PausableChannel extends WebSocketChannel {
	private readonly arrived = new Queue<() => void>();
	private isScheduled = false;
	private isPaused = false;
	/** Set once the socket has closed, because it can then no longer be paused. */
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

	/** Sends the queued messages, then closes. */
	protected override endOutput(): void {
		this.isEnding = true;
		if (this.queued.size === 0) this.socket.close();
		// The peer's close frame is noticed only during reading.
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
