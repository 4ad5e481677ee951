import { AsyncLocalStorage } from "node:async_hooks";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

/**
 * Keeps an unexpected error in one connection from ending the process.
 *
 * All code for a connection starts in one of two places: the `data` event of its TCP socket, where `ws` parses frames,
 * or the turn that handles one of its messages. Node emits the `data` event, so an error there becomes an uncaught
 * exception. To attribute it to a connection, listeners that run before and after the `ws` listener record which socket
 * is being read. After an exception, the second listener has not run. Turns run in a try statement and in an
 * asynchronous context that is inherited by timers, callbacks and promises created in the turn, so errors in these are
 * attributed to the connection as well.
 *
 * The connection whose code failed is dropped, because its state is unknown. The other connections continue, because
 * connections share no state that an unwound call stack could leave half changed, and the store uses transactions. An
 * error in a shared object is attributed to the connection whose turn created the object.
 *
 * An error that cannot be attributed to a connection is only logged. If the process exited after a certain number of
 * these errors, any client that can cause them could disconnect all others.
 */
export class Isolation {
	private reading: WebSocket | undefined;
	private readonly running = new AsyncLocalStorage<WebSocket>();

	/** `log` must be rate-limited. */
	constructor(private readonly log: (line: string) => void) {}

	/**
	 * Attributes errors in the `data` event of the TCP socket to its WebSocket. Call it after `ws` has added its
	 * listener.
	 */
	watch(socket: WebSocket, stream: Duplex): void {
		stream.prependListener("data", () => {
			this.reading = socket;
		});
		stream.on("data", () => {
			this.reading = undefined;
		});
	}

	/** Runs code for a connection. Errors in asynchronous work that it starts are attributed to the connection. */
	run(socket: WebSocket, code: () => void): void {
		try {
			this.running.run(socket, code);
		} catch (error) {
			this.drop(socket, error);
		}
	}

	/**
	 * Handles an uncaught exception. Call it in the process's listener, where the context of the error is still active.
	 */
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
