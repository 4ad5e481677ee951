import { fileURLToPath } from "node:url";
import type { FileQuery, FileQueryResult, FolderState } from "../next-edit/folder-files.js";
import { FolderIndex, type IndexState, type IndexTotal } from "./folder-index.js";

/** A message to the thread that indexes folders. */
export type IndexTask =
	| { readonly kind: "open"; readonly id: number; readonly folder: string }
	| { readonly kind: "changed"; readonly id: number; readonly uris: readonly string[] }
	| { readonly kind: "find"; readonly id: number; readonly call: number; readonly question: FileQuery }
	| { readonly kind: "close"; readonly id: number };

/** A message from that thread. */
export type IndexReply =
	| { readonly kind: "state"; readonly id: number; readonly state: IndexState }
	| { readonly kind: "found"; readonly call: number; readonly answer: FileQueryResult };

export const NO_FILES: FolderState = { files: 0, isComplete: false };
export const NOT_FOUND: FileQueryResult = { words: [], files: [], missing: [] };

// Much shorter than a request, and much longer than it takes to read the counter.
const PAUSE_MS = 2;
// Requests to a model take seconds. Indexing continues slowly during that time.
const PAUSE_MS_MAX = 100;

/** Waits while `busy` counts any requests in flight, but only up to a time limit. */
export function restWhile(busy: Int32Array, wait: (delayMs: number) => Promise<unknown>): () => Promise<void> {
	return async () => {
		for (let waitedMs = 0; Atomics.load(busy, 0) > 0 && waitedMs < PAUSE_MS_MAX; waitedMs += PAUSE_MS) {
			await wait(PAUSE_MS);
		}
	};
}

/** Returns a handler for tasks. `rest` resolves when indexing may continue. */
export function serveIndexes(
	post: (reply: IndexReply) => void,
	{ rest, now }: { readonly rest: () => Promise<void>; readonly now: () => number },
): (task: IndexTask) => void {
	const indexes = new Map<number, FolderIndex>();
	const total: IndexTotal = { files: 0, textBytes: 0 };
	return (task) => {
		const { id } = task;
		const index = indexes.get(id);
		switch (task.kind) {
			case "open": {
				const report = (state: IndexState) => post({ kind: "state", id, state });
				const opened = new FolderIndex({ folder: fileURLToPath(task.folder), rest, now, report, total });
				indexes.set(id, opened);
				void opened.refresh();
				return;
			}
			case "changed":
				// If a change could not be indexed, the next refresh finds it.
				void index?.changed(task.uris).catch(() => {});
				return;
			case "find": {
				const { call } = task;
				const found = index?.find(task.question) ?? Promise.resolve(NOT_FOUND);
				void found.catch(() => NOT_FOUND).then((answer) => post({ kind: "found", call, answer }));
				return;
			}
			case "close":
				index?.close();
				indexes.delete(id);
		}
	};
}
