import type { Document, Edit } from "@segue/text";
import type { Files } from "@segue/text/privacy";
import type { DocumentView } from "./document-view.js";
import type { MatchWorker } from "./search/matcher.js";
import type { DisplayedSuggestion } from "./suggestions/display.js";

/**
 * The interface that a plugin implements so that the library can read and control the editor. Positions are UTF-16
 * offsets into the editor's own text, including its line endings. Implement optional members only if the editor
 * supports them; the capabilities sent to the agent depend on which members are present.
 */
export interface Host {
	/** Returns the workspace. Called at the start of a session and whenever its folders matter. */
	workspace(): EditorWorkspace;
	/** Returns the selection and visible range of an open document, or undefined if no editor shows it. */
	view(uri: string): DocumentView | undefined;
	/** Draws a suggestion in place of the previous one. Undefined removes it. */
	show(shown: DisplayedSuggestion | undefined): void;
	/**
	 * Applies edits as one undoable step and, before it returns or resolves, reports them with `didChange` like any other
	 * change. Opens or writes files that are not open. Returns false or throws if the edits cannot be applied, for example
	 * because a document has a newer `version`.
	 */
	apply(files: readonly FileEdits[]): boolean | Promise<boolean>;
	/** Shows a file, opening it if necessary, and moves the cursor to the offset. */
	reveal(uri: string, offset: number): void | Promise<void>;
	/** Receives notices that explain missing suggestions or problems with the agent. */
	report(note: Notice): void;

	/** Returns the reason why the editor cannot show a suggestion with these edits; undefined if it can. */
	refusalOf?(uri: string, edits: readonly Edit[]): string | undefined;
	/**
	 * Turns Tab's usual effect off, and on again, for the time while no suggestion is shown: users who accept one
	 * suggestion after another press Tab once too often. For editors whose keys depend on stored conditions. Others read
	 * `Editor.ignoresTab`.
	 */
	ignoreTab?(isIgnored: boolean): void;
	diagnostics?(uri: string): readonly DocumentDiagnostic[];
	/**
	 * Renames a symbol everywhere, for example with a language server. May ask the user first. Resolves to false if it
	 * failed and to "declined" if the user cancelled.
	 */
	rename?(uri: string, offset: number, newName: string): Promise<boolean | "declined">;
	/** Lets the user review edits and remove some; resolves to the edits to apply. Requires `startWorker`. */
	preview?(files: readonly FileEdits[]): Promise<readonly FileEdits[]>;
	/** Finds code related to the cursor position, such as definitions, types and callers. */
	relatedSnippets?(document: Document, offset: number, signal: AbortSignal): Promise<readonly Snippet[]>;
	/** Asks the user how to sign in. Resolves to the id of a method, or to undefined if the user declined. */
	signIn?(methods: readonly SignInMethod[]): Promise<string | undefined>;
	/** Returns the folders of a chat session on the same connection, as URIs without a trailing slash. */
	chatFolders?(sessionId: string): readonly string[] | undefined;
	/** Starts a worker that runs `serveMatches`, so that a search for an agent's regular expression can be stopped. */
	startWorker?(): MatchWorker;
	/**
	 * Whether a document whose scheme is neither `file:` nor `untitled:` is private. Without this member, such documents
	 * are private unless they are in a workspace folder.
	 */
	isPrivate?(uri: string): boolean;
	/** Access to the workspace's files, open or not. */
	readonly files?: Files;
	/** Provides the open, recent and active files when an agent requests them. */
	readonly state?: EditorFiles;
}

/** Folder URIs have no trailing slash. */
export interface EditorWorkspace {
	readonly folders: readonly { readonly uri: string; readonly name: string }[];
	readonly repository?: { readonly name: string; readonly owner: string; readonly remoteUrl: string };
	/** Whether a program edits the files to demonstrate Segue. The agent keeps no record of the suggestions. */
	readonly isDemonstration?: boolean;
}

export interface DocumentDiagnostic {
	readonly from: number;
	readonly to: number;
	readonly severity: "error" | "warning" | "information" | "hint";
	readonly message: string;
}

/** Edits to one file. All offsets refer to its text before any of them. */
export interface FileEdits {
	readonly uri: string;
	readonly edits: readonly Edit[];
	/** The version of the open document to edit; undefined for a file that is not open. */
	readonly version: number | undefined;
}

/** A range of lines in a file. Lines are numbered from 0, and `lastLine` is inclusive. */
export interface Snippet {
	readonly uri: string;
	readonly firstLine: number;
	readonly lastLine: number;
	readonly text: string;
}

export interface SignInMethod {
	readonly id: string;
	readonly name: string;
	readonly description?: string | undefined;
}

/** The description of a file that is sent to agents. */
export interface NamedFile {
	readonly uri: string;
	readonly languageId?: string;
	/** Whether it has unsaved changes. */
	readonly isDirty?: boolean;
}

export interface EditorFiles {
	/** Returns the open files in tab order. */
	open?(): readonly NamedFile[];
	/** Returns the recently used files, including open ones, most recent first. */
	recent?(): readonly NamedFile[];
	/** Returns the focused file. */
	active?(): NamedFile | undefined;
}

/** A message that explains why there is no suggestion, or describes a problem with the agent. */
export interface Notice {
	readonly kind: "no-suggestion" | "agent" | "sign-in" | "invalid" | "failed";
	readonly text: string;
	/** For `no-suggestion`, the agent's explanation, for example why a model did not respond and how to fix that. */
	readonly detail?: string;
	/** Whether the same problem was reported for an earlier session. Show it without interrupting the user again. */
	readonly isRepeated?: boolean;
}

/** The cause of a change, if the editor knows it. Use "other" for changes that the user did not make. */
export type ChangeCause = "typing" | "paste" | "undo" | "redo" | "other";
