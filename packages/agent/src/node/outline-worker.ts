import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { OutlineWorker } from "../outline/outliner.js";
import type { Parsers } from "../outline/parser.js";
import { installedGrammars } from "./grammar-files.js";

// Texts, and outlines on their way out. Syntax trees are not part of it: the parser has its own memory.
const HEAP_MB_MAX = 512;

// From a chunk of the bundled command, from the compiled package, and from the sources.
const ENTRIES = ["../outline-worker.js", "./outline-worker-entry.js", "../../dist/node/outline-worker-entry.js"];

/** Starts a thread in which documents are parsed. It keeps no process alive. */
export function startOutlineWorker(): OutlineWorker {
	const entries = ENTRIES.map((place) => new URL(place, import.meta.url));
	// If no file exists, the worker emits an error event, and the outliner reports it like any other failure to start.
	const entry = entries.find((url) => existsSync(url)) ?? (entries[0] as URL);
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
	const { Parsers } = await import("../outline/parser.js");
	return new Parsers(installedGrammars);
}
