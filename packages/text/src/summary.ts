import { Leaf, type Rope } from "./rope.js";
import type { Text } from "./text.js";

/**
 * Something that is computed of a text from its parts: of each piece by itself, and of two neighbours from what is known
 * of the two. Versions of a text share the parts that did not change, and what is known of those is not computed again,
 * so the summary of a text with a letter more costs a few steps whatever its size.
 */
export class Summary<T extends {}> {
	private readonly number = count++;

	constructor(
		/** A piece has up to about a thousand characters, and may begin and end anywhere, also inside a word. */
		private readonly ofPiece: (piece: string) => T,
		private readonly join: (left: T, right: T) => T,
	) {}

	of(text: Text): T {
		return this.ofRope(text.rope);
	}

	private ofRope(rope: Rope): T {
		// Kept with the node, because a WeakMap takes many times longer for the dozen new nodes of every keystroke.
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
