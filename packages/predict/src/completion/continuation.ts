import type { Document, Text } from "@segue/text";
import { type History, touchedIn } from "../history.js";
import { LINE_MAX, sameLanguage } from "../languages/identifiers.js";
import { type Line, lineOf, readLine, similarity, type Token } from "../line.js";
import { isWord, type Substitutions, substitute } from "../rules/substitution.js";
import { documentOf, type Scene } from "../scene.js";
import { Search } from "../search/search.js";

// Names may differ in lines this close to the cursor: about a screen above it, and half a screen below.
const NEAR_ABOVE = 60;
const NEAR_BELOW = 30;
// Maximum number of recently edited lines to compare in each document.
const TOUCHED_MAX = 40;
// Only the nearest matches are examined. More of them would add little and slow down the request.
const PLACES_MAX = 64;
// Documents are sorted by last use. Those beyond this limit are probably unrelated.
const DOCUMENTS_MAX = 200;
// Maximum number of searches. If one has too many matches, the next one includes one more token.
const TRIES_MAX = 4;
// More matching tokens make no difference.
const MATCHED_MAX = 12;
// A line in which more names than this differ is unrelated.
const SWAPS_MAX = 3;
// Lines further up say little about the cursor's line.
const ABOVE_MAX = 3;
// Names are derived from the lines above only if those are at least this similar.
const ABOVE_ALIKE_MIN = 0.5;

/** The line at the cursor. */
export interface TypedLine {
	readonly document: Document;
	readonly line: number;
	/** The offset of the cursor. */
	readonly at: number;
	/** The line up to the cursor. */
	readonly before: Line;
	/** The line after the cursor, without trailing whitespace. */
	readonly after: string;
}

/** Another line that continues the typed text. */
export interface Continuation {
	readonly document: Document;
	readonly line: number;
	/** The rest of the other line, with the names replaced by those in the cursor's line. */
	readonly rest: string;
	/** The number of tokens before the cursor that are equal or consistently renamed. */
	readonly matched: number;
	/** The lines match from the start. */
	readonly isWhole: boolean;
	/** The last typed word is incomplete. */
	readonly isBegun: boolean;
	/** Maps names in the other line to their replacements in the cursor's line. */
	readonly swaps: Substitutions;
	/** Similarity of the lines above. */
	readonly above: number;
	/** The user has edited the other line. */
	readonly isTouched: boolean;
}

/** Finds all continuations, first those in the cursor's document, then those in neighbours in the same language. */
export function continuationsOf(scene: Scene, typed: TypedLine): Continuation[] {
	const search: Lookup = {
		typed,
		hasGap: (typed.before.tokens.at(-1)?.to ?? 0) < typed.before.text.length,
		above: lineAbove(typed.document.text, typed.line),
		isTouched: touchesIn(scene.history),
	};
	const found = new Map<string, Continuation>();
	for (const one of [...sameIn(scene, search), ...alikeIn(scene, search)]) {
		const key = JSON.stringify([one.document.uri, one.line, one.rest]);
		const known = found.get(key);
		if (known === undefined || known.matched < one.matched) found.set(key, one);
	}
	return [...found.values()];
}

/** The input of a search. */
interface Lookup {
	readonly typed: TypedLine;
	/** Whitespace precedes the cursor. */
	readonly hasGap: boolean;
	readonly above: Line;
	readonly isTouched: (document: Document, line: number) => boolean;
}

function touchesIn(history: History): Lookup["isTouched"] {
	const known = new Map<Document, (line: number) => boolean>();
	return (document, line) => {
		let isTouched = known.get(document);
		if (isTouched === undefined) {
			isTouched = touchedIn(history, document);
			known.set(document, isTouched);
		}
		return isTouched(line);
	};
}

/** Finds continuations after the same tokens, at any position in a line. */
function sameIn(scene: Scene, search: Lookup): Continuation[] {
	const { document: own, before } = search.typed;
	const { tokens, text } = before;
	const last = tokens.at(-1);
	if (last === undefined) return [];
	const others = scene.neighbours.filter(({ languageId }) => sameLanguage(languageId, own.languageId));
	const documents = [own, ...others].slice(0, DOCUMENTS_MAX);
	// The last word may be complete, or the start of a longer one.
	const isBegun = last.to === text.length && isWord(last.text);
	const counts = isBegun ? [tokens.length, tokens.length - 1] : [tokens.length];
	return counts.flatMap((count) => {
		const wanted = searchesFor(before, count);
		const found: Continuation[] = [];
		let left = PLACES_MAX;
		for (const document of documents) {
			if (left <= 0) break;
			const ends = nearest(endsIn(document.text, wanted), document === own ? scene.cursor : 0, left);
			left -= ends.length;
			for (const end of ends) found.push(...continuationsAt(search, document, end, count));
		}
		return found;
	});
}

/**
 * Returns searches for the tokens that end at token `count` of a line: first for the last two tokens, then for one
 * more each time. Omits searches that contain no word.
 */
function searchesFor({ tokens, text }: Line, count: number): Search[] {
	const searches: Search[] = [];
	const end = tokens[count - 1]?.to ?? 0;
	for (let first = Math.max(count - 2, 0); first >= 0 && searches.length < TRIES_MAX; first--) {
		const wanted = text.slice(tokens[first]?.from ?? 0, end);
		if (/[A-Za-z_$]/.test(wanted)) searches.push(new Search(wanted));
	}
	return searches;
}

/** Returns the end offsets of the matches, from the first search without too many. */
function endsIn(text: Text, searches: readonly Search[]): readonly number[] {
	for (const search of searches) {
		const places = search.in(text);
		if (places !== undefined) return places.map((at) => at + search.text.length);
	}
	return [];
}

/** The `count` offsets nearest to the cursor. */
function nearest(offsets: readonly number[], cursor: number, count: number): readonly number[] {
	if (offsets.length <= count) return offsets;
	return offsets.toSorted((a, b) => Math.abs(a - cursor) - Math.abs(b - cursor)).slice(0, count);
}

/** Returns the continuations of a line after the offset at which the first `count` typed tokens end. */
function continuationsAt(search: Lookup, document: Document, end: number, count: number): Continuation[] {
	const { typed } = search;
	const { tokens } = typed.before;
	const { line: index, start } = document.text.locate(end);
	const line = lineToRead(typed, document, index);
	const at = line?.tokens.findIndex(({ to }) => to === end - start) ?? -1;
	if (line === undefined || at === -1) return [];
	let matched = 0;
	while (matched < count && line.tokens[at - matched]?.text === tokens[count - 1 - matched]?.text) matched++;
	const isWhole = matched === count && at + 1 === matched;
	const begun = tokens[count]?.text;
	if (begun === undefined) {
		return wordedFrom(search, document, index, line, end - start, {
			matched,
			isWhole,
			isBegun: false,
			swaps: NO_SWAPS,
		});
	}
	const next = line.tokens[at + 1];
	if (next === undefined || !next.text.startsWith(begun) || next.text === begun) return [];
	const how = { matched: matched + 1, isWhole, isBegun: true, swaps: NO_SWAPS };
	return wordedFrom(search, document, index, line, next.from + begun.length, how);
}

const NO_SWAPS: Substitutions = new Map();

/** Returns a line, unless it is the cursor's own or too long to be handwritten. */
function lineToRead(typed: TypedLine, document: Document, index: number): Line | undefined {
	if (document === typed.document && index === typed.line) return undefined;
	const line = lineOf(document.text, index);
	return line.text.length > LINE_MAX ? undefined : line;
}

/** Finds continuations in nearby and edited lines that match from the start, apart from names. */
function alikeIn(scene: Scene, search: Lookup): Continuation[] {
	const { document: own, line: here, before } = search.typed;
	const found: Continuation[] = [];
	const look = (document: Document, index: number) => {
		const line = lineToRead(search.typed, document, index);
		const swaps = line && swapsFrom(line.tokens, before.tokens);
		if (line === undefined || swaps === undefined) return;
		const matched = before.tokens.length;
		const from = line.tokens[matched - 1]?.to ?? 0;
		found.push(...wordedFrom(search, document, index, line, from, { matched, isWhole: true, isBegun: false, swaps }));
	};
	const first = Math.max(here - NEAR_ABOVE, 0);
	const last = Math.min(here + NEAR_BELOW, own.text.lineCount - 1);
	for (let index = first; index <= last; index++) look(own, index);
	for (const file of scene.history.files) {
		const document = documentOf(scene, file.uri);
		if (document === undefined || !sameLanguage(document.languageId, own.languageId)) continue;
		for (const { from } of file.touches.slice(-TOUCHED_MAX)) {
			const index = document.text.lineAt(Math.min(from, document.text.length));
			if (document !== own || index < first || index > last) look(document, index);
		}
	}
	return found;
}

/** The renames that turn the start of a line into the typed text; undefined if too many names differ. */
function swapsFrom(line: readonly Token[], typed: readonly Token[]): Substitutions | undefined {
	if (line.length < typed.length || typed.length < 2) return undefined;
	const swaps = new Map<string, string>();
	let same = 0;
	for (const [i, { text: now }] of typed.entries()) {
		const old = (line[i] as Token).text;
		const known = swaps.get(old);
		if (known !== undefined && known !== now) return undefined;
		if (old === now) same++;
		else if (!isWord(old) || !isWord(now)) return undefined;
		else swaps.set(old, now);
		if (swaps.size > SWAPS_MAX) return undefined;
	}
	return same * 2 >= typed.length ? swaps : undefined;
}

/**
 * Returns the continuations that the rest of a line provides: one with the names from the typed text, and possibly one
 * with the names from the lines above the cursor's line.
 */
function wordedFrom(
	{ typed, hasGap, above: aboveTyped, isTouched }: Lookup,
	document: Document,
	index: number,
	line: Line,
	from: number,
	{ matched, isWhole, isBegun, swaps }: Pick<Continuation, "matched" | "isWhole" | "isBegun" | "swaps">,
): Continuation[] {
	const raw = line.text.slice(from).trimEnd();
	const rest = hasGap ? raw.trimStart() : raw;
	if (rest === "") return [];
	const above = similarity(aboveTyped, lineAbove(document.text, index));
	const plain: Continuation = {
		document,
		line: index,
		rest: substitute(rest, swaps),
		matched: Math.min(matched, MATCHED_MAX),
		isWhole,
		isBegun,
		swaps,
		above,
		isTouched: isTouched(document, index),
	};
	if (!isWhole || above < ABOVE_ALIKE_MIN) return [plain];
	const more = swapsAbove(document.text, index, typed.document.text, typed.line);
	if (more.size === 0) return [plain];
	const all = new Map([...more, ...swaps]);
	const adapted = substitute(rest, all);
	return adapted === plain.rest ? [plain] : [plain, { ...plain, rest: adapted, swaps: all }];
}

/**
 * The renames that turn the lines above one line into the lines above another. Stops at the first pair of lines that
 * differ in more than names.
 */
function swapsAbove(text: Text, index: number, own: Text, line: number): Substitutions {
	const swaps = new Map<string, string>();
	for (let up = 1; up <= ABOVE_MAX; up++) {
		const old = lineOf(text, index - up);
		const now = lineOf(own, line - up);
		if (old.tokens.length !== now.tokens.length || old.text.length > LINE_MAX) break;
		const more = swapsFrom(old.tokens, now.tokens);
		if (more === undefined) break;
		for (const [from, to] of more) if (!swaps.has(from)) swaps.set(from, to);
	}
	return swaps;
}

const NO_LINE = readLine("");

/** Returns the nearest non-empty line above, within a few lines. */
function lineAbove(text: Text, index: number): Line {
	for (let above = index - 1; above >= Math.max(index - ABOVE_MAX, 0); above--) {
		const line = lineOf(text, above);
		if (line.tokens.length > 0) return line;
	}
	return NO_LINE;
}
