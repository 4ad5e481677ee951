import path from "node:path";
import { Glob, GlobError, StepBudget, unlessCancelled } from "@segue/text";
import type { Client } from "../client.js";
import type { Store } from "../store/store.js";
import type { Approval, Permission, PermissionKind, ToolCall } from "./thread.js";

/** What somebody configured to be answered without being asked, or to be asked each time. */
export interface ApprovalRule {
	readonly kind: PermissionKind;
	/**
	 * For files and MCP tools a glob, `src/**` or `server/*`. A command or an origin is meant to the letter, since a pattern
	 * for `git *` would also be one for `git log; rm -rf .`; a lone `*` stands for all.
	 */
	readonly pattern: string;
	readonly answer: "allow" | "ask" | "deny";
}

/**
 * Decides what calls in one thread may do, by what was configured, what was answered before, and what the person says now.
 * One question at a time, so that nobody is asked again for what the answer to an open question allows.
 */
export class Approvals {
	private readonly session: Permission[] = [];
	private asking: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly store: Store,
		private readonly workspace: string,
		private readonly rules: readonly ApprovalRule[],
	) {}

	/**
	 * What came of asking for one permission. When the signal is aborted, or the client is gone, that is a no by nobody.
	 */
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
		// One that was cancelled does not wait for the question before it, but the next one has to.
		this.asking = Promise.allSettled([before, decided]);
		return decided;
	}

	/** Whether a rule forbids it, whatever anybody says. */
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
		let asked: Promise<Approval["answer"]>;
		try {
			asked = client.approve({ call, permission }, signal);
		} catch {
			return { ...approval, by: "nobody", answer: "no" };
		}
		const answer = await unlessCancelled(asked, signal).catch(() => undefined);
		if (answer === undefined) return { ...approval, by: "nobody", answer: "no" };
		if (permission.isVague === true && answer !== "no") return { ...approval, by: "person", answer: "once" };
		if (answer === "session") this.session.push(keptOf(permission));
		if (answer === "always") await this.store.allow(this.workspace, keptOf(permission));
		return { ...approval, by: "person", answer };
	}
}

/** Whether a rule forbids it, whatever anybody says. */
export function isDenied(permission: Permission, rules: readonly ApprovalRule[]): boolean {
	return ruleFor(permission, rules) === "deny";
}

/** The rule that would allow just this from now on, as the configuration has it. */
export function ruleAllowing({ kind, subject }: Permission): ApprovalRule {
	return { kind, pattern: subject, answer: "allow" };
}

function ruleFor(permission: Permission, rules: readonly ApprovalRule[]): ApprovalRule["answer"] | undefined {
	// One budget for all rules, because a project that is not trusted may add many.
	const budget = new StepBudget();
	return strictestOf(rules.filter((each) => each.kind === permission.kind && matches(each, permission, budget)));
}

/** The strictest of the rules that match counts, so that their order does not. */
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
		// Nothing is allowed by a pattern that cannot be matched, and a denial may mean anything.
		return answer !== "allow";
	}
}

/** The patterns of rules, compiled when they are first needed. */
const globs = new WeakMap<ApprovalRule, Glob>();

/** How a yes is kept for the next time: for this server alone, where it is one's. */
function keptOf({ kind, subject, server }: Permission): Permission {
	return { kind, subject: server === undefined ? subject : `${subject} ${server}` };
}

function isSame(one: Permission, other: Permission): boolean {
	return one.kind === other.kind && one.subject === other.subject;
}
