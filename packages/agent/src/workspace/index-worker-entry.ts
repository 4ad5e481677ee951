import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { serveIndexes } from "./index-tasks.js";

// Short beside a request, and long beside a look at the counter.
const PAUSE_MS = 2;
// Requests to a model take seconds. Indexing goes on slowly meanwhile.
const PAUSE_MS_MAX = 100;

if (parentPort === null) throw new Error("this is the entry of a worker");
const port = parentPort;
/** How many requests are under way. */
const busy = workerData as Int32Array;

async function rest(): Promise<void> {
	for (let waitedMs = 0; Atomics.load(busy, 0) > 0 && waitedMs < PAUSE_MS_MAX; waitedMs += PAUSE_MS) {
		await setTimeout(PAUSE_MS);
	}
}

port.on(
	"message",
	serveIndexes((reply) => port.postMessage(reply), { rest, now: () => performance.now() }),
);
