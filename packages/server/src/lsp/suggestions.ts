import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import { CancelledError, type NextEditResponse, type NextEditSession } from "@segue/agent/next-edit/session";
import { EMBEDDED } from "@segue/agent/next-edit/settings";
import type { Diagnostic } from "@segue/predict";
import * as lsp from "@segue/protocol/lsp";
import { type Call, type Connection, ErrorCode, RpcError } from "@segue/rpc";
import { type Change, fileNameOf, offsetOf, positionAt, sameUri, Text, uriKey } from "@segue/text";
import { actionTitle, codeActionsFor, kindFor } from "./code-actions.js";
import type { Commands } from "./commands.js";
import type { AnswerKind, FeedbackTracker } from "./feedback-tracker.js";
import { diagnosticsFromWire, requestFromWire, type SuggestionQuery, triggerFromWire } from "./from-wire.js";
import type { MarkedEdit } from "./marks.js";
import type { Status } from "./status.js";
import { inlineEditToWire, inlineItemToWire, joinedEdit, LSP_COMMANDS, offerOffset } from "./to-wire.js";

// More files than an editor shows diagnostics for at a time.
const DIAGNOSED_MAX = 100;

interface SuggestionContext {
	readonly connection: Pick<Connection<"agent">, "notify">;
	readonly capabilities: lsp.ClientCapabilities;
	readonly encoding: lsp.PositionEncoding;
	readonly session: NextEditSession;
	readonly offers: FeedbackTracker;
	readonly commands: Commands;
	readonly status: Status;
	/** Resolves once the client has sent its settings or timed out; undefined after that. */
	readonly settling: () => Promise<void> | undefined;
}

/** Answers a client's requests with suggestions from its session, in the format that each request expects. */
export class Suggestions {
	/** Diagnostics from other servers, by `uriKey`. Plugins forward them. */
	private readonly diagnosed = new Map<string, readonly Diagnostic[]>();

	constructor(private readonly context: SuggestionContext) {}

	/** Returns the next edit on the cursor's line. */
	inlineCompletion(params: lsp.InlineCompletionParams, call: Call) {
		const { session, encoding } = this.context;
		const { textDocument, position, context } = params;
		const { uri } = textDocument;
		const text = session.held(uri)?.document.text ?? Text.empty;
		const cursor = offsetOf(text, position, encoding);
		const query = this.queryFor(uri, { position, trigger: triggerFromWire(context?.triggerKind) });
		return this.suggest(query, call, params.workDoneToken, (offers): { items: lsp.InlineCompletionItem[] } => {
			const firstOf = (candidates: readonly SuggestionOffer[]) => {
				return editsIn(candidates, uri).flatMap((offer) => {
					const item = inlineItemToWire(offer, cursor, context?.selectedCompletionInfo ?? undefined, encoding);
					return item ? [{ offer, item }] : [];
				})[0];
			};
			const found = firstOf(offers) ?? firstOf(this.fromLineStart(query, call));
			this.answered("completion", found?.offer, offers, query);
			return { items: found ? [found.item] : [] };
		});
	}

	/**
	 * Returns suggestions from rules for the start of the cursor's line. Rules search forward from the cursor, but users
	 * often move to the end of a line to change it. Does not query a model a second time.
	 */
	private fromLineStart(query: SuggestionQuery, call: Call): readonly SuggestionOffer[] {
		const { session, encoding } = this.context;
		if (query.position.character === 0 || session.settings.model !== EMBEDDED) return [];
		const position = { line: query.position.line, character: 0 };
		const response = session.suggest(requestFromWire({ ...query, position }, session, encoding), call);
		return !(response instanceof Promise) && "suggestions" in response ? response.suggestions : [];
	}

	/** Returns the next edit in the document, for Copilot clients. */
	inlineEdits(params: lsp.InlineEditsParams, call: Call) {
		const { encoding } = this.context;
		const { textDocument, position, context } = params;
		const { uri, version } = textDocument;
		const query = this.queryFor(uri, { position, trigger: triggerFromWire(context?.triggerKind), version });
		return this.suggest(query, call, params.workDoneToken, (offers): lsp.InlineEdits => {
			// Clients ignore the document that an edit is for, and apply the edit to the requested document.
			const [offer] = editsIn(offers, uri);
			const edit = offer && joinedEdit(offer);
			this.answered("edit", offer, offers, query);
			return { edits: offer && edit ? [inlineEditToWire(offer, edit, encoding)] : [] };
		});
	}

	/** Returns code actions for the next edit in any document. Works in all clients. */
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
		const query = this.queryFor(uri, { position: range.start, trigger, isUnlabelled, kinds, own });
		return this.suggest(query, call, params.workDoneToken, (offers): (lsp.CodeAction | lsp.Command)[] => {
			const [offer] = offers;
			this.answered("action", offer, offers, query);
			if (offer === undefined) return [];
			const rename = session.wholeRename(offer.id);
			const actions = codeActionsFor({ offer, rename, uri, line: range.start.line, kind, capabilities, encoding });
			if (capabilities.textDocument?.codeAction?.codeActionLiteralSupport != null) return actions;
			// An older client supports only commands. Apply the edit with `workspace/applyEdit` if the client supports
			// that.
			const canApply = capabilities.workspace?.applyEdit === true;
			return actions.flatMap(({ title, edit, command }) => {
				if (command === undefined || edit === undefined) return command ?? [];
				return canApply && edit === actions[0]?.edit ? { ...command, title, command: LSP_COMMANDS.apply } : [];
			});
		});
	}

	/** Returns the edit to mark after a change that ended at `cursor`. */
	async next(uri: string, cursor: number): Promise<MarkedEdit | undefined> {
		const { session, encoding, commands } = this.context;
		const held = session.held(uri)?.document;
		if (held === undefined || cursor > held.text.length) return undefined;
		const position = positionAt(held.text, cursor, encoding);
		const request = requestFromWire(this.queryFor(uri, { position, trigger: "automatic" }), session, encoding);
		const response = await session.suggest(request, { signal: NEVER });
		const [offer] = editsIn("suggestions" in response ? response.suggestions : [], undefined);
		const edit = offer && joinedEdit(offer);
		if (offer === undefined || edit === undefined) return undefined;
		commands.add(offer);
		const rename = session.wholeRename(offer.id);
		return { offer, edit, title: actionTitle({ offer, rename, uri, line: position.line }) };
	}

	/** Replaces other servers' diagnostics for a document. */
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
		const { own = [], ...query } = more;
		return { uri, ...query, diagnostics: [...own, ...(this.diagnosed.get(uriKey(uri)) ?? [])] };
	}

	/** Maps other servers' diagnostics through a change. Drops those whose text changed. */
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

	/**
	 * Registers the suggestion sent to the client. If none was sent because the next edit is elsewhere, reports its
	 * location.
	 */
	private answered(
		method: AnswerKind,
		offer: SuggestionOffer | undefined,
		found: readonly SuggestionOffer[],
		{ uri }: SuggestionQuery,
	): void {
		const { offers, commands, status } = this.context;
		offers.answered(method, offer);
		if (offer !== undefined) {
			commands.add(offer);
			status.idle();
			return;
		}
		const [first] = found;
		if (first === undefined) return;
		const line = first.document.text.lineAt(offerOffset(first)) + 1;
		const where = sameUri(first.document.uri, uri) ? "on" : `in ${fileNameOf(first.document.uri)}, on`;
		status.elsewhere(`The next edit is ${where} line ${line}. Use a code action to apply it from here.`);
	}

	/**
	 * Requests suggestions from the session. Reports progress to the client and, if there are no suggestions, the reason.
	 */
	private suggest<Result>(
		query: SuggestionQuery,
		call: Call,
		token: number | string | null | undefined,
		toResult: (offers: readonly SuggestionOffer[]) => Result,
	): Result | Promise<Result> {
		const { session, encoding, status, connection, settling, offers: tracker } = this.context;
		const request = requestFromWire(query, session, encoding);
		const isCurrent = ({ document }: SuggestionOffer) => {
			return session.held(document.uri)?.document.version === document.version && !tracker.isOutdated(document);
		};
		const finish = (response: NextEditResponse) => {
			if ("silence" in response) {
				status.none(response.silence, response.detail);
				return toResult([]);
			}
			// Omit stale edits. Most LSP responses have no version, so a client would apply them.
			const offers = response.suggestions.filter(isCurrent);
			if (offers.length === 0) status.none("stale", undefined);
			else status.idle();
			return toResult(offers);
		};
		const response = settling()?.then(() => session.suggest(request, call)) ?? session.suggest(request, call);
		if (!(response instanceof Promise)) return finish(response);
		const title = "Looking for the next edit";
		if (token != null) connection.notify(lsp.progress, { token, value: { kind: "begin", title } });
		status.busy(title);
		return response
			.then(finish, (error: unknown) => {
				status.idle();
				throw error instanceof CancelledError ? new RpcError(ErrorCode.cancelled, error.message) : error;
			})
			.finally(() => {
				if (token != null) connection.notify(lsp.progress, { token, value: { kind: "end" } });
			});
	}
}

/** Returns the suggestions that edit a document or, without a URI, any document. */
function editsIn(offers: readonly SuggestionOffer[], uri: string | undefined): SuggestionOffer[] {
	return offers.filter(({ suggestion, document }) => {
		return suggestion.kind === "edit" && (uri === undefined || sameUri(document.uri, uri));
	});
}

/** The additional kinds for clients that support `window/showDocument`. */
const JUMPS: ReadonlySet<"jump"> = new Set(["jump"]);

const NEVER = new AbortController().signal;
