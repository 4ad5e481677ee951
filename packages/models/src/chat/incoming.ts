import { Gathering } from "../gathering.js";
import type { Incoming } from "../reading.js";
import type { ModelSettings } from "../settings.js";
import { EventReader } from "../sse.js";
import { AnthropicReading } from "./anthropic.js";
import { OpenAiReading } from "./openai.js";

/** An answer to a conversation. */
export function incomingChat(type: ModelSettings["type"]): Incoming {
	const gathering = new Gathering();
	const reading = type === "anthropic" ? new AnthropicReading(gathering) : new OpenAiReading(gathering);
	return { framing: new EventReader(), reading, gathering };
}
