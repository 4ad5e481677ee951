import { type ChatEnd, EventBuffer } from "../../events.js";
import { type ReplyDecoder, type ReplyReader, textOf } from "../../framing.js";
import { EventReader } from "../../sse.js";

/** What one piece of data says on a wire whose answers are nothing but text. */
export interface TextPiece {
	/** Undefined where the piece has none, which pieces with choices may. */
	readonly text: unknown;
	/** Undefined while more comes. */
	readonly end: ChatEnd | undefined;
	readonly error: unknown;
}

/** Reads an answer that is nothing but text. It is whole as soon as it has told why it ended, or all came at once. */
export class TextReader<Data> implements ReplyReader {
	isWhole = false;

	constructor(
		private readonly gathering: EventBuffer,
		/** Every value in the data is to be looked at before it is believed. */
		private readonly pieceOf: (data: Data | null) => TextPiece,
	) {}

	read(data: string, isInOnePiece: boolean): unknown {
		// Where this comes before a reason to end, there is none.
		if (data === "[DONE]") {
			this.end("done");
			return undefined;
		}
		const { text, end, error } = this.pieceOf(JSON.parse(data));
		if (error != null) return error;
		this.gathering.text(textOf(text));
		if (end !== undefined) this.end(end);
		// A whole answer has ended, whether it says why or not.
		else if (isInOnePiece && typeof text === "string") this.end("done");
		return undefined;
	}

	/** Without a reason to end, the answer is not whole. */
	close(): void {}

	private end(reason: ChatEnd): void {
		this.isWhole = true;
		this.gathering.add({ type: "end", reason });
	}
}

/** The text of a piece that always has one. Another server's answer would be an empty one otherwise. */
export function requiredText(value: unknown): string {
	if (typeof value !== "string") throw new SyntaxError("there is no text where this API has it");
	return value;
}

/** An answer that streams pieces with choices, as OpenAI and many others do. */
export function choicesDecoder(): ReplyDecoder {
	const gathering = new EventBuffer();
	return { framing: new EventReader(), reader: new TextReader(gathering, choicePieceOf), events: gathering };
}

/** What is said in data with choices, a piece of an answer or a whole one. */
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
	// Mistral has a word of its own for a model that is at the end of its window.
	if (finish === "length" || finish === "model_length") return "length";
	return finish === "content_filter" ? "refused" : "done";
}

/** The text is in one of three places: of a completion, of a message in pieces, of a whole message. */
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
