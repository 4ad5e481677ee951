import { AnthropicReading } from "./anthropic.js";
import type { Framing } from "./framing.js";
import { Gathering } from "./gathering.js";
import { OpenAiReading } from "./openai.js";
import type { Reading } from "./reading.js";
import type { ModelSettings } from "./settings.js";
import { EventReader } from "./sse.js";

/** How one answer becomes events: its bytes become data, and what the data says is gathered. */
export interface Incoming {
	readonly framing: Framing;
	readonly reading: Reading;
	/** Where the reading puts what it reads. */
	readonly gathering: Gathering;
}

/** An answer to a conversation. */
export function incomingChat(type: ModelSettings["type"]): Incoming {
	const gathering = new Gathering();
	const reading = type === "anthropic" ? new AnthropicReading(gathering) : new OpenAiReading(gathering);
	return { framing: new EventReader(), reading, gathering };
}
