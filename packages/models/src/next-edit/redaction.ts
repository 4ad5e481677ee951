import { documentOf, type NoSuggestionReason, readabilityOf, type Scene } from "@segue/predict";
import {
	Change,
	type Document,
	type Event,
	isKeyText,
	isSecretUri,
	isVirtualUri,
	maskKeys,
	maskKeysIn,
	Text,
	uriKey,
} from "@segue/text";

/** Why a document is hidden from models. */
export type HiddenFileReason = Extract<NoSuggestionReason, `${string}-file`>;

/**
 * Removes everything from a scene that models must not see: documents, views, excerpts and diagnostics from private and
 * generated files, files that are not open, and key material. Keys are replaced by masks of the same length, so offsets
 * in the model's output stay valid. The history is not filtered here but by `mayShow` and `redactEvent`. Returns a
 * reason if the document itself must be hidden.
 */
export function redactScene(scene: Scene): Scene | HiddenFileReason {
	const { document } = scene;
	if (isSecretUri(document.uri) || isKeyText(document.text)) return "secret-file";
	if (scene.ignored?.has(uriKey(document.uri))) return isVirtualUri(document.uri) ? "virtual-file" : "ignored-file";
	const readability = readabilityOf(document);
	if (readability !== "ok") return `${readability}-file`;
	const isOpen = ({ uri }: { readonly uri: string }) => mayShow(uri, scene);
	return {
		...scene,
		document: masked(document),
		neighbours: redactedNeighbours(scene),
		// Gives access to files that are not open. Only the rules need it, and keys in those files are not masked.
		folder: undefined,
		views: scene.views.filter(isOpen),
		excerpts: scene.excerpts
			.filter((excerpt) => isOpen(excerpt) && isByHand(excerpt, scene))
			.map((excerpt) => ({ ...excerpt, text: maskKeys(excerpt.text) })),
		diagnostics: scene.diagnostics
			.filter(isOpen)
			.map((diagnostic) => ({ ...diagnostic, message: maskKeys(diagnostic.message) })),
	};
}

/** Returns an event with keys masked, or undefined if models must not see it. */
export function redactEvent(event: Event, scene: Pick<Scene, "ignored">): Event | undefined {
	const { uri, before, after } = event;
	if (!mayShow(uri, scene) || isKeyText(before) || isKeyText(after)) return undefined;
	const hidden = { before: maskKeysIn(before), after: maskKeysIn(after) };
	if (hidden.before === before && hidden.after === after) return event;
	let known = EVENTS.get(event);
	if (known === undefined) {
		// The original edits contain what was typed or pasted.
		const { from, to } = stretchOf(event.change);
		const insert = hidden.after.slice(from, hidden.after.length - (before.length - to));
		known = { ...event, ...hidden, change: Change.of([{ from, to, insert }], before.length) };
		EVENTS.set(event, known);
	}
	return known;
}

// All events but the last stay the same between keystrokes.
const EVENTS = new WeakMap<Event, Event>();

function stretchOf({ edits }: Change): { from: number; to: number } {
	return { from: edits[0]?.from ?? 0, to: edits.at(-1)?.to ?? 0 };
}

function masked(document: Document): Document {
	const text = maskKeysIn(document.text);
	return text === document.text ? document : { ...document, text };
}

/** Whether models may see a file, based on its name. */
export function mayShow(uri: string, { ignored }: Pick<Scene, "ignored">): boolean {
	return !isSecretUri(uri) && ignored?.has(uriKey(uri)) !== true;
}

/**
 * Whether an excerpt's file was written by hand and is not a key file. If the file is not open, only the excerpt is
 * checked.
 */
function isByHand({ uri, text }: Scene["excerpts"][number], scene: Scene): boolean {
	const open = documentOf(scene, uri);
	const excerpt = { uri, languageId: "", version: 0, text: Text.of(text) };
	const isRead = (one: Document) => readabilityOf(one) === "ok" && !isKeyText(one.text);
	return isRead(open ?? excerpt) && isRead(excerpt);
}

// While the user types in one document, the other documents stay the same, so results are cached by the identity of the
// list.
const REDACTED = new WeakMap<
	readonly Document[],
	{ readonly ignored: ReadonlySet<string> | undefined; readonly documents: readonly Document[] }
>();

function redactedNeighbours(scene: Scene): readonly Document[] {
	const { neighbours, ignored } = scene;
	let known = REDACTED.get(neighbours);
	if (known === undefined || known.ignored !== ignored) {
		const documents = neighbours
			.filter((one) => mayShow(one.uri, scene) && !isKeyText(one.text) && readabilityOf(one) === "ok")
			.map(masked);
		known = { ignored, documents };
		REDACTED.set(neighbours, known);
	}
	return known.documents;
}
