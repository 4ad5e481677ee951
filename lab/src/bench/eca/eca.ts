// Benchmark: the built `segue eca`: start time, streaming compared with the ACP server, and memory over many prompts

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { BareAcpClient } from "../chat/bare-acp-client.js";
import { type Measurement, report } from "../measurement.js";
import { interleave, median } from "../rounds.js";
import { BareEcaClient } from "./bare-eca-client.js";

const MB = 1_000_000;

const folder = mkdtempSync(join(tmpdir(), "segue-bench-eca-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const SEGUE = fileOf("../../../../packages/cli/bin/segue.js");
const measurements = [await starting(), await streaming(), await remembering()];
clearProgress();
report(measurements, process.argv);

/**
 * Measures the time from the start of the process to its `initialize` response, compared with starting and exiting
 * Node.
 */
async function starting(): Promise<Measurement> {
	const rounds = 25;
	const segue = async () => {
		const start = performance.now();
		const client = new BareEcaClient([SEGUE, "eca"], {}, folder);
		await client.initialize(folder);
		const time = performance.now() - start;
		await client.stop();
		return time;
	};
	const node = async () => {
		const start = performance.now();
		await once(spawn(process.execPath, ["-e", "0"], { stdio: ["pipe", "pipe", "inherit"] }), "exit");
		return performance.now() - start;
	};
	const times = await interleave({ segue, node }, rounds, (round) =>
		showProgress(`starting: round ${round + 1} of ${rounds}`),
	);
	return {
		figure: "start to the initialize answer",
		value: median(times.segue),
		unit: "ms",
		against: { name: "node -e 0", value: median(times.node) },
		target: { timesAtMost: 2.5 },
	};
}

/**
 * Measures the time per message in a long answer. Both servers merge chunks, so the total is divided by the number of
 * messages.
 */
async function streaming(): Promise<Measurement> {
	const chunks = 5000;
	const warmUpRounds = 3;
	const rounds = 11;
	const model = await startModel(chunks);
	const eca = new BareEcaClient([SEGUE, "eca"], model.env, folder);
	await eca.initialize(folder);
	const acp = new BareAcpClient([SEGUE, "acp"], model.env, folder);
	const sessionId = await acp.open(folder);
	const timed = async (turn: (onText: (text: string) => void) => Promise<unknown>) => {
		let received = "";
		let messages = 0;
		const start = performance.now();
		await turn((text) => {
			received += text;
			messages++;
		});
		const timeMs = performance.now() - start;
		if (!received.endsWith(`word${chunks - 1} `)) throw new Error("the text is incomplete");
		return timeMs / messages;
	};
	const turns = {
		eca: () =>
			timed((onText) => {
				eca.onContent = ({ type, text }) => {
					if (type === "text" && text?.startsWith("word")) onText(text);
				};
				return eca.prompt("bench", "Go on");
			}),
		acp: () =>
			timed((onText) => {
				acp.onText = onText;
				return acp.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go on" }] });
			}),
	};
	await interleave(turns, warmUpRounds, () => showProgress("streaming: warming up"));
	const times = await interleave(turns, rounds, (round) => showProgress(`streaming: round ${round + 1} of ${rounds}`));
	await eca.stop();
	acp.stop();
	model.stop();
	return {
		figure: `one message of an answer in ${chunks.toLocaleString("en-US")} chunks`,
		value: median(times.eca) * 1000,
		unit: "µs",
		against: { name: "the ACP server", value: median(times.acp) * 1000 },
		// Corresponds to at least 80% of the ACP server's throughput.
		target: { timesAtMost: 1.25 },
	};
}

/** Measures the server's heap after many prompts, ten in each chat, compared with the heap after the first ten. */
async function remembering(): Promise<Measurement> {
	const prompts = 1000;
	const few = 10;
	const model = await startModel(few);
	const client = new BareEcaClient(
		["--expose-gc", "--import", fileOf("../nes/heap.mjs"), SEGUE, "eca"],
		model.env,
		folder,
	);
	await client.initialize(folder);
	let before = 0;
	for (let i = 0; i < prompts; i++) {
		showProgress(`memory: prompt ${i + 1} of ${prompts}`);
		if (i === few) before = await client.heapUsed();
		await client.prompt(`chat${Math.floor(i / few)}`, `Question ${i}`);
	}
	const after = await client.heapUsed();
	await client.stop();
	model.stop();
	return {
		figure: `heap after ${prompts.toLocaleString("en-US")} prompts`,
		value: after / MB,
		unit: "MB",
		against: { name: `after ${few}`, value: before / MB },
		target: { timesAtMost: 1.5 },
	};
}

/** Starts the model server. Returns the environment that makes `segue` use it, and a function that stops it. */
async function startModel(chunks: number) {
	const model = spawn(process.execPath, [fileOf("../assist/model.mjs"), `${chunks}`], {
		stdio: ["pipe", "pipe", "inherit"],
	}) as ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
	const [port] = await once(createInterface(model.stdout), "line");
	const env = {
		SEGUE_HOME: join(folder, "home"),
		SEGUE_MODEL: "openai-compatible/model",
		SEGUE_BASE_URL: `http://127.0.0.1:${port}/v1`,
	};
	return { env, stop: () => model.stdin.end() };
}

function fileOf(name: string): string {
	return fileURLToPath(new URL(name, import.meta.url));
}
