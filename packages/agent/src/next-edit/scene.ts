import {
	type Action,
	type Diagnostic,
	type Excerpt,
	History,
	type Kind,
	type Outline,
	type Parse,
	type Scene,
	type Trigger,
	type Workspace,
} from "@segue/predict";
import type { PositionEncoding, SuggestContext, SuggestRequest } from "@segue/protocol/acp";
import { type Change, type Document, offsetOf, offsetsOf, sameUri, Text } from "@segue/text";
import type { Mirror } from "./mirror.js";
import type { Settings } from "./settings.js";
import { byFocus, type Views } from "./views.js";

// What is asked of a client at most, and looked at if it sends more. Prompts and rules take no more of it.
export const RECENT_FILES_MAX = 10;
export const EDIT_HISTORY_MAX = 6;
export const USER_ACTIONS_MAX = 16;

// What no bound can be asked for. A prompt has room for far less; a client that sends more sends all it has.
const EXCERPTS_MAX = 32;
const EXCERPT_CHARACTERS_MAX = 20_000;
const DIAGNOSTICS_MAX = 200;

/** What a session knows when a request comes. */
export interface Knowledge {
	readonly mirror: Mirror;
	/** Of what was changed by events. */
	readonly history: History;
	/** Whether a change is a suggestion that was made here. */
	readonly isOffered: (before: Document, change: Change) => boolean;
	readonly views: Views;
	/** By `uriKey`. */
	readonly outlines: ReadonlyMap<string, Outline>;
	readonly parse: Parse | undefined;
	readonly workspace: Workspace;
	readonly settings: Settings;
	readonly encoding: PositionEncoding;
	readonly kinds: ReadonlySet<Exclude<Kind, "edit">>;
}

/** Why a request cannot be answered with a suggestion, before anything is predicted. */
export type Obstacle = "disabled" | "stale" | "lost" | "no-text";

/**
 * Makes the scene of a request, from what events have told and what came with it. Where both speak of a document, the
 * events are right: they are in order with the request, and what was attached may be a moment old.
 */
export function sceneOf(request: SuggestRequest, known: Knowledge): Scene | { readonly obstacle: Obstacle } {
	const { mirror, views, outlines, parse, workspace, settings, encoding, kinds } = known;
	if (!settings.isEnabled) return { obstacle: "disabled" };
	const attached = attachedDocuments(request);
	const found = findDocument(request, mirror, attached);
	if ("obstacle" in found) return found;
	const document = found;

	const context = request.context ?? {};
	const others = attached.filter((one) => mirror.textOf(one.uri) === undefined);
	const find = (uri: string) => mirror.textOf(uri) ?? others.find((one) => sameUri(one.uri, uri));
	const cursor = offsetOf(document.text, request.position, encoding);
	const selection = request.selection
		? offsetsOf(document.text, request.selection, encoding)
		: { from: cursor, to: cursor };
	const anchor = selection.from === cursor ? selection.to : selection.from;
	return {
		document,
		cursor,
		selection: { anchor, head: cursor },
		history: historyOf(context, known, find, others),
		neighbours: neighboursOf(document, mirror, others),
		concordance: mirror.concordance.edition(),
		outlines,
		parse,
		diagnostics: readDiagnostics(context, document, find, encoding),
		views: views.with(context.openFiles ?? [], find),
		excerpts: readExcerpts(context),
		actions: readActions(context, find, encoding),
		workspace,
		trigger: readTrigger(request.triggerKind),
		kinds,
		eagerness: settings.eagerness,
	};
}

// Files are attached without their versions; the request has only that of its own.
const UNKNOWN_VERSION = Number.NaN;

/**
 * What was attached, most recent first: the document that the request is for, then those that are open as they were
 * focused, then the others as the client has them.
 */
function attachedDocuments({ uri, version, context }: SuggestRequest): Document[] {
	const open = byFocus(context?.openFiles ?? []);
	const rankOf = (file: { readonly uri: string }) => {
		if (sameUri(file.uri, uri)) return -1;
		const rank = open.findIndex((one) => sameUri(one.uri, file.uri));
		return rank < 0 ? open.length : rank;
	};
	return (context?.recentFiles ?? [])
		.map((file) => ({ file, rank: rankOf(file) }))
		.toSorted((a, b) => a.rank - b.rank)
		.slice(0, RECENT_FILES_MAX)
		.map(({ file, rank }) => {
			const { languageId, text } = file;
			return { uri: file.uri, languageId, version: rank < 0 ? version : UNKNOWN_VERSION, text: Text.of(text) };
		});
}

/** A document known through events must be at the version of the request; one that is only attached is as it is. */
function findDocument(
	{ uri, version }: SuggestRequest,
	mirror: Mirror,
	attached: readonly Document[],
): Document | { readonly obstacle: Obstacle } {
	const mirrored = mirror.find(uri);
	const given = attached.find((one) => sameUri(one.uri, uri));
	if (mirrored === undefined) return given ?? { obstacle: "no-text" };
	if (mirrored.isLost) return { obstacle: "lost" };
	return mirrored.document.version === version ? mirrored.document : { obstacle: "stale" };
}

/** Finds a document that is known or attached. */
type Find = (uri: string) => Document | undefined;

function neighboursOf({ uri }: Document, mirror: Mirror, attached: readonly Document[]): readonly Document[] {
	const known = mirror.othersThan(uri);
	const others = attached.filter((one) => !sameUri(one.uri, uri));
	return others.length === 0 ? known : [...known, ...others];
}

/**
 * What events have shown, and what the client tells of documents that they have shown no change of. A document that is
 * only attached, though events once told of it, may have been changed since by others, as when it is opened again.
 */
function historyOf(
	{ editHistory }: SuggestContext,
	{ history, isOffered }: Knowledge,
	find: Find,
	attached: readonly Document[],
): History {
	const shown = attached.reduce((before, document) => before.opened(document), history);
	const diffs = (editHistory ?? []).slice(-EDIT_HISTORY_MAX);
	const isTold = ({ uri }: { readonly uri: string }) => shown.fileOf(uri) === undefined;
	const changed = new Set(diffs.filter(isTold).flatMap(({ uri }) => find(uri) ?? []));
	const told = History.told([...changed], diffs, isOffered);
	// A client tells of all edits alike, so the last of them is the newest, even where events have shown it already.
	const last = diffs.at(-1);
	return shown.joined(told, last !== undefined && isTold(last) ? "told" : "here");
}

/** Those of the request's document come first, so that a broken build elsewhere does not take their place. */
function readDiagnostics(
	{ diagnostics }: SuggestContext,
	own: Document,
	find: Find,
	encoding: PositionEncoding,
): Diagnostic[] {
	const read = (diagnostics ?? []).flatMap(({ uri, range, severity, message }): Diagnostic[] => {
		const document = find(uri);
		if (document === undefined) return [];
		const place = offsetsOf(document.text, range, encoding);
		return [{ uri, ...place, severity: SEVERITIES.get(severity) ?? "info", message }];
	});
	const isOwn = ({ uri }: Diagnostic) => sameUri(uri, own.uri);
	return [...read.filter(isOwn), ...read.filter((one) => !isOwn(one))].slice(0, DIAGNOSTICS_MAX);
}

const SEVERITIES: ReadonlyMap<string, Diagnostic["severity"]> = new Map([
	["error", "error"],
	["warning", "warning"],
	["information", "info"],
	["hint", "hint"],
]);

/**
 * Clients differ in whether the last line is the last one shown or the one after, and whether its end is part of the
 * text. So the text itself says how many lines there are.
 */
function readExcerpts({ relatedSnippets }: SuggestContext): Excerpt[] {
	return (relatedSnippets ?? [])
		.flatMap(({ uri, excerpts }) => excerpts.map(({ startLine, text }) => ({ uri, first: startLine, text })))
		.filter(({ text }) => text.length <= EXCERPT_CHARACTERS_MAX)
		.slice(0, EXCERPTS_MAX)
		.map(({ uri, first, text: said }) => {
			const text = said.replace(/(?:\r\n|\r|\n)$/, "");
			return { uri, first, last: first + text.split(/\r\n|\r|\n/).length - 1, text };
		});
}

function readActions({ userActions }: SuggestContext, find: Find, encoding: PositionEncoding): Action[] {
	return (userActions ?? []).slice(-USER_ACTIONS_MAX).map(({ action, uri, position, timestampMs }) => {
		const document = find(uri);
		const at = document && offsetOf(document.text, position, encoding);
		return { what: action, uri, at, atMs: timestampMs };
	});
}

/** A trigger of a later version is taken for the one that asks for least. */
function readTrigger(said: string): Trigger {
	return said === "manual" || said === "diagnostic" ? said : "automatic";
}
