import type { Socket } from "node:net";

// Far more than the clients of one user open at once. When all are taken, the oldest connection gives way to the new one.
const UNAUTHENTICATED_MAX = 64;
// A client sends its request as soon as it is connected.
const FIRST_REQUEST_MS_MAX = 10_000;
// Open windows and the files they load and save.
const AUTHENTICATED_MAX = 256;

/**
 * The TCP connections of a server. Connections without the token have places of their own, so that they cannot keep out clients
 * that have it. They are not refused when their places are taken, because a client needs one until its token has been
 * checked: instead, the one that has been silent for longest is closed. Clients authenticate within
 * milliseconds, so those that hold a place for long are the ones to close.
 */
export class Places {
	/** Those that have not sent the token, the longest silent first, each with how to call off its time limit. */
	private readonly unauthenticated = new Map<Socket, () => void>();
	private readonly authenticated = new Set<Socket>();

	constructor(private readonly after: (delayMs: number, run: () => void) => () => void = startTimer) {}

	/** A backstop for the operating system's resources. The bounds above are reached first. */
	static readonly MAX = UNAUTHENTICATED_MAX + AUTHENTICATED_MAX + 1;

	add(socket: Socket): void {
		const [oldest] = this.unauthenticated.keys();
		if (this.unauthenticated.size >= UNAUTHENTICATED_MAX && oldest !== undefined) this.end(oldest);
		this.unauthenticated.set(
			socket,
			this.after(FIRST_REQUEST_MS_MAX, () => this.end(socket)),
		);
		socket.once("close", () => {
			this.remove(socket);
			this.authenticated.delete(socket);
		});
	}

	/** A request that needs no token arrived, such as one for the page. From here on Node's own timeouts apply. */
	requested(socket: Socket): void {
		if (!this.unauthenticated.has(socket)) return;
		this.remove(socket);
		this.unauthenticated.set(socket, () => {});
	}

	/** A request with the token arrived. Returns whether there is a place for the connection. */
	admit(socket: Socket): boolean {
		if (this.authenticated.has(socket)) return true;
		if (this.authenticated.size >= AUTHENTICATED_MAX) return false;
		this.remove(socket);
		this.authenticated.add(socket);
		return true;
	}

	private end(socket: Socket): void {
		this.remove(socket);
		socket.destroy();
	}

	private remove(socket: Socket): void {
		this.unauthenticated.get(socket)?.();
		this.unauthenticated.delete(socket);
	}
}

function startTimer(delayMs: number, run: () => void): () => void {
	const timer = setTimeout(run, delayMs).unref();
	return () => clearTimeout(timer);
}
