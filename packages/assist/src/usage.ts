import type { ChatMessage, ChatModel, Usage } from "@segue/models";
import { type Gauge, messageSize } from "./compaction.js";
import type { Entry } from "./thread.js";

/** The tokens and costs of a thread, as providers reported them. */
export function costsOf(entries: readonly Entry[]): string {
	const usages = entries.flatMap(({ body }) => (body.type === "usage" ? [body.usage] : []));
	const sum = (of: (usage: Usage) => number | undefined) => usages.reduce((all, usage) => all + (of(usage) ?? 0), 0);
	const requests = usages.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0).length;
	if (requests === 0) return "No tokens were reported for this thread yet.";
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

/** The next request, without what the user is going to write. */
export interface NextRequest {
	readonly instructions: string;
	readonly advice: string;
	readonly tools: string;
	readonly messages: readonly ChatMessage[];
}

/** Estimates what fills a model's context window. */
export function contextReport(
	{ instructions, advice, tools, messages }: NextRequest,
	{ name, windowTokens }: ChatModel,
	gauge: Gauge,
	entries: readonly Entry[],
): string {
	const ofRole = (role: ChatMessage["role"]) => {
		const sizes = messages.filter((message) => message.role === role).map(messageSize);
		return sizes.reduce((all, size) => all + gauge.tokensOf(size), 0);
	};
	const ofText = (text: string) => gauge.tokensOf({ chars: text.length, images: 0 });
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
			? [`Last request: ${count(last.usage.inputTokens)} tokens, as the provider counted`]
			: []),
	].join("\n");
}

function count(number: number): string {
	return Math.round(number).toLocaleString("en");
}
