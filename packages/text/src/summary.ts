import { Leaf, type Rope } from "./rope.js";
import type { Text } from "./text.js";

/**
 * A value computed from the pieces of a text: from each piece, and from the values of two neighbours. Versions of a
 * text share unchanged pieces, whose values are cached, so updating the value after a keystroke takes a few steps
 * whatever the size of the text.
 */
export class Summary<T extends {}> {
	private readonly number = count++;

	constructor(
		/** A piece has up to about a thousand characters and may start and end anywhere, even inside a word. */
		private readonly ofPiece: (piece: string) => T,
		private readonly join: (left: T, right: T) => T,
	) {}

	of(text: Text): T {
		return this.ofRope(text.rope);
	}

	private ofRope(rope: Rope): T {
		// Stored in the node, because a WeakMap is many times slower for the dozen new nodes of every keystroke.
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
