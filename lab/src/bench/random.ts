/** Numbers that look random and are the same in every run, so that every contender gets the same work. */
export class Random {
	constructor(private state: number) {}

	/** A whole number from 0 to, not including, `end`. */
	below(end: number): number {
		// This is mulberry32: short, quick, and good enough to scatter edits over a text.
		this.state = (this.state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
	}

	pick<T>(items: readonly T[]): T {
		const item = items[this.below(items.length)];
		if (item === undefined) throw new RangeError("there is nothing to pick from");
		return item;
	}
}
