import type { ModelClock } from "../clock.js";

/** The requests of a model that are under way: only so many, each for only so long. */
export class PendingModelRequests {
	/** The oldest first. */
	private readonly pending: PendingModelRequest[] = [];

	constructor(
		private readonly most: number,
		private readonly clock: ModelClock,
	) {}

	/** Begins one. Where there is no room, the oldest is given up for it. */
	begin(outer: AbortSignal): PendingModelRequest {
		while (this.pending.length >= this.most) this.pending.shift()?.abort(superseded());
		const flight = new PendingModelRequest(outer, this.clock);
		this.pending.push(flight);
		flight.whenOver(() => {
			const at = this.pending.indexOf(flight);
			if (at >= 0) this.pending.splice(at, 1);
		});
		return flight;
	}
}

/** One request, until it has ended or was given up. */
export class PendingModelRequest {
	private readonly controller = new AbortController();
	private readonly followers: (() => void)[] = [];
	private callOff = (): void => {};
	private hasEnded = false;

	constructor(
		private readonly outer: AbortSignal,
		private readonly clock: ModelClock,
	) {
		outer.addEventListener("abort", this.leave, { once: true });
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	get isOver(): boolean {
		return this.hasEnded;
	}

	/** From now on it may take so long, whatever was said before; then it is given up for a reason. */
	limit(afterMs: number, late: () => Error): void {
		this.callOff();
		if (!this.hasEnded) this.callOff = this.clock.after(afterMs, () => this.abort(late()));
	}

	/** Runs something as soon as it has ended or was given up. */
	whenOver(run: () => void): void {
		this.followers.push(run);
	}

	abort(reason: unknown): void {
		this.controller.abort(reason);
		this.end();
	}

	end(): void {
		if (this.hasEnded) return;
		this.hasEnded = true;
		this.callOff();
		this.outer.removeEventListener("abort", this.leave);
		for (const run of this.followers) run();
	}

	private readonly leave = (): void => this.abort(this.outer.reason);
}

/** The name tells it from a fault. */
function superseded(): DOMException {
	return new DOMException("a newer request took its place", "AbortError");
}
