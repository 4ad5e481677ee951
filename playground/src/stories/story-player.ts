import type { Signal } from "@preact/signals";
import type { DisplayedSuggestion, Editor, Notice } from "@segue/editor";
import {
	drawStory,
	type Player,
	playStory,
	readStory,
	type StorySettings,
	type StorySuggestion,
	type StoryView,
	type TitledStory,
} from "@segue/story";
import type { Change, Text } from "@segue/text";
import { type Project, uriOf } from "../projects/project.js";
import type { PageSettings } from "../settings/settings.js";
import type { Workbench } from "../workbench/workbench.js";

// The pace of a live demonstration.
const KEY_MS = 70;
const LOOK_MS = 900;
// Long enough to find the cursor in a new file before the first edit.
const OPEN_MS = 1500;
// Long enough to read a suggestion.
const READ_MS = 1800;
// Between the appearance of a key and its effect.
const PRESS_MS = 500;
// The editor library sends a request about 100 ms after a key press, and the agent responds immediately. No suggestion
// arrives after this time.
const OFFER_MS = 1500;

// A demonstration ends with the last edits of its series. Stories have at most two of them.
const FINISHED_MAX = 4;

/** The parts of the page that a story uses. */
export interface StoryPage {
	readonly bench: Workbench;
	readonly editor: Editor | undefined;
	readonly shown: Signal<DisplayedSuggestion | undefined>;
	readonly note: Signal<Notice | undefined>;
	/** The key that a story presses, shown to the user. */
	readonly pressedKey: Signal<string | undefined>;
	/** Allows only these kinds of suggestions. */
	limitTo(kinds: PageSettings["kinds"]): Promise<void>;
}

/**
 * Plays a story to its end, in place of the project that was open when the user started it. Resolves to true if the
 * suggestions matched those in the story. Rejects if the signal aborts or another project was opened.
 */
export async function playInPage(
	{ title, source }: TitledStory,
	page: StoryPage,
	before: Project | undefined,
	/** A new folder starts a new session, so that what the user did in earlier stories does not matter. */
	root: string,
	signal: AbortSignal,
): Promise<boolean> {
	const player = new StoryPlayer(page, title, root, before, signal);
	player.checkStage();
	await page.limitTo({ jump: true, rename: false, searchAndReplace: false });
	player.checkStage();
	// The page has its own reasons for showing nothing, for example right after the user dismissed a suggestion.
	const expected = source.replace(/^(--- suggests nothing) \(.*\)$/gm, "$1");
	const actual = drawStory(await playStory(readStory(expected), player));
	await player.finish();
	return actual === expected;
}

/** Plays as a user would: types, waits for suggestions and presses Tab. */
class StoryPlayer implements Player {
	private readonly project: Project;

	constructor(
		private readonly page: StoryPage,
		title: string,
		root: string,
		/** The project that should be open: the previous project until the story's first file opens. */
		private stage: Project | undefined,
		/** Aborted when the user takes over. */
		private readonly signal: AbortSignal,
	) {
		const folder = page.bench.folders.value.at(-1);
		const hint = folder ? `To go back to your files, choose \`${folder.title}\` above.` : "";
		const start = { path: "", after: "" };
		this.project = { name: "story", title: `Story: ${title}`, root, hint, start, files: [], isDemonstration: true };
	}

	/** Throws if the user took over or opened another project: the next step would change their files. */
	checkStage(): void {
		this.signal.throwIfAborted();
		if (this.page.bench.project.value !== this.stage) throw new Error("another project was opened");
	}

	async configure(settings: StorySettings): Promise<void> {
		if (!("can" in settings)) return; // the page has settings for everything else
		const { can } = settings;
		await this.page.limitTo({
			jump: true, // every editor supports jumps
			rename: can.includes("rename"),
			searchAndReplace: can.includes("searchAndReplace"),
		});
		this.checkStage();
	}

	async open(path: string, text: Text, view: StoryView): Promise<void> {
		this.checkStage();
		const { bench } = this.page;
		if (this.stage !== this.project) {
			this.stage = this.project;
			bench.begin(this.project);
		}
		bench.show(bench.add(path, text.toString()), view.selection.head);
		this.diagnose(path, view);
		await this.wait(OPEN_MS);
	}

	async change(path: string, change: Change, view: StoryView): Promise<void> {
		const { bench } = this.page;
		bench.show(uriOf(this.project, path));
		let shift = 0;
		for (const { from, to, insert } of change.edits) {
			await this.replace(from + shift, to + shift, insert);
			shift += insert.length - (to - from);
		}
		const { anchor, head } = view.selection;
		bench.view.dispatch({ selection: { anchor, head }, scrollIntoView: true });
		this.diagnose(path, view);
	}

	/** Stories in the page use no model. */
	async model(): Promise<void> {}

	async suggest(): Promise<StorySuggestion> {
		const shown = await this.offered();
		await this.wait(shown === undefined ? LOOK_MS : READ_MS);
		if (shown === undefined) return { kind: "nothing", reason: this.page.note.value?.text ?? "" };
		return this.outcomeOf(shown);
	}

	async accept(): Promise<void> {
		const { editor } = this.page;
		const id = editor?.current?.id;
		while (id !== undefined && editor?.current?.id === id) {
			await this.press("Tab", () => editor.tab());
		}
	}

	async reject(): Promise<void> {
		await this.press("Esc", () => this.page.editor?.reject());
	}

	/** Shows a key, then does what it does. */
	private async press(key: string, act: () => unknown): Promise<void> {
		const { pressedKey } = this.page;
		pressedKey.value = key;
		try {
			await this.wait(PRESS_MS);
			await act();
			await this.wait(LOOK_MS);
		} finally {
			pressedKey.value = undefined;
		}
	}

	/** Accepts the suggestion that the story ends with, and those that follow from it. */
	async finish(): Promise<void> {
		for (let i = 0; i < FINISHED_MAX && this.page.editor?.current !== undefined; i++) {
			await this.accept();
			await this.offered();
		}
	}

	async wait(ms: number): Promise<void> {
		const { signal } = this;
		this.checkStage();
		await new Promise<void>((resolve, reject) => {
			const stop = () => {
				clearTimeout(timer);
				reject(signal.reason);
			};
			const timer = setTimeout(() => {
				signal.removeEventListener("abort", stop);
				resolve();
			}, ms);
			signal.addEventListener("abort", stop, { once: true });
		});
		this.checkStage();
	}

	private async replace(from: number, to: number, insert: string): Promise<void> {
		const { view } = this.page.bench;
		view.dispatch({ selection: { anchor: to }, scrollIntoView: true });
		if (/[\r\n]/.test(insert)) {
			const selection = { anchor: from + insert.length };
			view.dispatch({ changes: { from, to, insert }, selection, userEvent: "input.paste" });
			await this.wait(LOOK_MS);
			return;
		}
		for (let end = to; end > from; end--) {
			view.dispatch({ changes: { from: end - 1, to: end }, userEvent: "delete.backward" });
			await this.wait(KEY_MS);
		}
		let at = from;
		for (const character of insert) {
			const selection = { anchor: at + character.length };
			view.dispatch({ changes: { from: at, insert: character }, selection, userEvent: "input.type" });
			at = selection.anchor;
			await this.wait(KEY_MS);
		}
	}

	private async offered(): Promise<DisplayedSuggestion | undefined> {
		const { shown } = this.page;
		for (let waited = 0; shown.value === undefined && waited < OFFER_MS; waited += KEY_MS) await this.wait(KEY_MS);
		return shown.value;
	}

	private outcomeOf(shown: DisplayedSuggestion): StorySuggestion {
		const path = decodeURIComponent(shown.uri.slice(this.project.root.length + 1));
		switch (shown.kind) {
			case "edit":
				return { kind: "edit", path, edits: shown.edits, cursor: shown.cursor, note: shown.why };
			case "jump":
				return { kind: "jump", path, offset: shown.at };
			case "rename":
				return { kind: "rename", path, oldName: "", newName: shown.newName };
			case "searchAndReplace": {
				const { search, replace, isRegex } = shown;
				return { kind: "searchAndReplace", path, search, replace, isRegex };
			}
		}
	}

	private diagnose(path: string, { diagnostics }: StoryView): void {
		const uri = uriOf(this.project, path);
		const found = diagnostics.map(({ severity, ...each }) => {
			return { ...each, severity: severity === "info" ? ("information" as const) : severity };
		});
		this.page.bench.diagnose(uri, found);
		this.page.editor?.didDiagnose(uri);
	}
}
