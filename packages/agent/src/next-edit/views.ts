import type { View } from "@segue/predict";
import type { DidFocus, PositionEncoding, SuggestContext } from "@segue/protocol/acp";
import { type Change, type Document, offsetOf, offsetsOf, sameUri, uriKey } from "@segue/text";

// More files than a user comes back to. The one that was left longest ago is forgotten.
const VIEWS_MAX = 100;

/**
 * What the user has looked at, those of one session: told by focus events, which may come before a file's text or without
 * it.
 */
export class Views {
	/** By `uriKey`, the most recently focused last. */
	private readonly glances = new Map<string, Glance>();

	constructor(private readonly encoding: PositionEncoding) {}

	/** `document` is the file's text as it is now, where it is known. */
	focus(said: DidFocus, document: Document | undefined): void {
		const key = uriKey(said.uri);
		this.glances.delete(key);
		this.glances.set(key, { said, place: document && this.placeOf(said, document) });
		const [oldest] = this.glances.keys();
		if (this.glances.size > VIEWS_MAX && oldest !== undefined) this.glances.delete(oldest);
	}

	/** The text of a file came after the user had turned to it, or came anew. */
	opened(document: Document): void {
		const glance = this.glances.get(uriKey(document.uri));
		if (glance !== undefined) glance.place = this.placeIn(glance, document);
	}

	/** What was looked at is still the same text, wherever it is now. */
	changed(uri: string, change: Change): void {
		const glance = this.glances.get(uriKey(uri));
		if (glance?.place === undefined) return;
		const { cursor, visible } = glance.place;
		glance.place = {
			cursor: change.map(cursor, "after"),
			visible: visible && { from: change.map(visible.from, "before"), to: change.map(visible.to, "after") },
		};
	}

	/**
	 * These and the files that the client says are open. A focus event tells of the moment when the user turned to a file;
	 * what is attached tells what has been scrolled to since.
	 */
	with(openFiles: OpenFiles, find: (uri: string) => Document | undefined): View[] {
		const open = byFocus(openFiles);
		const focused = [...this.glances.values()].reverse();
		const others = open.filter(({ uri }) => !this.glances.has(uriKey(uri)));
		const views = [
			...focused.map((glance) => ({ glance, file: open.find(({ uri }) => sameUri(uri, glance.said.uri)) })),
			...others.map((file) => ({ glance: undefined, file })),
		];
		return views.slice(0, VIEWS_MAX).map(({ glance, file }): View => {
			const uri = glance?.said.uri ?? file?.uri ?? "";
			const document = find(uri);
			const place = glance && document && this.placeIn(glance, document);
			const shown = file?.visibleRange;
			return {
				uri,
				languageId: document?.languageId ?? file?.languageId,
				cursor: place?.cursor,
				visible: document && shown ? offsetsOf(document.text, shown, this.encoding) : place?.visible,
				focusedAtMs: file?.lastFocusedMs ?? undefined,
			};
		});
	}

	private placeOf({ position, visibleRange }: DidFocus, { text }: Document): Place {
		return {
			cursor: offsetOf(text, position, this.encoding),
			visible: visibleRange ? offsetsOf(text, visibleRange, this.encoding) : undefined,
		};
	}

	/** A file may have come back with another text, which may be shorter. */
	private placeIn({ said, place }: Glance, document: Document): Place {
		if (place === undefined) return this.placeOf(said, document);
		const { length } = document.text;
		const { cursor, visible } = place;
		return {
			cursor: Math.min(cursor, length),
			visible: visible && { from: Math.min(visible.from, length), to: Math.min(visible.to, length) },
		};
	}
}

type OpenFiles = NonNullable<SuggestContext["openFiles"]>;

/** Open files as they were focused, the last one first. Those that do not say when come after, as the client has them. */
export function byFocus(openFiles: OpenFiles): OpenFiles {
	return openFiles.toSorted((a, b) => (b.lastFocusedMs ?? 0) - (a.lastFocusedMs ?? 0)).slice(0, VIEWS_MAX);
}

interface Glance {
	readonly said: DidFocus;
	/** Undefined until the file's text is known. */
	place: Place | undefined;
}

/** In the file's present text. */
interface Place {
	readonly cursor: number;
	readonly visible: { readonly from: number; readonly to: number } | undefined;
}
