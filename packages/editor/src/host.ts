import type { Document, Edit } from "@segue/text";
import type { Files } from "@segue/text/privacy";
import type { DocumentView } from "./document-view.js";
import type { MatchWorker } from "./search/matcher.js";
import type { DisplayedSuggestion } from "./suggestions/display.js";

/**
 * What a plugin lets the library see and do. Every place is a UTF-16 offset, and every text is the editor's own, with its
 * line ends. A member that may be missing is something that not every editor can do; the agent is told only of what is
 * there.
 */
export interface Host {
	/** Asked when a session begins. */
	workspace(): EditorWorkspace;
	/** What the user sees of an open document; undefined where no editor shows it. */
	view(uri: string): DocumentView | undefined;
	/** Draws what is offered, in place of what was drawn before; undefined takes it away. */
	show(shown: DisplayedSuggestion | undefined): void;
	/**
	 * Makes edits, in one step that the user can undo, and reports them with `didChange` like any others, before it returns
	 * or resolves. Files that are not open are opened or written. False, or a throw, where they could not be made.
	 */
	apply(files: readonly FileEdits[]): boolean | Promise<boolean>;
	/** Brings a file to the front, opening it if need be, and puts the cursor there. */
	reveal(uri: string, offset: number): void | Promise<void>;
	/** Told of what the user might want to know when a suggestion, or the agent, is missed. */
	report(note: Notice): void;

	diagnostics?(uri: string): readonly DocumentDiagnostic[];
	/** Renames a symbol wherever it is used, as a language server does. False where it could not; an editor may ask first. */
	rename?(uri: string, offset: number, newName: string): Promise<boolean | "declined">;
	/** Lets the user look over edits and take some away; resolves to those that are to be made. Needs `startWorker`. */
	preview?(files: readonly FileEdits[]): Promise<readonly FileEdits[]>;
	/** Other places that matter for what the user does: definitions, types, callers. */
	relatedSnippets?(document: Document, offset: number, signal: AbortSignal): Promise<readonly Snippet[]>;
	/** Asks the user how to sign in; resolves to the id of a method, or undefined if they would rather not. */
	signIn?(methods: readonly SignInMethod[]): Promise<string | undefined>;
	/** The folders of a chat session that the plugin holds on the same connection, as uris without a slash at the end. */
	chatFolders?(sessionId: string): readonly string[] | undefined;
	/** Starts a worker that runs `serveMatches`, in which the regular expressions of an agent can be stopped. */
	startWorker?(): MatchWorker;
	/**
	 * Whether agents must not see a document whose scheme is neither `file:` nor `untitled:`. Without this member they see
	 * those that lie in a workspace folder.
	 */
	isPrivate?(uri: string): boolean;
	/** Files of the workspace, open or not. */
	readonly files?: Files;
	/** What an agent may ask of the editor itself. */
	readonly state?: EditorFiles;
}

/** `uri`s of folders have no slash at their end. */
export interface EditorWorkspace {
	readonly folders: readonly { readonly uri: string; readonly name: string }[];
	readonly repository?: { readonly name: string; readonly owner: string; readonly remoteUrl: string };
}

export interface DocumentDiagnostic {
	readonly from: number;
	readonly to: number;
	readonly severity: "error" | "warning" | "information" | "hint";
	readonly message: string;
}

/** Edits of one file; all offsets refer to its text before any of them. */
export interface FileEdits {
	readonly uri: string;
	readonly edits: readonly Edit[];
	/** Of the open document that they are for; undefined for a file that is not open. */
	readonly version: number | undefined;
}

/** Some lines of a file. Lines count from 0, and the last one is part of it. */
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

/** A file of the editor, as it is named to an agent. */
export interface NamedFile {
	readonly uri: string;
	readonly languageId?: string;
	/** Whether it has changes that are not saved. */
	readonly isDirty?: boolean;
}

export interface EditorFiles {
	/** In the order of the tabs. */
	open?(): readonly NamedFile[];
	/** Most recent first, those that are open included. */
	recent?(): readonly NamedFile[];
	/** The file that has the focus. */
	active?(): NamedFile | undefined;
}

/** Something that the user might want to know: why nothing is offered, or what is wrong with the agent. */
export interface Notice {
	readonly kind: "no-suggestion" | "agent" | "sign-in" | "invalid" | "failed";
	readonly text: string;
	/** For `no-suggestion`, in the agent's words: why a model gave no answer, and what to do about it. */
	readonly detail?: string;
}

/** Why a document changed, where the editor knows. */
export type ChangeCause = "typing" | "paste" | "undo" | "redo" | "other";
