import type { PromptAnswer } from "@segue/models/prompts";
import type { CompletionCall } from "./from-wire.js";

/** The body of an answer, or the events of one that is streamed. */
export type WireAnswer =
	| { readonly body: unknown }
	/** The last event of OpenAI's and Mistral's streams is not JSON. */
	| { readonly events: readonly unknown[]; readonly isDoneMarked: boolean };

/** The text of an answer that goes out: without its end mark if the client names that as a stop. */
export function answerText({ text, end }: PromptAnswer, { prompt, stop }: CompletionCall): string {
	// An answer that replaces a region must be whole. Only text at the cursor can be cut.
	if (prompt?.answers !== "insertion") return stop.some((one) => end.trim() === one.trim()) ? text : text + end;
	const cuts = stop.map((one) => text.indexOf(one)).filter((at) => at >= 0);
	return text.slice(0, Math.min(text.length, ...cuts));
}

export function completionToWire(
	text: string,
	{ endpoint, isStream, model }: CompletionCall,
	nowMs: number,
): WireAnswer {
	const created = Math.floor(nowMs / 1000);
	switch (endpoint) {
		case "/v1/completions": {
			const head = { id: "cmpl-segue", object: "text_completion", created, model };
			const choice = (said: string, finish_reason: "stop" | null) => ({
				...head,
				choices: [{ text: said, index: 0, logprobs: null, finish_reason }],
			});
			if (isStream) return { events: [choice(text, null), choice("", "stop")], isDoneMarked: true };
			return { body: { ...choice(text, "stop"), usage: NO_TOKENS } };
		}
		case "/v1/fim/completions": {
			const head = { id: "fim-segue", created, model };
			if (!isStream) {
				const message = { role: "assistant", content: text, tool_calls: null };
				const choices = [{ index: 0, message, finish_reason: "stop" }];
				return { body: { ...head, object: "chat.completion", choices, usage: NO_TOKENS } };
			}
			const event = (content: string, finish_reason: "stop" | null) => ({
				...head,
				object: "chat.completion.chunk",
				choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason }],
			});
			return { events: [event(text, null), event("", "stop")], isDoneMarked: true };
		}
		case "/infill": {
			const last = { stop: true, stop_type: "eos", model, tokens_predicted: 0, tokens_evaluated: 0, truncated: false };
			if (!isStream) return { body: { content: text, ...last } };
			const events = [
				{ content: text, stop: false },
				{ content: "", ...last },
			];
			return { events, isDoneMarked: false };
		}
	}
}

// No model was asked, or a model that counts differently.
const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
