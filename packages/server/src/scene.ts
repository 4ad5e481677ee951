import { type Diagnostic, History, type Kind, type Scene, type Trigger } from "@segue/predict";
import type { PositionEncoding, SuggestRequest, Diagnostic as WireDiagnostic } from "@segue/protocol/acp";
import { type Document, offsetOf, offsetsOf, sameUri, Text } from "@segue/text";
import type { Mirror } from "./mirror.js";
import type { Settings } from "./settings.js";

// What is asked of a client at most, and looked at if it sends more. Prompts and rules take no more of it.
export const RECENT_FILES_MAX = 10;
export const EDIT_HISTORY_MAX = 6;

/** What a session knows when a request comes. */
export interface Knowledge {
	readonly mirror: Mirror;
	/** Of what was changed by events. */
	readonly history: History;
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
	const { settings, encoding, kinds } = known;
	if (!settings.isEnabled) return { obstacle: "disabled" };
	const attached = attachedDocuments(request);
	const found = findDocument(request, known.mirror, attached);
	if ("obstacle" in found) return found;
	const document = found;

	const events = known.mirror.recent();
	const documents = [...events, ...attached.filter((one) => !events.some(({ uri }) => sameUri(uri, one.uri)))];
	const cursor = offsetOf(document.text, request.position, encoding);
	const selection = request.selection
		? offsetsOf(document.text, request.selection, encoding)
		: { from: cursor, to: cursor };
	const anchor = selection.from === cursor ? selection.to : selection.from;
	return {
		document,
		cursor,
		selection: { anchor, head: cursor },
		history: historyOf(request, known.history, documents),
		neighbours: documents.filter(({ uri }) => !sameUri(uri, document.uri)),
		diagnostics: (request.context?.diagnostics ?? []).flatMap((one) => readDiagnostic(one, documents, encoding)),
		trigger: readTrigger(request.triggerKind),
		kinds,
		eagerness: settings.eagerness,
	};
}

// Files are attached without their versions; the request has only that of its own. JSON writes this as null.
const UNKNOWN_VERSION = Number.NaN;

function attachedDocuments(request: SuggestRequest): Document[] {
	const documents = (request.context?.recentFiles ?? []).map(({ uri, languageId, text }) => {
		const version = sameUri(uri, request.uri) ? request.version : UNKNOWN_VERSION;
		return { uri, languageId, version, text: Text.of(text) };
	});
	const isRequested = ({ uri }: Document) => sameUri(uri, request.uri);
	const others = documents.filter((document) => !isRequested(document));
	return [...documents.filter(isRequested), ...others].slice(0, RECENT_FILES_MAX);
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

function historyOf({ context }: SuggestRequest, seen: History, documents: readonly Document[]): History {
	const told = (context?.editHistory ?? []).slice(-EDIT_HISTORY_MAX);
	return seen.files.length > 0 || told.length === 0 ? seen : History.told(documents, told);
}

function readDiagnostic(
	said: WireDiagnostic,
	documents: readonly Document[],
	encoding: PositionEncoding,
): Diagnostic[] {
	const document = documents.find(({ uri }) => sameUri(uri, said.uri));
	if (document === undefined) return [];
	const severity = SEVERITIES.get(said.severity) ?? "info";
	return [{ uri: said.uri, ...offsetsOf(document.text, said.range, encoding), severity, message: said.message }];
}

const SEVERITIES: ReadonlyMap<string, Diagnostic["severity"]> = new Map([
	["error", "error"],
	["warning", "warning"],
	["information", "info"],
	["hint", "hint"],
]);

/** A trigger of a later version is taken for the one that asks for least. */
function readTrigger(said: string): Trigger {
	return said === "manual" || said === "diagnostic" ? said : "automatic";
}
