/** Which of some names somebody may have meant, or undefined where none is near. */
export function nearest(said: string, names: Iterable<string>): string | undefined {
	let best: { name: string; distance: number } | undefined;
	for (const name of names) {
		const distance = distanceOf(said.toLowerCase(), name.toLowerCase());
		if (distance <= farthestFor(name) && (best === undefined || distance < best.distance)) best = { name, distance };
	}
	return best?.name;
}

/** A third of the name may be wrong: two slips in `effort`, but nothing else than `url` with one in it. */
function farthestFor(name: string): number {
	return Math.floor(name.length / 3);
}

/** How many characters have to be put in, taken out, changed, or swapped with the next to get from one to the other. */
function distanceOf(a: string, b: string): number {
	// Much longer texts are far away, whatever they are.
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
