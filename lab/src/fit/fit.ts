import os from "node:os";
import { isMainThread } from "node:worker_threads";
import { readCaseLines } from "../eval/cases.js";
import type { CaseChoices } from "../eval/choices.js";
import { runAll } from "../eval/worker-threads.js";
import {
	frontierOf,
	printSection,
	printStatus,
	type RankingMoment,
	reliabilityOf,
	type ScoredMoment,
	summaryOf,
} from "./fit-report.js";
import { chanceOf, regress, type TrainingRow } from "./regression.js";
import { writeWeights } from "./weights-file.js";

// Inputs that occur in fewer candidates do not generalize.
const SEEN_MIN = 20;

// A first fit to a quarter of the candidates identifies the hopeless majority. The final fit excludes them.
const SAMPLED = 4;
const HOPELESS = 0.02;

// The thresholds used by the gate, and some in between.
const THRESHOLDS = [0.3, 0.42, 0.5, 0.55, 0.6, 0.65, 0.72, 0.8];

/** Fits the scorer's weights to the cases in a file, and evaluates them by leaving out one repository at a time. */
async function main(file: string, output: string): Promise<void> {
	const cases = await collect(file);
	const names = namesIn(cases);
	const index = new Map(names.map((name, i) => [name, i]));
	const choices = cases.flatMap((one) => readChoices(one, index));
	const rows = choices.flatMap((choice) => choice.options);
	printStatus(`fitting ${names.length} weights to ${rows.length} candidates`);
	const first = regress(
		rows.filter((_, i) => i % SAMPLED === 0),
		names.length,
	);
	const isLearnt = (row: TrainingRow) => row.isRight || chanceOf(first, row) > HOPELESS;
	const all = regress(rows.filter(isLearnt), names.length, first);
	const written = { path: output, command: "npm run fit", features: "features.ts", constant: "WEIGHTS" };
	printStatus(`wrote ${writeWeights(written, names, all)} weights to ${output}`);

	const repositories = [...new Set(choices.map(({ repository }) => repository))].toSorted();
	const scored: ScoredMoment[] = repositories.flatMap((repository) => {
		printStatus(`fitting without ${repository}`);
		const others = choices.filter((choice) => choice.repository !== repository);
		const weights = regress(
			others.flatMap((choice) => choice.options.filter(isLearnt)),
			names.length,
			all,
		);
		const own = choices.filter((choice) => choice.repository === repository);
		return own.map((choice) => ({ choice, chances: choice.options.map((row) => chanceOf(weights, row)) }));
	});

	const seen = choices.map((choice) => ({ choice, chances: choice.options.map((row) => chanceOf(all, row)) }));
	printSection("Each repository, with weights fitted without it", summaryOf(scored, THRESHOLDS));
	printSection("Each repository, with weights fitted to all", summaryOf(seen, THRESHOLDS));
	printSection("Precision by recall, with weights fitted without the repository", frontierOf(scored));
	printSection("Reliability, with weights fitted without the repository", reliabilityOf(scored));
}

/** Replays all cases, using all cores. */
function collect(file: string): Promise<CaseChoices[]> {
	const lines = readCaseLines(file);
	let done = 0;
	const onDone = () => {
		if (++done % 100 === 0) printStatus(`replayed ${done} of ${lines.length} cases`);
	};
	const threads = os.availableParallelism();
	return runAll({ file, lines, mode: "choices", threads, signal: new AbortController().signal, onDone });
}

function namesIn(cases: readonly CaseChoices[]): string[] {
	const seen = new Map<string, number>();
	for (const { names, moments } of cases) {
		for (const { options } of moments) {
			for (const { inputs } of options) {
				for (const input of inputs) {
					const name = names[input] as string;
					seen.set(name, (seen.get(name) ?? 0) + 1);
				}
			}
		}
	}
	return [...seen].flatMap(([name, count]) => (count >= SEEN_MIN ? [name] : [])).toSorted();
}

function readChoices(
	{ repository, language, names, moments }: CaseChoices,
	index: ReadonlyMap<string, number>,
): RankingMoment[] {
	return moments.map(({ isFinal, options }) => ({
		repository,
		language,
		isFinal,
		options: options.map(({ inputs, predictor, isRight }) => {
			const known = Array.from(inputs).flatMap((input) => index.get(names[input] as string) ?? []);
			return { inputs: Int32Array.from(known).toSorted(), predictor, isRight };
		}),
	}));
}

const [file, output] = process.argv.slice(2);
if (!isMainThread) {
	// Worker threads that replay cases load this file too.
} else if (file === undefined || output === undefined) {
	printStatus("usage: npm run fit -- CASES.jsonl[.br]");
	process.exitCode = 2;
} else await main(file, output);
