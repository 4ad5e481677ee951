import type { ChatMessage, ChatModel, Usage } from "@segue/models";
import { messageSize, type TokenEstimator } from "./compaction.js";
import { messagesOf } from "./history.js";
import { isCommandPrompt } from "./slash-command.js";
import type { EndReason, Entry } from "./thread.js";

/** Sums up a thread's tokens and costs, as reported by providers. */
export function costsOf(entries: readonly Entry[]): string {
	const usages = entries.flatMap(({ body }) => (body.type === "usage" ? [body.usage] : []));
	const sum = (of: (usage: Usage) => number | undefined) => usages.reduce((all, usage) => all + (of(usage) ?? 0), 0);
	const requests = usages.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0).length;
	if (requests === 0) return "No tokens have been reported for this conversation yet.";
	const cached = sum((usage) => usage.cachedTokens);
	const cost = sum((usage) => usage.costUsd);
	const isPriced = usages.some(({ costUsd }) => costUsd !== undefined);
	return [
		`Requests: ${count(requests)}`,
		`Input tokens: ${count(sum((usage) => usage.inputTokens))}${cached === 0 ? "" : `, ${count(cached)} of them cached`}`,
		`Output tokens: ${count(sum((usage) => usage.outputTokens))}`,
		isPriced ? `Cost: $${cost.toFixed(4)}` : "Cost: not reported by the provider",
	].join("\n");
}

/** The next request, except for the user's next message. */
interface NextRequest {
	readonly instructions: string;
	readonly advice: string;
	readonly tools: string;
	readonly messages: readonly ChatMessage[];
}

/** Estimates how a model's context window is used. */
export function contextReport(
	{ instructions, advice, tools, messages }: NextRequest,
	{ name, windowTokens }: ChatModel,
	estimator: TokenEstimator,
	entries: readonly Entry[],
): string {
	const ofRole = (role: ChatMessage["role"]) => {
		const sizes = messages.filter((message) => message.role === role).map(messageSize);
		return sizes.reduce((all, size) => all + estimator.tokensOf(size), 0);
	};
	const ofText = (text: string) => estimator.tokensOf({ chars: text.length, images: 0 });
	const rows: (readonly [string, number])[] = [
		["Instructions", ofText(instructions)],
		["Tools", ofText(tools)],
		["AGENTS.md", ofText(advice)],
		["Your messages", ofRole("user")],
		["Answers", ofRole("assistant")],
		["Tool results", ofRole("tool")],
	];
	const used = rows.reduce((all, [, tokens]) => all + tokens, 0);
	const share = (tokens: number) =>
		windowTokens === undefined ? "" : ` (${Math.round((100 * tokens) / windowTokens)}%)`;
	const last = entries.findLast(({ body }) => body.type === "usage" && body.usage.inputTokens > 0)?.body;
	return [
		`Model: ${name}`,
		`Context window: ${windowTokens === undefined ? "unknown" : `${count(windowTokens)} tokens`}`,
		...rows.map(([what, tokens]) => `  ${what}: ${count(tokens)}${share(tokens)}`),
		`Used: about ${count(used)} tokens${share(used)}`,
		...(windowTokens === undefined ? [] : [`Free: about ${count(Math.max(0, windowTokens - used))} tokens`]),
		...(last?.type === "usage"
			? [`Last request: ${count(last.usage.inputTokens)} tokens, as reported by the provider`]
			: []),
	].join("\n");
}

function count(number: number): string {
	return Math.round(number).toLocaleString("en");
}

/** Explains what the last turn of a thread did and why it ended. Ignores commands. */
export function explainLastTurn(entries: readonly Entry[]): string {
	const prompt = entries.findLast(({ body }) => body.type === "prompt" && !isCommandPrompt(body));
	if (prompt?.body.type !== "prompt") return "This conversation has no turns yet.";
	const own = entries.filter((entry) => entry.turn === prompt.turn);
	const turn = own.map((entry) => entry.body);
	const listener = { model: "", takesImages: false };
	// A summary would hide the steps that came before it.
	const taken = own.filter((entry) => entry.body.type !== "summary");
	const steps = messagesOf(taken, prompt.turn, listener).filter((message) => message.role === "assistant").length;
	const lines = [`Model: ${prompt.body.model ?? "none"}`, `Steps: ${steps}`];
	const calls = turn.flatMap((body) => (body.type === "call" ? [body.call] : []));
	const failed = calls.filter((call) => call.status === "failed");
	lines.push(`Calls: ${calls.length}${failed.length === 0 ? "" : ` (${failed.length} failed)`}`);
	for (const call of failed) lines.push(`  ${call.title}: ${call.output.split("\n")[0]}`);
	for (const body of turn) {
		if (body.type !== "approval") continue;
		const { by, permission, answer } = body.approval;
		lines.push(`Approval for ${permission.kind} ${permission.subject}: ${answer} (${SOURCES[by]})`);
	}
	const usages = turn.flatMap((body) => (body.type === "usage" ? [body.usage] : []));
	const sum = (of: (usage: Usage) => number) => usages.reduce((all, usage) => all + of(usage), 0);
	const read = sum((usage) => usage.inputTokens);
	const cost = sum((usage) => usage.costUsd ?? 0);
	lines.push(
		read === 0 ? "Tokens: not reported" : `Tokens: ${read} input, ${sum((usage) => usage.outputTokens)} output`,
	);
	if (cost > 0) lines.push(`Cost: $${cost.toFixed(4)}`);
	for (const body of turn) if (body.type === "notice") lines.push(`Notice: ${body.text}`);
	const end = turn.find((body) => body.type === "end");
	lines.push(`End: ${end?.type === "end" ? ENDS[end.reason] : "none. The turn is still running, or was interrupted."}`);
	return lines.join("\n");
}

const SOURCES = { person: "by you", rule: "by a rule or an earlier answer", nobody: "not answered" } as const;

const ENDS: Readonly<Record<EndReason, string>> = {
	done: "the model finished.",
	cancelled: "cancelled.",
	length: "the answer reached the output limit.",
	steps: "too many steps.",
	refused: "the model or its provider refused.",
	failed: "failed.",
};
