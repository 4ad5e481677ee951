import { fileURLToPath } from "node:url";
import type { FolderState, WordAnswer, WordQuestion } from "../next-edit/folder-files.js";
import { FolderIndex, type IndexState } from "./folder-index.js";

/** A message to the thread that indexes folders. */
export type IndexTask =
	| { readonly kind: "open"; readonly id: number; readonly folder: string }
	| { readonly kind: "changed"; readonly id: number; readonly uris: readonly string[] }
	| { readonly kind: "find"; readonly id: number; readonly call: number; readonly question: WordQuestion }
	| { readonly kind: "close"; readonly id: number };

/** A message from that thread. */
export type IndexReply =
	| { readonly kind: "state"; readonly id: number; readonly state: IndexState }
	| { readonly kind: "found"; readonly call: number; readonly answer: WordAnswer };

export const NO_FILES: FolderState = { files: 0, isComplete: false };
export const NOT_FOUND: WordAnswer = { words: [], files: [] };

/** Performs tasks. `rest` resolves when indexing may go on. */
export function serveIndexes(
	post: (reply: IndexReply) => void,
	{ rest, now }: { readonly rest: () => Promise<void>; readonly now: () => number },
): (task: IndexTask) => void {
	const indexes = new Map<number, FolderIndex>();
	return (task) => {
		const { id } = task;
		const index = indexes.get(id);
		switch (task.kind) {
			case "open": {
				const report = (state: IndexState) => post({ kind: "state", id, state });
				const opened = new FolderIndex({ folder: fileURLToPath(task.folder), rest, now, report });
				indexes.set(id, opened);
				void opened.refresh();
				return;
			}
			case "changed":
				void index?.changed(task.uris);
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
