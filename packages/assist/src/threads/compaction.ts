import type { ChatMessage, ChatModel, ChatRequest, Usage } from "@segue/models";
import { eachUnlessCancelled } from "@segue/text";
import { cutTo } from "../tools/truncate.js";

/** Where a thread counts as near the window: what is left is for the answer, and for the error of our estimate. */
const NEAR = 0.8;
/** What English and code come to in the usual tokenizers, until a provider says how much a request really took. */
const CHARS_PER_TOKEN = 4;
/** No tokenizer is outside of these; a provider that says so counts something else. */
const CHARS_PER_TOKEN_RANGE = [1, 8] as const;
/** What providers count for a large image. */
const IMAGE_TOKENS = 1_600;
/** Of one message, in what is summarised: the beginning of a file or an output tells what it was. */
const MESSAGE_CHARS_MAX = 4_000;
/** Of the first message: what was summarised before, and what the user asked for first. */
const FIRST_CHARS_MAX = 16_000;
/** Of all that is summarised, for a model whose window nobody has said: it fits into the smallest in use. */
const TRANSCRIPT_TOKENS = 16_000;
/** The part of a window that is given to what is summarised. */
const TRANSCRIPT_SHARE = 0.5;

/** Estimates how much of a model's window a request takes. */
export class TokenEstimator {
	private charsPerToken = CHARS_PER_TOKEN;

	/** Corrects the estimate by what a request really took. */
	learn(request: ChatRequest, usage: Usage): void {
		const { chars, images } = sizeOf(request);
		const tokens = usage.inputTokens - images * IMAGE_TOKENS;
		if (tokens <= 0) return;
		const [least, most] = CHARS_PER_TOKEN_RANGE;
		this.charsPerToken = Math.min(most, Math.max(least, chars / tokens));
	}

	isNear(request: ChatRequest, windowTokens: number | undefined): boolean {
		return windowTokens !== undefined && this.tokensOf(sizeOf(request)) > NEAR * windowTokens;
	}

	/** About how many tokens so much is. */
	tokensOf({ chars, images }: Size): number {
		return chars / this.charsPerToken + images * IMAGE_TOKENS;
	}

	/** What of a conversation a model can be given to summarise. */
	transcriptCharsMax(windowTokens: number | undefined): number {
		const tokens = windowTokens === undefined ? TRANSCRIPT_TOKENS : windowTokens * TRANSCRIPT_SHARE;
		return Math.floor(tokens * this.charsPerToken);
	}
}

/**
 * Has a model summarise a conversation, in a request of its own, and tells what that took. The text is empty where the model
 * refused, or did not come to the end. Throws what the model throws.
 */
export async function summarise(
	messages: readonly ChatMessage[],
	charsMax: number,
	model: ChatModel,
	signal: AbortSignal,
	/** The user's wish for the summary. */
	focus = "",
): Promise<{ text: string; usage: Usage | undefined }> {
	const wish =
		focus === "" ? "" : `\n\nThe user wants the summary to focus on this: ${cutTo(focus, MESSAGE_CHARS_MAX)}`;
	const order = `${ORDER}${wish}\n\n${transcriptOf(messages, charsMax)}`;
	const request: ChatRequest = {
		system: "You summarise conversations between a user and a coding assistant.",
		messages: [{ role: "user", parts: [{ type: "text", text: order }] }],
		tools: [],
		effort: undefined,
	};
	let text = "";
	let usage: Usage | undefined;
	let isWhole = false;
	for await (const event of eachUnlessCancelled(model.stream(request, signal), signal)) {
		if (event.type === "text") text += event.text;
		if (event.type === "usage") usage = event.usage;
		if (event.type === "end") isWhole = event.reason === "done";
	}
	return { text: isWhole ? text.trim() : "", usage };
}

const ORDER =
	"Summarise the conversation below, for an assistant that will go on with it and has not seen it. Say what the user wants, in their words where these matter; what was found out, with paths and names; what was changed and how; what was decided and what the user declined; and what is still to be done. Write only the summary.";

/** A conversation as one text. Its beginning says what is wanted and its end where it stands; the middle is cut first. */
function transcriptOf(messages: readonly ChatMessage[], charsMax: number): string {
	const pieces = messages.map((message, i) => cutTo(spoken(message), i === 0 ? FIRST_CHARS_MAX : MESSAGE_CHARS_MAX));
	const first = pieces[0] ?? "";
	const rest: string[] = [];
	let room = charsMax - first.length;
	for (const piece of pieces.slice(1).reverse()) {
		room -= piece.length;
		if (room < 0) {
			rest.push("(some of the conversation is left out here)");
			break;
		}
		rest.push(piece);
	}
	return [first, ...rest.reverse()].join("\n\n");
}

function spoken(message: ChatMessage): string {
	switch (message.role) {
		case "user":
			return `User: ${message.parts.map((part) => (part.type === "text" ? part.text : "(an image)")).join("\n")}`;
		case "assistant": {
			const said = message.parts.map((part) => {
				return part.type === "text" ? part.text : part.type === "call" ? `(calls ${part.tool} with ${part.input})` : "";
			});
			return `Assistant: ${said.join("\n")}`;
		}
		case "tool":
			return message.results
				.map((result) => `${result.tool} ${result.failed ? "failed" : "answered"}: ${result.output}`)
				.join("\n");
	}
}

interface Size {
	readonly chars: number;
	readonly images: number;
}

function sizeOf(request: ChatRequest): Size {
	const sizes = request.messages.map(messageSize);
	return {
		chars: sizes.reduce((all, { chars }) => all + chars, request.system.length + JSON.stringify(request.tools).length),
		images: sizes.reduce((all, { images }) => all + images, 0),
	};
}

export function messageSize(message: ChatMessage): Size {
	let chars = 0;
	let images = 0;
	if (message.role === "tool") {
		for (const result of message.results) chars += result.output.length;
		return { chars, images };
	}
	for (const part of message.parts) {
		if (part.type === "image") images += 1;
		else chars += part.type === "call" ? part.input.length + part.tool.length : part.text.length;
	}
	return { chars, images };
}
