import type { Document, Edit } from "@segue/text";
import type { Features, Finding } from "../candidate.js";
import { ageOf, type Example } from "../example.js";
import { explanationOf, remainingSitesOf } from "../explanation.js";
import { touchedIn } from "../history.js";
import { isName, LINE_MAX, sameLanguage } from "../languages/identifiers.js";
import { partAt } from "../languages/parts.js";
import {
	editFor,
	type Line,
	lineOf,
	type Segment,
	segmentsBetween,
	segmentTextFor,
	similarity,
	similarityMax,
	writeLine,
} from "../line.js";
import { findingsOf, type Site } from "../ranking/site.js";
import { type Rewrite, rewriteOf, writesComment } from "../rewrite.js";
import type { Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { continuesNumber } from "./pattern.js";
import { renameReach } from "./rename.js";

// Older changes are not part of the current task.
const TEMPLATES_MAX = 8;
// Lines with a lower similarity than this are unrelated.
const SIMILAR_MIN = 0.6;
// Comparing lines token by token is slow.
const LOOKED_AT_MAX = 30;
// Keywords start many lines, so only those nearest to the cursor are compared.
const LED_MAX = 100;
// Lines with more differences, or longer ones, have a different shape.
const HOLES_MAX = 4;
const HOLE_TOKENS_MAX = 8;

/**
 * Repeats a change on a similar line. The differences between the two lines are holes: the line keeps its own text
 * there, and also uses it wherever the change moved or repeated the text in a hole.
 */
export function proposeTemplates(scene: Scene, examples: readonly Example[]): Finding[] {
	const rewrites = examples.flatMap((example) => rewriteOf(example) ?? []);
	const seen = new Set<string>();
	return rewrites
		.slice(-TEMPLATES_MAX)
		.toReversed()
		.flatMap((rewrite) => {
			const { example, before, after, segments } = rewrite;
			const key = JSON.stringify([before.text.trim(), after.text.trim()]);
			if (seen.has(key)) return [];
			seen.add(key);
			const anchors = anchorsOf(rewrite);
			const lead = leadOf(rewrite);
			const documents = new Set(documentsWith(scene, ...anchors));
			if (lead !== undefined) documents.add(scene.document);
			const isInReach = reachOf(scene, examples, rewrite);
			const found = [...documents].flatMap((document) => {
				const isAlike = sameLanguage(example.file.languageId, document.languageId);
				return isAlike ? placesIn(scene, document, rewrite, anchors, lead).filter(isInReach) : [];
			});
			// Most changes have no similar line left, so skip the comparison with other changes.
			if (found.length === 0) return [];
			const others = rewrites.filter((other) => other !== rewrite && similarity(before, other.before) >= SIMILAR_MIN);
			const tried = others.map((other) => ({ other, done: transfer(rewrite, other.before) }));
			const likes = tried.filter(
				({ other, done }) => done && writeLine(other.before.text, done.edits) === other.after.text,
			);
			// A changed comment, or a number that was extended, is not repeated after a single change.
			const isOwn = () => writesComment(rewrite) || segments.every((one) => continuesNumber(rewrite, one));
			if (likes.length === 0 && isOwn()) return [];
			const unlikes = tried.filter(
				({ other, done }) => done && writeLine(other.before.text, done.edits) !== other.after.text,
			);
			const holes = new Set(likes.flatMap(({ done }) => done?.holes ?? []));
			const own = likes.filter(({ other }) => !other.example.isAccepted).length + (example.isAccepted ? 0 : 1);
			// Accepted suggestions come from another rule, which knows better where to stop.
			if (own === 0) return [];
			return findingsOf(scene, {
				predictor: "template",
				rule: `template ${key}`,
				why: explanationOf(
					scene,
					`Changing lines like \`${quoted(before.text)}\` to \`${quoted(after.text)}\``,
					remainingSitesOf(found),
				),
				examples: [...likes.map(({ other }) => other.example), example],
				sites: found.map(({ featuresOf, ...place }) => ({ ...place, features: () => featuresOf(holes) })),
				features: {
					support: own,
					against: unlikes.length,
					age: ageOf(examples, example),
				},
			});
		});
}

/** Returns the words to search for similar lines with: the longest names, preferring those that the change removes. */
function anchorsOf({ before, segments }: Rewrite): Search[] {
	const words = before.tokens.filter(({ text }) => text.length > 1 && isName(text));
	const isRemoved = (index: number) => segments.some(({ from, to }) => from <= index && index < to);
	const ranked = words
		.map((token) => ({ text: token.text, isRemoved: isRemoved(before.tokens.indexOf(token)) }))
		.toSorted((a, b) => Number(b.isRemoved) - Number(a.isRemoved) || b.text.length - a.text.length);
	return [...new Set(ranked.map(({ text }) => text))].slice(0, 2).map((word) => new Search(word));
}

/**
 * Returns a search for the keyword that a line starts with, because all its names may differ in a similar line. Undefined
 * if one name was replaced: that says nothing about lines without it.
 */
function leadOf({ before, segments }: Rewrite): Search | undefined {
	const { text: word = "" } = before.tokens[0] ?? {};
	const [only] = segments;
	const isOneToken = segments.length === 1 && only !== undefined && only.to - only.from === 1;
	return !isOneToken && /^\p{L}/u.test(word) && !isName(word) ? new Search(word) : undefined;
}

/** Returns a test for sites where a name may be replaced: those in the scope of the renamed symbol. */
function reachOf(
	scene: Scene,
	examples: readonly Example[],
	{ before, after, segments }: Rewrite,
): (site: Site) => boolean {
	const [only] = segments;
	const oldName = only && before.tokens.slice(only.from, only.to).map(({ text }) => text);
	const newName = only && after.tokens.slice(only.newFrom, only.newTo).map(({ text }) => text);
	if (segments.length > 1 || oldName?.length !== 1 || newName?.length !== 1) return () => true;
	const [old = "", now = ""] = [oldName[0], newName[0]];
	return isName(old) && isName(now) ? renameReach(scene, examples, old, now) : () => true;
}

/** A site whose features depend on the holes of other changed lines. */
interface Found extends Omit<Site, "features"> {
	readonly featuresOf: (holes: ReadonlySet<string>) => Features;
}

function placesIn(
	scene: Scene,
	document: Document,
	rewrite: Rewrite,
	anchors: readonly Search[],
	lead: Search | undefined,
): Found[] {
	const { text } = document;
	const isTouched = touchedIn(scene.history, document);
	const { example, before } = rewrite;
	const original = { uri: example.file.uri, languageId: example.file.languageId, version: 0, text: example.file.now };
	const at = Math.min(example.at + (example.edits[0]?.from ?? 0), original.text.length);
	const lines = new Set<number>();
	for (const anchor of anchors) for (const line of anchor.linesIn(text)) lines.add(line);
	const cursorLine = document === scene.document ? text.lineAt(scene.cursor) : 0;
	if (document === scene.document) {
		const led = (lead?.linesIn(text) ?? []).toSorted((a, b) => Math.abs(a - cursorLine) - Math.abs(b - cursorLine));
		for (const line of led.slice(0, LED_MAX)) lines.add(line);
	}
	let lookedAt = 0;
	const places: Found[] = [];
	for (const line of [...lines].toSorted((a, b) => Math.abs(a - cursorLine) - Math.abs(b - cursorLine))) {
		const start = text.lineStart(line);
		if (isTouched(line) || text.lineEnd(line) - start > LINE_MAX) continue;
		const target = lineOf(text, line);
		if (similarityMax(before, target) < SIMILAR_MIN) continue;
		const similar = similarity(before, target);
		if (similar < SIMILAR_MIN) continue;
		if (++lookedAt > LOOKED_AT_MAX) break;
		const done = transfer(rewrite, target);
		if (done === undefined || done.edits.length === 0) continue;
		const edits = done.edits.map(({ from, to, insert }) => ({ from: start + from, to: start + to, insert }));
		const featuresOf = (holes: ReadonlySet<string>) => ({
			similar,
			holes: done.holes.length,
			moved: done.moved,
			known: holes.size > 0 && done.holes.every((hole) => holes.has(hole)) ? 1 : 0,
			otherPart: partAt(document, edits[0]?.from ?? start) !== partAt(original, at) ? 1 : 0,
		});
		places.push({ document, line, edits, featuresOf });
	}
	return places;
}

interface Transfer {
	readonly edits: readonly Edit[];
	/** The differences between the lines, as token ranges of the changed line. */
	readonly holes: readonly string[];
	/** The number of words that were replaced with the target's own. */
	readonly moved: number;
}

/**
 * Applies the change made to one line to another line. Undefined if the change conflicts with the differences between
 * the lines.
 */
function transfer(rewrite: Rewrite, target: Line): Transfer | undefined {
	let known = TRANSFERS.get(rewrite.segments);
	if (known === undefined) {
		known = new WeakMap();
		TRANSFERS.set(rewrite.segments, known);
	}
	let transferred = known.get(target);
	if (transferred === undefined) {
		transferred = computeTransfer(rewrite, target) ?? null;
		known.set(target, transferred);
	}
	return transferred ?? undefined;
}

// A cache, because every request compares the same lines. The key is the array of segments: it is computed once for each
// pair of lines, so equal pairs have the same array.
const TRANSFERS = new WeakMap<readonly Segment[], WeakMap<Line, Transfer | null>>();

function computeTransfer({ before, after, segments }: Rewrite, target: Line): Transfer | undefined {
	const differences = segmentsBetween(before, target);
	if (differences.length > HOLES_MAX) return undefined;
	const names = new Map<string, string>();
	for (const { from, to, newFrom, newTo } of differences) {
		if (to - from > HOLE_TOKENS_MAX || newTo - newFrom > HOLE_TOKENS_MAX) return undefined;
		if (to - from !== newTo - newFrom) continue;
		for (let i = 0; i < to - from; i++) {
			const own = before.tokens[from + i]?.text ?? "";
			const others = target.tokens[newFrom + i]?.text ?? "";
			if (/[\p{L}\p{N}_$]/u.test(own)) names.set(own, others);
		}
	}
	const edits: Edit[] = [];
	let moved = 0;
	for (const segment of segments) {
		const from = carry(segment.from, differences, "after");
		const to = carry(segment.to, differences, "before");
		if (from === undefined || to === undefined || from > to) return undefined;
		const inside = differences.filter((one) => one.from < segment.to && segment.from < one.to);
		const written = after.tokens.slice(segment.newFrom, segment.newTo);
		for (const { from: first, to: end } of inside) {
			const isKept = before.tokens.slice(first, end).every((token) => {
				return names.has(token.text) && written.some(({ text }) => text === token.text);
			});
			if (!isKept) return undefined;
		}
		const own = segmentTextFor({ before, after }, segment);
		let { insert } = own;
		for (const token of written.toReversed()) {
			const other = names.get(token.text);
			if (other === undefined) continue;
			insert = insert.slice(0, token.from - own.from) + other + insert.slice(token.to - own.from);
			moved++;
		}
		const edit = editFor(target, from, to, own, insert);
		if (edit === undefined) continue;
		if (edit.from < (edits.at(-1)?.to ?? 0)) return undefined;
		edits.push(edit);
	}
	return { edits, holes: differences.map(({ from, to }) => `${from} ${to}`), moved };
}

/** Maps a position between tokens from one line to another. Undefined inside a difference. */
function carry(index: number, differences: readonly Segment[], side: "before" | "after"): number | undefined {
	let shift = 0;
	for (const { from, to, newFrom, newTo } of differences) {
		if (index < from || (index === from && side === "before" && from !== to)) break;
		if (index === from && side === "before") break;
		if (index === from && from !== to) return newFrom;
		if (index < to) return undefined;
		shift = newTo - to;
		if (index === to && to === from && side === "before") return newFrom;
	}
	return index + shift;
}

/** Returns a line for a sentence, without its indentation and the separator at its end. */
function quoted(line: string): string {
	return line.trim().replace(/[,;]$/, "");
}
