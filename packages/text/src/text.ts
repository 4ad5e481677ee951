import {
	Branch,
	build,
	codeAt,
	commonHead,
	commonTail,
	dropSummaries,
	isSame,
	type Leaf,
	type Rope,
	replace,
	slice,
} from "./rope.js";

/**
 * An immutable text, preserved byte for byte: line endings, a byte order mark and a missing final newline stay as they
 * are. Each version is a value that shares unchanged parts with the previous one, so keeping a snapshot costs little.
 *
 * Offsets count UTF-16 code units; lines count from 0. A line ends only at \n, \r\n or \r.
 */
export class Text {
	static readonly empty = new Text(build(""));

	static of(text: string): Text {
		return text === "" ? Text.empty : new Text(build(text));
	}

	private constructor(
		/** The underlying tree, also used by `position.ts`. */
		readonly rope: Rope,
		/** Shared by all texts derived from the same text by edits, so that caches can find the previous version. */
		readonly lineage: object = {},
	) {}

	get length(): number {
		return this.rope.length;
	}

	/** One more than the number of line endings, so an empty text has one line. */
	get lineCount(): number {
		return this.rope.breaks + 1;
	}

	toString(): string {
		return slice(this.rope, 0, this.length);
	}

	slice(from: number, to: number = this.length): string {
		this.checkRange(from, to);
		return slice(this.rope, from, to);
	}

	replace(from: number, to: number, insert: string): Text {
		this.checkRange(from, to);
		// Every new document starts from the same empty text.
		const lineage = this.length === 0 ? {} : this.lineage;
		return new Text(replace(this.rope, from, to, insert), lineage);
	}

	/**
	 * Frees the summaries of the pieces that touch a range. Intended for a version that is needed only for its
	 * characters and shares its other pieces with a newer version.
	 */
	dropSummaries(from: number, to: number): void {
		dropSummaries(this.rope, from, to);
	}

	equals(other: Text): boolean {
		return isSame(this.rope, other.rope);
	}

	/**
	 * Returns the length of the common start, and the length of the common end of what remains. Fast for versions of the
	 * same text.
	 */
	common(other: Text): { head: number; tail: number } {
		const head = commonHead(this.rope, other.rope);
		const most = Math.min(this.length, other.length) - head;
		return { head, tail: most === 0 ? 0 : Math.min(commonTail(this.rope, other.rope), most) };
	}

	/** Returns the line that contains an offset. An offset between \r and \n belongs to the line that ends there. */
	lineAt(offset: number): number {
		return this.locate(offset).line;
	}

	/** Returns the line that contains an offset, and the start of that line. */
	locate(offset: number): { line: number; start: number } {
		this.checkRange(offset, offset);
		let node: Rope = this.rope;
		let before = 0;
		let line = 0;
		while (node instanceof Branch) {
			if (offset - before < node.leftLength) node = node.left;
			else {
				before += node.leftLength;
				line += node.leftBreaks;
				node = node.right;
			}
		}
		const inside = endsUpTo(node, offset - before);
		if (inside > 0) return { line: line + inside, start: before + (node.ends[inside - 1] as number) };
		return { line, start: this.lineStart(line) };
	}

	/** Returns the offset of the start of a line. */
	lineStart(line: number): number {
		this.checkLine(line);
		if (line === 0) return 0;
		const { leaf, before, index } = this.findEnd(line);
		return before + (leaf.ends[index] as number);
	}

	/** Returns the offset of the end of a line, before its line ending. */
	lineEnd(line: number): number {
		this.checkLine(line);
		if (line === this.rope.breaks) return this.length;
		const { leaf, before, index } = this.findEnd(line + 1);
		const end = leaf.ends[index] as number;
		return before + end - (leaf.text.startsWith("\r\n", end - 2) ? 2 : 1);
	}

	/** Returns a line without its line ending. */
	line(line: number): string {
		return slice(this.rope, this.lineStart(line), this.lineEnd(line));
	}

	/** Returns the code unit at an offset, or -1 at the end. */
	codeAt(offset: number): number {
		this.checkRange(offset, offset);
		return codeAt(this.rope, offset);
	}

	/**
	 * Finds a line ending by number, starting at 1. Returns its leaf, the offset of that leaf, and the index in the leaf's
	 * `ends`.
	 */
	private findEnd(count: number): { leaf: Leaf; before: number; index: number } {
		let node: Rope = this.rope;
		let before = 0;
		let left = count;
		while (node instanceof Branch) {
			if (left <= node.leftBreaks) node = node.left;
			else {
				left -= node.leftBreaks;
				before += node.leftLength;
				node = node.right;
			}
		}
		return { leaf: node, before, index: left - 1 };
	}

	private checkRange(from: number, to: number): void {
		if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= this.length)) {
			throw new RangeError(`${from}–${to} is not a range in a text of length ${this.length}`);
		}
	}

	private checkLine(line: number): void {
		if (!(Number.isInteger(line) && 0 <= line && line < this.lineCount)) {
			throw new RangeError(`${line} is not a line in a text with ${this.lineCount} lines`);
		}
	}
}

/** Returns how many lines in a leaf end at or before an offset, by binary search. */
function endsUpTo(leaf: Leaf, offset: number): number {
	const ends = leaf.ends;
	let low = 0;
	let high = ends.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((ends[middle] as number) <= offset) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** One version of a document. Immutable, so it can be kept as a snapshot. */
export interface Document {
	/** The URI exactly as the client sent it. Compare with `sameUri`. */
	readonly uri: string;
	readonly languageId: string;
	readonly version: number;
	readonly text: Text;
}
