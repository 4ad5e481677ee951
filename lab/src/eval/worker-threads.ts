import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import type { Outliner } from "@segue/agent/outline/outliner";
import { type Case, type CaseLine, parseCase } from "./cases.js";
import { type CaseChoices, choicesOf } from "./choices.js";
import { type CompletionResult, completeCase } from "./completion.js";
import { dumpCase } from "./dump.js";
import { type CaseResult, runCase } from "./run.js";

/** The result for a case, by mode. */
interface Results {
	readonly forced: CaseResult;
	readonly interactive: CaseResult;
	readonly completion: CompletionResult;
	readonly choices: CaseChoices;
	/** JSON lines. */
	readonly dump: readonly string[];
}

const RUNS: { readonly [M in keyof Results]: (kase: Case, outliner: Outliner, now: () => number) => Results[M] } = {
	forced: (kase, outliner, now) => runCase(kase, "forced", outliner, now),
	interactive: (kase, outliner, now) => runCase(kase, "interactive", outliner, now),
	completion: (kase, _, now) => completeCase(kase, now),
	choices: choicesOf,
	dump: dumpCase,
};

/** A run over all cases. */
export interface EvalRun<M extends keyof Results> {
	/** The file that contains the cases, for error messages. */
	readonly file: string;
	readonly lines: readonly CaseLine[];
	readonly mode: M;
	readonly threads: number;
	readonly signal: AbortSignal;
	/** Called after each case. */
	readonly onDone: () => void;
}

/**
 * Runs all cases in worker threads and returns the results in order. Runs them in this thread if no worker can be
 * started. Rejects with the signal's reason when aborted.
 */
export async function runAll<M extends keyof Results>(work: EvalRun<M>): Promise<Results[M][]> {
	const count = Math.min(work.threads, work.lines.length);
	const crew = count > 1 ? await startCrew(count, work) : [];
	try {
		return await (crew.length > 0 ? runOn(crew, work) : runHere(work));
	} finally {
		await Promise.all(crew.map((worker) => worker.terminate()));
	}
}

async function runHere<M extends keyof Results>({
	file,
	lines,
	mode,
	signal,
	onDone,
}: EvalRun<M>): Promise<Results[M][]> {
	const results: Results[M][] = [];
	const outliner = await inProcessOutliner();
	for (const line of lines) {
		// Lets the user interrupt the run between cases.
		await new Promise((resolve) => setImmediate(resolve));
		signal.throwIfAborted();
		results.push(runLine(file, line, mode, outliner));
		onDone();
	}
	return results;
}

/**
 * Runs the cases on workers. A worker gets its next case when it has finished the previous one, so a long case does not
 * block others.
 */
function runOn<M extends keyof Results>(
	crew: readonly Worker[],
	{ lines, signal, onDone }: EvalRun<M>,
): Promise<Results[M][]> {
	return new Promise((resolve, reject) => {
		const results: Results[M][] = [];
		let [next, done] = [0, 0];
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		if (signal.aborted) reject(signal.reason);
		for (const worker of crew) {
			let index = -1;
			const runNext = () => {
				index = next++;
				if (index < lines.length) worker.postMessage(lines[index]);
			};
			worker.on("error", reject);
			worker.on("exit", () => reject(new Error("a worker thread exited early")));
			worker.on("message", (result: Results[M]) => {
				results[index] = result;
				onDone();
				if (++done === lines.length) resolve(results);
				else runNext();
			});
			runNext();
		}
	});
}

// Workers load this file too, so it does not matter where a bundler puts it.
const ROLE = "segue eval";

interface Task {
	readonly role: typeof ROLE;
	readonly file: string;
	readonly mode: keyof Results;
}

/** Returns the workers that could be started. */
async function startCrew(count: number, { file, mode }: EvalRun<keyof Results>): Promise<Worker[]> {
	const task: Task = { role: ROLE, file, mode };
	const started = Array.from({ length: count }, async () => {
		const worker = new Worker(new URL(import.meta.url), { workerData: task });
		const ended = once(worker, "exit").then(() => Promise.reject(new Error("the worker thread did not start")));
		await Promise.race([once(worker, "message"), ended]);
		return worker;
	});
	const settled = await Promise.allSettled(started);
	return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

if (!isMainThread && workerData?.role === ROLE) {
	const { file, mode }: Task = workerData;
	const outliner = await inProcessOutliner();
	parentPort?.on("message", (line: CaseLine) => parentPort?.postMessage(runLine(file, line, mode, outliner)));
	parentPort?.postMessage("ready");
}

function runLine<M extends keyof Results>(file: string, line: CaseLine, mode: M, outliner: Outliner): Results[M] {
	return RUNS[mode](parseCase(file, line), outliner, () => performance.now());
}
