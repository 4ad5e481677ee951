import type { Outliner } from "@segue/agent/outline/outliner";
import { candidatesOf, inputsOf, judge, Memory } from "@segue/predict";
import { Change } from "@segue/text";
import type { Case } from "./cases.js";
import { statesOf } from "./replay.js";

/** The scorer's training data from a commit: all possible suggestions after each of its steps. */
export interface CaseChoices {
	readonly repository: string;
	readonly language: string;
	/** The names of all inputs. Options refer to names by index, which takes up a hundredth of the space. */
	readonly names: readonly string[];
	readonly moments: readonly { readonly isFinal: boolean; readonly options: readonly Option[] }[];
}

/** A possible suggestion. */
export interface Option {
	/** Indices into `names`. */
	readonly inputs: Int32Array;
	readonly predictor: string;
	readonly isRight: boolean;
}

/**
 * Collects the possible suggestions after each step of a case. Excludes candidates that the gate rejects for a reason
 * other than their score.
 */
export function choicesOf(kase: Case, outliner: Outliner): CaseChoices {
	const numbers = new Map<string, number>();
	const numberOf = (name: string) => {
		const number = numbers.get(name) ?? numbers.size;
		numbers.set(name, number);
		return number;
	};
	const moments = statesOf(kase, outliner).map(({ scene, label, isFinal }) => {
		const proposed = candidatesOf(scene);
		const options: Option[] = [];
		for (const { candidate, document } of "silence" in proposed ? [] : proposed.candidates) {
			const { proposal, features, predictor } = candidate;
			if (proposal.kind !== "edit") continue;
			const { objection } = judge(candidate, document, scene, Memory.empty);
			if (objection !== undefined && objection !== "below-threshold") continue;
			const after = Change.of(proposal.edits, document.text.length).apply(document.text).toString();
			const inputs = Int32Array.from(inputsOf(features), numberOf);
			options.push({ inputs, predictor, isRight: label(document.uri, after) === "exact" });
		}
		return { isFinal, options };
	});
	const repository = kase.id.replace(/@.*$/, "");
	return { repository, language: kase.language, names: [...numbers.keys()], moments };
}
