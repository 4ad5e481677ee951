import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import { CancelledError, type NextEditResponse, type NextEditSession } from "@segue/agent/next-edit/session";
import { EMBEDDED } from "@segue/agent/next-edit/settings";
import type { Diagnostic } from "@segue/predict";
import * as lsp from "@segue/protocol/lsp";
import { type Call, type Connection, ErrorCode, RpcError } from "@segue/rpc";
import { type Change, offsetOf, positionAt, sameUri, Text, uriKey } from "@segue/text";
import { actionTitle, codeActionsFor, fileNameOf, kindFor } from "./code-actions.js";
import type { Commands } from "./commands.js";
import type { AnswerKind, FeedbackTracker } from "./feedback-tracker.js";
import { diagnosticsFromWire, requestFromWire, type SuggestionQuery, triggerFromWire } from "./from-wire.js";
import type { MarkedEdit } from "./marks.js";
import type { Status } from "./status.js";
import { inlineEditToWire, inlineItemToWire, joinedEdit, LSP_COMMANDS, offerOffset } from "./to-wire.js";

// More files than an editor shows problems of.
const DIAGNOSED_MAX = 100;

interface SuggestionContext {
	readonly connection: Pick<Connection<"agent">, "notify">;
	readonly capabilities: lsp.ClientCapabilities;
	readonly encoding: lsp.PositionEncoding;
	readonly session: NextEditSession;
	readonly offers: FeedbackTracker;
	readonly commands: Commands;
	readonly status: Status;
	/** Resolves when the client has sent its settings, or takes too long; undefined once it has. */
	readonly settling: () => Promise<void> | undefined;
}

/** Answers the requests of a client with the suggestions of its session, each in the form that the client asks for. */
export class Suggestions {
	/** What plugins passed on of other servers' diagnostics, by `uriKey`. */
	private readonly diagnosed = new Map<string, readonly Diagnostic[]>();

	constructor(private readonly context: SuggestionContext) {}

	/** The next edit of the cursor's line. */
	inlineCompletion(params: lsp.InlineCompletionParams, call: Call) {
		const { session, encoding } = this.context;
		const { textDocument, position, context } = params;
		const { uri } = textDocument;
		const text = session.held(uri)?.document.text ?? Text.empty;
		const cursor = offsetOf(text, position, encoding);
		const asked = this.queryFor(uri, { position, trigger: triggerFromWire(context?.triggerKind) });
		return this.suggest(asked, call, params.workDoneToken, (offers): { items: lsp.InlineCompletionItem[] } => {
			const fitIn = (some: readonly SuggestionOffer[]) => {
				return editsIn(some, uri).flatMap((offer) => {
					const item = inlineItemToWire(offer, cursor, context?.selectedCompletionInfo ?? undefined, encoding);
					return item ? [{ offer, item }] : [];
				})[0];
			};
			const fit = fitIn(offers) ?? fitIn(this.fromLineStart(asked, call));
			this.answered("completion", fit?.offer, offers, asked);
			return { items: fit ? [fit.item] : [] };
		});
	}

	/**
	 * What the rules find from the start of the cursor's line. They look ahead of the cursor first, and a user who comes to a line to
	 * change it is often at its end. A model is not asked again.
	 */
	private fromLineStart(asked: SuggestionQuery, call: Call): readonly SuggestionOffer[] {
		const { session, encoding } = this.context;
		if (asked.position.character === 0 || session.settings.model !== EMBEDDED) return [];
		const position = { line: asked.position.line, character: 0 };
		const answer = session.suggest(requestFromWire({ ...asked, position }, session, encoding), call);
		return !(answer instanceof Promise) && "suggestions" in answer ? answer.suggestions : [];
	}

	/** The next edit of the document, for Copilot's clients. */
	inlineEdits(params: lsp.InlineEditsParams, call: Call) {
		const { encoding } = this.context;
		const { textDocument, position, context } = params;
		const { uri, version } = textDocument;
		const asked = this.queryFor(uri, { position, trigger: triggerFromWire(context?.triggerKind), version });
		return this.suggest(asked, call, params.workDoneToken, (offers): lsp.InlineEdits => {
			// Clients show an answer in the document that they asked about, whichever it names.
			const [offer] = editsIn(offers, uri);
			const edit = offer && joinedEdit(offer);
			this.answered("edit", offer, offers, asked);
			return { edits: offer && edit ? [inlineEditToWire(offer, edit, encoding)] : [] };
		});
	}

	/** The next edit of any document, for every client. */
	codeActions(
		params: lsp.CodeActionParams,
		call: Call,
	): (lsp.CodeAction | lsp.Command)[] | Promise<(lsp.CodeAction | lsp.Command)[]> {
		const { session, encoding, capabilities } = this.context;
		const { textDocument, range, context } = params;
		const { uri } = textDocument;
		const kind = kindFor(context?.only ?? undefined);
		if (kind === undefined) return [];
		const text = session.held(uri)?.document.text ?? Text.empty;
		const own = diagnosticsFromWire(uri, context?.diagnostics ?? [], text, encoding);
		const kinds = capabilities.window?.showDocument?.support === true ? JUMPS : undefined;
		const trigger = context?.triggerKind === lsp.TriggerKind.automatic ? "automatic" : "manual";
		const isUnlabelled = context?.triggerKind == null;
		const asked = this.queryFor(uri, { position: range.start, trigger, isUnlabelled, kinds, own });
		return this.suggest(asked, call, params.workDoneToken, (offers): (lsp.CodeAction | lsp.Command)[] => {
			const [offer] = offers;
			this.answered("action", offer, offers, asked);
			if (offer === undefined) return [];
			const rename = session.wholeRename(offer.id);
			const made = codeActionsFor({ offer, rename, uri, line: range.start.line, kind, capabilities, encoding });
			if (capabilities.textDocument?.codeAction?.codeActionLiteralSupport != null) return made;
			// An older client takes commands alone, and may be asked to make the edit.
			const canApply = capabilities.workspace?.applyEdit === true;
			return made.flatMap(({ title, edit, command }) => {
				if (command === undefined || edit === undefined) return command ?? [];
				return canApply && edit === made[0]?.edit ? { ...command, title, command: LSP_COMMANDS.apply } : [];
			});
		});
	}

	/** The next edit after a change that ended at an offset, to mark it in the text. */
	async next(uri: string, cursor: number): Promise<MarkedEdit | undefined> {
		const { session, encoding, commands } = this.context;
		const held = session.held(uri)?.document;
		if (held === undefined || cursor > held.text.length) return undefined;
		const position = positionAt(held.text, cursor, encoding);
		const request = requestFromWire(this.queryFor(uri, { position, trigger: "automatic" }), session, encoding);
		const answer = await session.suggest(request, { signal: NEVER });
		const [offer] = editsIn("suggestions" in answer ? answer.suggestions : [], undefined);
		const edit = offer && joinedEdit(offer);
		if (offer === undefined || edit === undefined) return undefined;
		commands.give(offer);
		const rename = session.wholeRename(offer.id);
		return { offer, edit, title: actionTitle({ offer, rename, uri, line: position.line }) };
	}

	/** What other servers found in a document, in place of what they found before. */
	diagnose(uri: string, diagnostics: readonly lsp.Diagnostic[]): void {
		const { session, encoding } = this.context;
		const text = session.held(uri)?.document.text;
		this.diagnosed.delete(uriKey(uri));
		if (text === undefined) return;
		this.diagnosed.set(uriKey(uri), diagnosticsFromWire(uri, diagnostics, text, encoding));
		for (const old of [...this.diagnosed.keys()].slice(0, -DIAGNOSED_MAX)) this.diagnosed.delete(old);
	}

	private queryFor(
		uri: string,
		more: Omit<SuggestionQuery, "uri" | "diagnostics"> & { own?: readonly Diagnostic[] },
	): SuggestionQuery {
		const { own = [], ...asked } = more;
		return { uri, ...asked, diagnostics: [...own, ...(this.diagnosed.get(uriKey(uri)) ?? [])] };
	}

	/** Other servers' diagnostics move with the text, and go with what they were about. */
	changed(uri: string, change: Change): void {
		const known = this.diagnosed.get(uriKey(uri));
		if (known === undefined) return;
		const left = known.filter(({ from, to }) => !change.edits.some((edit) => edit.from <= to && edit.to >= from));
		const moved = left.map((one) => ({
			...one,
			from: change.map(one.from, "before"),
			to: change.map(one.to, "after"),
		}));
		this.diagnosed.set(uriKey(uri), moved);
	}

	/** The client has this one of some suggestions from now on, or none of them, which it is told why. */
	private answered(
		method: AnswerKind,
		offer: SuggestionOffer | undefined,
		found: readonly SuggestionOffer[],
		{ uri }: SuggestionQuery,
	): void {
		const { offers, commands, status } = this.context;
		offers.answered(method, offer);
		if (offer !== undefined) {
			commands.give(offer);
			status.idle();
			return;
		}
		const [first] = found;
		if (first === undefined) return;
		const line = first.document.text.lineAt(offerOffset(first)) + 1;
		const where = sameUri(first.document.uri, uri) ? "on" : `in ${fileNameOf(first.document.uri)}, on`;
		status.elsewhere(`The next edit is ${where} line ${line}: a code action makes it from here`);
	}

	/** Asks the session, and tells the client what it waits for or why there is nothing. */
	private suggest<Result>(
		asked: SuggestionQuery,
		call: Call,
		token: number | string | null | undefined,
		answered: (offers: readonly SuggestionOffer[]) => Result,
	): Result | Promise<Result> {
		const { session, encoding, status, connection, settling, offers: given } = this.context;
		const request = requestFromWire(asked, session, encoding);
		const isCurrent = ({ document }: SuggestionOffer) => {
			return session.held(document.uri)?.document.version === document.version && !given.isOutdated(document);
		};
		const finish = (answer: NextEditResponse) => {
			if ("silence" in answer) {
				status.none(answer.silence, answer.detail);
				return answered([]);
			}
			// Most answers of LSP have no version, so a client would change a text that is another by now.
			const offers = answer.suggestions.filter(isCurrent);
			if (offers.length === 0) status.none("stale", undefined);
			else status.idle();
			return answered(offers);
		};
		const answer = settling()?.then(() => session.suggest(request, call)) ?? session.suggest(request, call);
		if (!(answer instanceof Promise)) return finish(answer);
		const title = "Looking for the next edit";
		if (token != null) connection.notify(lsp.progress, { token, value: { kind: "begin", title } });
		status.busy(title);
		return answer
			.then(finish, (error: unknown) => {
				status.idle();
				throw error instanceof CancelledError ? new RpcError(ErrorCode.cancelled, error.message) : error;
			})
			.finally(() => {
				if (token != null) connection.notify(lsp.progress, { token, value: { kind: "end" } });
			});
	}
}

/** The edits among some suggestions, of one document or of all. */
function editsIn(offers: readonly SuggestionOffer[], uri: string | undefined): SuggestionOffer[] {
	return offers.filter(({ suggestion, document }) => {
		return suggestion.kind === "edit" && (uri === undefined || sameUri(document.uri, uri));
	});
}

/** Code actions of clients that can go to a place. */
const JUMPS: ReadonlySet<"jump"> = new Set(["jump"]);

const NEVER = new AbortController().signal;
