// Benchmark: the overhead of an edit request compared with the bare HTTP request, and the time to the first hunk

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
