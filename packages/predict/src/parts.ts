import type { Document, Text } from "@segue/text";
import { type Step, stepTo } from "./step.js";
import { type Moved, type Stretch, Stretches } from "./stretches.js";

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
	const match = matches.at(matches.firstBeyond(offset));
	if (match === undefined || fromOf(match) >= offset) return "code";
	const { holes, part } = match.item;
	const inside = offset - fromOf(match);
	return holes.some(({ from, to }) => from <= inside && inside <= to) ? "code" : part;
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
interface Match extends Stretch {
	readonly part: Exclude<Part, "code">;
	/** The code in it, in offsets from its start. */
	readonly holes: readonly Stretch[];
}

/** All comments and strings of a text, in their order. */
interface Scan {
	readonly text: Text;
	readonly syntax: Syntax;
	readonly matches: Stretches<Match>;
	/** Up to here, what each line is was found without a look at the lines below it, but for what goes on there. */
	readonly sure: number;
}

// Only a text in which something was found is asked, so the version before it may not have been.
const SCANS = new WeakMap<Text, Scan>();
const LAST = new WeakMap<object, Scan>();

function scanOf(text: Text, syntax: Syntax): Scan {
	const known = SCANS.get(text);
	if (known?.syntax === syntax) return known;
	const scan = scanByOther(text, syntax) ?? scanAnew(text, syntax);
	SCANS.set(text, scan);
	for (const piece of text.ends()) LAST.set(piece, scan);
	return scan;
}

/** The scan of a text by that of another version: the one before it or, where that has none, the last one that has. */
function scanByOther(text: Text, syntax: Syntax): Scan | undefined {
	const step = stepTo(text);
	const near = step && SCANS.get(step.before);
	if (near?.syntax === syntax && step !== undefined) return rescan(text, near, step);
	const last = text.ends().map((piece) => LAST.get(piece));
	const old = last.find((one) => one?.syntax === syntax);
	return old && rescan(text, old, { before: old.text, ...text.common(old.text) });
}

function scanAnew(text: Text, syntax: Syntax): Scan {
	const { matches, sure } = read(text.toString(), syntax);
	return { text, syntax, matches: Stretches.of(matches, move), sure };
}

/**
 * The scan of another version of a text: what differs is read, from the start of a line up to a match that was there
 * before. Undefined where that does not tell.
 */
function rescan(text: Text, { syntax, matches, sure }: Scan, { before, head, tail }: Step): Scan | undefined {
	const shift = text.length - before.length;
	let start = text.locate(head).start;
	let kept = matches.firstBeyond(start);
	for (let match = matches.at(kept); match !== undefined && fromOf(match) < start; match = matches.at(kept)) {
		start = text.locate(fromOf(match)).start;
		kept = matches.firstBeyond(start);
	}
	if (sure < start) return undefined;

	let next = matches.firstBeyond(before.length - tail);
	const cut = matches.at(next);
	if (cut !== undefined && fromOf(cut) < before.length - tail) next++;
	const moved = matches.at(next);
	const meeting = moved && move(moved.item, moved.by);
	const below = meeting === undefined ? text.lineCount : text.lineAt(meeting.to + shift) + 1;
	const end = below < text.lineCount ? text.lineStart(below) : text.length;
	const lines = read(text.slice(start, end), syntax);
	const fresh = lines.matches.map((match) => move(match, start));
	const sureOfFresh = lines.sure + start;
	if (meeting === undefined) {
		return { text, syntax, matches: matches.splice(kept, fresh, next, shift), sure: sureOfFresh };
	}

	const met = move(meeting, shift);
	const last = fresh.findIndex(({ from, to }) => from === met.from && to === met.to);
	if (last === -1 || sureOfFresh <= met.from) return undefined;
	const sureNow = sure > meeting.from ? sure + shift : met.to;
	return { text, syntax, matches: matches.splice(kept, fresh.slice(0, last), next, shift), sure: sureNow };
}

function fromOf({ item, by }: Moved<Match>): number {
	return item.from + by;
}

function move(match: Match, by: number): Match {
	return { from: match.from + by, to: match.to + by, part: match.part, holes: match.holes };
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

function holeOf(hole: RegExpMatchArray): Stretch {
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
