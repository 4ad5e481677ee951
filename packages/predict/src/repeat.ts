import type { Document, Edit } from "@segue/text";
import type { Features, Finding } from "./candidate.js";
import { indentOf, isName, LINE_MAX, sameLanguage } from "./code.js";
import { ageOf, type Example } from "./example.js";
import { Search } from "./find.js";
import { touchedIn } from "./history.js";
import {
	editFor,
	type Line,
	lineOf,
	type Rewrite,
	rewriteOf,
	type Segment,
	similarity,
	type Token,
	type Written,
	writeLine,
	writtenFor,
} from "./line.js";
import { type Role, roleAt } from "./names.js";
import { partAt, type Part as TextPart } from "./parts.js";
import { areMany, editsIn, findingsOf, type Place } from "./place.js";
import { renameBounds } from "./rename.js";
import type { Scene } from "./scene.js";

// What the user did longer ago than the last few changes is not what goes on now.
const RULES_MAX = 16;
// A line that changed in more places than this was rewritten, and its like is not found by its pieces.
const SEGMENTS_MAX = 5;
// Of a rule with more places than this the nearest would be right by chance only.
const PLACES_MAX = 200;
// A rule with fewer tokens to be known by would fit nearly everywhere.
const TOKENS_MIN = 2;

// A change of signs alone is looked for so many lines above and below the cursor.
const AROUND = 20;
// A rule is held against so many of the last changes.
const COMPARED_MAX = 16;
// More tokens than this on either side say nothing new.
const CONTEXT_MAX = 5;

/**
 * How much of its line a change is known by: all of it, some tokens on either side, one, or none but what changes. What
 * is known by less is found in more places, and is right in fewer.
 */
const WIDTHS = { line: Number.POSITIVE_INFINITY, wide: 3, near: 1, bare: 0 } as const;

type Width = keyof typeof WIDTHS;

/** Repeats what became of a line, where the same tokens stand among the same neighbours. */
export function proposeRepeats(scene: Scene, examples: readonly Example[]): Finding[] {
	const rewrites = examples.flatMap((example) => rewriteOf(example) ?? []);
	const documents = [scene.document, ...scene.neighbours];
	const touched = new Map<Document, (line: number) => boolean>();
	const isTouched = (document: Document) => {
		const known = touched.get(document) ?? touchedIn(scene.history, document);
		touched.set(document, known);
		return known;
	};
	return rulesOf(rewrites).flatMap((rule) => {
		if (isForked(rule, rewrites)) return [];
		const { example } = rule.rewrites.at(-1) as Rewrite;
		const alike = documents.filter((document) => {
			if (rule.search === undefined) return document === scene.document;
			return rule.search.in(document.text)?.length && sameLanguage(example.file.languageId, document.languageId);
		});
		const found = alike.flatMap((document) => placesIn(scene, document, rule, isTouched(document)));
		// Most rules have no place left, and what follows takes longer than to find that out.
		if (found.length === 0) return [];
		const places = found.filter(boundsOf(scene, examples, rule));
		if (places.length === 0) return [];
		const { width } = rule;
		const own = rule.rewrites.filter((one) => !one.example.isAccepted).length;
		const features: Features = {
			[width]: 1,
			[`${width}.support`]: own,
			[`${width}.tokens`]: rule.tokens.length,
			[`${width}.partly`]: rule.isPart ? 1 : 0,
			signs: rule.search === undefined ? 1 : 0,
			telling: rule.telling,
			support: own,
			age: ageOf(examples, example),
			against: rewrites.slice(-COMPARED_MAX).filter((one) => isAgainst(one, rule)).length,
			files: new Set(rule.rewrites.map((one) => one.example.file.uri)).size,
			goes: rule.goes,
			comes: rule.comes,
		};
		return findingsOf(scene, {
			predictor: "repeat",
			rule: `repeat ${rule.key}`,
			became: saidOf(rule),
			examples: rule.rewrites.map((one) => one.example),
			places,
			features,
			kind: width,
			atOnce: ({ document }, left) => {
				const isClear = width === "line" || width === "wide";
				const literal = isClear && areMany(scene, document, left) ? literalOf(rule) : undefined;
				if (literal === undefined) return undefined;
				const isSafe = countOf(document.text.toString(), literal.search) === editsIn(document, left);
				return isSafe ? { kind: "searchAndReplace", uri: document.uri, ...literal, isRegex: false } : undefined;
			},
		});
	});
}

/** Whether an equal line became another one, too: then a third could become either. */
function isForked({ width, rewrites: own }: Rule, rewrites: readonly Rewrite[]): boolean {
	const { before, after } = own.at(-1) as Rewrite;
	if (width !== "line") return false;
	return rewrites.some(
		(one) => one.before.text.trim() === before.text.trim() && one.after.text.trim() !== after.text.trim(),
	);
}

/** Where a rule of a bare name may apply: a rename knows how far the name reaches and whether the new one is taken. */
function boundsOf(scene: Scene, examples: readonly Example[], rule: Rule): (place: Place) => boolean {
	const { rewrites, isPart } = rule;
	const oldName = nameOf(rule);
	if (oldName === undefined) return () => true;
	const { after, before, segments } = rewrites.at(-1) as Rewrite;
	const segment = segments.find(({ from }) => before.tokens[from]?.text === oldName);
	const newName = after.tokens[segment?.newFrom ?? 0]?.text ?? "";
	if (isPart && !isName(newName)) return () => false;
	return renameBounds(scene, examples, oldName, newName);
}

/** A change that may be repeated: what is looked for, and what is to be written there. */
interface Pattern {
	readonly key: string;
	readonly width: Width;
	readonly parts: readonly Part[];
	/** It is only some of what changed on the line. */
	readonly isPart: boolean;
	/** All tokens that it is known by. */
	readonly tokens: readonly string[];
	/** How many tokens go, and how many come. */
	readonly goes: number;
	readonly comes: number;
	/** Its longest word, by which its like is found; undefined where it has none. */
	readonly search: Search | undefined;
	/** How long that is, if it is a name. */
	readonly telling: number;
}

interface Rule extends Pattern {
	/** Where the user did this, newest last. */
	readonly rewrites: readonly Rewrite[];
}

/** Some tokens of a line, and the segments among them that change. */
interface Part {
	readonly tokens: readonly string[];
	readonly segments: readonly Replacement[];
	readonly isAtStart: boolean;
	readonly isAtEnd: boolean;
}

/** The tokens `from`–`to` of a part, with the white space around them, become a text. */
interface Replacement {
	readonly from: number;
	readonly to: number;
	readonly written: Written;
}

function rulesOf(rewrites: readonly Rewrite[]): Rule[] {
	const rules = new Map<string, { pattern: Pattern; rewrites: Rewrite[] }>();
	for (const rewrite of rewrites) {
		for (const pattern of patternsOf(rewrite)) {
			const known = rules.get(pattern.key);
			rules.delete(pattern.key);
			const own = known?.rewrites ?? [];
			own.push(rewrite);
			rules.set(pattern.key, { pattern, rewrites: own });
		}
	}
	const newestFirst = [...rules.values()].toReversed();
	return (Object.keys(WIDTHS) as Width[]).flatMap((width) => {
		const chosen = newestFirst.filter(({ pattern }) => pattern.width === width).slice(0, RULES_MAX);
		return chosen.map(({ pattern, rewrites: own }) => ({ ...pattern, rewrites: own }));
	});
}

// By the segments, which are one array for the same two lines: a line that the user changed once is there in all requests.
const PATTERNS = new WeakMap<readonly Segment[], readonly Pattern[]>();

function patternsOf(rewrite: Rewrite): readonly Pattern[] {
	let patterns = PATTERNS.get(rewrite.segments);
	if (patterns === undefined) {
		patterns = readPatterns(rewrite);
		PATTERNS.set(rewrite.segments, patterns);
	}
	return patterns;
}

/** What became of a line in all widths, as a whole and each change on it by itself. */
function readPatterns(rewrite: Rewrite): Pattern[] {
	const { segments } = rewrite;
	if (segments.length > SEGMENTS_MAX) return [];
	const choices = segments.length === 1 ? [segments] : [segments, ...segments.map((one) => [one])];
	return (Object.keys(WIDTHS) as Width[]).flatMap((width) => {
		return (width === "line" ? [segments] : choices).flatMap((choice) => {
			const isPart = choice.length < segments.length;
			if (isPart && width === "bare" && !isRenaming(rewrite, choice[0] as Segment)) return [];
			return patternOf(rewrite, choice, width) ?? [];
		});
	});
}

/** Whether one name became another. Of other changes, a part of what was done says little without what stands around it. */
function isRenaming({ before, after }: Rewrite, { from, to, newFrom, newTo }: Segment): boolean {
	if (to - from !== 1 || newTo - newFrom !== 1) return false;
	return isName(before.tokens[from]?.text ?? "") && isName(after.tokens[newFrom]?.text ?? "");
}

function patternOf(rewrite: Rewrite, segments: readonly Segment[], width: Width): Pattern | undefined {
	const parts = partsOf(rewrite, segments, WIDTHS[width]);
	const tokens = parts.flatMap((part) => part.tokens);
	const anchor = anchorOf(tokens);
	const isAtEdge = parts.every((part) => part.isAtStart || part.isAtEnd);
	if (parts.some((part) => part.tokens.length === 0) && !isAtEdge) return undefined;
	if (width !== "bare" && (tokens.length < TOKENS_MIN || anchor === "")) return undefined;
	const known = parts.map((part) => [
		part.tokens,
		part.segments.map(({ from, to, written }) => [from, to, written.insert]),
	]);
	return {
		key: `${width} ${JSON.stringify(known)}`,
		width,
		parts,
		isPart: segments.length < rewrite.segments.length,
		tokens,
		goes: segments.reduce((sum, { from, to }) => sum + to - from, 0),
		comes: segments.reduce((sum, { newFrom, newTo }) => sum + newTo - newFrom, 0),
		search: anchor === "" ? undefined : new Search(anchor),
		telling: isName(anchor) ? anchor.length : 0,
	};
}

/** The word by which a rule is looked for: its longest name, or else its longest number or keyword. */
function anchorOf(tokens: readonly string[]): string {
	const words = tokens.filter((token) => /^[\p{L}\p{N}\p{M}_$]/u.test(token));
	const longest = (some: readonly string[]) => some.reduce((best, one) => (one.length > best.length ? one : best), "");
	return longest(words.filter((word) => isName(word))) || longest(words);
}

/** The segments with so many tokens on either side, those that meet in one part. */
function partsOf(rewrite: Rewrite, segments: readonly Segment[], width: number): Part[] {
	const { tokens } = rewrite.before;
	const spans: { from: number; to: number; segments: Segment[] }[] = [];
	for (const segment of segments) {
		const from = Math.max(segment.from - width, 0);
		const to = Math.min(segment.to + width, tokens.length);
		const last = spans.at(-1);
		if (last !== undefined && from <= last.to) {
			last.to = to;
			last.segments.push(segment);
		} else spans.push({ from, to, segments: [segment] });
	}
	return spans.map(({ from, to, segments: own }) => ({
		tokens: tokens.slice(from, to).map(({ text }) => text),
		segments: own.map((one) => ({
			from: one.from - from,
			to: one.to - from,
			written: writtenFor(rewrite, one),
		})),
		isAtStart: own[0]?.from === 0 || width > tokens.length,
		isAtEnd: own.at(-1)?.to === tokens.length || width > tokens.length,
	}));
}

/** The lines of a document on which a rule applies and the user has not been. */
function placesIn(scene: Scene, document: Document, rule: Rule, isTouched: (line: number) => boolean): Place[] {
	const { text } = document;
	const { before } = rule.rewrites.at(-1) as Rewrite;
	const places: Place[] = [];
	for (const line of linesFor(scene, document, rule)) {
		if (isTouched(line) || text.lineEnd(line) - text.lineStart(line) > LINE_MAX) continue;
		const target = lineOf(text, line);
		const own = editsOn(target, rule);
		if (own.length === 0) continue;
		const start = text.lineStart(line);
		const edits = own.map(({ from, to, insert }) => ({ from: start + from, to: start + to, insert }));
		const features = () => ({
			similar: similarity(before, target),
			...contextOf(before, target, rule),
			...rolesOf(document, edits[0]?.from ?? start, rule),
			indent: indentOf(target.text) === indentOf(before.text) ? 1 : 0,
		});
		places.push({ document, line, edits, features });
		if (places.length >= PLACES_MAX) break;
	}
	return places;
}

/** How many tokens before and after a change are the same as where the user made it. */
function contextOf(before: Line, target: Line, { parts, rewrites }: Rule): Features {
	const part = parts[0] as Part;
	const at = findPart(target, part, 0);
	const own = findPart(before, part, 0);
	const segment = part.segments[0] as Replacement;
	const { length } = rewrites;
	if (at === -1 || own === -1 || length === 0) return {};
	let left = 0;
	while (
		left < CONTEXT_MAX &&
		isSameToken(before.tokens[own + segment.from - 1 - left], target.tokens[at + segment.from - 1 - left])
	)
		left++;
	let right = 0;
	while (
		right < CONTEXT_MAX &&
		isSameToken(before.tokens[own + segment.to + right], target.tokens[at + segment.to + right])
	)
		right++;
	return { tokensBefore: left, tokensAfter: right };
}

/** Whether a change would be made in a comment or a string where it was not before; and what names do in both places. */
function rolesOf(document: Document, at: number, rule: Rule): Features {
	const source = sourceOf(rule);
	const otherPart = source.part !== partAt(document, at) ? 1 : 0;
	const oldName = nameOf(rule);
	if (oldName === undefined) return { otherPart };
	const is = roleAt(document, at, oldName);
	return { otherPart, name: 1, otherRole: source.role !== is ? 1 : 0, [`is.${is ?? "text"}`]: 1 };
}

/** The name that a rule is known by, where it is known by nothing else. */
function nameOf({ width, tokens }: Rule): string | undefined {
	const [name = "", ...more] = tokens;
	return width === "bare" && more.length === 0 && isName(name) ? name : undefined;
}

/** What the place is where the user made a change last, and what the name does there. */
interface Source {
	readonly part: TextPart;
	readonly role: Role | undefined;
}

// It is the same for all places of a rule, and takes as long to find out as for one of them.
const SOURCES = new WeakMap<Rule, Source>();

function sourceOf(rule: Rule): Source {
	let source = SOURCES.get(rule);
	if (source === undefined) {
		const { example, after, segments } = rule.rewrites.at(-1) as Rewrite;
		const { uri, languageId, now: text } = example.file;
		const document = { uri, languageId, version: 0, text };
		const at = Math.min(example.at + (example.edits[0]?.from ?? 0), text.length);
		const token = segments.map(({ newFrom }) => after.tokens[newFrom]).find((one) => one !== undefined);
		const isNamed = token !== undefined && nameOf(rule) !== undefined;
		const start = text.lineStart(text.lineAt(at));
		const role = isNamed ? roleAt(document, start + token.from, token.text) : undefined;
		source = { part: partAt(document, at), role };
		SOURCES.set(rule, source);
	}
	return source;
}

/** Whether two tokens are the same; the end of a line is the same as another's. */
function isSameToken(a: Token | undefined, b: Token | undefined): boolean {
	return a?.text === b?.text;
}

/** The lines on which a rule is tried: those with its word, or else those around the cursor. */
function linesFor(scene: Scene, { text }: Document, { search }: Rule): readonly number[] {
	if (search !== undefined) return search.linesIn(text);
	const line = text.lineAt(scene.cursor);
	const from = Math.max(line - AROUND, 0);
	return Array.from({ length: Math.min(line + AROUND, text.lineCount) - from }, (_, i) => from + i);
}

/** What a rule would do to a line: nothing where its parts are not all there, in their order. */
function editsOn(line: Line, { parts }: Pick<Rule, "parts">): Edit[] {
	const edits: Edit[] = [];
	const isOnly = parts.length === 1;
	let index = 0;
	for (const part of parts) {
		let at = findPart(line, part, index);
		if (at === -1) return [];
		for (; at !== -1; at = isOnly && part.tokens.length > 0 ? findPart(line, part, index) : -1) {
			for (const { from, to, written } of part.segments) {
				const edit = editFor(line, at + from, at + to, written);
				if (edit === undefined) continue;
				if (edit.from < (edits.at(-1)?.to ?? 0)) return [];
				edits.push(edit);
			}
			index = at + Math.max(part.segments.at(-1)?.to ?? 0, 1);
		}
	}
	return edits;
}

/** Whether a rule would have done something else to a line than the user did. */
function isAgainst({ before, after }: Rewrite, rule: Rule): boolean {
	const edits = editsOn(before, rule);
	return (
		edits.length > 0 &&
		writeLine(before.text, edits) !== after.text &&
		edits.some(({ from, to }) => after.text.includes(before.text.slice(from, to)) && to > from)
	);
}

function findPart({ tokens }: Line, { tokens: wanted, isAtStart, isAtEnd }: Part, from: number): number {
	if (tokens.length === 0) return -1;
	const last = isAtStart ? 0 : tokens.length - wanted.length;
	for (let at = from; at <= last; at++) {
		if (isAtEnd && at + wanted.length !== tokens.length) continue;
		let same = 0;
		while (same < wanted.length && tokens[at + same]?.text === wanted[same]) same++;
		if (same === wanted.length) return at;
	}
	return -1;
}

/** A rule as a search for what stands in one piece; undefined where that is not all of it. */
function literalOf({ parts, rewrites }: Rule): { search: string; replace: string } | undefined {
	const { before } = rewrites.at(-1) as Rewrite;
	const [part, ...others] = parts;
	if (part === undefined || others.length > 0 || part.segments.length > 1) return undefined;
	const at = findPart(before, part, 0);
	const from = before.tokens[at]?.from;
	const to = before.tokens[at + part.tokens.length - 1]?.to;
	if (from === undefined || to === undefined) return undefined;
	const edits = editsOn(before, { parts }).filter((edit) => from <= edit.from && edit.to <= to);
	const search = before.text.slice(from, to);
	const own = edits.slice(0, 1).map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }));
	return own.length === 0 ? undefined : { search, replace: writeLine(search, own) };
}

function countOf(source: string, wanted: string): number {
	return source.split(wanted).length - 1;
}

/** "`a` became `b`", in the words for what there is of the two. */
function saidOf({ rewrites, width }: Rule): string {
	const { before, after, segments } = rewrites.at(-1) as Rewrite;
	const first = segments[0] as Segment;
	const last = segments.at(-1) as Segment;
	const old = before.text.slice(before.tokens[first.from]?.from ?? 0, before.tokens[last.to - 1]?.to ?? 0);
	const now = after.text.slice(after.tokens[first.newFrom]?.from ?? 0, after.tokens[last.newTo - 1]?.to ?? 0);
	const where = width === "line" && rewrites.length === 1 ? " on an equal line" : "";
	if (first.from === last.to) return `\`${now}\` was inserted${where}`;
	if (first.newFrom === last.newTo) return `\`${old}\` was removed${where}`;
	return `\`${old}\` became \`${now}\`${where}`;
}
