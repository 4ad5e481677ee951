/** Time that moves only when a test says so. */
export class FakeClock {
	private timeMs = 0;
	private timers: { readonly atMs: number; readonly run: () => void }[] = [];

	/** Bound, so that it can be handed on as a `now`. */
	readonly now = (): number => this.timeMs;

	/** Runs something later. Returns how to call it off. */
	readonly after = (delayMs: number, run: () => void): (() => void) => {
		const timer = { atMs: this.timeMs + delayMs, run };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((other) => other !== timer);
		};
	};

	/** Whether nothing is to be run later. */
	get isIdle(): boolean {
		return this.timers.length === 0;
	}

	/** Lets time pass: what is due runs in the order of its time, and sees the clock at that time. */
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
