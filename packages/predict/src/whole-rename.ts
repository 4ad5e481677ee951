import { type Document, type Edit, isSecretUri } from "@segue/text";
import { examplesOf } from "./example.js";
import { judge } from "./gate/gate.js";
import type { Memory } from "./memory.js";
import { candidatesOf } from "./predict.js";
import { sitesOfRule } from "./rules/rename.js";
import type { Scene } from "./scene.js";
import type { Suggestion } from "./suggestion.js";

// The gate parses the document for each site, which takes about a millisecond.
const PLACES_MAX = 200;

/** The edits to one document, sorted and without overlaps, as offsets in its current text. */
export interface DocumentEdits {
	readonly document: Document;
	readonly edits: readonly Edit[];
}

/**
 * Completes a suggested rename: the edits for all remaining sites, including the suggested one. Returns undefined for
 * other suggestions, if the gate objects to one of the sites, or if there are too many sites to review.
 */
export function wholeRename(scene: Scene, memory: Memory, suggestion: Suggestion): DocumentEdits[] | undefined {
	const [rule] = suggestion.rules;
	if (suggestion.predictor !== "rename" || suggestion.kind !== "edit" || rule === undefined) return undefined;
	const found = candidatesOf(scene);
	if ("silence" in found) return undefined;
	const shown = found.candidates.find(({ candidate: { predictor, rules, proposal, isUnclear } }) => {
		return predictor === "rename" && rules[0] === rule && proposal.kind === "edit" && isUnclear !== true;
	});
	const examples = examplesOf(scene.history).filter(({ file }) => !isSecretUri(file.uri));
	// Files that are not open may have changed on disk since they were read.
	const places = sitesOfRule({ ...found.scene, folder: undefined }, examples, rule);
	if (shown === undefined || places.length > PLACES_MAX) return undefined;
	const changed = new Map<Document, Edit[]>();
	for (const { document, edits } of places) {
		// A rename applies everywhere or nowhere. All sites have the same confidence, and the gate checks each.
		const candidate = { ...shown.candidate, proposal: { kind: "edit", uri: document.uri, edits } } as const;
		if (judge(candidate, document, found.scene, memory).objection !== undefined) return undefined;
		changed.set(document, [...(changed.get(document) ?? []), ...edits]);
	}
	return Array.from(changed, ([document, edits]) => ({ document, edits: edits.toSorted((a, b) => a.from - b.from) }));
}
