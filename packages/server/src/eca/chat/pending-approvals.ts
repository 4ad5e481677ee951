import type { ApprovalRequest, Permission, PermissionAnswer, ToolCall } from "@segue/assist";
import type { ContentBuilder } from "../encoding/content-builder.js";
import type { ContentItem } from "../encoding/encoder.js";

/** The pending approval requests in a chat. An approval covers only what the request showed. */
export class PendingApprovals {
	/** Requests by the id of the call that represents them in the editor, oldest first. */
	private readonly open = new Map<string, PendingApproval>();
	/** The user's last answer for each call in this turn, by call id. */
	private readonly answered = new Map<string, EarlierAnswer>();
	private count = 0;

	/** Waits for an answer. A call that needs several permissions is shown once. */
	ask({ call, permission }: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		const wanted = JSON.stringify(permission);
		const before = this.answered.get(call.id);
		if (before !== undefined && before.looks === looksOf(call) && !before.permissions.has(wanted)) {
			before.permissions.add(wanted);
			return Promise.resolve(before.answer);
		}
		this.count++;
		return new Promise((resolve) => {
			const request: PendingApproval = { call, permission, number: this.count, answer: resolve, shown: undefined };
			this.open.set(keyOf(request), request);
			signal.addEventListener("abort", () => this.close(request, undefined), { once: true });
		});
	}

	/**
	 * Shows new requests whose calls have been sent. Editors don't ask again about a call that was approved or is
	 * running, so a request for such a call is shown as a separate call. A client that answers with prompts gets one
	 * request at a time (`isOneByOne`), so its answer is unambiguous.
	 */
	show(builder: ContentBuilder, isOneByOne: boolean, send: (item: ContentItem) => void): void {
		for (const [key, request] of this.open) {
			const { call, number } = request;
			if (isOneByOne && this.isWaiting) return;
			if (request.shown !== undefined || !builder.knows(call.id)) continue;
			const shown = builder.isAskable(call.id) ? call : { ...call, id: `${call.id}-question-${number}` };
			request.shown = { call: { ...shown, status: "pending" }, builder, send };
			this.open.delete(key);
			this.open.set(shown.id, request);
			for (const item of builder.requestApproval(request.shown.call)) send(item);
		}
	}

	/** Returns the current form of a sent item for a replay, in which answered requests no longer ask for approval. */
	asNow(item: ContentItem): ContentItem {
		const { content } = item;
		if (content.type !== "toolCallRun" || this.open.has(content.id)) return item;
		const { request: _answered, ...rest } = item;
		return { ...rest, content: { ...content, manualApproval: false } };
	}

	/** Whether a request has been shown and not answered yet. */
	get isWaiting(): boolean {
		return [...this.open.values()].some(({ shown }) => shown !== undefined);
	}

	/** Answers the request that is shown as the call with this id. Returns false if there is no such request. */
	settle(id: string, answer: PermissionAnswer): boolean {
		const request = this.open.get(id);
		// The user cannot have answered a request that was not shown.
		if (request?.shown === undefined) return false;
		this.close(request, answer);
		return true;
	}

	/** Answers the oldest shown request. Returns false if there is none. */
	settleOldest(answer: PermissionAnswer): boolean {
		const [oldest] = [...this.open].filter(([, { shown }]) => shown !== undefined);
		return oldest !== undefined && this.settle(oldest[0], answer);
	}

	/** Gives the same answer to all requests whose permission matches. */
	settleAll(answer: PermissionAnswer, isMeant: (permission: Permission) => boolean): void {
		for (const request of [...this.open.values()]) if (isMeant(request.permission)) this.close(request, answer);
	}

	/** Withdraws all requests at the end of the turn. */
	end(): void {
		for (const request of [...this.open.values()]) this.close(request, undefined);
		this.answered.clear();
	}

	/** Closes a request. If `answer` is undefined, the request is withdrawn and the call is rejected. */
	private close(request: PendingApproval, answer: PermissionAnswer | undefined): void {
		const { call, shown, permission } = request;
		const key = shown?.call.id ?? keyOf(request);
		if (this.open.get(key) !== request) return;
		this.open.delete(key);
		if (answer !== undefined) {
			this.answered.set(call.id, { answer, looks: looksOf(call), permissions: new Set([JSON.stringify(permission)]) });
		}
		// If the request was shown as a separate call, end that call. The agent ends its own calls.
		if (shown !== undefined && shown.call.id !== call.id) {
			for (const item of shown.builder.answered(shown.call, answer)) shown.send(item);
		}
		request.answer(answer ?? "no");
	}
}

interface PendingApproval {
	readonly call: ToolCall;
	readonly permission: Permission;
	readonly number: number;
	readonly answer: (answer: PermissionAnswer) => void;
	/** The call that represents the request, and the stream it was sent to. Undefined until the request is shown. */
	shown:
		| { readonly call: ToolCall; readonly builder: ContentBuilder; readonly send: (item: ContentItem) => void }
		| undefined;
}

interface EarlierAnswer {
	readonly answer: PermissionAnswer;
	/** The content shown for the call, as JSON. */
	readonly looks: string;
	/** The permissions that the answer was used for. A second request for one of these permissions is shown again. */
	readonly permissions: Set<string>;
}

/**
 * Interprets a prompt as an answer to an approval request. Returns undefined for any other text. For clients without
 * buttons (`isTextOnly`), more words count as answers.
 */
export function typedAnswer(message: string, isTextOnly: boolean): PermissionAnswer | undefined {
	const word = message
		.trim()
		.toLowerCase()
		.replace(/[.!]{1,10}$/, "");
	if (YES.has(word) || (isTextOnly && TYPED_YES.has(word))) return "once";
	return NO.has(word) || (isTextOnly && TYPED_NO.has(word)) ? "no" : undefined;
}

const YES: ReadonlySet<string> = new Set(["yes", "approve"]);
const NO: ReadonlySet<string> = new Set(["no", "reject"]);
const TYPED_YES: ReadonlySet<string> = new Set(["y", "ok", "okay", "approved", "allow", "accept"]);
const TYPED_NO: ReadonlySet<string> = new Set(["n", "rejected", "deny", "decline"]);

/** Returns the key for a request before it is shown. The key cannot collide with a call id. */
function keyOf({ number }: PendingApproval): string {
	return `\0${number}`;
}

function looksOf({ tool, kind, title, input, diffs, locations }: ToolCall): string {
	return JSON.stringify([tool, kind, title, input, diffs, locations]);
}
