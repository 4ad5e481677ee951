import type { ApprovalRequest, Permission, PermissionAnswer } from "@segue/assist";
import type { ContentItem } from "../encoding/encoder.js";
import { PendingApprovals } from "./pending-approvals.js";
import type { TurnStream } from "./turn-stream.js";

/** Access to the chat that the approvals belong to. */
interface ApprovalContext {
	/** The running turn. Calls can be approved only during a turn. */
	turn(): TurnStream | undefined;
	isTrusted(): boolean;
	/** Whether to show the client one request at a time. */
	isOneByOne(): boolean;
	/** Shows text outside any turn, if the client supports it. */
	notice(text: string): void;
}

/** Approves the tool calls in one chat: by trust, by a button in the client, or by a prompt. */
export class ChatApprovals {
	private readonly pending = new PendingApprovals();

	constructor(private readonly context: ApprovalContext) {}

	/** Whether a request has been shown and not answered yet. */
	get isWaiting(): boolean {
		return this.pending.isWaiting;
	}

	/** Waits for the user's answer. */
	approve(request: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		const { isTrusted, turn, notice } = this.context;
		if (isTrusted() && isTrustable(request.permission)) return Promise.resolve("once");
		if (turn() === undefined) {
			notice(`Rejected, because the turn has ended: ${request.call.title}\n`);
			return Promise.resolve("no");
		}
		const answer = this.pending.ask(request, signal);
		this.show();
		return answer;
	}

	/** Answers the request with this id. Returns false if there is no such request. */
	settle(callId: string, answer: PermissionAnswer): boolean {
		const isSettled = this.pending.settle(callId, answer);
		this.show();
		return isSettled;
	}

	/**
	 * Answers the oldest request. If `answer` is undefined, the user has moved on, so the request is rejected. Returns
	 * whether the answer was used.
	 */
	settleOldest(answer: PermissionAnswer | undefined): boolean {
		const isSettled = this.pending.settleOldest(answer ?? "no");
		this.show();
		return isSettled && answer !== undefined;
	}

	/** Approves the pending requests that trust covers. Calls denied by a rule never become requests. */
	trust(): void {
		this.pending.settleAll("once", isTrustable);
	}

	/** Shows pending requests whose calls have already been shown. A request can arrive before its call. */
	show(): void {
		const turn = this.context.turn();
		if (turn !== undefined) this.pending.show(turn.builder, this.context.isOneByOne(), (item) => turn.send(item));
	}

	/** Returns the current form of an item for a replay, in which answered requests no longer ask for approval. */
	asNow(item: ContentItem): ContentItem {
		return this.pending.asNow(item);
	}

	/** Rejects all requests, because the turn has ended. */
	end(): void {
		this.pending.end();
	}
}

/** Whether trust covers a permission. Trusting a chat does not allow it to read ignored files. */
function isTrustable({ kind }: Permission): boolean {
	return kind !== "read-ignored";
}
