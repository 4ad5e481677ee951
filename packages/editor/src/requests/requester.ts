import * as acp from "@segue/protocol/acp";
import { ConnectionError, ErrorCode, PeerError } from "@segue/rpc";
import {
	type Change,
	type Clock,
	type Document,
	isKeyText,
	isMisleading,
	namesBelow,
	positionAt,
	rangeAt,
	Text,
	uriKey,
} from "@segue/text";
import type { Privacy } from "@segue/text/privacy";
import type { Agent } from "../connection/agent.js";
import type { Session } from "../connection/agent-connection.js";
import { type DocumentView, viewOf } from "../document-view.js";
import type { Host } from "../host.js";
import {
	carrySuggestion,
	type EditorSuggestion,
	type InvalidSuggestion,
	readSuggestion,
	type SuggestionTerms,
} from "../suggestions/suggestion.js";
import type { SuggestionQueue } from "../suggestions/suggestion-queue.js";
import type { DocumentSynchronizer } from "../sync/document-sync.js";
import type { OpenDocument, OpenDocuments } from "../sync/open-documents.js";
import { type ContextInput, contextOf } from "./context.js";
import type { Debounce } from "./debounce.js";
import { PendingRequest } from "./pending-request.js";
import { findRelatedSnippets } from "./related-snippets.js";

/** Why there is a request, the weakest reason first. */
const TRIGGERS = ["automatic", "diagnostic", "manual"] as const;
type RequestTrigger = (typeof TRIGGERS)[number];

// Three are useful; whoever sends more than this is not read to the end.
const SUGGESTIONS_MAX = 10;
// A model that takes longer than this answers a question that nobody remembers.
const ANSWER_MS_MAX = 30_000;

interface RequesterOptions {
	readonly host: Host;
	readonly clock: Clock;
	readonly documents: OpenDocuments;
	readonly debounce: Debounce;
	readonly privacy: Privacy;
	readonly kinds: SuggestionTerms["kinds"];
	readonly agent: Pick<Agent, "worked" | "failed" | "retry" | "unanswered">;
	/** The session that there is. */
	readonly activeSession: () => ActiveSession | undefined;
	/** What the user did until now. */
	readonly past: () => Pick<ContextInput, "events" | "actions">;
	/** The shown suggestion may have changed. */
	readonly answered: () => void;
}

/** A session, with what it was told and what it offered. */
export interface ActiveSession {
	readonly session: Session;
	readonly sync: DocumentSynchronizer;
	readonly queue: SuggestionQueue;
}

/** Asks for suggestions: when the user pauses, when a diagnostic appears, or when they want one. */
export class Requester {
	/** Those that have no answer yet, by `uriKey`: one for each document at most. */
	private readonly pending = new Map<string, PendingRequest>();
	private due: { readonly trigger: RequestTrigger; readonly callOff: () => void } | undefined;
	private isOver = false;

	constructor(private readonly options: RequesterOptions) {}

	/** Asks after a pause. What is asked for again in the meantime waits for the next pause, for the stronger reason. */
	soon(trigger: RequestTrigger): void {
		if (this.isOver) return;
		const { clock, debounce } = this.options;
		const isStronger = this.due !== undefined && TRIGGERS.indexOf(this.due.trigger) > TRIGGERS.indexOf(trigger);
		const stronger = isStronger && this.due !== undefined ? this.due.trigger : trigger;
		this.due?.callOff();
		const run = () => {
			this.due = undefined;
			try {
				if (this.isWorthAsking()) void this.ask(stronger);
				else this.withdrawOutdated(this.options.activeSession());
			} catch (error) {
				this.options.host.report({ kind: "failed", text: `nothing can be asked: ${error}` });
			}
		};
		this.due = { trigger: stronger, callOff: clock.after(debounce.debounceMs(clock.now()), run) };
	}

	/** The user asks. Nothing stands in their way but what cannot be done at all. */
	async now(): Promise<void> {
		this.due?.callOff();
		this.due = undefined;
		if (!this.isOver) await this.ask("manual");
	}

	changed(uri: string, change: Change): void {
		for (const request of this.pending.values()) request.changed(uri, change);
	}

	closed(uri: string): void {
		this.pending.get(uriKey(uri))?.cancel();
		for (const request of this.pending.values()) request.closed(uri);
	}

	/** The user rejected what is shown. An answer that was asked for before does not take that into account. */
	dropAnswers(): void {
		for (const request of this.pending.values()) request.cancel();
	}

	/** The user turned elsewhere, or the session is over: what was asked is of no use any more. */
	cancel(): void {
		this.due?.callOff();
		this.due = undefined;
		this.dropAnswers();
	}

	/** Nothing is asked any more. */
	close(): void {
		this.isOver = true;
		this.cancel();
	}

	/**
	 * Whether an automatic request is sent. A suggestion that is up to date stays; an outdated one has to be confirmed or
	 * withdrawn, even on a line where nothing new is to be suggested for a while.
	 */
	private isWorthAsking(): boolean {
		const { documents, debounce, host, clock, activeSession } = this.options;
		const document = documents.active?.document;
		const view = document && viewOf(host, document);
		if (document === undefined || view === undefined) return false;
		const queue = activeSession()?.queue;
		if (queue?.current !== undefined) return queue.isOutdated;
		if (debounce.isCoolingDown(document.uri, document.text, view.head, clock.now())) {
			host.report({ kind: "no-suggestion", text: "quiet" });
			return false;
		}
		return true;
	}

	private async ask(trigger: RequestTrigger): Promise<void> {
		const { documents, agent, host } = this.options;
		const activeSession = this.options.activeSession();
		const active = documents.active;
		if (active === undefined) return;
		if (activeSession === undefined && trigger === "manual") agent.retry();
		if (activeSession === undefined || active.isPrivate !== false) {
			host.report({ kind: "no-suggestion", text: activeSession === undefined ? "no-agent" : this.whyUnasked(active) });
			this.withdrawOutdated(activeSession);
			return;
		}
		const key = uriKey(active.document.uri);
		this.pending.get(key)?.cancel();
		const request = new PendingRequest(trigger === "manual");
		this.pending.set(key, request);
		const tooLate = this.options.clock.after(ANSWER_MS_MAX, () => {
			// One that was called off should have been answered, too.
			agent.unanswered(activeSession.session);
			if (request.isCancelled) return;
			host.report({ kind: "agent", text: `the agent did not answer nes/suggest within ${ANSWER_MS_MAX / 1000} s` });
			request.cancel();
			this.withdrawOutdated(activeSession);
		});
		try {
			const response = await this.send(request, active.document.uri, trigger, activeSession);
			if (response === undefined) {
				if (!request.isCancelled) this.withdrawOutdated(activeSession);
				return;
			}
			agent.worked(activeSession.session);
			await this.receive(response, request, activeSession);
		} catch (error) {
			if (!request.isCancelled) this.withdrawOutdated(activeSession);
			if (!isExpected(error, request)) agent.failed(activeSession.session, error);
		} finally {
			tooLate();
			if (this.pending.get(key) === request) this.pending.delete(key);
		}
	}

	/** No answer will say whether the suggestion that is shown still follows from the text. */
	private withdrawOutdated(activeSession: ActiveSession | undefined): void {
		if (!activeSession?.queue.isOutdated) return;
		activeSession.queue.withdrawOutdated();
		this.options.answered();
	}

	/** Sends the request, for the document as it is by then. Undefined when it came to nothing before that. */
	private async send(
		request: PendingRequest,
		uri: string,
		trigger: RequestTrigger,
		{ session, sync }: ActiveSession,
	): Promise<acp.SuggestResponse | undefined> {
		const related = this.findRelated(uri, request, session);
		// Nothing is waited for where nothing has to be.
		const snippets = related === undefined ? [] : await related;
		const judging = this.judging();
		if (judging.length > 0) await Promise.all(judging);
		const { documents, host, privacy, past } = this.options;
		const document = documents.find(uri)?.document;
		const view = document && viewOf(host, document);
		const isOver = request.isCancelled || this.options.activeSession()?.session !== session;
		if (isOver || document === undefined || view === undefined) return undefined;

		sync.flushAll();
		const open = documents.recent().filter(({ isPrivate }) => isPrivate === false);
		const done = past();
		const known = open.map((one) => ({ ...one.document, version: sync.versionOf(one.document) }));
		request.markSent(known, done.events);
		const context = contextOf(session, {
			...done,
			host,
			folders: host.workspace().folders.map((folder) => folder.uri),
			documents: open,
			current: document,
			cursor: view.head,
			related: snippets,
			isMirrored: (other) => sync.mirrors(other),
			isPrivate: (other) => privacy.isPrivate(other),
			report: (note) => host.report(note),
		});
		const params = {
			sessionId: session.id,
			uri,
			version: sync.versionOf(document),
			...placeOf(document, view, session),
			triggerKind: trigger,
			...(context && { context }),
		};
		return session.connection.request(acp.nesSuggest, params, request.signal);
	}

	/** Documents of which it is being found out anew whether they are private; until then nothing of them is attached. */
	private judging(): Promise<boolean>[] {
		const { documents, privacy } = this.options;
		return documents.recent().flatMap(({ document }) => {
			const isPrivate = privacy.isPrivate(document.uri);
			return typeof isPrivate === "boolean" ? [] : [isPrivate];
		});
	}

	/** The reason for a document that is private, or may be. */
	private whyUnasked({ document, isPrivate }: OpenDocument): string {
		if (isPrivate === undefined) return "opening";
		if (isKeyText(document.text)) return "secret-file";
		const { privacy } = this.options;
		return privacy.problem(document.uri) ?? privacy.reasonOf(document.uri);
	}

	private findRelated(uri: string, request: PendingRequest, session: Session) {
		const { documents, host, clock, privacy } = this.options;
		const current = documents.find(uri)?.document;
		const cursor = current && viewOf(host, current)?.head;
		if (current === undefined || cursor === undefined) return undefined;
		const isPrivate = (other: string) => privacy.isPrivate(other);
		const report = host.report.bind(host);
		return findRelatedSnippets(session, { host, clock, current, cursor, isPrivate, report }, request.signal);
	}

	private async receive(
		response: acp.SuggestResponse,
		request: PendingRequest,
		{ session, queue }: ActiveSession,
	): Promise<void> {
		const { documents, host } = this.options;
		for (const { id } of response.suggestions.slice(SUGGESTIONS_MAX)) {
			this.reject(session, { id, _meta: { segue: { invalid: `more than ${SUGGESTIONS_MAX} at once` } } });
		}
		const suggestions = response.suggestions.slice(0, SUGGESTIONS_MAX).filter(({ id }) => {
			const isFirst = queue.isFirst(id);
			if (!isFirst)
				host.report({ kind: "invalid", text: `a suggestion cannot be shown: its id ${id} was used before` });
			return isFirst;
		});
		const texts = await this.readFiles(suggestions);
		const closed = await this.closedTo(suggestions);
		if (this.options.activeSession()?.session !== session) return;
		const fresh = suggestions.flatMap((said) => {
			const read =
				request.isCancelled || request.isUndone
					? "late"
					: closed.has(said.uri)
						? { invalid: "it may not search there" }
						: this.read(said, texts, request, session);
			if (read === "late") this.reject(session, { id: said.id, reason: "cancelled" });
			else if ("invalid" in read) {
				host.report({ kind: "invalid", text: `a suggestion cannot be shown: ${read.invalid}` });
				this.reject(session, { id: said.id, _meta: { segue: { invalid: read.invalid } } });
			} else return [read];
			return [];
		});
		if (request.isCancelled) return;
		const answered = { isManual: request.isManual, origin: request.origin, isOutdated: fresh[0]?.isOutdated ?? false };
		const read = fresh.map(({ suggestion }) => suggestion);
		queue.answered(read, answered, (uri) => documents.find(uri)?.document);
		const { reason, detail } = (response._meta?.["segue"] ?? {}) as { reason?: unknown; detail?: unknown };
		if (response.suggestions.length === 0) {
			const text = typeof reason === "string" ? reason : "nothing-found";
			host.report({ kind: "no-suggestion", text, ...(typeof detail === "string" && { detail }) });
		}
		// The edit since the request has not led to a request of its own if its line was left alone.
		if (queue.isOutdated && this.due === undefined) this.soon("automatic");
		this.options.answered();
	}

	/** Where a search may not go: out of the workspace, and to what is private. */
	private async closedTo(suggestions: readonly acp.Suggestion[]): Promise<ReadonlySet<string>> {
		const closed = new Set<string>();
		for (const { kind, uri } of suggestions) {
			if (kind === "searchAndReplace" && !(await this.mayKnow(uri))) closed.add(uri);
		}
		return closed;
	}

	/** Whether a file or folder that need not be open is one that the agent may know. */
	private async mayKnow(uri: string): Promise<boolean> {
		const { host, privacy } = this.options;
		const isInside = host.workspace().folders.some((folder) => namesBelow(folder.uri, uri) !== undefined);
		return isInside && !isMisleading(uri) && !(await privacy.isPrivate(uri));
	}

	/** The texts of files that are not open, by `uriKey`. Only those count that the agent may know. */
	private async readFiles(suggestions: readonly acp.Suggestion[]): Promise<ReadonlyMap<string, Text>> {
		const { documents, host } = this.options;
		const texts = new Map<string, Text>();
		for (const { kind, uri } of suggestions) {
			if (kind === "searchAndReplace" || documents.find(uri) !== undefined) continue;
			if (!(await this.mayKnow(uri))) continue;
			try {
				const text = await host.files?.read(uri);
				if (text !== undefined) texts.set(uriKey(uri), Text.of(text));
			} catch (error) {
				host.report({ kind: "failed", text: `${uri} could not be read: ${error}` });
			}
		}
		return texts;
	}

	/**
	 * A suggestion for the document as it is now. It is late when the document has changed too much since the request, or
	 * the words that it is derived from have; `isOutdated` says that there were other edits.
	 */
	private read(
		said: acp.Suggestion,
		texts: ReadonlyMap<string, Text>,
		request: PendingRequest,
		session: Session,
	): { readonly suggestion: EditorSuggestion; readonly isOutdated: boolean } | InvalidSuggestion | "late" {
		const { kinds, documents } = this.options;
		if (request.hasLost(said.uri)) return "late";
		const open = documents.find(said.uri);
		const since = request.changeOf(said.uri);
		const fileText = texts.get(uriKey(said.uri));
		const file = fileText && { text: fileText, version: undefined };
		const document = open?.isPrivate === false ? (since?.document ?? open.document) : undefined;
		// The host knows an open document by its own uri, however the agent writes it.
		const uri = open?.document.uri ?? said.uri;
		const agreement = { encoding: session.encoding, kinds };
		const read = readSuggestion({ ...said, uri }, open === undefined ? file : document, agreement);
		if ("invalid" in read) return read;
		const carried = since
			? carrySuggestion(read, since.change, since.document.text)
			: { suggestion: read, elsewhere: [] };
		if (typeof carried === "string" || carried.suggestion === undefined) return "late";
		const { suggestion, elsewhere } = carried;
		if (request.isRewritten(uri, elsewhere)) return "late";
		return { suggestion, isOutdated: elsewhere.length > 0 || request.hasOthersChanged(uri) };
	}

	private reject(
		session: Session,
		verdict: { id: string; reason?: "cancelled"; _meta?: Record<string, unknown> },
	): void {
		session.connection.notify(acp.nesReject, { sessionId: session.id, ...verdict });
	}
}

function placeOf({ text }: Document, { anchor, head }: DocumentView, { encoding }: Session) {
	const position = positionAt(text, head, encoding);
	if (anchor === head) return { position };
	return { position, selection: rangeAt(text, Math.min(anchor, head), Math.max(anchor, head), encoding) };
}

/** A request that was cancelled is answered with an error, and one whose connection is gone with none. */
function isExpected(error: unknown, request: PendingRequest): boolean {
	if (error instanceof ConnectionError && error.kind === "closed") return true;
	return request.isCancelled && error instanceof PeerError && error.code === ErrorCode.cancelled;
}
