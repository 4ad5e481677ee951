import { AsyncLocalStorage } from "node:async_hooks";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

/**
 * Keeps an unexpected error of one connection from ending the process.
 *
 * All code that runs for a connection starts in one of two places: the `data` event of its TCP socket, where `ws` parses
 * frames, or the turn in which one of its messages is handled. The `data` event is emitted by Node, so an error there reaches
 * the process as an uncaught exception. To find the connection it belongs to, a listener before and one after that of `ws` record
 * which socket is being read; after an exception the second one has not run. Turns run in a try statement and in an asynchronous
 * context, which timers, callbacks and promises that are created in a turn inherit. So an error in these is attributed, too.
 *
 * The connection whose code failed is dropped, because its state is unknown. The others go on: connections share nothing
 * that an unwound call stack leaves half changed, and the store writes in transactions. An error in something shared that
 * a turn created is attributed to the connection of that turn.
 *
 * An error that belongs to no connection is only logged. A bound after which the process exits would let any client that finds
 * a way to cause such errors disconnect all others.
 */
export class Isolation {
	private reading: WebSocket | undefined;
	private readonly running = new AsyncLocalStorage<WebSocket>();

	/** The log must limit its rate. */
	constructor(private readonly log: (line: string) => void) {}

	/** Attributes errors in the `data` event of the TCP socket to its WebSocket. To be called once `ws` listens. */
	watch(socket: WebSocket, stream: Duplex): void {
		stream.prependListener("data", () => {
			this.reading = socket;
		});
		stream.on("data", () => {
			this.reading = undefined;
		});
	}

	/** Runs code on behalf of a connection. Errors in asynchronous work that it starts are attributed to the connection. */
	run(socket: WebSocket, code: () => void): void {
		try {
			this.running.run(socket, code);
		} catch (error) {
			this.drop(socket, error);
		}
	}

	/** Handles an uncaught exception. To be called by the listener of the process, in which the context of the error is still active. */
	handle(error: unknown): void {
		const socket = this.reading ?? this.running.getStore();
		this.reading = undefined;
		if (socket === undefined) this.log(`internal error: ${describe(error)}`);
		else this.drop(socket, error);
	}

	private drop(socket: WebSocket, error: unknown): void {
		this.log(`a connection was closed after an internal error: ${describe(error)}`);
		socket.terminate();
	}
}

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
