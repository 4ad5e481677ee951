import { type Document, type Edit, sameUri, uriKey } from "@segue/text";
import { type Features, type Finding, fullName } from "../candidate.js";
import { ageOf, type Example, examplesOf } from "../example.js";
import type { Explanation } from "../explanation.js";
import type { EditedFile, History } from "../history.js";
import { isImportLine } from "../languages/imports.js";
import { partAt } from "../languages/parts.js";
import { lineOf, readLine, similarity } from "../line.js";
import { rankOf, type Scene } from "../scene.js";
import type { Predictor, Proposal } from "../suggestion.js";
import { meaningFeatures } from "../symbols/symbol-meaning.js";

// The nearest sites are suggested first, so there is no need to score more sites than this.
const PLACES_MAX = 6;
// The nearest sites above the cursor are scored too, even if there are many below.
const ABOVE_MAX = 2;
// With fewer sites left, changing them one by one is quicker than reviewing a search and replace.
const MANY = 3;

/** A line that a rule would change. */
export interface Site {
	readonly document: Document;
	readonly line: number;
	readonly edits: readonly Edit[];
	/** Features of this site alone. If this is a function, it is called only for the nearest sites. */
	readonly features?: Features | (() => Features);
	/** The site may be unrelated to the rule. It is proposed after the other sites and not counted. */
	readonly isUnclear?: boolean;
	/** Overrides the rule's reason. */
	readonly why?: Explanation;
}

/** A rule, its remaining sites and its features. */
export interface Rule {
	readonly predictor: Exclude<Predictor, "model">;
	readonly rule: string;
	readonly why: Explanation;
	/** The user's changes that the rule was derived from, in order. */
	readonly examples: readonly Example[];
	readonly sites: readonly Site[];
	readonly features: Features;
	/** The kind of rule, for a predictor that has several. Some features are also recorded under its name. */
	readonly kind?: string;
	/** The change may be wrong at these sites. */
	readonly isDoubtful?: boolean;
	/** A single proposal for all sites, if the client supports such proposals. */
	readonly atOnce?: (nearest: Site, left: readonly Site[]) => Proposal | undefined;
}

/** The findings of a rule: one for each of its nearest sites. */
export function findingsOf(scene: Scene, found: Rule): Finding[] {
	const { predictor, rule, examples } = found;
	const clear = found.sites.filter(({ isUnclear }) => !isUnclear);
	const unclear = found.sites.filter(({ isUnclear }) => isUnclear);
	const places = [...nearestFirst(scene, clear), ...nearestFirst(scene, unclear)];
	const nearest = places[0];
	if (nearest === undefined) return [];
	const left = places.reduce((sum, { edits }) => sum + edits.length, 0);
	const skipped = countSkipped(scene, examples, places);
	const { kind } = found;
	const instead = found.atOnce?.(nearest, places);
	const share = (found.features.support ?? 0) / ((found.features.support ?? 0) + left);
	const around = surroundingsOf(scene.history);
	const finding = (proposal: Proposal, rank: number, place: Site): Finding => {
		const own = typeof place.features === "function" ? place.features() : (place.features ?? NO_FEATURES);
		const meaning = meaningFeatures(scene, examples, place.document, place.edits);
		const likeness = likenessOf(around, examples, place);
		const features = [found.features, own, { left, skipped, rank, share }, likeness, meaning];
		if (kind !== undefined) {
			features.push({
				[fullName(kind, "left")]: left,
				[fullName(kind, "skipped")]: skipped,
				[fullName(kind, "rank")]: rank,
			});
		}
		return {
			proposal,
			...(instead && { instead }),
			...(found.isDoubtful && { isDoubtful: true }),
			...(place.isUnclear && { isUnclear: true }),
			predictor,
			rule,
			why: place.why ?? found.why,
			features,
		};
	};
	let above = 0;
	return places.flatMap((place, rank) => {
		const isAbove = place.document === scene.document && (place.edits[0]?.from ?? 0) < scene.cursor;
		if (rank >= PLACES_MAX && !(isAbove && above < ABOVE_MAX)) return [];
		if (isAbove) above++;
		return [finding({ kind: "edit", uri: place.document.uri, edits: place.edits }, rank, place)];
	});
}

const NO_FEATURES: Features = {};

/** For each file, the old text of the changed lines, by current line number. */
type Surroundings = ReadonlyMap<EditedFile, ReadonlyMap<number, string>>;

const SURROUNDINGS = new WeakMap<History, Surroundings>();

function surroundingsOf(history: History): Surroundings {
	let known = SURROUNDINGS.get(history);
	if (known === undefined) {
		const made = new Map<EditedFile, Map<number, string>>();
		for (const { file, at, before, after } of examplesOf(history)) {
			if (after === undefined) continue;
			const lines = made.get(file) ?? new Map<number, string>();
			made.set(file, lines.set(file.now.lineAt(at), before ?? ""));
		}
		SURROUNDINGS.set(history, made);
		known = made;
	}
	return known;
}

// A site is compared with the newest examples of its rule.
const COMPARED_MAX = 3;

/** Compares the lines around a site with the lines around the user's changes, as they were before the edits. */
function likenessOf(around: Surroundings, examples: readonly Example[], { document, line }: Site): Features {
	const { text } = document;
	let linesAbove = 0;
	let linesBelow = 0;
	let hunk = 0;
	for (const { file, at } of examples.slice(-COMPARED_MAX)) {
		const own = file.now.lineAt(at);
		const changed = around.get(file);
		const was = (index: number) => {
			const before = changed?.get(index);
			return before === undefined ? lineOf(file.now, index) : readLine(before);
		};
		linesAbove = Math.max(linesAbove, similarity(was(own - 1), lineOf(text, line - 1)));
		linesBelow = Math.max(linesBelow, similarity(was(own + 1), lineOf(text, line + 1)));
		hunk = (changed?.has(own - 1) ? 1 : 0) + (changed?.has(own + 1) ? 1 : 0);
	}
	const adjoins = examples.some(({ file, at }) => {
		return sameUri(file.uri, document.uri) && Math.abs(file.now.lineAt(at) - line) === 1;
	});
	const isForeign = !examples.some(({ file }) => sameUri(file.uri, document.uri));
	return { linesAbove, linesBelow, hunk, foreign: isForeign ? 1 : 0, adjoins: adjoins ? 1 : 0 };
}

/** The features of an offset in a document, independent of the rule. */
export function siteFeatures(
	scene: Scene,
	examples: readonly Example[],
	document: Document,
	at: number,
	proposal: Proposal,
): Features {
	const { text } = document;
	const isHere = document === scene.document;
	const line = text.lineAt(at);
	const cursorLine = isHere ? text.lineAt(scene.cursor) : 0;
	const { touches = [] } = scene.history.fileOf(document.uri) ?? {};
	const isBelowSome = touches.some(({ from }) => from < at);
	const isAboveSome = touches.some(({ from }) => from > at);
	const part = partAt(document, at);
	return {
		elsewhere: isHere ? 0 : 1,
		untouched: scene.history.fileOf(document.uri) === undefined ? 1 : 0,
		distance: isHere ? Math.abs(line - cursorLine) : 0,
		behind: isHere && line < cursorLine ? 1 : 0,
		between: isBelowSome && isAboveSome ? 1 : 0,
		beyond: isBelowSome && !isAboveSome ? 1 : 0,
		ahead: isAboveSome && !isBelowSome ? 1 : 0,
		echoes: echoesIn(examples),
		comment: part === "comment" ? 1 : 0,
		string: part === "string" ? 1 : 0,
		import: isImportLine(document, line) ? 1 : 0,
		test: TESTS.test(pathOf(scene, document)) ? 1 : 0,
		examples: ageOf(examples, examples[0] as Example) + 1,
		edits: proposal.kind === "edit" ? proposal.edits.length : 0,
	};
}

const TESTS = /(?:^|[/._-])(?:tests?|specs?)(?:[/._-]|$)/i;

/**
 * The path of a document within the workspace. The name of the workspace folder must not make it look like a test
 * folder.
 */
function pathOf({ workspace }: Scene, { uri }: Document): string {
	const root = workspace.uri ?? "";
	return uri.startsWith(root) ? uri.slice(root.length) : uri;
}

const ECHOES = new WeakMap<readonly Example[], number>();
// Older changes say little about the user's current task.
const RECENT = 8;

/** The share of the user's recent changes that repeat an earlier one exactly. */
function echoesIn(examples: readonly Example[]): number {
	let known = ECHOES.get(examples);
	if (known === undefined) {
		const changes = examples.map(({ before, after, edits }) => {
			if (before === undefined || after === undefined) return [`${before?.trim()}→${after?.trim()}`];
			return edits.map(({ from, to, insert }) => `${before.slice(from, to).trim()}→${insert.trim()}`);
		});
		const first = Math.max(changes.length - RECENT, 1);
		let echoed = 0;
		for (let i = first; i < changes.length; i++) {
			if (changes[i]?.some((one) => changes.slice(0, i).some((earlier) => earlier.includes(one)))) echoed++;
		}
		known = changes.length > first ? echoed / (changes.length - first) : 0;
		ECHOES.set(examples, known);
	}
	return known;
}

/** Whether the client supports search and replace, and a document has enough sites left to use it. */
export function areMany(scene: Scene, document: Document, left: readonly Site[]): boolean {
	return scene.kinds.has("searchAndReplace") && editsIn(document, left) >= MANY;
}

/** Counts the edits in a document. */
export function editsIn(document: Document, places: readonly Site[]): number {
	return places.reduce((sum, place) => sum + (place.document === document ? place.edits.length : 0), 0);
}

function nearestFirst(scene: Scene, places: readonly Site[]): Site[] {
	return inVisitOrder(scene, places, ({ document, edits }) => {
		return { document, from: edits[0]?.from ?? 0, count: edits.length };
	});
}

/** A location to visit, and its number of edits. */
interface Stop {
	readonly document: Document;
	readonly from: number;
	readonly count: number;
}

/**
 * Sorts items in the order in which a user visits them. In the current document, those below the cursor come first,
 * then those above it, nearest first. The other open documents follow, then files that are not open, each from top to
 * bottom. Among these, documents with more edits come first.
 */
export function inVisitOrder<T>(scene: Scene, items: readonly T[], stopOf: (item: T) => Stop): T[] {
	if (items.length < 2) return [...items];
	const { document: here, cursor, neighbours } = scene;
	const others = new Map<Document, Visit>();
	const stops = items.map((item) => {
		const { document, from, count } = stopOf(item);
		if (document === here) return { item, visit: from >= cursor ? BELOW : ABOVE, at: from >= cursor ? from : -from };
		let visit = others.get(document);
		if (visit === undefined) {
			const rank = rankOf(neighbours, uriKey(document.uri));
			// Files that are not open keep the order in which they were found.
			visit = rank === undefined ? { group: 3, count: 0, rank: others.size } : { group: 2, count: 0, rank };
			others.set(document, visit);
		}
		visit.count += count;
		return { item, visit, at: from };
	});
	return stops.toSorted((a, b) => compareVisits(a.visit, b.visit) || a.at - b.at).map(({ item }) => item);
}

/** The position of a document in the visit order. */
interface Visit {
	readonly group: number;
	/** The number of edits in the document. */
	count: number;
	readonly rank: number;
}

const BELOW: Visit = { group: 0, count: 0, rank: 0 };
const ABOVE: Visit = { group: 1, count: 0, rank: 0 };

function compareVisits(a: Visit, b: Visit): number {
	return a === b ? 0 : a.group - b.group || b.count - a.count || a.rank - b.rank;
}

/** Counts the sites that the user passed on the way down from one change to the next, or to the cursor. */
function countSkipped(scene: Scene, examples: readonly Example[], places: readonly Site[]): number {
	const stops = examples.map(({ file, at }) => ({ uri: file.uri, at }));
	if (sameUri(stops.at(-1)?.uri ?? "", scene.document.uri)) stops.push({ uri: scene.document.uri, at: scene.cursor });
	let skipped = 0;
	for (const [i, { uri, at }] of stops.entries()) {
		const next = stops[i + 1];
		if (next === undefined || next.at <= at || !sameUri(next.uri, uri)) continue;
		for (const { document, edits } of places) {
			const from = edits[0]?.from ?? 0;
			if (at < from && from < next.at && sameUri(document.uri, uri)) skipped++;
		}
	}
	return skipped;
}
