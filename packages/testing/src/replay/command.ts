import { readFileSync } from "node:fs";
import { readCapture } from "./capture.js";
import { type ReplayOutcome, replayCapture } from "./replay.js";

/** Timeout for each step. Long enough to start a process on a busy machine. */
const STEP_MS = 20_000;

// Replays recorded sessions of ECA editors against `segue eca` and reports whether each was completed.

const [launcher = "", ...files] = process.argv.slice(2);
for (const file of files) {
	const runs = readCapture(readFileSync(file, "utf8"));
	for (const [index, run] of runs.entries()) {
		const name = runs.length === 1 ? file : `${file}, start ${index + 1}`;
		process.stdout.write(`${name}: ${describe(await replayCapture(run, launcher, STEP_MS))}\n`);
	}
}

function describe(outcome: ReplayOutcome): string {
	if (outcome.served) return [`completed, ${outcome.sent} messages`, ...outcome.notes].join("\n  ");
	process.exitCode = 1;
	return `failed before line ${outcome.line}: ${outcome.why}`.replaceAll("\n", "\n  ");
}
