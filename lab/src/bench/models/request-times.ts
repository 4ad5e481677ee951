import { showProgress } from "../../progress-bar.js";
import type { Measurement } from "../measurement.js";
import { interleave, median, percentile } from "../rounds.js";
import type { Writer } from "./writer.js";

const WARM_UP_ROUNDS = 50;
const AT_ONCE_ROUNDS = 500;
const THINKING_ROUNDS = 200;
/** The latency of the fastest hosted models, or of a small local model on a fast machine. */
const THINK_MS = 30;

/**
 * Measures the time from a prompt input to the last hunk, compared with sending the same HTTP request and reading the
 * whole response. Only the slow server has a target, because its latency is realistic. The fast server shows Segue's
 * own overhead.
 */
export async function overheadMeasurements(writer: Writer): Promise<Measurement[]> {
	return [
		...(await compare(writer, "server that answers immediately", 0, AT_ONCE_ROUNDS)),
		...(await compare(writer, `server that takes ${THINK_MS} ms`, THINK_MS, THINKING_ROUNDS)),
	];
}

async function compare(writer: Writer, server: string, thinkMs: number, rounds: number): Promise<Measurement[]> {
	await writer.setPace({ thinkMs, lineMs: 0 });
	await ask(writer);
	const { url, headers, body } = await writer.lastRequest();
	const send = async () => {
		const response = await fetch(writer.url + url, { method: "POST", headers, body });
		if (!(await response.text()).includes("items.filter")) throw new Error("the response is incomplete");
	};
	const turns = { ours: () => timeOf(() => ask(writer)), bare: () => timeOf(send) };
	await interleave(turns, WARM_UP_ROUNDS, () => showProgress(`${server}: warming up`));
	const times = await interleave(turns, rounds, (round) => showProgress(`${server}: round ${round + 1} of ${rounds}`));
	return [
		measure(`p50 of a request, ${server}`, median(times.ours), median(times.bare), thinkMs > 0),
		...[95, 99].map((percent) => {
			const [ours, bare] = [percentile(times.ours, percent), percentile(times.bare, percent)];
			return measure(`p${percent} of a request, ${server}`, ours, bare, false);
		}),
	];
}

function measure(figure: string, value: number, bare: number, isTarget: boolean): Measurement {
	const against = { name: "bare request", value: bare };
	return { figure, value, unit: "ms", against, ...(isTarget && { target: { timesAtMost: 1.2 } }) };
}

async function ask({ model, input }: Writer): Promise<void> {
	let hunks = 0;
	for await (const answered of model.ask(input, new AbortController().signal)) {
		if ("hunks" in answered) hunks = answered.hunks.length;
	}
	if (hunks !== 1) throw new Error(`the model wrote ${hunks} hunks`);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

const ROUNDS = 20;
/** A hundred lines per second is faster than most models. */
const LINE_MS = 10;

/** Measures how long it takes until a change near the top of an answer can be shown, compared with the whole answer. */
export async function firstHunkMeasurements(writer: Writer): Promise<Measurement[]> {
	await writer.setPace({ thinkMs: 0, lineMs: LINE_MS });
	const turns = { first: () => timeToHunk(writer, "first"), end: () => timeToHunk(writer, "end") };
	const times = await interleave(turns, ROUNDS, (round) => showProgress(`first hunk: round ${round + 1} of ${ROUNDS}`));
	const against = { name: "the end of the answer", value: median(times.end) };
	const figure = "first hunk of 20 lines, one changed at the top";
	return [{ figure, value: median(times.first), unit: "ms", against, target: { timesAtMost: 0.5 } }];
}

async function timeToHunk({ model, input }: Writer, which: "first" | "end"): Promise<number> {
	const start = performance.now();
	for await (const answered of model.ask(input, new AbortController().signal)) {
		if ("hunks" in answered && answered.hunks.length === 1 && (which === "first" || answered.isWhole)) {
			return performance.now() - start;
		}
	}
	throw new Error("the model's answer contains no change");
}
