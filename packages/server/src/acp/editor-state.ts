import * as acp from "@segue/protocol/acp";
import { type Connection, ConnectionError, ErrorCode, PeerError, type Request } from "@segue/rpc";
import type { Clock } from "@segue/text";

// Editors keep this state in memory. An editor that takes longer is probably blocked, and the user is waiting.
const RESPONSE_MS_MAX = 5000;

// A turn sends one to three requests at a time. More pending requests mean that the editor does not respond to
// cancelled requests, which stay pending in the connection.
const PENDING_MAX = 16;

// The list is sent to a model, whose context window is limited.
const DOCUMENTS_MAX = 1000;

// The default limit of most clients. Always sent, because some clients have no limit.
const RECENT_DEFAULT = 50;

/** The queries that an editor may support, with the names of their results for error messages. */
const QUERIES = {
	openDocuments: "the open files",
	recentDocuments: "the recently used files",
	activeDocument: "the focused file",
} as const;

/** The name of the query's client capability. */
export type EditorStateQuery = keyof typeof QUERIES;

/** Queries the state of the connected editor. Every failure is an `EditorStateError`. */
export class EditorState {
	/** Requests still waiting for a response, including cancelled ones. */
	private pending = 0;

	constructor(
		private readonly connection: Connection<"agent">,
		private readonly capabilities: acp.ClientCapabilities,
		private readonly clock: Pick<Clock, "after">,
	) {}

	/** Whether the editor declares the capability. Queries without it are never sent. */
	can(query: EditorStateQuery): boolean {
		return Boolean(this.capabilities.workspace?.[query]);
	}

	/** Returns the documents in the order of the editor's tabs. */
	async openDocuments(sessionId: string, signal?: AbortSignal): Promise<acp.WorkspaceDocument[]> {
		const { documents } = await this.ask("openDocuments", acp.openDocuments, { sessionId }, signal);
		return documents.filter(isFile).slice(0, DOCUMENTS_MAX);
	}

	/** Returns the documents, most recent first. */
	async recentDocuments(
		sessionId: string,
		limit = RECENT_DEFAULT,
		signal?: AbortSignal,
	): Promise<acp.WorkspaceDocument[]> {
		const { documents } = await this.ask("recentDocuments", acp.recentDocuments, { sessionId, limit }, signal);
		return documents.filter(isFile).slice(0, Math.min(limit, DOCUMENTS_MAX));
	}

	/** Returns undefined if no file has the focus. */
	async activeDocument(sessionId: string, signal?: AbortSignal): Promise<acp.WorkspaceDocument | undefined> {
		const { document } = await this.ask("activeDocument", acp.activeDocument, { sessionId }, signal);
		return document !== null && isFile(document) ? document : undefined;
	}

	private async ask<Params, Result>(
		query: EditorStateQuery,
		message: Request<Params, Result, "agent">,
		params: Params,
		signal: AbortSignal | undefined,
	): Promise<Result> {
		const what = QUERIES[query];
		if (!this.can(query)) {
			throw new EditorStateError("unsupported", `This editor does not report ${what}. ${INSTEAD}`);
		}
		if (signal?.aborted) throw cancelled(what);
		if (this.pending >= PENDING_MAX) throw new EditorStateError("busy", busy(what));

		const abort = new AbortController();
		const cancel = () => abort.abort(cancelled(what));
		signal?.addEventListener("abort", cancel, { once: true });
		const stopTimer = this.clock.after(RESPONSE_MS_MAX, () => abort.abort(timedOut(what)));
		const aborted = new Promise<never>((_resolve, reject) => {
			abort.signal.addEventListener("abort", () => reject(abort.signal.reason), { once: true });
		});
		try {
			return await Promise.race([this.send(message, params, abort.signal), aborted]);
		} catch (error) {
			throw error instanceof EditorStateError ? error : failureOf(error, what);
		} finally {
			stopTimer();
			signal?.removeEventListener("abort", cancel);
		}
	}

	private send<Params, Result>(
		message: Request<Params, Result, "agent">,
		params: Params,
		signal: AbortSignal,
	): Promise<Result> {
		const response = this.connection.request(message, params, signal);
		this.pending++;
		const settle = () => {
			this.pending--;
		};
		response.then(settle, settle);
		return response;
	}
}

/** A failed query. The message tells a model or a user what to do instead. */
export class EditorStateError extends Error {
	override readonly name = "EditorStateError";

	constructor(
		readonly kind: /** The editor does not support the query, whether or not it declares the capability. */
			| "unsupported"
			| "unknown-session"
			| "timeout"
			/** Cancelled by the caller. */
			| "cancelled"
			/** Too many requests are pending. */
			| "busy"
			/** The response is invalid. */
			| "bad-answer"
			/** The editor responded with another error. */
			| "failed"
			/** The editor has disconnected. */
			| "closed",
		message: string,
		options?: ErrorOptions,
	) {
		super(message, options);
	}
}

const INSTEAD = "Ask the user which files matter, or search for them.";
const WITHOUT = "Continue without this information.";
const AGAIN = "Try again, or continue without this information.";

function cancelled(what: string): EditorStateError {
	return new EditorStateError("cancelled", `The request for ${what} was cancelled.`);
}

function timedOut(what: string): EditorStateError {
	const message = `The editor did not report ${what} within ${RESPONSE_MS_MAX / 1000} s. ${AGAIN}`;
	return new EditorStateError("timeout", message);
}

function busy(what: string): string {
	return `Could not get ${what}: too many requests to the editor are pending. ${WITHOUT}`;
}

/** Converts a request's error. The client's own message is for the log, not for a model. */
function failureOf(cause: unknown, what: string): EditorStateError {
	const failure = (kind: EditorStateError["kind"], text: string) => new EditorStateError(kind, text, { cause });
	if (cause instanceof PeerError) {
		switch (cause.code) {
			case ErrorCode.methodNotFound:
				return failure("unsupported", `This editor does not report ${what}, although it claims to. ${INSTEAD}`);
			case acp.ErrorCode.notFound:
				return failure(
					"unknown-session",
					`The editor does not recognize this session and cannot report ${what}. ${WITHOUT}`,
				);
			default:
				return failure("failed", `The editor failed to report ${what} (error ${cause.code}). ${AGAIN}`);
		}
	}
	if (!(cause instanceof ConnectionError)) throw cause;
	switch (cause.kind) {
		case "bad-result":
			return failure("bad-answer", `The editor's response for ${what} is invalid. ${WITHOUT}`);
		case "too-many-requests":
			return failure("busy", busy(what));
		case "closed":
			return failure("closed", `Could not get ${what}: the editor has disconnected. ${WITHOUT}`);
	}
}

/** Whether the document is a local file. The protocol allows no other URIs, and file tools cannot open them. */
function isFile({ uri }: acp.WorkspaceDocument): boolean {
	return /^file:\/\/\/[^/]/.test(uri);
}
