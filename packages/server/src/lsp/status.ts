import { REASONS } from "@segue/agent/next-edit/reasons";
import type { SuggestAnswer } from "@segue/agent/next-edit/session";
import { lsp, MessageType } from "@segue/protocol/lsp";
import type { Connection, ParamsOf } from "@segue/rpc";

type Wire = ParamsOf<typeof lsp.didChangeStatus>;

/** Tells the client what it waits for, or why there is no suggestion: in its log, and in the status line of Copilot's clients. */
export class Status {
	/** What was told last. Clients may show each one, so the same is not sent twice. */
	private last = "";

	constructor(
		private readonly connection: Pick<Connection<"agent">, "notify">,
		/** Whether the client knows Copilot's messages. Others warn about notifications that they do not know. */
		public isCopilots: boolean,
	) {}

	busy(message: string): void {
		this.tell({ busy: true, kind: "Normal", message });
	}

	idle(): void {
		this.tell({ busy: false, kind: "Normal", message: "" });
	}

	answered(answer: SuggestAnswer): void {
		if ("suggestions" in answer) {
			this.idle();
			return;
		}
		const { silence, detail } = answer;
		const message = `No next edit: ${detail ?? REASONS[silence]}`;
		const isOff = silence === "disabled" || silence === "snoozed";
		const kind = isOff ? "Inactive" : silence === "model-failed" ? "Warning" : "Normal";
		if (this.tell({ busy: false, kind, message })) {
			this.connection.notify(lsp.logMessage, { type: MessageType.log, message: `${message} (${silence})` });
		}
	}

	/** Whether it is another status than before. */
	private tell(status: Wire): boolean {
		const said = JSON.stringify(status);
		if (said === this.last) return false;
		this.last = said;
		if (this.isCopilots) this.connection.notify(lsp.didChangeStatus, status);
		return true;
	}
}
