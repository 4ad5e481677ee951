import type { Edit } from "@segue/text";

/** What a predictor proposes. The gate decides whether it is shown. */
export interface Candidate {
	readonly proposal: Proposal;
	readonly predictor: Predictor;
	/** What was concluded from the history. Equal for all places of one rule, and in all requests. */
	readonly rule: string;
	/** The chance that the user wants it, from 0 to 1. */
	readonly confidence: number;
	/** A sentence for the user: "`cnt` became `count`; 2 places left". */
	readonly why: string;
	/** What the confidence was computed from. */
	readonly features: Features;
}

export type Predictor = "rename" | "repeat";

/** What is to be done. All offsets are of the present text of the document that `uri` names. */
export type Proposal =
	| { readonly kind: "edit"; readonly uri: string; readonly edits: readonly Edit[] }
	| { readonly kind: "jump"; readonly uri: string; readonly at: number }
	| {
			readonly kind: "rename";
			readonly uri: string;
			/** A place that still has the old name. */
			readonly at: number;
			readonly oldName: string;
			readonly newName: string;
	  }
	| {
			readonly kind: "searchAndReplace";
			readonly uri: string;
			readonly search: string;
			readonly replace: string;
			readonly isRegex: boolean;
	  };

/** What a scorer may weigh. A yes is 1. */
export interface Features {
	/** How often the user has made the change. */
	readonly support: number;
	/** How many places are left. */
	readonly left: number;
	/** How many places the user went past without changing them. */
	readonly skipped: number;
	/** How many lines the user has changed since. */
	readonly age: number;
	/** How many of the rule's places are nearer. */
	readonly rank: number;
	readonly isElsewhere: 0 | 1;
	readonly isDeclaration: 0 | 1;
	readonly isWholeLine: 0 | 1;
	/** The share of the line's words that the change keeps. */
	readonly kept: number;
	/** No word is taken away. */
	readonly isInsertion: 0 | 1;
	readonly isShort: 0 | 1;
}
