// Benchmark: the chat engine's overhead on a model's stream, its store compared with plain SQL, and the size of the store

import { clearProgress } from "../../progress-bar.js";
import { report } from "../measurement.js";
import { storeMeasurements } from "./store.js";
import { streamMeasurements } from "./stream.js";

const measurements = [...(await streamMeasurements()), ...(await storeMeasurements())];
clearProgress();
report(measurements, process.argv);
