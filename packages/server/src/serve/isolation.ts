import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

// More errors than this within the window mean that the process itself is broken.
const ERRORS_MAX = 10;
const WINDOW_MS = 60_000;

/**
 * Keeps an unexpected error of one connection from ending the process.
 *
 * All code that runs for a connection starts in one of two places: the `data` event of its TCP socket, where `ws` parses
 * frames, or the turn in which one of its messages is handled. Turns run in a try statement. The `data` event is emitted by
 * Node, so an error there reaches the process as an uncaught exception. To find the connection it belongs to, a listener before
 * and one after that of `ws` record which socket is being read; after an exception the second one has not run.
 *
 * The connection whose code failed is dropped, because its state is unknown. The others go on: connections share nothing
 * that an unwound call stack leaves half changed, and the store writes in transactions. An error that belongs to
 * no connection, such as a rejected promise without a handler, is logged. After `ERRORS_MAX` errors within a minute
 * the process should exit.
 */
export class Isolation {
	private reading: WebSocket | undefined;
	private readonly errorsAt: number[] = [];

	constructor(
		private readonly log: (line: string) => void,
		private readonly now: () => number = performance.now.bind(performance),
	) {}

	/** Attributes errors in the `data` event of the TCP socket to its WebSocket. To be called once `ws` listens. */
	watch(socket: WebSocket, stream: Duplex): void {
		stream.prependListener("data", () => {
			this.reading = socket;
		});
		stream.on("data", () => {
			this.reading = undefined;
		});
	}

	/** Runs code on behalf of a connection. */
	run(socket: WebSocket, code: () => void): void {
		try {
			code();
		} catch (error) {
			this.drop(socket, error);
		}
	}

	/** Handles an uncaught exception. Returns whether the process can go on. */
	handle(error: unknown): boolean {
		const { reading } = this;
		this.reading = undefined;
		if (reading !== undefined) {
			this.drop(reading, error);
			return true;
		}
		const now = this.now();
		while (this.errorsAt.length > 0 && now - (this.errorsAt[0] ?? 0) > WINDOW_MS) this.errorsAt.shift();
		this.errorsAt.push(now);
		this.log(`internal error: ${describe(error)}`);
		return this.errorsAt.length <= ERRORS_MAX;
	}

	private drop(socket: WebSocket, error: unknown): void {
		this.log(`a connection was closed after an internal error: ${describe(error)}`);
		socket.terminate();
	}
}

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
