// A slot is stored in one byte.
const SEGMENT_FILES_MAX = 256;
// Sorting this many pairs takes about two milliseconds. A file with more words gets its own segment.
const SEGMENT_PAIRS_MAX = 32_768;

/**
 * Finds the files that contain a word. Files are identified by an index and words by their hash. Pairs of a word and a
 * file are stored in sorted arrays, each for up to 256 files, so each distinct word in a file takes five bytes.
 */
export class WordTable {
	/** Sealed segments; undefined for unused indexes. */
	private readonly segments: (Segment | undefined)[] = [];
	/**
	 * The words in the open segment as pairs `hash * 256 + slot`. Sorted only before a search and when the segment is
	 * sealed.
	 */
	private pairs = new Float64Array(1024);
	private count = 0;
	private isSorted = true;
	private open: (number | undefined)[] = [];
	/** The location of each file: `segment * 256 + slot`. The open segment is -1. */
	private readonly places = new Map<number, number>();

	/** The size of the pairs in bytes. */
	get bytes(): number {
		const sealed = this.segments.reduce((sum, one) => sum + (one === undefined ? 0 : 5 * one.hashes.length), 0);
		return sealed + this.pairs.byteLength;
	}

	/** Adds a file, which must not be in the table, with the hashes of its words. */
	add(file: number, hashes: ReadonlySet<number>): void {
		if (this.open.length === SEGMENT_FILES_MAX || this.count + hashes.size > SEGMENT_PAIRS_MAX) this.seal();
		const slot = this.open.push(file) - 1;
		this.places.set(file, placeOf(OPEN, slot));
		this.reserve(this.count + hashes.size);
		for (const hash of hashes) this.pairs[this.count++] = pairOf(hash, slot);
		this.isSorted = false;
	}

	remove(file: number): void {
		const place = this.places.get(file);
		if (place === undefined) return;
		this.places.delete(file);
		const number = Math.floor(place / SEGMENT_FILES_MAX);
		const slot = place - placeOf(number, 0);
		const segment = this.segments[number];
		if (segment === undefined) {
			this.open[slot] = undefined;
			return;
		}
		segment.files[slot] = undefined;
		const left = segment.files.filter((one) => one !== undefined).length;
		if (left <= segment.files.length / 2) this.dissolve(segment, number);
	}

	/** Returns the files that contain a word with this hash. */
	having(hash: number): number[] {
		if (!this.isSorted) this.sort();
		const found: number[] = [];
		const add = (file: number | undefined) => {
			if (file !== undefined) found.push(file);
		};
		const wanted = hash >>> 0;
		for (const segment of this.segments) {
			if (segment === undefined) continue;
			const { hashes, slots, files } = segment;
			for (let at = firstAt(hashes, hashes.length, wanted); hashes[at] === wanted; at++)
				add(files[slots[at] as number]);
		}
		const first = pairOf(hash, 0);
		for (let at = firstAt(this.pairs, this.count, first); at < this.count; at++) {
			const slot = (this.pairs[at] as number) - first;
			if (slot >= SEGMENT_FILES_MAX) break;
			add(this.open[slot]);
		}
		return found;
	}

	/** Seals the open segment and starts a new one. */
	private seal(): void {
		if (!this.isSorted) this.sort();
		const { pairs, open } = this;
		const live = pairs.subarray(0, this.count).filter((pair) => open[pair % SEGMENT_FILES_MAX] !== undefined);
		const hashes = new Uint32Array(live.length);
		const slots = new Uint8Array(live.length);
		for (const [i, pair] of live.entries()) {
			hashes[i] = Math.floor(pair / SEGMENT_FILES_MAX);
			slots[i] = pair % SEGMENT_FILES_MAX;
		}
		const free = this.segments.indexOf(undefined);
		const number = free === -1 ? this.segments.length : free;
		this.segments[number] = { files: open, hashes, slots };
		for (const [slot, file] of open.entries()) if (file !== undefined) this.places.set(file, placeOf(number, slot));
		this.open = [];
		this.count = 0;
	}

	/** Moves the remaining files of a sparse segment to the open segment. */
	private dissolve({ files, hashes, slots }: Segment, number: number): void {
		this.segments[number] = undefined;
		const words = new Map<number, Set<number>>();
		for (let at = 0; at < hashes.length; at++) {
			const file = files[slots[at] as number];
			if (file === undefined) continue;
			const own = words.get(file) ?? new Set();
			words.set(file, own.add(hashes[at] as number));
		}
		for (const file of files) if (file !== undefined) this.add(file, words.get(file) ?? new Set());
	}

	private sort(): void {
		this.pairs.subarray(0, this.count).sort();
		this.isSorted = true;
	}

	private reserve(length: number): void {
		if (length <= this.pairs.length) return;
		const larger = new Float64Array(Math.max(length, 2 * this.pairs.length));
		larger.set(this.pairs.subarray(0, this.count));
		this.pairs = larger;
	}
}

interface Segment {
	/** Indexed by slot; undefined for removed files. */
	readonly files: (number | undefined)[];
	/** Hashes in ascending order, with the slot of the file at the same index in `slots`. */
	readonly hashes: Uint32Array;
	readonly slots: Uint8Array;
}

/** The number of the open segment, to which files are added. */
const OPEN = -1;

function placeOf(segment: number, slot: number): number {
	return segment * SEGMENT_FILES_MAX + slot;
}

/** Combines a 32-bit hash and an 8-bit slot, which a double represents exactly. */
function pairOf(hash: number, slot: number): number {
	return (hash >>> 0) * SEGMENT_FILES_MAX + slot;
}

/** The index of the first number that is not less than `wanted`. */
function firstAt(sorted: Uint32Array | Float64Array, length: number, wanted: number): number {
	let low = 0;
	let high = length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((sorted[middle] as number) < wanted) low = middle + 1;
		else high = middle;
	}
	return low;
}
