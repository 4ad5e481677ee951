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

/** What a session knows when a request comes. */
interface SceneSources {
	readonly mirror: Mirror;
	/** Of what was changed by events. */
	readonly history: History;
	/** Whether a change is a suggestion that was made here. */
	readonly isOffered: (before: Document, change: Change) => boolean;
	readonly views: Views;
	/** By `uriKey`. */
	readonly outlines: ReadonlyMap<string, Outline>;
	readonly parse: Parse | undefined;
	readonly nodesAround: NodesAround | undefined;
	readonly workspace: Workspace;
	readonly settings: Settings;
	readonly kinds: ReadonlySet<Exclude<ProposalKind, "edit">>;
}

/** Why a request cannot be answered with a suggestion, before anything is predicted. */
export type Obstacle = "disabled" | "stale" | "lost" | "no-text";

/**
 * Makes the scene of a request, from what events have told and what came with it. Where both speak of a document, the
 * events are right: they are in order with the request, and what was attached may be a moment old.
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

// Files are attached without their versions; the request has only that of its own.
const UNKNOWN_VERSION = Number.NaN;

function attachedDocuments({ uri, version, context }: NextEditRequest): Document[] {
	return context.attached
		.slice(0, RECENT_FILES_MAX)
		.map((file) => ({ ...file, version: sameUri(file.uri, uri) ? version : UNKNOWN_VERSION }));
}

/** A document known through events must be at the version of the request; one that is only attached is as it is. */
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
	{ editHistory }: RequestContext,
	{ history, isOffered }: SceneSources,
	find: Find,
	attached: readonly Document[],
): History {
	const shown = attached.reduce((before, document) => before.opened(document), history);
	const diffs = editHistory.slice(-EDIT_HISTORY_MAX);
	const isTold = ({ uri }: { readonly uri: string }) => shown.fileOf(uri) === undefined;
	const changed = new Set(diffs.filter(isTold).flatMap(({ uri }) => find(uri) ?? []));
	const told = History.told([...changed], diffs, isOffered);
	// A client tells of all edits alike, so the last of them is the newest, even where events have shown it already.
	const last = diffs.at(-1);
	return shown.joined(told, last !== undefined && isTold(last) ? "told" : "here");
}

/** Those of the request's document come first, so that a broken build elsewhere does not take their place. */
function ownFirst(diagnostics: readonly Diagnostic[], { uri }: Document): Diagnostic[] {
	const isOwn = (one: Diagnostic) => sameUri(one.uri, uri);
	return [...diagnostics.filter(isOwn), ...diagnostics.filter((one) => !isOwn(one))];
}
