import { closeSync, openSync, writeSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isMainThread } from "node:worker_threads";
import { type CaseLine, readCaseLines } from "../eval/cases.js";
import type { CaseChoices, Option } from "../eval/choices.js";
import { runAll } from "../eval/worker-threads.js";
import { type BoostingOptions, boost, correctionOf, packForest, type TreeNode } from "./boosting.js";
import {
	frontierOf,
	precisionsOf,
	printSection,
	printStatus,
	type RankingMoment,
	reliabilityOf,
	type ScoredMoment,
	summaryOf,
} from "./fit-report.js";
import { oddsOf, regress, type TrainingRow } from "./regression.js";
import { roundWeights, writeForest, writeWeights } from "./weights-file.js";

// Inputs and features that occur in fewer candidates do not generalize.
const SEEN_MIN = 20;

// A first fit to a quarter of the candidates identifies the hopeless majority. The final fit excludes them.
const SAMPLED = 4;
const HOPELESS = 0.02;

// The trees correct only candidates from these log-odds on, as in score.ts.
const LIKELY = -4;

const BOOSTING: BoostingOptions = {
	trees: 200,
	depth: 5,
	rate: 0.1,
	ridge: 20,
	leafMin: 10,
	rowShare: 0.7,
	featureShare: 0.3,
	seed: 1,
};

// Evaluation leaves out a quarter of the repositories at a time.
const FOLDS = 4;

// The thresholds used by the gate, and some in between.
const THRESHOLDS = [0.3, 0.42, 0.5, 0.55, 0.6, 0.65, 0.72, 0.8];

/** Fits the scorer's weights and trees to the cases in files, and evaluates them on repositories that they were not fitted to. */
async function main(files: readonly string[], folder: string): Promise<void> {
	const cases: CaseChoices[] = [];
	for (const file of files) cases.push(...(await collect(file)));
	const names = namesIn(cases, ({ names, moments }) =>
		moments.flatMap(({ options }) => options.map((one) => [names, one.inputs])),
	);
	const features = namesIn(cases, ({ featureNames, moments }) =>
		moments.flatMap(({ options }) => options.map((one) => [featureNames, one.features])),
	);
	const choices = cases.flatMap((one) => readChoices(one, indexOf(names), indexOf(features)));
	printStatus(
		`fitting ${names.length} weights to ${choices.reduce((sum, { options }) => sum + options.length, 0)} candidates`,
	);
	const all = fitScorer(choices, names.length, features.length);
	const weightsFile = path.join(folder, "weights.ts");
	const written = { path: weightsFile, command: "npm run fit", features: "features.ts", constant: "WEIGHTS" };
	printStatus(`wrote ${writeWeights(written, names, all.weights)} weights to ${weightsFile}`);
	const treesFile = path.join(folder, "trees.ts");
	printStatus(`wrote ${writeForest(treesFile, packForest(features, all.trees))} nodes to ${treesFile}`);

	const repositories = [...new Set(choices.map(({ repository }) => repository))].toSorted();
	const scored: ScoredMoment[] = [];
	const regressed: ScoredMoment[] = [];
	for (let fold = 0; fold < FOLDS; fold++) {
		printStatus(`evaluating part ${fold + 1} of ${FOLDS}`);
		const isOwn = ({ repository }: Moment) => repositories.indexOf(repository) % FOLDS === fold;
		const scorer = fitScorer(
			choices.filter((choice) => !isOwn(choice)),
			names.length,
			features.length,
			all.weights,
		);
		for (const choice of choices.filter(isOwn)) {
			scored.push({ choice, chances: choice.options.map((row) => chanceOf(scorer, row)) });
			regressed.push({ choice, chances: choice.options.map((row) => chanceOf({ ...scorer, trees: [] }, row)) });
		}
	}
	printSection("Recall by precision, regression alone", precisionsOf(regressed));
	printSection("Recall by precision", precisionsOf(scored));
	printSection("Each repository", summaryOf(scored, THRESHOLDS));
	printSection("Precision by recall", frontierOf(scored));
	printSection("Reliability", reliabilityOf(scored));
}

/** Collects the possible suggestions in all cases of a file. */
function collect(file: string): Promise<CaseChoices[]> {
	return replayAll(file, readCaseLines(file), "choices");
}

// A dump of all cases would not fit into memory.
const DUMPED_AT_ONCE = 400;

/** Writes the candidates of all cases and their texts to a file. */
async function dump(files: readonly string[], target: string): Promise<void> {
	const descriptor = openSync(target, "w");
	for (const file of files) {
		const lines = readCaseLines(file);
		for (let at = 0; at < lines.length; at += DUMPED_AT_ONCE) {
			const results = await replayAll(file, lines.slice(at, at + DUMPED_AT_ONCE), "dump");
			for (const result of results) writeSync(descriptor, result.map((line) => `${line}\n`).join(""));
			printStatus(`wrote ${Math.min(at + DUMPED_AT_ONCE, lines.length)} of ${lines.length} cases of ${file}`);
		}
	}
	closeSync(descriptor);
}

/** Replays cases, using all cores. */
function replayAll<M extends "choices" | "dump">(file: string, lines: readonly CaseLine[], mode: M) {
	let done = 0;
	const onDone = () => {
		if (++done % 100 === 0) printStatus(`replayed ${done} of ${lines.length} cases`);
	};
	const threads = os.availableParallelism();
	return runAll({ file, lines, mode, threads, signal: new AbortController().signal, onDone });
}

/** The names that occur in at least `SEEN_MIN` candidates, sorted. */
function namesIn(
	cases: readonly CaseChoices[],
	indicesIn: (one: CaseChoices) => readonly (readonly [names: readonly string[], indices: Int32Array])[],
): string[] {
	const seen = new Map<string, number>();
	for (const one of cases) {
		for (const [names, indices] of indicesIn(one)) {
			for (const index of indices) {
				const name = names[index] as string;
				seen.set(name, (seen.get(name) ?? 0) + 1);
			}
		}
	}
	return [...seen].flatMap(([name, count]) => (count >= SEEN_MIN ? [name] : [])).toSorted();
}

function indexOf(names: readonly string[]): ReadonlyMap<string, number> {
	return new Map(names.map((name, i) => [name, i]));
}

function readChoices(
	{ repository, language, names, featureNames, moments }: CaseChoices,
	inputIndex: ReadonlyMap<string, number>,
	featureIndex: ReadonlyMap<string, number>,
): Moment[] {
	return moments.map(({ isFinal, options }) => ({
		repository,
		language,
		isFinal,
		options: options.map((option) => {
			const inputs = Array.from(option.inputs).flatMap((input) => inputIndex.get(names[input] as string) ?? []);
			const known = Array.from(option.features).flatMap((feature, i) => {
				const index = featureIndex.get(featureNames[feature] as string);
				return index === undefined ? [] : [[index, option.values[i] as number] as const];
			});
			return {
				...option,
				inputs: Int32Array.from(inputs).toSorted(),
				features: Int32Array.from(known, ([index]) => index),
				values: Float64Array.from(known, ([, value]) => value),
			};
		}),
	}));
}

/** A regression, and trees that correct its odds for likely candidates. */
interface Scorer {
	readonly weights: Float64Array;
	readonly trees: readonly TreeNode[];
}

type Moment = RankingMoment<Option>;

function fitScorer(choices: readonly Moment[], count: number, width: number, start?: Float64Array): Scorer {
	const options = choices.flatMap((choice) => choice.options);
	const first =
		start ??
		regress(
			options.filter((_, i) => i % SAMPLED === 0),
			count,
		);
	const isLearnt = (row: TrainingRow) => row.isRight || oddsOf(first, row) > Math.log(HOPELESS / (1 - HOPELESS));
	const weights = roundWeights(regress(options.filter(isLearnt), count, first));
	// Every state counts about the same, however many candidates it has.
	const rows = choices.flatMap((choice) => {
		const weight = 1 / Math.sqrt(choice.options.length);
		return choice.options.flatMap((option) => {
			const odds = oddsOf(weights, option);
			return isCorrected(option, odds) ? [{ ...option, odds, weight }] : [];
		});
	});
	return { weights, trees: boost({ width, rows }, BOOSTING) };
}

function isCorrected({ isByHand }: Option, odds: number): boolean {
	return odds >= LIKELY && !isByHand;
}

function chanceOf({ weights, trees }: Scorer, option: Option): number {
	const odds = oddsOf(weights, option);
	return 1 / (1 + Math.exp(-odds - (isCorrected(option, odds) ? correctionOf(trees, option) : 0)));
}

const args = process.argv.slice(2);
const folder = args.pop();
if (!isMainThread) {
	// Worker threads that replay cases load this file too.
} else if (args[0] === "--dump" && args.length > 2) await dump(args.slice(2), args[1] as string);
else if (args.length === 0 || folder === undefined || args[0]?.startsWith("-")) {
	printStatus("usage: npm run fit -- [--dump FILE] CASES.jsonl[.br] [MORE-CASES.jsonl[.br] ...]");
	process.exitCode = 2;
} else await main(args, folder);
