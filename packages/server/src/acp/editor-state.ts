import * as acp from "@segue/protocol/acp";
import { type Connection, ConnectionError, ErrorCode, PeerError, type Request } from "@segue/rpc";
import type { Clock } from "@segue/text";

// An editor knows all of this without looking anywhere. One that takes longer does something else, and whoever asked has
// a person waiting.
const ANSWER_MS_MAX = 5000;

// A conversation asks one thing at a time, or all three at once. More are questions that were given up on and that the
// editor never answered; each keeps a place in the connection until it does.
const UNANSWERED_MAX = 16;

// More files than anybody has in mind. Whoever reads the list is a model, with little room.
const DOCUMENTS_MAX = 1000;

// As many as a client gives that is not told how many; it is told, because not every one has a bound of its own.
const RECENT_DEFAULT = 50;

/** What an editor can be asked, each in words that follow "say". */
const QUERIES = {
	openDocuments: "which files are open",
	recentDocuments: "which files were used last",
	activeDocument: "which file has the focus",
} as const;

/** Named as the capability is that says it can be asked. */
export type EditorStateQuery = keyof typeof QUERIES;

/** What the editor at the other end knows of its own state. What has no answer fails with an EditorStateError. */
export class EditorState {
	/** Questions on the wire, those that nobody waits for any more included. */
	private unanswered = 0;

	constructor(
		private readonly connection: Connection<"agent">,
		private readonly capabilities: acp.ClientCapabilities,
		private readonly clock: Pick<Clock, "after">,
	) {}

	/** Whether the editor says that it answers a question. One that it does not is never sent to it. */
	can(question: EditorStateQuery): boolean {
		return Boolean(this.capabilities.workspace?.[question]);
	}

	/** In the order of the editor's tabs. */
	async openDocuments(sessionId: string, signal?: AbortSignal): Promise<acp.WorkspaceDocument[]> {
		const { documents } = await this.ask("openDocuments", acp.openDocuments, { sessionId }, signal);
		return documents.filter(isFile).slice(0, DOCUMENTS_MAX);
	}

	/** Most recent first. */
	async recentDocuments(
		sessionId: string,
		limit = RECENT_DEFAULT,
		signal?: AbortSignal,
	): Promise<acp.WorkspaceDocument[]> {
		const { documents } = await this.ask("recentDocuments", acp.recentDocuments, { sessionId, limit }, signal);
		return documents.filter(isFile).slice(0, Math.min(limit, DOCUMENTS_MAX));
	}

	/** Undefined where nothing has the focus, or something that is no file. */
	async activeDocument(sessionId: string, signal?: AbortSignal): Promise<acp.WorkspaceDocument | undefined> {
		const { document } = await this.ask("activeDocument", acp.activeDocument, { sessionId }, signal);
		return document !== null && isFile(document) ? document : undefined;
	}

	private async ask<Params, Result>(
		question: EditorStateQuery,
		message: Request<Params, Result, "agent">,
		params: Params,
		signal: AbortSignal | undefined,
	): Promise<Result> {
		const what = QUERIES[question];
		if (!this.can(question)) {
			throw new EditorStateError("unsupported", `This editor does not say ${what}. ${INSTEAD}`);
		}
		if (signal?.aborted) throw cancelled(what);
		if (this.unanswered >= UNANSWERED_MAX) throw new EditorStateError("busy", busy(what));

		const given = new AbortController();
		const cancel = () => given.abort(cancelled(what));
		signal?.addEventListener("abort", cancel, { once: true });
		const callOff = this.clock.after(ANSWER_MS_MAX, () => given.abort(late(what)));
		const stopped = new Promise<never>((_resolve, reject) => {
			given.signal.addEventListener("abort", () => reject(given.signal.reason), { once: true });
		});
		try {
			return await Promise.race([this.send(message, params, given.signal), stopped]);
		} catch (error) {
			throw error instanceof EditorStateError ? error : failureOf(error, what);
		} finally {
			callOff();
			signal?.removeEventListener("abort", cancel);
		}
	}

	private send<Params, Result>(
		message: Request<Params, Result, "agent">,
		params: Params,
		signal: AbortSignal,
	): Promise<Result> {
		const answer = this.connection.request(message, params, signal);
		this.unanswered++;
		const forget = () => {
			this.unanswered--;
		};
		answer.then(forget, forget);
		return answer;
	}
}

/** Why a question has no answer. Its text says what to do instead, to a model or a person. */
export class EditorStateError extends Error {
	override readonly name = "EditorStateError";

	constructor(
		readonly kind: /** The editor does not answer such questions, whatever it said. */
			| "unsupported"
			| "unknown-session"
			| "timeout"
			/** By the one who asked. */
			| "cancelled"
			/** Too many questions have no answer yet. */
			| "busy"
			/** An answer came that is none. */
			| "bad-answer"
			/** The editor answered with another error. */
			| "failed"
			/** The editor is gone. */
			| "closed",
		message: string,
		options?: ErrorOptions,
	) {
		super(message, options);
	}
}

const INSTEAD = "Ask the user which files matter, or search for them.";
const WITHOUT = "Go on without it.";
const AGAIN = "Ask once more, or go on without it.";

function cancelled(what: string): EditorStateError {
	return new EditorStateError("cancelled", `Nobody waits any more for the editor to say ${what}.`);
}

function late(what: string): EditorStateError {
	return new EditorStateError("timeout", `The editor did not say within ${ANSWER_MS_MAX / 1000} s ${what}. ${AGAIN}`);
}

function busy(what: string): string {
	return `The editor has too many other questions to answer before it can say ${what}. ${WITHOUT}`;
}

/** What a request's error means. What the client wrote into it is for the log, not for a model to read. */
function failureOf(cause: unknown, what: string): EditorStateError {
	const failure = (kind: EditorStateError["kind"], text: string) => new EditorStateError(kind, text, { cause });
	if (cause instanceof PeerError) {
		switch (cause.code) {
			case ErrorCode.methodNotFound:
				return failure("unsupported", `This editor cannot say ${what}, although it promised to. ${INSTEAD}`);
			case acp.ErrorCode.notFound:
				return failure(
					"unknown-session",
					`The editor does not know this session, so it cannot say ${what}. ${WITHOUT}`,
				);
			default:
				return failure("failed", `The editor failed to say ${what} (error ${cause.code}). ${AGAIN}`);
		}
	}
	if (!(cause instanceof ConnectionError)) throw cause;
	switch (cause.kind) {
		case "bad-result":
			return failure("bad-answer", `The editor was asked ${what}, and its answer makes no sense. ${WITHOUT}`);
		case "too-many-requests":
			return failure("busy", busy(what));
		case "closed":
			return failure("closed", `The editor is gone, and cannot say ${what}. ${WITHOUT}`);
	}
}

/** Other uris are not allowed, and no file tool could open them. */
function isFile({ uri }: acp.WorkspaceDocument): boolean {
	return /^file:\/\/\/[^/]/.test(uri);
}
