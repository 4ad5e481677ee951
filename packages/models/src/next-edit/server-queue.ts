import type { PendingModelRequest } from "./pending-requests.js";

/**
 * Whose turn it is at servers that answer one question at a time. All who share such servers share one of these, so that a
 * server never has the questions of two at once, and nobody waits for ever.
 */
export class ServerQueue {
	/** By server, while somebody has a turn there. */
	private readonly lines = new Map<string, Line>();

	/**
	 * Resolves when it is a flight's turn at a server, which lasts until the flight is over. They come in the order in which
	 * people began to wait: one who asks again while waiting keeps their place, and one who asks again at their turn goes
	 * behind those who wait. Rejects when the flight is given up before.
	 */
	wait(server: string, whose: object, flight: PendingModelRequest): Promise<void> {
		return new Promise((resolve, reject) => {
			flight.whenOver(() => {
				reject(flight.signal.reason);
				this.leave(server, flight);
			});
			const line = this.lines.get(server);
			if (line === undefined) {
				this.lines.set(server, { served: flight, waiting: new Map() });
				resolve();
			} else line.waiting.set(whose, { flight, go: resolve });
		});
	}

	/** The turn goes to the next who still waits. */
	private leave(server: string, flight: PendingModelRequest): void {
		const line = this.lines.get(server);
		if (line?.served !== flight) return;
		for (const [whose, next] of line.waiting) {
			line.waiting.delete(whose);
			if (next.flight.isOver) continue;
			line.served = next.flight;
			next.go();
			return;
		}
		this.lines.delete(server);
	}
}

interface Line {
	served: PendingModelRequest;
	/** Who waits, the first one first. What was given up keeps a place for what the same one asks next. */
	readonly waiting: Map<object, { readonly flight: PendingModelRequest; readonly go: () => void }>;
}
