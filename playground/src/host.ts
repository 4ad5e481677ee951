import type { FileEdits, Host, Note, Shown } from "@segue/editor";
import { renameIn, wordAt } from "./mention.js";
import { show } from "./suggestion.js";
import type { Workbench } from "./workbench.js";

/** What the page lets the library do and see besides files. */
export interface Desk {
	/** What is offered, for what is drawn outside of the text. */
	shown(shown: Shown | undefined): void;
	/** Why nothing is offered, or what is wrong with the agent. */
	note(note: Note): void;
	/** Lets the user look over edits; gives those that are left. */
	preview(title: string, files: readonly FileEdits[]): Promise<readonly FileEdits[]>;
	/** The text of a file that is not open. */
	read(uri: string): Promise<string | undefined>;
	/** Opens a file and shows it. */
	open(uri: string, offset: number): Promise<void>;
}

/** The workbench as the editor library sees it. */
export function hostOf(bench: Workbench, desk: Desk): Host {
	return {
		workspace: () => {
			const project = bench.project.value;
			return { folders: project === undefined ? [] : [{ uri: project.root, name: project.name }] };
		},
		view: (uri) => bench.viewOf(uri),
		show: (shown) => {
			bench.view.dispatch({ effects: show.of(shown) });
			desk.shown(shown);
		},
		apply: (files) => bench.apply(files),
		reveal: (uri, offset) => (bench.textOf(uri) === undefined ? desk.open(uri, offset) : bench.show(uri, offset)),
		report: (note) => desk.note(note),
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
			const chosen = await desk.preview(`Rename ${oldName} to ${newName}`, files);
			return chosen.length === 0 ? "declined" : bench.apply(chosen);
		},
		preview: (files) => desk.preview("Replace", files),
		// Only open files are searched and replaced in, so nothing is listed.
		files: { read: (uri) => desk.read(uri), list: async () => [] },
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
