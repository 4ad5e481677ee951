import type { Action, Diagnostic, Excerpt, ProposalKind, Trigger } from "@segue/predict";
import { type Change, type Document, sameUri } from "@segue/text";

// The most that an editor is asked for, and that is used if it sends more. Prompts and rules use no more than this.
export const RECENT_FILES_MAX = 10;
export const EDIT_HISTORY_MAX = 6;
export const USER_ACTIONS_MAX = 16;

// Bounds that no editor can be told of. A prompt has room for far less.
export const EXCERPTS_MAX = 32;
export const EXCERPT_CHARACTERS_MAX = 20_000;
export const DIAGNOSTICS_MAX = 200;
// More files than a user comes back to.
const OPEN_FILES_MAX = 100;

/** Asks a session for suggestions. All offsets are in the texts that the session has, or that are attached. */
export interface NextEditRequest {
	readonly uri: string;
	/** The version that the user sees. */
	readonly version: number;
	readonly cursor: number;
	/** The other end of the selection; the cursor where nothing is selected. */
	readonly anchor: number;
	readonly trigger: Trigger;
	/** The client does not say whether the user asked. Such a manual request does not end a silence after ignored suggestions. */
	readonly isUnlabelled?: boolean;
	readonly context: RequestContext;
	/** What the editor can show besides edits where it asks for this; otherwise the kinds of the session. */
	readonly kinds?: ReadonlySet<Exclude<ProposalKind, "edit">>;
}

/** What an editor sends along with a request. */
export interface RequestContext {
	/** Files by their text, as `mostRecent` sorts them. Where the session has a document itself, that one is used. */
	readonly attached: readonly Omit<Document, "version">[];
	readonly openFiles: readonly OpenFile[];
	/** Earlier edits as unified diffs, the newest last. */
	readonly editHistory: readonly { readonly uri: string; readonly diff: string }[];
	readonly diagnostics: readonly Diagnostic[];
	readonly excerpts: readonly Excerpt[];
	readonly actions: readonly Action[];
}

export const NO_CONTEXT: RequestContext = {
	attached: [],
	openFiles: [],
	editHistory: [],
	diagnostics: [],
	excerpts: [],
	actions: [],
};

/** A file that the editor shows, or has in a tab. */
export interface OpenFile {
	readonly uri: string;
	readonly languageId: string | undefined;
	/** Undefined where it is not known, or the file's text is not. */
	readonly visible: Span | undefined;
	readonly focusedAtMs: number | undefined;
}

export interface Span {
	readonly from: number;
	readonly to: number;
}

/** The new version of a document. */
export interface DocumentUpdate {
	readonly uri: string;
	readonly version: number;
	/** From the text that the session has, or from an empty one, to the new text. */
	readonly change: Change;
	/** The editor sent the whole text, so the new text is right whatever the session had before. */
	readonly isWhole: boolean;
}

/** The attached files that are used: the one that the request is for, the open ones as they were focused, then the others. */
export function mostRecent<File extends { readonly uri: string }>(
	files: readonly File[],
	uri: string,
	openFiles: readonly Pick<OpenFile, "uri" | "focusedAtMs">[],
): File[] {
	const open = byFocus(openFiles);
	const rankOf = (file: File) => {
		if (sameUri(file.uri, uri)) return -1;
		const rank = open.findIndex((one) => sameUri(one.uri, file.uri));
		return rank < 0 ? open.length : rank;
	};
	return files
		.map((file) => ({ file, rank: rankOf(file) }))
		.toSorted((a, b) => a.rank - b.rank)
		.slice(0, RECENT_FILES_MAX)
		.map(({ file }) => file);
}

/** Open files, the one that was focused last first. Those without a time come after, in the editor's order. */
export function byFocus<File extends Pick<OpenFile, "focusedAtMs">>(files: readonly File[]): File[] {
	return files.toSorted((a, b) => (b.focusedAtMs ?? 0) - (a.focusedAtMs ?? 0)).slice(0, OPEN_FILES_MAX);
}
