import { type Document, Summary, type Text } from "@segue/text";
import { BracketReader, Brackets } from "./brackets.js";
import { lexLine, lineEndAfter } from "./lexer.js";
import { type LexerState, sameState, startStateOf } from "./lexer-state.js";
import type { Syntax } from "./syntax.js";

// Incremental lexing. Each part of the text caches the lexer's state at its start and end. Versions of a text share
// unchanged parts, so after a keystroke only the edited piece is lexed. If its end state changes, for example because
// a comment was opened, the parts below are lexed again on demand. They cache a few states, so closing the comment
// again needs no lexing.

/** A node of the text's tree: a piece, or two stretches. */
interface Stretch {
	readonly length: number;
	/** The text of a piece; empty if there are two halves. */
	readonly text: string;
	readonly halves: readonly [Stretch, Stretch] | undefined;
	readonly hasNul: boolean;
	/** The lengths of the first, last and longest line, counting only the parts inside the stretch. */
	readonly first: number;
	readonly last: number;
	readonly longest: number;
	readonly hasBreak: boolean;
	/** Cached readings, newest first. */
	readonly readings: Reading[];
	/** Cached states at line starts of a piece, newest first. */
	readonly starts: Start[];
}

/** The result of lexing a stretch from a given entry state. */
interface Reading {
	readonly syntax: Syntax;
	readonly entry: Seam;
	readonly exit: Seam;
	/** The brackets of the lines that end in the stretch, as offsets from its start. */
	readonly brackets: Brackets;
}

/**
 * A boundary between two stretches: the state at the start of the line that crosses it, and the part of the line before
 * it.
 */
interface Seam {
	readonly state: LexerState;
	readonly rest: string;
}

/** The state at the start of a line, and the brackets between the start of the piece and the line. */
interface Start extends Pick<Reading, "syntax" | "entry" | "brackets"> {
	/** The start of the line, relative to the piece. */
	readonly at: number;
	readonly state: LexerState;
}

// A piece usually begins in code, or temporarily in a comment or string that is being typed above it.
const READINGS_MAX = 4;
// About the number of lines in a piece.
const STARTS_MAX = 32;

function stretchOf(text: Text): Stretch {
	return STRETCHES.of(text);
}

/** The state at the start of a line. */
export function stateAt(text: Text, lineStart: number, syntax: Syntax): LexerState {
	return readTo(text, lineStart, syntax, () => {}).state;
}

/** The state at the start of a line, and the brackets that are open there. */
export function openingsAt(text: Text, lineStart: number, syntax: Syntax): { state: LexerState; brackets: Brackets } {
	let brackets = Brackets.none;
	const { state } = readTo(text, lineStart, syntax, (passed, before) => {
		brackets = brackets.join(passed, before);
	});
	return { state, brackets };
}

/** Lexes up to the start of a line. Calls `pass` with the brackets and start of each stretch along the way. */
function readTo(
	text: Text,
	lineStart: number,
	syntax: Syntax,
	pass: (brackets: Brackets, before: number) => void,
): Start {
	let stretch = stretchOf(text);
	let seam: Seam = { state: startStateOf(syntax), rest: "" };
	let before = 0;
	while (stretch.halves !== undefined) {
		const [left, right] = stretch.halves;
		if (lineStart - before <= left.length) {
			stretch = left;
			continue;
		}
		const reading = readingOf(left, seam, syntax);
		pass(reading.brackets, before);
		seam = reading.exit;
		before += left.length;
		stretch = right;
	}
	const start = startAt(stretch, lineStart - before, seam, syntax);
	pass(start.brackets, before);
	return start;
}

/** Returns the state at the start of a line in a piece. Lexes from the nearest cached line start above. */
function startAt({ starts, text }: Stretch, at: number, entry: Seam, syntax: Syntax): Start {
	let above: Start | undefined;
	for (const one of starts) {
		if (one.at > at || one.at < (above?.at ?? 0) || !isReading(one, entry, syntax)) continue;
		if (one.at === at) return one;
		above = one;
	}
	const from = above?.at ?? 0;
	const read = readPiece(text.slice(from, at), above === undefined ? entry : { state: above.state, rest: "" }, syntax);
	const brackets = above === undefined ? read.brackets : above.brackets.join(read.brackets, from);
	const start = { syntax, entry, at, state: read.exit.state, brackets };
	if (starts.length >= STARTS_MAX) starts.pop();
	starts.unshift(start);
	return start;
}

/**
 * Finds where a bracket that is open at the start of a line is closed, if anywhere. `brackets` contains the bracket
 * itself and those opened inside it before that line.
 */
export function closeAfter(text: Text, lineStart: number, brackets: Brackets, syntax: Syntax): number | undefined {
	const state = stateAt(text, lineStart, syntax);
	const search = new CloseSearch(lineStart, { state, rest: "" }, brackets, syntax);
	search.visit(stretchOf(text), 0);
	return search.end(text.length);
}

/**
 * Searches for the closing bracket of the first of `brackets`, from the start of a line, and stops as early as
 * possible.
 */
class CloseSearch {
	private found: number | undefined;
	private readonly reader: BracketReader;
	private readonly open: number;

	constructor(
		private readonly from: number,
		private seam: Seam,
		brackets: Brackets,
		private readonly syntax: Syntax,
	) {
		this.reader = new BracketReader(brackets);
		this.open = brackets.opening[0]?.at ?? -1;
	}

	visit(stretch: Stretch, before: number): void {
		const { from, seam, syntax } = this;
		if (this.found !== undefined || before + stretch.length <= from) return;
		const isWhole = before >= from;
		const known = isWhole ? stretch.readings.find((one) => isReading(one, seam, syntax)) : undefined;
		if (known !== undefined) this.read(known, before);
		else if (stretch.halves !== undefined) {
			const [left, right] = stretch.halves;
			this.visit(left, before);
			this.visit(right, before + left.length);
			// Nothing found. Cache the reading, so the next search can skip the stretch.
			if (this.found === undefined && isWhole) readingOf(stretch, seam, syntax);
		} else if (isWhole) this.read(readingOf(stretch, seam, syntax), before);
		else this.read(readPiece(stretch.text.slice(from - before), seam, syntax), from);
	}

	/** Searches the last line, which has no line break. */
	end(length: number): number | undefined {
		const { state, rest } = this.seam;
		if (this.found === undefined && rest !== "") {
			const last = new BracketReader(Brackets.none);
			lexLine(rest, 0, rest.length, this.syntax, state, { bracket: (at, code) => last.read(at, code) });
			this.read({ brackets: last.brackets(), exit: this.seam }, length - rest.length);
		}
		return this.found;
	}

	private read({ brackets, exit }: Pick<Reading, "brackets" | "exit">, before: number): void {
		this.seam = exit;
		for (const { at, code } of [...brackets.closing, ...brackets.opening]) {
			this.reader.read(at + before, code);
			if (this.reader.isOpen(this.open)) continue;
			this.found = at + before;
			return;
		}
	}
}

function readingOf(stretch: Stretch, entry: Seam, syntax: Syntax): Reading {
	const { readings, text, halves } = stretch;
	const known = readings.find((one) => isReading(one, entry, syntax));
	if (known !== undefined) return known;
	const reading = halves === undefined ? readPiece(text, entry, syntax) : readHalves(halves, entry, syntax);
	if (readings.length >= READINGS_MAX) readings.pop();
	readings.unshift(reading);
	return reading;
}

function isReading(one: Pick<Reading, "syntax" | "entry">, entry: Seam, syntax: Syntax): boolean {
	return one.syntax === syntax && one.entry.rest === entry.rest && sameState(one.entry.state, entry.state);
}

function readHalves([left, right]: readonly [Stretch, Stretch], entry: Seam, syntax: Syntax): Reading {
	const first = readingOf(left, entry, syntax);
	const second = readingOf(right, first.exit, syntax);
	return { syntax, entry, exit: second.exit, brackets: first.brackets.join(second.brackets, left.length) };
}

/** Lexes the lines that end in a piece. The first of them may begin before it. */
function readPiece(piece: string, entry: Seam, syntax: Syntax): Reading {
	const source = entry.rest + piece;
	const before = entry.rest.length;
	const reader = new BracketReader(Brackets.none);
	const listener = { bracket: (at: number, code: number) => reader.read(at - before, code) };
	let { state } = entry;
	let from = 0;
	for (let to = lineEndAfter(source, from); to !== -1; to = lineEndAfter(source, from)) {
		state = lexLine(source, from, to, syntax, state, listener);
		from = to;
	}
	return { syntax, entry, exit: { state, rest: source.slice(from) }, brackets: reader.brackets() };
}

/** Shared by all inner nodes, because only pieces have line starts. */
const NO_STARTS: Start[] = [];

const STRETCHES = new Summary<Stretch>(stretchOfPiece, joinStretches);

function stretchOfPiece(text: string): Stretch {
	let from = 0;
	let first = -1;
	let longest = 0;
	for (let to = lineEndAfter(text, from); to !== -1; to = lineEndAfter(text, from)) {
		if (first === -1) first = to - from;
		longest = Math.max(longest, to - from);
		from = to;
	}
	const last = text.length - from;
	const hasBreak = first !== -1;
	return {
		length: text.length,
		text,
		halves: undefined,
		hasNul: text.includes("\0"),
		first: hasBreak ? first : last,
		last,
		longest: Math.max(longest, last),
		hasBreak,
		readings: [],
		starts: [],
	};
}

function joinStretches(left: Stretch, right: Stretch): Stretch {
	const across = left.last + right.first;
	return {
		length: left.length + right.length,
		text: "",
		halves: [left, right],
		hasNul: left.hasNul || right.hasNul,
		first: left.hasBreak ? left.first : across,
		last: right.hasBreak ? right.last : across,
		longest: Math.max(left.longest, right.longest, across),
		hasBreak: left.hasBreak || right.hasBreak,
		readings: [],
		starts: NO_STARTS,
	};
}

/** Whether a document is readable, or why it is not. */
export type Readability = "ok" | "binary" | "minified" | "too-large";

// Longer lines are not handwritten, and each keystroke in a line lexes all of it.
const LINE_LENGTH_MAX = 5000;

// Lexing this much text for the first time takes about as long as a keystroke can take without a noticeable delay.
const TEXT_LENGTH_MAX = 5_000_000;

/** Checks whether a document is readable. Unreadable ones are mirrored but not searched. */
export function readabilityOf({ text }: Document): Readability {
	if (text.length > TEXT_LENGTH_MAX) return "too-large";
	const { hasNul, longest } = stretchOf(text);
	if (hasNul) return "binary";
	return longest > LINE_LENGTH_MAX ? "minified" : "ok";
}
