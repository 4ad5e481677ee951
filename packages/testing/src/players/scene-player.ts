import type { Outlines } from "@segue/agent/outline/outliner";
import {
	type DismissalReason,
	type Example,
	examplesOf,
	type Finding,
	History,
	Memory,
	type Proposal,
	predict,
	type Scene,
	type Suggestion,
	sceneOf,
} from "@segue/predict";
import type { Player, StorySettings, StorySuggestion, StoryView } from "@segue/story";
import { Change, type Document, languageOf, type Text } from "@segue/text";

// Longer than any pause within a single edit, so that every pane of a story is a separate edit.
const BETWEEN_EDITS_MS = 2000;

/** The suggestion for a scene, or the reason for having none. */
export type SceneOffer = { readonly proposal: Proposal; readonly why: string } | { readonly silence: string };

/**
 * Plays stories without a connection, by building scenes directly. Documents are ordered by last use, most recent
 * first.
 */
abstract class ScenePlayer implements Player {
	private documents: Document[] = [];
	private history = History.empty;
	private view: StoryView = { selection: { anchor: 0, head: 0 }, diagnostics: [] };
	private kinds: Scene["kinds"] = new Set();
	private nowMs = 0;
	private proposed: Proposal | undefined;

	/** If `outlines` is given, documents are parsed when they are opened and changed. */
	constructor(
		private readonly settings: Partial<Scene> = {},
		private readonly outlines?: Outlines,
	) {}

	protected abstract offer(scene: Scene): SceneOffer;

	abstract reject(reason: string | undefined): Promise<void>;

	async configure(settings: StorySettings): Promise<void> {
		if (!("can" in settings)) throw new Error("only `can` is supported without a connection");
		this.kinds = new Set(settings.can);
	}

	async open(path: string, text: Text, view: StoryView): Promise<void> {
		const document = { uri: path, languageId: languageOf(path), version: 0, text };
		this.history = this.history.opened(document);
		this.turnTo(document, view);
	}

	async change(path: string, change: Change, view: StoryView): Promise<void> {
		this.apply(path, change, view, false);
	}

	async model(): Promise<void> {
		throw new Error("this player has no model");
	}

	async suggest(): Promise<StorySuggestion> {
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

	/** Returns the offset after the last edit, in the edited text. */
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

	private apply(path: string, change: Change, view: StoryView, isAccepted: boolean): void {
		const document = this.find(path);
		this.history = this.history.changed(document, change, { atMs: this.nowMs, isAccepted });
		const text = this.history.fileOf(path)?.now ?? change.apply(document.text);
		this.turnTo({ ...document, version: document.version + 1, text }, view);
		this.nowMs += BETWEEN_EDITS_MS;
	}

	private turnTo(document: Document, view: StoryView): void {
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

/** Plays stories on the whole engine, including all predictors, the scorer, the gate and the memory. */
export class EnginePlayer extends ScenePlayer {
	/** All suggestions, in order. */
	readonly shown: Suggestion[] = [];
	private memory = Memory.empty;
	private best: Suggestion | undefined;

	protected offer(scene: Scene): SceneOffer {
		const prediction = predict(scene, this.memory);
		if ("silence" in prediction) return prediction;
		const best = prediction.suggestions[0] as Suggestion;
		this.best = best;
		this.shown.push(best);
		const isThere = best.kind !== "edit" || best.cursor === this.cursorAfter(best);
		if (!isThere) throw new Error(`the cursor must be after the edit, not at ${best.cursor}`);
		return { proposal: best, why: best.why };
	}

	override async accept(): Promise<void> {
		this.memory = this.memory.accepted(this.best as Suggestion);
		await super.accept();
	}

	async reject(reason: string | undefined): Promise<void> {
		this.memory = this.memory.rejected(this.best as Suggestion, reason as DismissalReason | undefined);
	}
}

/** Plays stories on a single predictor, without a scorer or gate. Suggests the predictor's first finding. */
export class PredictorPlayer extends ScenePlayer {
	constructor(
		private readonly propose: (scene: Scene, examples: readonly Example[]) => Finding[],
		settings?: Partial<Scene>,
		outlines?: Outlines,
	) {
		super(settings, outlines);
	}

	protected offer(scene: Scene): SceneOffer {
		const [first] = this.propose(scene, examplesOf(scene.history));
		return first === undefined ? { silence: "nothing-found" } : { proposal: first.proposal, why: first.why([]) };
	}

	async reject(): Promise<void> {
		throw new Error("predictors do not support rejections");
	}
}
