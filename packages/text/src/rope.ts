// A rope: a balanced binary tree with the text in its leaves. Nodes are immutable, so an edit copies the path from the
// root to the changed leaf and shares everything else with the previous version.
//
// A leaf boundary never splits \r\n or a surrogate pair. `join` ensures this, so every leaf can be counted separately.

/** The units of offsets in other encodings: UTF-8 bytes or code points. */
export type Unit = "bytes" | "points";

export type Rope = Leaf | Branch;

// Each edit inside a leaf copies it and scans it once. A leaf is small enough that this takes about a microsecond, and
// large enough that the tree is small compared to the text.
const LEAF_MAX = 1024;

// The leaves of a new text have room to grow, so that the first typed characters do not split them.
const LEAF_FILL = 768;

// A smaller leaf is merged into its neighbour, so that repeated deletions do not leave tiny leaves.
const LEAF_MIN = 128;

const LF = 10;
const CR = 13;

export class Leaf {
	readonly height = 0;
	readonly length: number;
	/** Number of line endings. */
	readonly breaks: number;
	/** The offset after each line ending. */
	readonly ends: readonly number[];
	readonly head: number;
	readonly tail: number;
	/** Cached values, by the number of their `Summary`. */
	summaries: unknown[] | undefined;
	private ascii: boolean | undefined;
	private bytes = -1;
	private points = -1;

	constructor(readonly text: string) {
		const length = text.length;
		this.length = length;
		this.ends = text.includes("\r") ? endsOf(text) : endsAtNewlines(text);
		this.breaks = this.ends.length;
		this.head = length > 0 ? text.charCodeAt(0) : -1;
		this.tail = length > 0 ? text.charCodeAt(length - 1) : -1;
	}

	/** Only needed for encodings other than UTF-16. Computed once, so an ASCII leaf is never scanned again. */
	get isAscii(): boolean {
		this.ascii ??= !NOT_ASCII.test(this.text);
		return this.ascii;
	}

	count(unit: Unit): number {
		if (this.isAscii) return this.length;
		if (this.bytes < 0) {
			this.bytes = countUnits(this.text, 0, this.length, "bytes");
			this.points = countUnits(this.text, 0, this.length, "points");
		}
		return unit === "bytes" ? this.bytes : this.points;
	}
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Fast path: most texts do not contain \r, and `indexOf` is several times faster than a loop. */
function endsAtNewlines(text: string): number[] {
	const ends: number[] = [];
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at + 1);
	return ends;
}

function endsOf(text: string): number[] {
	const ends: number[] = [];
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) ends.push(at + 1);
	}
	return ends;
}

export class Branch {
	static of(left: Rope, right: Rope): Branch {
		const height = Math.max(left.height, right.height) + 1;
		const { length, breaks, head } = left;
		const { tail } = right;
		return new Branch(left, right, height, length, breaks, length + right.length, breaks + right.breaks, head, tail);
	}

	/** Cached values, by the number of their `Summary`. */
	summaries: unknown[] | undefined;
	private bytes = -1;
	private points = -1;

	// Values of the left child that are needed on the way down are copied here. In a large text, every visited node costs
	// a cache miss, and with these copies only the nodes on the path are visited.
	private constructor(
		readonly left: Rope,
		readonly right: Rope,
		readonly height: number,
		readonly leftLength: number,
		readonly leftBreaks: number,
		readonly length: number,
		readonly breaks: number,
		readonly head: number,
		readonly tail: number,
	) {}

	/**
	 * Returns this branch with another left child of the same height and with the same last code unit, without visiting
	 * the right child.
	 */
	withLeft(left: Rope): Branch {
		const length = this.length - this.leftLength + left.length;
		const breaks = this.breaks - this.leftBreaks + left.breaks;
		return new Branch(left, this.right, this.height, left.length, left.breaks, length, breaks, left.head, this.tail);
	}

	/** Like `withLeft`, but for a right child of the same height and with the same first code unit. */
	withRight(right: Rope): Branch {
		const { leftLength, leftBreaks } = this;
		const length = leftLength + right.length;
		const breaks = leftBreaks + right.breaks;
		return new Branch(this.left, right, this.height, leftLength, leftBreaks, length, breaks, this.head, right.tail);
	}

	count(unit: Unit): number {
		if (this.bytes < 0) {
			this.bytes = this.left.count("bytes") + this.right.count("bytes");
			this.points = this.left.count("points") + this.right.count("points");
		}
		return unit === "bytes" ? this.bytes : this.points;
	}
}

export function build(text: string): Rope {
	if (text.length <= LEAF_MAX) return new Leaf(text);
	const pieces = Math.ceil(text.length / LEAF_FILL);
	const size = text.length / pieces;
	const leaves: Rope[] = [];
	let from = 0;
	for (let i = 1; i <= pieces; i++) {
		let to = Math.round(i * size);
		if (i < pieces && isPair(text.charCodeAt(to - 1), text.charCodeAt(to))) to--;
		leaves.push(new Leaf(copy(text, from, to)));
		from = to;
	}
	return pile(leaves, 0, leaves.length);
}

/**
 * Copies part of a text. A plain slice would be a view that keeps the whole text alive, but concatenating another
 * character forces a copy.
 */
function copy(text: string, from: number, to: number): string {
	return ` ${text.slice(from, to)}`.slice(1);
}

function pile(leaves: readonly Rope[], from: number, to: number): Rope {
	if (to - from === 1) return leaves[from] as Rope;
	const middle = (from + to) >> 1;
	return Branch.of(pile(leaves, from, middle), pile(leaves, middle, to));
}

export function replace(rope: Rope, from: number, to: number, insert: string): Rope {
	if (from === 0 && to === rope.length) return build(insert);
	if (rope instanceof Leaf) return build(rope.text.slice(0, from) + insert + rope.text.slice(to));
	const middle = rope.leftLength;
	if (to <= middle) {
		const left = replace(rope.left, from, to, insert);
		const fits = left.height === rope.left.height && left.tail === rope.left.tail && !isCrumb(left);
		return fits ? rope.withLeft(left) : join(left, rope.right);
	}
	if (from >= middle) {
		const right = replace(rope.right, from - middle, to - middle, insert);
		const fits = right.height === rope.right.height && right.head === rope.right.head && !isCrumb(right);
		return fits ? rope.withRight(right) : join(rope.left, right);
	}
	return join(replace(rope.left, from, middle, insert), replace(rope.right, 0, to - middle, ""));
}

function join(left: Rope, right: Rope): Rope {
	if (left.length === 0) return right;
	if (right.length === 0) return left;
	if (!isPair(left.tail, right.head)) return link(left, right);
	const moved = String.fromCharCode(right.head);
	return join(replace(left, left.length, left.length, moved), replace(right, 0, 1, ""));
}

/**
 * Concatenates two ropes of any height, like the join operation of AVL trees: descends along the edge of the taller
 * rope, then rebalances.
 */
function link(left: Rope, right: Rope): Rope {
	if (left instanceof Leaf && right instanceof Leaf) {
		const isCrumb = left.length < LEAF_MIN || right.length < LEAF_MIN;
		return isCrumb ? build(left.text + right.text) : Branch.of(left, right);
	}
	if (left instanceof Branch && (left.height > right.height + 1 || isCrumb(right))) {
		return balance(left.left, link(left.right, right));
	}
	if (right instanceof Branch && (right.height > left.height + 1 || isCrumb(left))) {
		return balance(link(left, right.left), right.right);
	}
	return Branch.of(left, right);
}

function isCrumb(rope: Rope): boolean {
	return rope instanceof Leaf && rope.length < LEAF_MIN;
}

function balance(left: Rope, right: Rope): Rope {
	if (left instanceof Branch && left.height > right.height + 1) {
		const inner = left.right;
		if (inner instanceof Leaf || left.left.height >= inner.height) {
			return Branch.of(left.left, Branch.of(inner, right));
		}
		return Branch.of(Branch.of(left.left, inner.left), Branch.of(inner.right, right));
	}
	if (right instanceof Branch && right.height > left.height + 1) {
		const inner = right.left;
		if (inner instanceof Leaf || right.right.height >= inner.height) {
			return Branch.of(Branch.of(left, inner), right.right);
		}
		return Branch.of(Branch.of(left, inner.left), Branch.of(inner.right, right.right));
	}
	return Branch.of(left, right);
}

/** Whether two ropes have the same text. Skips shared nodes, which are most of the nodes in two versions of a text. */
export function isSame(a: Rope, b: Rope): boolean {
	if (a === b) return true;
	if (a.length !== b.length) return false;
	if (a instanceof Branch && b instanceof Branch && a.leftLength === b.leftLength) {
		return isSame(a.left, b.left) && isSame(a.right, b.right);
	}
	return slice(a, 0, a.length) === slice(b, 0, b.length);
}

/** Returns the number of code units that two ropes have in common at the start. Skips shared nodes. */
export function commonHead(a: Rope, b: Rope): number {
	if (a === b) return a.length;
	if (a instanceof Branch && b instanceof Branch) {
		const head = commonHead(a.left, b.left);
		if (head < Math.min(a.leftLength, b.leftLength)) return head;
		if (a.leftLength === b.leftLength) return head + commonHead(a.right, b.right);
	}
	const [left, right] = [slice(a, 0, a.length), slice(b, 0, b.length)];
	const most = Math.min(a.length, b.length);
	let length = 0;
	while (length + BLOCK <= most && left.slice(length, length + BLOCK) === right.slice(length, length + BLOCK)) {
		length += BLOCK;
	}
	while (length < most && left.charCodeAt(length) === right.charCodeAt(length)) length++;
	return length;
}

// Comparing two slices of this length takes half as long as a loop over their characters.
const BLOCK = 128;

/** Returns the number of code units that two ropes have in common at the end. Skips shared nodes. */
export function commonTail(a: Rope, b: Rope): number {
	if (a === b) return a.length;
	if (a instanceof Branch && b instanceof Branch) {
		const tail = commonTail(a.right, b.right);
		if (tail < Math.min(a.right.length, b.right.length)) return tail;
		if (a.right.length === b.right.length) return tail + commonTail(a.left, b.left);
	}
	const [left, right] = [slice(a, 0, a.length), slice(b, 0, b.length)];
	const most = Math.min(a.length, b.length);
	let length = 0;
	const before = (whole: string, end: number) => whole.slice(end - BLOCK, end);
	while (length + BLOCK <= most && before(left, a.length - length) === before(right, b.length - length)) {
		length += BLOCK;
	}
	while (length < most && left.charCodeAt(a.length - 1 - length) === right.charCodeAt(b.length - 1 - length)) length++;
	return length;
}

export function slice(rope: Rope, from: number, to: number): string {
	if (rope instanceof Leaf) return rope.text.slice(from, to);
	const middle = rope.leftLength;
	if (to <= middle) return slice(rope.left, from, to);
	if (from >= middle) return slice(rope.right, from - middle, to - middle);
	return slice(rope.left, from, middle) + slice(rope.right, 0, to - middle);
}

/** Drops the summaries of all nodes that touch a range. */
export function dropSummaries(rope: Rope, from: number, to: number): void {
	rope.summaries = undefined;
	if (rope instanceof Leaf) return;
	const middle = rope.leftLength;
	if (from <= middle) dropSummaries(rope.left, from, Math.min(to, middle));
	if (to >= middle) dropSummaries(rope.right, Math.max(from - middle, 0), to - middle);
}

/** Returns the code unit at an offset, or -1 at the end. */
export function codeAt(rope: Rope, offset: number): number {
	if (offset >= rope.length) return -1;
	let node = rope;
	let rest = offset;
	while (node instanceof Branch) {
		if (rest < node.leftLength) node = node.left;
		else {
			rest -= node.leftLength;
			node = node.right;
		}
	}
	return node.text.charCodeAt(rest);
}

/** Returns the length of the text between two offsets, in units. */
export function countBetween(rope: Rope, from: number, to: number, unit: Unit): number {
	if (from >= to) return 0;
	if (from === 0 && to === rope.length) return rope.count(unit);
	if (rope instanceof Leaf) return rope.isAscii ? to - from : countUnits(rope.text, from, to, unit);
	const middle = rope.leftLength;
	return (
		countBetween(rope.left, from, Math.min(to, middle), unit) +
		countBetween(rope.right, Math.max(from - middle, 0), to - middle, unit)
	);
}

/** Returns the last offset that is at most `units` after `from` and does not split a character. */
export function advance(rope: Rope, from: number, units: number, unit: Unit): number {
	return walk(rope, from, { units }, unit);
}

function walk(rope: Rope, from: number, left: { units: number }, unit: Unit): number {
	// Count a subtree only if it may fit, so that a lookup near the start never counts the rest of the text.
	const mayFit = rope.length <= (unit === "bytes" ? left.units : 2 * left.units);
	if (from === 0 && mayFit && rope.count(unit) <= left.units) {
		left.units -= rope.count(unit);
		return rope.length;
	}
	if (rope instanceof Branch) {
		const middle = rope.leftLength;
		if (from < middle) {
			const reached = walk(rope.left, from, left, unit);
			if (reached < middle) return reached;
		}
		return middle + walk(rope.right, Math.max(from - middle, 0), left, unit);
	}
	if (rope.isAscii) {
		const step = Math.min(left.units, rope.length - from);
		left.units -= step;
		return from + step;
	}
	let at = from;
	while (at < rope.length) {
		const width = unitsOfCharacter(rope.text, at, unit);
		if (width > left.units) {
			left.units = 0;
			return at;
		}
		left.units -= width;
		at += isSurrogatePair(rope.text, at) ? 2 : 1;
	}
	return at;
}

function countUnits(text: string, from: number, to: number, unit: Unit): number {
	let count = 0;
	for (let at = from; at < to; at++) {
		const isWhole = isSurrogatePair(text, at) && at + 1 < to;
		count += isWhole ? unitsOfCharacter(text, at, unit) : unitsOfCode(text.charCodeAt(at), unit);
		if (isWhole) at++;
	}
	return count;
}

function unitsOfCharacter(text: string, at: number, unit: Unit): number {
	if (isSurrogatePair(text, at)) return unit === "bytes" ? 4 : 1;
	return unitsOfCode(text.charCodeAt(at), unit);
}

/** A lone surrogate counts as U+FFFD, because encoders write that character instead. */
function unitsOfCode(code: number, unit: Unit): number {
	if (unit === "points" || code < 0x80) return 1;
	return code < 0x800 ? 2 : 3;
}

function isSurrogatePair(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return code >= 0xd800 && code < 0xdc00 && at + 1 < text.length && isPair(code, text.charCodeAt(at + 1));
}

/** Whether two code units belong together: \r\n or a surrogate pair. */
export function isPair(first: number, second: number): boolean {
	if (first === CR) return second === LF;
	return first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000;
}
