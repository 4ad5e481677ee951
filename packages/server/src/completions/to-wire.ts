import type { PromptAnswer } from "@segue/models/prompts";
import type { CompletionCall } from "./from-wire.js";

/** The body of a response, or the events of a streamed response. */
export type WireAnswer =
	| { readonly body: unknown }
	/** OpenAI's and Mistral's streams end with an event that is not JSON (`isDoneMarked`). */
	| { readonly events: readonly unknown[]; readonly isDoneMarked: boolean };

/** Returns the text to send, without the end marker if the client lists it as a stop sequence. */
export function answerText({ text, end }: PromptAnswer, { prompt, stop }: CompletionCall): string {
	// A replacement for a region must be complete. Only an insertion can be truncated at a stop sequence.
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
			const choice = (content: string, finish_reason: "stop" | null) => ({
				...head,
				choices: [{ text: content, index: 0, logprobs: null, finish_reason }],
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

// Rules use no tokens, and a model's tokenizer may differ from the client's.
const NO_TOKENS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
