import {
	ASCII_MAX,
	BRACE_CLOSE,
	BRACE_OPEN,
	CR,
	DOT,
	EQUALS,
	isBlank,
	isBracket,
	isClosing,
	isDigit,
	isWordAt,
	isWordCode,
	LESS,
	LF,
	SPACE,
	widthAt,
	wordEnd,
} from "./characters.js";
import { type Frame, frameOf, heightOf, type LexerState, partOfFrame, START } from "./lexer-state.js";
import {
	type Ends,
	type Literal,
	NO_ENDS,
	type Opening,
	type Openings,
	type Region,
	type Syntax,
	type TokenKind,
	type TokenListener,
} from "./syntax.js";

// Strings are not nested more deeply than this. Bounded, because states are compared frame by frame.
const HEIGHT_MAX = 40;

/** Lexes one line, without JSX. */
export class LineReader {
	protected at: number;
	protected frame: Frame | undefined;
	/** The end of the line before its line break. */
	private readonly inkEnd: number;
	/** The kind of the last token other than whitespace and comments. */
	protected last: "nothing" | "value" | "operator" | "word" = "nothing";
	private lastFrom = 0;
	private lastTo = 0;
	/** Heredocs that begin on the next line. */
	private pending: Frame[] = [];
	/** Literals known to be unclosed on this line, so that they are not tried again. */
	private failed: Literal[] = [];

	constructor(
		protected readonly source: string,
		protected readonly from: number,
		protected readonly to: number,
		protected readonly syntax: Syntax,
		private readonly state: LexerState,
		protected readonly listener: TokenListener,
	) {
		this.at = from;
		this.frame = state.frame;
		let end = to;
		if (end > from && source.charCodeAt(end - 1) === LF) end--;
		if (end > from && source.charCodeAt(end - 1) === CR) end--;
		this.inkEnd = end;
	}

	read(): LexerState {
		while (this.at < this.to) this.readOn(this.frame);
		return this.endLine();
	}

	/** Continues in the given frame. */
	protected readOn(frame: Frame | undefined): void {
		if (typeof frame?.what !== "object") this.readCode(frame);
		else if (frame.what.isHeredoc && this.at === this.from) this.readHeredoc(frame, frame.what);
		else this.readRegion(frame, frame.what, this.at);
	}

	/** Opens a JSX element at an offset. Returns whether it found one. */
	protected openTag(_at: number): boolean {
		return false;
	}

	/** The state after the line. Closes regions that cannot span lines. */
	private endLine(): LexerState {
		const isAfterValue = this.syntax.hasValues && this.isAfterValue();
		let { frame } = this;
		// An escaped line break is part of the string, which continues on the next line.
		const isContinued = frame !== undefined && this.isContinued;
		for (let open = this.frame; open !== undefined && !isContinued; open = open.outer) {
			if (typeof open.what === "object" && open.what.isOneLine) frame = open.outer;
		}
		for (const opened of this.pending.toReversed()) frame = { ...opened, outer: frame, height: heightOf(frame) + 1 };
		if (frame === undefined && !isAfterValue) return START;
		if (frame === this.state.frame && isAfterValue === this.state.isAfterValue) return this.state;
		return { frame, isAfterValue };
	}

	private isContinued = false;

	protected emit(from: number, to: number, kind: TokenKind, isOpen = false): void {
		if (from < to) this.listener.token?.(from, to, kind, isOpen);
	}

	protected isAfterValue(): boolean {
		switch (this.last) {
			case "nothing":
				return this.state.isAfterValue && this.frame === this.state.frame;
			case "word":
				return !this.syntax.beforeValue.has(this.source.slice(this.lastFrom, this.lastTo));
			default:
				return this.last === "value";
		}
	}

	protected push(what: Frame["what"], ends: Ends): boolean {
		if (heightOf(this.frame) >= HEIGHT_MAX) return false;
		this.frame = frameOf(what, ends, this.frame);
		return true;
	}

	protected pop(): void {
		this.frame = this.frame?.outer;
		this.last = "value";
	}

	private readCode(frame: Frame | undefined): void {
		const { source, syntax } = this;
		while (this.at < this.to && this.frame === frame) {
			const { at } = this;
			const code = source.charCodeAt(at);
			if (code <= SPACE) this.readSpace();
			else if (isDigit(code)) this.readNumber();
			else if (isWordCode(code) || (code > ASCII_MAX && isWordAt(source, at))) this.readWord();
			else if (code > ASCII_MAX) this.readMark(at, widthAt(source, at));
			else if (this.openSign(at, code, syntax.starts)) continue;
			else if (code === LESS && this.openTag(at)) continue;
			else this.readPunctuation(at, code, frame);
		}
	}

	protected readSpace(): void {
		const { at, source, to } = this;
		let end = at + 1;
		while (end < to && source.charCodeAt(end) <= SPACE) end++;
		this.at = end;
		this.emit(at, end, "space");
	}

	private readNumber(): void {
		const { at, source, syntax } = this;
		syntax.number.lastIndex = at;
		this.at = syntax.number.test(source) ? syntax.number.lastIndex : at + 1;
		this.last = "value";
		this.emit(at, this.at, "number");
	}

	private readWord(): void {
		const { at, source, syntax } = this;
		const to = wordEnd(source, at, this.to);
		if (syntax.prefixed.length > 0 && AFTER_PREFIX.has(source.charCodeAt(to)) && this.open(at, syntax.prefixed)) return;
		this.at = to;
		const isMember = source.charCodeAt(at - 1) === DOT && this.last === "operator";
		this.last = "word";
		this.lastFrom = at;
		this.lastTo = to;
		if (this.listener.token === undefined) return;
		const isOwn = !isMember && syntax.keywords.has(source.slice(at, to));
		this.emit(at, to, isOwn ? "keyword" : "identifier");
	}

	protected readMark(at: number, width: number): void {
		this.at = at + width;
		this.last = "operator";
		this.emit(at, this.at, "punctuation", partOfFrame(this.frame) !== undefined);
	}

	private readPunctuation(at: number, code: number, frame: Frame | undefined): void {
		if (frame !== undefined && this.source.startsWith(frame.close, at)) {
			if (frame.depth === 1) {
				this.frame = frame.outer;
				this.readMark(at, frame.close.length);
				if (code === BRACE_CLOSE) this.listener.bracket?.(at, code);
				this.last = "nothing";
				return;
			}
			this.frame = { ...frame, depth: frame.depth - 1 };
		} else if (frame?.nested !== undefined && frame.nested !== "" && code === BRACE_OPEN) {
			this.frame = { ...frame, depth: frame.depth + 1 };
		}
		this.readMark(at, 1);
		if (isClosing(code)) this.last = "value";
		if (isBracket(code)) this.listener.bracket?.(at, code);
	}

	protected openSign(at: number, code: number, starts: Openings): boolean {
		const openings = starts[code];
		return openings !== undefined && this.open(at, openings);
	}

	/** Reads the first opening that matches at an offset. Returns whether it found one. */
	private open(at: number, openings: readonly Opening[]): boolean {
		const { source } = this;
		for (const one of openings) {
			if ("pattern" in one) {
				if (this.readLiteral(at, one)) return true;
				continue;
			}
			if (one.isValue && this.isAfterValue() && !this.isApart(at)) continue;
			if (one.kind === "comment" && this.hasNoComments()) continue;
			one.open.lastIndex = at;
			const opened = one.open.exec(source);
			if (opened === null) continue;
			const end = at + opened[0].length;
			if (one.isHeredoc) {
				this.pending.push(frameOf(one, one.ends(opened), undefined));
				this.at = end;
				this.last = "value";
				this.emit(at, end, "string");
				return true;
			}
			if (!this.push(one, one.ends(opened))) continue;
			this.at = end;
			this.readRegion(this.frame as Frame, one, at);
			return true;
		}
		return false;
	}

	private hasNoComments(): boolean {
		if (this.frame?.what !== "hole") return false;
		const around = this.frame.outer?.what;
		return typeof around === "object" && around.hole?.hasNoComments === true;
	}

	/** Whether there is a space before the offset but not after it, as in `puts %w[a]` and `puts /a/`. */
	private isApart(at: number): boolean {
		if (this.last !== "word" || this.lastTo === at) return false;
		return this.source.charCodeAt(at + 1) > SPACE && this.source.charCodeAt(at + 1) !== EQUALS;
	}

	private readLiteral(at: number, literal: Literal): boolean {
		const { source } = this;
		if (this.failed.includes(literal)) return false;
		if (literal.isValue && this.isAfterValue() && !(literal.mayStandApart && this.isApart(at))) return false;
		literal.pattern.lastIndex = at;
		if (!literal.pattern.test(source)) {
			if (literal.isLong) this.failed.push(literal);
			return false;
		}
		this.at = Math.min(literal.pattern.lastIndex, this.inkEnd);
		if (literal.kind !== "comment") this.last = literal.kind === "keyword" ? "operator" : "value";
		this.emit(at, this.at, literal.kind);
		return true;
	}

	/** Continues a comment or string. Its token begins at `from`. */
	private readRegion(frame: Frame, region: Region, from: number): void {
		const { source } = this;
		const { close, nested } = frame;
		const end = region.isOneLine ? this.inkEnd : this.to;
		const first = close === "" ? -1 : close.charCodeAt(0);
		const second = nested === "" ? -1 : nested.charCodeAt(0);
		let { depth } = frame;
		let at = this.at;
		let start = from;
		while (at < end) {
			const code = source.charCodeAt(at);
			const isSpecial = code <= ASCII_MAX && region.isSpecial[code];
			if (code !== first && code !== second && !isSpecial) {
				at++;
				continue;
			}
			const skipped = isSpecial ? matchEnd(region.skip, source, at) : -1;
			if (skipped > at) {
				at = skipped;
				continue;
			}
			if (code === first && source.startsWith(close, at) && !region.isHeredoc) {
				if (!region.keepsClose) at += close.length;
				depth--;
				if (depth > 0) continue;
				this.at = at;
				this.emit(start, at, region.kind);
				const { last } = this;
				this.pop();
				if (region.kind === "comment") this.last = last;
				return;
			}
			if (code === second && source.startsWith(nested, at)) {
				depth++;
				at += nested.length;
				continue;
			}
			const holeTo = isSpecial ? matchEnd(region.hole?.open, source, at) : -1;
			if (holeTo > at) {
				this.frame = { ...frame, depth };
				if (this.push("hole", region.hole?.ends ?? NO_ENDS)) {
					this.emit(start, at, region.kind, true);
					this.readMark(at, holeTo - at);
					if (region.hole?.ends[1] === "}") this.listener.bracket?.(at, BRACE_OPEN);
					this.last = "nothing";
					return;
				}
			}
			const variableTo = isSpecial ? matchEnd(region.variable, source, at) : -1;
			if (variableTo > at) {
				this.emit(start, at, region.kind, true);
				this.emit(at, variableTo, "identifier", true);
				start = variableTo;
				at = variableTo;
				continue;
			}
			at++;
		}
		this.isContinued = at > end && region.isOneLine;
		this.at = region.isOneLine && !this.isContinued ? end : this.to;
		this.emit(start, this.at, region.kind, true);
		if (region.isOneLine && !this.isContinued) {
			const { last } = this;
			this.pop();
			if (region.kind === "comment") this.last = last;
			// The rest is the line break, which is not part of a single-line region.
			this.emit(this.at, this.to, "space");
			this.at = this.to;
		} else if (depth !== frame.depth) this.frame = { ...frame, depth };
	}

	/** Reads a line of a heredoc, which may be its closing line. */
	private readHeredoc(frame: Frame, region: Region): void {
		const { source, from, to } = this;
		let at = from;
		while (at < to && isBlank(source.charCodeAt(at))) at++;
		const end = at + frame.close.length;
		if (source.startsWith(frame.close, at) && (end >= to || wordEnd(source, end, to) === end)) {
			this.at = end;
			this.emit(from, end, "string");
			this.pop();
			return;
		}
		this.readRegion(frame, region, from);
	}
}

// Characters that can follow a string prefix: quotes, delimiters of raw strings and line breaks.
const AFTER_PREFIX = new Set(Array.from("\"'`#@\r\n", (sign) => sign.charCodeAt(0)));

/** The end of a match at an offset, or -1. */
export function matchEnd(pattern: RegExp | undefined, source: string, at: number): number {
	if (pattern === undefined) return -1;
	pattern.lastIndex = at;
	return pattern.test(source) ? Math.max(pattern.lastIndex, at) : -1;
}
