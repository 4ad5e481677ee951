import { NO_SUGGESTION_REASONS, type NoSuggestion } from "@segue/agent/next-edit/no-suggestion";
import * as lsp from "@segue/protocol/lsp";
import type { Connection, ParamsOf } from "@segue/rpc";

type Wire = ParamsOf<typeof lsp.didChangeStatus>;

/**
 * Reports to the client that a request is running, or why there is no suggestion. Uses the log and, in Copilot clients,
 * the status line.
 */
export class Status {
	/** The last status sent, except for busy. Clients show every status, so duplicates are not sent. */
	private sent: Wire = NORMAL;
	private isBusy = false;
	private logged = "";

	constructor(
		private readonly connection: Pick<Connection<"agent">, "notify">,
		/** Whether the client supports Copilot's messages. Other clients warn about unknown notifications. */
		public isCopilots: boolean,
	) {}

	busy(message: string): void {
		// Don't interrupt a warning, because clients would show it again after the busy status ends.
		if (!this.isCopilots || this.sent.kind !== "Normal") return;
		this.isBusy = true;
		this.connection.notify(lsp.didChangeStatus, { busy: true, kind: "Normal", message });
	}

	/** Clears the status: a suggestion was found, or the request was cancelled. */
	idle(): void {
		this.logged = "";
		this.send(NORMAL);
	}

	none(silence: NoSuggestion, detail: string | undefined): void {
		const reason =
			DETAIL_ADDED.has(silence) && detail !== undefined ? `${NO_SUGGESTION_REASONS[silence]}. ${detail}` : detail;
		const message = `No next edit: ${reason ?? NO_SUGGESTION_REASONS[silence]}`;
		const isOff = silence === "disabled" || silence === "snoozed";
		this.send({ busy: false, kind: isOff ? "Inactive" : silence === "model-failed" ? "Warning" : "Normal", message });
		this.log(`${message} (${silence})`);
	}

	/** Reports a suggestion that the response cannot contain. */
	elsewhere(message: string): void {
		this.send({ busy: false, kind: "Normal", message });
		this.log(message);
	}

	private send(status: Wire): void {
		const { sent, isBusy } = this;
		if (!this.isCopilots || (!isBusy && status.kind === sent.kind && status.message === sent.message)) return;
		this.isBusy = false;
		this.sent = status;
		this.connection.notify(lsp.didChangeStatus, status);
	}

	private log(message: string): void {
		if (message === this.logged) return;
		this.logged = message;
		this.connection.notify(lsp.logMessage, { type: lsp.MessageType.log, message });
	}
}

// The detail for these reasons does not include the cause, so it is added to the text. For other reasons, the detail
// replaces the text.
const DETAIL_ADDED: ReadonlySet<NoSuggestion> = new Set([
	...(["nothing-found", "no-edit", "unreadable-answer", "cut-off", "special-token", "special-token-in-text"] as const),
]);

const NORMAL: Wire = { busy: false, kind: "Normal", message: "" };
