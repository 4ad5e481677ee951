import { readSessionSettings } from "@segue/agent/config/session-settings";
import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import type { NextEditSession } from "@segue/agent/next-edit/session";
import * as lsp from "@segue/protocol/lsp";
import { type Connection, ErrorCode, RpcError } from "@segue/rpc";
import type { Document } from "@segue/text";
import type { FeedbackTracker } from "./feedback-tracker.js";
import { suggestionIdFromWire } from "./from-wire.js";
import { EVERYWHERE, LSP_COMMANDS, offerRangeToWire, workspaceEditToWire } from "./to-wire.js";

// Clients show only suggestions from recent responses, so commands don't refer to older ones.
const OFFERS_MAX = 30;

interface CommandContext {
	readonly connection: Pick<Connection<"agent">, "request">;
	readonly capabilities: lsp.ClientCapabilities;
	readonly encoding: lsp.PositionEncoding;
	readonly session: Pick<NextEditSession, "set" | "held" | "wholeRename">;
	readonly offers: FeedbackTracker;
}

/** Executes the client's commands. Most refer to a suggestion that was sent to the client. */
export class Commands {
	/** Suggestions by id, newest last. */
	private readonly sent = new Map<string, SuggestionOffer>();

	constructor(private readonly context: CommandContext) {}

	/** Registers a suggestion that is sent to the client. */
	add(offer: SuggestionOffer): void {
		this.sent.set(offer.id, offer);
		for (const old of [...this.sent.keys()].slice(0, -OFFERS_MAX)) this.sent.delete(old);
	}

	/**
	 * Executes a command. Throws an `RpcError` for an unknown command. A command for an unknown suggestion does nothing.
	 */
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
				return this.apply(this.sent.get(id));
			case LSP_COMMANDS.goTo:
				return this.goTo(this.sent.get(id));
			case LSP_COMMANDS.snooze:
				this.snooze(args?.[0]);
				return null;
			default:
				throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.command: unknown command");
		}
	}

	private async apply(offer: SuggestionOffer | undefined): Promise<null> {
		const { connection, capabilities, encoding, offers, session } = this.context;
		if (offer?.suggestion.kind !== "edit" || capabilities.workspace?.applyEdit !== true) return null;
		const { document, id, suggestion } = offer;
		// The document has changed since the suggestion was made.
		if (session.held(document.uri)?.document.version !== document.version) return null;
		const edit = workspaceEditToWire([{ document, edits: suggestion.edits }], capabilities, encoding);
		const { applied } = await connection.request(lsp.applyEdit, { label: "Next edit", edit });
		if (applied) offers.accepted(id, [document]);
		return null;
	}

	/** Returns the documents that the client changes when it applies a suggestion or its whole rename. */
	private changedBy(id: string, isEverywhere: boolean): Document[] {
		const whole = isEverywhere ? this.context.session.wholeRename(id) : undefined;
		const offer = this.sent.get(id);
		return whole?.map(({ document }) => document) ?? (offer === undefined ? [] : [offer.document]);
	}

	private async goTo(offer: SuggestionOffer | undefined): Promise<null> {
		if (offer === undefined) return null;
		const { connection, encoding, offers } = this.context;
		const { id, document, suggestion } = offer;
		const selection = offerRangeToWire(offer, encoding);
		const { success } = await connection.request(lsp.showDocument, { uri: document.uri, takeFocus: true, selection });
		// Going to the target of a jump accepts it. An edit has not been applied yet.
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
