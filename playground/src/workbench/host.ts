import { showSuggestion } from "@segue/codemirror";
import type { DisplayedSuggestion, FileEdits, Host, Notice } from "@segue/editor";
import type { Edit } from "@segue/text";
import type { Workbench } from "./workbench.js";

/** The host functions that the page provides, in addition to those from the workbench. */
interface HostActions {
	/** Receives the suggestion, for drawing it outside the text. */
	shown(shown: DisplayedSuggestion | undefined): void;
	/** Receives the reason why there is no suggestion, or a problem with the agent. */
	note(note: Notice): void;
	/** Lets the user review edits. Resolves to the edits to apply. */
	preview(title: string, files: readonly FileEdits[]): Promise<readonly FileEdits[]>;
	/** Reads a file that is not open. */
	read(uri: string): Promise<string | undefined>;
	/** Opens a file and shows it. */
	open(uri: string, offset: number): Promise<void>;
}

/** Connects the workbench to the editor library. */
export function hostOf(bench: Workbench, actions: HostActions): Host {
	return {
		workspace: () => {
			const project = bench.project.value;
			if (project === undefined) return { folders: [] };
			const { root, name, isDemonstration = false } = project;
			return { folders: [{ uri: root, name }], isDemonstration };
		},
		view: (uri) => bench.viewOf(uri),
		show: (shown) => {
			bench.view.dispatch({ effects: showSuggestion.of(shown) });
			actions.shown(shown);
		},
		apply: (files) => bench.apply(files),
		reveal: (uri, offset) => (bench.textOf(uri) === undefined ? actions.open(uri, offset) : bench.show(uri, offset)),
		report: (note) => actions.note(note),
		diagnostics: (uri) => bench.diagnosticsOf(uri),
		rename: async (uri, offset, newName) => {
			const oldName = wordAt(bench.textOf(uri) ?? "", offset);
			if (oldName === undefined) return false;
			const files = bench.tabs.value
				.map((tab) => ({
					uri: tab.uri,
					version: undefined,
					edits: renameIn(bench.textOf(tab.uri) ?? "", oldName, newName),
				}))
				.filter(({ edits }) => edits.length > 0);
			const chosen = await actions.preview(`Rename ${oldName} to ${newName}`, files);
			return chosen.length === 0 ? "declined" : bench.apply(chosen);
		},
		preview: (files) => actions.preview("Replace", files),
		// Search and replace covers only open files, so list no others.
		files: { read: (uri) => actions.read(uri), list: async () => [] },
		startWorker: () => {
			const worker = new Worker(new URL("./match-worker.js", import.meta.url), { type: "module" });
			return {
				post: (message) => worker.postMessage(message),
				receive: (listener) => {
					worker.addEventListener("message", ({ data }) => listener(data));
					worker.addEventListener("error", listener);
				},
				stop: () => worker.terminate(),
			};
		},
		state: {
			open: () => bench.tabs.value.map(({ uri, isDirty }) => ({ uri, isDirty })),
			recent: () => bench.recentUris().map((uri) => ({ uri })),
			active: () => (bench.active.value === undefined ? undefined : { uri: bench.active.value }),
		},
	};
}

const WORD = /[\p{L}\p{N}_$]+/gu;

/** Returns the name at an offset. The offset may also be at either end of the name. */
export function wordAt(text: string, offset: number): string | undefined {
	for (const { 0: word, index } of text.matchAll(WORD)) {
		if (index <= offset && offset <= index + word.length) return word;
	}
	return undefined;
}

/**
 * Returns edits that rename every occurrence of a name. Without a language server, there is no way to tell symbols with
 * the same name apart, so the user reviews the edits.
 */
export function renameIn(text: string, oldName: string, newName: string): Edit[] {
	return [...text.matchAll(WORD)]
		.filter(({ 0: word }) => word === oldName)
		.map(({ index }) => ({ from: index, to: index + oldName.length, insert: newName }));
}
