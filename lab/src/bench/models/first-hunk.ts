import { progress } from "../progress.js";
import type { Measurement } from "../report.js";
import { interleave, median } from "../rounds.js";
import type { Writer } from "./writer.js";

const ROUNDS = 20;
/** As fast as a hundred lines a second, which is faster than most models. */
const LINE_MS = 10;

/** How soon a line that is changed at the top of an answer can be shown, against waiting for the end of the answer. */
export async function firstHunkMeasurements(writer: Writer): Promise<Measurement[]> {
	await writer.paces({ thinkMs: 0, lineMs: LINE_MS });
	const turns = { first: () => timeToHunk(writer, "first"), end: () => timeToHunk(writer, "end") };
	const times = await interleave(turns, ROUNDS, (round) => progress(`first hunk: round ${round + 1} of ${ROUNDS}`));
	const against = { name: "the end of the answer", value: median(times.end) };
	const figure = "first hunk of 20 lines, one changed at the top";
	return [{ figure, value: median(times.first), unit: "ms", against, target: { timesAtMost: 0.5 } }];
}

async function timeToHunk({ model, brief }: Writer, which: "first" | "end"): Promise<number> {
	const start = performance.now();
	for await (const answered of model.ask(brief, new AbortController().signal)) {
		if ("hunks" in answered && answered.hunks.length === 1 && (which === "first" || answered.isWhole)) {
			return performance.now() - start;
		}
	}
	throw new Error("the model wrote no hunk");
}
