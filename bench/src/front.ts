// Benchmark: how much later an update arrives when another agent is behind Segue, against a round trip to that agent alone

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Caller } from "./chat/caller.js";
import { progress, progressDone } from "./progress.js";
import { report } from "./report.js";
import { interleave, percentile } from "./rounds.js";

const CHUNKS = 300;
/** As fast as models write. Without pauses, what is measured is a queue. */
const PAUSE_MS = 3;
const WARM_UP_ROUNDS = 2;
const ROUNDS = 7;

const folder = mkdtempSync(join(tmpdir(), "segue-bench-front-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const agent = here("./front/agent.mjs");
const command = `"${process.execPath}" "${agent}"`;
const segue = [here("../../packages/server/bin/segue.js"), "acp", "--agent", command];
const bare = new Caller([agent], {}, folder);
const ours = new Caller(segue, { SEGUE_HOME: join(folder, "home") }, folder);
const [bareSession, ourSession] = [await bare.open(folder), await ours.open(folder)];
const contenders = {
	bare: () => delaysOf(bare, bareSession),
	ours: () => delaysOf(ours, ourSession),
	trips: () => tripsOf(bare, bareSession),
};
await interleave(contenders, WARM_UP_ROUNDS, () => progress("warming up"));
const times = await interleave(contenders, ROUNDS, (round) => progress(`round ${round + 1} of ${ROUNDS}`));
progressDone();
for (const each of [bare, ours]) each.stop();
report(
	[50, 99].map((percent) => {
		const at = (samples: readonly (readonly number[])[]) => percentile(samples.flat(), percent);
		return {
			figure: `added to each update of an agent behind Segue, p${percent}`,
			value: at(times.ours) - at(times.bare),
			unit: "ms",
			against: { name: "a round trip to the agent alone", value: at(times.trips) },
			target: { timesAtMost: 1 },
		};
	}),
	process.argv,
);

/** How long each chunk of a turn was on its way, in milliseconds. */
async function delaysOf(caller: Caller, sessionId: string): Promise<number[]> {
	const delays: number[] = [];
	caller.heard = (text) => {
		const now = process.hrtime.bigint();
		for (const sent of text.trim().split(" ")) delays.push(Number(now - BigInt(sent)) / 1e6);
	};
	await caller.request("session/prompt", { sessionId, prompt: [{ type: "text", text: `${CHUNKS} ${PAUSE_MS}` }] });
	if (delays.length !== CHUNKS) throw new Error("not everything arrived");
	return delays;
}

/** How long requests take that the agent answers at once, at the same pace. */
async function tripsOf(caller: Caller, sessionId: string): Promise<number[]> {
	const times: number[] = [];
	for (let left = CHUNKS; left > 0; left--) {
		const start = performance.now();
		await caller.request("session/set_mode", { sessionId, modeId: "any" });
		times.push(performance.now() - start);
		await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
	}
	return times;
}
