// Benchmark: what asking a model for edits adds to the bare request, and how soon the first hunk of an answer is there

import { clearProgress } from "../../progress-bar.js";
import { report } from "../measurement.js";
import { firstHunkMeasurements, overheadMeasurements } from "./request-times.js";
import { startWriter } from "./writer.js";

const writer = await startWriter();
try {
	const measurements = [...(await overheadMeasurements(writer)), ...(await firstHunkMeasurements(writer))];
	clearProgress();
	report(measurements, process.argv);
} finally {
	writer.stop();
}
