import { type Language, StreamLanguage, type StringStream, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tagHighlighter, tags } from "@lezer/highlight";
import { JAVASCRIPT } from "@segue/predict/javascript";
import { type LexerState, type Syntax, type SyntaxToken, tokenizeLine } from "@segue/predict/lexer";

// Limits a list that is copied for every chunk of text. Real programs are not nested this deeply.
const BRACKETS_MAX = 100;

type Colour = "keyword" | "atom" | "typeName" | "comment" | "string" | "number" | "meta" | Declared;
type Declared = "typeName" | "variableName.function" | "variableName.definition";

/** Rules for colours and indentation that a language's tokens do not imply. */
interface LanguageRules {
	readonly lineComment: string;
	/** Tried in this order, before names. */
	readonly patterns?: readonly { readonly colour: Colour; readonly pattern: RegExp }[];
	/** Words that precede a definition, in addition to those in `DECLARED_AFTER`. */
	readonly definitionAfter?: ReadonlySet<string>;
	/** Built-in types that are not keywords. */
	readonly types?: ReadonlySet<string>;
	/** Whether blocks start after a colon and are delimited by indentation. */
	readonly hasColonBlocks?: boolean;
	/** Whether a capital letter marks an exported name, which is not necessarily a type. */
	readonly exportsCapitals?: boolean;
}

/**
 * Colours and indents code based on the tokens from the engine's lexer. Returns undefined for a language that has no
 * rules or is not loaded yet.
 */
export function colouring(languageId: string): Extension | undefined {
	const language = languageOf(languageId);
	return language && [language, syntaxHighlighting(CLASSES)];
}

/**
 * Returns a parser for highlighting code outside an editor with `highlightCode`. Undefined for a language that has no
 * rules or is not loaded yet.
 */
export function parserOf(languageId: string): Language["parser"] | undefined {
	return languageOf(languageId)?.parser;
}

/** Whether a language has rules, but its syntax must still be loaded. */
export function needsSyntax(languageId: string): boolean {
	return Object.hasOwn(RULES, languageId) && syntaxOf(languageId) === undefined;
}

/** Loads the syntaxes of all languages. The page starts with only JavaScript and TypeScript. */
export async function loadSyntaxes(): Promise<void> {
	({ syntaxOf } = await import("@segue/predict/languages"));
}

let syntaxOf = (languageId: string): Syntax | undefined => {
	return JAVASCRIPT.find(({ ids }) => ids.includes(languageId))?.syntax;
};

const languages = new Map<string, StreamLanguage<LineState>>();

function languageOf(languageId: string): StreamLanguage<LineState> | undefined {
	const rules = Object.hasOwn(RULES, languageId) ? RULES[languageId] : undefined;
	const syntax = rules && syntaxOf(languageId);
	if (rules === undefined || syntax === undefined) return undefined;
	const language = languages.get(languageId) ?? defineLanguage(syntax, rules);
	languages.set(languageId, language);
	return language;
}

function defineLanguage(syntax: Syntax, rules: LanguageRules): StreamLanguage<LineState> {
	return StreamLanguage.define<LineState>({
		startState: () => {
			return {
				lexer: undefined,
				tokens: [],
				next: 0,
				brackets: [],
				before: "",
				isAfterKeyword: false,
				line: 0,
				indent: 0,
				isLeaving: false,
			};
		},
		token: (stream, state) => {
			if (stream.sol()) readLine(stream.string, state, syntax);
			return new TokenReader(stream, state, rules).read();
		},
		blankLine: (state) => readLine("", state, syntax),
		indent: (state, rest, { unit }) => indentOf(state, rest, unit, rules),
		languageData: { commentTokens: { line: rules.lineComment } },
	});
}

/** The CSS class for each colour. */
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

/** The state between two tokens. CodeMirror copies it and its lists; the members of the lists never change. */
interface LineState {
	/** The lexer's state at the end of the line; undefined before the first line. */
	lexer: LexerState | undefined;
	/** The line's tokens, and the index of the next one. */
	tokens: readonly SyntaxToken[];
	next: number;
	/** Open brackets, innermost last, each with its line. */
	readonly brackets: { readonly close: string; readonly line: number; readonly indent: number }[];
	/** The last token that is not a space or a comment. Any string is stored as a quote. */
	before: string;
	isAfterKeyword: boolean;
	/** The last line with code: its number, its indentation, and whether it ends a block. */
	line: number;
	indent: number;
	isLeaving: boolean;
}

function readLine(text: string, state: LineState, syntax: Syntax): void {
	const { tokens, state: lexer } = tokenizeLine(`${text}\n`, syntax, state.lexer);
	state.lexer = lexer;
	state.tokens = tokens;
	state.next = 0;
}

/** Reads one token. */
class TokenReader {
	constructor(
		private readonly stream: StringStream,
		private readonly state: LineState,
		private readonly rules: LanguageRules,
	) {}

	read(): Colour | null {
		const { stream, state } = this;
		const { string } = stream;
		while ((state.tokens[state.next]?.to ?? string.length) <= stream.pos) state.next++;
		const token = state.tokens[state.next];
		const kind = token?.kind ?? "space";
		const isCode = kind === "identifier" || kind === "keyword" || kind === "punctuation";
		const matched = isCode ? this.matchPattern() : undefined;
		if (matched !== undefined) return matched;
		stream.pos = Math.min(token?.to ?? string.length, string.length);
		const text = stream.current();
		switch (kind) {
			case "space":
				return null;
			case "comment":
				return "comment";
			case "string":
				this.note('"');
				return "string";
			case "number":
				this.note(text);
				return "number";
			case "punctuation":
				this.note(text);
				this.nest(text.at(-1) ?? "");
				return null;
			default: {
				const colour = this.colourOf(text, kind === "keyword");
				this.note(text);
				this.state.isAfterKeyword = colour === "keyword";
				return colour;
			}
		}
	}

	private matchPattern(): Colour | undefined {
		const { stream } = this;
		for (const { colour, pattern } of this.rules.patterns ?? []) {
			pattern.lastIndex = stream.pos;
			if (!pattern.test(stream.string)) continue;
			stream.pos = pattern.lastIndex;
			this.note(stream.current());
			return colour;
		}
		return undefined;
	}

	private colourOf(name: string, isKeyword: boolean): Colour | null {
		const { definitionAfter, types, exportsCapitals } = this.rules;
		const { before } = this.state;
		const { string, start, pos } = this.stream;
		AFTER_NAME.lastIndex = pos;
		const { call, key, attribute } = AFTER_NAME.exec(string)?.groups ?? {};
		const called = call === undefined ? null : "variableName.function";
		if (before === "." && string[start - 1] === ".") return called;
		const isKey = key !== undefined && KEY_BEFORE.test(before);
		if (ATOMS.has(name) && !isKey) return "atom";
		const isType = (isKeyword && TYPE_WORDS.has(name)) || types?.has(name) === true;
		// Any word can be a key or an attribute, except `default`, which is part of a switch.
		if (isKeyword && !isType && attribute === undefined && (!isKey || name === "default")) return "keyword";
		if (isKey || (key !== undefined && this.isFirst)) return "variableName.definition";
		if (isType) return "typeName";
		if (definitionAfter?.has(before)) return "variableName.definition";
		const declared = DECLARED_AFTER.get(before);
		if (declared !== undefined) return declared;
		if (CAPITAL.test(name) && (!exportsCapitals || this.isTypeThere(string[pos]))) return "typeName";
		return called;
	}

	/**
	 * Whether a capitalized name is a type if `exportsCapitals` is set. A type follows a name or a type operator, or
	 * precedes its fields.
	 */
	private isTypeThere(next: string | undefined): boolean {
		const { before } = this.state;
		if (next === "(") return false;
		return next === "{" || (/^(?:[*&\]]|[a-z]\w*)$/.test(before) && !this.state.isAfterKeyword);
	}

	/** Records a code token, and its line if it is the first token on it. */
	private note(text: string): void {
		const { stream, state } = this;
		if (this.isFirst) {
			state.line++;
			state.indent = stream.indentation();
			state.isLeaving = LEAVING.test(text);
		}
		state.before = text;
		state.isAfterKeyword = false;
	}

	private nest(sign: string): void {
		const { brackets, line, indent } = this.state;
		const close = BRACKETS.get(sign);
		if (close !== undefined) {
			if (brackets.length < BRACKETS_MAX) brackets.push({ close, line, indent });
		} else if (CLOSING.has(sign)) {
			// Also closes unclosed brackets inside the pair. A closing bracket without a match is ignored.
			const at = brackets.findLastIndex((open) => open.close === sign);
			if (at >= 0) brackets.length = at;
		}
	}

	private get isFirst(): boolean {
		return this.stream.string.search(/\S/) === this.stream.start;
	}
}

/**
 * Returns the indentation of the previous line, plus a level after an open bracket, minus a level where it closes. Null
 * inside comments and strings.
 */
function indentOf(state: LineState, rest: string, unit: number, { hasColonBlocks }: LanguageRules): number | null {
	if (typeof state.lexer?.frame?.what === "object") return null;
	const inside = state.brackets.at(-1);
	if (CLOSING.has(rest.charAt(0))) return inside?.indent ?? 0;
	if (inside?.line === state.line) return inside.indent + unit;
	if (!hasColonBlocks) return state.indent;
	if (state.before === ":") return state.indent + unit;
	return state.isLeaving ? Math.max(0, state.indent - unit) : state.indent;
}

const SCRIPT: LanguageRules = {
	lineComment: "//",
	patterns: [
		{ colour: "meta", pattern: /@[\w$]+(?:\.[\w$]+)*/y },
		// These are keywords only if another word follows.
		{ colour: "keyword", pattern: /\b(?:asserts|from|get|is|of|set|type|unique)\b(?=\s+[\w$"'[{*])/y },
		// An element. In a comparison, `<` would follow a value.
		{ colour: "typeName", pattern: /(?<=<\/|(?<![\w)\]]\s?)<)[a-z][\w.-]*(?=[\s/>])/y },
	],
};

const RULES: Readonly<Record<string, LanguageRules>> = {
	typescript: SCRIPT,
	typescriptreact: SCRIPT,
	javascript: SCRIPT,
	javascriptreact: SCRIPT,
	python: {
		lineComment: "#",
		patterns: [
			{ colour: "meta", pattern: /(?<=^\s*)@[\w.]+/y },
			{ colour: "keyword", pattern: /(?<=^\s*)(?:match|case|type)\b(?=\s+[\w"'([{-])/y },
		],
		definitionAfter: wordSet("for global"),
		types: wordSet("bool bytes dict float int list object set str tuple"),
		hasColonBlocks: true,
	},
	rust: {
		lineComment: "//",
		patterns: [
			{ colour: "meta", pattern: /#!?\[[^\]]*\]?/y },
			{ colour: "typeName", pattern: /'[a-z_]\w*/y },
			{ colour: "variableName.function", pattern: /\b[a-z_]\w*!(?!=)/y },
		],
		definitionAfter: wordSet("static"),
	},
	go: {
		lineComment: "//",
		patterns: [{ colour: "variableName.definition", pattern: /\b[a-z_]\w*(?=(?:,\s*\w+){0,4}\s*:=)/y }],
		exportsCapitals: true,
	},
	java: { lineComment: "//", patterns: [{ colour: "meta", pattern: /@\w+/y }] },
	c: { lineComment: "//", patterns: [{ colour: "meta", pattern: /(?<=^\s*)#\s*\w+/y }] },
	cpp: { lineComment: "//", patterns: [{ colour: "meta", pattern: /(?<=^\s*)#\s*\w+/y }] },
	csharp: { lineComment: "//" },
	php: { lineComment: "//" },
	ruby: { lineComment: "#" },
	json: { lineComment: "//" },
};

const ATOMS = wordSet("False Infinity NULL NaN None True false iota nil null nullptr true undefined");
/** Keywords that name types, in any language. */
const TYPE_WORDS =
	wordSet(`Self any bigint bool boolean byte char complex128 complex64 double error f32 f64 float float32
	float64 i128 i16 i32 i64 i8 int int16 int32 int64 int8 isize long never number object rune short str string symbol u128
	u16 u32 u64 u8 uint uint16 uint32 uint64 uint8 uintptr unknown usize`);
/** The colour of a name, by the keyword before it. */
const DECLARED_AFTER: ReadonlyMap<string, Declared> = new Map([
	..."class enum extends impl implements interface namespace new struct trait type"
		.split(" ")
		.map((word) => [word, "typeName"] as const),
	..."def fn func function".split(" ").map((word) => [word, "variableName.function"] as const),
	..."const let mut var".split(" ").map((word) => [word, "variableName.definition"] as const),
]);
/**
 * Matches the text after a name: the parenthesis of a call, with or without type arguments, the colon of a key, or an
 * attribute's value.
 */
const AFTER_NAME = /(?<call>(?:(?:::)?<[\w\s,.[\]<>|]{0,80}>)?\()|(?<key>\??:(?![:=]))|(?<attribute>=["{])/y;
const KEY_BEFORE = /^(?:[{(,;|]|pub|readonly|public|private|protected|static|mut)$/;
/** Excludes names in all capitals, which are constants. */
const CAPITAL = /^\p{Lu}(?:$|.*\p{Ll})/u;
const LEAVING = /^(?:return|pass|break|continue|raise)$/;
const BRACKETS = new Map([
	["(", ")"],
	["[", "]"],
	["{", "}"],
]);
const CLOSING = new Set(BRACKETS.values());

function wordSet(words: string): ReadonlySet<string> {
	return new Set(words.split(/\s+/));
}
