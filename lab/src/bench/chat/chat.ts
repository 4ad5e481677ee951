// Benchmark: streaming an answer through the ACP server, and the latency it adds to another agent

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { report } from "../measurement.js";
import { interleave, median } from "../rounds.js";
import { BareAcpClient } from "./bare-acp-client.js";
import { proxyMeasurements } from "./proxy.js";

const CHUNKS = 5000;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 11;

const folder = mkdtempSync(join(tmpdir(), "segue-bench-chat-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const sdkAgent = join(folder, "sdk-agent.mjs");
await build({
	entryPoints: [here("./sdk-agent.ts")],
	outfile: sdkAgent,
	bundle: true,
	platform: "node",
	target: "node20",
	format: "esm",
	logLevel: "error",
});
const model = spawn(process.execPath, [here("../assist/model.mjs"), `${CHUNKS}`], {
	stdio: ["pipe", "pipe", "inherit"],
});
const [port] = await once(createInterface(model.stdout), "line");
const url = `http://127.0.0.1:${port}/v1`;

const env = { SEGUE_HOME: join(folder, "home"), SEGUE_MODEL: "openai-compatible/model", SEGUE_BASE_URL: url };
const segue = here("../../../../packages/cli/bin/segue.js");
const ours = new BareAcpClient([segue, "acp"], env, folder);
const sdk = new BareAcpClient([sdkAgent, url], {}, folder);
const turns = { ours: await turnOf(ours), sdk: await turnOf(sdk) };
await interleave(turns, WARM_UP_ROUNDS, () => showProgress("warming up"));
const times = await interleave(turns, ROUNDS, (round) => showProgress(`round ${round + 1} of ${ROUNDS}`));
for (const each of [ours, sdk]) each.stop();
model.stdin.end();
const later = await proxyMeasurements(segue, folder);
clearProgress();
report(
	[
		{
			figure: `an answer in ${CHUNKS.toLocaleString("en-US")} chunks, from the prompt to its end`,
			value: median(times.ours),
			unit: "ms",
			against: { name: "bare SDK agent", value: median(times.sdk) },
			target: { timesAtMost: 1 },
		},
		...later,
	],
	process.argv,
);

/**
 * Returns a function that runs one turn and returns its duration in milliseconds. Throws an error if text is missing.
 */
async function turnOf(client: BareAcpClient): Promise<() => Promise<number>> {
	const sessionId = await client.open(folder);
	return async () => {
		let received = "";
		client.onText = (text) => {
			received += text;
		};
		const start = performance.now();
		await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go on" }] });
		const timeMs = performance.now() - start;
		if (!received.endsWith(`word${CHUNKS - 1} `)) throw new Error("the text is incomplete");
		return timeMs;
	};
}
