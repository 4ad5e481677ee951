import type { Document, Text } from "@segue/text";

// Which stretches of a program are comments or strings, without parsing it.

export type Part = "code" | "comment" | "string";

/**
 * What an offset of a document lies in; that of a first quote is still outside. In a language that is not known,
 * everything is code.
 */
export function partAt({ text, languageId }: Document, offset: number): Part {
	const syntax = syntaxOf(languageId);
	if (syntax === undefined) return "code";
	const { matches } = scanOf(text, syntax);
	const match = matches[firstBeyond(matches, offset)];
	if (match === undefined || match.from >= offset) return "code";
	const inside = offset - match.from;
	return match.holes.some(({ from, to }) => from <= inside && inside <= to) ? "code" : match.part;
}

/** How a family of languages writes what is not code. */
interface Syntax {
	readonly inert: RegExp;
	/** The quotes that begin what may go on over lines, and so are looked for to the end where they are not closed. */
	readonly far: string;
	/** Code inside a string, where the string's beginning says that there may be some. */
	readonly holes: { readonly start: RegExp; readonly hole: RegExp } | undefined;
}

const QUOTED = String.raw`"(?:\\[^]|[^"\\\r\n])*"|'(?:\\[^]|[^'\\\r\n])*'`;
const SLASHES = String.raw`//[^\r\n]*|/\*[^]*?(?:\*/|$)`;
const TEMPLATE = "`(?:\\\\[^]|[^`\\\\])*`";
const BLOCK_QUOTED = String.raw`"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''`;

const C: Syntax = { inert: new RegExp(`${SLASHES}|${QUOTED}`, "g"), far: "", holes: undefined };
const GO: Syntax = { inert: new RegExp(`${SLASHES}|${QUOTED}|\`[^\`]*\``, "g"), far: "`", holes: undefined };
const SCRIPT: Syntax = {
	inert: new RegExp(`${SLASHES}|${QUOTED}|${TEMPLATE}`, "g"),
	far: "`",
	holes: { start: /^`/, hole: /\$\{[^{}]*\}/g },
};
// A quote before a name is a lifetime. Strings go on over lines.
const RUST: Syntax = {
	inert: new RegExp(String.raw`${SLASHES}|"(?:\\[^]|[^"\\])*"|'(?:\\[^'\r\n]+|[^'\\\r\n])'`, "gu"),
	far: '"',
	holes: undefined,
};
const PYTHON: Syntax = {
	inert: new RegExp(`#[^\\r\\n]*|\\b[a-z]{0,2}(?:${BLOCK_QUOTED}|${QUOTED})|${BLOCK_QUOTED}|${QUOTED}`, "gi"),
	far: "",
	holes: { start: /^(?:f|rf|fr)["']/i, hole: /\{[^{}]*\}/g },
};
const HASH: Syntax = { inert: new RegExp(`(?<![\\w$&{])#[^\\r\\n]*|${QUOTED}`, "g"), far: "", holes: undefined };

const SYNTAXES: readonly (readonly [Syntax, string])[] = [
	[C, "c cpp csharp css dart java kotlin less objective-c objective-cpp php scala scss swift zig"],
	[GO, "go"],
	[SCRIPT, "javascript javascriptreact typescript typescriptreact"],
	[RUST, "rust"],
	[PYTHON, "python"],
	[HASH, "coffeescript dockerfile elixir julia makefile perl r ruby shellscript toml yaml"],
];
const SYNTAX_OF = new Map(SYNTAXES.flatMap(([syntax, ids]) => ids.split(" ").map((id) => [id, syntax] as const)));

/** Whether a language is one whose comments and strings are known. Others may be no code at all. */
export function isCode(languageId: string): boolean {
	return syntaxOf(languageId) !== undefined;
}

function syntaxOf(languageId: string): Syntax | undefined {
	return SYNTAX_OF.get(languageId);
}

/** A comment or a string. */
interface Match {
	readonly from: number;
	readonly to: number;
	readonly part: Exclude<Part, "code">;
	/** The code in it, in offsets from its start. */
	readonly holes: readonly { readonly from: number; readonly to: number }[];
}

/** All comments and strings of a text, in their order. */
interface Scan {
	readonly text: Text;
	readonly syntax: Syntax;
	readonly matches: readonly Match[];
	/** Up to here, what each line is was found without a look at the lines below it, but for what goes on there. */
	readonly sure: number;
}

// Only a text in which something was found is asked. The next is most often a version of it with a letter more, which
// begins or ends with the same piece.
const SCANS = new WeakMap<Text, Scan>();
const LAST = new WeakMap<object, Scan>();

function scanOf(text: Text, syntax: Syntax): Scan {
	const known = SCANS.get(text);
	if (known?.syntax === syntax) return known;
	const pieces = text.pieces();
	const ends = [pieces[0], pieces.at(-1)].filter((piece) => piece !== undefined);
	const old = ends.map((piece) => LAST.get(piece)).find((one) => one?.syntax === syntax);
	const scan = (old && rescan(text, old)) ?? { text, syntax, ...read(text.toString(), syntax) };
	SCANS.set(text, scan);
	for (const piece of ends) LAST.set(piece, scan);
	return scan;
}

/**
 * The scan of another version of a text: what differs is read, from the start of a line up to a match that was there
 * before. Undefined where that does not tell.
 */
function rescan(text: Text, { text: before, syntax, matches, sure }: Scan): Scan | undefined {
	const { head, tail } = text.common(before);
	const shift = text.length - before.length;
	let start = text.locate(head).start;
	let kept = firstBeyond(matches, start);
	for (let match = matches[kept]; match !== undefined && match.from < start; match = matches[kept]) {
		start = text.locate(match.from).start;
		kept = firstBeyond(matches, start);
	}
	if (sure < start) return undefined;

	let next = firstBeyond(matches, before.length - tail);
	if ((matches[next]?.from ?? before.length) < before.length - tail) next++;
	const meeting = matches[next];
	const below = meeting === undefined ? text.lineCount : text.lineAt(meeting.to + shift) + 1;
	const end = below < text.lineCount ? text.lineStart(below) : text.length;
	const fresh = read(text.slice(start, end), syntax);
	const moved = fresh.matches.map((match) => move(match, start));
	const same = matches.slice(0, kept);
	if (meeting === undefined) return { text, syntax, matches: [...same, ...moved], sure: fresh.sure + start };

	const met = move(meeting, shift);
	const last = moved.findIndex(({ from, to }) => from === met.from && to === met.to);
	if (last === -1 || fresh.sure + start <= met.from) return undefined;
	const rest = matches.slice(next).map((match) => move(match, shift));
	const sureNow = sure > meeting.from ? sure + shift : met.to;
	return { text, syntax, matches: [...same, ...moved.slice(0, last), ...rest], sure: sureNow };
}

function move(match: Match, by: number): Match {
	return { from: match.from + by, to: match.to + by, part: match.part, holes: match.holes };
}

/** The index of the first match that ends after an offset. */
function firstBeyond(matches: readonly Match[], offset: number): number {
	let low = 0;
	let high = matches.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((matches[middle] as Match).to <= offset) low = middle + 1;
		else high = middle;
	}
	return low;
}

function read(source: string, { inert, far, holes }: Syntax): { matches: Match[]; sure: number } {
	const matches: Match[] = [];
	let sure = Number.POSITIVE_INFINITY;
	let end = 0;
	inert.lastIndex = 0;
	for (let match = inert.exec(source); match !== null; match = inert.exec(source)) {
		const [found] = match;
		const from = match.index;
		const to = from + found.length;
		const isComment = found.startsWith("/") || found.startsWith("#");
		const inside = !isComment && holes?.start.test(found) ? Array.from(found.matchAll(holes.hole), holeOf) : NO_HOLES;
		matches.push({ from, to, part: isComment ? "comment" : "string", holes: inside });
		// Another end of the text, or the end of what might be a block, could make it another match.
		const isOpen = to === source.length || (EMPTY.test(found) && source[to] === found.at(-1));
		sure = Math.min(sure, firstDoubt(source, end, from, far), isOpen ? from : sure);
		end = to;
	}
	return { matches, sure: Math.min(sure, firstDoubt(source, end, source.length, far)) };
}

const NO_HOLES: Match["holes"] = [];
const EMPTY = /^[a-z]{0,2}(?:""|'')$/i;

function holeOf(hole: RegExpMatchArray): Match["holes"][number] {
	const from = hole.index ?? 0;
	return { from, to: from + hole[0].length };
}

/** The first quote in a stretch of code that closes nothing, and whose end was looked for beyond its line. */
function firstDoubt(source: string, from: number, to: number, far: string): number {
	for (const { 0: quote, index } of source.slice(from, to).matchAll(/["'`]/g)) {
		REST.lastIndex = from + index;
		const [rest = ""] = REST.exec(source) ?? [];
		if (far.includes(quote) || rest.endsWith("\\") || rest.length === REST_MAX) return from + index;
	}
	return Number.POSITIVE_INFINITY;
}

const REST_MAX = 1000;
const REST = /[^\r\n]{0,1000}/y;
