import type { Edit } from "@segue/text";

/** A suggestion for the user. Edits are sorted, don't overlap and lie inside the text. */
export type Suggestion = Proposal & {
	readonly predictor: Predictor;
	/** Set if a model wrote the suggestion. */
	readonly source?: SuggestionSource;
	/** The rules that produced it, most trusted first. */
	readonly rules: readonly string[];
	readonly confidence: number;
	/** The reason, worded as if the earlier suggestions had been accepted. */
	readonly why: string;
	/** The new cursor: for an edit, an offset in the text after it; for other kinds, in the current text. */
	readonly cursor: number;
	/** Identical for suggestions with the same effect in the same document. */
	readonly key: string;
};

/** The model's configured name, and the provider's id for the answer if it has one. */
export interface SuggestionSource {
	readonly model: string;
	readonly answer?: string;
}

/** The rules, most trusted first. Identical findings are shown with the most trusted rule's reason. */
export const PREDICTORS = ["diagnostic", "rename", "repeat", "template", "sibling", "paste", "calls", "jump"] as const;

export type Predictor = (typeof PREDICTORS)[number] | "model";

/** A proposed action. All offsets are in the current text of the document at `uri`. */
export type Proposal =
	| { readonly kind: "edit"; readonly uri: string; readonly edits: readonly Edit[] }
	| { readonly kind: "jump"; readonly uri: string; readonly at: number }
	| {
			readonly kind: "rename";
			readonly uri: string;
			/** An occurrence of the old name. */
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
