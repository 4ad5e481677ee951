import type { LanguageModelV3Message, LanguageModelV3Prompt, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { CallPart } from "../events.js";
import type { ModelSettings } from "../settings.js";
import type { ChatMessage, ChatRequest, ToolResult } from "./messages.js";
import { readSignature } from "./thoughts.js";

type Of<Role extends ChatMessage["role"]> = Extract<ChatMessage, { role: Role }>;
type Theirs<Role extends LanguageModelV3Message["role"]> = Extract<LanguageModelV3Message, { role: Role }>;

/**
 * A request's messages as the providers' packages take them. Providers refuse a history that is not in order, and one that was
 * cut off never is: a call without a result gets one that says so, a result without its call is left out, and so is what is
 * empty.
 */
export function conversationOf(request: ChatRequest, settings: ModelSettings): LanguageModelV3Prompt {
	const prompt: LanguageModelV3Message[] = [];
	const { messages } = request;
	if (request.system !== "") prompt.push({ role: "system", content: request.system, providerOptions: CACHED });
	const lastUser = messages.findLastIndex(({ role }) => role === "user");
	for (const [at, message] of messages.entries()) {
		if (message.role === "user") prompt.push(...userOf(message));
		if (message.role === "assistant") {
			prompt.push(...assistantOf(message, settings, at > lastUser));
			const calls = message.parts.filter((part) => part.type === "call");
			if (calls.length > 0) prompt.push(resultsOf(calls, resultsAfter(messages, at)));
		}
	}
	const last = prompt.pop();
	return last === undefined
		? prompt
		: [...prompt, { ...last, providerOptions: { ...last.providerOptions, ...CACHED } }];
}

/** Anthropic keeps the prompt up to a mark for the next request. The other wire passes over it. */
const CACHED: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

function userOf({ parts }: Of<"user">): LanguageModelV3Message[] {
	const content: Theirs<"user">["content"] = [];
	for (const part of parts) {
		if (part.type === "text") {
			if (part.text.trim() !== "") content.push({ type: "text", text: part.text });
		} else {
			content.push({ type: "file", mediaType: part.mediaType, data: part.base64 });
		}
	}
	return content.length === 0 ? [] : [{ role: "user", content }];
}

function assistantOf(
	{ parts }: Of<"assistant">,
	{ type }: ModelSettings,
	isOfThisTurn: boolean,
): LanguageModelV3Message[] {
	const content: Theirs<"assistant">["content"] = [];
	for (const part of parts) {
		if (part.type === "text" && part.text.trim() !== "") content.push({ type: "text", text: part.text });
		if (part.type === "call") {
			content.push({ type: "tool-call", toolCallId: part.id, toolName: part.tool, input: inputOf(part.input) });
		}
		const signature = type === "anthropic" && part.type === "thought" ? readSignature(part.signature) : undefined;
		if (part.type === "thought" && signature?.of === "anthropic") {
			const providerOptions = { anthropic: { signature: signature.value } };
			content.push({ type: "reasoning", text: part.text, providerOptions });
		} else if (signature?.of === "anthropic-redacted") {
			const providerOptions = { anthropic: { redactedData: signature.value } };
			content.push({ type: "reasoning", text: "", providerOptions });
		}
	}
	if (content.length === 0) return [];
	const thoughts = type === "openai-compatible" && isOfThisTurn ? thoughtFields(parts) : {};
	return [{ role: "assistant", content, providerOptions: { openaiCompatible: thoughts } }];
}

/**
 * Thoughts go back in the field in which they came. Servers that think between calls need them while the turn goes on; there
 * are others that refuse those of earlier turns.
 */
function thoughtFields(parts: Of<"assistant">["parts"]): Record<string, string> {
	const fields: Record<string, string> = {};
	for (const part of parts) {
		if (part.type !== "thought") continue;
		const signature = readSignature(part.signature);
		if (signature?.of === "field") fields[signature.value] = (fields[signature.value] ?? "") + part.text;
	}
	return fields;
}

/** The results that directly follow a message. */
function resultsAfter(messages: readonly ChatMessage[], at: number): ReadonlyMap<string, ToolResult> {
	const results = new Map<string, ToolResult>();
	for (const message of messages.slice(at + 1)) {
		if (message.role !== "tool") break;
		for (const result of message.results) results.set(result.id, result);
	}
	return results;
}

function resultsOf(calls: readonly CallPart[], results: ReadonlyMap<string, ToolResult>): Theirs<"tool"> {
	return {
		role: "tool",
		content: calls.map(({ id, tool }) => {
			const { output, failed } = results.get(id) ?? { output: INTERRUPTED, failed: true };
			const type = failed ? "error-text" : "text";
			return { type: "tool-result", toolCallId: id, toolName: tool, output: { type, value: output } };
		}),
	};
}

const INTERRUPTED = "This call was interrupted: nobody knows whether it was done.";

/** A call's input as a value, which is what the wires want back. What was no JSON object is told as it was. */
function inputOf(input: string): unknown {
	try {
		const value: unknown = JSON.parse(input);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
	} catch {}
	return { input };
}
