import type { Usage } from "@segue/models";
import { isCommandPrompt } from "./commands.js";
import { messagesOf } from "./history.js";
import type { EndReason, Entry } from "./thread.js";

/** What the last turn of a thread did, and why it ended as it did. Commands do not count. */
export function whyOf(entries: readonly Entry[]): string {
	const prompt = entries.findLast(({ body }) => body.type === "prompt" && !isCommandPrompt(body));
	if (prompt?.body.type !== "prompt") return "There has been no turn in this thread yet.";
	const own = entries.filter((entry) => entry.turn === prompt.turn);
	const turn = own.map((entry) => entry.body);
	const listener = { model: "", takesImages: false };
	// A summary stands for steps that were taken before it.
	const taken = own.filter((entry) => entry.body.type !== "summary");
	const steps = messagesOf(taken, prompt.turn, listener).filter((message) => message.role === "assistant").length;
	const lines = [`Model: ${prompt.body.model ?? "none"}`, `Steps: ${steps}`];
	const calls = turn.flatMap((body) => (body.type === "call" ? [body.call] : []));
	const failed = calls.filter((call) => call.status === "failed");
	lines.push(`Calls: ${calls.length}${failed.length === 0 ? "" : `, of which ${failed.length} failed`}`);
	for (const call of failed) lines.push(`  ${call.title}: ${call.output.split("\n")[0]}`);
	for (const body of turn) {
		if (body.type !== "approval") continue;
		const { by, permission, answer } = body.approval;
		lines.push(`Asked for ${permission.kind} ${permission.subject}: ${answer}, by ${WHO[by]}`);
	}
	const usages = turn.flatMap((body) => (body.type === "usage" ? [body.usage] : []));
	const sum = (of: (usage: Usage) => number) => usages.reduce((all, usage) => all + of(usage), 0);
	const read = sum((usage) => usage.inputTokens);
	const cost = sum((usage) => usage.costUsd ?? 0);
	lines.push(read === 0 ? "Tokens: not told" : `Tokens: ${read} read, ${sum((usage) => usage.outputTokens)} written`);
	if (cost > 0) lines.push(`Cost: $${cost.toFixed(4)}`);
	for (const body of turn) if (body.type === "notice") lines.push(`Notice: ${body.text}`);
	const end = turn.find((body) => body.type === "end");
	lines.push(`End: ${end?.type === "end" ? ENDS[end.reason] : "it has none. It still runs, or was cut off."}`);
	return lines.join("\n");
}

const WHO = { person: "you", rule: "a rule or an earlier answer", nobody: "nobody" } as const;

const ENDS: Readonly<Record<EndReason, string>> = {
	done: "the model was done.",
	cancelled: "it was cancelled.",
	length: "the answer became too long.",
	steps: "it took too many steps.",
	refused: "the model or its provider refused.",
	failed: "it failed.",
};
