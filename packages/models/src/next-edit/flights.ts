import type { Clock } from "../clock.js";

/** The requests of a model that are under way: only so many, each for only so long. */
export class Flights {
	/** The oldest first. */
	private readonly inAir: Flight[] = [];

	constructor(
		private readonly most: number,
		private readonly clock: Clock,
	) {}

	/** Begins one. Where there is no room, the oldest is given up for it. */
	begin(outer: AbortSignal): Flight {
		while (this.inAir.length >= this.most) this.inAir.shift()?.abort(superseded());
		const flight = new Flight(outer, this.clock);
		this.inAir.push(flight);
		flight.whenOver(() => {
			const at = this.inAir.indexOf(flight);
			if (at >= 0) this.inAir.splice(at, 1);
		});
		return flight;
	}
}

/** One request, until it has ended or was given up. */
export class Flight {
	private readonly controller = new AbortController();
	private readonly followers: (() => void)[] = [];
	private callOff = (): void => {};
	private hasEnded = false;

	constructor(
		private readonly outer: AbortSignal,
		private readonly clock: Clock,
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
