import type * as acp from "@segue/protocol/acp";
import {
	type Document,
	type Event,
	namesBelow,
	positionAt,
	printEvent,
	rangeAt,
	sameUri,
	type Text,
	uriKey,
} from "@segue/text";
import type { Session } from "../connection/agent-connection.js";
import type { DocumentDiagnostic, Host, Notice, Snippet } from "../host.js";
import type { OpenDocument } from "../sync/open-documents.js";
import type { UserAction } from "./action-history.js";

// Defaults for agents that give no limit, from the example in the specification.
const RECENT_FILES_DEFAULT = 10;
const EDIT_HISTORY_DEFAULT = 6;
const USER_ACTIONS_DEFAULT = 16;

// Context is serialized, sent and parsed for every request, and no model reads more.
const RECENT_CHARACTERS_MAX = 2 ** 20;
const HISTORY_CHARACTERS_MAX = 2 ** 16;
const RELATED_CHARACTERS_MAX = 2 ** 16;
const OPEN_FILES_MAX = 50;
const DIAGNOSTICS_MAX = 100;
// Longer than users read. Some compilers print whole types in their messages.
const MESSAGE_MAX = 2000;

/** The input for a request's context, in addition to the document and the cursor. */
export interface ContextInput {
	readonly host: Pick<Host, "view" | "diagnostics">;
	readonly folders: readonly string[];
	/** The open documents, most recently focused first. */
	readonly documents: readonly Pick<OpenDocument, "document" | "lastFocusedMs">[];
	/** The document to get suggestions for. Also one of `documents`. */
	readonly current: Document;
	readonly cursor: number;
	/** Newest last. */
	readonly events: readonly Event[];
	/** Newest last. */
	readonly actions: readonly UserAction[];
	/** The result of `findRelatedSnippets`. */
	readonly related: readonly Snippet[];
	/** Whether the agent has the current text of a document through events. */
	isMirrored(uri: string): boolean;
	/** A file counts as private while its promise is pending. */
	isPrivate(uri: string): boolean | Promise<boolean>;
	report(note: Notice): void;
}

/** Returns only the context that the agent requested; undefined if it requested none. */
export function contextOf({ capabilities, encoding }: Session, around: ContextInput): acp.SuggestContext | undefined {
	const { recentFiles, relatedSnippets, editHistory, userActions, openFiles, diagnostics } = capabilities.context ?? {};
	const context: acp.SuggestContext = {
		...(recentFiles && { recentFiles: recentFilesOf(around, recentFiles.maxCount ?? RECENT_FILES_DEFAULT) }),
		...(relatedSnippets && { relatedSnippets: relatedSnippetsOf(around.related) }),
		...(editHistory && { editHistory: editHistoryOf(around, editHistory.maxCount ?? EDIT_HISTORY_DEFAULT) }),
		...(userActions && {
			userActions: userActionsOf(around, userActions.maxCount ?? USER_ACTIONS_DEFAULT, encoding),
		}),
		...(openFiles && { openFiles: openFilesOf(around, encoding) }),
		...(diagnostics && { diagnostics: diagnosticsOf(around, encoding) }),
	};
	return Object.keys(context).length > 0 ? context : undefined;
}

/** The current file comes first: agents that don't receive changes get its text only from here. */
function recentFilesOf(around: ContextInput, most: number): NonNullable<acp.SuggestContext["recentFiles"]> {
	const files = documentsOf(around)
		.filter(({ uri }) => !around.isMirrored(uri))
		.slice(0, most);
	return fitting(files, ({ text }) => text.length, RECENT_CHARACTERS_MAX).map(({ uri, languageId, text }) => {
		return { uri, languageId, text: text.toString() };
	});
}

/** Groups excerpts by file, in the order of each file's first excerpt. */
function relatedSnippetsOf(related: readonly Snippet[]): NonNullable<acp.SuggestContext["relatedSnippets"]> {
	const files = new Map<string, NonNullable<acp.SuggestContext["relatedSnippets"]>[number]>();
	for (const snippet of fitting(related, ({ text }) => text.length, RELATED_CHARACTERS_MAX)) {
		const { uri, firstLine, lastLine } = snippet;
		const file = files.get(uriKey(uri)) ?? { uri, excerpts: [] };
		const text = snippet.text.replace(/(?:\r\n|\n|\r)$/, "");
		file.excerpts.push({ startLine: firstLine, endLine: lastLine, text });
		files.set(uriKey(uri), file);
	}
	return [...files.values()];
}

/** Keeps the newest edits if not all of them fit. */
function editHistoryOf(around: ContextInput, most: number): NonNullable<acp.SuggestContext["editHistory"]> {
	const events = newest(around.events, most, around).toReversed();
	// Don't spend time formatting diffs that cannot fit.
	const small = events.filter((event) => sizeOf(event) <= HISTORY_CHARACTERS_MAX);
	const entries = small.map((event) => ({ uri: event.uri, diff: diffOf(event, around.folders) }));
	return fitting(entries, ({ diff }) => diff.length, HISTORY_CHARACTERS_MAX).toReversed();
}

function sizeOf({ change }: Event): number {
	return change.edits.reduce((size, { from, to, insert }) => size + insert.length + (to - from), 0);
}

/** Caches formatted diffs, because all events except the last stay the same between requests. */
const DIFFS = new WeakMap<Event, { readonly path: string; readonly diff: string }>();

function diffOf(event: Event, folders: readonly string[]): string {
	const path = pathOf(event.uri, folders);
	const known = DIFFS.get(event);
	if (known?.path === path) return known.diff;
	const diff = printEvent(event, `a/${path}`, `b/${path}`);
	DIFFS.set(event, { path, diff });
	return diff;
}

/** Returns a file's path for use in a diff: relative to its workspace folder, or only its name. */
function pathOf(uri: string, folders: readonly string[]): string {
	const names = folders.map((folder) => namesBelow(folder, uri)).find((found) => found !== undefined);
	const path = names?.join("/") ?? uriKey(uri).replace(/^.*\//s, "");
	return path.replace(/\p{Cc}/gu, encodeURIComponent); // a line break in the name would end the header
}

function userActionsOf(
	around: ContextInput,
	most: number,
	encoding: acp.PositionEncoding,
): NonNullable<acp.SuggestContext["userActions"]> {
	return newest(around.actions, most, around).map(({ what, uri, text, offset, atMs }) => {
		return { action: what, uri, position: positionAt(text, offset, encoding), timestampMs: Math.round(atMs) };
	});
}

function openFilesOf(
	around: ContextInput,
	encoding: acp.PositionEncoding,
): NonNullable<acp.SuggestContext["openFiles"]> {
	const open = around.documents.filter(({ document }) => isPublic(document.uri, around)).slice(0, OPEN_FILES_MAX);
	return open.map(({ document: { uri, languageId, text }, lastFocusedMs }) => {
		const visibleRange = attempt(around, "view", null, () => {
			const visible = around.host.view(uri)?.visible;
			return visible === undefined ? null : rangeIn(text, visible, encoding);
		});
		return { uri, languageId, visibleRange, lastFocusedMs: Math.round(lastFocusedMs) };
	});
}

/** Diagnostics in the current document come first, sorted by distance from the cursor. */
function diagnosticsOf(around: ContextInput, encoding: acp.PositionEncoding): acp.Diagnostic[] {
	const { host, current, cursor } = around;
	const result: acp.Diagnostic[] = [];
	for (const document of documentsOf(around)) {
		const room = DIAGNOSTICS_MAX - result.length;
		if (room === 0) break;
		const { uri, text } = document;
		const found = attempt(around, "diagnostics", [], () => {
			const all = host.diagnostics?.(uri) ?? [];
			const first = document === current ? nearest(all, cursor) : all;
			return first.slice(0, room).map(({ from, to, severity, message }): acp.Diagnostic => {
				return { uri, range: rangeIn(text, { from, to }, encoding), severity, message: shorten(message) };
			});
		});
		result.push(...found);
	}
	return result;
}

/** Returns all documents that are not private: the current one first, then the most recently focused. */
function documentsOf(around: ContextInput): Document[] {
	const { current, documents } = around;
	const others = documents.map(({ document }) => document).filter(({ uri }) => !sameUri(uri, current.uri));
	return [current, ...others].filter(({ uri }) => isPublic(uri, around));
}

function nearest(diagnostics: readonly DocumentDiagnostic[], cursor: number): DocumentDiagnostic[] {
	const distanceOf = ({ from, to }: DocumentDiagnostic) => Math.max(from - cursor, cursor - to, 0);
	return diagnostics.toSorted((a, b) => distanceOf(a) - distanceOf(b));
}

function shorten(message: string): string {
	if (message.length <= MESSAGE_MAX) return message;
	return `${message.slice(0, MESSAGE_MAX).replace(/[\ud800-\udbff]$/, "")}…`; // some parsers reject half a surrogate pair
}

/**
 * Clamps the range. It may already reflect keystrokes that the host has not reported, and some hosts give the end of a
 * range first.
 */
function rangeIn(text: Text, { from, to }: { from: number; to: number }, encoding: acp.PositionEncoding): acp.Range {
	const clamp = (offset: number) => Math.max(0, Math.min(offset, text.length));
	return rangeAt(text, clamp(Math.min(from, to)), clamp(Math.max(from, to)), encoding);
}

function isPublic(uri: string, around: ContextInput): boolean {
	return around.isPrivate(uri) === false;
}

/** Returns the newest items that are not private, at most `most` of them. */
function newest<T extends { readonly uri: string }>(items: readonly T[], most: number, around: ContextInput): T[] {
	const open = items.filter(({ uri }) => isPublic(uri, around));
	return open.slice(Math.max(open.length - most, 0));
}

/** Returns as many items as fit into `sizeMax` together, in order. Skips items that are too large. */
function fitting<T>(items: readonly T[], sizeIn: (item: T) => number, sizeMax: number): T[] {
	let room = sizeMax;
	return items.filter((item) => {
		const size = sizeIn(item);
		if (size > room) return false;
		room -= size;
		return true;
	});
}

/** Calls the host for optional context. Reports an error and returns the fallback if it throws. */
function attempt<T>(around: ContextInput, name: keyof Host, fallback: T, ask: () => T): T {
	try {
		return ask();
	} catch (error) {
		around.report({ kind: "failed", text: `${name}: ${error}` });
		return fallback;
	}
}
