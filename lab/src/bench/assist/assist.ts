// Benchmark: what the chat engine adds to a model's stream, its store against plain SQL, and how much the store grows

import { clearProgress } from "../../progress-bar.js";
import { report } from "../measurement.js";
import { storeMeasurements } from "./store.js";
import { streamMeasurements } from "./stream.js";

const measurements = [...(await streamMeasurements()), ...(await storeMeasurements())];
clearProgress();
report(measurements, process.argv);
