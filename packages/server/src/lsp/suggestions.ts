import { Cancelled, type Offer, type Session, type SuggestAnswer } from "@segue/agent/next-edit/session";
import type { Diagnostic } from "@segue/predict";
import {
	type ClientCapabilities,
	type CodeAction,
	type CodeActionParams,
	type Command,
	type InlineCompletionItem,
	type InlineCompletionParams,
	type InlineEdits,
	type InlineEditsParams,
	lsp,
	type PositionEncoding,
	TriggerKind,
	type Diagnostic as WireDiagnostic,
} from "@segue/protocol/lsp";
import { type Call, type Connection, ErrorCode, RpcError } from "@segue/rpc";
import { offsetOf, positionAt, sameUri, Text, uriKey } from "@segue/text";
import { codeActionsFor, titleOf } from "./actions.js";
import type { Commands } from "./commands.js";
import { type Asked, diagnosticsFromWire, requestFromWire, triggerFromWire } from "./from-wire.js";
import type { Marked } from "./marks.js";
import type { Offers } from "./offers.js";
import type { Status } from "./status.js";
import { COMMANDS, inlineEditToWire, inlineItemToWire, joinedEdit } from "./to-wire.js";

// More files than an editor shows problems of.
const DIAGNOSED_MAX = 100;

interface Surroundings {
	readonly connection: Pick<Connection<"agent">, "notify">;
	readonly capabilities: ClientCapabilities;
	readonly encoding: PositionEncoding;
	readonly session: Session;
	readonly offers: Offers;
	readonly commands: Commands;
	readonly status: Status;
}

/** Answers the requests of a client with the suggestions of its session, each in the form that the client asks for. */
export class Suggestions {
	/** What plugins passed on of other servers' diagnostics, by `uriKey`. */
	private readonly diagnosed = new Map<string, readonly Diagnostic[]>();

	constructor(private readonly surroundings: Surroundings) {}

	/** The next edit of the cursor's line. */
	inlineCompletion(params: InlineCompletionParams, call: Call) {
		const { session, encoding } = this.surroundings;
		const { textDocument, position, context } = params;
		const { uri } = textDocument;
		const text = session.held(uri)?.document.text ?? Text.empty;
		const cursor = offsetOf(text, position, encoding);
		const asked = this.asked(uri, { position, trigger: triggerFromWire(context?.triggerKind) });
		return this.suggest(asked, call, params.workDoneToken, (answer): { items: InlineCompletionItem[] } => {
			const [fit] = editsIn(answer, uri).flatMap((offer) => {
				const item = inlineItemToWire(offer, cursor, context?.selectedCompletionInfo ?? undefined, encoding);
				return item ? [{ offer, item }] : [];
			});
			this.answered(fit?.offer, "shown");
			return { items: fit ? [fit.item] : [] };
		});
	}

	/** The next edit of the document, for Copilot's clients. */
	inlineEdits(params: InlineEditsParams, call: Call) {
		const { encoding } = this.surroundings;
		const { textDocument, position, context } = params;
		const { uri, version } = textDocument;
		const asked = this.asked(uri, { position, trigger: triggerFromWire(context?.triggerKind), version });
		return this.suggest(asked, call, params.workDoneToken, (answer): InlineEdits => {
			// Clients show an answer in the document that they asked about, whichever it names.
			const [offer] = editsIn(answer, uri);
			const edit = offer && joinedEdit(offer);
			this.answered(offer, "shown");
			return { edits: offer && edit ? [inlineEditToWire(offer, edit, encoding)] : [] };
		});
	}

	/** The next edit of any document, for every client. */
	codeActions(params: CodeActionParams, call: Call) {
		const { session, encoding, capabilities } = this.surroundings;
		const { textDocument, range, context } = params;
		const { uri } = textDocument;
		const text = session.held(uri)?.document.text ?? Text.empty;
		const own = diagnosticsFromWire(uri, context?.diagnostics ?? [], text, encoding);
		const kinds = capabilities.window?.showDocument?.support === true ? JUMPS : undefined;
		const trigger = context?.triggerKind === TriggerKind.automatic ? "automatic" : "manual";
		const asked = this.asked(uri, { position: range.start, trigger, kinds, own });
		return this.suggest(asked, call, params.workDoneToken, (answer): (CodeAction | Command)[] => {
			const [offer] = "suggestions" in answer ? answer.suggestions : [];
			this.answered(offer, "in a menu");
			if (offer === undefined) return [];
			const rename = session.wholeRename(offer.id);
			const only = context?.only ?? undefined;
			const made = codeActionsFor({ offer, rename, uri, line: range.start.line, only, capabilities, encoding });
			if (capabilities.textDocument?.codeAction?.codeActionLiteralSupport != null) return made;
			// An older client takes commands alone.
			return made.flatMap(({ title, edit, command }) => {
				if (command === undefined || edit === undefined) return command ?? [];
				return edit === made[0]?.edit ? { ...command, title, command: COMMANDS.apply } : [];
			});
		});
	}

	/** The next edit after a change that ended at an offset, to mark it in the text. */
	async next(uri: string, cursor: number): Promise<Marked | undefined> {
		const { session, encoding, commands } = this.surroundings;
		const held = session.held(uri)?.document;
		if (held === undefined || cursor > held.text.length) return undefined;
		const position = positionAt(held.text, cursor, encoding);
		const request = requestFromWire(this.asked(uri, { position, trigger: "automatic" }), session, encoding);
		const answer = await Promise.resolve(session.suggest(request, { signal: NEVER })).catch(() => undefined);
		const [offer] = answer ? editsIn(answer, undefined) : [];
		const edit = offer && joinedEdit(offer);
		if (offer === undefined || edit === undefined) return undefined;
		commands.give(offer);
		const rename = session.wholeRename(offer.id);
		return { offer, edit, title: titleOf({ offer, rename, uri, line: position.line }) };
	}

	/** What other servers found in a document, in place of what they found before. */
	diagnose(uri: string, diagnostics: readonly WireDiagnostic[]): void {
		const { session, encoding } = this.surroundings;
		const text = session.held(uri)?.document.text;
		this.diagnosed.delete(uriKey(uri));
		if (text === undefined) return;
		this.diagnosed.set(uriKey(uri), diagnosticsFromWire(uri, diagnostics, text, encoding));
		for (const old of [...this.diagnosed.keys()].slice(0, -DIAGNOSED_MAX)) this.diagnosed.delete(old);
	}

	private asked(uri: string, more: Omit<Asked, "uri" | "diagnostics"> & { own?: readonly Diagnostic[] }): Asked {
		const { own = [], ...asked } = more;
		return { uri, ...asked, diagnostics: [...own, ...(this.diagnosed.get(uriKey(uri)) ?? [])] };
	}

	private answered(offer: Offer | undefined, how: "shown" | "in a menu"): void {
		const { offers, commands } = this.surroundings;
		// A menu is not shown before the user opens it.
		offers.answered(offer, how === "shown");
		if (offer !== undefined) commands.give(offer);
	}

	/** Asks the session, and tells the client what it waits for or why there is nothing. */
	private suggest<Result>(
		asked: Asked,
		call: Call,
		token: number | string | null | undefined,
		answered: (answer: SuggestAnswer) => Result,
	): Result | Promise<Result> {
		const { session, encoding, status, connection } = this.surroundings;
		const answer = session.suggest(requestFromWire(asked, session, encoding), call);
		const finish = (made: SuggestAnswer) => {
			status.answered(made);
			return answered(made);
		};
		if (!(answer instanceof Promise)) return finish(answer);
		const title = "Looking for the next edit";
		if (token != null) connection.notify(lsp.progress, { token, value: { kind: "begin", title } });
		status.busy(title);
		return answer
			.then(finish, (error: unknown) => {
				status.idle();
				throw error instanceof Cancelled ? new RpcError(ErrorCode.cancelled, error.message) : error;
			})
			.finally(() => {
				if (token != null) connection.notify(lsp.progress, { token, value: { kind: "end" } });
			});
	}
}

/** The edits of an answer, of one document or of all. */
function editsIn(answer: SuggestAnswer, uri: string | undefined): Offer[] {
	if ("silence" in answer) return [];
	return answer.suggestions.filter(({ suggestion, document }) => {
		return suggestion.kind === "edit" && (uri === undefined || sameUri(document.uri, uri));
	});
}

/** Code actions of clients that can go to a place. */
const JUMPS: ReadonlySet<"jump"> = new Set(["jump"]);

const NEVER = new AbortController().signal;
