import type { View } from "@segue/predict";
import { type Change, type Document, sameUri, type Text, uriKey } from "@segue/text";
import { byFocus, type OpenFile, type Span } from "./request.js";

// More files than a user comes back to. The one that was left longest ago is forgotten.
const VIEWS_MAX = 100;

/**
 * What the user has looked at, those of one session: told by focus events, which may come before a file's text or without
 * it.
 */
export class Views {
	/** By `uriKey`, the most recently focused last. */
	private readonly focused = new Map<string, FocusedFile>();

	/** `document` has the file's text as it is now, where it is known. */
	focus(uri: string, locate: Locate, document: Document | undefined): void {
		const key = uriKey(uri);
		this.focused.delete(key);
		this.focused.set(key, { uri, locate, position: document && locate(document.text) });
		const [oldest] = this.focused.keys();
		if (this.focused.size > VIEWS_MAX && oldest !== undefined) this.focused.delete(oldest);
	}

	/** The text of a file came after the user had turned to it, or came anew. */
	opened(document: Document): void {
		const glance = this.focused.get(uriKey(document.uri));
		if (glance !== undefined) glance.position = viewPositionIn(glance, document);
	}

	/** What was looked at is still the same text, wherever it is now. */
	changed(uri: string, change: Change): void {
		const glance = this.focused.get(uriKey(uri));
		if (glance?.position === undefined) return;
		const { cursor, visible } = glance.position;
		glance.position = {
			cursor: change.map(cursor, "after"),
			visible: visible && { from: change.map(visible.from, "before"), to: change.map(visible.to, "after") },
		};
	}

	/**
	 * These and the files that the client says are open. A focus event tells of the moment when the user turned to a file;
	 * what is attached tells what has been scrolled to since.
	 */
	with(openFiles: readonly OpenFile[], find: (uri: string) => Document | undefined): View[] {
		const open = byFocus(openFiles);
		const focused = [...this.focused.values()].reverse();
		const others = open.filter(({ uri }) => !this.focused.has(uriKey(uri)));
		const views = [
			...focused.map((glance) => ({ glance, file: open.find(({ uri }) => sameUri(uri, glance.uri)) })),
			...others.map((file) => ({ glance: undefined, file })),
		];
		return views.slice(0, VIEWS_MAX).map(({ glance, file }): View => {
			const uri = glance?.uri ?? file?.uri ?? "";
			const document = find(uri);
			const place = glance && document && viewPositionIn(glance, document);
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

/** Finds the cursor and what is visible in a file's text. An editor may say where they are before it sends the text. */
export type Locate = (text: Text) => ViewPosition;

interface ViewPosition {
	readonly cursor: number;
	readonly visible: Span | undefined;
}

interface FocusedFile {
	readonly uri: string;
	readonly locate: Locate;
	/** In the file's present text. Undefined until that is known. */
	position: ViewPosition | undefined;
}

/** A file may have come back with another text, which may be shorter. */
function viewPositionIn({ locate, position: place }: FocusedFile, { text }: Document): ViewPosition {
	if (place === undefined) return locate(text);
	const { length } = text;
	const { cursor, visible } = place;
	return {
		cursor: Math.min(cursor, length),
		visible: visible && { from: Math.min(visible.from, length), to: Math.min(visible.to, length) },
	};
}
