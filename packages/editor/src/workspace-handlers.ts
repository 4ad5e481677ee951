import * as acp from "@segue/protocol/acp";
import { type Handler, on, RpcError } from "@segue/rpc";
import { type Document, isMisleading, namesBelow, positionAt, rangeAt, type Text, uriKey } from "@segue/text";
import type { DocumentView } from "./document-view.js";
import type { Host, NamedFile } from "./host.js";

// Used if the agent gives no limit.
const RECENT_DEFAULT = 50;

// More tabs than users have open. The list is read by a model with limited context.
const DOCUMENTS_MAX = 1000;

// Some editors remember files for years. This is large enough that files in other folders do not crowd out this
// session's files, and small enough to be cheap.
const LOOKED_AT_MAX = 10_000;

interface WorkspaceOptions {
	readonly host: Host;
	/** The folders of a next-edit session; undefined if there is no such session. */
	sessionFolders(sessionId: string): readonly string[] | undefined;
	/** The current version of a document; undefined if it is not open. */
	document(uri: string): Document | undefined;
	/** Whether a file in these folders must not be shown to agents because it is secret or ignored. */
	isPrivate(uri: string): boolean | Promise<boolean>;
	encoding(): acp.PositionEncoding;
}

/** Returns handlers for an agent's requests about the editor's state, limited to those that the host can answer. */
export function workspaceHandlers(options: WorkspaceOptions): Handler<"agent">[] {
	const { state } = options.host;
	const open = state?.open?.bind(state);
	const recent = state?.recent?.bind(state);
	const active = state?.active?.bind(state);
	const handlers: Handler<"agent">[] = [];
	if (open !== undefined) {
		handlers.push(
			on(acp.openDocuments, async ({ sessionId }, { signal }) => {
				const folders = foldersOf(sessionId, options);
				return { documents: await describeVisible(open(), DOCUMENTS_MAX, folders, options, signal) };
			}),
		);
	}
	if (recent !== undefined) {
		handlers.push(
			on(acp.recentDocuments, async ({ sessionId, limit }, { signal }) => {
				const folders = foldersOf(sessionId, options);
				const most = Math.min(limit ?? RECENT_DEFAULT, DOCUMENTS_MAX);
				return { documents: await describeVisible(recent(), most, folders, options, signal) };
			}),
		);
	}
	if (active !== undefined) {
		handlers.push(
			on(acp.activeDocument, async ({ sessionId }, { signal }) => {
				const folders = foldersOf(sessionId, options);
				const file = active();
				const [document] = await describeVisible(file === undefined ? [] : [file], 1, folders, options, signal);
				return { document: document ?? null };
			}),
		);
	}
	return handlers;
}

/** Returns the capabilities for these requests; undefined if the host can answer none of them. */
export function workspaceCapabilities({ state }: Host): acp.WorkspaceCapabilities | undefined {
	const capabilities = {
		...(state?.open && { openDocuments: {} }),
		...(state?.recent && { recentDocuments: {} }),
		...(state?.active && { activeDocument: {} }),
	};
	return Object.keys(capabilities).length > 0 ? capabilities : undefined;
}

function foldersOf(sessionId: string, options: WorkspaceOptions): readonly string[] {
	const folders = options.sessionFolders(sessionId) ?? options.host.chatFolders?.(sessionId);
	if (folders === undefined) throw new RpcError(acp.ErrorCode.notFound, "Session not found", { sessionId });
	return folders;
}

/** Describes the files that the agent may see, in order and without duplicates. */
async function describeVisible(
	files: readonly NamedFile[],
	most: number,
	folders: readonly string[],
	options: WorkspaceOptions,
	signal: AbortSignal,
): Promise<acp.WorkspaceDocument[]> {
	const documents: acp.WorkspaceDocument[] = [];
	const seen = new Set<string>();
	// Use a copy, because the host may change its list during an await.
	for (const file of files.slice(0, LOOKED_AT_MAX)) {
		if (documents.length >= most) break;
		signal.throwIfAborted();
		const key = uriKey(file.uri);
		if (seen.has(key)) continue;
		seen.add(key);
		if (!isFileIn(folders, file.uri) || (await options.isPrivate(file.uri))) continue;
		documents.push(describe(file, options));
	}
	return documents;
}

/**
 * Whether a URI is the absolute path of a file below one of the folders, and cannot be mistaken for a different path.
 */
function isFileIn(folders: readonly string[], uri: string): boolean {
	if (!/^file:\/\/\/[^/](?:.*[^/])?$/s.test(uri) || isMisleading(uri)) return false;
	// On some systems a backslash is a separator, which would hide secret names from the privacy check.
	if (uriKey(uri).includes("\\")) return false;
	return folders.some((folder) => (namesBelow(folder, uri)?.length ?? 0) > 0);
}

function describe({ uri, languageId, isDirty }: NamedFile, options: WorkspaceOptions): acp.WorkspaceDocument {
	const open = options.document(uri);
	const view = open && options.host.view(uri);
	const segue = {
		...(open && { version: open.version }),
		...(isDirty !== undefined && { dirty: isDirty }),
		...(open && view && placesOf(view, open.text, options.encoding())),
	};
	return {
		uri,
		languageId: languageId || open?.languageId || "plaintext",
		...(Object.keys(segue).length > 0 && { _meta: { segue } }),
	};
}

function placesOf({ anchor, head, visible }: DocumentView, text: Text, encoding: acp.PositionEncoding) {
	// The view may already reflect keystrokes that the host has not reported.
	const clamp = (offset: number) => Math.max(0, Math.min(offset, text.length));
	const rangeOf = (a: number, b: number) => rangeAt(text, clamp(Math.min(a, b)), clamp(Math.max(a, b)), encoding);
	return {
		position: positionAt(text, clamp(head), encoding),
		...(anchor !== head && { selection: rangeOf(anchor, head) }),
		...(visible && { visibleRange: rangeOf(visible.from, visible.to) }),
	};
}
