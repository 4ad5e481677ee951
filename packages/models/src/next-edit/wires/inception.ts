import { WholeReader } from "../../framing.js";
import { Gathering } from "../../gathering.js";
import { textOf } from "../../reading.js";
import type { EditModelSettings } from "../../settings.js";
import { VERSION } from "../../version.js";
import { versionedUrl, type WireRequest } from "../../wire-request.js";
import type { Ask } from "../format.js";
import { chat } from "./chat.js";
import { fillInMiddle } from "./mistral.js";
import { type Choices, choicePieceOf, TextReading, textIn } from "./text-reading.js";
import { type Asking, post, type Wire } from "./wire.js";

/** Inception's API, with an endpoint for edits that other providers do not have. */
export const inception: Wire = (ask, settings) => {
	switch (ask.kind) {
		case "edit":
			return edit(ask, settings);
		case "fill":
			return fillInMiddle(ask, settings);
		case "chat":
			return chat(ask, settings, versionedUrl(settings, "/chat/completions"));
		default:
			return undefined;
	}
};

/** It does not stream: what it writes is changed everywhere at once until it is done. */
function edit({ user, tokensMax }: Extract<Ask, { kind: "edit" }>, settings: EditModelSettings): Asking {
	const messages = [{ role: "user", content: user }];
	const body = { model: settings.model, messages, stream: false, max_tokens: tokensMax };
	const gathering = new Gathering();
	let id: string | undefined;
	const reading = new TextReading<Choices>(gathering, (data) => {
		id = textOf(data?.id) || undefined;
		const piece = choicePieceOf(data);
		return piece.error != null ? piece : { ...piece, text: textIn(piece.text) };
	});
	const request = post(versionedUrl(settings, "/edit/completions"), settings, body);
	return { request, incoming: { framing: new WholeReader(), reading, gathering }, id: () => id };
}

/** What became of an answer. */
export type Verdict = "accepted" | "rejected" | "ignored";

/**
 * What Inception wants to know of an answer, and not a word more: no key goes with it, since its host is another than that of
 * the base URL. Behind another address than Inception's own, it is told at that one.
 */
export function feedback({ baseUrl }: EditModelSettings, id: string, verdict: Verdict): WireRequest {
	const { protocol, host } = new URL(baseUrl);
	const asked = host === "api.inceptionlabs.ai" ? "api-feedback.inceptionlabs.ai" : host;
	const action = { accepted: "accept", rejected: "reject", ignored: "ignore" }[verdict];
	return {
		url: `${protocol}//${asked}/feedback`,
		headers: { "content-type": "application/json" },
		body: JSON.stringify({
			request_id: id,
			provider_name: "segue",
			user_action: action,
			provider_version: VERSION,
		}),
	};
}
