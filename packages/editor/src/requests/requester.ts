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

/** The triggers of a request, weakest first. */
const TRIGGERS = ["automatic", "diagnostic", "manual"] as const;
type RequestTrigger = (typeof TRIGGERS)[number];

// Only a few suggestions are useful; the rest of a longer response is rejected.
const SUGGESTIONS_MAX = 10;
// By then, the user has moved on.
const ANSWER_MS_MAX = 30_000;

interface RequesterOptions {
	readonly host: Host;
	readonly clock: Clock;
	readonly documents: OpenDocuments;
	readonly debounce: Debounce;
	readonly privacy: Privacy;
	readonly kinds: SuggestionTerms["kinds"];
	readonly agent: Pick<Agent, "worked" | "failed" | "retry" | "unanswered" | "explain">;
	/** The current session. */
	readonly activeSession: () => ActiveSession | undefined;
	/** The user's edits and actions so far. */
	readonly past: () => Pick<ContextInput, "events" | "actions">;
	/** Called when the suggestion to show may have changed. */
	readonly answered: () => void;
}

/** A session with its synchronized documents and its suggestions. */
export interface ActiveSession {
	readonly session: Session;
	readonly sync: DocumentSynchronizer;
	readonly queue: SuggestionQueue;
}

/** Requests suggestions when the user pauses, when a diagnostic appears, or on request. */
export class Requester {
	/** The pending requests by `uriKey`, at most one per document. */
	private readonly pending = new Map<string, PendingRequest>();
	private due: { readonly trigger: RequestTrigger; readonly callOff: () => void } | undefined;
	private isOver = false;

	constructor(private readonly options: RequesterOptions) {}

	/** Schedules a request after a pause. Another call restarts the pause; the stronger of the two triggers is used. */
	soon(trigger: RequestTrigger): void {
		if (this.isOver) return;
		const { clock, debounce } = this.options;
		const isStronger = this.due !== undefined && TRIGGERS.indexOf(this.due.trigger) > TRIGGERS.indexOf(trigger);
		const stronger = isStronger && this.due !== undefined ? this.due.trigger : trigger;
		this.due?.callOff();
		const run = () => {
			this.due = undefined;
			try {
				if (this.shouldRequest()) void this.ask(stronger);
				else this.withdrawOutdated(this.options.activeSession());
			} catch (error) {
				this.options.host.report({ kind: "failed", text: `suggestions could not be requested: ${error}` });
			}
		};
		this.due = { trigger: stronger, callOff: clock.after(debounce.debounceMs(clock.now()), run) };
	}

	/** Sends a request immediately, because the user asked for it. Skips the pause and the cool-down. */
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

	/**
	 * Cancels scheduled and pending requests, because the user dismissed a suggestion or switched documents, or the session
	 * ended.
	 */
	cancel(): void {
		this.due?.callOff();
		this.due = undefined;
		for (const request of this.pending.values()) request.cancel();
	}

	/** Cancels everything and ignores later calls. */
	close(): void {
		this.isOver = true;
		this.cancel();
	}

	/**
	 * Whether to send an automatic request. None is needed while an up-to-date suggestion is shown. An outdated
	 * suggestion must be confirmed or withdrawn, even on a line that is cooling down.
	 */
	private shouldRequest(): boolean {
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
			if (activeSession !== undefined) host.report({ kind: "no-suggestion", text: this.reasonNotAsked(active) });
			// The problem that was reported says more.
			else if (!agent.explain()) host.report({ kind: "no-suggestion", text: "no-agent" });
			this.withdrawOutdated(activeSession);
			return;
		}
		const key = uriKey(active.document.uri);
		this.pending.get(key)?.cancel();
		const request = new PendingRequest(trigger === "manual");
		this.pending.set(key, request);
		const tooLate = this.options.clock.after(ANSWER_MS_MAX, () => {
			// Report this even for a cancelled request, because the agent should have responded to it too.
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

	/** Withdraws an outdated suggestion, because no response will confirm it. */
	private withdrawOutdated(activeSession: ActiveSession | undefined): void {
		if (!activeSession?.queue.isOutdated) return;
		activeSession.queue.withdrawOutdated();
		this.options.answered();
	}

	/**
	 * Sends the request for the current version of the document. Resolves to undefined if the request becomes obsolete
	 * before it is sent.
	 */
	private async send(
		request: PendingRequest,
		uri: string,
		trigger: RequestTrigger,
		{ session, sync }: ActiveSession,
	): Promise<acp.SuggestResponse | undefined> {
		const related = this.findRelated(uri, request, session);
		// Stays synchronous if there is nothing to wait for.
		const snippets = related === undefined ? [] : await related;
		const privacyChecks = this.privacyChecks();
		if (privacyChecks.length > 0) await Promise.all(privacyChecks);
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

	/**
	 * Returns the privacy checks in progress. Until they finish, their documents count as private and are left out of
	 * the context.
	 */
	private privacyChecks(): Promise<boolean>[] {
		const { documents, privacy } = this.options;
		return documents.recent().flatMap(({ document }) => {
			const isPrivate = privacy.isPrivate(document.uri);
			return typeof isPrivate === "boolean" ? [] : [isPrivate];
		});
	}

	/** Returns the reason for not requesting suggestions in a document that is or may be private. */
	private reasonNotAsked({ document, isPrivate }: OpenDocument): string {
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
			this.reject(session, {
				id,
				_meta: { segue: { invalid: `more than ${SUGGESTIONS_MAX} suggestions in one response` } },
			});
		}
		const suggestions = response.suggestions.slice(0, SUGGESTIONS_MAX).filter(({ id }) => {
			const isFirst = queue.isFirst(id);
			if (!isFirst)
				host.report({ kind: "invalid", text: `a suggestion cannot be shown: its id ${id} was used before` });
			return isFirst;
		});
		const texts = await this.readFiles(suggestions);
		const closed = await this.forbiddenSearches(suggestions);
		if (this.options.activeSession()?.session !== session) return;
		const fresh = suggestions.flatMap((raw) => {
			const read =
				request.isCancelled || request.isUndone
					? "late"
					: closed.has(raw.uri)
						? { invalid: "its search is outside the workspace or in a private file" }
						: this.read(raw, texts, request, session);
			if (read === "late") this.reject(session, { id: raw.id, reason: "cancelled" });
			else if ("invalid" in read) {
				host.report({ kind: "invalid", text: `a suggestion cannot be shown: ${read.invalid}` });
				this.reject(session, { id: raw.id, _meta: { segue: { invalid: read.invalid } } });
			} else return [read];
			return [];
		});
		if (request.isCancelled) return;
		const answered = { isManual: request.isManual, origin: request.origin, isOutdated: fresh[0]?.isOutdated ?? false };
		const read = fresh.map(({ suggestion }) => suggestion);
		queue.answered(read, answered, (uri) => documents.find(uri)?.document);
		// If the suggestion's line is cooling down, the edit made since the request has not triggered another request.
		if (queue.isOutdated && this.due === undefined) this.soon("automatic");
		this.options.answered();
		// After the old suggestion was removed, so that the page does not clear the reason with it.
		const { reason, detail } = (response._meta?.["segue"] ?? {}) as { reason?: unknown; detail?: unknown };
		if (response.suggestions.length === 0) {
			const text = typeof reason === "string" ? reason : "no-reason";
			host.report({ kind: "no-suggestion", text, ...(typeof detail === "string" && { detail }) });
		}
	}

	/** Returns the URIs of searches outside the workspace or in private files. */
	private async forbiddenSearches(suggestions: readonly acp.Suggestion[]): Promise<ReadonlySet<string>> {
		const closed = new Set<string>();
		for (const { kind, uri } of suggestions) {
			if (kind === "searchAndReplace" && !(await this.mayKnow(uri))) closed.add(uri);
		}
		return closed;
	}

	/** Whether the agent may see a file or folder, open or not. */
	private async mayKnow(uri: string): Promise<boolean> {
		const { host, privacy } = this.options;
		const isInside = host.workspace().folders.some((folder) => namesBelow(folder.uri, uri) !== undefined);
		return isInside && !isMisleading(uri) && !(await privacy.isPrivate(uri));
	}

	/** Reads the unopened files that the agent may see. Resolves to their contents by `uriKey`. */
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
	 * Reads a suggestion and maps it to the current text. Returns "late" if the document, or the words that the
	 * suggestion is derived from, have changed too much since the request. `isOutdated` is true if there were other
	 * edits.
	 */
	private read(
		raw: acp.Suggestion,
		texts: ReadonlyMap<string, Text>,
		request: PendingRequest,
		session: Session,
	): { readonly suggestion: EditorSuggestion; readonly isOutdated: boolean } | InvalidSuggestion | "late" {
		const { kinds, documents, host } = this.options;
		if (request.hasLost(raw.uri)) return "late";
		const open = documents.find(raw.uri);
		const since = request.changeOf(raw.uri);
		const fileText = texts.get(uriKey(raw.uri));
		const file = fileText && { text: fileText, version: undefined };
		const document = open?.isPrivate === false ? (since?.document ?? open.document) : undefined;
		// Use the host's own URI for an open document, because the agent may spell it differently.
		const uri = open?.document.uri ?? raw.uri;
		const agreement = { encoding: session.encoding, kinds };
		const read = readSuggestion({ ...raw, uri }, open === undefined ? file : document, agreement);
		if ("invalid" in read) return read;
		const carried = since
			? carrySuggestion(read, since.change, since.document.text)
			: { suggestion: read, elsewhere: [] };
		if (typeof carried === "string" || carried.suggestion === undefined) return "late";
		const { suggestion, elsewhere } = carried;
		if (request.isRewritten(uri, elsewhere)) return "late";
		const refusal = suggestion.kind === "edit" ? host.refusalOf?.(uri, suggestion.edits) : undefined;
		if (refusal !== undefined) return { invalid: refusal };
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

/** Whether an error was caused by cancelling the request or closing the connection. */
function isExpected(error: unknown, request: PendingRequest): boolean {
	if (error instanceof ConnectionError && error.kind === "closed") return true;
	return request.isCancelled && error instanceof PeerError && error.code === ErrorCode.cancelled;
}
