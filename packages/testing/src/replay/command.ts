import { readFileSync } from "node:fs";
import { readCapture } from "./capture.js";
import { type ReplayOutcome, replayCapture } from "./replay.js";

/** For each thing that is waited for. A machine that is busy with other work starts a process in this time, too. */
const STEP_MS = 20_000;

// Plays recorded conversations of ECA editors against `segue eca`, and tells of each whether it was served to its end.

const [launcher = "", ...files] = process.argv.slice(2);
for (const file of files) {
	const runs = readCapture(readFileSync(file, "utf8"));
	for (const [index, run] of runs.entries()) {
		const name = runs.length === 1 ? file : `${file}, start ${index + 1}`;
		process.stdout.write(`${name}: ${wordsFor(await replayCapture(run, launcher, STEP_MS))}\n`);
	}
}

function wordsFor(outcome: ReplayOutcome): string {
	if (outcome.served) return [`served to its end, ${outcome.sent} messages`, ...outcome.notes].join("\n  ");
	process.exitCode = 1;
	return `stopped before line ${outcome.line}: ${outcome.why}`.replaceAll("\n", "\n  ");
}
