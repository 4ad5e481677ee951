// Benchmark: what asking a model for edits adds to the bare request, and how soon the first hunk of an answer is there

import { firstHunkMeasurements } from "./models/first-hunk.js";
import { overheadMeasurements } from "./models/overhead.js";
import { startWriter } from "./models/writer.js";
import { progressDone } from "./progress.js";
import { report } from "./report.js";

const writer = await startWriter();
try {
	const measurements = [...(await overheadMeasurements(writer)), ...(await firstHunkMeasurements(writer))];
	progressDone();
	report(measurements, process.argv);
} finally {
	writer.stop();
}
