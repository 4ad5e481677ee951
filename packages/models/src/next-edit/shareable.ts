import { documentOf, type Scene, type Silence, understandingOf } from "@segue/predict";
import { type Document, isSecretUri, Text, uriKey } from "@segue/text";

/** Why a model is not shown a document. */
export type Withheld = Extract<Silence, `${string}-file`>;

/**
 * A scene without what no model may be shown: documents, views, excerpts and diagnostics of files that are secret or
 * ignored, or that nobody wrote by hand. The history cannot be divided; `isShareable` says of which files it may be
 * told. If not even the document may be shown, says why.
 */
export function shareable(scene: Scene): Scene | Withheld {
	const { document } = scene;
	if (isSecretUri(document.uri)) return "secret-file";
	if (scene.ignored?.has(uriKey(document.uri))) return "ignored-file";
	const understanding = understandingOf(document);
	if (understanding !== "ok") return `${understanding}-file`;
	const isOpen = ({ uri }: { readonly uri: string }) => isShareable(uri, scene);
	return {
		...scene,
		neighbours: shareableOf(scene),
		views: scene.views.filter(isOpen),
		excerpts: scene.excerpts.filter((excerpt) => isOpen(excerpt) && isByHand(excerpt, scene)),
		diagnostics: scene.diagnostics.filter(isOpen),
	};
}

/** Whether a model may be told of a file, by its name. */
export function isShareable(uri: string, { ignored }: Pick<Scene, "ignored">): boolean {
	return !isSecretUri(uri) && ignored?.has(uriKey(uri)) !== true;
}

/** Whether what an excerpt is of was written by hand. Of a file that is not open, nothing but the excerpt is known. */
function isByHand({ uri, text }: Scene["excerpts"][number], scene: Scene): boolean {
	const open = documentOf(scene, uri);
	const excerpt = { uri, languageId: "", version: 0, text: Text.of(text) };
	return understandingOf(open ?? excerpt) === "ok" && understandingOf(excerpt) === "ok";
}

// While the user types in one document, its neighbours are the same from one request to the next, and what is found out
// about them is kept by the identity of their list.
const SHAREABLE = new WeakMap<
	readonly Document[],
	{ readonly ignored: ReadonlySet<string> | undefined; readonly documents: readonly Document[] }
>();

function shareableOf(scene: Scene): readonly Document[] {
	const { neighbours, ignored } = scene;
	let known = SHAREABLE.get(neighbours);
	if (known === undefined || known.ignored !== ignored) {
		const documents = neighbours.filter((one) => isShareable(one.uri, scene) && understandingOf(one) === "ok");
		known = { ignored, documents };
		SHAREABLE.set(neighbours, known);
	}
	return known.documents;
}
