import type { ApprovalRequest, Permission, PermissionAnswer, ToolCall } from "@segue/assist";
import type { ContentBuilder } from "../encoding/content-builder.js";
import type { ContentItem } from "../encoding/encoder.js";

/** What waits to be approved in a chat. A yes holds for what was shown with the question, and for nothing else. */
export class PendingApprovals {
	/** By the id of the call that each is shown as, the oldest first. */
	private readonly open = new Map<string, PendingApproval>();
	/** What the person said last of the calls of this turn, by their ids. */
	private readonly answered = new Map<string, EarlierAnswer>();
	private count = 0;

	/** Waits for an answer. A call that needs more than one permission is shown once, as it is. */
	ask({ call, permission }: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer> {
		const wanted = JSON.stringify(permission);
		const before = this.answered.get(call.id);
		if (before !== undefined && before.looks === looksOf(call) && !before.permissions.has(wanted)) {
			before.permissions.add(wanted);
			return Promise.resolve(before.answer);
		}
		this.count++;
		return new Promise((resolve) => {
			const question: PendingApproval = { call, permission, number: this.count, answer: resolve, shown: undefined };
			this.open.set(keyOf(question), question);
			signal.addEventListener("abort", () => this.close(question, undefined), { once: true });
		});
	}

	/**
	 * Shows what was not shown yet, as soon as the call that it is about was told of. A call that has been approved, or runs, is
	 * not asked about again by editors, so that the question is shown as a call of its own. A client that answers in prompts is
	 * shown one question at a time (`isOneByOne`), so that its answer has only one meaning.
	 */
	show(builder: ContentBuilder, isOneByOne: boolean, send: (item: ContentItem) => void): void {
		for (const [key, question] of this.open) {
			const { call, number } = question;
			if (isOneByOne && this.isWaiting) return;
			if (question.shown !== undefined || !builder.knows(call.id)) continue;
			const shown = builder.isAskable(call.id) ? call : { ...call, id: `${call.id}-question-${number}` };
			question.shown = { call: { ...shown, status: "pending" }, builder, send };
			this.open.delete(key);
			this.open.set(shown.id, question);
			for (const item of builder.requestApproval(question.shown.call)) send(item);
		}
	}

	/** What was told, for an editor that is told it again: what was answered meanwhile is not asked. */
	asNow(item: ContentItem): ContentItem {
		const { content } = item;
		if (content.type !== "toolCallRun" || this.open.has(content.id)) return item;
		const { request: _answered, ...rest } = item;
		return { ...rest, content: { ...content, manualApproval: false } };
	}

	/** Whether a question that was shown has no answer yet. */
	get isWaiting(): boolean {
		return [...this.open.values()].some(({ shown }) => shown !== undefined);
	}

	/** Says something of a call; false where none waits that was shown by this id. */
	settle(id: string, answer: PermissionAnswer): boolean {
		const question = this.open.get(id);
		// Nobody can have meant what they were not shown.
		if (question?.shown === undefined) return false;
		this.close(question, answer);
		return true;
	}

	/** Says something of what has waited longest; false where nothing does. */
	settleOldest(answer: PermissionAnswer): boolean {
		const [oldest] = [...this.open].filter(([, { shown }]) => shown !== undefined);
		return oldest !== undefined && this.settle(oldest[0], answer);
	}

	/** Says the same of all that wait for such a permission. */
	settleAll(answer: PermissionAnswer, isMeant: (permission: Permission) => boolean): void {
		for (const question of [...this.open.values()]) if (isMeant(question.permission)) this.close(question, answer);
	}

	/** The turn is over, and nobody can answer what it asked. */
	end(): void {
		for (const question of [...this.open.values()]) this.close(question, undefined);
		this.answered.clear();
	}

	/** Without an answer, nobody gave one. */
	private close(question: PendingApproval, answer: PermissionAnswer | undefined): void {
		const { call, shown, permission } = question;
		const key = shown?.call.id ?? keyOf(question);
		if (this.open.get(key) !== question) return;
		this.open.delete(key);
		if (answer !== undefined) {
			this.answered.set(call.id, { answer, looks: looksOf(call), permissions: new Set([JSON.stringify(permission)]) });
		}
		// What becomes of the agent's own call is told by the agent.
		if (shown !== undefined && shown.call.id !== call.id) {
			for (const item of shown.builder.answered(shown.call, answer)) shown.send(item);
		}
		question.answer(answer ?? "no");
	}
}

interface PendingApproval {
	readonly call: ToolCall;
	readonly permission: Permission;
	readonly number: number;
	readonly answer: (answer: PermissionAnswer) => void;
	/** The call that it is shown as, and where; undefined while it is not. */
	shown:
		| { readonly call: ToolCall; readonly builder: ContentBuilder; readonly send: (item: ContentItem) => void }
		| undefined;
}

interface EarlierAnswer {
	readonly answer: PermissionAnswer;
	/** What was shown of the call. */
	readonly looks: string;
	/** Those that the answer was taken for. Who wants one of them again asks again. */
	readonly permissions: Set<string>;
}

/**
 * The answer of a prompt to a request for approval; undefined for any other text. A client without buttons
 * (`isTextOnly`) has no other way to answer, so more words count there.
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

/** Before it is shown it has no id that an editor could name. */
function keyOf({ number }: PendingApproval): string {
	return `\0${number}`;
}

function looksOf({ tool, kind, title, input, diffs, locations }: ToolCall): string {
	return JSON.stringify([tool, kind, title, input, diffs, locations]);
}
