// Benchmark: the built `segue acp`: suggestions after a keystroke, start time, and the memory of idle sessions

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { Random, randomCode } from "../random-code.js";
import { interleave, median, percentile } from "../rounds.js";
import { AcpTyping } from "./acp-typing.js";
import { LineProcess } from "./line-process.js";
import { INITIALIZE, NextEditClient, resultOf, SEGUE } from "./next-edit-client.js";
import { openDocuments } from "./project.js";

const KB = 1000;
const MB = 1000 * KB;

const measurements = [...(await suggesting()), await starting(), await idling()];
clearProgress();
report(measurements, process.argv);

/**
 * Measures the time from sending a keystroke's didChange and suggest until the suggestions arrive, compared with an
 * echo of the same bytes. Starts both processes several times, because timings differ between starts.
 */
async function suggesting(): Promise<Measurement[]> {
	const starts = 3;
	const warmUpRounds = 300;
	const rounds = 700;
	const documents = openDocuments();
	const times = { agent: [] as number[], echo: [] as number[] };
	let suggested = 0;
	for (let start = 1; start <= starts; start++) {
		const where = `suggesting: start ${start} of ${starts}`;
		const typing = await AcpTyping.start(documents);
		const echo = new LineProcess([fileOf("echo.mjs")]);
		const turns = {
			agent: () => typing.agentTime(),
			// The bytes that the agent gets in this round.
			echo: async () => (await echo.exchange(typing.bytes, 2)).timeMs,
		};
		await interleave(turns, warmUpRounds, () => {
			showProgress(`${where}: warming up`);
			typing.next();
		});
		typing.suggested = 0;
		const samples = await interleave(turns, rounds, (round) => {
			showProgress(`${where}: round ${round + 1} of ${rounds}`);
			typing.next();
		});
		times.agent.push(...samples.agent);
		times.echo.push(...samples.echo);
		suggested += typing.suggested;
		await Promise.all([typing.stop(), echo.stop()]);
	}
	const answers = starts * rounds;
	if (suggested < 0.9 * answers) throw new Error(`only ${suggested} of ${answers} responses had a suggestion`);
	const what = "didChange + suggest, 5,000 lines, 50 documents";
	const share = `${suggested.toLocaleString("en-US")} of ${answers.toLocaleString("en-US")} with a suggestion`;
	const figureOf = (percent: number): Measurement => {
		const against = { name: "echo of the bytes", value: percentile(times.echo, percent) };
		return { figure: `${what}, p${percent} (${share})`, value: percentile(times.agent, percent), unit: "ms", against };
	};
	return [{ ...figureOf(50), target: { timesAtMost: 3 } }, figureOf(95), figureOf(99)];
}

/**
 * Measures the time from the start of the process to its `initialize` response, compared with starting and exiting
 * Node.
 */
async function starting(): Promise<Measurement> {
	const rounds = 25;
	const times = await interleave({ segue: initializeTime, node: nodeTime }, rounds, (round) =>
		showProgress(`starting: round ${round + 1} of ${rounds}`),
	);
	const against = { name: "node -e 0", value: median(times.node) };
	return {
		figure: "start to the initialize answer",
		value: median(times.segue),
		unit: "ms",
		against,
		target: { timesAtMost: 2.5 },
	};
}

async function initializeTime(): Promise<number> {
	const start = performance.now();
	const agent = new LineProcess([SEGUE, "acp"]);
	const { lines } = await agent.exchange(INITIALIZE, 1);
	const time = performance.now() - start;
	resultOf(lines[0]);
	await agent.stop();
	return time;
}

async function nodeTime(): Promise<number> {
	const start = performance.now();
	await once(spawn(process.execPath, ["-e", "0"], { stdio: ["pipe", "pipe", "inherit"] }), "exit");
	return performance.now() - start;
}

/** Measures how much heap 1,000 sessions with one document each add, compared with the size of the documents. */
async function idling(): Promise<Measurement> {
	const sessions = 1000;
	// The first sessions also allocate compiled code, which stays in memory.
	const warmUpSessions = 50;
	const size = 10 * KB;
	const random = new Random(12);
	const agent = new LineProcess(["--expose-gc", "--import", fileOf("heap.mjs"), SEGUE, "acp"], "ipc");
	const editor = await NextEditClient.start(agent);
	const open = async (count: number) => {
		for (let i = 1; i <= count; i++) {
			showProgress(`idling: session ${i} of ${count}`);
			await editor.open([{ uri: "file:///home/someone/shop/src/orders.ts", text: randomCode(size, random) }]);
		}
		// The response to this request means that all earlier messages have been handled.
		await editor.close(await editor.open([]));
		return agent.heapUsed();
	};
	const before = await open(warmUpSessions);
	const after = await open(sessions);
	await agent.stop();
	return {
		figure: "heap of 1,000 idle sessions, each with a 10 KB document",
		value: (after - before) / MB,
		unit: "MB",
		against: { name: "the text", value: (sessions * size) / MB },
		target: { timesAtMost: 3 },
	};
}

function fileOf(name: string): string {
	return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
