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
import { SuggestionApplier } from "./suggestions/apply.js";
import { carryDisplay, type DisplayedSuggestion, displayOf, suggestionStart } from "./suggestions/display.js";
import { SuggestionQueue, type UserDecision } from "./suggestions/suggestion-queue.js";
import { catchUp, DocumentSynchronizer } from "./sync/document-sync.js";
import { OpenDocuments } from "./sync/open-documents.js";
import { workspaceCapabilities, workspaceHandlers } from "./workspace-handlers.js";

// A prompt takes about six. The rest are there for when some are of files that agents are not told of.
const EVENTS_MAX = 32;
// An error this far from the cursor is about what the user does; one further away was there before.
const NEAR_LINES = 12;

export interface EditorOptions {
	readonly host: Host;
	/** Starts an agent, or dials one, and returns the channel to it. Called again when it died. */
	readonly connect: () => Channel | Promise<Channel>;
	/** The name and version of the plugin. */
	readonly clientInfo: NonNullable<acp.InitializeRequest["clientInfo"]>;
	readonly clock?: Clock;
	/** There is a connection on which nothing has been said yet: for those who want to listen. */
	readonly connected?: (connection: Connection<"client">) => void;
	/** The agent has introduced itself on it, and may be asked for something: for those who want to chat. */
	readonly initialized?: (connection: Connection<"client">) => void;
	/** What an agent may suggest besides edits, of what the host can do; all of that where it is absent. */
	readonly kinds?: readonly Exclude<acp.SuggestionKind, "edit">[];
	/** The encodings of positions that an agent may choose from, the best first; all where it is absent. */
	readonly encodings?: readonly acp.PositionEncoding[];
	/** For a plugin that chats on the same connection: what it can do there, and what it does with what the agent says. */
	readonly chat?: { readonly capabilities: acp.ClientCapabilities; readonly handlers: readonly Handler<"agent">[] };
	/** Next edits have begun: the session's id is what its settings are changed by. */
	readonly started?: (sessionId: string) => void;
}

/**
 * Next edits for one editor. The plugin tells it what happens and what the user wants; it talks to the agent, and tells
 * the host what to draw and to do.
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
	private activeSession: ActiveSession | undefined;
	private events: readonly Event[] = [];
	private actions = ActionHistory.none;
	private shown: DisplayedSuggestion | undefined;
	/** What documents will be when a suggestion that is being taken has become part of them, by `uriKey`. */
	private readonly expected = new Map<string, Text>();
	/** The diagnostics that were near the cursor last. */
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
		this.agent.start();
	}

	didOpen(opened: { uri: string; languageId: string; version: number; text: string }): void {
		// What an editor reads anew, perhaps in another encoding, is another text.
		const before = this.documents.find(opened.uri);
		const isActive = before !== undefined && before === this.documents.active;
		if (before !== undefined) this.didClose(before.document.uri);
		const document = { ...opened, text: Text.of(opened.text) };
		this.documents.opened(document, this.clock.now());
		if (isActive) this.documents.focused(opened.uri, this.clock.now());
		this.events = withoutOthersOf(this.events, document);
		this.activeSession?.queue.opened(document);
		// It may be a link now, or lead elsewhere.
		this.privacy.changed([opened.uri]);
		void this.judge(opened.uri);
		this.present();
	}

	/** `edits` are all in offsets of the text before. A throw means that they do not fit what was told before. */
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
		this.debounce.changed(uri, change); // what was just rejected lies in the text before, too
		this.presentChange(uri, change);
		const isActive = this.documents.active?.document === after;
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

	/** Files or folders on disk were made, written, moved or deleted, by whomever: a checkout, a build. */
	didChangeFiles(uris: readonly string[]): void {
		this.privacy.changed(uris);
		void this.judgeAll();
	}

	/** The user turned to a document. */
	didFocus(uri: string): void {
		const before = this.documents.active?.document;
		this.documents.focused(uri, this.clock.now());
		if (before !== this.documents.active?.document) this.requester.cancel();
		this.tellFocus();
		this.nearby = this.diagnosticsNearby();
		this.didMove();
	}

	/** The cursor or what is on the screen moved. */
	didMove(): void {
		const document = this.documents.active?.document;
		const view = document && viewOf(this.host, document);
		if (document !== undefined && view !== undefined) {
			const before = this.actions;
			this.actions = before.moved(document, view.head, this.clock.now());
			// A change of focus has cancelled the request that would confirm an outdated suggestion.
			if (this.actions !== before || this.activeSession?.queue.isOutdated) this.requester.soon("automatic");
		}
		this.present();
	}

	/** The diagnostics of a document are others than before. */
	didDiagnose(uri: string): void {
		const document = this.documents.active?.document;
		if (document === undefined || uriKey(document.uri) !== uriKey(uri)) return;
		const nearby = this.diagnosticsNearby();
		const isNew = [...nearby].some((one) => !this.nearby.has(one));
		this.nearby = nearby;
		if (isNew) this.requester.soon("diagnostic");
	}

	/** The folders of the workspace, or its repository, are others than before. */
	didChangeWorkspace(): void {
		// What is ignored depends on the folders, and the next session begins with what may be told.
		this.privacy.forget();
		void this.judgeAll().then(() => this.agent.renew());
	}

	/** The user wants a suggestion now. */
	async suggest(): Promise<void> {
		await this.requester.now();
	}

	/** What is shown, for the plugin to decide what its keys do. */
	get current(): DisplayedSuggestion | undefined {
		return this.shown;
	}

	/** The user pressed Tab: goes to the next place that is out of sight, or takes what is suggested. False without any. */
	async tab(): Promise<boolean> {
		const { shown, activeSession } = this;
		if (shown === undefined || activeSession === undefined) return false;
		await this.applier.tab(shown, activeSession.queue);
		this.present();
		this.checkOutdated();
		return true;
	}

	/**
	 * Takes what is shown, wherever it is, or the next word or line of it, but only where it is in sight: the keys for these
	 * move the cursor otherwise, and who presses them does not ask for what they have not seen. False where nothing is taken.
	 */
	async accept(how: "whole" | "line" | "word"): Promise<boolean> {
		const { shown, activeSession } = this;
		if (shown === undefined || activeSession === undefined) return false;
		if (how !== "whole" && shown.as === "chip") return false;
		const { queue } = activeSession;
		const isTaken = await (how === "whole" ? this.applier.whole(queue) : this.applier.part(how, queue));
		this.present();
		this.checkOutdated();
		return isTaken;
	}

	/** The user pressed Esc. False where nothing is shown. */
	reject(): boolean {
		if (this.shown === undefined) return false;
		this.activeSession?.queue.dismiss("rejected");
		this.requester.dropAnswers();
		this.present();
		return true;
	}

	/** Ends everything, the agent included. */
	async close(): Promise<void> {
		this.ending.abort();
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
		this.tellFocus();
		// What the user did while nobody was there to ask may already call for something.
		this.requester.soon("automatic");
	}

	private ended(): void {
		this.activeSession = undefined;
		this.requester.cancel();
		this.present();
	}

	/** Asks whether an outdated suggestion still follows from the text. It is withdrawn where nothing can be asked. */
	private checkOutdated(): void {
		if (this.activeSession?.queue.isOutdated) this.requester.soon("automatic");
	}

	private tellFocus(): void {
		const active = this.documents.active?.document;
		const view = active && viewOf(this.host, active);
		if (active !== undefined && view !== undefined) this.activeSession?.sync.focused(active.uri, view);
	}

	/** Finds out whether a document may be told of, and does so, or takes back what can be taken back. */
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
		// Of one that was private until now, the past still is.
		const past = open.isPrivate === undefined ? this.events : [];
		if (this.activeSession !== undefined) catchUp(this.activeSession.sync, open.document, past);
		if (this.documents.active?.document === open.document) this.tellFocus();
	}

	private decide(session: Session, verdict: UserDecision): void {
		const { suggestion } = verdict;
		const atMs = this.clock.now();
		if (verdict.kind === "accepted") this.debounce.accepted(atMs);
		else if (verdict.reason === "rejected") this.debounce.rejected(atMs, suggestion.uri, suggestionStart(suggestion));
		// Who sees it go may wonder why nothing is offered now.
		if (verdict.kind === "rejected" && (verdict.reason === "rejected" || verdict.reason === "ignored")) {
			this.host.report({ kind: "no-suggestion", text: verdict.reason });
		}
		if (this.activeSession?.session !== session) return;
		const { connection, id: sessionId } = session;
		const { id } = suggestion;
		if (verdict.kind === "accepted") {
			// What was typed as it was suggested comes before the word that it was.
			this.activeSession.sync.flushAll();
			const { isPartial, isTyped } = verdict;
			const segue = { ...(isPartial && { partial: true }), ...(isTyped && { typed: true }) };
			const _meta = isPartial || isTyped ? { _meta: { segue } } : {};
			connection.notify(acp.nesAccept, { sessionId, id, ..._meta });
		} else {
			connection.notify(acp.nesReject, { sessionId, id, ...(verdict.reason && { reason: verdict.reason }) });
		}
	}

	/** Draws what is offered, if it is not what is drawn. */
	private present(): void {
		const current = this.activeSession?.queue.current;
		if (current === undefined && this.shown === undefined) return;
		const active = this.documents.active?.document;
		this.draw(current && displayOf(current, active, active && viewOf(this.host, active)));
	}

	/** Many editors tell of the cursor only after the change, and until then nobody knows how else to draw it. */
	private presentChange(uri: string, change: Change): void {
		const current = this.activeSession?.queue.current;
		if (current === undefined || current.suggestion.id !== this.shown?.id) this.present();
		else this.draw(carryDisplay(this.shown, current.suggestion, uri, change));
	}

	private draw(shown: DisplayedSuggestion | undefined): void {
		if (JSON.stringify({ ...shown, fileText: 0 }) === JSON.stringify({ ...this.shown, fileText: 0 })) return;
		this.shown = shown;
		try {
			this.host.show(shown);
		} catch (error) {
			this.host.report({ kind: "failed", text: `the suggestion could not be drawn: ${error}` });
		}
	}

	/** What a search would replace, told apart from what could not be searched. */
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

	/** Documents are about to become what a suggestion says. Returns what ends that. */
	private expect(files: readonly FileEdits[]): () => void {
		for (const { uri, edits } of files) {
			const text = this.documents.find(uri)?.document.text;
			if (text !== undefined) this.expected.set(uriKey(uri), Change.of(edits, text.length).apply(text));
		}
		return () => {
			for (const { uri } of files) this.expected.delete(uriKey(uri));
		};
	}

	/** What is wrong near the cursor, as far as it matters whether it was there before. */
	private diagnosticsNearby(): ReadonlySet<string> {
		const document = this.documents.active?.document;
		const view = document && viewOf(this.host, document);
		if (document === undefined || view === undefined) return new Set();
		const { text, uri } = document;
		const line = text.lineAt(view.head);
		const near = (this.host.diagnostics?.(uri) ?? []).filter(({ from, severity }) => {
			const isGrave = severity === "error" || severity === "warning";
			return isGrave && Math.abs(text.lineAt(Math.max(0, Math.min(from, text.length))) - line) <= NEAR_LINES;
		});
		return new Set(near.map(({ severity, message }) => `${severity}: ${message}`));
	}
}

/** What the user did to a file says nothing of it any more when others have changed it since. */
function withoutOthersOf(events: readonly Event[], { uri, text }: Document): readonly Event[] {
	const last = events.findLast((event) => sameUri(event.uri, uri));
	return last === undefined || last.after.equals(text) ? events : events.filter((event) => !sameUri(event.uri, uri));
}

/** What a host can do besides making edits and going to places, which every one can, and is to do. */
function kindsOf(host: Host, wanted: EditorOptions["kinds"]): ReadonlySet<Exclude<acp.SuggestionKind, "edit">> {
	const kinds: Exclude<acp.SuggestionKind, "edit">[] = ["jump"];
	if (host.rename !== undefined) kinds.push("rename");
	// Agents search by regular expressions as they please.
	if (host.preview !== undefined && host.startWorker !== undefined) kinds.push("searchAndReplace");
	return new Set(kinds.filter((kind) => wanted?.includes(kind) ?? true));
}

function capabilitiesOf(
	host: Host,
	kinds: ReadonlySet<Exclude<acp.SuggestionKind, "edit">>,
	// The first is what offsets are here, and so the cheapest.
	encodings: readonly acp.PositionEncoding[] = ["utf-16", "utf-32", "utf-8"],
): acp.ClientCapabilities {
	const workspace = workspaceCapabilities(host);
	return {
		nes: Object.fromEntries([...kinds].map((kind) => [kind, {}])),
		positionEncodings: [...encodings],
		...(workspace && { workspace }),
	};
}
