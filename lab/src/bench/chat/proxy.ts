import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { showProgress } from "../../progress-bar.js";
import type { Measurement } from "../measurement.js";
import { interleave, percentile } from "../rounds.js";
import { BareAcpClient } from "./bare-acp-client.js";

const CHUNKS = 300;
/** The pace of a fast model. Without pauses, the benchmark would measure queueing. */
const PAUSE_MS = 3;
const WARM_UP_ROUNDS = 2;
const ROUNDS = 7;

/** Measures the latency that Segue adds to updates from another agent, compared with a round trip to that agent. */
export async function proxyMeasurements(segue: string, folder: string): Promise<Measurement[]> {
	const agent = fileURLToPath(new URL("./agent.mjs", import.meta.url));
	const command = `"${process.execPath}" "${agent}"`;
	const bare = new BareAcpClient([agent], {}, folder);
	const ours = new BareAcpClient([segue, "acp", "--agent", command], { SEGUE_HOME: join(folder, "proxy") }, folder);
	const [bareSession, ourSession] = [await bare.open(folder), await ours.open(folder)];
	const contenders = {
		bare: () => delaysOf(bare, bareSession),
		ours: () => delaysOf(ours, ourSession),
		trips: () => tripsOf(bare, bareSession),
	};
	await interleave(contenders, WARM_UP_ROUNDS, () => showProgress("proxy: warming up"));
	const times = await interleave(contenders, ROUNDS, (round) => showProgress(`proxy: round ${round + 1} of ${ROUNDS}`));
	for (const each of [bare, ours]) each.stop();
	return [50, 99].map((percent) => {
		const at = (samples: readonly (readonly number[])[]) => percentile(samples.flat(), percent);
		return {
			figure: `latency added to updates from another agent, p${percent}`,
			value: at(times.ours) - at(times.bare),
			unit: "ms",
			against: { name: "a round trip to the agent", value: at(times.trips) },
			target: { timesAtMost: 1 },
		};
	});
}

/** Returns the latency in milliseconds of each chunk in a turn. */
async function delaysOf(client: BareAcpClient, sessionId: string): Promise<number[]> {
	const delays: number[] = [];
	client.onText = (text) => {
		const now = process.hrtime.bigint();
		for (const sent of text.trim().split(" ")) delays.push(Number(now - BigInt(sent)) / 1e6);
	};
	await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: `${CHUNKS} ${PAUSE_MS}` }] });
	if (delays.length !== CHUNKS) throw new Error("chunks are missing");
	return delays;
}

/** Returns the response times of requests that the agent answers immediately, sent at the pace of the chunks. */
async function tripsOf(client: BareAcpClient, sessionId: string): Promise<number[]> {
	const times: number[] = [];
	for (let left = CHUNKS; left > 0; left--) {
		const start = performance.now();
		await client.request("session/set_mode", { sessionId, modeId: "any" });
		times.push(performance.now() - start);
		await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
	}
	return times;
}
