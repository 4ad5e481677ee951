import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import type { Outliner } from "@segue/agent/outline/outliner";
import { type Case, type CaseLine, parseCase } from "./cases.js";
import { type CaseChoices, choicesOf } from "./choices.js";
import { type CompletionResult, completeCase } from "./completion.js";
import { type CaseResult, runCase } from "./run.js";

/** What comes out of a case, by the mode it is run in. */
interface Results {
	readonly forced: CaseResult;
	readonly interactive: CaseResult;
	readonly completion: CompletionResult;
	readonly choices: CaseChoices;
}

const RUNS: { readonly [M in keyof Results]: (kase: Case, outliner: Outliner, now: () => number) => Results[M] } = {
	forced: (kase, outliner, now) => runCase(kase, "forced", outliner, now),
	interactive: (kase, outliner, now) => runCase(kase, "interactive", outliner, now),
	completion: (kase, _, now) => completeCase(kase, now),
	choices: choicesOf,
};

/** What to do with all cases. */
export interface EvalRun<M extends keyof Results> {
	/** For what is said of a case. */
	readonly file: string;
	readonly lines: readonly CaseLine[];
	readonly mode: M;
	readonly threads: number;
	readonly signal: AbortSignal;
	/** Called after each case. */
	readonly onDone: () => void;
}

/**
 * Runs all cases, several at a time, and gives the results in the order of the cases. Where no thread can be started, one
 * case after the other is run here. Rejects with the signal's reason when it is aborted.
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
		// Between two cases, the user may stop it.
		await new Promise((resolve) => setImmediate(resolve));
		signal.throwIfAborted();
		results.push(runLine(file, line, mode, outliner));
		onDone();
	}
	return results;
}

/** Each thread gets another case when it is done with one, so that long ones do not keep the rest waiting. */
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
			const goOn = () => {
				index = next++;
				if (index < lines.length) worker.postMessage(lines[index]);
			};
			worker.on("error", reject);
			worker.on("exit", () => reject(new Error("a thread ended before its work was done")));
			worker.on("message", (result: Results[M]) => {
				results[index] = result;
				onDone();
				if (++done === lines.length) resolve(results);
				else goOn();
			});
			goOn();
		}
	});
}

// A thread is this very file, loaded once more: it is found wherever a bundler puts it.
const ROLE = "segue eval";

interface Task {
	readonly role: typeof ROLE;
	readonly file: string;
	readonly mode: keyof Results;
}

/** Those threads that could be started. */
async function startCrew(count: number, { file, mode }: EvalRun<keyof Results>): Promise<Worker[]> {
	const task: Task = { role: ROLE, file, mode };
	const started = Array.from({ length: count }, async () => {
		const worker = new Worker(new URL(import.meta.url), { workerData: task });
		const ended = once(worker, "exit").then(() => Promise.reject(new Error("the thread ended at once")));
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
