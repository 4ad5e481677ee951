import {
	ASCII_MAX,
	BRACE_CLOSE,
	BRACE_OPEN,
	GREATER,
	isWordAt,
	isWordCode,
	LESS,
	SEMICOLON,
	SLASH,
	SPACE,
	widthAt,
	wordEnd,
} from "./characters.js";
import { type Frame, type LexerState, outsideOfMarkup } from "./lexer-state.js";
import { LineReader, matchEnd } from "./line-reader.js";
import { type Ends, NO_ENDS } from "./syntax.js";

/** Lexes one line of a language with JSX: tags, and the text and code between them. */
export class MarkupReader extends LineReader {
	override read(): LexerState {
		this.leaveMarkup();
		return super.read();
	}

	protected override readOn(frame: Frame | undefined): void {
		if (frame?.what === "children") this.readChildren(frame);
		else if (frame?.what === "tag" || frame?.what === "end-tag") this.readTag(frame);
		else super.readOn(frame);
	}

	protected override openTag(at: number): boolean {
		if (this.isAfterValue()) return false;
		if (matchEnd(ELEMENT, this.source, at) < at || !this.push("tag", NO_ENDS)) return false;
		this.readMark(at, 1);
		return true;
	}

	private readTag(frame: Frame): void {
		const { source } = this;
		while (this.at < this.to && this.frame === frame) {
			const { at } = this;
			const code = source.charCodeAt(at);
			if (code <= SPACE) this.readSpace();
			else if (isWordCode(code) || (code > ASCII_MAX && isWordAt(source, at))) {
				this.at = wordEnd(source, at, this.to);
				this.emit(at, this.at, "identifier");
			} else if (code > ASCII_MAX) this.readMark(at, widthAt(source, at));
			else if (code === BRACE_OPEN && this.push("hole", BRACES)) this.openHole(at, 1);
			else if (this.openSign(at, code, this.syntax.attributes ?? [])) continue;
			else if (code === SLASH && source.charCodeAt(at + 1) === GREATER) {
				this.readMark(at, 1);
				this.pop();
				this.readMark(at + 1, 1);
				this.last = "value";
			} else if (code === GREATER) {
				this.pop();
				if (frame.what === "tag") this.push("children", NO_ENDS);
				else if (this.frame?.what === "children") this.pop();
				this.readMark(at, 1);
				this.last = "value";
			} else if (code === SEMICOLON) this.dropMarkup();
			else this.readMark(at, 1);
		}
	}

	private openHole(at: number, width: number): void {
		this.readMark(at, width);
		this.listener.bracket?.(at, BRACE_OPEN);
		this.last = "nothing";
	}

	private readChildren(frame: Frame): void {
		const { source, to } = this;
		let from = this.at;
		while (this.at < to && this.frame === frame) {
			const { at } = this;
			const code = source.charCodeAt(at);
			if (code === BRACE_OPEN && this.push("hole", BRACES)) {
				this.emit(from, at, "string", true);
				this.openHole(at, 1);
				from = this.at;
			} else if (code === BRACE_CLOSE) {
				this.emit(from, at, "string", true);
				from = at;
				this.dropMarkup();
			} else if (code === LESS && matchEnd(TAG, source, at) > at) {
				this.emit(from, at, "string", true);
				const isEnd = source.charCodeAt(at + 1) === SLASH;
				if (!this.push(isEnd ? "end-tag" : "tag", NO_ENDS)) this.dropMarkup();
				this.readMark(at, 1);
				if (isEnd && this.frame?.what === "end-tag") this.readMark(at + 1, 1);
				from = this.at;
			} else this.at++;
		}
		this.emit(from, this.at, "string", true);
	}

	/** Ends an unclosed element at a line that starts a declaration or closes a block. */
	private leaveMarkup(): void {
		if (this.frame === undefined) return;
		const { what } = this.frame;
		if (what !== "children" && what !== "tag") return;
		if (matchEnd(NO_MARKUP, this.source, this.from) > this.from) {
			this.frame = outsideOfMarkup(this.frame);
			while (this.frame !== undefined && this.frame.what === "hole") this.frame = outsideOfMarkup(this.frame.outer);
		}
	}

	private dropMarkup(): void {
		this.frame = outsideOfMarkup(this.frame);
		this.last = "operator";
	}
}

const BRACES: Ends = ["{", "}"];

// Matches an element, but not type parameters: `<T,>`, `<T extends U>`, `<T>(a: T)`.
const ELEMENT = /<(?=>|[A-Za-z_$][\w$.:-]*[\s/>{])(?![\w$]+(?:[ \t]+extends\b|>[ \t]*\())/y;
const TAG = /<(?=[A-Za-z_$>/])/y;
const NO_MARKUP = /(?:\}|(?:export|import|function|const|let|class|interface|type)\b)/y;
