import path from "node:path";
import { Glob, GlobError, StepBudget, unlessCancelled } from "@segue/text";
import type { Client } from "../client.js";
import type { Store } from "../store/store.js";
import type { Approval, Permission, PermissionKind, ToolCall } from "./thread.js";

/** A configured answer to requests for approval. */
export interface ApprovalRule {
	readonly kind: PermissionKind;
	/**
	 * A glob for files and MCP tools, such as `src/**` or `server/*`. Commands and origins must match exactly, because
	 * `git *` would also match `git log; rm -rf .`. The pattern `*` matches everything.
	 */
	readonly pattern: string;
	readonly answer: "allow" | "ask" | "deny";
}

/**
 * Decides what tool calls in a thread may do, based on configured rules, then earlier answers, and finally the user.
 * Asks one question at a time, because an answer can also decide the next request.
 */
export class Approvals {
	private readonly session: Permission[] = [];
	private asking: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly store: Store,
		private readonly workspace: string,
		private readonly rules: readonly ApprovalRule[],
	) {}

	/** Decides on one permission. The answer is "no" if the signal is aborted or the client disconnects. */
	async decide(
		call: ToolCall,
		permission: Permission,
		client: Pick<Client, "approve">,
		signal: AbortSignal,
	): Promise<Approval> {
		const before = this.asking;
		const decided = (async () => {
			try {
				await unlessCancelled(before, signal);
				return await this.decideNow(call, permission, client, signal);
			} catch (error) {
				if (!signal.aborted) throw error;
				return { callId: call.id, permission, by: "nobody", answer: "no" } as const;
			}
		})();
		// A cancelled request does not wait for the answer to the previous question, but the request after it still
		// must.
		this.asking = Promise.allSettled([before, decided]);
		return decided;
	}

	/** Whether a rule denies the permission, regardless of answers. */
	isDenied(permission: Permission): boolean {
		return isDenied(permission, this.rules);
	}

	private async decideNow(
		call: ToolCall,
		permission: Permission,
		client: Pick<Client, "approve">,
		signal: AbortSignal,
	): Promise<Approval> {
		const approval = { callId: call.id, permission };
		const rule = ruleFor(permission, this.rules);
		if (rule === "deny") return { ...approval, by: "rule", answer: "no" };
		if (rule === "allow") return { ...approval, by: "rule", answer: "always" };
		if (rule === undefined && permission.isVague !== true) {
			const kept = keptOf(permission);
			if (this.session.some((each) => isSame(each, kept))) return { ...approval, by: "rule", answer: "session" };
			const always = await this.store.allowances(this.workspace);
			if (always.some((each) => isSame(each, kept))) return { ...approval, by: "rule", answer: "always" };
		}
		let request: Promise<Approval["answer"]>;
		try {
			request = client.approve({ call, permission }, signal);
		} catch {
			return { ...approval, by: "nobody", answer: "no" };
		}
		const answer = await unlessCancelled(request, signal).catch(() => undefined);
		if (answer === undefined) return { ...approval, by: "nobody", answer: "no" };
		if (permission.isVague === true && answer !== "no") return { ...approval, by: "person", answer: "once" };
		if (answer === "session") this.session.push(keptOf(permission));
		if (answer === "always") await this.store.allow(this.workspace, keptOf(permission));
		return { ...approval, by: "person", answer };
	}
}

/** Whether a rule denies the permission, regardless of answers. */
export function isDenied(permission: Permission, rules: readonly ApprovalRule[]): boolean {
	return ruleFor(permission, rules) === "deny";
}

/** Returns a configuration rule that allows exactly this permission. */
export function ruleAllowing({ kind, subject }: Permission): ApprovalRule {
	return { kind, pattern: subject, answer: "allow" };
}

function ruleFor(permission: Permission, rules: readonly ApprovalRule[]): ApprovalRule["answer"] | undefined {
	// One budget for all rules, because an untrusted project can add many.
	const budget = new StepBudget();
	return strictestOf(rules.filter((each) => each.kind === permission.kind && matches(each, permission, budget)));
}

/** The strictest matching rule wins, independent of order. */
function strictestOf(rules: readonly ApprovalRule[]): ApprovalRule["answer"] | undefined {
	return (["deny", "ask", "allow"] as const).find((answer) => rules.some((rule) => rule.answer === answer));
}

function matches(rule: ApprovalRule, { kind, subject, isVague, isOutside }: Permission, budget: StepBudget): boolean {
	const { pattern, answer } = rule;
	if (pattern === "*") return true;
	if (isVague === true && answer === "allow") return false;
	if (isOutside === true && answer === "allow" && !path.isAbsolute(pattern)) return false;
	if (pattern === subject) return true;
	if (kind === "command" || kind === "network") return false;
	try {
		const glob = globs.get(rule) ?? Glob.parse(pattern);
		globs.set(rule, glob);
		return glob.matches(subject, budget);
	} catch (error) {
		if (!(error instanceof GlobError)) throw error;
		// If the pattern cannot be evaluated, an `allow` rule must not apply, but a stricter rule must.
		return answer !== "allow";
	}
}

/** Compiled patterns, created on first use. */
const globs = new WeakMap<ApprovalRule, Glob>();

/** Returns the permission to remember after an answer. For MCP tools, it is limited to this server. */
function keptOf({ kind, subject, server }: Permission): Permission {
	return { kind, subject: server === undefined ? subject : `${subject} ${server}` };
}

function isSame(one: Permission, other: Permission): boolean {
	return one.kind === other.kind && one.subject === other.subject;
}
