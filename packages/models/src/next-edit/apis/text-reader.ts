import { type ChatEnd, EventBuffer } from "../../events.js";
import { type ReplyDecoder, type ReplyReader, textOf } from "../../framing.js";
import { EventReader } from "../../sse.js";

/** The content of one message from an API that sends only text. */
export interface TextPiece {
	/** Undefined if missing, which is valid in messages that contain choices. */
	readonly text: unknown;
	/** Undefined if more messages follow. */
	readonly end: ChatEnd | undefined;
	readonly error: unknown;
}

/**
 * Reads a reply that consists only of text. The reply is complete after a finish reason, or if it was sent as one
 * message.
 */
export class TextReader<Data> implements ReplyReader {
	isWhole = false;

	constructor(
		private readonly buffer: EventBuffer,
		/** Must check every field, because servers are not trusted. */
		private readonly pieceOf: (data: Data | null) => TextPiece,
	) {}

	read(data: string, isInOnePiece: boolean): unknown {
		// Some servers send this without a finish reason.
		if (data === "[DONE]") {
			this.end("done");
			return undefined;
		}
		const { text, end, error } = this.pieceOf(JSON.parse(data));
		if (error != null) return error;
		this.buffer.text(textOf(text));
		if (end !== undefined) this.end(end);
		// A complete message needs no finish reason.
		else if (isInOnePiece && typeof text === "string") this.end("done");
		return undefined;
	}

	/** A reply without a finish reason is incomplete. */
	close(): void {}

	private end(reason: ChatEnd): void {
		this.isWhole = true;
		this.buffer.add({ type: "end", reason });
	}
}

/** Checks a field that is always present. Without this check, a reply in another API's format would look empty. */
export function requiredText(value: unknown): string {
	if (typeof value !== "string") throw new SyntaxError("the text of the reply is missing");
	return value;
}

/** Creates a decoder for streamed choices, as sent by OpenAI and many others. */
export function choicesDecoder(): ReplyDecoder {
	const buffer = new EventBuffer();
	return { framing: new EventReader(), reader: new TextReader(buffer, choicePieceOf), events: buffer };
}

/** Reads a message with choices, which is either part of a reply or a complete one. */
export function choicePieceOf(data: CompletionChoices | null): TextPiece {
	const choice = data?.choices?.[0];
	return {
		text: choice?.text ?? choice?.delta?.content ?? choice?.message?.content,
		end: endOf(textOf(choice?.finish_reason)),
		error: data?.error,
	};
}

function endOf(finish: string): ChatEnd | undefined {
	if (finish === "") return undefined;
	// Mistral's finish reason for a full context window.
	if (finish === "length" || finish === "model_length") return "length";
	return finish === "content_filter" ? "refused" : "done";
}

/** The text is in a completion, a delta or a complete message. */
export interface CompletionChoices {
	readonly id?: unknown;
	readonly error?: unknown;
	readonly choices?:
		| readonly ({
				readonly text?: unknown;
				readonly delta?: { readonly content?: unknown } | null;
				readonly message?: { readonly content?: unknown } | null;
				readonly finish_reason?: unknown;
		  } | null)[]
		| null;
}
