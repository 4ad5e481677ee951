import type { Edit } from "@segue/text";
import type { Explanation } from "./explanation.js";
import type { Predictor, Proposal, SuggestionSource } from "./suggestion.js";

/** A predictor's proposal, with the features to score it by. */
export interface Finding {
	readonly proposal: Proposal;
	/** A proposal that covers all sites at once. Offered instead if the client supports its kind. */
	readonly instead?: Proposal | undefined;
	readonly predictor: Exclude<Predictor, "model">;
	/** The key of the rule derived from the history. Identical for all sites of a rule, and stable across requests. */
	readonly rule: string;
	/** A sentence for the user, for example "Renaming `cnt` to `count`: 3 more in this file". */
	readonly why: Explanation;
	/** The features, as disjoint records. Merging them into one record would take longer than scoring them. */
	readonly features: readonly Features[];
	/** The edit may be unintended at this site, so it is shown only for a manual request, whatever its confidence. */
	readonly isDoubtful?: boolean;
	/** Leads to the call at the cursor, which the user has not updated yet. Never shown. */
	readonly isUnfinished?: boolean;
	/**
	 * The text at this site may mean something else, so this site's confidence is independent of the rule's other
	 * sites.
	 */
	readonly isUnclear?: boolean;
	/** The edit at the target of a jump. If the user rejected it, the jump is not offered either. */
	readonly leadsTo?: readonly Edit[];
}

/** The inputs of the scorer, by name. Booleans are 0 or 1, and missing features are 0. */
export type Features = Readonly<Record<string, number>>;

/**
 * The features of all of a candidate's findings, in scoring order. A record with this many properties is slow, so this
 * is a map.
 */
export type PooledFeatures = ReadonlyMap<string, number>;

/** Returns a feature of a finding by name, or undefined if the finding does not have it. */
export function featureOf({ features }: Finding, name: string): number | undefined {
	return features.find((some) => name in some)?.[name];
}

// Cached, because concatenating the name for each site would take longer than scoring it.
const FULL_NAMES = new Map<string, Map<string, string>>();

/** The name of a predictor's feature in `PooledFeatures`. */
export function fullName(of: string, name: string): string {
	let names = FULL_NAMES.get(of);
	if (names === undefined) {
		names = new Map();
		FULL_NAMES.set(of, names);
	}
	let full = names.get(name);
	if (full === undefined) {
		full = `${of}.${name}`;
		names.set(name, full);
	}
	return full;
}

/** All findings with the same proposal. The gate decides whether it is shown. */
export interface Candidate {
	readonly proposal: Proposal;
	/** The predictor and explanation of the most trusted finding. */
	readonly predictor: Predictor;
	readonly why: Explanation;
	/** The rules behind all findings, starting with that of the most trusted finding. */
	readonly rules: readonly string[];
	/** The findings' features, named `predictor.feature`, plus the site's features. */
	readonly features: PooledFeatures;
	/** The probability that the user accepts it. */
	readonly confidence: number;
	/** All findings are doubtful. */
	readonly isDoubtful: boolean;
	/** The text at the site of the most trusted finding may mean something else. */
	readonly isUnclear?: boolean | undefined;
	/** Leads to the call at the cursor, which the user has not updated yet. */
	readonly isUnfinished?: boolean | undefined;
	/** The new name is already declared where the old one is used. */
	readonly isTaken?: boolean;
	readonly leadsTo?: readonly Edit[] | undefined;
	/** Set if a model wrote it: the model's answer and the hunk of this candidate. */
	readonly modelEdits?: ModelEdits & { readonly hunk: ModelHunk };
}

/** A model's edits to the scene's document. */
export interface ModelEdits {
	readonly source: SuggestionSource;
	/** The range that the model was asked to rewrite: whole lines, as offsets in the current text. */
	readonly window: { readonly from: number; readonly to: number };
	/** Sorted by position. Each becomes a separate suggestion. */
	readonly hunks: readonly ModelHunk[];
	/**
	 * Tokens of the model's prompt format, in addition to those forbidden for all models. A token that ends in \n
	 * matches only a whole line.
	 */
	readonly specialTokens: readonly string[];
}

/** Lines that a model changed together. */
export interface ModelHunk {
	/** Sorted, without overlaps, inside the text. */
	readonly edits: readonly Edit[];
	/** The model's answer was cut off in this hunk. */
	readonly isCut: boolean;
}
