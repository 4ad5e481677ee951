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
 * What a model may be told of a picture: its text after the edits, its cursor, its diagnostics, and its edits as the last
 * that the user did. Everything else is said beside it; edits that are said so were before those of the picture.
 */
export function readPromptInput(
	drawn: string,
	beside: Partial<Omit<PromptInput, "text" | "cursor" | "diagnostics">> = {},
): PromptInput {
	const path = beside.path ?? "src/total.ts";
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
		...beside,
		path,
		text,
		cursor: picture.selection?.head ?? 0,
		edits: [...(beside.edits ?? []), ...past],
		diagnostics: picture.diagnostics.map((diagnostic) => ({ ...diagnostic, line: text.lineAt(diagnostic.from) })),
	};
}

/** The edits of a picture as one that the user made. */
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
	};
	return { path, oldPath: path, event, diff: hunksOf(event) };
}

/** The prompt that a format writes; undefined where it has none for this input. */
export function completionPromptOf(name: string, input: PromptInput): string | undefined {
	const format = FORMATS.get(name);
	if (format === undefined) throw new Error(`unknown format ${name}`);
	const request = editModelRequestOf(format, input, { model: "any", windowTokens: undefined });
	return typeof request === "string" || request.ask.kind !== "completion" ? undefined : request.ask.prompt;
}

/** An input as a format asks about it. */
export class FormatRequest {
	readonly question: EditModelRequest;

	/** Throws where the format has no question. */
	constructor(
		format: Format,
		private readonly input: PromptInput,
		windowTokens?: number,
	) {
		const request = editModelRequestOf(format, input, { model: "any", windowTokens });
		if (typeof request === "string") throw new Error(`${format.name} has no question about ${input.path}: ${request}`);
		this.question = request;
	}

	/** What the model is to go on with, or the message that it is to answer. */
	get prompt(): string {
		const { ask } = this.question;
		if (ask.kind === "completion") return ask.prompt;
		if (ask.kind === "chat") return ask.user;
		throw new Error(`it is asked for ${ask.kind}`);
	}

	/** What comes of an answer: a picture of what it changes, which says where it was cut off, or why it changes nothing. */
	readAnswer(text: string, end: "stop" | "length" = "stop"): string {
		return this.read({ text, end });
	}

	/** What comes of what is said so far. */
	readPartial(text: string): string {
		return this.read({ text, end: undefined });
	}

	private read(said: ModelOutput): string {
		const reading = this.question.read(said);
		if ("nothing" in reading) return reading.nothing;
		return `${drawHunks(this.input.text, reading.hunks)}${reading.hunks.some(({ isCut }) => isCut) ? " (cut)" : ""}`;
	}
}

/** What some hunks do to a text, as a picture. */
export function drawHunks(text: Text, hunks: readonly { readonly edits: readonly Edit[] }[]): string {
	const edits = hunks.flatMap((hunk) => hunk.edits);
	return drawPicture({ before: text.toString(), edits, selection: undefined, diagnostics: [] });
}
