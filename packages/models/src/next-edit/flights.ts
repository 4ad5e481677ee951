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
	begin(outer: AbortSignal, timeOut: { readonly afterMs: number; readonly run: () => Error }): Flight {
		while (this.inAir.length >= this.most) this.inAir.shift()?.abort(superseded());
		const flight = new Flight(outer, (one) => {
			callOff();
			const at = this.inAir.indexOf(one);
			if (at >= 0) this.inAir.splice(at, 1);
		});
		const callOff = this.clock.after(timeOut.afterMs, () => flight.abort(timeOut.run()));
		this.inAir.push(flight);
		return flight;
	}
}

/** One request, until it has ended or was given up. */
export class Flight {
	private readonly controller = new AbortController();

	constructor(
		private readonly outer: AbortSignal,
		private readonly land: (flight: Flight) => void,
	) {
		outer.addEventListener("abort", this.leave, { once: true });
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	abort(reason: unknown): void {
		this.controller.abort(reason);
		this.end();
	}

	end(): void {
		this.outer.removeEventListener("abort", this.leave);
		this.land(this);
	}

	private readonly leave = (): void => this.abort(this.outer.reason);
}

/** The name tells it from a fault. */
function superseded(): DOMException {
	return new DOMException("a newer request took its place", "AbortError");
}
