// Benchmark: the cost of a keystroke in the editor library that plugins embed, and the bytes that it sends

import type * as acp from "@segue/protocol/acp";
import { clearProgress, showProgress } from "../../progress-bar.js";
import { type Measurement, report } from "../measurement.js";
import { interleave, median } from "../rounds.js";
import { BenchEditor, KEYSTROKES, OPEN_FILES, PAUSES } from "./bench-editor.js";

const FRAME_MS = 1000 / 60;
const ROUNDS = 15;

const EVENTS = (syncKind: "incremental" | "full"): acp.NesCapabilities => ({
	events: { document: { didOpen: {}, didChange: { syncKind }, didClose: {}, didSave: {}, didFocus: {} } },
	context: { openFiles: {}, diagnostics: {}, userActions: { maxCount: 16 } },
});
const CONTEXT: acp.NesCapabilities = {
	context: { recentFiles: { maxCount: 10 }, editHistory: { maxCount: 6 }, openFiles: {}, diagnostics: {} },
};

const measurements = [...(await typing()), ...(await growing()), ...(await sending())];
clearProgress();
report(measurements, process.argv);

/** Measures the time of a keystroke as a share of a frame, with 50 files open and a suggestion shown. */
async function typing(): Promise<Measurement[]> {
	const editor = await BenchEditor.with(5000, EVENTS("incremental"));
	const costs: { keystroke: number; pause: number }[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		showProgress(`typing in one of ${OPEN_FILES} files: round ${round + 1} of ${ROUNDS}`);
		costs.push(await editor.type());
	}
	const share = (ms: number) => (100 * ms) / FRAME_MS;
	const keystroke = share(median(costs.map((cost) => cost.keystroke)));
	const pause = share(median(costs.map((cost) => cost.pause)));
	return [
		{ figure: `keystroke, ${OPEN_FILES} files`, value: keystroke, unit: "% of a frame", target: { valueBelow: 5 } },
		{ figure: `pause: sync and request, ${OPEN_FILES} files`, value: pause, unit: "% of a frame" },
	];
}

/** Compares a keystroke and a pause in a long file with those in a short one. */
async function growing(): Promise<Measurement[]> {
	const editors = {
		short: await BenchEditor.with(100, EVENTS("incremental")),
		long: await BenchEditor.with(50_000, EVENTS("incremental")),
	};
	const costs = await interleave(
		{ short: () => editors.short.type(), long: () => editors.long.type() },
		ROUNDS,
		(round) => showProgress(`typing in 100 and in 50,000 lines: round ${round + 1} of ${ROUNDS}`),
	);
	const microseconds = (samples: readonly { keystroke: number; pause: number }[], part: "keystroke" | "pause") =>
		1000 * median(samples.map((sample) => sample[part]));
	return (["keystroke", "pause"] as const).map((part) => ({
		figure: `${part}, 50,000 lines`,
		value: microseconds(costs.long, part),
		unit: "µs",
		against: { name: "100 lines", value: microseconds(costs.short, part) },
		target: { timesAtMost: 2 },
	}));
}

/** Measures the bytes sent per keystroke for each sync kind that an agent can request. */
async function sending(): Promise<Measurement[]> {
	const both = { ...EVENTS("incremental"), ...CONTEXT };
	const ways = {
		"incremental events": EVENTS("incremental"),
		"full events": EVENTS("full"),
		"context only": CONTEXT,
		both,
	};
	const measurements: Measurement[] = [];
	for (const [name, capabilities] of Object.entries(ways)) {
		showProgress(`sending ${name}`);
		const editor = await BenchEditor.with(5000, capabilities);
		editor.sentBytes = 0;
		await editor.type();
		const value = editor.sentBytes / (PAUSES * KEYSTROKES);
		measurements.push({ figure: `sent per keystroke in 5,000 lines, ${name}`, value, unit: "bytes" });
	}
	return measurements;
}
