import { NO_SUGGESTION_REASONS, type NoSuggestion } from "@segue/agent/next-edit/no-suggestion";
import * as lsp from "@segue/protocol/lsp";
import type { Connection, ParamsOf } from "@segue/rpc";

type Wire = ParamsOf<typeof lsp.didChangeStatus>;

/** Tells the client what it waits for, or why there is no suggestion: in its log, and in the status line of Copilot's clients. */
export class Status {
	/** The status that was sent last, other than that something goes on. Clients show each one, so none is sent twice. */
	private sent: Wire = NORMAL;
	private isBusy = false;
	private logged = "";

	constructor(
		private readonly connection: Pick<Connection<"agent">, "notify">,
		/** Whether the client knows Copilot's messages. Others warn about notifications that they do not know. */
		public isCopilots: boolean,
	) {}

	busy(message: string): void {
		// After a warning, the end of it would be shown as another one.
		if (!this.isCopilots || this.sent.kind !== "Normal") return;
		this.isBusy = true;
		this.connection.notify(lsp.didChangeStatus, { busy: true, kind: "Normal", message });
	}

	/** There is a suggestion, or nobody waits any more. */
	idle(): void {
		this.logged = "";
		this.send(NORMAL);
	}

	none(silence: NoSuggestion, detail: string | undefined): void {
		// What was searched only adds to the reason.
		const reason =
			silence === "nothing-found" && detail !== undefined ? `${NO_SUGGESTION_REASONS[silence]}. ${detail}` : detail;
		const message = `No next edit: ${reason ?? NO_SUGGESTION_REASONS[silence]}`;
		const isOff = silence === "disabled" || silence === "snoozed";
		this.send({ busy: false, kind: isOff ? "Inactive" : silence === "model-failed" ? "Warning" : "Normal", message });
		this.log(`${message} (${silence})`);
	}

	/** There is a suggestion, but not one that the request can be answered with. */
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

const NORMAL: Wire = { busy: false, kind: "Normal", message: "" };
