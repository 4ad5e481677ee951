import { type Document, sameUri, type Text } from "@segue/text";
import type { Finding } from "../candidate.js";
import { explanationOf, remainingSitesOf } from "../explanation.js";
import { touchedIn } from "../history.js";
import { indentOf, isName, LINE_MAX, sameLanguage, wordsOf } from "../languages/identifiers.js";
import { partAt } from "../languages/parts.js";
import { findingsOf, type Site } from "../ranking/site.js";
import type { Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { type Insertion, type InsertionSide, isImport, writeBeside } from "./insertion.js";
import { isAlike, type Substitutions, substitute, substitutionsBetween } from "./substitution.js";

// The lists for older insertions are already complete.
const INSERTIONS_MAX = 2;
// Lines in which more names than this differ are unrelated.
const SWAPS_MAX = 3;
// A single-letter name means something different on each line.
const NAME_MIN = 2;
// A name that occurs in more lists than this is probably in them for unrelated reasons.
const PLACES_MAX = 3;
// The maximum distance between the entries of a list.
const NEAR_LINES = 8;

/**
 * A new name next to an old one: the user copied a line, changed the name in it, and inserted it next to the original.
 */
interface Twin {
	readonly old: string;
	readonly now: string;
	/** All differences between the two lines. */
	readonly swaps: Substitutions;
	/** The side of the old line on which the new one was inserted. */
	readonly side: InsertionSide;
	readonly insertions: readonly Insertion[];
}

/** Adds the new name to other lists that contain the old one. */
export function twinFindings(scene: Scene, insertions: readonly Insertion[]): Finding[] {
	const recent = insertions.slice(-INSERTIONS_MAX).filter(({ lines }) => !lines.some(isImport));
	return twinsIn(recent).flatMap((twin) => {
		const { old, now } = twin;
		const newest = twin.insertions.at(-1) as Insertion;
		const [oldSearch, newSearch] = [new Search(old), new Search(now)];
		const documents = documentsWith(scene, oldSearch).filter(({ languageId }) => {
			return sameLanguage(languageId, newest.file.languageId);
		});
		const places = documents.flatMap((document) => placesIn(scene, document, twin, oldSearch, newSearch));
		if (places.length > PLACES_MAX) return [];
		return findingsOf(scene, {
			predictor: "sibling",
			rule: `twin ${now} of ${old}`,
			why: explanationOf(scene, `Adding \`${now}\` next to \`${old}\``, remainingSitesOf(places)),
			examples: twin.insertions.flatMap((one) => one.examples.slice(-1)),
			sites: places,
			features: {
				twin: 1,
				support: twin.insertions.filter((one) => !one.isAccepted).length,
				age: recent.length - 1 - recent.indexOf(newest),
				swaps: twin.swaps.size,
			},
		});
	});
}

function twinsIn(insertions: readonly Insertion[]): Twin[] {
	const twins = new Map<string, Twin>();
	for (const insertion of insertions) {
		for (const side of ["below", "above"] as const) {
			const swaps = swapsFromBeside(insertion, side);
			// The first name is the subject of a line.
			const [old = "", now = ""] = swaps?.entries().next().value ?? [];
			if (!isName(old) || !isName(now) || old.length < NAME_MIN || now.length < NAME_MIN) continue;
			const key = JSON.stringify([old, now]);
			const known = twins.get(key);
			twins.delete(key);
			const others = known?.insertions.filter((one) => one !== insertion) ?? [];
			const all = new Map([...(known?.swaps ?? []), ...(swaps ?? [])]);
			twins.set(key, { old, now, swaps: all, side, insertions: [...others, insertion] });
		}
	}
	return [...twins.values()];
}

/** The substitutions that turn the lines next to an insertion into the inserted lines. */
function swapsFromBeside({ file, first, last, lines }: Insertion, side: InsertionSide): Substitutions | undefined {
	const start = side === "below" ? first - lines.length : last + 1;
	if (start < 0 || start + lines.length > file.now.lineCount) return undefined;
	const beside = lines.map((_, i) => file.now.line(start + i));
	if (beside.some((line) => line.length > LINE_MAX)) return undefined;
	const swaps = substitutionsBetween(beside.join("\n"), lines.join("\n"));
	return swaps !== undefined && swaps.size > 0 && swaps.size <= SWAPS_MAX ? swaps : undefined;
}

/**
 * Returns sites next to the lines of a document that contain the old name, are part of a list, and have no line with
 * the new name nearby.
 */
function placesIn(scene: Scene, document: Document, twin: Twin, oldSearch: Search, newSearch: Search): Site[] {
	const { text } = document;
	const found = oldSearch.in(text) ?? [];
	if (found.length === 0) return [];
	const isTouched = touchedIn(scene.history, document);
	const done = new Set((newSearch.in(text) ?? []).map((at) => text.lineAt(at)));
	const lines = new Set(found.filter((at) => partAt(document, at) !== "comment").map((at) => text.lineAt(at)));

	const places: Site[] = [];
	for (const line of lines) {
		if (isTouched(line) || isInBlock(text, line, done) || text.lineEnd(line) - text.lineStart(line) > LINE_MAX)
			continue;
		const content = text.line(line);
		if (isImport(content)) continue;
		const run = [line - 1, line + 1].filter((one) => isSibling(text, one, content)).length;
		if (run === 0) continue;
		const words = wordsOf(content);
		const swaps = new Map([...twin.swaps].filter(([old]) => words.includes(old)));
		const features = {
			/** The number of adjacent lines that have the same form with a different name. */
			run,
			own: twin.insertions.some(({ file }) => sameUri(file.uri, document.uri)) ? 1 : 0,
			alike: twin.insertions.some((one) => one.lines.some((other) => isAlike(other, content))) ? 1 : 0,
		};
		places.push({ ...writeBeside(document, line, twin.side, [substitute(content.trim(), swaps)]), features });
	}
	return places;
}

/** Whether one of the other lines is near a line, and no line between them has less indent. */
function isInBlock(text: Text, line: number, others: ReadonlySet<number>): boolean {
	const depth = indentOf(text.line(line)).length;
	return [-1, 1].some((step) => {
		for (let near = line; Math.abs(near - line) <= NEAR_LINES && near >= 0 && near < text.lineCount; near += step) {
			const content = text.line(near);
			if (content.trim() !== "" && indentOf(content).length < depth) return false;
			if (others.has(near)) return true;
		}
		return false;
	});
}

/** Whether a line has the same form as another, but with different names. */
function isSibling(text: Text, line: number, other: string): boolean {
	if (line < 0 || line >= text.lineCount || text.lineEnd(line) - text.lineStart(line) > LINE_MAX) return false;
	const swaps = substitutionsBetween(text.line(line), other);
	return swaps !== undefined && swaps.size > 0 && swaps.size <= SWAPS_MAX;
}
