/** A set of UTF-16 code units. Never contains a slash. */
export class CharacterSet {
	/**
	 * Sorted ranges that neither overlap nor touch, so that `has` takes logarithmic time no matter how the set was
	 * written.
	 */
	readonly ranges: readonly Range[];

	constructor(
		ranges: readonly Range[],
		private readonly isNegated = false,
	) {
		const merged: [number, number][] = [];
		for (const [low, high] of [...ranges].sort(([a], [b]) => a - b)) {
			const last = merged.at(-1);
			if (last === undefined || low > last[1] + 1) merged.push([low, high]);
			else last[1] = Math.max(last[1], high);
		}
		this.ranges = merged;
	}

	has(code: number): boolean {
		if (code === SLASH) return false;
		let [from, to] = [0, this.ranges.length];
		while (from < to) {
			const middle = (from + to) >> 1;
			const [low, high] = this.ranges[middle] as Range;
			if (code > high) from = middle + 1;
			else if (code < low) to = middle;
			else return !this.isNegated;
		}
		return this.isNegated;
	}
}

/** The first and the last code unit. */
type Range = readonly [number, number];

const SLASH = 47;

/**
 * Parses the character class at a bracket, with git's rules: `!` or `^` for negation, ranges, escapes, `[:alpha:]`.
 * `fold` means that paths are in lower case but the set is not.
 *
 * The set is undefined if the bracket is not closed or a name such as `[:none:]` is unknown. In that case, `end` is the
 * end of the pattern or the start of that name. Every bracket between `start` and `end` would fail at the same
 * position, so a parser that treats them all as literals reads no character more than twice.
 */
export function parseClass(
	pattern: string,
	start: number,
	fold: boolean,
): { readonly set: CharacterSet | undefined; readonly end: number } {
	const unclosed = { set: undefined, end: pattern.length };
	let at = start + 1;
	const isNegated = pattern[at] === "!" || pattern[at] === "^";
	if (isNegated) at++;
	const ranges: Range[] = [];
	const add = (low: number, high: number, folds: boolean) => {
		if (low > high) return;
		ranges.push([low, high]);
		const [lowest, highest] = [Math.max(low, UPPER_A), Math.min(high, UPPER_Z)];
		if (folds && lowest <= highest) ranges.push([lowerOf(lowest), lowerOf(highest)]);
	};
	let previous: number | undefined;
	/** The first closing bracket after the last `[:`. */
	let close = 0;
	for (let isFirst = true; isFirst || pattern[at] !== "]"; isFirst = false) {
		if (at >= pattern.length) return unclosed;
		const mayBeName = pattern.startsWith("[:", at);
		if (mayBeName && close < at + 2) close = pattern.indexOf("]", at + 2);
		if (close === -1) return unclosed;
		if (mayBeName && close > at + 2 && pattern[close - 1] === ":") {
			const named = CLASSES[pattern.slice(at + 2, close - 1)];
			if (named === undefined) return { set: undefined, end: at };
			for (const range of named) add(range.charCodeAt(0), range.charCodeAt(1), fold);
			at = close + 1;
			previous = undefined;
		} else if (pattern[at] === "-" && previous !== undefined && at + 1 < pattern.length && pattern[at + 1] !== "]") {
			at += pattern[at + 1] === "\\" ? 2 : 1;
			if (at >= pattern.length) return unclosed;
			add(previous, pattern.charCodeAt(at++), fold);
			previous = undefined;
		} else {
			if (pattern[at] === "\\") at++;
			if (at >= pattern.length) return unclosed;
			previous = pattern.charCodeAt(at++);
			// Git folds the text but not the set, so in git a capital letter in a set never matches. Here it matches, unless the
			// set is negated.
			add(previous, previous, fold && !isNegated);
		}
	}
	return { set: new CharacterSet(ranges, isNegated), end: at + 1 };
}

/** The first and the last character of each range. */
const CLASSES: Readonly<Record<string, readonly string[] | undefined>> = {
	__proto__: null as never,
	alnum: ["09", "AZ", "az"],
	alpha: ["AZ", "az"],
	blank: ["  ", "\t\t"],
	cntrl: ["\0\x1f", "\x7f\x7f"],
	digit: ["09"],
	graph: ["!~"],
	lower: ["az"],
	print: [" ~"],
	punct: ["!/", ":@", "[`", "{~"],
	space: ["  ", "\t\r"],
	upper: ["AZ"],
	xdigit: ["09", "AF", "af"],
};

const UPPER_A = 65;
const UPPER_Z = 90;

/** Converts an ASCII letter to lower case. */
export function lowerOf(code: number): number {
	return UPPER_A <= code && code <= UPPER_Z ? code + 32 : code;
}
