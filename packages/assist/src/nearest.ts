/** Returns the name that a misspelled name was probably meant to be, or undefined if no name is close. */
export function nearest(typed: string, names: Iterable<string>): string | undefined {
	let best: { name: string; distance: number } | undefined;
	for (const name of names) {
		const distance = distanceOf(typed.toLowerCase(), name.toLowerCase());
		if (distance <= farthestFor(name) && (best === undefined || distance < best.distance)) best = { name, distance };
	}
	return best?.name;
}

/** Up to a third of the name can be wrong: two typos in `effort`, one in `url`. */
function farthestFor(name: string): number {
	return Math.floor(name.length / 3);
}

/** Returns the Damerau-Levenshtein distance (optimal string alignment). */
function distanceOf(a: string, b: string): number {
	// Avoids quadratic time for long input.
	if (Math.abs(a.length - b.length) > b.length) return Number.POSITIVE_INFINITY;
	let before: number[] = [];
	let row = Array.from({ length: b.length + 1 }, (_, i) => i);
	for (let i = 0; i < a.length; i++) {
		const next = [i + 1];
		for (let j = 0; j < b.length; j++) {
			const changed = (row[j] as number) + (a[i] === b[j] ? 0 : 1);
			const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
			const swapped = isSwapped ? (before[j - 1] as number) + 1 : changed;
			next.push(Math.min(changed, swapped, (row[j + 1] as number) + 1, (next[j] as number) + 1));
		}
		before = row;
		row = next;
	}
	return row.at(-1) as number;
}
