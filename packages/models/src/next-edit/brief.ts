import { type Diagnostic, documentOf, type Scene, understandingOf, type View } from "@segue/predict";
import { type Document, type Event, printEvent, sameUri, type Text, uriKey } from "@segue/text";
import { tellMessage } from "./mentions.js";
import { pathOf } from "./path.js";
import { relatedTo } from "./related.js";
import { shareable, shareableEvent, type Withheld } from "./shareable.js";
import { estimateTokens, fitting } from "./tokens.js";
import { Window } from "./window.js";

/** The parts of a scene that a model may see: paths instead of URIs, no private files, and masks in place of keys. */
export interface Brief {
	/** Of the document. No model is told it: it says which edits are of the document, since paths may be alike. */
	readonly uri: string;
	/** Of the document, relative to its workspace folder, with slashes. */
	readonly path: string;
	readonly languageId: string;
	readonly text: Text;
	readonly cursor: number;
	/** What the user did, oldest first. */
	readonly edits: readonly PastEdit[];
	/** Parts of files that the user looked at lately, most recent first. */
	readonly recent: readonly Snippet[];
	/**
	 * Parts of files that what is around the cursor has to do with, the most useful first. While the user types on one
	 * line, they stay as they are, and only further ones come behind them: a server need not read their part of a prompt
	 * again.
	 */
	readonly related: readonly Snippet[];
	/** Those of the document, the nearest to the cursor first. */
	readonly diagnostics: readonly LineDiagnostic[];
	/** The repository's name, where there is one. */
	readonly repository: string | undefined;
}

/** An edit that the user made or accepted. */
export interface PastEdit {
	readonly path: string;
	readonly event: Event;
	/** The hunks of its unified diff, from the first `@@` on, with a line end at the end. */
	readonly diff: string;
}

/** Some whole lines of a file. */
export interface Snippet {
	readonly path: string;
	/** Both included, counted from 0. */
	readonly first: number;
	readonly last: number;
	/** With \n between the lines, and none at the end. */
	readonly text: string;
}

export interface LineDiagnostic extends Pick<Diagnostic, "severity" | "message" | "from" | "to"> {
	/** Counted from 0. */
	readonly line: number;
}

// What the models were trained with. The newest tell what the user is at, wherever they are; older ones tell more where
// they are of the same document.
const EVENTS_MAX = 6;
const NEWEST_EVENTS = 3;
// What is longer was not typed, and half a diff would tell what did not happen.
const DIFF_TOKENS_MAX = 1000;
// More of the past leaves too little room for the present.
const EDITS_TOKENS = 2000;
// An edit whose places are further apart takes longer to compare than a keystroke may.
const STRETCH_MAX = 100_000;

// Who looked at more files since has forgotten what was in the first.
const RECENT_MAX = 5;
// About twenty lines: what one sees at a glance.
const RECENT_TOKENS = 200;
// A line that is longer than this says little by its middle.
const RECENT_TOKENS_MAX = 2 * RECENT_TOKENS;

// More are not mended at a time.
const DIAGNOSTICS_MAX = 8;

/** What a model may be told of a scene; or why it is told nothing. */
export function briefOf(scene: Scene): Brief | Withheld {
	const open = shareable(scene);
	if (typeof open === "string") return open;
	const { document, cursor, workspace } = open;
	return {
		uri: document.uri,
		path: pathIn(open, document),
		languageId: document.languageId,
		text: document.text,
		cursor,
		edits: editsOf(open),
		recent: recentOf(open),
		related: relatedTo(open),
		diagnostics: diagnosticsOf(open),
		repository: workspace.repository?.name,
	};
}

function pathIn({ workspace, document }: Scene, { uri, languageId }: Pick<Document, "uri" | "languageId">): string {
	return pathOf(uri, languageId, workspace, document.uri);
}

function editsOf(scene: Scene): PastEdit[] {
	const told = scene.history.events.flatMap((event) => shareableEvent(event, scene) ?? []);
	const newest = told.slice(-NEWEST_EVENTS);
	const older = told.slice(0, -NEWEST_EVENTS);
	const isOwn = ({ uri }: Event) => sameUri(uri, scene.document.uri);
	const others = older.filter((one) => !isOwn(one));
	const ranked = [...others, ...older.filter(isOwn), ...newest].toReversed();
	const diffs = ranked.flatMap((event) => {
		const diff = diffOf(event);
		return diff === undefined ? [] : [{ path: pathIn(scene, event), event, diff }];
	});
	const chosen = fitting(diffs.slice(0, EVENTS_MAX), EDITS_TOKENS, ({ diff }) => diff);
	return chosen.toSorted((a, b) => told.indexOf(a.event) - told.indexOf(b.event));
}

// All events but the last are the same from one keystroke to the next.
const DIFFS = new WeakMap<Event, { readonly diff: string | undefined }>();

/** The hunks of an event's diff; undefined where it is none that a model can learn from. */
function diffOf(event: Event): string | undefined {
	let known = DIFFS.get(event);
	if (known === undefined) {
		known = { diff: isTelling(event) ? hunksOf(event) : undefined };
		DIFFS.set(event, known);
	}
	return known.diff;
}

function isTelling({ uri, languageId, before, after, change }: Event): boolean {
	const isRead = (text: Text) => understandingOf({ uri, languageId, version: 0, text }) === "ok";
	const stretch = (change.edits.at(-1)?.to ?? 0) - (change.edits[0]?.from ?? 0);
	return Math.max(stretch, stretch + after.length - before.length) <= STRETCH_MAX && isRead(before) && isRead(after);
}

function hunksOf(event: Event): string | undefined {
	const diff = printEvent(event, "a", "b");
	const start = diff.indexOf("@@ ");
	// An edit inside a key leaves the same mask.
	if (start < 0) return undefined;
	const hunks = diff.slice(start);
	return estimateTokens(hunks) <= DIFF_TOKENS_MAX ? hunks : undefined;
}

function recentOf(scene: Scene): Snippet[] {
	const recent: Snippet[] = [];
	const seen = new Set([uriKey(scene.document.uri)]);
	for (const view of [...scene.views, ...scene.neighbours.slice(0, RECENT_MAX)]) {
		if (recent.length === RECENT_MAX) break;
		const document = documentOf(scene, view.uri);
		if (document === undefined || seen.has(uriKey(view.uri))) continue;
		seen.add(uriKey(view.uri));
		const at = "cursor" in view ? placeIn(view) : scene.history.fileOf(view.uri)?.touches.at(-1)?.from;
		const { first, last, content } = Window.ofTokens(
			document.text,
			Math.min(at ?? 0, document.text.length),
			RECENT_TOKENS,
		);
		const isShort = estimateTokens(content) <= RECENT_TOKENS_MAX;
		if (isShort && content.trim() !== "") recent.push({ path: pathIn(scene, document), first, last, text: content });
	}
	return recent;
}

/** Where the user was in a file: at the cursor, or in the middle of what is shown. */
function placeIn({ cursor, visible }: View): number | undefined {
	return cursor ?? (visible && Math.floor((visible.from + visible.to) / 2));
}

function diagnosticsOf(scene: Scene): LineDiagnostic[] {
	const { document, cursor, diagnostics } = scene;
	const { text } = document;
	const here = text.lineAt(cursor);
	return diagnostics
		.filter(({ uri }) => sameUri(uri, document.uri))
		.map(({ severity, message, from, to }) => ({ severity, message, from, to, line: text.lineAt(from) }))
		.toSorted((a, b) => Math.abs(a.line - here) - Math.abs(b.line - here) || a.from - b.from)
		.slice(0, DIAGNOSTICS_MAX)
		.map((one) => ({ ...one, message: tellMessage(one.message, scene) }));
}
