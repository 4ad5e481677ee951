import type { Edit } from "@segue/text";
import type { Explanation } from "./explanation.js";
import type { Predictor, Proposal, SuggestionSource } from "./suggestion.js";

/** What a predictor finds: a proposal, and what speaks for and against it. */
export interface Finding {
	readonly proposal: Proposal;
	/** What is offered instead, for all places at once, where the client can do it. */
	readonly instead?: Proposal | undefined;
	readonly predictor: Exclude<Predictor, "model">;
	/** What was concluded from the history. Equal for all places of one rule, and in all requests. */
	readonly rule: string;
	/** A sentence for the user: "`cnt` became `count` at 2 places; 3 are left in this file". */
	readonly why: Explanation;
	/** No name is in two of them. To make one of them all takes longer than to weigh them. */
	readonly features: readonly Features[];
	/** What is done may not be meant there, whatever its chance: it is only for who asks. */
	readonly isDoubtful?: boolean;
	/** What is there may not be what the rule is about, so its chance is its own and not that of the rule's other places. */
	readonly isUnclear?: boolean;
	/** The edit that a jump leads to. A user who rejected the edit is not led to it either. */
	readonly leadsTo?: readonly Edit[];
}

/** What a scorer may weigh, by name. A yes is 1, what is missing is 0. */
export type Features = Readonly<Record<string, number>>;

/** The same of all that was said of a candidate, in the order in which it is weighed. A record of so many is slow. */
export type PooledFeatures = ReadonlyMap<string, number>;

/** What a finding says under a name; undefined where it says nothing. */
export function featureOf({ features }: Finding, name: string): number | undefined {
	return features.find((some) => name in some)?.[name];
}

// Features have a fixed set of names, and to write one anew for every place takes longer than to weigh it.
const FULL_NAMES = new Map<string, Map<string, string>>();

/** What the feature of a predictor, or of a kind of its rules, is called among those of others. */
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

/** All findings that propose the very same. The gate decides whether it is shown. */
export interface Candidate {
	readonly proposal: Proposal;
	/** The predictor and the reason of the finding that is trusted most. */
	readonly predictor: Predictor;
	readonly why: Explanation;
	/** The rules of all findings, that of the one above first. */
	readonly rules: readonly string[];
	/** Those of the findings as `predictor.feature`, and those of the place. */
	readonly features: PooledFeatures;
	/** The chance that the user wants it, from 0 to 1. */
	readonly confidence: number;
	/** All findings are doubtful. */
	readonly isDoubtful: boolean;
	/** The finding that is trusted most is unclear. */
	readonly isUnclear?: boolean | undefined;
	/** It gives a name that is taken: one that is already declared where the old name is used. */
	readonly isTaken?: boolean;
	readonly leadsTo?: readonly Edit[] | undefined;
	/** Where a model wrote it: its answer, and the hunk of it that this is. */
	readonly modelEdits?: ModelEdits & { readonly hunk: ModelHunk };
}

/** What a model wrote for a scene's document. */
export interface ModelEdits {
	readonly source: SuggestionSource;
	/** What it was asked to rewrite: whole lines, in offsets of the present text. */
	readonly window: { readonly from: number; readonly to: number };
	/** In the order of their places; each is a suggestion of its own. */
	readonly hunks: readonly ModelHunk[];
	/** What only the format of the model's prompts may write, beside what no model may. One that ends in \n is a whole line. */
	readonly specialTokens: readonly string[];
}

/** Some lines that a model would change together. */
export interface ModelHunk {
	/** Those of a change: in order, apart, inside the text. */
	readonly edits: readonly Edit[];
	/** The model had to stop in the middle of it. */
	readonly isCut: boolean;
}
