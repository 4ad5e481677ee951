import type { Socket } from "node:net";
import { type Clock, startBackgroundTimer } from "@segue/text";

// Far more than the clients of one user open at once. When all are taken, the oldest connection gives way to the new one.
const UNAUTHENTICATED_MAX = 64;
// A client sends its token one round trip after it connects. Until then it does not give way to newer connections.
const ROUND_TRIP_MS_MAX = 250;
// Connections without the token in that time. Only a flood reaches this bound; each needs a file descriptor.
const NEW_MAX = 1024;
// A client sends its request as soon as it is connected.
const FIRST_REQUEST_MS_MAX = 10_000;
// Open windows and the files they load and save.
const AUTHENTICATED_MAX = 256;

/**
 * The TCP connections of a server. Connections without the token have places of their own, so that they cannot keep out clients
 * that have it. They are not refused when their places are taken, because a client needs one until its token has been
 * checked: instead, the one that has been silent for longest is closed, once it had the time to send a token. Clients
 * authenticate within milliseconds, so those that hold a place for long are the ones to close.
 */
export class ConnectionSlots {
	/** Connections that have not sent the token, the longest silent first. */
	private readonly unauthenticated = new Map<Socket, PendingConnection>();
	private readonly authenticated = new Set<Socket>();
	private isTrimming = false;

	constructor(private readonly clock: Clock = SYSTEM) {}

	/** A backstop for the operating system's resources. The bounds above are reached first. */
	static readonly MAX = NEW_MAX + AUTHENTICATED_MAX + 1;

	add(socket: Socket): void {
		const [oldest] = this.unauthenticated.keys();
		if (this.unauthenticated.size >= NEW_MAX && oldest !== undefined) this.end(oldest);
		const callOff = this.clock.after(FIRST_REQUEST_MS_MAX, () => this.end(socket));
		this.unauthenticated.set(socket, { sinceMs: this.clock.now(), callOff });
		this.trim();
		socket.once("close", () => {
			this.remove(socket);
			this.authenticated.delete(socket);
		});
	}

	/** A request that needs no token arrived, such as one for the page. From here on Node's own timeouts apply. */
	requested(socket: Socket): void {
		if (!this.unauthenticated.has(socket)) return;
		this.remove(socket);
		this.unauthenticated.set(socket, { sinceMs: this.clock.now(), callOff: () => {} });
	}

	/** A request with the token arrived. Returns whether there is a place for the connection. */
	admit(socket: Socket): boolean {
		if (this.authenticated.has(socket)) return true;
		if (this.authenticated.size >= AUTHENTICATED_MAX) return false;
		this.remove(socket);
		this.authenticated.add(socket);
		return true;
	}

	/** Closes the oldest connections above the bound, now or when their time is over. */
	private trim(): void {
		if (this.isTrimming) return;
		for (const [socket, { sinceMs }] of this.unauthenticated) {
			if (this.unauthenticated.size <= UNAUTHENTICATED_MAX) return;
			const leftMs = sinceMs + ROUND_TRIP_MS_MAX - this.clock.now();
			if (leftMs > 0) {
				this.isTrimming = true;
				this.clock.after(leftMs, () => {
					this.isTrimming = false;
					this.trim();
				});
				return;
			}
			this.end(socket);
		}
	}

	private end(socket: Socket): void {
		this.remove(socket);
		socket.destroy();
	}

	private remove(socket: Socket): void {
		this.unauthenticated.get(socket)?.callOff();
		this.unauthenticated.delete(socket);
	}
}

interface PendingConnection {
	/** When it connected, or made its last request without the token. */
	readonly sinceMs: number;
	/** Calls off the limit on the time to its first request. */
	readonly callOff: () => void;
}

const SYSTEM: Clock = { now: () => performance.now(), after: startBackgroundTimer };
