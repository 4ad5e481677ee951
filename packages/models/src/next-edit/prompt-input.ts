import { definitionsAround, documentOf, isNearby, readabilityOf, type Scene, type View } from "@segue/predict";
import { type Document, type Event, sameUri, type Text, uriKey } from "@segue/text";
import type { CodeSnippet, LineDiagnostic, PastEdit, PromptInput } from "./format.js";
import { redactMessage } from "./message-redaction.js";
import { hunksOf } from "./past-edits.js";
import { folderNameOf, promptPathOf } from "./prompt-path.js";
import { type HiddenFileReason, redactEvent, redactScene } from "./redaction.js";
import { estimateTokens, fitting } from "./token-budget.js";
import { Window } from "./window.js";

// The limits used in training. The newest events show what the user is doing in any file; older ones are mainly useful
// if they are in the same document.
const EVENTS_MAX = 6;
const NEWEST_EVENTS = 3;
// Longer edits were not typed, and half a diff would show an edit that never happened.
const DIFF_TOKENS_MAX = 1000;
// A longer history would leave too little room for the code.
const EDITS_TOKENS = 2000;
// Diffing a larger range is too slow to run on every keystroke.
const STRETCH_MAX = 100_000;

// Files viewed earlier say little about the next edit.
const RECENT_MAX = 5;
// About twenty lines.
const RECENT_TOKENS = 200;
// The middle of a longer line is of little use.
const RECENT_TOKENS_MAX = 2 * RECENT_TOKENS;

// Users fix only a few diagnostics at a time.
const DIAGNOSTICS_MAX = 8;

/** Returns the parts of a scene that a model may see, or the reason why it may not see any. */
export function promptInputOf(scene: Scene): PromptInput | HiddenFileReason {
	const open = redactScene(scene);
	if (typeof open === "string") return open;
	const { document, cursor, workspace } = open;
	return {
		uri: document.uri,
		path: pathIn(open, document),
		languageId: document.languageId,
		text: document.text,
		cursor,
		// Masks have the same length as the keys they replace. The syntax nodes of the original document are therefore valid,
		// and it may already be parsed.
		nodesAround: () => scene.nodesAround?.(scene.document, cursor) ?? [],
		edits: editsOf(open, (uri) => documentOf(scene, uri) !== undefined),
		recent: recentOf(open),
		related: relatedTo(open),
		diagnostics: diagnosticsOf(open),
		repository: workspace.repository?.name || folderNameOf(document.uri, workspace) || UNTITLED,
	};
}

// Used for a document outside all folders. Models were not trained with an empty name.
const UNTITLED = "untitled";

function pathIn({ workspace, document }: Scene, { uri, languageId }: Pick<Document, "uri" | "languageId">): string {
	return promptPathOf(uri, languageId, workspace, document.uri);
}

function editsOf(scene: Scene, isThere: (uri: string) => boolean): PastEdit[] {
	const visible = scene.history.events.flatMap((event) => redactEvent(event, scene) ?? []);
	const newest = visible.slice(-NEWEST_EVENTS);
	const older = visible.slice(0, -NEWEST_EVENTS);
	const isOwn = ({ uri }: Event) => sameUri(uri, scene.document.uri);
	const others = older.filter((one) => !isOwn(one));
	const ranked = [...others, ...older.filter(isOwn), ...newest].toReversed();
	const diffs = ranked.flatMap((event) => {
		const diff = diffOf(event);
		if (diff === undefined) return [];
		const path = pathIn(scene, event);
		const former = formerOf(event, visible, isThere);
		return [{ path, oldPath: former === undefined ? path : pathIn(scene, former), event, diff }];
	});
	const chosen = fitting(diffs.slice(0, EVENTS_MAX), EDITS_TOKENS, ({ diff }) => diff);
	return chosen.toSorted((a, b) => visible.indexOf(a.event) - visible.indexOf(b.event));
}

/**
 * Returns the last edit of a file under its former name. Editors report a rename as closing one file and opening
 * another with the same text. If the former file is still open or on disk, the file was copied instead.
 */
function formerOf(event: Event, visible: readonly Event[], isThere: (uri: string) => boolean): Event | undefined {
	const earlier = visible.slice(0, visible.indexOf(event));
	if (event.before.length === 0 || earlier.some(({ uri }) => sameUri(uri, event.uri))) return undefined;
	const last = earlier.findLast(({ after }) => after.length === event.before.length && after.equals(event.before));
	return last !== undefined && !isThere(last.uri) ? last : undefined;
}

// All events but the last stay the same between keystrokes.
const DIFFS = new WeakMap<Event, { readonly diff: string | undefined }>();

/** Returns the hunks of an event's diff, or undefined if the event is not useful to a model. */
function diffOf(event: Event): string | undefined {
	let known = DIFFS.get(event);
	if (known === undefined) {
		const diff = isInformative(event) ? hunksOf(event) : "";
		// An edit inside a key leaves the mask unchanged, so the diff is empty.
		known = { diff: diff === "" || estimateTokens(diff) > DIFF_TOKENS_MAX ? undefined : diff };
		DIFFS.set(event, known);
	}
	return known.diff;
}

function isInformative({ uri, languageId, before, after, change }: Event): boolean {
	const isRead = (text: Text) => readabilityOf({ uri, languageId, version: 0, text }) === "ok";
	const stretch = (change.edits.at(-1)?.to ?? 0) - (change.edits[0]?.from ?? 0);
	return Math.max(stretch, stretch + after.length - before.length) <= STRETCH_MAX && isRead(before) && isRead(after);
}

function recentOf(scene: Scene): CodeSnippet[] {
	const recent: CodeSnippet[] = [];
	const seen = new Set([uriKey(scene.document.uri)]);
	for (const view of [...scene.views, ...scene.neighbours.slice(0, RECENT_MAX)]) {
		if (recent.length === RECENT_MAX) break;
		const document = documentOf(scene, view.uri);
		if (document === undefined || seen.has(uriKey(view.uri))) continue;
		seen.add(uriKey(view.uri));
		const at = "cursor" in view ? positionIn(view) : scene.history.fileOf(view.uri)?.touches.at(-1)?.from;
		const { first, last, content } = Window.ofTokens(
			document.text,
			Math.min(at ?? 0, document.text.length),
			RECENT_TOKENS,
		);
		const isShort = estimateTokens(content) <= RECENT_TOKENS_MAX;
		if (!isShort || content.trim() === "") continue;
		const { lineCount } = document.text;
		recent.push({ path: pathIn(scene, document), first, last, lineCount, text: content });
	}
	return recent;
}

/** Returns the user's position in a file: the cursor, or the middle of the visible range. */
function positionIn({ cursor, visible }: View): number | undefined {
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
		.map((one) => ({ ...one, message: redactMessage(one.message, scene) }));
}

// The editor knows best which code is related, but its excerpts must not fill the prompt on their own. This many
// half-screen excerpts use up the models' budget.
const EXCERPTS_MAX = 12;

/**
 * Returns snippets related to the code around the cursor: first the snippets from the editor, then the definitions of
 * names used in that code. Skips duplicates, and lines that every window around the cursor contains. The scene must
 * already be redacted.
 */
function relatedTo(scene: Scene): CodeSnippet[] {
	const { document, workspace } = scene;
	const related: { readonly uri: string; readonly snippet: CodeSnippet }[] = [];
	const add = (uri: string, languageId: string, part: Omit<CodeSnippet, "path">) => {
		const isKnown = related.some(({ uri: other, snippet }) => {
			return sameUri(other, uri) && snippet.first <= part.last && part.first <= snippet.last;
		});
		if (isKnown || part.text.trim() === "") return;
		related.push({ uri, snippet: { path: promptPathOf(uri, languageId, workspace, document.uri), ...part } });
	};
	for (const { uri, first, last, text } of scene.excerpts) {
		if (related.length === EXCERPTS_MAX) break;
		const isShown = isNearby(scene, uri, first, last);
		const lineCount = documentOf(scene, uri)?.text.lineCount;
		const part = { first, last, text: text.replace(/\r\n?/g, "\n") };
		if (!isShown) add(uri, "", lineCount === undefined ? part : { ...part, lineCount });
	}
	for (const { document: other, first, last } of definitionsAround(scene)) {
		const lines = Array.from({ length: last - first + 1 }, (_, i) => other.text.line(first + i));
		add(other.uri, other.languageId, { first, last, lineCount: other.text.lineCount, text: lines.join("\n") });
	}
	return related.map(({ snippet }) => snippet);
}
