import { Worker } from "node:worker_threads";
import type { MatchWorker } from "../search/matcher.js";

// Room for several copies of the largest searchable text and its replacements.
const HEAP_MB_MAX = 256;

/**
 * Starts a worker thread for regular expressions, so that slow ones can be stopped. It does not keep the process alive.
 */
export function startMatchWorker(): MatchWorker {
	// Points to the built file from both `dist` and `src`, because Node cannot run the source.
	const entry = new URL("../../dist/node/match-worker.js", import.meta.url);
	const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } });
	worker.unref();
	return {
		post: (message) => worker.postMessage(message),
		receive: (listener) => worker.on("message", listener).on("error", listener),
		stop: () => void worker.terminate(),
	};
}
