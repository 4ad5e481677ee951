import type { EditModelSettings } from "../../settings.js";
import { versionedUrl } from "../../wire-request.js";
import type { Ask } from "../format.js";
import { chat } from "./chat.js";
import { incomingChoices } from "./text-reading.js";
import { type Asking, post, stopsOf, type Wire } from "./wire.js";

/** Mistral's API. */
export const mistral: Wire = (ask, settings) => {
	if (ask.kind === "fill") return fillInMiddle(ask, settings);
	return ask.kind === "chat" ? chat(ask, settings, versionedUrl(settings, "/chat/completions")) : undefined;
};

/** What Mistral calls fill-in-the-middle, and Inception after it. */
export function fillInMiddle(
	{ prefix, suffix, stop, tokensMax, temperature }: Extract<Ask, { kind: "fill" }>,
	settings: EditModelSettings,
): Asking {
	const bounds = { max_tokens: tokensMax, temperature, ...stopsOf(stop) };
	const body = { model: settings.model, prompt: prefix, suffix, ...bounds, stream: true };
	return { request: post(versionedUrl(settings, "/fim/completions"), settings, body), incoming: incomingChoices() };
}
