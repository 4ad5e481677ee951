import type { PendingModelRequest } from "./pending-requests.js";

/**
 * Serializes requests to servers that handle one request at a time. Models that share a server must share a queue, so
 * that the server never gets two requests at the same time and no model starves.
 */
export class ServerQueue {
	/** The queue of each server with an active request. */
	private readonly queues = new Map<string, Queue>();

	/**
	 * Resolves when a request may be sent to a server. The server stays reserved until the request is over. Owners are
	 * served in the order in which they started to wait. A newer request from a waiting owner keeps the owner's place, and
	 * a request from the active owner goes to the end. Rejects if the request is aborted while waiting.
	 */
	wait(server: string, owner: object, request: PendingModelRequest): Promise<void> {
		return new Promise((resolve, reject) => {
			request.whenOver(() => {
				reject(request.signal.reason);
				this.release(server, request);
			});
			const queue = this.queues.get(server);
			if (queue === undefined) {
				this.queues.set(server, { active: request, waiting: new Map() });
				resolve();
			} else queue.waiting.set(owner, { request, go: resolve });
		});
	}

	/** Starts the next request that is still waiting. */
	private release(server: string, request: PendingModelRequest): void {
		const queue = this.queues.get(server);
		if (queue?.active !== request) return;
		for (const [owner, next] of queue.waiting) {
			queue.waiting.delete(owner);
			if (next.request.isOver) continue;
			queue.active = next.request;
			next.go();
			return;
		}
		this.queues.delete(server);
	}
}

interface Queue {
	active: PendingModelRequest;
	/** Waiting requests by owner, in order. An aborted request keeps its place for the owner's next request. */
	readonly waiting: Map<object, { readonly request: PendingModelRequest; readonly go: () => void }>;
}
