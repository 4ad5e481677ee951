import type { View } from "@segue/predict";
import { type Change, type Document, sameUri, type Text, uriKey } from "@segue/text";
import { byFocus, type OpenFile, type Span } from "./request.js";

// More files than a user returns to. The least recently focused one is dropped.
const VIEWS_MAX = 100;

/**
 * The files that the user viewed during one session, from focus events. A focus event may arrive before the file's
 * text, or without it.
 */
export class Views {
	/** Keyed by `uriKey`, least recently focused first. */
	private readonly focused = new Map<string, FocusedFile>();

	/** `document` contains the current text of the file, if known. */
	focus(uri: string, locate: Locate, document: Document | undefined): void {
		const key = uriKey(uri);
		this.focused.delete(key);
		this.focused.set(key, { uri, locate, position: document && locate(document.text) });
		const [oldest] = this.focused.keys();
		if (this.focused.size > VIEWS_MAX && oldest !== undefined) this.focused.delete(oldest);
	}

	/** Must be called whenever the text of a file arrives, even if the file was focused or opened before. */
	opened(document: Document): void {
		const focusedFile = this.focused.get(uriKey(document.uri));
		if (focusedFile !== undefined) focusedFile.position = viewPositionIn(focusedFile, document);
	}

	/** Maps the cursor and the visible range through a change. */
	changed(uri: string, change: Change): void {
		const focusedFile = this.focused.get(uriKey(uri));
		if (focusedFile?.position === undefined) return;
		const { cursor, visible } = focusedFile.position;
		focusedFile.position = {
			cursor: change.map(cursor, "after"),
			visible: visible && { from: change.map(visible.from, "before"), to: change.map(visible.to, "after") },
		};
	}

	/**
	 * Returns the focused files and those that the client lists as open. The list's visible ranges are more up to date
	 * than those from focus events, because the user may have scrolled since then.
	 */
	with(openFiles: readonly OpenFile[], find: (uri: string) => Document | undefined): View[] {
		const open = byFocus(openFiles);
		const focused = [...this.focused.values()].reverse();
		const others = open.filter(({ uri }) => !this.focused.has(uriKey(uri)));
		const views = [
			...focused.map((focusedFile) => ({ focusedFile, file: open.find(({ uri }) => sameUri(uri, focusedFile.uri)) })),
			...others.map((file) => ({ focusedFile: undefined, file })),
		];
		return views.slice(0, VIEWS_MAX).map(({ focusedFile, file }): View => {
			const uri = focusedFile?.uri ?? file?.uri ?? "";
			const document = find(uri);
			const place = focusedFile && document && viewPositionIn(focusedFile, document);
			return {
				uri,
				languageId: document?.languageId ?? file?.languageId,
				cursor: place?.cursor,
				visible: file?.visible ?? place?.visible,
				focusedAtMs: file?.focusedAtMs,
			};
		});
	}
}

/** Converts a cursor and a visible range to offsets. An editor may send these before the text. */
export type Locate = (text: Text) => ViewPosition;

interface ViewPosition {
	readonly cursor: number;
	readonly visible: Span | undefined;
}

interface FocusedFile {
	readonly uri: string;
	readonly locate: Locate;
	/** Offsets in the current text. Undefined until the text is known. */
	position: ViewPosition | undefined;
}

/** Clamps the position, because the file may have been reopened with shorter text. */
function viewPositionIn({ locate, position: place }: FocusedFile, { text }: Document): ViewPosition {
	if (place === undefined) return locate(text);
	const { length } = text;
	const { cursor, visible } = place;
	return {
		cursor: Math.min(cursor, length),
		visible: visible && { from: Math.min(visible.from, length), to: Math.min(visible.to, length) },
	};
}
