// Benchmark: the latency that `segue inspect` adds between an editor and an agent, and whether it loses messages

import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { clearProgress, showProgress } from "../progress-bar.js";
import { type Measurement, report } from "./measurement.js";
import { AcpTyping } from "./nes/acp-typing.js";
import { LineProcess } from "./nes/line-process.js";
import { SEGUE, write } from "./nes/next-edit-client.js";
import { openDocuments } from "./nes/project.js";
import { interleave, percentile } from "./rounds.js";

const folder = mkdtempSync(join(tmpdir(), "segue-bench-inspect-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));
const trace = join(folder, "trace.jsonl");

const measurements = [...(await passing()), await losing()];
clearProgress();
report(measurements, process.argv);

/**
 * Measures the time from sending a keystroke's didChange and suggest until the suggestions arrive. Starts both
 * processes several times, because timings differ between starts.
 */
async function passing(): Promise<Measurement[]> {
	const starts = 3;
	const warmUpRounds = 300;
	const rounds = 700;
	const documents = openDocuments();
	const times = { inspected: [] as number[], bare: [] as number[] };
	for (let start = 1; start <= starts; start++) {
		const where = `latency: start ${start} of ${starts}`;
		const inspected = await AcpTyping.start(documents, inspect(process.execPath, SEGUE, "acp"));
		const bare = await AcpTyping.start(documents);
		const turns = { inspected: () => inspected.agentTime(), bare: () => bare.agentTime() };
		const next = (phase: string) => {
			showProgress(`${where}: ${phase}`);
			inspected.next();
			bare.next();
		};
		await interleave(turns, warmUpRounds, () => next("warming up"));
		const samples = await interleave(turns, rounds, (round) => next(`round ${round + 1} of ${rounds}`));
		times.inspected.push(...samples.inspected);
		times.bare.push(...samples.bare);
		await Promise.all([inspected.stop(), bare.stop()]);
	}
	const figureOf = (percent: number): Measurement => ({
		figure: `didChange + suggest through segue inspect, 5,000 lines, 50 documents, p${percent}`,
		value: percentile(times.inspected, percent),
		unit: "ms",
		against: { name: "bare segue acp", value: percentile(times.bare, percent) },
	});
	return [{ ...figureOf(50), target: { timesAtMost: 1.1 } }, figureOf(95), figureOf(99)];
}

/** Counts the messages that are missing from the trace when messages are echoed at a high rate. */
async function losing(): Promise<Measurement> {
	const perSecond = 10_000;
	const seconds = 5;
	const messages = perSecond * seconds;
	const echo = inspect(process.execPath, fileURLToPath(new URL("./nes/echo.mjs", import.meta.url)));
	await echo.exchange(write({ id: 0, method: "ready" }), 1);
	const echoed = echo.lineCount(messages);
	const start = performance.now();
	for (let sent = 0; sent < messages; ) {
		showProgress(`loss: ${sent} of ${messages} messages sent`);
		// Send all messages that are due, even if the timer fired late.
		const due = Math.min(messages, Math.ceil(((performance.now() - start) / 1000) * perSecond));
		const batch: string[] = [];
		for (; sent < due; sent++) batch.push(write({ id: sent, method: "document/didChange", params: { version: sent } }));
		echo.send(batch.join(""));
		await setTimeout(1);
	}
	await echoed;
	const took = (performance.now() - start) / 1000;
	if (took > 1.1 * seconds) throw new Error(`${messages} messages took ${took} s instead of ${seconds} s`);
	await echo.stop();
	let written = 0;
	for await (const line of createInterface(createReadStream(trace))) if (line.includes('"message":')) written++;
	return {
		figure: `lost of ${(2 * messages).toLocaleString("en-US")} messages, ${perSecond.toLocaleString("en-US")} per second in each direction`,
		// The first message in each direction is included in the count.
		value: 2 * (messages + 1) - written,
		unit: "messages",
		target: { valueBelow: 1 },
	};
}

function inspect(...agent: string[]): LineProcess {
	return new LineProcess([SEGUE, "inspect", "--trace", trace, "--no-page", "--", ...agent]);
}
