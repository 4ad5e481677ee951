import { availableParallelism } from "node:os";
import { ProgressBar, type ProgressOutput } from "../progress-bar.js";
import { CasesError, parseCase, readCaseLines } from "./cases.js";
import { compare, readOldRun } from "./compare.js";
import { completionReportOf, printCompletionReport } from "./completion.js";
import { reportOf } from "./figures.js";
import type { ReplayMode } from "./replay.js";
import { printComparison, printReport } from "./tables.js";
import { runAll } from "./worker-threads.js";

export interface EvalOptions {
	readonly mode: ReplayMode | "completion";
	readonly json?: boolean;
	/** Maximum number of cases. */
	readonly limit?: number;
	/** The file with the JSON output of an earlier run. */
	readonly diff?: string;
}

/** The parts of the process that the evaluation uses. */
export interface EvalEnvironment {
	readonly stdout: { write(text: string): unknown };
	/** Receives the progress. */
	readonly stderr: ProgressOutput;
	/** Shows an error to the user. */
	readonly report: (message: string) => void;
	readonly threads: number;
	readonly signal: AbortSignal;
	readonly now: () => number;
}

// The exit code for an interrupted program, by shell convention.
const INTERRUPTED = 130;

/** Runs `segue eval`: replays cases on the embedded engine and prints quality figures. */
export async function runEval(file: string, options: EvalOptions, report: EvalEnvironment["report"]): Promise<void> {
	const stop = new AbortController();
	const interrupt = () => stop.abort();
	process.once("SIGINT", interrupt);
	process.exitCode = await evaluate(file, options, {
		stdout: process.stdout,
		stderr: process.stderr,
		report,
		threads: availableParallelism(),
		signal: stop.signal,
		now: () => performance.now(),
	});
	process.removeListener("SIGINT", interrupt);
}

/** Returns the exit code. */
export async function evaluate(file: string, options: EvalOptions, environment: EvalEnvironment): Promise<number> {
	const { stdout, report, signal } = environment;
	try {
		stdout.write(await answer(file, options, environment));
		return 0;
	} catch (error) {
		if (signal.aborted) {
			report("Stopped.");
			return INTERRUPTED;
		}
		if (!(error instanceof CasesError)) throw error;
		report(error.message);
		return 1;
	}
}

async function answer(file: string, options: EvalOptions, environment: EvalEnvironment): Promise<string> {
	const { mode, json = false, limit, diff } = options;
	const { stderr, threads, signal, now } = environment;
	if (mode === "completion" && diff !== undefined)
		throw new CasesError("--diff cannot be combined with --mode completion. Omit one of them.");
	const old = diff === undefined || mode === "completion" ? undefined : readOldRun(diff, mode);
	const lines = readCaseLines(file).slice(0, limit);
	// Report all unreadable cases before running any.
	for (const line of lines) parseCase(file, line);

	const bar = new ProgressBar(stderr, lines.length, now);
	const work = { file, lines, threads, signal, onDone: () => bar.advance() };
	if (mode === "completion") {
		const results = await runAll({ ...work, mode }).finally(() => bar.end());
		const report = completionReportOf(results);
		return json ? `${JSON.stringify({ mode, ...report, results })}\n` : printCompletionReport(report);
	}
	const results = await runAll({ ...work, mode }).finally(() => bar.end());
	const report = reportOf(results, mode);
	const comparison = old && compare(old, results, report);
	if (json) return `${JSON.stringify({ ...report, comparison, results })}\n`;
	return printReport(report) + (comparison ? `\n${printComparison(comparison)}` : "");
}
