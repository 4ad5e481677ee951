import {
	type Diagnostic,
	History,
	type NodesAround,
	type Outline,
	type Parse,
	type ProposalKind,
	type Scene,
	type Workspace,
} from "@segue/predict";
import { type Change, type Document, sameUri } from "@segue/text";
import type { Mirror } from "./mirror.js";
import {
	DIAGNOSTICS_MAX,
	EDIT_HISTORY_MAX,
	EXCERPT_CHARACTERS_MAX,
	EXCERPTS_MAX,
	type NextEditRequest,
	RECENT_FILES_MAX,
	type RequestContext,
	USER_ACTIONS_MAX,
} from "./request.js";
import type { Settings } from "./settings.js";
import type { Views } from "./views.js";

/** The state of a session when a request arrives. */
interface SceneSources {
	readonly mirror: Mirror;
	/** The history of changes from events. */
	readonly history: History;
	/** Whether a change is a suggestion from this session. */
	readonly isOffered: (before: Document, change: Change) => boolean;
	readonly views: Views;
	/** Keyed by `uriKey`. */
	readonly outlines: ReadonlyMap<string, Outline>;
	readonly parse: Parse | undefined;
	readonly nodesAround: NodesAround | undefined;
	readonly workspace: Workspace;
	readonly settings: Settings;
	readonly kinds: ReadonlySet<Exclude<ProposalKind, "edit">>;
}

/** The reason why a request is answered without a prediction. */
export type Obstacle = "disabled" | "stale" | "lost" | "no-text";

/**
 * Builds the scene for a request from the session's documents and the request's context. If both contain a document,
 * the session's copy takes precedence, because events arrive in order with requests, while an attached text may be
 * outdated.
 */
export function sceneFor(request: NextEditRequest, known: SceneSources): Scene | { readonly obstacle: Obstacle } {
	const { mirror, views, outlines, parse, nodesAround, workspace, settings } = known;
	const { kinds = known.kinds } = request;
	if (!settings.isEnabled) return { obstacle: "disabled" };
	const attached = attachedDocuments(request);
	const found = findDocument(request, mirror, attached);
	if ("obstacle" in found) return found;
	const document = found;

	const { trigger, context } = request;
	const inText = (at: number) => Math.max(0, Math.min(at, document.text.length));
	const [cursor, anchor] = [inText(request.cursor), inText(request.anchor)];
	const others = attached.filter((one) => mirror.textOf(one.uri) === undefined);
	const find = (uri: string) => mirror.textOf(uri) ?? others.find((one) => sameUri(one.uri, uri));
	return {
		document,
		cursor,
		selection: { anchor, head: cursor },
		history: historyOf(context, known, find, others),
		neighbours: neighboursOf(document, mirror, others),
		wordIndex: mirror.wordIndex.snapshot(),
		outlines,
		parse,
		nodesAround,
		diagnostics: ownFirst(
			context.diagnostics.filter(({ uri }) => find(uri) !== undefined),
			document,
		).slice(0, DIAGNOSTICS_MAX),
		views: views.with(context.openFiles, find),
		excerpts: context.excerpts.filter(({ text }) => text.length <= EXCERPT_CHARACTERS_MAX).slice(0, EXCERPTS_MAX),
		actions: context.actions.slice(-USER_ACTIONS_MAX),
		workspace,
		trigger,
		kinds,
		eagerness: settings.eagerness,
	};
}

// Attached files have no versions; a request contains only the version of its own document.
const UNKNOWN_VERSION = Number.NaN;

function attachedDocuments({ uri, version, context }: NextEditRequest): Document[] {
	return context.attached
		.slice(0, RECENT_FILES_MAX)
		.map((file) => ({ ...file, version: sameUri(file.uri, uri) ? version : UNKNOWN_VERSION }));
}

/** A document from events must have the version given in the request. An attached document is used as is. */
function findDocument(
	{ uri, version }: NextEditRequest,
	mirror: Mirror,
	attached: readonly Document[],
): Document | { readonly obstacle: Obstacle } {
	const mirrored = mirror.find(uri);
	const given = attached.find((one) => sameUri(one.uri, uri));
	if (mirrored === undefined) return given ?? { obstacle: "no-text" };
	if (mirrored.isLost) return { obstacle: "lost" };
	return mirrored.document.version === version ? mirrored.document : { obstacle: "stale" };
}

type Find = (uri: string) => Document | undefined;

function neighboursOf({ uri }: Document, mirror: Mirror, attached: readonly Document[]): readonly Document[] {
	const known = mirror.othersThan(uri);
	const others = attached.filter((one) => !sameUri(one.uri, uri));
	return others.length === 0 ? known : [...known, ...others];
}

/**
 * Combines the history from events with the request's edit history for documents that have no changes from events. A
 * document that is only attached may have been changed by another program since its last event, so it counts as opened
 * again.
 */
function historyOf(
	{ editHistory }: RequestContext,
	{ history, isOffered }: SceneSources,
	find: Find,
	attached: readonly Document[],
): History {
	const shown = attached.reduce((before, document) => before.opened(document), history);
	const diffs = editHistory.slice(-EDIT_HISTORY_MAX);
	const isOnlyReported = ({ uri }: { readonly uri: string }) => shown.fileOf(uri) === undefined;
	const changed = new Set(diffs.filter(isOnlyReported).flatMap(({ uri }) => find(uri) ?? []));
	const reported = History.told([...changed], diffs, isOffered);
	// A client's edit history includes edits that events have reported, so its last edit is the newest.
	const last = diffs.at(-1);
	return shown.joined(reported, last !== undefined && isOnlyReported(last) ? "told" : "here");
}

/** Puts the document's own diagnostics first, so that errors in other files don't displace them. */
function ownFirst(diagnostics: readonly Diagnostic[], { uri }: Document): Diagnostic[] {
	const isOwn = (one: Diagnostic) => sameUri(one.uri, uri);
	return [...diagnostics.filter(isOwn), ...diagnostics.filter((one) => !isOwn(one))];
}
