import type { Outlines } from "@segue/agent/outline/outliner";
import { History, type Proposal, type Scene, sceneOf } from "@segue/predict";
import type { Outcome, Player, Settings, View } from "@segue/story";
import { Change, type Document, languageOf, type Text } from "@segue/text";

// Longer than any pause inside one edit of a user, so that every pane of a story is an edit of its own.
const BETWEEN_EDITS_MS = 2000;

/** What is offered in a scene, or why nothing is. */
export type Offered = { readonly proposal: Proposal; readonly why: string } | { readonly silence: string };

/**
 * Plays stories without any wire: a scene goes in, and what is offered comes out. The documents are the scene's, the last
 * one the user was in first.
 */
export abstract class ScenePlayer implements Player {
	private documents: Document[] = [];
	private history = History.empty;
	private view: View = { selection: { anchor: 0, head: 0 }, diagnostics: [] };
	private kinds: Scene["kinds"] = new Set();
	private nowMs = 0;
	private proposed: Proposal | undefined;

	/** With outlines, documents are parsed as they are opened and changed. */
	constructor(
		private readonly settings: Partial<Scene> = {},
		private readonly outlines?: Outlines,
	) {}

	protected abstract offer(scene: Scene): Offered;

	abstract reject(reason: string | undefined): Promise<void>;

	async configure(settings: Settings): Promise<void> {
		if (!("can" in settings)) throw new Error("there are no encodings without a wire");
		this.kinds = new Set(settings.can);
	}

	async open(path: string, text: Text, view: View): Promise<void> {
		const document = { uri: path, languageId: languageOf(path), version: 0, text };
		this.history = this.history.opened(document);
		this.turnTo(document, view);
	}

	async change(path: string, change: Change, view: View): Promise<void> {
		this.apply(path, change, view, false);
	}

	async model(): Promise<void> {
		throw new Error("there is no model here");
	}

	async suggest(): Promise<Outcome> {
		const offered = this.offer(this.scene());
		if ("silence" in offered) return { kind: "nothing", reason: offered.silence };
		const { proposal, why } = offered;
		this.proposed = proposal;
		const path = proposal.uri;
		switch (proposal.kind) {
			case "edit":
				return { kind: "edit", path, edits: proposal.edits, cursor: this.cursorAfter(proposal), note: why };
			case "jump":
				return { kind: "jump", path, offset: proposal.at };
			default:
				return { ...proposal, path };
		}
	}

	async accept(): Promise<void> {
		const { proposed } = this;
		if (proposed?.kind === "jump") {
			const selection = { anchor: proposed.at, head: proposed.at };
			this.turnTo(this.find(proposed.uri), { selection, diagnostics: [] });
		}
		if (proposed?.kind !== "edit") return;
		const head = this.cursorAfter(proposed);
		const change = Change.of(proposed.edits, this.find(proposed.uri).text.length);
		this.apply(proposed.uri, change, { selection: { anchor: head, head }, diagnostics: [] }, true);
	}

	async wait(ms: number): Promise<void> {
		this.nowMs += ms;
	}

	/** Where the cursor is after an edit, in the text after it: behind its last part. */
	protected cursorAfter({ uri, edits }: Extract<Proposal, { kind: "edit" }>): number {
		const change = Change.of(edits, this.find(uri).text.length);
		return change.map(change.edits.at(-1)?.to ?? 0, "after");
	}

	private scene(): Scene {
		const [document, ...neighbours] = this.documents as [Document, ...Document[]];
		const { selection, diagnostics } = this.view;
		return {
			...sceneOf(document, this.history, selection.head),
			selection,
			neighbours,
			...(this.outlines && {
				outlines: this.outlines.now(),
				parse: this.outlines.parse,
				nodesAround: this.outlines.nodesAround,
			}),
			diagnostics: diagnostics.map((one) => ({ ...one, uri: document.uri })),
			kinds: this.kinds,
			...this.settings,
		};
	}

	private apply(path: string, change: Change, view: View, isAccepted: boolean): void {
		const document = this.find(path);
		this.history = this.history.changed(document, change, { atMs: this.nowMs, isAccepted });
		const text = this.history.fileOf(path)?.now ?? change.apply(document.text);
		this.turnTo({ ...document, version: document.version + 1, text }, view);
		this.nowMs += BETWEEN_EDITS_MS;
	}

	private turnTo(document: Document, view: View): void {
		this.outlines?.update(document);
		this.documents = [document, ...this.documents.filter(({ uri }) => uri !== document.uri)];
		this.view = view;
	}

	private find(path: string): Document {
		const document = this.documents.find(({ uri }) => uri === path);
		if (document === undefined) throw new Error(`${path} is not open`);
		return document;
	}
}
