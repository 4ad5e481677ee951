import { Worker } from "node:worker_threads";
import type { MatchWorker } from "../search/matcher.js";

// Room for the largest text that is searched and all that is written into it, several times over.
const HEAP_MB_MAX = 256;

/** Starts a thread in which regular expressions can be stopped. It keeps no process alive. */
export function startMatchWorker(): MatchWorker {
	// This leads to the built file from the build and from the sources alike: Node cannot run the sources.
	const entry = new URL("../../dist/node/match-worker.js", import.meta.url);
	const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } });
	worker.unref();
	return {
		post: (message) => worker.postMessage(message),
		receive: (listener) => worker.on("message", listener).on("error", listener),
		stop: () => void worker.terminate(),
	};
}
