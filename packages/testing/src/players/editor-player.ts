import { type DisplayedSuggestion, Editor } from "@segue/editor";
import type { Channel } from "@segue/rpc";
import type { Player, StorySettings, StorySuggestion, StoryView } from "@segue/story";
import { Change, languageOf, rebase, type Text } from "@segue/text";
import type { FakeClock } from "../clock.js";
import { FakeHost } from "../editors/fake-host.js";
import { settled } from "../rpc/peers.js";

// Longer than any pause within a single edit, so that every pane of a story is a separate edit.
const BETWEEN_EDITS_MS = 2000;
// Longer than any debounce before a suggestion request.
const PAUSE_MS = 3000;

const ROOT = "file:///project/";

export interface EditorPlayerOptions {
	/** Starts the agent. */
	readonly connect: () => Channel;
	/** The clock of the editor and the agent. */
	readonly clock: FakeClock;
	/** Sets the text that the agent's model writes for a document. */
	readonly model?: (uri: string, text: string) => void;
}

/**
 * Plays stories on an editor that embeds `@segue/editor` and an agent. Suggestions are never requested manually: the
 * user types, pauses, and presses Tab or Esc.
 */
export class EditorPlayer implements Player {
	readonly host = new FakeHost();
	/** Suggestions that replaced another one without a user action and without extending it. */
	readonly flickers: string[] = [];
	private editor: Editor | undefined;
	/** Suggestions shown since the last user action. */
	private since: (DisplayedSuggestion | undefined)[] = [];

	constructor(private readonly options: EditorPlayerOptions) {
		this.host.folders = [{ uri: ROOT.slice(0, -1), name: "project" }];
		const show = this.host.show.bind(this.host);
		this.host.show = (shown) => {
			this.watch(shown);
			show(shown);
		};
	}

	async configure(settings: StorySettings): Promise<void> {
		if (!("can" in settings)) throw new Error("the editor and the agent negotiate encoding and sync kind");
		if (settings.can.includes("rename")) this.host.rename = async () => true;
		if (settings.can.includes("searchAndReplace")) this.host.canSearch(async (files) => files);
	}

	async open(path: string, text: Text, view: StoryView): Promise<void> {
		await this.begin();
		this.act();
		this.host.open(uriOf(path), text.toString(), languageOf(path));
		this.turnTo(path, view);
		await settled();
	}

	async change(path: string, change: Change, view: StoryView): Promise<void> {
		this.act();
		if (change.edits.length > 0) this.host.edit(uriOf(path), change.edits);
		this.act();
		this.turnTo(path, view);
		await settled();
	}

	async model(path: string, text: string): Promise<void> {
		if (this.options.model === undefined) throw new Error("the agent has no model");
		this.options.model(uriOf(path), text);
	}

	/** Returns the suggestion shown after a pause, or the most recent reason for none. */
	async suggest(): Promise<StorySuggestion> {
		await this.wait(PAUSE_MS);
		await this.lookAround();
		const { shown, notes } = this.host;
		if (shown === undefined) return { kind: "nothing", reason: notes.at(-1)?.text ?? "" };
		return this.outcomeOf(shown);
	}

	/** Presses Tab until the suggestion is accepted. The first press may only move the cursor. */
	async accept(): Promise<void> {
		this.act();
		const id = this.host.shown?.id;
		while (id !== undefined && this.host.shown?.id === id) await this.editor?.tab();
		this.options.clock.advance(BETWEEN_EDITS_MS);
		await settled();
	}

	/** Dismisses the suggestion. No key reports other reasons, so for those a new request replaces the suggestion. */
	async reject(reason: string | undefined): Promise<void> {
		this.act();
		if (reason === "rejected") this.editor?.reject();
		else await this.editor?.suggest();
		await settled();
	}

	async wait(ms: number): Promise<void> {
		this.options.clock.advance(ms);
		await settled();
	}

	async end(): Promise<void> {
		await this.editor?.close();
	}

	/** Marks a user action, after which the displayed suggestion may change once. */
	private act(): void {
		this.since = [this.host.shown];
	}

	private watch(shown: DisplayedSuggestion | undefined): void {
		const drawn = [...this.since, shown];
		this.since = drawn;
		const before = drawn.at(-2);
		const swaps = drawn.filter((one, i) => i > 0 && one?.id !== drawn[i - 1]?.id && drawn[i - 1] !== undefined).length;
		const isSwap = before !== undefined && before.id !== shown?.id;
		const isMore = isSwap && shown !== undefined && this.extends(shown, before);
		if (isSwap && swaps > 1 && !isMore) this.flickers.push(`${before.id} was replaced by ${shown?.id}`);
		const forms = drawn.filter((one) => one !== undefined && one.id === shown?.id).map((one) => one?.as);
		if (forms.length > 2 && forms.at(-1) === forms.at(-3) && forms.at(-2) !== forms.at(-1)) {
			this.flickers.push(`${shown?.id} was shown as ${forms.join(", ")}`);
		}
	}

	/** Whether one suggestion extends the other: its edits can be rebased over the other's. */
	private extends(one: DisplayedSuggestion, other: DisplayedSuggestion): boolean {
		if (one.kind !== "edit" || other.kind !== "edit" || one.uri !== other.uri) return false;
		const { text } = this.host.document(one.uri);
		return rebase(one.edits, Change.of(other.edits, text.length), text).kind === "rebased";
	}

	/** Creates the editor on first use, with the capabilities that the story has set so far. */
	private async begin(): Promise<void> {
		if (this.editor !== undefined) return;
		const { connect, clock } = this.options;
		this.editor = new Editor({ host: this.host, connect, clock, clientInfo: { name: "player", version: "1.0.0" } });
		this.host.editor = this.editor;
		await settled();
	}

	/** Moves the cursor away and back without an edit. The suggestion must still be there afterwards. */
	private async lookAround(): Promise<void> {
		const { host } = this;
		const { anchor, head } = host.view(host.activeUri ?? "") ?? { anchor: 0, head: 0 };
		this.act();
		host.move(head === 0 ? 1 : 0);
		this.act();
		host.move(head, anchor);
		await this.wait(PAUSE_MS);
	}

	private turnTo(path: string, { selection, diagnostics }: StoryView): void {
		const { host } = this;
		const uri = uriOf(path);
		if (host.activeUri !== uri) host.focus(uri);
		host.move(selection.head, selection.anchor);
		host.diagnose(
			uri,
			diagnostics.map((one) => ({ ...one, severity: one.severity === "info" ? "information" : one.severity })),
		);
		this.options.clock.advance(BETWEEN_EDITS_MS);
	}

	private outcomeOf(shown: DisplayedSuggestion): StorySuggestion {
		const path = shown.uri.slice(ROOT.length);
		switch (shown.kind) {
			case "edit":
				return { kind: "edit", path, edits: shown.edits, cursor: shown.cursor, note: shown.why };
			case "jump":
				return { kind: "jump", path, offset: shown.at };
			case "rename": {
				const oldName = /^[\p{L}\p{N}_$]*/u.exec(this.host.text(shown.uri).slice(shown.at))?.[0] ?? "";
				return { kind: "rename", path, oldName, newName: shown.newName };
			}
			case "searchAndReplace": {
				const { search, replace, isRegex } = shown;
				return { kind: "searchAndReplace", path, search, replace, isRegex };
			}
		}
	}
}

function uriOf(path: string): string {
	return ROOT + path;
}
