import { versionedUrl } from "../../wire-request.js";
import { chat } from "./chat.js";
import { incomingChoices } from "./text-reading.js";
import { post, stopsOf, type Wire } from "./wire.js";

// What OpenAI's own takes; others take no fewer. What an answer goes on with behind the others is cut off when it is read.
const STOPS_MAX = 4;

/** OpenAI's API, which LM Studio, vLLM, OpenRouter and many others have too. */
export const openAi: Wire = (ask, settings) => {
	switch (ask.kind) {
		case "completion":
		case "fill": {
			const { tokensMax, temperature } = ask;
			const text = ask.kind === "fill" ? { prompt: ask.prefix, suffix: ask.suffix } : { prompt: ask.prompt };
			const bounds = { max_tokens: tokensMax, temperature, ...stopsOf(ask.stop.slice(0, STOPS_MAX)) };
			const body = { model: settings.model, ...text, ...bounds, stream: true };
			return { request: post(versionedUrl(settings, "/completions"), settings, body), incoming: incomingChoices() };
		}
		case "chat":
			return chat(ask, settings, versionedUrl(settings, "/chat/completions"));
		default:
			return undefined;
	}
};
