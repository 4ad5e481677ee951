import { Leaf, type Rope } from "./rope.js";
import type { Text } from "./text.js";

/**
 * A value computed from the pieces of a text: first from each piece, then by combining the values of two neighbours.
 * Versions of a text share unchanged pieces, whose values are cached, so updating the value after a keystroke takes
 * only a few steps, regardless of the size of the text.
 */
export class Summary<T extends {}> {
	private readonly number = count++;

	constructor(
		/** A piece has up to about a thousand characters. It may start and end anywhere, even inside a word. */
		private readonly ofPiece: (piece: string) => T,
		private readonly join: (left: T, right: T) => T,
	) {}

	of(text: Text): T {
		return this.ofRope(text.rope);
	}

	private ofRope(rope: Rope): T {
		// Stored in the node, because a WeakMap is many times slower for the dozen new nodes created by every keystroke.
		const known = rope.summaries?.[this.number];
		if (known !== undefined) return known as T;
		const summary =
			rope instanceof Leaf ? this.ofPiece(rope.text) : this.join(this.ofRope(rope.left), this.ofRope(rope.right));
		rope.summaries ??= [];
		rope.summaries[this.number] = summary;
		return summary;
	}
}

let count = 0;
