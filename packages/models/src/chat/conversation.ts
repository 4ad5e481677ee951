import type { CallPart, TextPart } from "../events.js";
import type { ChatMessage, ImagePart, ToolResult } from "./messages.js";

/** A message in the form that providers accept: without blank text, and with every call followed by its result. */
export type OrderedMessage =
	| { readonly role: "user"; readonly parts: readonly (TextPart | ImagePart)[] }
	| {
			readonly role: "assistant";
			readonly parts: Extract<ChatMessage, { role: "assistant" }>["parts"];
			/** Whether no user message follows. */
			readonly isOfThisTurn: boolean;
	  }
	| { readonly role: "tool"; readonly results: readonly Omit<ToolResult, "tool">[] };

/**
 * Normalizes a conversation, because providers reject invalid histories and an interrupted turn always leaves one. A
 * call without a result gets a result that reports the interruption. Results without a call, blank text parts and empty
 * messages are dropped.
 */
export function orderedMessages(messages: readonly ChatMessage[]): OrderedMessage[] {
	const lastUser = messages.findLastIndex(({ role }) => role === "user");
	return messages.flatMap((message, at): OrderedMessage[] => {
		if (message.role === "tool") return [];
		if (message.role === "user") {
			const parts = message.parts.filter(isFilled);
			return parts.length === 0 ? [] : [{ role: "user", parts }];
		}
		const parts = message.parts.filter(isFilled);
		const calls = parts.filter((part) => part.type === "call");
		const answer: OrderedMessage = { role: "assistant", parts, isOfThisTurn: at > lastUser };
		return calls.length === 0
			? [answer]
			: [answer, { role: "tool", results: resultsOf(calls, resultsAfter(messages, at)) }];
	});
}

function isFilled(part: { readonly type: string; readonly text?: string }): boolean {
	return part.type !== "text" || part.text?.trim() !== "";
}

/** Returns the tool results that directly follow a message. */
function resultsAfter(messages: readonly ChatMessage[], at: number): ReadonlyMap<string, ToolResult> {
	const results = new Map<string, ToolResult>();
	for (const message of messages.slice(at + 1)) {
		if (message.role !== "tool") break;
		for (const result of message.results) results.set(result.id, result);
	}
	return results;
}

function resultsOf(calls: readonly CallPart[], results: ReadonlyMap<string, ToolResult>): Omit<ToolResult, "tool">[] {
	return calls.map(({ id }) => {
		const { output, failed } = results.get(id) ?? { output: INTERRUPTED, failed: true };
		return { id, output, failed };
	});
}

const INTERRUPTED = "This call was interrupted. It may or may not have completed.";

/** Returns a call's input as an object, as providers require. Wraps any other value in an object. */
export function inputOf({ input }: CallPart): object {
	try {
		const value: unknown = JSON.parse(input);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
	} catch {}
	return { input };
}
