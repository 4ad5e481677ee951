import type { Socket } from "node:net";
import { type Clock, startBackgroundTimer } from "@segue/text";

// Far more than one user's clients open at once. Beyond that, the oldest connection is closed.
const UNAUTHENTICATED_MAX = 64;
// A client sends its token within a round trip after connecting. A connection younger than this is not closed to make
// room for a newer one.
const ROUND_TRIP_MS_MAX = 250;
// Limit for all unauthenticated connections, including new ones. Each needs a file descriptor. Only a flood of
// connections reaches this limit.
const NEW_MAX = 1024;
// Clients send a request immediately after connecting.
const FIRST_REQUEST_MS_MAX = 10_000;
// Enough for all open windows and for the files they load and save.
const AUTHENTICATED_MAX = 256;

/**
 * Limits the TCP connections to a server. Unauthenticated connections have separate slots, so they cannot block clients
 * with the token. A new connection is never refused, because every client is unauthenticated until its token has been
 * checked. Instead, the connection that has been idle longest is closed, once it has had time to send a token. Clients
 * authenticate within milliseconds, so long-lived unauthenticated connections are the ones to close.
 */
export class ConnectionSlots {
	/** Connections without a token, longest idle first. */
	private readonly unauthenticated = new Map<Socket, PendingConnection>();
	private readonly authenticated = new Set<Socket>();
	private isTrimming = false;

	constructor(private readonly clock: Clock = SYSTEM) {}

	/** A final limit that protects system resources. The limits above are reached first. */
	static readonly MAX = NEW_MAX + AUTHENTICATED_MAX + 1;

	add(socket: Socket): void {
		const [oldest] = this.unauthenticated.keys();
		if (this.unauthenticated.size >= NEW_MAX && oldest !== undefined) this.end(oldest);
		const cancelTimer = this.clock.after(FIRST_REQUEST_MS_MAX, () => this.end(socket));
		this.unauthenticated.set(socket, { sinceMs: this.clock.now(), cancelTimer });
		this.trim();
		socket.once("close", () => {
			this.remove(socket);
			this.authenticated.delete(socket);
		});
	}

	/** Records a request that needs no token, for example for the page. After this, Node's own timeouts apply. */
	requested(socket: Socket): void {
		if (!this.unauthenticated.has(socket)) return;
		this.remove(socket);
		this.unauthenticated.set(socket, { sinceMs: this.clock.now(), cancelTimer: () => {} });
	}

	/** Records a request with the token. Returns whether there is a slot for the connection. */
	admit(socket: Socket): boolean {
		if (this.authenticated.has(socket)) return true;
		if (this.authenticated.size >= AUTHENTICATED_MAX) return false;
		this.remove(socket);
		this.authenticated.add(socket);
		return true;
	}

	/** Closes the oldest connections above the limit, now or once they have had time to authenticate. */
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
		this.unauthenticated.get(socket)?.cancelTimer();
		this.unauthenticated.delete(socket);
	}
}

interface PendingConnection {
	/** The time when the connection was opened or last sent a request without the token. */
	readonly sinceMs: number;
	/** Cancels the timeout for the first request. */
	readonly cancelTimer: () => void;
}

const SYSTEM: Clock = { now: () => performance.now(), after: startBackgroundTimer };
