import type { Diagnostic, ModelHunk } from "@segue/predict";
import type { Event, Text } from "@segue/text";

/** Writes prompts for a family of models and reads their output. Pure: performs no I/O. */
export interface Format {
	/** The format's name in the configuration. */
	readonly name: string;
	/**
	 * Text that only the format itself may write. If it ends in \n, it matches only a whole line. Content that includes
	 * it is not sent to the model.
	 */
	readonly specialTokens: readonly string[];
	/** Creates a request. May omit everything except the window. Returns undefined if not even the window fits. */
	write(input: PromptInput, target: PromptTarget): EditModelRequest | undefined;
}

/** The properties of a model that prompts depend on. */
export interface PromptTarget {
	/** The provider's name for the model. */
	readonly model: string;
	/** Size of the context window, if known. */
	readonly windowTokens: number | undefined;
}

/** A range of a document, in offsets. */
export interface OffsetRange {
	readonly from: number;
	readonly to: number;
}

/** A prompt, and how to read the reply. */
export interface EditModelRequest {
	readonly ask: ModelPrompt;
	/** The part of the document that the model sees. */
	readonly shown: OffsetRange;
	/** The part that the model may change. Edits outside it are dropped. */
	readonly window: OffsetRange;
	/** Parses partial or complete output. Returns only hunks that later output cannot change. */
	read(output: ModelOutput): ParsedOutput;
}

/** A model's output, possibly partial. */
export interface ModelOutput {
	readonly text: string;
	/**
	 * How the output ended: normally or at a stop sequence, or at the length limit. Undefined while more may arrive.
	 */
	readonly end: "stop" | "length" | undefined;
}

/** The result of parsing a model's output. */
export type ParsedOutput =
	| {
			readonly hunks: readonly ModelHunk[];
			/** Whether further output is irrelevant, so that the request can be closed. Also set if nothing changes. */
			readonly isEnough?: true;
	  }
	/** The model wants no change, or its output cannot be read. */
	| { readonly nothing: "no-edit" | "unreadable-answer" };

/** A prompt, by kind of endpoint. */
export type ModelPrompt =
	/** Continues raw text. The server applies no template. */
	| {
			readonly kind: "completion";
			readonly prompt: string;
			readonly stop: readonly string[];
			readonly tokensMax: number;
			readonly temperature: number;
	  }
	/** Fills in the text between a prefix and a suffix. The server adds the special tokens. */
	| {
			readonly kind: "fill";
			readonly prefix: string;
			readonly suffix: string;
			/** Other files, for servers that accept them. */
			readonly extra: readonly { readonly path: string; readonly text: string }[];
			readonly stop: readonly string[];
			readonly tokensMax: number;
			readonly temperature: number;
	  }
	/** Answers a message. */
	| {
			readonly kind: "chat";
			readonly system: string;
			readonly user: string;
			readonly tokensMax: number;
			readonly temperature: number;
	  }
	/** A prompt for Inception's edit endpoint. */
	| { readonly kind: "edit"; readonly user: string; readonly tokensMax: number }
	/** The parts from which Sweep's own API builds a prompt. The output is the whole JSON response. */
	| { readonly kind: "sweep"; readonly body: Readonly<Record<string, unknown>> };

/** Why no prompt is sent. */
export type PromptObstacle = "special-token-in-text" | "too-long";

/** The parts of a scene that a model may see: paths instead of URIs, no private files, and masked keys. */
export interface PromptInput {
	/** URI of the document, never sent to models. Identifies its edits, since several files can have the same path. */
	readonly uri: string;
	/** Path of the document relative to its workspace folder, with slashes. */
	readonly path: string;
	readonly languageId: string;
	readonly text: Text;
	readonly cursor: number;
	/**
	 * The syntax nodes around the cursor, innermost first. Single-line nodes may be missing. Empty if the text has not
	 * been parsed.
	 */
	nodesAround(): readonly OffsetRange[];
	/** The user's edits, oldest first. */
	readonly edits: readonly PastEdit[];
	/** Snippets of recently viewed files, most recent first. */
	readonly recent: readonly CodeSnippet[];
	/**
	 * Snippets related to the code around the cursor, most useful first. While the user types on one line, snippets are
	 * only appended to the list, so that a server can reuse the prompt prefix.
	 */
	readonly related: readonly CodeSnippet[];
	/** The document's diagnostics, nearest to the cursor first. */
	readonly diagnostics: readonly LineDiagnostic[];
	/** Name of the repository, or of the workspace folder if the repository is unknown. Never empty. */
	readonly repository: string;
}

/** An edit that the user made or accepted. */
export interface PastEdit {
	readonly path: string;
	/** Differs from `path` if the file has been renamed since its previous edit. */
	readonly oldPath: string;
	readonly event: Event;
	/** The hunks of the edit's unified diff, starting with the first `@@`. Ends with a line break. */
	readonly diff: string;
}

/** A range of whole lines in a file. */
export interface CodeSnippet {
	readonly path: string;
	/** Inclusive, zero-based. */
	readonly first: number;
	readonly last: number;
	/** Number of lines in the file, if known. */
	readonly lineCount?: number;
	/** Lines separated by \n, without a line break at the end. */
	readonly text: string;
}

export interface LineDiagnostic extends Pick<Diagnostic, "severity" | "message" | "from" | "to"> {
	/** Zero-based. */
	readonly line: number;
}
