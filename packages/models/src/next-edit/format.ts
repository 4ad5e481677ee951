import { holdsSpecialToken, type ModelHunk } from "@segue/predict";
import { outputToEnd } from "./end-tokens.js";
import type { PromptInput } from "./prompt-input.js";

/** How one family of models is asked for the next edit, and how what it says is read. Pure: nobody is called here. */
export interface Format {
	/** As a person names it in the configuration. */
	readonly name: string;
	/** What only the format itself may write; a whole line where it ends in \n. A text with one is not shown to such a model. */
	readonly specialTokens: readonly string[];
	/** Everything of the brief may be left out but the window. Undefined where not even that fits. */
	write(brief: PromptInput, recipient: PromptTarget): EditModelRequest | undefined;
}

/** Who is asked, as far as a prompt depends on it. */
export interface PromptTarget {
	/** As the provider knows it. */
	readonly model: string;
	/** How many tokens it can look at, where somebody has said so. */
	readonly windowTokens: number | undefined;
}

/** A stretch of a document, in offsets. */
export interface OffsetRange {
	readonly from: number;
	readonly to: number;
}

/** What a model is asked, and how its answer is to be read. */
export interface EditModelRequest {
	readonly ask: ModelPrompt;
	/** What of the document the model sees. */
	readonly shown: OffsetRange;
	/** What of it the model may change: nothing outside of it comes of any answer. */
	readonly window: OffsetRange;
	/** What is settled by what the model has said so far: nothing that it says later can change it. */
	read(said: ModelOutput): ParsedOutput;
}

/** What a model has said. */
export interface ModelOutput {
	readonly text: string;
	/** How it ended: by itself or a stop, or because it was as long as it may be. Undefined while more may come. */
	readonly end: "stop" | "length" | undefined;
}

/** What comes of what a model has said. */
export type ParsedOutput =
	| {
			readonly hunks: readonly ModelHunk[];
			/** Nothing that the model may still say is wanted: it need not go on. So it is where nothing is to change. */
			readonly isEnough?: true;
	  }
	/** It says that there is nothing to change, or what it says cannot be read. */
	| { readonly nothing: "no-edit" | "unreadable-answer" };

/** What is wanted of a model, in one of the ways in which models can be asked. */
export type ModelPrompt =
	/** To go on with a text, to the letter and without any template of the server's. */
	| {
			readonly kind: "completion";
			readonly prompt: string;
			readonly stop: readonly string[];
			readonly tokensMax: number;
			readonly temperature: number;
	  }
	/** To fill in what is between two texts; the server knows the tokens for it. */
	| {
			readonly kind: "fill";
			readonly prefix: string;
			readonly suffix: string;
			/** Other files, for servers that take them. */
			readonly extra: readonly { readonly path: string; readonly text: string }[];
			readonly stop: readonly string[];
			readonly tokensMax: number;
			readonly temperature: number;
	  }
	/** To answer a message. */
	| {
			readonly kind: "chat";
			readonly system: string;
			readonly user: string;
			readonly tokensMax: number;
			readonly temperature: number;
	  }
	/** To answer Inception's edit endpoint. */
	| { readonly kind: "edit"; readonly user: string; readonly tokensMax: number }
	/** To answer Sweep's own API, which makes a prompt of the parts itself. What it says is its JSON, whole. */
	| { readonly kind: "sweep"; readonly body: Readonly<Record<string, unknown>> };

/** Why a scene is not shown to a model. */
export type PromptObstacle = "special-token-in-text" | "too-long";

/** Has a format write a question, without what it must not be shown; what closes an answer is no part of what it reads. */
export function editModelRequestOf(
	format: Format,
	brief: PromptInput,
	recipient: PromptTarget,
): EditModelRequest | PromptObstacle {
	const holdsToken = (text: string) => holdsSpecialToken(text, format.specialTokens);
	if (holdsToken(brief.path)) return "special-token-in-text";
	const question = format.write(
		{
			...brief,
			edits: brief.edits.filter(({ path, diff }) => !holdsToken(path) && !holdsToken(diff)),
			recent: brief.recent.filter(({ path, text }) => !holdsToken(path) && !holdsToken(text)),
			related: brief.related.filter(({ path, text }) => !holdsToken(path) && !holdsToken(text)),
			diagnostics: brief.diagnostics.filter(({ message }) => !holdsToken(message)),
		},
		recipient,
	);
	if (question === undefined) return "too-long";
	const { shown, window } = question;
	if (holdsToken(brief.text.slice(shown.from, shown.to))) return "special-token-in-text";
	return { ...question, read: (said) => question.read(outputToEnd(said, brief, window, format.specialTokens)) };
}
