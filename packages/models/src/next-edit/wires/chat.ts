import { incomingChat } from "../../chat/incoming.js";
import { THOUGHT_TOKENS_MAX } from "../../chat/request.js";
import type { EditModelSettings } from "../../settings.js";
import type { Ask } from "../format.js";
import { type Asking, post } from "./wire.js";

/**
 * A message to any server with OpenAI's chat completions. The bodies differ in how a model is kept from thinking, since a
 * suggestion that was thought about for long comes too late; what a server does not know, it may refuse.
 */
export function chat(
	{ system, user, tokensMax, temperature }: Extract<Ask, { kind: "chat" }>,
	settings: EditModelSettings,
	url: string,
	thinking: object = {},
): Asking {
	const messages = [
		{ role: "system", content: system },
		{ role: "user", content: user },
	];
	const usual = { model: settings.model, messages, stream: true, ...thinking };
	const bounds = boundsOf(settings, tokensMax, temperature);
	return { request: post(url, settings, { ...usual, ...bounds }), incoming: incomingChat("openai-compatible") };
}

function boundsOf({ model, baseUrl }: EditModelSettings, tokensMax: number, temperature: number): object {
	const isOpenAis = new URL(baseUrl).hostname === "api.openai.com";
	const isOpen = /\bgpt-oss\b/.test(model);
	if (!isOpen && !ALWAYS_THINKS.test(model)) {
		return { [isOpenAis ? "max_completion_tokens" : "max_tokens"]: tokensMax, temperature };
	}
	// These count their thoughts. OpenAI's own are told the bound by another name, and no temperature.
	const room = tokensMax + THOUGHT_TOKENS_MAX;
	const effort = { reasoning_effort: "low" };
	return isOpen ? { max_tokens: room, temperature, ...effort } : { max_completion_tokens: room, ...effort };
}

const ALWAYS_THINKS = /(?:^|\/)(?:o\d|gpt-5(?!.*chat))/;
