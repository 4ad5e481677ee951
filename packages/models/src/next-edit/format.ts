import type { Diagnostic, ModelHunk } from "@segue/predict";
import type { Event, Text } from "@segue/text";

/** How one family of models is asked for the next edit, and how what it says is read. Pure: nobody is called here. */
export interface Format {
	/** As a person names it in the configuration. */
	readonly name: string;
	/** What only the format itself may write; a whole line where it ends in \n. A text with one is not shown to such a model. */
	readonly specialTokens: readonly string[];
	/** Everything of the prompt input may be left out but the window. Undefined where not even that fits. */
	write(input: PromptInput, target: PromptTarget): EditModelRequest | undefined;
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

/** The parts of a scene that a model may see: paths instead of URIs, no private files, and masks in place of keys. */
export interface PromptInput {
	/** The URI of the document, which models do not see. Identifies its edits, since several files can have the same path. */
	readonly uri: string;
	/** The path of the document, relative to its workspace folder, with slashes. */
	readonly path: string;
	readonly languageId: string;
	readonly text: Text;
	readonly cursor: number;
	/** The syntax nodes around the cursor, innermost first; nodes of one line may be missing. Empty if the text is not parsed. */
	nodesAround(): readonly OffsetRange[];
	/** The user's edits, oldest first. */
	readonly edits: readonly PastEdit[];
	/** Parts of files that the user looked at lately, most recent first. */
	readonly recent: readonly CodeSnippet[];
	/**
	 * Parts of files that what is around the cursor has to do with, the most useful first. While the user types on one
	 * line, they stay as they are, and only further ones come behind them: a server need not read their part of a prompt
	 * again.
	 */
	readonly related: readonly CodeSnippet[];
	/** The diagnostics of the document, the nearest to the cursor first. */
	readonly diagnostics: readonly LineDiagnostic[];
	/** The name of the repository, or of the workspace folder if no repository is known. Never empty. */
	readonly repository: string;
}

/** An edit that the user made or accepted. */
export interface PastEdit {
	readonly path: string;
	/** Differs from `path` if the file was renamed between its edit before and this one. */
	readonly oldPath: string;
	readonly event: Event;
	/** The hunks of its unified diff, from the first `@@` on, with a line end at the end. */
	readonly diff: string;
}

/** Some whole lines of a file. */
export interface CodeSnippet {
	readonly path: string;
	/** Both included, counted from 0. */
	readonly first: number;
	readonly last: number;
	/** The number of lines in the file, if known. */
	readonly lineCount?: number;
	/** With \n between the lines, and none at the end. */
	readonly text: string;
}

export interface LineDiagnostic extends Pick<Diagnostic, "severity" | "message" | "from" | "to"> {
	/** Counted from 0. */
	readonly line: number;
}
