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

// What was put in longer ago than this has its twins by now, or has none.
const INSERTIONS_MAX = 2;
// Lines that differ in more names than this have little in common.
const SWAPS_MAX = 3;
// A single letter is another thing on every line.
const NAME_MIN = 2;
// A name that is in more lists than this is in them for many reasons.
const PLACES_MAX = 3;
// What a list has to say of a name stands at most so far away.
const NEAR_LINES = 8;

/** A name that got a twin: what one line says of it, a new line beside that one says of another. */
interface Twin {
	readonly old: string;
	readonly now: string;
	/** All that differs between the two lines. */
	readonly swaps: Substitutions;
	/** The side of the old line on which the new one stands. */
	readonly side: InsertionSide;
	readonly insertions: readonly Insertion[];
}

/** Goes on with twins in other lists: where a name is one of several that the same is said of, and its twin is not. */
export function twinFindings(scene: Scene, insertions: readonly Insertion[]): Finding[] {
	const recent = insertions.slice(-INSERTIONS_MAX).filter(({ lines }) => !lines.some(isImport));
	return twinsIn(recent).flatMap((twin) => {
		const { old, now } = twin;
		const newest = twin.insertions.at(-1) as Insertion;
		const [spokenOf, twins] = [new Search(old), new Search(now)];
		const documents = documentsWith(scene, spokenOf).filter(({ languageId }) => {
			return sameLanguage(languageId, newest.file.languageId);
		});
		const places = documents.flatMap((document) => placesIn(scene, document, twin, spokenOf, twins));
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
			// The first name is what a line is about; the rest is what it says of it.
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

/** What turns the lines beside an insertion into it. */
function swapsFromBeside({ file, first, last, lines }: Insertion, side: InsertionSide): Substitutions | undefined {
	const start = side === "below" ? first - lines.length : last + 1;
	if (start < 0 || start + lines.length > file.now.lineCount) return undefined;
	const beside = lines.map((_, i) => file.now.line(start + i));
	if (beside.some((line) => line.length > LINE_MAX)) return undefined;
	const swaps = substitutionsBetween(beside.join("\n"), lines.join("\n"));
	return swaps !== undefined && swaps.size > 0 && swaps.size <= SWAPS_MAX ? swaps : undefined;
}

/** The lines of a document that are one of several about alike things, speak of a name, and have none about its twin near. */
function placesIn(scene: Scene, document: Document, twin: Twin, spokenOf: Search, twins: Search): Site[] {
	const { text } = document;
	const found = spokenOf.in(text) ?? [];
	if (found.length === 0) return [];
	const isTouched = touchedIn(scene.history, document);
	const done = new Set((twins.in(text) ?? []).map((at) => text.lineAt(at)));
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
			/** How many of the lines right above and below say the same of another name. */
			run,
			own: twin.insertions.some(({ file }) => sameUri(file.uri, document.uri)) ? 1 : 0,
			alike: twin.insertions.some((one) => one.lines.some((other) => isAlike(other, content))) ? 1 : 0,
		};
		places.push({ ...writeBeside(document, line, twin.side, [substitute(content.trim(), swaps)]), features });
	}
	return places;
}

/** Whether one of some lines is near another, and no line between them is indented less than that. */
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

/** Whether a line says of something else what another one says. */
function isSibling(text: Text, line: number, other: string): boolean {
	if (line < 0 || line >= text.lineCount || text.lineEnd(line) - text.lineStart(line) > LINE_MAX) return false;
	const swaps = substitutionsBetween(text.line(line), other);
	return swaps !== undefined && swaps.size > 0 && swaps.size <= SWAPS_MAX;
}
