import { readSessionSettings } from "@segue/agent/config/session-settings";
import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import type { NextEditSession } from "@segue/agent/next-edit/session";
import * as lsp from "@segue/protocol/lsp";
import { type Connection, ErrorCode, RpcError } from "@segue/rpc";
import type { Document } from "@segue/text";
import type { FeedbackTracker } from "./feedback-tracker.js";
import { suggestionIdFromWire } from "./from-wire.js";
import { EVERYWHERE, LSP_COMMANDS, offerRangeToWire, workspaceEditToWire } from "./to-wire.js";

// Suggestions that a command may still come back for: those of some answers, of which a client shows the last.
const OFFERS_MAX = 30;

interface CommandContext {
	readonly connection: Pick<Connection<"agent">, "request">;
	readonly capabilities: lsp.ClientCapabilities;
	readonly encoding: lsp.PositionEncoding;
	readonly session: Pick<NextEditSession, "set" | "held" | "wholeRename">;
	readonly offers: FeedbackTracker;
}

/** The commands that come back from a client, most of them about a suggestion that it was given. */
export class Commands {
	/** By id, the newest last. */
	private readonly given = new Map<string, SuggestionOffer>();

	constructor(private readonly context: CommandContext) {}

	/** The client has this suggestion from now on. */
	give(offer: SuggestionOffer): void {
		this.given.set(offer.id, offer);
		for (const old of [...this.given.keys()].slice(0, -OFFERS_MAX)) this.given.delete(old);
	}

	/** Throws an `RpcError` for a command that there is not. One about a suggestion that is not known any more does nothing. */
	execute(command: string, args: readonly unknown[] | null | undefined): null | Promise<null> {
		const { offers } = this.context;
		const id = suggestionIdFromWire(args);
		switch (command) {
			case LSP_COMMANDS.accept:
				offers.accepted(id, this.changedBy(id, args?.[1] === EVERYWHERE));
				return null;
			case LSP_COMMANDS.reject:
				offers.rejected(id, "rejected");
				return null;
			case LSP_COMMANDS.ignore:
				offers.rejected(id, "ignored");
				return null;
			case LSP_COMMANDS.apply:
				return this.apply(this.given.get(id));
			case LSP_COMMANDS.goTo:
				return this.goTo(this.given.get(id));
			case LSP_COMMANDS.snooze:
				this.snooze(args?.[0]);
				return null;
			default:
				throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.command: there is no such command");
		}
	}

	private async apply(offer: SuggestionOffer | undefined): Promise<null> {
		const { connection, capabilities, encoding, offers, session } = this.context;
		if (offer?.suggestion.kind !== "edit" || capabilities.workspace?.applyEdit !== true) return null;
		const { document, id, suggestion } = offer;
		// The edit is of a text that is gone.
		if (session.held(document.uri)?.document.version !== document.version) return null;
		const edit = workspaceEditToWire([{ document, edits: suggestion.edits }], capabilities, encoding);
		const { applied } = await connection.request(lsp.applyEdit, { label: "Next edit", edit });
		if (applied) offers.accepted(id, [document]);
		return null;
	}

	/** The documents that the client changes with a suggestion, or with the rename that it is a part of. */
	private changedBy(id: string, isEverywhere: boolean): Document[] {
		const whole = isEverywhere ? this.context.session.wholeRename(id) : undefined;
		const offer = this.given.get(id);
		return whole?.map(({ document }) => document) ?? (offer === undefined ? [] : [offer.document]);
	}

	private async goTo(offer: SuggestionOffer | undefined): Promise<null> {
		if (offer === undefined) return null;
		const { connection, encoding, offers } = this.context;
		const { id, document, suggestion } = offer;
		const selection = offerRangeToWire(offer, encoding);
		const { success } = await connection.request(lsp.showDocument, { uri: document.uri, takeFocus: true, selection });
		// Going there is all that a jump suggests. An edit is still to be made.
		if (success && suggestion.kind === "jump") offers.accepted(id, []);
		return null;
	}

	private snooze(minutes: unknown): void {
		const { settings, problems } = readSessionSettings({ snoozeMinutes: minutes });
		if (problems.length > 0) {
			throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.arguments: ${problems.join("; ")}`);
		}
		this.context.session.set(settings);
	}
}
