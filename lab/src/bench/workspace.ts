// Benchmark: suggestions in a folder of 10,000 files, during indexing and afterwards, and the cost of the index

import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { FolderIndex } from "@segue/agent/workspace/folder-index";
import { FolderIndexes, startIndexWorker } from "@segue/agent/workspace/folder-indexes";
import { predict } from "@segue/predict";
import { startBackgroundTimer } from "@segue/text";
import { clearProgress, showProgress } from "../progress-bar.js";
import { type Measurement, report } from "./measurement.js";
import { SCENARIO_KINDS, type Scenario, type ScenarioKind, scenarioOf } from "./predict/scenario.js";
import { TypingUser } from "./predict/typing-user.js";
import { Random, randomProgram } from "./random-code.js";
import { interleave, median, percentile } from "./rounds.js";

const FILES = 10_000;
const FILES_IN_FOLDER = 100;
const LINES = 100;
// Number of files that import the renamed name.
const IMPORTERS = 8;
const OPEN = { documents: 10, lines: 500, ownLines: 500 };
const WARM_UP_ROUNDS = 150;
const ROUNDS = 500;
// Pause between keystrokes. Shorter than a fast typist's, so indexing gets less time than in practice.
const BETWEEN_KEYS_MS = 10;
const STARTS = 3;

const root = await realpath(await mkdtemp(path.join(tmpdir(), "segue-bench-")));
try {
	await writeFiles();
	const measurements = [...(await indexing()), ...(await typingWhileIndexing()), ...(await typingAfterwards())];
	clearProgress();
	report(measurements, process.argv);
} finally {
	await rm(root, { recursive: true });
}

async function writeFiles(): Promise<void> {
	const random = new Random(41);
	for (let i = 0; i < FILES; i++) {
		if (i % 1000 === 0) showProgress(`writing files: ${i}`);
		const folder = path.join(root, "lib", `folder${Math.floor(i / FILES_IN_FOLDER)}`);
		await mkdir(folder, { recursive: true });
		const lines = randomProgram(LINES, random);
		if (i % Math.floor(FILES / IMPORTERS) === 0) {
			lines.unshift('import { weighParcel } from "../../src/own.js";', "weighParcel(scale, 1);");
		}
		await writeFile(path.join(folder, `file${i}.ts`), lines.join("\n"));
	}
}

/** Measures the time to index all files, compared with reading each file once, and the memory used by the index. */
async function indexing(): Promise<Measurement[]> {
	const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".ts"));
	const times = await interleave(
		{
			read: async () => {
				const start = performance.now();
				for (const name of names) await readFile(path.join(root, name), "utf8");
				return performance.now() - start;
			},
			index: async () => {
				const indexes = indexesHere();
				const start = performance.now();
				const files = indexes.acquire([{ uri: pathToFileURL(root).href }]);
				while (!files.state.isComplete) await setTimeout(5);
				indexes.stop();
				return performance.now() - start;
			},
		},
		STARTS,
		(round) => showProgress(`indexing: round ${round + 1} of ${STARTS}`),
	);
	showProgress("indexing: memory");
	collectGarbage();
	const before = memoryUsed();
	const index = new FolderIndex({ folder: root, rest: async () => {}, now: () => 0, report: () => {} });
	await index.refresh();
	collectGarbage();
	const value = (memoryUsed() - before) / FILES;
	const read = { name: "reading each file once", value: median(times.read) };
	return [
		{ figure: "indexing 10,000 files in a thread", value: median(times.index), unit: "ms", against: read },
		{ figure: "memory of the index per file", value, unit: "bytes" },
		{ figure: "memory of the index per file, words only", value: index.wordBytes / FILES, unit: "bytes" },
	];
}

/** Measures keystrokes during indexing, compared with the same keystrokes without a folder. */
async function typingWhileIndexing(): Promise<Measurement[]> {
	const samples = { without: [] as number[], indexing: [] as number[] };
	for (let start = 1; start <= STARTS; start++) {
		showProgress(`typing while indexing: start ${start} of ${STARTS}`);
		const without = new TypingUser(inFolder(scenarioOf("rename", OPEN)), predict);
		for (let i = 0; i < WARM_UP_ROUNDS; i++) await without.typeAndWait();
		const indexes = indexesHere();
		const user = new TypingUser(inFolder(scenarioOf("rename", OPEN)), predict, { uri: rootUri(), folders: indexes });
		const files = indexes.acquire([{ uri: rootUri() }]);
		let count = 0;
		for (; !files.state.isComplete; count++) {
			samples.indexing.push(await user.typeAndWait());
			await setTimeout(BETWEEN_KEYS_MS);
		}
		await user.close();
		indexes.stop();
		for (let i = 0; i < count; i++) {
			samples.without.push(await without.typeAndWait());
			await setTimeout(BETWEEN_KEYS_MS);
		}
	}
	return [50, 95].map((percent): Measurement => {
		const against = { name: "without a folder", value: percentile(samples.without, percent) };
		const figure = `rename while the folder is indexed, p${percent}`;
		const value = percentile(samples.indexing, percent);
		return { figure, value, unit: "ms", against, ...(percent === 95 && { target: { timesAtMost: 1.5 } }) };
	});
}

/** Measures keystrokes after indexing, compared with the same keystrokes without a folder. */
async function typingAfterwards(): Promise<Measurement[]> {
	const indexes = indexesHere();
	const files = indexes.acquire([{ uri: rootUri() }]);
	while (!files.state.isComplete) await setTimeout(5);
	const all: Measurement[] = [];
	for (const kind of SCENARIO_KINDS) all.push(...(await typing(kind, indexes)));
	indexes.stop();
	return all;
}

async function typing(kind: ScenarioKind, folders: FolderIndexes): Promise<Measurement[]> {
	const scenario = inFolder(scenarioOf(kind, OPEN));
	const users = {
		without: new TypingUser(scenario, predict),
		indexed: new TypingUser(scenario, predict, { uri: rootUri(), folders }),
	};
	const turns = { without: () => users.without.typeAndWait(), indexed: () => users.indexed.typeAndWait() };
	await interleave(turns, WARM_UP_ROUNDS, () => showProgress(`${kind}: warming up`));
	const samples = await interleave(turns, ROUNDS, (round) => showProgress(`${kind}: round ${round + 1} of ${ROUNDS}`));
	return [50, 95].map((percent): Measurement => {
		const against = { name: "10 open files only", value: percentile(samples.without, percent) };
		const figure = `${kind}, 10,000 files indexed, p${percent}`;
		const value = percentile(samples.indexed, percent);
		return { figure, value, unit: "ms", against, ...(percent === 95 && { target: { timesAtMost: 1.2 } }) };
	});
}

/** Moves a scenario's documents into the folder. */
function inFolder(scenario: Scenario): Scenario {
	const documents = scenario.documents.map(({ uri, text }) => {
		return { uri: uri.replace("file:///home/someone/shop", rootUri()), text };
	});
	return { ...scenario, documents };
}

function rootUri(): string {
	return pathToFileURL(root).href;
}

function indexesHere(): FolderIndexes {
	const log = (line: string) => {
		throw new Error(line);
	};
	return new FolderIndexes({ start: startIndexWorker, log, after: startBackgroundTimer });
}

function memoryUsed(): number {
	const { heapUsed, arrayBuffers } = process.memoryUsage();
	return heapUsed + arrayBuffers;
}

function collectGarbage(): void {
	if (gc === undefined) throw new Error("run with --expose-gc, as bench.mjs does");
	gc();
}
