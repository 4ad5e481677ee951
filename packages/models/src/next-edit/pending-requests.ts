import type { ModelClock } from "../clock.js";

/** Tracks a model's pending requests and limits their number and duration. */
export class PendingModelRequests {
	/** Oldest first. */
	private readonly pending: PendingModelRequest[] = [];

	constructor(
		private readonly most: number,
		private readonly clock: ModelClock,
	) {}

	/** Starts a request. Aborts the oldest if there are too many. */
	begin(outer: AbortSignal): PendingModelRequest {
		while (this.pending.length >= this.most) this.pending.shift()?.abort(superseded());
		const request = new PendingModelRequest(outer, this.clock);
		this.pending.push(request);
		request.whenOver(() => {
			const at = this.pending.indexOf(request);
			if (at >= 0) this.pending.splice(at, 1);
		});
		return request;
	}
}

/** A request until it ends or is aborted. */
export class PendingModelRequest {
	private readonly controller = new AbortController();
	private readonly listeners: (() => void)[] = [];
	private cancel = (): void => {};
	private hasEnded = false;

	constructor(
		private readonly outer: AbortSignal,
		private readonly clock: ModelClock,
	) {
		outer.addEventListener("abort", this.abortWithOuter, { once: true });
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	get isOver(): boolean {
		return this.hasEnded;
	}

	/** Sets the deadline, replacing an earlier one. When it passes, the request is aborted with the error. */
	limit(afterMs: number, late: () => Error): void {
		this.cancel();
		if (!this.hasEnded) this.cancel = this.clock.after(afterMs, () => this.abort(late()));
	}

	/** Calls `run` when the request ends or is aborted. */
	whenOver(run: () => void): void {
		this.listeners.push(run);
	}

	abort(reason: unknown): void {
		this.controller.abort(reason);
		this.end();
	}

	end(): void {
		if (this.hasEnded) return;
		this.hasEnded = true;
		this.cancel();
		this.outer.removeEventListener("abort", this.abortWithOuter);
		for (const run of this.listeners) run();
	}

	private readonly abortWithOuter = (): void => this.abort(this.outer.reason);
}

/** Callers recognize the error by its name. */
function superseded(): DOMException {
	return new DOMException("superseded by a newer request", "AbortError");
}
