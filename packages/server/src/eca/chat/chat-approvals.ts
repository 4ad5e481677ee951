import type { ApprovalRequest, Permission, PermissionAnswer } from "@segue/assist";
import type { ContentItem } from "../encoding/encoder.js";
import { PendingApprovals } from "./pending-approvals.js";
import type { TurnStream } from "./turn-stream.js";

/** The chat that approvals belong to. */
interface ApprovalContext {
	/** The running turn; calls are approved only during one. */
	turn(): TurnStream | undefined;
	isTrusted(): boolean;
	/** Whether the client is shown one request at a time. */
	isOneByOne(): boolean;
	/** Shows the user a text outside any turn, if the client can. */
	notice(text: string): void;
}

/** How calls are approved in one chat: by trust, by a button of the client, or by a prompt. */
export class ChatApprovals {
	private readonly pending = new PendingApprovals();

	constructor(private readonly context: ApprovalContext) {}

	/** Whether a request that was shown has no answer yet. */
	get isWaiting(): boolean {
		return this.pending.isWaiting;
	}

	/** Waits for the user's answer. */
	approve(request: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		const { isTrusted, turn, notice } = this.context;
		if (isTrusted() && isTrustable(request.permission)) return Promise.resolve("once");
		if (turn() === undefined) {
			notice(`Not approved, because it was asked for after the turn: ${request.call.title}\n`);
			return Promise.resolve("no");
		}
		const answer = this.pending.ask(request, signal);
		this.show();
		return answer;
	}

	/** Answers the request with this id. Returns false if none waits. */
	settle(callId: string, answer: PermissionAnswer): boolean {
		const isSettled = this.pending.settle(callId, answer);
		this.show();
		return isSettled;
	}

	/**
	 * Answers the request that has waited longest. Without an answer the user has moved on, which rejects it. Returns true if
	 * the answer was for a request.
	 */
	settleOldest(answer: PermissionAnswer | undefined): boolean {
		const isSettled = this.pending.settleOldest(answer ?? "no");
		this.show();
		return isSettled && answer !== undefined;
	}

	/** Approves the requests that trust covers. A call that a rule forbids never became a request. */
	trust(): void {
		this.pending.settleAll("once", isTrustable);
	}

	/** Shows the requests whose call was shown by now; it may have been sent after them. */
	show(): void {
		const turn = this.context.turn();
		if (turn !== undefined) this.pending.show(turn.builder, this.context.isOneByOne(), (item) => turn.send(item));
	}

	/** An item as it is now, for a replay: a request that was answered is not asked again. */
	asNow(item: ContentItem): ContentItem {
		return this.pending.asNow(item);
	}

	/** Rejects all requests, because the turn has ended. */
	end(): void {
		this.pending.end();
	}
}

/** Trusting a chat does not allow it to read ignored files. */
function isTrustable({ kind }: Permission): boolean {
	return kind !== "read-ignored";
}
