import type { ChatMessage, ChatModel, ChatRequest, Usage } from "@segue/models";
import { eachUnlessCancelled } from "@segue/text";
import { cutTo } from "../tools/truncate.js";

/**
 * The share of the context window that triggers compaction. The rest leaves room for the answer and for estimation
 * errors.
 */
const NEAR = 0.8;
/** Typical for English and code. Used until a provider reports an actual count. */
const CHARS_PER_TOKEN = 4;
/** The range for real tokenizers. A value outside it means that the provider counts something else. */
const CHARS_PER_TOKEN_RANGE = [1, 8] as const;
/** The usual number of tokens for a large image. */
const IMAGE_TOKENS = 1_600;
/**
 * Longer messages are truncated before they are summarized: the start of a file or command output is enough to identify
 * it.
 */
const MESSAGE_CHARS_MAX = 4_000;
/** The limit for the first message, which contains the previous summary and the first prompt. */
const FIRST_CHARS_MAX = 16_000;
/** The size of the transcript if the model's context window is unknown. Fits the smallest window in use. */
const TRANSCRIPT_TOKENS = 16_000;
/** The share of the context window to use for the transcript to summarize. */
const TRANSCRIPT_SHARE = 0.5;

/** Estimates how much of a model's context window a request fills. */
export class TokenEstimator {
	private charsPerToken = CHARS_PER_TOKEN;

	/** Calibrates the estimate with the reported usage of a request. */
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

	/** Estimates the number of tokens. */
	tokensOf({ chars, images }: Size): number {
		return chars / this.charsPerToken + images * IMAGE_TOKENS;
	}

	/** Returns the maximum length of a transcript that the model can summarize. */
	transcriptCharsMax(windowTokens: number | undefined): number {
		const tokens = windowTokens === undefined ? TRANSCRIPT_TOKENS : windowTokens * TRANSCRIPT_SHARE;
		return Math.floor(tokens * this.charsPerToken);
	}
}

/**
 * Summarizes a conversation with a separate model request. The text is empty if the model refused or its answer was cut
 * off. Throws the model's errors.
 */
export async function summarise(
	messages: readonly ChatMessage[],
	charsMax: number,
	model: ChatModel,
	signal: AbortSignal,
	/** The user's request for what the summary should focus on. */
	focus = "",
): Promise<{ text: string; usage: Usage | undefined }> {
	const extra =
		focus === "" ? "" : `\n\nThe user wants the summary to focus on this: ${cutTo(focus, MESSAGE_CHARS_MAX)}`;
	const text = `${TASK}${extra}\n\n${transcriptOf(messages, charsMax)}`;
	const request: ChatRequest = {
		system: "You summarize conversations between a user and a coding assistant.",
		messages: [{ role: "user", parts: [{ type: "text", text }] }],
		tools: [],
		effort: undefined,
	};
	let summary = "";
	let usage: Usage | undefined;
	let isWhole = false;
	for await (const event of eachUnlessCancelled(model.stream(request, signal), signal)) {
		if (event.type === "text") summary += event.text;
		if (event.type === "usage") usage = event.usage;
		if (event.type === "end") isWhole = event.reason === "done";
	}
	return { text: isWhole ? summary.trim() : "", usage };
}

const TASK =
	"Summarize the conversation below for an assistant that will continue it and has not seen it. Include what the user wants, in their own words where these matter; what was found out, with paths and names; what was changed and how; what was decided and what the user declined; and what remains to be done. Write only the summary.";

/**
 * Returns the conversation as one string. Omits the middle first, because the start has the task and the end has the
 * current state.
 */
function transcriptOf(messages: readonly ChatMessage[], charsMax: number): string {
	const pieces = messages.map((message, i) =>
		cutTo(messageText(message), i === 0 ? FIRST_CHARS_MAX : MESSAGE_CHARS_MAX),
	);
	const first = pieces[0] ?? "";
	const rest: string[] = [];
	let room = charsMax - first.length;
	for (const piece of pieces.slice(1).reverse()) {
		room -= piece.length;
		if (room < 0) {
			rest.push("(part of the conversation omitted)");
			break;
		}
		rest.push(piece);
	}
	return [first, ...rest.reverse()].join("\n\n");
}

function messageText(message: ChatMessage): string {
	switch (message.role) {
		case "user":
			return `User: ${message.parts.map((part) => (part.type === "text" ? part.text : "(an image)")).join("\n")}`;
		case "assistant": {
			const parts = message.parts.map((part) => {
				return part.type === "text" ? part.text : part.type === "call" ? `(calls ${part.tool} with ${part.input})` : "";
			});
			return `Assistant: ${parts.join("\n")}`;
		}
		case "tool":
			return message.results
				.map((result) => `${result.tool} ${result.failed ? "failed" : "returned"}: ${result.output}`)
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
