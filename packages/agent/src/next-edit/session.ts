import {
	type DismissalReason,
	type DocumentEdits,
	History,
	Memory,
	type PredictionObserver,
	type ProposalKind,
	type Scene,
	type Workspace,
	wholeRename,
} from "@segue/predict";
import { type Change, type Document, namesBelow, type StartTimer, withoutCredentials } from "@segue/text";
import type { Outlines } from "../outline/outliner.js";
import type { FolderSource } from "./folder-files.js";
import { FolderSearch, predictInFolder, type ScenePrediction } from "./folder-search.js";
import { Mirror, type MirroredDocument, type SyncResult } from "./mirror.js";
import { andThen, type ListedModel, type Predict, type PredictCall, type SessionModels } from "./models.js";
import { type NoSuggestion, sentenceFor } from "./no-suggestion.js";
import type { Acceptance, RequestObservation, RequestObserver } from "./observer.js";
import { OFFERS_MAX, Offers, offerOf, type SuggestionOffer } from "./offers.js";
import { IgnoredCount, type OffReason, offReason, type PauseEnd, quietReason, TypingPause } from "./quiet.js";
import type { DocumentUpdate, NextEditRequest } from "./request.js";
import { sceneFor } from "./scene.js";
import { CurrentSettings, EMBEDDED, type Settings } from "./settings.js";
import { type Locate, Views } from "./views.js";

// A user waits only for the latest request; earlier ones are about to be cancelled. Beyond this limit, a new request
// cancels the oldest.
const PENDING_MAX = 4;

export interface NextEditSessionOptions {
	/** The kinds of suggestions that the editor can show in addition to edits. */
	readonly kinds: ReadonlySet<Exclude<ProposalKind, "edit">>;
	readonly workspace: Workspace;
	/** Predicts without models. */
	readonly predict: Predict;
	/** The models. If one is selected, it predicts instead of `predict`. */
	readonly models?: SessionModels | undefined;
	/** If omitted, documents are only tokenized, not parsed. */
	readonly outlines?: Outlines | undefined;
	/** If omitted, only open documents are searched. */
	readonly folders?: FolderSource | undefined;
	readonly observer?: RequestObserver | undefined;
	readonly now: () => number;
	/** Defaults to the runtime's timers. */
	readonly after?: StartTimer | undefined;
}

/** Either suggestions, of which the editor shows the first, or the reason why there are none. */
export type NextEditResponse =
	| { readonly suggestions: readonly [SuggestionOffer, ...SuggestionOffer[]] }
	| {
			readonly silence: NoSuggestion;
			/** An explanation or advice for the user. */
			readonly detail: string | undefined;
	  };

/** A next-edit session with its own documents, history, memory and settings. */
export class NextEditSession {
	/** Resolves when the models are loaded; undefined after that. */
	preparing: Promise<void> | undefined;
	private readonly current: CurrentSettings;
	private readonly ignored = new IgnoredCount();
	private readonly typing: TypingPause;
	private workspace: Workspace;
	private readonly mirror = new Mirror();
	private readonly views = new Views();
	/** Undefined if only open files are searched. */
	private search: FolderSearch | undefined;
	private history = History.empty;
	private memory = Memory.empty;
	private readonly offers = new Offers();
	/** Requests in flight. */
	private readonly pending = new Map<Promise<NextEditResponse>, PendingPrediction>();
	/**
	 * The scene of the newest response with suggestions, and their ids. Older scenes are dropped, because each references
	 * all documents.
	 */
	private newest: { readonly scene: Scene; readonly ids: readonly string[] } | undefined;
	private answers = 0;

	constructor(private readonly options: NextEditSessionOptions) {
		const { models, workspace } = options;
		this.workspace = cleaned(workspace);
		this.current = new CurrentSettings(options.now);
		this.search = this.searchFolders();
		this.typing = new TypingPause(options.now, options.after);
		this.preparing = models?.known.then(() => {
			this.preparing = undefined;
			this.applied(this.current.configure(models.settings));
			try {
				this.set({ model: models.configured });
			} catch (error) {
				// The model is not listed, or creating it failed. Continue with the embedded engine.
				models.report(error);
			}
		});
	}

	get settings(): Settings {
		return this.current.shown;
	}

	/** The initial settings: the defaults until the configuration is loaded. */
	get initial(): Settings {
		return this.current.initial;
	}

	/** The available models except the embedded engine; empty until they are loaded. */
	get models(): readonly ListedModel[] {
		return this.options.models?.listed ?? [];
	}

	/** Whether this is the name of an available model or of the embedded engine. */
	isModel(name: unknown): name is string {
		return name === EMBEDDED || this.models.some((model) => model.name === name);
	}

	/**
	 * Changes some of the settings. Setting a snooze restarts it, even with the same number of minutes. Throws a
	 * `RangeError` for an unknown model.
	 */
	set(changed: Partial<Settings>): void {
		const { model } = changed;
		if (model !== undefined) {
			if (!this.isModel(model)) throw new RangeError(`no such model: ${model}`);
			this.options.models?.choose(model);
		}
		this.current.set(changed);
		this.applied(changed);
	}

	/** Resets settings to their configured values. */
	unset(names: readonly (keyof Settings)[]): void {
		this.applied(this.current.unset(names));
		if (names.includes("model")) this.set({ model: this.options.models?.configured ?? EMBEDDED });
	}

	private applied({ giveUpAfterIgnored }: Partial<Settings>): void {
		if (giveUpAfterIgnored !== undefined) this.ignored.reset();
	}

	didOpen(document: Document): SyncResult {
		const outcome = this.mirror.open(document);
		this.search?.opened(document.uri);
		this.begin(document.uri);
		this.options.models?.changed(document.uri);
		return outcome;
	}

	didChange(update: DocumentUpdate): SyncResult {
		const outcome = this.mirror.change(update);
		if (outcome.kind === "changed") {
			const { before, change, after } = outcome;
			const isAccepted = this.offers.includes(before, change);
			const circumstances = { atMs: this.options.now(), isAccepted, after: after.text };
			this.history = this.history.changed(before, change, circumstances);
			this.views.changed(update.uri, change);
			this.outline(update.uri);
			this.typing.changed({ isTyped: !isAccepted });
		} else {
			this.begin(update.uri);
			this.typing.changed({ isTyped: true });
		}
		return outcome;
	}

	didClose(uri: string): void {
		this.mirror.close(uri);
		this.options.outlines?.forget(uri);
		this.options.models?.changed(uri);
		this.search?.changed(uri);
	}

	/** Must be called when a file has been saved, or when another program has created, changed or deleted it. */
	didSave(uri: string): void {
		this.options.models?.changed(uri);
		this.search?.changed(uri);
	}

	/** Must be called when the user has focused a file. `locate` is called as soon as its text is known. */
	didFocus(uri: string, locate: Locate): void {
		this.mirror.focus(uri);
		this.views.focus(uri, locate, this.mirror.textOf(uri));
	}

	/** Returns the session's copy of a document, even if the document is lost. */
	held(uri: string): MirroredDocument | undefined {
		return this.mirror.find(uri);
	}

	/** The session's copies of the editor's documents. */
	documents(): readonly MirroredDocument[] {
		return this.mirror.all();
	}

	/**
	 * Must be called when an event for a document was invalid. The document is not used until the editor sends its whole
	 * text.
	 */
	lose(uri: string, why: string): SyncResult {
		this.options.models?.changed(uri);
		return this.mirror.lose(uri, why);
	}

	/** Must be called when a missed event may have changed any document. */
	loseDocuments(): void {
		this.mirror.loseAll();
	}

	/**
	 * Builds the scene synchronously, so later events do not change it. For automatic requests, predicts only once the
	 * configuration is loaded and the user has stopped typing. Rejects with a `CancelledError` if the signal is aborted,
	 * the session is closed, or too many newer requests arrive.
	 */
	suggest(
		request: NextEditRequest,
		call: { readonly signal: AbortSignal },
	): NextEditResponse | Promise<NextEditResponse> {
		const resume = this.search?.pause();
		if (resume === undefined) return this.answer(request, call);
		let isPaused = false;
		try {
			const answer = this.answer(request, call);
			isPaused = answer instanceof Promise;
			if (answer instanceof Promise) answer.then(resume, resume);
			return answer;
		} finally {
			if (!isPaused) resume();
		}
	}

	private answer(
		request: NextEditRequest,
		{ signal }: { readonly signal: AbortSignal },
	): NextEditResponse | Promise<NextEditResponse> {
		if (request.trigger === "manual" && request.isUnlabelled !== true) this.ignored.reset();
		const { mirror, history, views, settings } = this;
		const { workspace } = this;
		const { kinds } = this.options;
		const outlines = this.options.outlines?.now() ?? NO_OUTLINES;
		const isOffered = (before: Document, change: Change) => this.offers.includes(before, change);
		const observation = this.options.observer?.begin(workspace);
		const scene = sceneFor(request, {
			mirror,
			history,
			isOffered,
			views,
			outlines,
			parse: this.options.outlines?.parse,
			nodesAround: this.options.outlines?.nodesAround,
			workspace,
			settings,
			kinds,
		});
		if ("obstacle" in scene)
			return respondEmpty({ silence: scene.obstacle, detail: undefined }, undefined, observation);
		const quiet = this.quiet(scene);
		if (quiet !== undefined) return respondEmpty(quiet, scene, observation);

		const work = new PendingPrediction(observation?.watch, () => this.mayAsk(scene.document));
		const wait = scene.trigger === "manual" ? undefined : this.wait(scene, work);
		const predicted = wait === undefined ? this.predict(scene, work) : undefined;
		if (predicted !== undefined && !(predicted instanceof Promise)) return this.respond(predicted, observation);
		if (this.pending.size >= PENDING_MAX) {
			const [oldest] = this.pending.values();
			oldest?.stop();
		}
		signal.addEventListener("abort", () => work.stop(), { once: true });
		const made =
			wait?.then((ended) => this.resume(ended, scene, work, observation)) ??
			Promise.resolve(predicted as Promise<ScenePrediction>).then((done) => {
				const off = this.off(scene.document);
				if (off !== undefined) return respondEmpty({ silence: off, detail: sentenceFor(off) }, scene, observation);
				return this.respond(done, observation);
			});
		const answer = Promise.race([made, work.stopped()]);
		this.pending.set(answer, work);
		const forget = () => this.pending.delete(answer);
		answer.then(forget, forget);
		return answer;
	}

	/** Predicts, and predicts again if a rule needs files that have to be read first. */
	private predict(scene: Scene, work: PendingPrediction): ScenePrediction | Promise<ScenePrediction> {
		const { search, options } = this;
		const chosen = options.models ?? options;
		if (search === undefined) {
			return andThen(chosen.predict(scene, this.memory, work), (prediction) => ({ prediction, scene }));
		}
		// Query the model only once: run the rules first to find out which files to read.
		if (options.models?.mayAskModel !== true) return predictInFolder(scene, search, chosen, this.memory, work);
		return andThen(predictInFolder(scene, search, options, this.memory, work), ({ scene: known }) => {
			return andThen(chosen.predict(known, this.memory, work), (prediction) => ({ prediction, scene: known }));
		});
	}

	private searchFolders(): FolderSearch | undefined {
		const { folders, now, outlines } = this.options;
		const { workspace, mirror } = this;
		if (folders === undefined) return undefined;
		const open = {
			has: (uri: string) => mirror.find(uri) !== undefined,
			uris: () => mirror.all().map(({ document }) => document.uri),
		};
		return new FolderSearch(folders.acquire(foldersOf(workspace)), now, open, outlines);
	}

	/** Continues a delayed request. The settings may have been changed or loaded since then. */
	private async resume(
		ended: PauseEnd,
		scene: Scene,
		work: PendingPrediction,
		observation: RequestObservation | undefined,
	): Promise<NextEditResponse> {
		if (ended === "changed") return respondEmpty({ silence: "stale", detail: undefined }, scene, observation);
		const quiet = this.quiet(scene);
		if (quiet !== undefined) return respondEmpty(quiet, scene, observation);
		return this.respond(await this.predict(scene, work), observation);
	}

	/**
	 * Whether the current settings allow querying a model about a document. They may have been loaded after the
	 * request.
	 */
	private mayAsk(document: Document): boolean {
		return !this.current.isTurnedOffByConfiguration && this.off(document) === undefined;
	}

	/** Returns the reason why a document gets no suggestions even for manual requests. */
	private off(document: Document): OffReason | undefined {
		return offReason(document, this.current.value, this.workspace);
	}

	/** The response to a request that the settings suppress. */
	private quiet(scene: Scene): EmptyResponse | undefined {
		if (!this.current.value.isEnabled) return { silence: "disabled", detail: undefined };
		const state = { isSnoozed: this.current.isSnoozed, ignoredInARow: this.ignored.inARow };
		const silence = quietReason(scene, this.current.value, state);
		return silence && { silence, detail: sentenceFor(silence) };
	}

	/**
	 * Resolves when an automatic request may be answered: the configuration is loaded, and the user has not typed for the
	 * configured delay. Undefined if there is nothing to wait for.
	 */
	private wait({ document }: Scene, call: PredictCall): Promise<PauseEnd> | undefined {
		// Without change events, a request is the first sign that the document changed.
		const isMirrored = this.mirror.textOf(document.uri) !== undefined;
		const sinceMs = isMirrored ? Number.NEGATIVE_INFINITY : this.options.now();
		const rest = () => this.typing.for(this.current.value.delayMs, sinceMs, call);
		return this.preparing === undefined ? rest() : this.preparing.then(() => rest() ?? "rested");
	}

	accept(id: string, how: Acceptance = { isPartial: false, isTyped: false }): void {
		const offer = this.offers.accept(id);
		if (offer === undefined) return;
		offer.observation?.recordOutcome(offer.suggestion, { kind: "accepted", ...how });
		this.ignored.reset();
		this.memory = this.memory.accepted(offer.suggestion);
		this.options.models?.recordFeedback(offer.suggestion, "accepted");
	}

	reject(id: string, reason: DismissalReason | undefined): void {
		const offer = this.offers.take(id);
		if (offer === undefined) return;
		offer.observation?.recordOutcome(offer.suggestion, { kind: "rejected", reason });
		this.memory = this.memory.rejected(offer.suggestion, reason);
		// The user may not have seen a suggestion that was replaced or cancelled.
		if (reason !== "rejected" && reason !== "ignored") return;
		this.options.models?.recordFeedback(offer.suggestion, reason);
		this.ignored.ignored(offer.answer);
	}

	/**
	 * Returns all edits of the rename that a suggestion belongs to, for the documents at the time of the suggestion.
	 * Undefined if the suggestion is not part of a rename, already has feedback, or is not from the newest response.
	 */
	wholeRename(id: string): readonly DocumentEdits[] | undefined {
		const offer = this.offers.find(id);
		if (offer === undefined || this.newest?.ids.includes(id) !== true) return undefined;
		const changed = wholeRename(this.newest.scene, this.memory, offer.suggestion);
		return changed?.some(({ document }) => this.off(document) !== undefined) ? undefined : changed;
	}

	/** Changes the workspace folders. The models of the initial workspace stay in use. */
	moveTo(workspace: Workspace): void {
		this.workspace = cleaned(workspace);
		// Acquire the new folders before releasing the old ones, so that folders in both keep their index.
		const left = this.search;
		this.search = this.searchFolders();
		left?.close();
	}

	/**
	 * Cancels requests in flight. Resolves after the callers of `suggest` have been notified, because they started waiting
	 * for the same promises earlier.
	 */
	async close(): Promise<void> {
		this.options.outlines?.forgetAll();
		this.options.models?.close();
		this.search?.close();
		const answers = [...this.pending.keys()];
		for (const work of this.pending.values()) work.stop();
		await Promise.allSettled(answers);
	}

	/** Starts over with a document after receiving its whole text, which may be unrelated to the previous text. */
	private begin(uri: string): void {
		const document = this.mirror.textOf(uri);
		if (document === undefined) return;
		this.history = this.history.opened(document);
		this.views.opened(document);
		this.options.outlines?.update(document);
	}

	private outline(uri: string): void {
		const document = this.mirror.textOf(uri);
		if (document !== undefined) this.options.outlines?.update(document);
	}

	private respond(
		{ prediction, scene }: ScenePrediction,
		observation: RequestObservation | undefined,
	): NextEditResponse {
		const isSilent = "silence" in prediction;
		const answer = { scene, observation: observation, answer: ++this.answers };
		const fit = isSilent ? [] : prediction.suggestions.flatMap((suggestion) => offerOf(suggestion, answer));
		const off = fit[0] && this.off(fit[0].document);
		const offers = fit.filter(({ document }) => this.off(document) === undefined).slice(0, OFFERS_MAX);
		if (offers.length > 0) {
			observation?.recordResponse({ scene, offers, silence: undefined });
			const suggestions = offers.map((offer) => this.offers.add(offer)) as [SuggestionOffer, ...SuggestionOffer[]];
			this.newest = { scene, ids: suggestions.map(({ id }) => id) };
			return { suggestions };
		}
		if (off !== undefined) return respondEmpty({ silence: off, detail: sentenceFor(off) }, scene, observation);
		const silence = isSilent ? prediction.silence : prediction.suggestions.length === 0 ? "nothing-found" : "unfit";
		const detail = isSilent ? (prediction.detail ?? this.searchedFor(silence, scene)) : undefined;
		const model = isSilent ? prediction.model : undefined;
		observation?.recordResponse({ scene, offers, silence, detail, model });
		return { silence, detail };
	}

	/** Returns a sentence about how many files were searched, if unopened files were among them. */
	private searchedFor(silence: NoSuggestion, { document, neighbours }: Scene): string | undefined {
		if (silence !== "nothing-found" || this.search === undefined) return undefined;
		const open = [document, ...neighbours];
		const folders = foldersOf(this.workspace);
		const isInside = ({ uri }: Document) => folders.some((folder) => namesBelow(folder.uri, uri) !== undefined);
		const others = this.search.size - open.filter(isInside).length;
		if (others <= 0) return undefined;
		const files = open.length === 1 ? "1 open file" : `${open.length} open files`;
		return `Searched ${files} and ${others.toLocaleString("en-US")} more in the folder.`;
	}
}

// More folders than users have open at the same time.
const FOLDERS_MAX = 100;

/**
 * Removes credentials from the repository's URL, which may become part of a prompt. Editors should have removed them
 * already.
 */
function cleaned({ uri, folders, repository }: Workspace): Workspace {
	const remoteUrl = repository && withoutCredentials(repository.remoteUrl);
	return {
		uri,
		folders: folders.slice(0, FOLDERS_MAX),
		repository:
			repository && remoteUrl !== undefined ? { name: repository.name, owner: repository.owner, remoteUrl } : undefined,
	};
}

/** The folders of a workspace. A client that lists no folders may still have sent the URI of its root. */
function foldersOf({ uri, folders }: Workspace): readonly { readonly uri: string }[] {
	return folders.length > 0 || uri === undefined ? folders : [{ uri }];
}

type EmptyResponse = Extract<NextEditResponse, { readonly silence: NoSuggestion }>;

/** Records and returns a response without suggestions. */
function respondEmpty(
	answer: EmptyResponse,
	scene: Scene | undefined,
	observation: RequestObservation | undefined,
): EmptyResponse {
	observation?.recordResponse({ scene, offers: [], ...answer });
	return answer;
}

const NO_OUTLINES = new Map<string, never>();

/** The cancellation of one request. Most requests finish synchronously, so the signal is created on first access. */
class PendingPrediction implements PredictCall {
	private controller: AbortController | undefined;

	constructor(
		readonly watch: PredictionObserver | undefined,
		readonly mayAskModel: () => boolean,
	) {}

	get signal(): AbortSignal {
		this.controller ??= new AbortController();
		return this.controller.signal;
	}

	stop(): void {
		this.controller?.abort(new CancelledError("Request cancelled"));
	}

	/** Rejects when the request is cancelled. */
	stopped(): Promise<never> {
		const { signal } = this;
		return new Promise((_resolve, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		});
	}
}

/** The request was cancelled. */
export class CancelledError extends Error {
	override readonly name = "Cancelled";
}
