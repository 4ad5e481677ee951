/** A clock that a test advances manually. */
export class FakeClock {
	private timeMs = 0;
	private timers: { readonly atMs: number; readonly run: () => void }[] = [];

	/** Bound, so that it can be passed as a callback. */
	readonly now = (): number => this.timeMs;

	/** Schedules a callback. Returns a function that cancels it. */
	readonly after = (delayMs: number, run: () => void): (() => void) => {
		const timer = { atMs: this.timeMs + delayMs, run };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((other) => other !== timer);
		};
	};

	/** Whether no timers are pending. */
	get isIdle(): boolean {
		return this.timers.length === 0;
	}

	/** Advances the time and runs due timers in order. While a timer runs, the clock shows its due time. */
	advance(byMs: number): void {
		const endMs = this.timeMs + byMs;
		for (;;) {
			const due = this.timers.filter((timer) => timer.atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)[0];
			if (due === undefined) break;
			this.timers = this.timers.filter((timer) => timer !== due);
			this.timeMs = due.atMs;
			due.run();
		}
		this.timeMs = endMs;
	}
}
