import type { Outliner } from "@segue/agent/outline/outliner";
import { candidatesOf, inputsOf, isByHand, judge, Memory } from "@segue/predict";
import { Change } from "@segue/text";
import type { Case } from "./cases.js";
import { statesOf } from "./replay.js";

/** The scorer's training data from a commit: all possible suggestions after each of its steps. */
export interface CaseChoices {
	readonly repository: string;
	readonly language: string;
	/** The names of all inputs and features. Options refer to names by index, which takes up a hundredth of the space. */
	readonly names: readonly string[];
	readonly featureNames: readonly string[];
	readonly moments: readonly { readonly isFinal: boolean; readonly options: readonly Option[] }[];
}

/** A possible suggestion. */
export interface Option {
	/** Indices into `names`. */
	readonly inputs: Int32Array;
	/** Indices into `featureNames`, and the values of these features. All others are 0. */
	readonly features: Int32Array;
	readonly values: Float64Array;
	/** Whether it is scored with weights that are not fitted. */
	readonly isByHand: boolean;
	readonly predictor: string;
	readonly isRight: boolean;
}

/**
 * Collects the possible suggestions after each step of a case. Excludes candidates that the gate rejects for a reason
 * other than their score.
 */
export function choicesOf(kase: Case, outliner: Outliner): CaseChoices {
	const names = new Numbering();
	const featureNames = new Numbering();
	const moments = statesOf(kase, outliner).map(({ scene, label, isFinal }) => {
		const proposed = candidatesOf(scene, undefined, { comparesAll: true });
		const options: Option[] = [];
		for (const { candidate, document } of "silence" in proposed ? [] : proposed.candidates) {
			const { proposal, features, predictor } = candidate;
			if (proposal.kind !== "edit") continue;
			const { objection } = judge(candidate, document, scene, Memory.empty);
			if (objection !== undefined && objection !== "below-threshold") continue;
			const after = Change.of(proposal.edits, document.text.length).apply(document.text).toString();
			const present = [...features].filter(([, value]) => value !== 0);
			options.push({
				inputs: Int32Array.from(inputsOf(features), (name) => names.of(name)),
				features: Int32Array.from(present, ([name]) => featureNames.of(name)),
				values: Float64Array.from(present, ([, value]) => value),
				isByHand: isByHand(features),
				predictor,
				isRight: label(document.uri, after) === "exact",
			});
		}
		return { isFinal, options };
	});
	const repository = kase.id.replace(/@.*$/, "");
	return { repository, language: kase.language, names: names.names, featureNames: featureNames.names, moments };
}

/** Numbers names in the order in which they occur first. */
class Numbering {
	private readonly numbers = new Map<string, number>();

	get names(): string[] {
		return [...this.numbers.keys()];
	}

	of(name: string): number {
		const number = this.numbers.get(name) ?? this.numbers.size;
		this.numbers.set(name, number);
		return number;
	}
}
