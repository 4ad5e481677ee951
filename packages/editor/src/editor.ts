import * as acp from "@segue/protocol/acp";
import type { Channel, Connection, Handler } from "@segue/rpc";
import {
	Change,
	type Clock,
	type Document,
	type Edit,
	type Event,
	isKeyText,
	namesBelow,
	recordChange,
	SYSTEM_CLOCK,
	sameUri,
	Text,
	uriKey,
} from "@segue/text";
import { Privacy } from "@segue/text/privacy";
import { Agent } from "./connection/agent.js";
import type { Session } from "./connection/agent-connection.js";
import { viewOf } from "./document-view.js";
import type { ChangeCause, FileEdits, Host } from "./host.js";
import { ActionHistory } from "./requests/action-history.js";
import { Debounce } from "./requests/debounce.js";
import { type ActiveSession, Requester } from "./requests/requester.js";
import { Matcher } from "./search/matcher.js";
import { previewReplace, type SearchAndReplace } from "./search/search-and-replace.js";
import { isDivisible, SuggestionApplier } from "./suggestions/apply.js";
import { carryDisplay, type DisplayedSuggestion, displayOf, suggestionStart } from "./suggestions/display.js";
import { SuggestionQueue, type UserDecision } from "./suggestions/suggestion-queue.js";
import { SurplusTab } from "./suggestions/tab-key.js";
import { catchUp, DocumentSynchronizer } from "./sync/document-sync.js";
import { OpenDocuments } from "./sync/open-documents.js";
import { workspaceCapabilities, workspaceHandlers } from "./workspace-handlers.js";

// A prompt uses about six events. More are stored because some may belong to private files.
const EVENTS_MAX = 32;
// A diagnostic at most this many lines from the cursor is probably caused by the user's current edit.
const NEAR_LINES = 12;

export interface EditorOptions {
	readonly host: Host;
	/**
	 * Starts or connects to an agent and returns the channel to it. Called again after the agent exits or disconnects.
	 */
	readonly connect: () => Channel | Promise<Channel>;
	/** The plugin's name and version, sent to the agent. */
	readonly clientInfo: NonNullable<acp.InitializeRequest["clientInfo"]>;
	readonly clock?: Clock;
	/** Called with each new connection before any message is sent, for example to start recording messages. */
	readonly connected?: (connection: Connection<"client">) => void;
	/** Called with the connection after `initialize`, when the plugin can send its own requests, for example for chat. */
	readonly initialized?: (connection: Connection<"client">) => void;
	/**
	 * The kinds of suggestions to allow in addition to edits. Kinds that the host does not support are ignored.
	 * Default: every supported kind.
	 */
	readonly kinds?: readonly Exclude<acp.SuggestionKind, "edit">[];
	/** The position encodings to offer the agent, in order of preference. Default: all. */
	readonly encodings?: readonly acp.PositionEncoding[];
	/**
	 * For a plugin that also chats on this connection: its chat capabilities and the handlers for the agent's messages.
	 */
	readonly chat?: { readonly capabilities: acp.ClientCapabilities; readonly handlers: readonly Handler<"agent">[] };
	/** Called when a next-edit session starts. The plugin needs its id to change its settings. */
	readonly started?: (sessionId: string) => void;
}

/**
 * Next-edit suggestions for one editor. The plugin reports events and user actions. `Editor` talks to the agent and
 * calls the host to show and apply suggestions.
 */
export class Editor {
	private readonly host: Host;
	private readonly clock: Clock;
	private readonly documents = new OpenDocuments();
	private readonly debounce = new Debounce();
	private readonly privacy: Privacy;
	private readonly matcher: Matcher;
	private readonly agent: Agent;
	private readonly requester: Requester;
	private readonly applier: SuggestionApplier;
	private readonly surplusTab: SurplusTab;
	private activeSession: ActiveSession | undefined;
	private events: readonly Event[] = [];
	private actions = ActionHistory.none;
	private shown: DisplayedSuggestion | undefined;
	/** Why the last suggestion was removed, until it is reported. */
	private removalReason: "rejected" | "ignored" | undefined;
	/** Expected text of each document that a suggestion is being applied to, by `uriKey`. */
	private readonly expected = new Map<string, Text>();
	/** The errors and warnings last seen near the cursor. */
	private nearby: ReadonlySet<string> = new Set();
	private readonly ending = new AbortController();

	constructor(options: EditorOptions) {
		const { host, clock = SYSTEM_CLOCK, connect, clientInfo, connected, initialized, chat } = options;
		this.host = host;
		this.clock = clock;
		const folders = () => host.workspace().folders.map(({ uri }) => uri);
		const isOutside = (uri: string) => !folders().some((folder) => namesBelow(folder, uri) !== undefined);
		this.privacy = new Privacy(host.files, folders, (uri) => host.isPrivate?.(uri) ?? isOutside(uri));
		this.matcher = new Matcher(host.startWorker?.bind(host), clock);
		const { documents, debounce, privacy } = this;
		const kinds = kindsOf(host, options.kinds);
		this.agent = new Agent({
			host,
			clock,
			connect,
			clientInfo,
			capabilities: { ...chat?.capabilities, ...capabilitiesOf(host, kinds, options.encodings) },
			handlers: [
				...(chat?.handlers ?? []),
				...workspaceHandlers({
					host,
					sessionFolders: (id) => (id === this.activeSession?.session.id ? folders() : undefined),
					document: (uri) => documents.find(uri)?.document,
					isPrivate: (uri) => privacy.isPrivate(uri),
					encoding: () => this.activeSession?.session.encoding ?? "utf-16",
				}),
			],
			started: (session) => {
				this.started(session);
				options.started?.(session.id);
			},
			ended: () => this.ended(),
			...(connected && { connected }),
			...(initialized && { initialized }),
		});
		this.requester = new Requester({
			host,
			clock,
			documents,
			debounce,
			privacy,
			kinds,
			agent: this.agent,
			activeSession: () => this.activeSession,
			past: () => ({ events: this.events, actions: this.actions.list }),
			answered: () => this.present(),
		});
		this.applier = new SuggestionApplier({
			host,
			documents,
			shown: () => this.shown,
			preview: (search) => this.preview(search),
			applying: (files) => this.expect(files),
			changed: () => this.present(),
			flush: () => this.activeSession?.sync.flushAll(),
		});
		this.surplusTab = new SurplusTab(clock, (isIgnored) => host.ignoreTab?.(isIgnored));
		this.agent.start();
	}

	didOpen(opened: { uri: string; languageId: string; version: number; text: string }): void {
		// The editor may have reloaded the file with another encoding, so treat it as a new document.
		const before = this.documents.find(opened.uri);
		const isActive = before !== undefined && before === this.documents.active;
		if (before !== undefined) this.didClose(before.document.uri);
		const document = { ...opened, text: Text.of(opened.text) };
		this.documents.opened(document, this.clock.now());
		if (isActive) this.documents.focused(opened.uri, this.clock.now());
		this.events = withoutStale(this.events, document);
		this.activeSession?.queue.opened(document);
		// The file may now be a link, or the link may have a new target.
		this.privacy.changed([opened.uri]);
		void this.judge(opened.uri);
		this.present();
	}

	/**
	 * Reports a change. All `edits` use offsets in the text before the change. Throws a RangeError if the document is not
	 * open, `version` is not newer, or the edits do not fit the last known text.
	 */
	didChange(uri: string, version: number, edits: readonly Edit[], cause: ChangeCause = "typing"): void {
		const { before, change } = this.documents.changed(uri, version, ({ text }) => Change.of(edits, text.length));
		const after = this.documents.find(uri)?.document ?? before;
		if (isKeyText(after.text)) this.judged(uri, true);
		else if (isKeyText(before.text)) void this.judge(uri);
		const atMs = this.clock.now();
		const isAccepted = this.expected.get(uriKey(uri))?.equals(after.text) === true;
		const step = { document: before, change, after: after.text, atMs, isAccepted };
		if (!this.documents.find(uri)?.isPrivate) this.events = recordChange(this.events, step, EVENTS_MAX);
		this.actions = this.actions.changed(before, change, after.text, cause, atMs);
		this.requester.changed(uri, change);
		this.activeSession?.sync.changed(after, change);
		const hand = isAccepted ? "suggestion" : cause === "typing" || cause === "paste" ? "user" : "others";
		this.activeSession?.queue.changed(uri, change, before.text, hand);
		this.debounce.changed(uri, change); // the offsets of rejections refer to the text before the change
		this.presentChange(uri, change);
		const isActive = this.documents.active?.document === after;
		if (isActive && !isAccepted) this.surplusTab.end();
		if (isActive || this.activeSession?.queue.isOutdated) this.requester.soon("automatic");
	}

	didClose(uri: string): void {
		this.documents.closed(uri);
		this.requester.closed(uri);
		this.activeSession?.queue.closed(uri);
		this.activeSession?.sync.closed(uri);
		this.present();
		this.checkOutdated();
	}

	didSave(uri: string): void {
		this.activeSession?.sync.saved(uri);
		this.didChangeFiles([uri]);
	}

	/** Reports files and folders that were created, written, moved or deleted on disk, by any program. */
	didChangeFiles(uris: readonly string[]): void {
		this.privacy.changed(uris);
		void this.judgeAll();
	}

	/** Reports that the user switched to a document. */
	didFocus(uri: string): void {
		const before = this.documents.active?.document;
		this.documents.focused(uri, this.clock.now());
		if (before !== this.documents.active?.document) this.requester.cancel();
		this.sendFocus();
		this.nearby = this.diagnosticsNearby();
		this.didMove();
	}

	/** Reports that the user moved the cursor or scrolled. */
	didMove(): void {
		const document = this.documents.active?.document;
		const view = document && viewOf(this.host, document);
		if (document !== undefined && view !== undefined) {
			const before = this.actions;
			this.actions = before.moved(document, view.head, this.clock.now());
			// Switching documents cancelled the request that would have confirmed an outdated suggestion.
			if (this.actions !== before || this.activeSession?.queue.isOutdated) this.requester.soon("automatic");
		}
		if (this.ignoresTab) this.surplusTab.moved(this.cursor());
		this.present();
	}

	/** Reports that a document's diagnostics have changed. */
	didDiagnose(uri: string): void {
		const document = this.documents.active?.document;
		if (document === undefined || uriKey(document.uri) !== uriKey(uri)) return;
		const nearby = this.diagnosticsNearby();
		const isNew = [...nearby].some((one) => !this.nearby.has(one));
		this.nearby = nearby;
		if (isNew) this.requester.soon("diagnostic");
	}

	/** Reports that the workspace folders or the repository have changed. Starts a new session if necessary. */
	didChangeWorkspace(): void {
		// Ignore rules depend on the folders. Check all documents before the new session sends any.
		this.privacy.forget();
		void this.judgeAll().then(() => this.agent.renew());
	}

	/** Starts a new session, because the agent remembers which suggestions the user dismissed in the current one. */
	async restartSession(): Promise<void> {
		await this.agent.restart();
	}

	/** Requests a suggestion immediately, because the user asked for one. */
	async suggest(): Promise<void> {
		await this.requester.now();
	}

	/** The suggestion being shown. Plugins use it to decide what their keys do. */
	get current(): DisplayedSuggestion | undefined {
		return this.shown;
	}

	/**
	 * Whether Tab has no effect: right after an accepted edit or jump, until the user types or moves the cursor. While a
	 * suggestion is shown, Tab accepts it.
	 */
	get ignoresTab(): boolean {
		return this.surplusTab.isIgnored;
	}

	/**
	 * Handles Tab: moves to the next part of the suggestion that is not visible, or accepts the suggestion if all of it
	 * is visible. Resolves to false if nothing is shown; while `ignoresTab` is true, this starts its time again.
	 */
	async tab(): Promise<boolean> {
		const { shown, activeSession } = this;
		if (shown === undefined) this.surplusTab.pressed();
		if (shown === undefined || activeSession === undefined) return false;
		const isSeries = shown.kind === "jump" || (shown.kind === "edit" && shown.as !== "chip");
		await this.accepting(isSeries, () => this.applier.tab(shown, activeSession.queue));
		return true;
	}

	/**
	 * Accepts the whole suggestion, or its next line or word. A line or word is accepted only if the suggestion is
	 * visible, because its key usually moves the cursor and the user must not accept unseen text. Resolves to false if
	 * nothing was accepted.
	 */
	async accept(how: "whole" | "line" | "word"): Promise<boolean> {
		const { shown, activeSession } = this;
		if (shown === undefined || activeSession === undefined) return false;
		if (how !== "whole" && shown.as === "chip") return false;
		const { queue } = activeSession;
		return this.accepting(shown.kind === "edit" || shown.kind === "jump", () => {
			return how === "whole" ? this.applier.whole(queue) : this.applier.part(how, queue);
		});
	}

	/** Reports that the editor has applied the suggestion with its own key, for example as ghost text. */
	didAccept(): void {
		this.surplusTab.accepting();
		this.surplusTab.accepted(this.cursor());
	}

	/**
	 * Whether `accept` for a word or line would accept only a part of the suggestion. A plugin with buttons for them hides
	 * a button while this is false.
	 */
	isDivisible(by: "word" | "line"): boolean {
		const { shown } = this;
		if (shown?.kind !== "edit" || shown.as === "chip") return false;
		const open = this.documents.find(shown.uri);
		return open !== undefined && isDivisible(shown.edits, by, open.document.text);
	}

	/** Handles Esc: dismisses the suggestion. Returns false if nothing is shown. */
	reject(): boolean {
		if (this.shown === undefined) return false;
		this.surplusTab.end();
		this.activeSession?.queue.dismiss("rejected");
		this.requester.cancel();
		this.present();
		return true;
	}

	/** Stops everything, including the agent. */
	async close(): Promise<void> {
		this.ending.abort();
		this.surplusTab.end();
		this.requester.close();
		this.matcher.stop();
		await this.agent.close();
		this.present();
	}

	private started(session: Session): void {
		const queue = new SuggestionQueue((verdict) => this.decide(session, verdict));
		const sync = new DocumentSynchronizer(session);
		this.activeSession = { session, sync, queue };
		for (const { document, isPrivate } of this.documents.recent().reverse()) {
			if (isPrivate === false) catchUp(sync, document, this.events);
		}
		this.sendFocus();
		// A suggestion may be available for edits made while there was no session.
		this.requester.soon("automatic");
	}

	private ended(): void {
		this.activeSession = undefined;
		this.requester.cancel();
		this.present();
	}

	/**
	 * Runs an action that accepts a suggestion. Resolves to whether it accepted something. `isSeries` says whether users
	 * accept such suggestions one after another.
	 */
	private async accepting(isSeries: boolean, run: () => Promise<boolean>): Promise<boolean> {
		if (isSeries) this.surplusTab.accepting();
		const isAccepted = await run();
		if (isAccepted && isSeries) this.surplusTab.accepted(this.cursor());
		else if (isSeries) this.surplusTab.end();
		this.present();
		this.checkOutdated();
		return isAccepted;
	}

	/** The cursor in the active document; undefined if no editor shows it. */
	private cursor() {
		const active = this.documents.active?.document;
		const view = active && viewOf(this.host, active);
		return view && { uri: active.uri, anchor: view.anchor, head: view.head };
	}

	/** Requests suggestions again if the current suggestion is outdated. Withdraws it if no request can be sent. */
	private checkOutdated(): void {
		if (this.activeSession?.queue.isOutdated) this.requester.soon("automatic");
	}

	private sendFocus(): void {
		const active = this.documents.active?.document;
		const view = active && viewOf(this.host, active);
		if (active !== undefined && view !== undefined) this.activeSession?.sync.focused(active.uri, view);
	}

	/** Checks whether a document is private, then opens it for the agent or closes it. */
	private async judge(uri: string): Promise<void> {
		const text = this.documents.find(uri)?.document.text;
		const isPrivate = (text !== undefined && isKeyText(text)) || this.privacy.isPrivate(uri);
		this.judged(uri, typeof isPrivate === "boolean" ? isPrivate : await isPrivate);
	}

	private async judgeAll(): Promise<void> {
		await Promise.all(this.documents.recent().map(({ document }) => this.judge(document.uri)));
	}

	private judged(uri: string, isPrivate: boolean): void {
		const open = this.documents.find(uri);
		if (open === undefined || this.ending.signal.aborted || open.isPrivate === isPrivate) return;
		this.documents.judged(uri, isPrivate);
		if (isPrivate) {
			this.events = this.events.filter((event) => !sameUri(event.uri, uri));
			this.requester.closed(uri);
			this.activeSession?.sync.closed(uri);
			this.activeSession?.queue.closed(uri);
			this.present();
			this.checkOutdated();
			return;
		}
		// If a document was private, its history stays private.
		const past = open.isPrivate === undefined ? this.events : [];
		if (this.activeSession !== undefined) catchUp(this.activeSession.sync, open.document, past);
		if (this.documents.active?.document === open.document) this.sendFocus();
	}

	private decide(session: Session, verdict: UserDecision): void {
		const { suggestion } = verdict;
		const atMs = this.clock.now();
		if (verdict.kind === "accepted") this.debounce.accepted(atMs);
		else if (verdict.reason === "rejected") this.debounce.rejected(atMs, suggestion.uri, suggestionStart(suggestion));
		// Lets the host explain why the suggestion disappeared.
		if (verdict.kind === "rejected" && (verdict.reason === "rejected" || verdict.reason === "ignored")) {
			this.removalReason = verdict.reason;
		}
		if (this.activeSession?.session !== session) return;
		const { connection, id: sessionId } = session;
		const { id } = suggestion;
		if (verdict.kind === "accepted") {
			// The agent must receive the typed text before the acceptance.
			this.activeSession.sync.flushAll();
			const { isPartial, isTyped } = verdict;
			const segue = { ...(isPartial && { partial: true }), ...(isTyped && { typed: true }) };
			const _meta = isPartial || isTyped ? { _meta: { segue } } : {};
			connection.notify(acp.nesAccept, { sessionId, id, ..._meta });
		} else {
			connection.notify(acp.nesReject, { sessionId, id, ...(verdict.reason && { reason: verdict.reason }) });
		}
	}

	/** Updates the host if the suggestion to show has changed. */
	private present(): void {
		const current = this.activeSession?.queue.current;
		if (current !== undefined || this.shown !== undefined) {
			const active = this.documents.active?.document;
			this.draw(current && displayOf(current, active, active && viewOf(this.host, active)));
		}
		this.reportRemoval();
	}

	/** Call this after the suggestion was removed, so that the page does not clear the reason with it. */
	private reportRemoval(): void {
		const { removalReason } = this;
		this.removalReason = undefined;
		if (removalReason !== undefined) this.host.report({ kind: "no-suggestion", text: removalReason });
	}

	/** Many editors report the cursor only after the change, so keep the previous presentation until then. */
	private presentChange(uri: string, change: Change): void {
		const current = this.activeSession?.queue.current;
		if (current === undefined || current.suggestion.id !== this.shown?.id) this.present();
		else this.draw(carryDisplay(this.shown, current.suggestion, uri, change));
		this.reportRemoval();
	}

	private draw(shown: DisplayedSuggestion | undefined): void {
		if (JSON.stringify({ ...shown, fileText: 0 }) === JSON.stringify({ ...this.shown, fileText: 0 })) return;
		this.shown = shown;
		try {
			this.host.show(shown);
		} catch (error) {
			this.host.report({ kind: "failed", text: `the suggestion could not be shown: ${error}` });
		}
	}

	/** Finds the edits for a search and replace. Reports to the host if a limit was reached. */
	private async preview(search: SearchAndReplace): Promise<readonly FileEdits[]> {
		const { host, documents, privacy, matcher } = this;
		const { files, limit } = await previewReplace(search, {
			folders: host.workspace().folders.map(({ uri }) => uri),
			open: documents.recent().map(({ document }) => document),
			files: host.files,
			privacy,
			matcher,
			signal: this.ending.signal,
		});
		if (limit !== undefined) host.report({ kind: "failed", text: limit });
		return files;
	}

	/** Stores the expected texts of documents that are about to change. Returns a function that removes them. */
	private expect(files: readonly FileEdits[]): () => void {
		for (const { uri, edits } of files) {
			const text = this.documents.find(uri)?.document.text;
			if (text !== undefined) this.expected.set(uriKey(uri), Change.of(edits, text.length).apply(text));
		}
		return () => {
			for (const { uri } of files) this.expected.delete(uriKey(uri));
		};
	}

	/**
	 * Returns the errors and warnings near the cursor, without positions, so that a diagnostic that moved still
	 * compares equal.
	 */
	private diagnosticsNearby(): ReadonlySet<string> {
		const document = this.documents.active?.document;
		const view = document && viewOf(this.host, document);
		if (document === undefined || view === undefined) return new Set();
		const { text, uri } = document;
		const line = text.lineAt(view.head);
		const near = (this.host.diagnostics?.(uri) ?? []).filter(({ from, severity }) => {
			const isSevere = severity === "error" || severity === "warning";
			return isSevere && Math.abs(text.lineAt(Math.max(0, Math.min(from, text.length))) - line) <= NEAR_LINES;
		});
		return new Set(near.map(({ severity, message }) => `${severity}: ${message}`));
	}
}

/** Removes the events of a reopened document if its text has changed since the last event. */
function withoutStale(events: readonly Event[], { uri, text }: Document): readonly Event[] {
	const last = events.findLast((event) => sameUri(event.uri, uri));
	return last === undefined || last.after.equals(text) ? events : events.filter((event) => !sameUri(event.uri, uri));
}

/** Returns the kinds of suggestions, other than edits, that the host supports and the plugin wants. */
function kindsOf(host: Host, wanted: EditorOptions["kinds"]): ReadonlySet<Exclude<acp.SuggestionKind, "edit">> {
	const kinds: Exclude<acp.SuggestionKind, "edit">[] = ["jump"];
	if (host.rename !== undefined) kinds.push("rename");
	// Agents may send any regular expression, so the search needs a worker that can be stopped.
	if (host.preview !== undefined && host.startWorker !== undefined) kinds.push("searchAndReplace");
	return new Set(kinds.filter((kind) => wanted?.includes(kind) ?? true));
}

function capabilitiesOf(
	host: Host,
	kinds: ReadonlySet<Exclude<acp.SuggestionKind, "edit">>,
	// Offsets are UTF-16, so the first encoding is the cheapest.
	encodings: readonly acp.PositionEncoding[] = ["utf-16", "utf-32", "utf-8"],
): acp.ClientCapabilities {
	const workspace = workspaceCapabilities(host);
	return {
		nes: Object.fromEntries([...kinds].map((kind) => [kind, {}])),
		positionEncodings: [...encodings],
		...(workspace && { workspace }),
	};
}
