import { Worker } from "node:worker_threads";
import type { OutlineWorker } from "./outliner.js";
import type { Parsers } from "./parser.js";

// Texts, and outlines on their way out. Syntax trees are not part of it: the parser has its own memory.
const HEAP_MB_MAX = 512;

/** Starts a thread in which documents are parsed. It keeps no process alive. */
export function startOutlineWorker(): OutlineWorker {
	// This leads to the built file from the build, from the chunks of the bundle and from the sources alike.
	const entry = new URL("../../dist/outline/worker-entry.js", import.meta.url);
	// It finds other packages as they are built, wherever the process finds them.
	const worker = new Worker(entry, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } });
	worker.unref();
	return {
		post: (task) => worker.postMessage(task),
		receive: (listener) => {
			worker.on("message", listener).on("error", listener);
			worker.on("exit", (code) => listener(new Error(`exit code ${code}`)));
		},
		stop: () => void worker.terminate(),
	};
}

/** Makes parsers for a `SyntaxChecker` in this thread. The parser is imported only now, so it delays no start. */
export async function startParsers(): Promise<Parsers> {
	const { Parsers } = await import("./parser.js");
	return new Parsers();
}
