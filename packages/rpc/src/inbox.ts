import type { Limits } from "./limits.js";

/** A request that may have to wait before its handler runs. */
interface QueuedRequest {
	readonly size: number;
	readonly run: () => void;
}

/**
 * The peer's requests and notifications, in order. Each runs on arrival unless the maximum number of requests is being
 * handled. In that case, the next request waits, and so does everything behind it, including notifications, because a
 * request must see the documents as they were when it was sent.
 *
 * The first waiting message is therefore always a request. If the queue is full, that request is refused, so no state
 * is lost, and the messages behind it proceed. Notifications are never dropped.
 */
export class Inbox<Request extends QueuedRequest> {
	private readonly waiting: Item<Request>[] = [];
	private waitingBytes = 0;
	private handling = 0;
	private isDraining = false;
	private isClosed = false;

	constructor(
		private readonly limits: Pick<Limits, "handlingMax" | "waitingMax" | "waitingBytesMax">,
		private readonly refuse: (request: Request) => void,
	) {}

	addRequest(request: Request): void {
		if (this.waiting.length === 0 && this.handling < this.limits.handlingMax) this.start(request.run);
		else if (this.isFull(request.size)) this.refuse(request);
		else this.push(request.size, request, () => this.start(request.run));
	}

	addNotification(size: number, run: () => void): void {
		while (this.waiting.length > 0 && this.isFull(size)) {
			const first = this.shift();
			if (first.request !== undefined) this.refuse(first.request);
			this.drain();
		}
		if (this.isClosed) return;
		if (this.waiting.length === 0) run();
		else this.push(size, undefined, run);
	}

	/** Called once a running request has been answered. */
	done(): void {
		this.handling--;
		this.drain();
	}

	/** Removes a waiting request. Returns false if it is not waiting. */
	remove(request: Request): boolean {
		const index = this.waiting.findIndex((item) => item.request === request);
		if (index < 0) return false;
		this.waitingBytes -= request.size;
		this.waiting.splice(index, 1);
		this.drain();
		return true;
	}

	/** Drops all waiting messages. */
	close(): void {
		this.isClosed = true;
		this.waiting.length = 0;
		this.waitingBytes = 0;
	}

	private isFull(size: number): boolean {
		const { waitingMax, waitingBytesMax } = this.limits;
		return this.waiting.length >= waitingMax || this.waitingBytes + size > waitingBytesMax;
	}

	private start(run: () => void): void {
		this.handling++;
		run();
	}

	private push(size: number, request: Request | undefined, run: () => void): void {
		this.waiting.push({ size, request, run });
		this.waitingBytes += size;
	}

	private shift(): Item<Request> {
		const first = this.waiting.shift();
		if (first === undefined) throw new Error("the queue is empty");
		this.waitingBytes -= first.size;
		return first;
	}

	/**
	 * Dispatches the waiting messages that are ready to run. A handler that completes synchronously calls this method
	 * again while the loop below is running.
	 */
	private drain(): void {
		if (this.isDraining) return;
		this.isDraining = true;
		try {
			while (this.waiting.length > 0) {
				const isRequest = this.waiting[0]?.request !== undefined;
				if (isRequest && this.handling >= this.limits.handlingMax) break;
				this.shift().run();
			}
		} finally {
			this.isDraining = false;
		}
	}
}

interface Item<Request> {
	readonly size: number;
	/** Undefined for a notification. */
	readonly request: Request | undefined;
	readonly run: () => void;
}
