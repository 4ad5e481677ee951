import { completionInputsOf, completionsOf } from "@segue/predict";
import { type Case, parseCase, readCaseLines } from "../eval/cases.js";
import { typingStopsOf } from "../eval/typing-stops.js";
import { frontierOf, printSection, printStatus, type RankingMoment, reliabilityOf, summaryOf } from "./fit-report.js";
import { chanceOf, regress, type TrainingRow } from "./regression.js";
import { writeWeights } from "./weights-file.js";

// The thresholds used by `complete`, and some in between.
const THRESHOLDS = [0.32, 0.4, 0.45, 0.5, 0.55, 0.65, 0.8];

/** A stop on a line, with its possible completions. */
interface Offered {
	readonly choice: RankingMoment;
	/** One row per option. */
	readonly rows: readonly TrainingRow[];
}

/** Fits the completion weights to the cases in a file, and evaluates them by leaving out one repository at a time. */
function main(file: string, output: string): void {
	const indices = new Map<string, number>();
	const lines = readCaseLines(file);
	const offered = lines.flatMap((line, i) => {
		if (i % 100 === 0) printStatus(`replaying case ${i + 1} of ${lines.length}`);
		return offeredIn(parseCase(file, line), indices);
	});
	const rows = offered.flatMap((one) => one.rows);
	printStatus(`fitting ${indices.size} weights to ${rows.length} completions`);
	const all = regress(rows, indices.size);
	const written = {
		path: output,
		command: "npm run fit -- completion",
		features: "completion-features.ts",
		constant: "COMPLETION_WEIGHTS",
	};
	printStatus(`wrote ${writeWeights(written, [...indices.keys()], all)} weights to ${output}`);

	const repositories = [...new Set(offered.map(({ choice }) => choice.repository))].toSorted();
	const scored = repositories.flatMap((repository) => {
		printStatus(`fitting without ${repository}`);
		const isOther = ({ choice }: Offered) => choice.repository !== repository;
		const others = offered.filter(isOther).flatMap((one) => one.rows);
		const weights = regress(others, indices.size, all);
		const own = offered.filter((one) => !isOther(one));
		return own.map(({ choice, rows }) => ({ choice, chances: rows.map((row) => chanceOf(weights, row)) }));
	});
	printSection("Each repository, with weights fitted without it", summaryOf(scored, THRESHOLDS));
	printSection("Precision by recall, with weights fitted without the repository", frontierOf(scored));
	printSection("Reliability, with weights fitted without the repository", reliabilityOf(scored));
}

/**
 * Adds new input names to `indices`. Rows store indices instead of names, because there are far more completions than
 * names.
 */
function offeredIn(kase: Case, indices: Map<string, number>): Offered[] {
	const repository = kase.id.replace(/@.*$/, "");
	const indexOf = (name: string) => {
		const index = indices.get(name) ?? indices.size;
		indices.set(name, index);
		return index;
	};
	return Array.from(typingStopsOf(kase), ({ scene, rest }) => {
		const found = completionsOf(scene);
		const candidates = "silence" in found ? [] : found.candidates;
		const rows = candidates.map(({ insert, features }) => ({
			inputs: Int32Array.from(completionInputsOf(features), indexOf).toSorted(),
			isRight: insert === rest,
		}));
		const options = rows.map((row) => ({ ...row, predictor: "completion" }));
		return { choice: { repository, language: kase.language, isFinal: false, options }, rows };
	});
}

const [file, output] = process.argv.slice(2);
if (file === undefined || output === undefined) {
	printStatus("usage: npm run fit -- completion CASES.jsonl[.br]");
	process.exitCode = 2;
} else main(file, output);
