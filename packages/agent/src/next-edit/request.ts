import type { Action, Diagnostic, Excerpt, ProposalKind, Trigger } from "@segue/predict";
import { type Change, type Document, sameUri } from "@segue/text";

// Editors are asked to send at most this much, because prompts and rules don't use more. Anything beyond it is dropped.
export const RECENT_FILES_MAX = 10;
export const EDIT_HISTORY_MAX = 6;
export const USER_ACTIONS_MAX = 16;

// Limits that the protocols cannot communicate to editors. A prompt has room for far less.
export const EXCERPTS_MAX = 32;
export const EXCERPT_CHARACTERS_MAX = 20_000;
export const DIAGNOSTICS_MAX = 200;
// More files than a user returns to.
const OPEN_FILES_MAX = 100;

/** A request for suggestions. All offsets refer to the session's documents or the attached files. */
export interface NextEditRequest {
	readonly uri: string;
	/** The version of the document in the editor. */
	readonly version: number;
	readonly cursor: number;
	/** The other end of the selection; equals `cursor` if nothing is selected. */
	readonly anchor: number;
	readonly trigger: Trigger;
	/**
	 * The client does not distinguish manual from automatic requests. Such a request does not resume suggestions that were
	 * paused by `giveUpAfterIgnored`.
	 */
	readonly isUnlabelled?: boolean;
	readonly context: RequestContext;
	/** The kinds of suggestions that the editor can show for this request; by default, those for the session. */
	readonly kinds?: ReadonlySet<Exclude<ProposalKind, "edit">>;
}

/** Context that an editor sends with a request. */
export interface RequestContext {
	/**
	 * Files and their contents, sorted by `mostRecent`. If the session has a copy of a document, that copy takes
	 * precedence.
	 */
	readonly attached: readonly Omit<Document, "version">[];
	readonly openFiles: readonly OpenFile[];
	/** Earlier edits as unified diffs, oldest first. */
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

/** A file that is visible in the editor or open in a tab. */
export interface OpenFile {
	readonly uri: string;
	readonly languageId: string | undefined;
	/** Undefined if the range or the file's text is unknown. */
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
	/** The change from the session's text, or from an empty text, to the new text. */
	readonly change: Change;
	/** The editor sent the whole text, so the new text is correct even if the session was out of sync. */
	readonly isWhole: boolean;
}

/**
 * Sorts attached files (the request's own file first, then open files by focus, then the others) and drops the last
 * ones.
 */
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

/** Sorts open files by focus, most recent first. Files without a focus time come last, in the editor's order. */
export function byFocus<File extends Pick<OpenFile, "focusedAtMs">>(files: readonly File[]): File[] {
	return files.toSorted((a, b) => (b.focusedAtMs ?? 0) - (a.focusedAtMs ?? 0)).slice(0, OPEN_FILES_MAX);
}
