// Benchmark: the built `segue serve --completions`: response time compared with an HTTP echo, and start time; --cases=FILE replays commits

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { completionPromptOf, readPromptInput } from "@segue/testing/models/prompt-input";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { interleave, median, percentile } from "../rounds.js";
import { CompletionServer } from "./completion-server.js";
import { replayPrompts } from "./prompt-replay.js";

const folder = mkdtempSync(join(tmpdir(), "segue-bench-completions-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const SEGUE = fileOf("../../../../packages/cli/bin/segue.js");
const SERVE = [SEGUE, "serve", "--completions", "--port", "0"];
const cases = process.argv.find((arg) => arg.startsWith("--cases="))?.slice("--cases=".length);
const measurements = cases === undefined ? [...(await answering()), await starting()] : await replaying(cases);
clearProgress();
report(measurements, process.argv);

/** Measures the time from sending a prompt to the complete answer, over one connection. */
async function answering(): Promise<Measurement[]> {
	const warmUpRounds = 300;
	const rounds = 1000;
	const lines = Array.from(
		{ length: 60 },
		(_, i) => `⇥if (items[${i}] === undefined) throw new RangeError("no item ${i}");`,
	);
	const drawn = [
		...["export function sum(items: Item[]) {", ...lines.slice(0, 30), "⇥let ‹cnt→count▮› = 0;"],
		...[
			"⇥for (const item of items) cnt += item.size;",
			...lines.slice(30, 33),
			"⇥log(cnt);",
			...lines.slice(33),
			"}",
			"",
		],
	];
	const segue = await CompletionServer.start(SERVE, folder);
	const echo = await CompletionServer.start([fileOf("./echo.mjs")], folder);
	const measured: Measurement[] = [];
	for (const format of ["zeta-2.1", "zeta-1", "sweep"]) {
		const prompt = completionPromptOf(format, readPromptInput(drawn.join("\n"), { path: `shop/${format}.ts` }));
		if (prompt === undefined) throw new Error(`${format} did not produce a prompt`);
		const body = JSON.stringify({ model: "m", prompt, max_tokens: 512, temperature: 0 });
		const turns = {
			segue: () => segue.ask("/v1/completions", body),
			echo: () => echo.ask("/v1/completions", body),
		};
		await interleave(turns, warmUpRounds, () => showProgress(`${format}: warming up`));
		const samples = await interleave(turns, rounds, (round) =>
			showProgress(`${format}: round ${round + 1} of ${rounds}`),
		);
		// Each answer must complete the rename, at two locations in the region.
		const isAnswered = samples.segue.every(
			({ text }) => text.includes("count += item.size;") && text.includes("log(count);"),
		);
		if (!isAnswered) throw new Error(`not every ${format} prompt was answered with an edit`);
		const times = (name: keyof typeof turns) => samples[name].map(({ timeMs }) => timeMs);
		for (const [what, of] of [
			["median", median],
			["99th percentile", (values: readonly number[]) => percentile(values, 99)],
		] as const) {
			measured.push({
				figure: `${format} prompt of ${body.length.toLocaleString("en-US")} bytes to answer, ${what}`,
				value: of(times("segue")),
				unit: "ms",
				against: { name: "HTTP echo", value: of(times("echo")) },
			});
		}
	}
	await Promise.all([segue.stop(), echo.stop()]);
	return measured;
}

/** Measures the quality of the answers, compared with an engine that can read all documents. */
async function replaying(file: string): Promise<Measurement[]> {
	const segue = await CompletionServer.start(SERVE, folder);
	const measured = await replayPrompts(file, segue, (done, all) =>
		showProgress(`replaying: case ${done + 1} of ${all}`),
	);
	await segue.stop();
	return measured;
}

/** Measures the time from the start of the process until it prints its address. */
async function starting(): Promise<Measurement> {
	const rounds = 25;
	const segue = async () => {
		const startMs = performance.now();
		const server = await CompletionServer.start(SERVE, folder);
		const timeMs = performance.now() - startMs;
		await server.stop();
		return timeMs;
	};
	const node = async () => {
		const startMs = performance.now();
		await once(spawn(process.execPath, ["-e", "0"], { stdio: ["pipe", "pipe", "inherit"] }), "exit");
		return performance.now() - startMs;
	};
	const times = await interleave({ segue, node }, rounds, (round) =>
		showProgress(`starting: round ${round + 1} of ${rounds}`),
	);
	return {
		figure: "start until it listens",
		value: median(times.segue),
		unit: "ms",
		against: { name: "node -e 0", value: median(times.node) },
		target: { timesAtMost: 2.5 },
	};
}

function fileOf(name: string): string {
	return fileURLToPath(new URL(name, import.meta.url));
}
