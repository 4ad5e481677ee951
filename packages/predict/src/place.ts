import { type Document, type Edit, sameUri } from "@segue/text";
import type { Candidate, Features, Predictor, Proposal } from "./candidate.js";
import type { Example } from "./example.js";
import type { Scene } from "./scene.js";
import { score } from "./score.js";

// As many as a request answers with.
const OFFERED_MAX = 3;
// With fewer places left, doing them one by one is quicker than reading what a search would do.
const MANY = 3;

/** A line on which a rule would write. */
export interface Place {
	readonly document: Document;
	readonly line: number;
	readonly edits: readonly Edit[];
}

/** A rule, the places that are left for it, and what is to be said of it. */
export interface Finding {
	readonly predictor: Predictor;
	readonly rule: string;
	/** "`cnt` became `count`" */
	readonly became: string;
	/** Where the user did it, in the order in which it was done. */
	readonly examples: readonly Example[];
	readonly places: readonly Place[];
	readonly features: Omit<Features, "left" | "skipped" | "rank" | "isElsewhere">;
	/** One proposal instead of one for each place, where the client can take it. */
	readonly atOnce: (nearest: Place, left: readonly Place[]) => Proposal | undefined;
}

/** The candidates of a rule: all at once, or else the nearest places. */
export function candidatesOf(scene: Scene, finding: Finding): Candidate[] {
	const { predictor, rule, examples } = finding;
	const places = nearestFirst(scene, finding.places);
	const nearest = places[0];
	if (nearest === undefined) return [];
	const left = places.reduce((sum, { edits }) => sum + edits.length, 0);
	const why = `${finding.became}; ${left} ${left === 1 ? "place" : "places"} left`;
	const skipped = countSkipped(examples, places);
	const candidate = (proposal: Proposal, rank: number): Candidate => {
		const isElsewhere = sameUri(proposal.uri, scene.document.uri) ? 0 : 1;
		const features = { left, skipped, rank, isElsewhere, ...finding.features } as const;
		return { proposal, predictor, rule, why, features, confidence: score(predictor, features) };
	};
	const atOnce = finding.atOnce(nearest, places);
	if (atOnce !== undefined) return [candidate(atOnce, 0)];
	return places.slice(0, OFFERED_MAX).map(({ document, edits }, rank) => {
		return candidate({ kind: "edit", uri: document.uri, edits }, rank);
	});
}

/** Whether the places left in a document are so many that a search is worth it, and the client can search. */
export function areMany(scene: Scene, document: Document, left: readonly Place[]): boolean {
	return scene.kinds.has("searchAndReplace") && editsIn(document, left) >= MANY;
}

/** How many edits there are in a document. */
export function editsIn(document: Document, places: readonly Place[]): number {
	return places.reduce((sum, place) => sum + (place.document === document ? place.edits.length : 0), 0);
}

/** After the cursor, then from the top, then in the other documents in their order. */
function nearestFirst(scene: Scene, places: readonly Place[]): Place[] {
	const here = scene.document;
	const documents = [here, ...scene.neighbours];
	const rankOf = ({ document, edits }: Place) => {
		if (document !== here) return 1 + documents.indexOf(document);
		return (edits[0]?.from ?? 0) >= scene.cursor ? 0 : 1;
	};
	return places
		.map((place) => ({ place, rank: rankOf(place), from: place.edits[0]?.from ?? 0 }))
		.toSorted((a, b) => a.rank - b.rank || a.from - b.from)
		.map(({ place }) => place);
}

/** How many places lie where the user passed, on the way down from one place that was changed to the next. */
function countSkipped(examples: readonly Example[], places: readonly Place[]): number {
	let skipped = 0;
	for (const [i, example] of examples.entries()) {
		const next = examples[i + 1];
		if (next === undefined || next.file !== example.file) continue;
		skipped += places.filter(({ document, edits }) => {
			const from = edits[0]?.from ?? 0;
			return sameUri(document.uri, next.file.uri) && example.at < from && from < next.at;
		}).length;
	}
	return skipped;
}
