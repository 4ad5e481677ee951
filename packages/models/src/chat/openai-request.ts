import { bearerOf, type HttpRequest, headersFor } from "../http-request.js";
import { baseUrlOf, type ModelSettings } from "../settings.js";
import { inputOf, type OrderedMessage, orderedMessages } from "./conversation.js";
import type { ChatRequest, ImagePart, OutputLimits } from "./messages.js";
import { readSignature } from "./thoughts.js";

/** Creates a request to OpenAI's Chat Completions API. Throws an `Error` if the API does not accept an attachment. */
export function openAiRequest(
	settings: ModelSettings,
	{ system, messages, tools, effort }: ChatRequest,
	limits: OutputLimits | undefined,
): HttpRequest & { readonly body: string } {
	const ordered = orderedMessages(messages).flatMap(messagesOf);
	const body = {
		model: settings.model,
		max_tokens: limits?.tokensMax,
		temperature: limits?.temperature,
		reasoning_effort: effort,
		messages: system === "" ? ordered : [{ role: "system", content: system }, ...ordered],
		tools:
			tools.length === 0
				? undefined
				: tools.map(({ name, description, schema: parameters }) => ({
						type: "function",
						function: { name, description, parameters },
					})),
		stream: true,
		stream_options: { include_usage: true },
	};
	return {
		url: new URL(`${baseUrlOf(settings).replace(/\/$/, "")}/chat/completions`).href,
		headers: headersFor(settings, { "content-type": "application/json", ...bearerOf(settings) }),
		body: JSON.stringify(body),
	};
}

function messagesOf(message: OrderedMessage): object[] {
	switch (message.role) {
		case "user": {
			const [first] = message.parts;
			if (message.parts.length === 1 && first?.type === "text") return [{ role: "user", content: first.text }];
			const content = message.parts.map((part) => {
				return part.type === "text" ? { type: "text", text: part.text } : imageOf(part);
			});
			return [{ role: "user", content }];
		}
		case "tool":
			return message.results.map(({ id, output }) => ({ role: "tool", tool_call_id: id, content: output }));
		case "assistant":
			return answerOf(message);
	}
}

function imageOf({ mediaType, base64 }: ImagePart): object {
	if (!mediaType.startsWith("image/")) {
		throw new Error(`attachments of type ${mediaType} are not supported, only images`);
	}
	const type = mediaType === "image/*" ? "image/jpeg" : mediaType;
	return { type: "image_url", image_url: { url: `data:${type};base64,${base64}` } };
}

function answerOf({ parts, isOfThisTurn }: Extract<OrderedMessage, { role: "assistant" }>): object[] {
	const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
	const calls = parts.flatMap((part) => {
		if (part.type !== "call") return [];
		const { id, tool: name } = part;
		return [{ id, type: "function", function: { name, arguments: JSON.stringify(inputOf(part)) } }];
	});
	if (text === "" && calls.length === 0) return [];
	return [
		{
			role: "assistant",
			content: calls.length > 0 ? text || null : text,
			...(calls.length > 0 && { tool_calls: calls }),
			...(isOfThisTurn && thoughtFields(parts)),
		},
	];
}

/**
 * Returns thoughts in the fields they arrived in. Servers that think between calls need them during the turn; some
 * servers reject thoughts from earlier turns.
 */
function thoughtFields(parts: Extract<OrderedMessage, { role: "assistant" }>["parts"]): Record<string, string> {
	const fields: Record<string, string> = {};
	for (const part of parts) {
		if (part.type !== "thought") continue;
		const signature = readSignature(part.signature);
		if (signature?.of === "field") fields[signature.value] = (fields[signature.value] ?? "") + part.text;
	}
	return fields;
}
