import {
	type EditModelRequest,
	editModelRequestOf,
	FORMATS,
	type Format,
	hunksOf,
	type ModelOutput,
	type PastEdit,
	type PromptInput,
} from "@segue/models";
import { afterOf, drawPicture, readPicture } from "@segue/story";
import { Change, type Edit, languageOf, Text } from "@segue/text";

/**
 * Builds a prompt input from a drawing: the text after the drawn edits, the cursor and diagnostics, and the drawn edits
 * as the user's most recent ones. `other` sets the remaining members. Edits in `other` precede the drawn edits.
 */
export function readPromptInput(
	drawn: string,
	other: Partial<Omit<PromptInput, "text" | "cursor" | "diagnostics">> = {},
): PromptInput {
	const path = other.path ?? "src/total.ts";
	const picture = readPicture(drawn);
	const text = Text.of(afterOf(picture));
	const past = picture.edits.length > 0 ? [readPastEdit(path, drawn)] : [];
	return {
		languageId: languageOf(path),
		nodesAround: () => [],
		recent: [],
		related: [],
		repository: "untitled",
		uri: `file:///${path}`,
		...other,
		path,
		text,
		cursor: picture.selection?.head ?? 0,
		edits: [...(other.edits ?? []), ...past],
		diagnostics: picture.diagnostics.map((diagnostic) => ({ ...diagnostic, line: text.lineAt(diagnostic.from) })),
	};
}

/** Returns the drawn edits as one past edit by the user. */
export function readPastEdit(path: string, drawn: string): PastEdit {
	const { before, edits } = readPicture(drawn);
	const text = Text.of(before);
	const change = Change.of(edits, text.length);
	const event = {
		uri: `file:///${path}`,
		languageId: languageOf(path),
		before: text,
		after: change.apply(text),
		change,
		atMs: 0,
		isAccepted: false,
		isPaste: false,
	};
	return { path, oldPath: path, event, diff: hunksOf(event) };
}

/** Returns the completion prompt in a format, or undefined if the format cannot express this input as a prompt. */
export function completionPromptOf(name: string, input: PromptInput): string | undefined {
	const format = FORMATS.get(name);
	if (format === undefined) throw new Error(`unknown format ${name}`);
	const request = editModelRequestOf(format, input, { model: "any", windowTokens: undefined });
	return typeof request === "string" || request.ask.kind !== "completion" ? undefined : request.ask.prompt;
}

/** The request that a format makes for a prompt input. */
export class FormatRequest {
	readonly question: EditModelRequest;

	/** Throws an error if the format makes no request for this input. */
	constructor(
		format: Format,
		private readonly input: PromptInput,
		windowTokens?: number,
	) {
		const request = editModelRequestOf(format, input, { model: "any", windowTokens });
		if (typeof request === "string") throw new Error(`${format.name} makes no request for ${input.path}: ${request}`);
		this.question = request;
	}

	/** The prompt to complete, or the user message in a chat request. */
	get prompt(): string {
		const { ask } = this.question;
		if (ask.kind === "completion") return ask.prompt;
		if (ask.kind === "chat") return ask.user;
		throw new Error(`a request of kind ${ask.kind} has no prompt`);
	}

	/**
	 * Reads a complete answer. Returns a drawing of the changes, marked if the answer was cut off, or the reason why
	 * there are none.
	 */
	readAnswer(text: string, end: "stop" | "length" = "stop"): string {
		return this.read({ text, end });
	}

	/** Reads a partial answer. */
	readPartial(text: string): string {
		return this.read({ text, end: undefined });
	}

	private read(output: ModelOutput): string {
		const reading = this.question.read(output);
		if ("nothing" in reading) return reading.nothing;
		return `${drawHunks(this.input.text, reading.hunks)}${reading.hunks.some(({ isCut }) => isCut) ? " (cut)" : ""}`;
	}
}

/** Draws the changes that hunks make to a document. */
export function drawHunks(text: Text, hunks: readonly { readonly edits: readonly Edit[] }[]): string {
	const edits = hunks.flatMap((hunk) => hunk.edits);
	return drawPicture({ before: text.toString(), edits, selection: undefined, diagnostics: [] });
}
