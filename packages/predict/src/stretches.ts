// A version of a text has nearly the same comments and strings as the one before, but all that lie below an edit have
// moved. Were each moved by itself, a letter typed into a long file would cost as much as reading the file.

/** A stretch of a text. */
export interface Stretch {
	readonly from: number;
	readonly to: number;
}

/** A stretch of a list, and how far it has moved since the list was made. */
export interface Moved<Item extends Stretch> {
	readonly item: Item;
	readonly by: number;
}

// Edits in so many places at a time are rare; then the list is copied, once in as many edits.
const RUNS_MAX = 32;

/** Stretches that lie apart, in their order. A value: a list with others in the middle shares the rest with this one. */
export class Stretches<Item extends Stretch> {
	/** The items must lie apart and be in order. `move` makes an item of one that has moved. */
	static of<Item extends Stretch>(items: readonly Item[], move: (item: Item, by: number) => Item): Stretches<Item> {
		return new Stretches([{ items, first: 0, end: items.length, by: 0 }], move);
	}

	readonly length: number;

	private constructor(
		private readonly runs: readonly Run<Item>[],
		private readonly move: (item: Item, by: number) => Item,
	) {
		this.length = runs.reduce((sum, { first, end }) => sum + end - first, 0);
	}

	at(index: number): Moved<Item> | undefined {
		let rest = index;
		for (const { items, first, end, by } of this.runs) {
			if (rest < end - first) return { item: items[first + rest] as Item, by };
			rest -= end - first;
		}
		return undefined;
	}

	/** The index of the first stretch that ends after an offset. */
	firstBeyond(offset: number): number {
		let before = 0;
		for (const { items, first, end, by } of this.runs) {
			if ((items[end - 1]?.to ?? 0) + by > offset && end > first) {
				return before + searchBeyond(items, first, end, offset - by) - first;
			}
			before += end - first;
		}
		return before;
	}

	/** The first ones up to an index, then others, then those from a second index on, moved. */
	splice(kept: number, others: readonly Item[], next: number, by: number): Stretches<Item> {
		const runs = [
			...this.cut(0, kept, 0),
			{ items: others, first: 0, end: others.length, by: 0 },
			...this.cut(next, this.length, by),
		].filter(({ first, end }) => first < end);
		const spliced = new Stretches(runs, this.move);
		return runs.length > RUNS_MAX ? Stretches.of(spliced.toArray(), this.move) : spliced;
	}

	toArray(): Item[] {
		return this.runs.flatMap(({ items, first, end, by }) => {
			return items.slice(first, end).map((item) => (by === 0 ? item : this.move(item, by)));
		});
	}

	private cut(from: number, to: number, by: number): Run<Item>[] {
		let before = 0;
		return this.runs.map((run) => {
			const start = run.first - before;
			before += run.end - run.first;
			const clamp = (index: number) => Math.min(Math.max(start + index, run.first), run.end);
			return { items: run.items, first: clamp(from), end: clamp(to), by: run.by + by };
		});
	}
}

/** Some items of an array, all moved alike. */
interface Run<Item> {
	readonly items: readonly Item[];
	readonly first: number;
	readonly end: number;
	readonly by: number;
}

function searchBeyond(items: readonly Stretch[], first: number, end: number, offset: number): number {
	let low = first;
	let high = end;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((items[middle] as Stretch).to <= offset) low = middle + 1;
		else high = middle;
	}
	return low;
}
