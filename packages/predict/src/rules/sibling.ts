import type { Document, Text } from "@segue/text";
import type { Finding } from "../candidate.js";
import type { Example } from "../example.js";
import { explanationOf, remainingSitesOf } from "../explanation.js";
import { touchedIn } from "../history.js";
import { indentOf, isDistinctive, isName, LINE_MAX, sameLanguage, wordsOf } from "../languages/identifiers.js";
import { partAt } from "../languages/parts.js";
import { findingsOf, type Site } from "../ranking/site.js";
import type { Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { type Insertion, type InsertionSide, insertionsOf, isImport, writeBeside } from "./insertion.js";
import { isAlike, isWord, type Substitutions, substitute, substitutionsBetween, tokensOf } from "./substitution.js";
import { twinFindings } from "./twin.js";

// Older insertions are not part of the current task.
const INSERTIONS_MAX = 8;
// Longer blocks are not repeated.
const LINES_MAX = 8;
// The number of lines on either side that are compared with the lines around another site.
const CONTEXT_MAX = 4;
// How many of these lines must be equal. A single line is often equal by chance. After only one insertion, even two
// lines usually are.
const CONTEXT_MIN = 2;
const CONTEXT_OF_ONE_MIN = 3;

/**
 * Repeats insertions. If the user inserted lines next to similar lines, inserts them next to other similar lines. If
 * the user inserted a copy of a line with another name, also adds that name to other lists.
 */
export function proposeSiblings(scene: Scene, examples: readonly Example[]): Finding[] {
	const insertions = insertionsOf(examples)
		.filter(({ lines }) => lines.length <= LINES_MAX && lines.some(isDistinctive) && isBalanced(lines.join("\n")))
		.slice(-INSERTIONS_MAX);
	return [...anchorFindings(scene, insertions), ...twinFindings(scene, insertions)];
}

/** Insertions next to similar lines, the anchors. */
interface Anchored {
	/** Newest last. */
	readonly insertions: readonly Insertion[];
	/** The side of the anchors on which the lines were inserted. */
	readonly side: InsertionSide;
	/** The newest anchor, without its indent. */
	readonly anchor: string;
	/** The tokens of the anchors, with undefined in place of tokens that differ. */
	readonly pattern: readonly (string | undefined)[];
}

function anchorFindings(scene: Scene, insertions: readonly Insertion[]): Finding[] {
	const all = (["below", "above"] as const).flatMap((side) => anchoredOn(side, insertions));
	return all.flatMap((anchored) => {
		const { side, pattern } = anchored;
		const newest = anchored.insertions.at(-1) as Insertion;
		const fixed = pattern.filter((token) => token !== undefined && isName(token)) as string[];
		const search = new Search(fixed.reduce((longest, word) => (word.length > longest.length ? word : longest), ""));
		const written = newest.lines.find(isDistinctive)?.trim() ?? "";
		const places = documentsWith(scene, search).flatMap((document) => placesIn(scene, document, anchored, search));
		return findingsOf(scene, {
			predictor: "sibling",
			rule: `insert ${newest.lines.join("\n").trim()} ${side} ${pattern.map((token) => token ?? "*").join("")}`,
			why: explanationOf(scene, `Inserting \`${written}\` ${side} similar lines`, remainingSitesOf(places)),
			examples: anchored.insertions.flatMap((one) => one.examples.slice(-1)),
			sites: places,
			features: {
				anchored: 1,
				support: anchored.insertions.filter((one) => !one.isAccepted).length,
				age: insertions.length - 1 - insertions.indexOf(newest),
				lines: newest.lines.length,
				/** The share of words that all anchors have. */
				fixed: fixed.length / Math.max(wordsOf(anchored.anchor).length, 1),
			},
		});
	});
}

/** Groups the insertions by side and by similar anchors. */
function anchoredOn(side: InsertionSide, insertions: readonly Insertion[]): Anchored[] {
	const groups: Anchored[] = [];
	for (const insertion of insertions) {
		const anchor = anchorOf(insertion, side);
		if (anchor === undefined) continue;
		const index = groups.findIndex((group) => joined(group, insertion, anchor) !== undefined);
		const [old] = index === -1 ? [] : groups.splice(index, 1);
		const group = old && joined(old, insertion, anchor);
		groups.push(group ?? { insertions: [insertion], side, anchor, pattern: tokensOf(anchor) });
	}
	return groups.filter(({ insertions: own, pattern }) => {
		const isOnce = own.length === 1 && own.some(({ lines }) => lines.some(isImport));
		return !isOnce && isDistinctive(pattern.map((token) => token ?? " ").join(""));
	});
}

/** The line next to an insertion, without its indent. Undefined for a line that has only brackets. */
function anchorOf({ file, first, last }: Insertion, side: InsertionSide): string | undefined {
	const line = side === "below" ? first - 1 : last + 1;
	if (line < 0 || line >= file.now.lineCount) return undefined;
	const anchor = file.now.line(line);
	return anchor.length > LINE_MAX || !isDistinctive(anchor) ? undefined : anchor.trim();
}

/** Adds an insertion to a group. Returns undefined if its lines or its anchor differ by more than names. */
function joined(group: Anchored, insertion: Insertion, anchor: string): Anchored | undefined {
	const newest = group.insertions.at(-1) as Insertion;
	const swaps = substitutionsBetween(group.anchor, anchor);
	if (swaps === undefined || newest.lines.length !== insertion.lines.length) return undefined;
	const isSame = newest.lines.every((line, i) => substitute(line.trim(), swaps) === insertion.lines[i]?.trim());
	if (!isSame) return undefined;
	const tokens = tokensOf(anchor);
	const pattern = group.pattern.map((token, i) => (token === tokens[i] ? token : undefined));
	return { ...group, insertions: [...group.insertions, insertion], anchor, pattern };
}

/** Whether all brackets are balanced. Unbalanced lines are fragments, so they are not repeated. */
function isBalanced(text: string): boolean {
	const open: string[] = [];
	for (const sign of text.match(/[()[\]{}]/g) ?? []) {
		const opening = OPENING.get(sign);
		if (opening === undefined) open.push(sign);
		else if (open.pop() !== opening) return false;
	}
	return open.length === 0;
}

const OPENING = new Map([
	[")", "("],
	["]", "["],
	["}", "{"],
]);

/** Returns sites next to the lines of a document that are similar to the anchors and lack the inserted lines. */
function placesIn(scene: Scene, document: Document, anchored: Anchored, search: Search): Site[] {
	const { text } = document;
	const { side, pattern } = anchored;
	const newest = anchored.insertions.at(-1) as Insertion;
	if (!sameLanguage(document.languageId, newest.file.languageId)) return [];
	const found = search.in(text) ?? [];
	if (found.length === 0) return [];
	const own = side === "below" ? newest.first - 1 : newest.last + 1;
	const indent = indentOf(newest.file.now.line(own));
	const part = partAt({ ...document, text: newest.file.now }, newest.file.now.lineStart(own) + indent.length);
	const isTouched = touchedIn(scene.history, document);

	const places: Site[] = [];
	for (const line of new Set(found.map((at) => text.lineAt(at)))) {
		// A user who edited either side of the site chose not to insert the lines there.
		if (isTouched(line) || isTouched(side === "below" ? line + 1 : line - 1)) continue;
		if (text.lineEnd(line) - text.lineStart(line) > LINE_MAX) continue;
		const content = text.line(line);
		const like = content.trim();
		const swaps = isLike(like, pattern) ? substitutionsBetween(anchored.anchor, like) : undefined;
		if (swaps === undefined) continue;
		if (partAt(document, text.lineStart(line) + content.length - content.trimStart().length) !== part) continue;
		const written = newest.lines.map((one) =>
			substitute(one.startsWith(indent) ? one.slice(indent.length) : one, swaps),
		);
		if (isThere(text, line, side, written)) continue;
		const near = contextOf(newest, text, line, side, "near", swaps);
		const far = contextOf(newest, text, line, side, "far", swaps);
		const isOnce = anchored.insertions.length === 1;
		if (near.telling + far.telling < (isOnce ? CONTEXT_OF_ONE_MIN : CONTEXT_MIN)) continue;
		// After a single insertion, the line on the far side must also be equal.
		if (isOnce && far.lines === 0) continue;
		const features = {
			adapted: swaps.size > 0 ? 1 : 0,
			near: near.telling,
			far: far.telling,
			between: far.lines > 0 ? 1 : 0,
		};
		places.push({ ...writeBeside(document, line, side, written), features });
	}
	return places;
}

/** Whether a line has the tokens that all anchors have in common, and words where the anchors differ. */
function isLike(line: string, pattern: readonly (string | undefined)[]): boolean {
	const tokens = tokensOf(line);
	if (tokens.length !== pattern.length) return false;
	return tokens.every((token, i) => token === pattern[i] || (pattern[i] === undefined && isWord(token)));
}

/** Whether a similar line with the same first word already exists near the site. */
function isThere(text: Text, line: number, side: InsertionSide, written: readonly string[]): boolean {
	const reach = written.length + 1;
	for (let i = 1; i <= reach; i++) {
		const beside = side === "below" ? line + i : line - i;
		if (beside < 0 || beside >= text.lineCount || text.lineEnd(beside) - text.lineStart(beside) > LINE_MAX) break;
		const content = text.line(beside);
		if (written.some((one) => isDistinctive(one) && isAlike(one, content) && wordsOf(one)[0] === wordsOf(content)[0]))
			return true;
	}
	return false;
}

/** The number of lines that are equal around an insertion and around another site. */
interface Context {
	/** Non-blank lines. */
	readonly lines: number;
	/** Distinctive lines, which are rarely equal by chance. */
	readonly telling: number;
}

/** Counts the equal lines, starting at the anchor or, for "far", on the other side of the insertion. */
function contextOf(
	{ file, first, last }: Insertion,
	text: Text,
	line: number,
	side: InsertionSide,
	which: "near" | "far",
	swaps: Substitutions,
): Context {
	const isUpwards = (which === "near") === (side === "below");
	const step = isUpwards ? -1 : 1;
	let here = isUpwards ? first - 1 : last + 1;
	let there = which === "near" ? line : line + step;
	let lines = 0;
	let telling = 0;
	for (let i = 0; i < 2 * CONTEXT_MAX && telling < CONTEXT_MAX; i++) {
		if (here < 0 || there < 0 || here >= file.now.lineCount || there >= text.lineCount) break;
		if (file.now.lineEnd(here) - file.now.lineStart(here) > LINE_MAX) break;
		const content = file.now.line(here).trim();
		if (substitute(content, swaps) !== text.line(there).trim()) break;
		if (content !== "") lines++;
		if (isDistinctive(content)) telling++;
		here += step;
		there += step;
	}
	return { lines, telling };
}
