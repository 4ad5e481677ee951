import { incomingChat } from "../../chat/incoming.js";
import { thinksByBudget, writeRequest } from "../../chat/request.js";
import type { EditModelSettings } from "../../settings.js";
import { versionedUrl } from "../../wire-request.js";
import type { Ask } from "../format.js";
import type { Asking, Wire } from "./wire.js";

/** Anthropic's messages. */
export const anthropic: Wire = (ask, settings) => (ask.kind === "chat" ? messages(ask, settings) : undefined);

/** Written by the provider's package, which knows the models that take no temperature. */
async function messages(ask: Extract<Ask, { kind: "chat" }>, settings: EditModelSettings): Promise<Asking> {
	const { model } = settings;
	const isTold = /claude/.test(model) && !thinksByBudget(model);
	const request = await writeRequest(
		{ ...settings, type: "anthropic", baseUrl: versionedUrl(settings, ""), takesImages: false },
		{
			system: ask.system,
			messages: [{ role: "user", parts: [{ type: "text", text: ask.user }] }],
			tools: [],
			effort: isTold ? "low" : undefined,
		},
		ask,
	);
	return { request, incoming: incomingChat("anthropic") };
}
