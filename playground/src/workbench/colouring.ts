import { StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tagHighlighter, tags } from "@lezer/highlight";
import type { Colour, ColourRegion, ColourSyntax } from "./syntax.js";

// What is open at once. Nobody writes programs that are nested deeper, and every stretch of a text keeps its own list.
const OPEN_MAX = 100;

/** Colours a language, and knows where its next line begins. */
export function colouring(syntax: ColourSyntax): Extension {
	const language = StreamLanguage.define<Reading>({
		startState: () => ({ open: [], before: "", line: 0, indent: 0, isLeaving: false }),
		token: (stream, reading) => new Reader(stream, reading, syntax).read(),
		indent: (reading, rest, { unit }) => indentOf(reading, rest, unit, syntax),
		languageData: { commentTokens: { line: syntax.lineComment } },
	});
	return [language, syntaxHighlighting(CLASSES)];
}

/** What each colour is called in CSS. */
export const CLASSES = tagHighlighter([
	{ tag: tags.keyword, class: "tok-keyword" },
	{ tag: tags.atom, class: "tok-atom" },
	{ tag: tags.typeName, class: "tok-typeName" },
	{ tag: tags.comment, class: "tok-comment" },
	{ tag: tags.string, class: "tok-string" },
	{ tag: tags.number, class: "tok-number" },
	{ tag: tags.meta, class: "tok-meta" },
	{ tag: tags.function(tags.variableName), class: "tok-function" },
	{ tag: tags.definition(tags.variableName), class: "tok-definition" },
]);

/** What is known where a token begins. It is copied with its list, the members of which never change. */
interface Reading {
	/** The innermost last. */
	readonly open: Open[];
	/** What was read last in code, other than space and comments; a quote for any string. */
	before: string;
	/** Of the last line that has code: its number, how far it is indented, and whether a block ends with it. */
	line: number;
	indent: number;
	isLeaving: boolean;
}

type Open =
	| { readonly region: ColourRegion; readonly close: string }
	/** A bracket, or the code in a string, with the line that it is opened in. */
	| { readonly region: undefined; readonly close: string; readonly line: number; readonly indent: number };

/** The part of CodeMirror's stream that is used. */
interface Stream {
	pos: number;
	readonly start: number;
	readonly string: string;
	indentation(): number;
}

/** Reads one token. */
class Reader {
	constructor(
		private readonly stream: Stream,
		private readonly reading: Reading,
		private readonly syntax: ColourSyntax,
	) {}

	read(): Colour | null {
		const inside = this.reading.open.at(-1);
		if (inside?.region !== undefined) return this.readRegion(inside.region, inside.close);
		const { stream } = this;
		if (this.match(/\s+/y)) return null;
		if (stream.string.startsWith(this.syntax.lineComment, stream.pos)) {
			stream.pos = stream.string.length;
			return "comment";
		}
		const begun = this.beginRegion();
		return begun === undefined ? this.readCode() : begun;
	}

	private beginRegion(): Colour | null | undefined {
		for (const region of this.syntax.regions) {
			const opened = this.match(region.open);
			if (opened === undefined) continue;
			const close = opened[1] ?? region.close;
			if (region.colour === "string") this.beginCode('"');
			return this.push({ region, close }) ? this.readRegion(region, close) : region.colour;
		}
		return undefined;
	}

	/** Up to its end, or to the code in it, or to the end of the line. */
	private readRegion(region: ColourRegion, close: string): Colour | null {
		const { stream } = this;
		const { string } = stream;
		const { hole, nested } = region;
		while (stream.pos < string.length) {
			if (region.hasEscapes && string[stream.pos] === "\\") {
				stream.pos += 2;
			} else if (string.startsWith(close, stream.pos)) {
				stream.pos += close.length;
				this.reading.open.pop();
				if (this.reading.open.at(-1)?.region !== region) return region.colour;
			} else if (nested !== undefined && string.startsWith(nested, stream.pos)) {
				stream.pos += nested.length;
				this.push({ region, close });
			} else if (hole === "{" && string.startsWith("{{", stream.pos)) {
				stream.pos += 2;
			} else if (hole !== undefined && string.startsWith(hole, stream.pos)) {
				if (stream.pos > stream.start) return region.colour;
				stream.pos += hole.length;
				this.reading.before = "{";
				if (this.pushBracket("}")) return null;
			} else stream.pos++;
		}
		// An escape at the end of a line leads beyond it.
		const isContinued = stream.pos > string.length;
		stream.pos = string.length;
		if (region.isOneLine && !isContinued) this.reading.open.pop();
		return region.colour;
	}

	private readCode(): Colour | null {
		for (const { colour, pattern, isValue } of this.syntax.literals) {
			if (isValue && this.isAfterValue()) continue;
			const found = this.match(pattern);
			if (found === undefined) continue;
			this.beginCode(colour === "string" ? '"' : found[0]);
			return colour;
		}
		const number = this.match(NUMBER);
		if (number !== undefined) {
			this.beginCode(number[0]);
			return "number";
		}
		const [name] = this.match(NAME) ?? [];
		if (name !== undefined) {
			const colour = this.colourOf(name);
			this.beginCode(name);
			return colour;
		}
		this.readSign();
		return null;
	}

	private readSign(): void {
		const { stream, reading } = this;
		const sign = String.fromCodePoint(stream.string.codePointAt(stream.pos) ?? 0);
		stream.pos += sign.length;
		this.beginCode(sign);
		const close = BRACKETS.get(sign);
		if (close !== undefined) this.pushBracket(close);
		else if (CLOSING.has(sign)) {
			// What was left open inside is closed with it; a sign that closes nothing is only that.
			const at = reading.open.findLastIndex((open) => open.region !== undefined || open.close === sign);
			if (reading.open[at]?.region === undefined && at >= 0) reading.open.length = at;
		}
	}

	private colourOf(name: string): Colour | null {
		const { keywords, atoms, types, declares, exportsCapitals } = this.syntax;
		const { before } = this.reading;
		const { string, start, pos } = this.stream;
		AFTER_NAME.lastIndex = pos;
		const { call, key, attribute } = AFTER_NAME.exec(string)?.groups ?? {};
		const called = call === undefined ? null : "variableName.function";
		if (before === "." && string[start - 1] === ".") return called;
		const isKey = key !== undefined && KEY_BEFORE.test(before);
		// A key may be any word but this one, which stands in a switch; so may an attribute.
		if (keywords.has(name) && attribute === undefined && (!isKey || name === "default")) return "keyword";
		if (atoms.has(name) && !isKey) return "atom";
		if (isKey || (key !== undefined && this.isFirst)) return "variableName.definition";
		if (types.has(name)) return "typeName";
		const declared = declares.get(before);
		if (declared !== undefined) return declared;
		if (CAPITAL.test(name) && (!exportsCapitals || this.isTypeThere(string[pos]))) return "typeName";
		return called;
	}

	/** Where others may be capital, too, a type is what follows a name or what is made of types, or is filled in. */
	private isTypeThere(next: string | undefined): boolean {
		const { before } = this.reading;
		if (next === "(") return false;
		return next === "{" || (/^(?:[*&\]]|[a-z]\w*)$/.test(before) && !this.syntax.keywords.has(before));
	}

	private isAfterValue(): boolean {
		const { before } = this.reading;
		// The slash of a closing tag begins nothing.
		return before === "<" || (/^[\w$"')\]}]/.test(before) && !this.syntax.keywords.has(before));
	}

	/** Notes what is read, and the line where it is the first. */
	private beginCode(read: string): void {
		const { stream, reading } = this;
		if (this.isFirst) {
			reading.line++;
			reading.indent = stream.indentation();
			reading.isLeaving = LEAVING.test(read);
		}
		reading.before = read;
	}

	private get isFirst(): boolean {
		return this.stream.string.search(/\S/) === this.stream.start;
	}

	private pushBracket(close: string): boolean {
		const { line, indent } = this.reading;
		return this.push({ region: undefined, close, line, indent });
	}

	private push(open: Open): boolean {
		if (this.reading.open.length >= OPEN_MAX) return false;
		this.reading.open.push(open);
		return true;
	}

	private match(pattern: RegExp): RegExpExecArray | undefined {
		const { stream } = this;
		pattern.lastIndex = stream.pos;
		const found = pattern.exec(stream.string);
		if (found === null) return undefined;
		stream.pos += found[0].length;
		return found;
	}
}

/** As the line before, further in after what was opened there, and back where it is closed. Null: nobody knows. */
function indentOf({ open, ...last }: Reading, rest: string, unit: number, syntax: ColourSyntax): number | null {
	const inside = open.at(-1);
	if (inside?.region !== undefined) return null;
	if (CLOSING.has(rest.charAt(0))) return inside?.indent ?? 0;
	if (inside?.line === last.line) return inside.indent + unit;
	if (!syntax.hasColonBlocks) return last.indent;
	if (last.before === ":") return last.indent + unit;
	return last.isLeaving ? Math.max(0, last.indent - unit) : last.indent;
}

const NUMBER = /(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?)\w*/iy;
const NAME = /[\p{L}_$][\p{L}\p{N}\p{M}_$]*/uy;
/** What tells of a name: a call, also one that names types first, or what it is the key or the attribute of. */
const AFTER_NAME = /(?<call>(?:(?:::)?<[\w\s,.[\]<>|]{0,80}>)?\()|(?<key>\??:(?![:=]))|(?<attribute>=["{])/y;
const KEY_BEFORE = /^(?:[{(,;|]|pub|readonly|public|private|protected|static|mut)$/;
/** Not what is written in capitals altogether, as constants are. */
const CAPITAL = /^\p{Lu}(?:$|.*\p{Ll})/u;
const LEAVING = /^(?:return|pass|break|continue|raise)$/;
const BRACKETS = new Map([
	["(", ")"],
	["[", "]"],
	["{", "}"],
]);
const CLOSING = new Set(BRACKETS.values());
