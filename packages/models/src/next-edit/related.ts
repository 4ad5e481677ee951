import { definitionsAround, documentOf, isNearby, type Scene } from "@segue/predict";
import { sameUri } from "@segue/text";
import type { Snippet } from "./brief.js";
import { pathOf } from "./path.js";

// The editor knows best what is related, and still must not fill a prompt alone: so many excerpts of a screen's half
// take the tokens that the models have for them.
const EXCERPTS_MAX = 12;

/**
 * Parts of files that what is around the cursor has to do with: what the editor says, and then the definitions of what
 * is named there. None is shown twice, nor is anything that every window around the cursor has. The scene has only what may
 * be shown.
 */
export function relatedTo(scene: Scene): Snippet[] {
	const { document, workspace } = scene;
	const related: { readonly uri: string; readonly snippet: Snippet }[] = [];
	const add = (uri: string, languageId: string, part: Omit<Snippet, "path">) => {
		const isKnown = related.some(({ uri: other, snippet }) => {
			return sameUri(other, uri) && snippet.first <= part.last && part.first <= snippet.last;
		});
		if (isKnown || part.text.trim() === "") return;
		related.push({ uri, snippet: { path: pathOf(uri, languageId, workspace, document.uri), ...part } });
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
