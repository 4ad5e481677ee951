import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { OutlineWorker } from "../outline/outliner.js";
import type { Parsers } from "../outline/parser.js";
import { installedGrammars } from "./grammar-files.js";

// For source code and outlines. Syntax trees are in the parser's WebAssembly memory.
const HEAP_MB_MAX = 512;

// Paths relative to a chunk of the bundled command, to the compiled package, and to the sources.
const ENTRIES = ["../outline-worker.js", "./outline-worker-entry.js", "../../dist/node/outline-worker-entry.js"];

/** Starts a worker thread that parses documents. It does not keep the process alive. */
export function startOutlineWorker(): OutlineWorker {
	const entries = ENTRIES.map((place) => new URL(place, import.meta.url));
	// If no file exists, the worker emits an error event, and the outliner reports it like any other failure to start.
	const entry = entries.find((url) => existsSync(url)) ?? (entries[0] as URL);
	// Without the process's flags, the worker imports the built packages, even if the process runs from sources.
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

/** Creates parsers for a `SyntaxChecker` in this thread. Imports the parser lazily to keep startup fast. */
export async function startParsers(): Promise<Parsers> {
	const { Parsers } = await import("../outline/parser.js");
	return new Parsers(installedGrammars);
}
