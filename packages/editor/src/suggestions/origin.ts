import { type Change, type Edit, type Event, sameUri, type Text, writtenBy } from "@segue/text";

// Longer than any name. Bounds the search for the ends of a word.
const WORD_MAX = 256;
// An edit with more changes than this was made by a tool. Comparing each change with every keystroke would be slow.
const PLACES_MAX = 64;
// Suggestions are rarely derived from older edits.
const EDITS_MAX = 8;

/**
 * The user's last edits before a request. The suggestions in the response are derived from these edits, and are
 * withdrawn when the last edit is undone or when a word that one of the edits wrote is changed. Earlier edits are
 * included because the last one may be unrelated to the suggestion.
 */
export class Origin {
	/**
	 * Returns the origin of a request that follows these edits, which are ordered oldest first. `textOf` returns the
	 * current text of a document.
	 */
	static of(edits: readonly OriginEdit[], textOf: (uri: string) => Text | undefined): Origin | undefined {
		const last = edits.at(-1);
		if (last === undefined) return undefined;
		let origin = new Origin(last, []);
		const texts = new Map<string, Text>();
		for (const { uri, before, after, change } of edits.slice(-EDITS_MAX)) {
			if (texts.get(uri)?.equals(before) === false) origin = origin.without(uri);
			texts.set(uri, after);
			const written = writtenBy(change);
			const words = written.length > PLACES_MAX ? [] : written.map((one) => ({ uri, ...wholeWords(one, after) }));
			origin = new Origin(last, [...origin.carry(uri, change).places, ...words]);
		}
		for (const [uri, text] of texts) if (textOf(uri)?.equals(text) !== true) origin = origin.without(uri);
		return new Origin(last, origin.places.slice(-PLACES_MAX));
	}

	private constructor(
		private readonly last: Pick<OriginEdit, "uri" | "before">,
		/** The ranges that the edits wrote, extended to whole words, as offsets in the current documents. */
		private readonly places: readonly Place[],
	) {}

	/** The document in which the last edit was made. */
	get uri(): string {
		return this.last.uri;
	}

	/** Returns the origin after a change to a document. */
	carry(uri: string, change: Change): Origin {
		const places = this.places.map((place) => {
			if (!sameUri(place.uri, uri)) return place;
			const from = change.map(place.from, "after");
			return { uri, from, to: Math.max(from, change.map(place.to, "before")) };
		});
		return new Origin(this.last, places);
	}

	/** Whether a change restores the text before the last edit. `text` is the document's text before the change. */
	isUndoneBy(uri: string, change: Change, text: Text): boolean {
		const { last } = this;
		if (!sameUri(uri, last.uri) || change.lengthAfter !== last.before.length) return false;
		return change.apply(text).equals(last.before);
	}

	/**
	 * Whether edits change a word that the user wrote, for example `tota` to `total`. Text next to a word, such as a line
	 * break, does not change it.
	 */
	isRewrittenBy(uri: string, edits: readonly Edit[], text: Text): boolean {
		if (edits.length === 0) return false;
		const places = this.places.filter((place) => sameUri(place.uri, uri));
		return edits.some((edit) => places.some((place) => rewrites(edit, place, text)));
	}

	/**
	 * Returns the origin without its ranges in one document. Used if something other than the edits changed that
	 * document.
	 */
	private without(uri: string): Origin {
		return new Origin(
			this.last,
			this.places.filter((place) => !sameUri(place.uri, uri)),
		);
	}
}

/** A user's edit: the document, its text before and after, and the change. */
type OriginEdit = Pick<Event, "uri" | "before" | "after" | "change">;

interface Span {
	readonly from: number;
	readonly to: number;
}

interface Place extends Span {
	readonly uri: string;
}

function rewrites(edit: Edit, { from, to }: Span, text: Text): boolean {
	if (edit.to < from || edit.from > to) return false;
	// After a deletion, every edit at that point replaces the deleted text.
	if (from === to || (edit.from < to && edit.to > from)) return true;
	if (edit.from === to) return isWordAt(text, to - 1) && startsWithWord(edit, text);
	return isWordAt(text, from) && endsWithWord(edit, text);
}

function startsWithWord({ to, insert }: Edit, text: Text): boolean {
	return insert === "" ? isWordAt(text, to) : isWord(insert.charCodeAt(0));
}

function endsWithWord({ from, insert }: Edit, text: Text): boolean {
	return insert === "" ? isWordAt(text, from - 1) : isWord(insert.charCodeAt(insert.length - 1));
}

/** Extends a span to whole words at both ends. A deletion extends to the words on both sides. */
function wholeWords({ from, to }: Span, text: Text): Span {
	let [start, end] = [from, to];
	if (from === to || isWordAt(text, from)) while (from - start < WORD_MAX && isWordAt(text, start - 1)) start--;
	if (from === to || isWordAt(text, to - 1)) while (end - to < WORD_MAX && isWordAt(text, end)) end++;
	return { from: start, to: end };
}

function isWordAt(text: Text, offset: number): boolean {
	return offset >= 0 && offset < text.length && isWord(text.codeAt(offset));
}

/**
 * Whether a code unit is part of a word. Half of a surrogate pair is, because letters in rarer scripts need two code
 * units.
 */
function isWord(code: number): boolean {
	return (code >= 0xd800 && code < 0xe000) || /[\p{L}\p{N}\p{M}_$]/u.test(String.fromCharCode(code));
}
