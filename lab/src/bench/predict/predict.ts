// Benchmark: the embedded engine: suggestions by the size of the open documents, bursts of changes, and memory

import { spawnSync } from "node:child_process";
import { predict } from "@segue/predict";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { SEGUE } from "../nes/next-edit-client.js";
import { interleave, median, percentile } from "../rounds.js";
import { SCENARIO_KINDS, type ScenarioKind, scenarioOf } from "./scenario.js";
import { TypingUser } from "./typing-user.js";

const MB = 1_000_000;
const LINES = 500;
const DOCUMENTS = [10, 100, 1000] as const;
const LENGTHS = [100, 1000, 10_000, 50_000] as const;
const WARM_UP_ROUNDS = 150;
const ROUNDS = 500;

// The time taken by the engine's prototype, which was written in another language.
const PROTOTYPE_P95_MS = 36;

const measurements = [
	...(await growingWorkspace()),
	...(await growingFile()),
	...(await bursting()),
	remembering(),
	...replaying(),
];
clearProgress();
report(measurements, process.argv);

/** Measures the same edits in ever larger workspaces. The number of affected locations stays constant. */
async function growingWorkspace(): Promise<Measurement[]> {
	const all: Measurement[] = [];
	for (const kind of SCENARIO_KINDS) {
		const sizes = DOCUMENTS.map((documents) => ({ documents, lines: LINES, ownLines: LINES }));
		const names = DOCUMENTS.map((documents) => `${documents.toLocaleString("en-US")} documents of ${LINES} lines`);
		all.push(...(await growing(kind, sizes, names)));
	}
	return all;
}

/** Measures the same edits in ever longer files, with nine other open documents. */
async function growingFile(): Promise<Measurement[]> {
	const all: Measurement[] = [];
	for (const kind of SCENARIO_KINDS) {
		const sizes = LENGTHS.map((ownLines) => ({ documents: 10, lines: LINES, ownLines }));
		const names = LENGTHS.map((lines) => `a file of ${lines.toLocaleString("en-US")} lines`);
		all.push(...(await growing(kind, sizes, names)));
	}
	return all;
}

/** Measures a keystroke and its suggestions at each size, compared with the smallest size. */
async function growing(
	kind: ScenarioKind,
	sizes: readonly { documents: number; lines: number; ownLines: number }[],
	names: readonly string[],
): Promise<Measurement[]> {
	showProgress(`${kind}: opening`);
	const users = sizes.map((size) => new TypingUser(scenarioOf(kind, size), predict));
	const turns = Object.fromEntries(users.map((user, i) => [`${i}`, () => user.type()]));
	await interleave(turns, WARM_UP_ROUNDS, () => showProgress(`${kind}: warming up`));
	for (const user of users) user.suggested = 0;
	const samples = await interleave(turns, ROUNDS, (round) => showProgress(`${kind}: round ${round + 1} of ${ROUNDS}`));
	for (const [i, { suggested }] of users.entries()) {
		const isRight = kind === "nothing" ? suggested === 0 : suggested > 0;
		if (!isRight) throw new Error(`${kind}, ${names[i]}: ${suggested} of ${ROUNDS} responses had a suggestion`);
	}
	const [smallest = ""] = names;
	return [50, 95, 99].flatMap((percent) => {
		const values = users.map((_, i) => percentile(samples[`${i}`] ?? [], percent));
		const against = { name: smallest, value: values[0] ?? 0 };
		return names.map((name, i): Measurement => {
			const figure = `${kind}, ${name}, p${percent}`;
			const value = values[i] ?? 0;
			if (i === 0) return { figure, value, unit: "ms" };
			return { figure, value, unit: "ms", against, target: { timesAtMost: 2 } };
		});
	});
}

/**
 * Measures applying many changes throughout a file at once, and the request after them, compared with single changes
 * that are each followed by a request.
 */
async function bursting(): Promise<Measurement[]> {
	const rounds = 5;
	const counts = { calm: 50, cursors: 1000, burst: 10_000 };
	const size = { documents: 10, lines: LINES, ownLines: 5000 };
	const changes = Array.from({ length: counts.burst }, (_, i) => {
		const at = { line: (7 * i) % size.ownLines, character: 0 };
		return { range: { start: at, end: at }, text: "x" };
	});
	const requests = { calm: [] as number[], cursors: [] as number[], burst: [] as number[] };
	const start = () => {
		const user = new TypingUser(scenarioOf("rename", size), predict);
		user.askTime();
		return user;
	};
	const turns = {
		calm: () => {
			const user = start();
			const times = changes.slice(0, counts.calm).map((change) => {
				const time = user.changeTime([change], "one");
				requests.calm.push(user.askTime());
				return time;
			});
			return median(times);
		},
		cursors: () => {
			const user = start();
			const time = user.changeTime(changes.slice(0, counts.cursors), "one");
			requests.cursors.push(user.askTime());
			return time / counts.cursors;
		},
		burst: () => {
			const user = start();
			const time = user.changeTime(changes, "many");
			requests.burst.push(user.askTime());
			return time / counts.burst;
		},
	};
	await interleave(turns, 1, () => showProgress("bursts: warming up"));
	for (const times of Object.values(requests)) times.length = 0;
	const times = await interleave(turns, rounds, (round) => showProgress(`bursts: round ${round + 1} of ${rounds}`));
	const change = { name: "one by one", value: 1000 * median(times.calm) };
	const request = { name: "after one change", value: median(requests.calm) };
	const target = { timesAtMost: 1 };
	return [
		{
			figure: "one of 10,000 changes in a burst",
			value: 1000 * median(times.burst),
			unit: "µs",
			against: change,
			target,
		},
		{
			figure: "one of 1,000 changes with multiple cursors",
			value: 1000 * median(times.cursors),
			unit: "µs",
			against: change,
			target,
		},
		{ figure: "request after the burst", value: median(requests.burst), unit: "ms", against: request },
		{
			figure: "request after the changes with multiple cursors",
			value: median(requests.cursors),
			unit: "ms",
			against: request,
		},
	];
}

/** Measures the heap of a workspace, including the caches after a few requests. */
function remembering(): Measurement {
	showProgress("memory: 1,000 documents");
	const scenario = scenarioOf("rename", { documents: 1000, lines: LINES, ownLines: LINES });
	const length = scenario.documents.reduce((sum, { text }) => sum + text.length, 0);
	collectGarbage();
	const before = process.memoryUsage().heapUsed;
	const user = new TypingUser(scenario, predict);
	for (let i = 0; i < 50; i++) user.type();
	collectGarbage();
	const value = (process.memoryUsage().heapUsed - before) / MB;
	user.type();
	const against = { name: "the text", value: length / MB };
	return { figure: "heap of 1,000 documents", value, unit: "MB", against, target: { timesAtMost: 3 } };
}

/** With `--cases=FILE`, measures predictions while replaying real commits. */
function replaying(): Measurement[] {
	const cases = process.argv.find((arg) => arg.startsWith("--cases="))?.slice("--cases=".length);
	if (cases === undefined) return [];
	showProgress("replaying commits");
	const { stdout, status } = spawnSync(process.execPath, [SEGUE, "eval", cases, "--json"], {
		encoding: "utf8",
		maxBuffer: 1000 * MB,
		stdio: ["ignore", "pipe", "inherit"],
	});
	if (status !== 0) throw new Error("segue eval failed");
	const { p50Ms, p95Ms, p99Ms } = JSON.parse(stdout).overall as Record<"p50Ms" | "p95Ms" | "p99Ms", number>;
	return [
		{ figure: "replayed commits, p50", value: p50Ms, unit: "ms" },
		{
			figure: "replayed commits, p95",
			value: p95Ms,
			unit: "ms",
			against: { name: "the prototype", value: PROTOTYPE_P95_MS },
			target: { timesAtMost: 0.33 },
		},
		{ figure: "replayed commits, p99", value: p99Ms, unit: "ms" },
	];
}

/** Collects garbage left by earlier measurements. */
function collectGarbage(): void {
	if (gc === undefined) throw new Error("run with --expose-gc, as bench.mjs does");
	gc();
}
