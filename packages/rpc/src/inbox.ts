import type { Limits } from "./limits.js";

/** A request on its way to its handler. */
interface QueuedRequest {
	readonly size: number;
	readonly run: () => void;
}

/**
 * The requests and notifications of the other side, in the order they came. Each runs on arrival, unless as many
 * requests as allowed are being handled: then the next request waits, and so does everything behind it, notifications
 * too, because a request must see the documents as they were when it was sent.
 *
 * So the first that waits is always a request. When there is no more room it is refused, which never loses anything,
 * and what stood behind it goes on; a notification is never dropped.
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

	/** A request that was started has been answered. */
	done(): void {
		this.handling--;
		this.drain();
	}

	/** Takes a request out again; false if it does not wait. */
	remove(request: Request): boolean {
		const index = this.waiting.findIndex((item) => item.request === request);
		if (index < 0) return false;
		this.waitingBytes -= request.size;
		this.waiting.splice(index, 1);
		this.drain();
		return true;
	}

	/** Nothing more runs. */
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
		if (first === undefined) throw new Error("nothing waits");
		this.waitingBytes -= first.size;
		return first;
	}

	/** Runs what may run. A handler that is done at once comes back here, and finds the loop below at work already. */
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
