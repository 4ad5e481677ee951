import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import { type NextEditRequest, NO_CONTEXT } from "@segue/agent/next-edit/request";
import { NextEditSession } from "@segue/agent/next-edit/session";
import type { Outlines } from "@segue/agent/outline/outliner";
import { type DismissalReason, type ProposalKind, predict, type Suggestion } from "@segue/predict";
import type { Player, StorySettings, StorySuggestion, StoryView } from "@segue/story";
import { Change, type Document, languageOf, type Text } from "@segue/text";
import { explainPrediction, type StoryExplanation } from "./explanation.js";

// Longer than any pause within one edit, so that every pane in a story is a separate edit.
const BETWEEN_EDITS_MS = 2000;

const ROOT = "file:///story/";

/**
 * Plays stories in a session of the built-in engine, without a protocol, and records the engine's candidates.
 */
export class ExplainingPlayer implements Player {
	/** One explanation per request. */
	readonly explanations: StoryExplanation[] = [];
	private readonly kinds = new Set<Exclude<ProposalKind, "edit">>();
	private readonly session: NextEditSession;
	private readonly documents = new Map<string, Document>();
	private here = "";
	private view: StoryView = { selection: { anchor: 0, head: 0 }, diagnostics: [] };
	private nowMs = 0;
	private offered: SuggestionOffer | undefined;

	constructor(outlines: Outlines) {
		this.session = new NextEditSession({
			kinds: this.kinds,
			workspace: { uri: ROOT, folders: [{ uri: ROOT, name: "story" }], repository: undefined },
			predict: (scene, memory) => {
				const prediction = predict(scene, memory);
				this.explanations.push(explainPrediction(scene, memory, prediction));
				return prediction;
			},
			outlines,
			now: () => this.nowMs,
		});
	}

	/** Ignores document sync and position encoding, which only protocols have. */
	async configure(settings: StorySettings): Promise<void> {
		if ("can" in settings) for (const kind of settings.can) this.kinds.add(kind);
	}

	async open(path: string, text: Text, view: StoryView): Promise<void> {
		const document = { uri: ROOT + path, languageId: languageOf(path), version: 1, text };
		this.documents.set(path, document);
		this.session.didOpen(document);
		this.here = path;
		this.view = view;
	}

	async change(path: string, change: Change, view: StoryView): Promise<void> {
		if (change.edits.length > 0) this.edit(path, change);
		this.turnTo(path, view);
	}

	async model(): Promise<void> {
		throw new Error('a story with "--- model says" needs a model and cannot be played on the built-in engine');
	}

	async suggest(): Promise<StorySuggestion> {
		const answer = await this.session.suggest(this.request(), { signal: new AbortController().signal });
		this.offered = "suggestions" in answer ? answer.suggestions[0] : undefined;
		if (this.offered !== undefined) return outcomeOf(this.offered.suggestion);
		return { kind: "nothing", reason: "silence" in answer ? answer.silence : "" };
	}

	async accept(): Promise<void> {
		const { id, suggestion } = this.known();
		if (suggestion.kind === "edit") {
			const path = storyPathOf(suggestion.uri);
			this.edit(path, Change.of(suggestion.edits, this.find(path).text.length));
		}
		if (suggestion.kind === "edit" || suggestion.kind === "jump") {
			const { uri, cursor } = suggestion;
			this.turnTo(storyPathOf(uri), { selection: { anchor: cursor, head: cursor }, diagnostics: [] });
		}
		this.session.accept(id);
	}

	async reject(reason: string | undefined): Promise<void> {
		this.session.reject(this.known().id, reason as DismissalReason | undefined);
	}

	async wait(ms: number): Promise<void> {
		this.nowMs += ms;
	}

	private request(): NextEditRequest {
		const { uri, version } = this.find(this.here);
		const { anchor, head } = this.view.selection;
		const diagnostics = this.view.diagnostics.map((diagnostic) => ({ uri, ...diagnostic }));
		return { uri, version, cursor: head, anchor, trigger: "automatic", context: { ...NO_CONTEXT, diagnostics } };
	}

	private edit(path: string, change: Change): void {
		const document = this.find(path);
		const version = document.version + 1;
		this.documents.set(path, { ...document, version, text: change.apply(document.text) });
		this.session.didChange({ uri: document.uri, version, change, isWhole: false });
		this.nowMs += BETWEEN_EDITS_MS;
	}

	private turnTo(path: string, view: StoryView): void {
		if (path !== this.here) {
			const cursor = view.selection.head;
			this.session.didFocus(this.find(path).uri, ({ length }) => ({ cursor, visible: { from: 0, to: length } }));
		}
		this.here = path;
		this.view = view;
	}

	private find(path: string): Document {
		const document = this.documents.get(path);
		if (document === undefined) throw new Error(`${path} is not open`);
		return document;
	}

	private known(): SuggestionOffer {
		if (this.offered === undefined) throw new Error("there is no suggestion to accept or dismiss");
		return this.offered;
	}
}

/** Returns a document's path in its story. */
export function storyPathOf(uri: string): string {
	return uri.slice(ROOT.length);
}

function outcomeOf(suggestion: Suggestion): StorySuggestion {
	const path = storyPathOf(suggestion.uri);
	switch (suggestion.kind) {
		case "edit":
			return { kind: "edit", path, edits: suggestion.edits, cursor: suggestion.cursor, note: suggestion.why };
		case "jump":
			return { kind: "jump", path, offset: suggestion.at };
		case "rename": {
			const { kind, oldName, newName } = suggestion;
			return { kind, path, oldName, newName };
		}
		case "searchAndReplace": {
			const { kind, search, replace, isRegex } = suggestion;
			return { kind, path, search, replace, isRegex };
		}
	}
}
