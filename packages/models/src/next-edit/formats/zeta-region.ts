import type { Text } from "@segue/text";
import type { OffsetRange, PromptInput } from "../format.js";
import { unifiedOf } from "../past-edits.js";
import type { PromptEdit } from "../prompt-parts.js";
import { Window } from "../window.js";

// The budgets used in training: for the lines that a reply replaces, and for the lines around them.
const REGION_TOKENS = 350;
const CONTEXT_TOKENS = 150;
// Lines are first added evenly on both sides of the cursor. The rest of the budget is used to reach the ends of syntax
// nodes.
const EVEN_TOKENS = Math.floor(REGION_TOKENS * 0.75);

/** The lines that a Zed model rewrites, and the lines shown around them. */
export interface ZetaRegion {
	readonly window: Window;
	readonly shown: Window;
}

/** Chooses the lines as Zed does, so that regions have the same size and shape as in the training data. */
export function zetaRegionOf({ text, cursor, nodesAround }: PromptInput): ZetaRegion {
	const line = text.lineAt(cursor);
	const nodes = nodesAround();
	const windowOf = ({ first, last }: Growth) => Window.ofLines(text, cursor, line - first, last - line);

	const region = new Growth(text, line, line, Math.max(EVEN_TOKENS - tokensOfLine(text, line), 0));
	region.addEvenly();
	const even = { first: region.first, last: region.last };
	region.left += REGION_TOKENS - EVEN_TOKENS;
	region.addNodes(nodes);
	region.addLines(even.first - region.first <= region.last - even.last ? "above" : "below");
	const window = windowOf(region);

	const context = new Growth(text, region.first, region.last, CONTEXT_TOKENS);
	if (!context.addNodes(nodes)) context.addLines("above");
	return { window, shown: windowOf(context) };
}

/** Estimates tokens as Zed does: one token for every three bytes. */
export function zetaTokens(text: string): number {
	return Math.floor(Buffer.byteLength(text) / 3);
}

// Same as in training.
const EDITS_MAX = 6;

/** Returns the newest edits, up to the first that does not fit, oldest first. */
export function zetaEditsOf({ edits }: PromptInput, tokens: number, print: (edit: PromptEdit) => string): PromptEdit[] {
	const shown = edits.slice(-EDITS_MAX).map((edit): PromptEdit => {
		// Zed gives the first line of an empty file the number 1; other programs write 0.
		const diff = unifiedOf(edit)
			.replace(/^@@ -0,0 /, "@@ -1,0 ")
			.replace(/^(@@ -[\d,]+ )\+0,0 /, "$1+1,0 ");
		return { path: edit.path, oldPath: edit.oldPath, isAccepted: edit.event.isAccepted, diff };
	});
	let left = tokens;
	const first = shown.findLastIndex((edit) => {
		left -= zetaTokens(print(edit));
		return left < 0;
	});
	return shown.slice(first + 1);
}

/** A line costs at least one token; blank lines are not free. */
function tokensOfLine(text: Text, line: number): number {
	return Math.max(zetaTokens(text.line(line)), 1);
}

type Side = "above" | "below";

/** A range of lines that grows within a budget. */
class Growth {
	constructor(
		private readonly text: Text,
		public first: number,
		public last: number,
		/** Remaining tokens. */
		public left: number,
	) {}

	/**
	 * Alternates between a line below and a line above until one of them does not fit. Skips a side that has no more
	 * lines.
	 */
	addEvenly(): void {
		let side: Side = "below";
		for (let isOpen = true; isOpen && this.left > 0; side = opposite(side)) {
			isOpen = this.hasMore(side) ? this.add(side) : this.hasMore(opposite(side));
		}
	}

	/**
	 * Alternates between both sides, starting with the preferred one. A line that does not fit stops growth only on its
	 * own side.
	 */
	addLines(preferred: Side): void {
		for (let isGrowing = true; isGrowing && this.left > 0; ) {
			const isPreferredAdded = this.add(preferred);
			isGrowing = this.add(opposite(preferred)) || isPreferredAdded;
		}
	}

	/**
	 * Extends to the ends of syntax nodes, innermost first, until a node does not fit. Returns whether any line was added.
	 */
	addNodes(nodes: readonly OffsetRange[]): boolean {
		const { first, last } = this;
		for (const { from, to } of nodes) {
			const [top, bottom] = [this.text.lineAt(from), this.text.lineAt(to)];
			// Each line costs at least one token, so a node that adds more lines than there are tokens left need not be
			// measured.
			if (this.first - top > this.left || bottom - this.last > this.left) break;
			const cost = this.costOf(top, this.first - 1) + this.costOf(this.last + 1, bottom);
			if (cost > this.left) break;
			[this.first, this.last] = [Math.min(top, this.first), Math.max(bottom, this.last)];
			this.left -= cost;
		}
		return this.first < first || this.last > last;
	}

	private hasMore(side: Side): boolean {
		return side === "above" ? this.first > 0 : this.last < this.text.lineCount - 1;
	}

	/** Adds one line if it fits. */
	private add(side: Side): boolean {
		const line = side === "above" ? this.first - 1 : this.last + 1;
		const cost = this.hasMore(side) ? tokensOfLine(this.text, line) : Number.POSITIVE_INFINITY;
		if (cost > this.left) return false;
		if (side === "above") this.first = line;
		else this.last = line;
		this.left -= cost;
		return true;
	}

	/** Returns the cost of the lines from `first` to `last`, or 0 if there are none. */
	private costOf(first: number, last: number): number {
		let cost = 0;
		for (let line = first; line <= last; line++) cost += tokensOfLine(this.text, line);
		return cost;
	}
}

function opposite(side: Side): Side {
	return side === "above" ? "below" : "above";
}
