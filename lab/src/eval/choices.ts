import type { Outliner } from "@segue/agent/outline/outliner";
import { candidatesOf, inputsOf, judge, Memory } from "@segue/predict";
import { Change } from "@segue/text";
import type { Case } from "./cases.js";
import { statesOf } from "./replay.js";

/** The moments of a commit, and all that could be suggested at each: what a scorer is fitted to. */
export interface CaseChoices {
	readonly repository: string;
	readonly language: string;
	/** The names of all inputs that its options have, each once: to pass them on by number costs a hundredth. */
	readonly names: readonly string[];
	readonly moments: readonly { readonly isFinal: boolean; readonly options: readonly Option[] }[];
}

/** Something that could be suggested. */
export interface Option {
	/** Which of the names its inputs have. */
	readonly inputs: Int32Array;
	readonly predictor: string;
	readonly isRight: boolean;
}

/** The moments of a case. What the gate objects to for another reason than its score is never shown and not learned from. */
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
