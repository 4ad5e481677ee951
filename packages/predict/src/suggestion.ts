import type { Edit } from "@segue/text";

/** What is offered to the user. The edits are those of a change: in order, apart, and inside the text. */
export type Suggestion = Proposal & {
	readonly predictor: Predictor;
	/** The model that wrote it, and its answer, where one did. */
	readonly source?: SuggestionSource;
	/** What it was concluded from, what is trusted most first. */
	readonly rules: readonly string[];
	readonly confidence: number;
	/** For when those before it in the answer were taken. */
	readonly why: string;
	/** Where the cursor belongs after an edit, in the text after it; for other kinds, where it belongs now. */
	readonly cursor: number;
	/** Equal for suggestions that do the same in the same document. */
	readonly key: string;
};

/** A model, as a person chooses it, and the provider's name for its answer, where that has one. */
export interface SuggestionSource {
	readonly model: string;
	readonly answer?: string;
}

/** The rules, in order of trust: of findings that propose the same, the first one's reason is told. */
export const PREDICTORS = ["diagnostic", "rename", "repeat", "template", "sibling", "paste", "calls", "jump"] as const;

export type Predictor = (typeof PREDICTORS)[number] | "model";

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
