// Benchmark: what the chat engine adds to a model's stream, its store against plain SQL, and how much the store grows

import { storeMeasurements } from "./assist/store.js";
import { streamMeasurements } from "./assist/stream.js";
import { progressDone } from "./progress.js";
import { report } from "./report.js";

const measurements = [...(await streamMeasurements()), ...(await storeMeasurements())];
progressDone();
report(measurements, process.argv);
