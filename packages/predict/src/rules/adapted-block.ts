import type { Document } from "@segue/text";
import type { Finding } from "../candidate.js";
import { ageOf, type Block, type Example } from "../example.js";
import { explanationOf, remainingSitesOf } from "../explanation.js";
import { touchedIn } from "../history.js";
import { indentOf, isDistinctive, LINE_MAX, sameLanguage } from "../languages/identifiers.js";
import { readLine } from "../line.js";
import { findingsOf, type Site } from "../ranking/site.js";
import type { Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { indented, lineBreakIn } from "./block.js";
import { type Substitutions, substitute, substitutionsBetween } from "./substitution.js";

// Older rewrites are not part of the current task.
const REWRITES_MAX = 6;
const LINES_MAX = 12;
// Blocks in which more names differ are unrelated.
const SWAPS_MAX = 3;
const SEARCHES_MAX = 3;
// A name may occur in many lines, and those nearest to the cursor are read.
const LINES_READ_MAX = 200;
const PLACES_MAX = 20;

/**
 * Repeats the rewrite of several lines at lines that differ only in names. For example, if the user added a check to
 * `a.read(x)`, adds it to `b.read(y)`.
 */
export function proposeAdaptedBlocks(scene: Scene, examples: readonly Example[]): Finding[] {
	return rewritesOf(examples).flatMap((rewrite) => {
		const { example, anchor, hunk } = rewrite;
		const searches = searchesFor(anchor);
		const sites = documentsWith(scene, ...searches).flatMap((document) => {
			const isAlike = sameLanguage(example.file.languageId, document.languageId);
			return isAlike ? sitesIn(scene, document, rewrite, searches) : [];
		});
		return findingsOf(scene, {
			predictor: "template",
			rule: `adapted ${hunk.old.join("\n").trim()} to ${hunk.now.join("\n").trim()}`,
			why: explanationOf(scene, `Rewriting \`${anchor}\` and similar lines`, remainingSitesOf(sites)),
			examples: [example],
			sites,
			features: {
				adapted: 1,
				support: 1,
				age: ageOf(examples, example),
				oldLines: hunk.old.length,
				newLines: hunk.now.length,
				tokens: readLine(anchor).tokens.length,
			},
		});
	});
}

/** A run of lines that the user rewrote. */
interface BlockRewrite {
	readonly example: Example;
	readonly hunk: Block;
	/** The longest old line, without its indent. */
	readonly anchor: string;
	/** The index of the anchor among the old lines. */
	readonly index: number;
}

/** The latest rewrites of several lines, newest first. A rewrite of one line to another is a template. */
function rewritesOf(examples: readonly Example[]): BlockRewrite[] {
	const rewrites = new Map<Block, BlockRewrite>();
	for (const example of examples.toReversed()) {
		const { hunk, isAccepted } = example;
		const { old, now } = hunk;
		if (isAccepted || rewrites.has(hunk) || rewrites.size === REWRITES_MAX) continue;
		if (old.length === 0 || now.length === 0 || old.length + now.length < 3) continue;
		if (old.length > LINES_MAX || now.length > LINES_MAX) continue;
		if ([...old, ...now].some(({ length }) => length > LINE_MAX)) continue;
		const longest = old.reduce((best, one) => (one.trim().length > best.trim().length ? one : best), "");
		if (isDistinctive(longest))
			rewrites.set(hunk, { example, hunk, anchor: longest.trim(), index: old.indexOf(longest) });
	}
	return [...rewrites.values()];
}

/** Returns searches for the longest names in a line. A similar line has another name in place of some of them. */
function searchesFor(anchor: string): Search[] {
	const names = new Set(readLine(anchor).names.map(({ text }) => text));
	const longest = [...names].toSorted((a, b) => b.length - a.length);
	return longest.slice(0, SEARCHES_MAX).map((name) => new Search(name));
}

function sitesIn(scene: Scene, document: Document, { hunk, index }: BlockRewrite, searches: readonly Search[]): Site[] {
	const { text } = document;
	const isTouched = touchedIn(scene.history, document);
	const sites: Site[] = [];
	const cursorLine = document === scene.document ? text.lineAt(scene.cursor) : 0;
	const found = [...new Set(searches.flatMap((search) => search.linesIn(text)))];
	const nearest = found.toSorted((a, b) => Math.abs(a - cursorLine) - Math.abs(b - cursorLine));
	for (const anchorLine of nearest.slice(0, LINES_READ_MAX)) {
		const line = anchorLine - index;
		const last = line + hunk.old.length - 1;
		if (line < 0 || last >= text.lineCount) continue;
		const lines = hunk.old.map((_, i) => text.line(line + i));
		const swaps = swapsBetween(hunk.old, lines);
		if (swaps === undefined || lines.some((_, i) => isTouched(line + i))) continue;
		const written = indented(hunk.now, indentOf(hunk.old[index] ?? ""), indentOf(lines[index] ?? ""));
		if (written === undefined) continue;
		const insert = written.map((one) => substitute(one, swaps)).join(lineBreakIn(text));
		const swapped = [...swaps.keys()].filter((name) => hunk.now.some((one) => one.includes(name))).length;
		sites.push({
			document,
			line,
			edits: [{ from: text.lineStart(line), to: text.lineEnd(last), insert }],
			features: { swaps: swaps.size, swapped: swapped / swaps.size },
		});
		if (sites.length === PLACES_MAX) break;
	}
	return sites;
}

/**
 * Returns the names to substitute; undefined if the blocks are equal, if more than names differ, or if a name would have
 * two replacements.
 */
function swapsBetween(old: readonly string[], lines: readonly string[]): Substitutions | undefined {
	const trimmed = (block: readonly string[]) => block.map((line) => line.trim()).join("\n");
	const swaps = substitutionsBetween(trimmed(old), trimmed(lines));
	return swaps === undefined || swaps.size === 0 || swaps.size > SWAPS_MAX ? undefined : swaps;
}
