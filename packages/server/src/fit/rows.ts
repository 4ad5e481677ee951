import { candidatesOf, inputsOf, judge, Memory } from "@segue/predict";
import { Change } from "@segue/text";
import type { Case } from "../eval/cases.js";
import { statesOf } from "../eval/replay.js";

/** A moment of a commit, and all that could be suggested at it. */
export interface Choice {
	readonly repository: string;
	readonly language: string;
	/** There is nothing left to do. */
	readonly isFinal: boolean;
	readonly options: readonly Option[];
}

interface Option {
	/** The names of its inputs. */
	readonly names: readonly string[];
	readonly predictor: string;
	readonly isRight: boolean;
}

/** The moments of a case. What the gate objects to for another reason than its score is never shown and not learned from. */
export function choicesOf(kase: Case): Choice[] {
	const repository = kase.id.replace(/@.*$/, "");
	return statesOf(kase).map(({ scene, label, isFinal }) => {
		const proposed = candidatesOf(scene);
		const options: Option[] = [];
		for (const { candidate, document } of "silence" in proposed ? [] : proposed.candidates) {
			const { proposal, features, predictor } = candidate;
			if (proposal.kind !== "edit") continue;
			const { objection } = judge(candidate, document, scene, Memory.empty);
			if (objection !== undefined && objection !== "below-threshold") continue;
			const after = Change.of(proposal.edits, document.text.length).apply(document.text).toString();
			options.push({ names: inputsOf(features), predictor, isRight: label(document.uri, after) === "exact" });
		}
		return { repository, language: kase.language, isFinal, options };
	});
}
