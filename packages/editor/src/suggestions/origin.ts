import { type Change, type Edit, type Event, sameUri, type Text, writtenBy } from "@segue/text";

// Longer than any name. Bounds the search for the ends of a word.
const WORD_MAX = 256;
// An edit of more places was made by a tool. Comparing every keystroke with all of them would be slow.
const PLACES_MAX = 64;
// Suggestions are rarely derived from an older edit.
const EDITS_MAX = 8;

/**
 * The user's last edits before a request, from which the suggestions of the answer are derived. They are withdrawn when the
 * last edit is undone, and when a word that one of the edits wrote becomes another. An edit before the last one counts too:
 * the last one may have nothing to do with what is suggested.
 */
export class Origin {
	/** The origin of a request after these edits, the latest at the end. `textOf` is the text of a document now. */
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
		/** What the edits wrote, up to the ends of its words, as offsets of the documents now. */
		private readonly places: readonly Place[],
	) {}

	/** The document of the last edit. */
	get uri(): string {
		return this.last.uri;
	}

	/** The origin after a change of a document. */
	carry(uri: string, change: Change): Origin {
		const places = this.places.map((place) => {
			if (!sameUri(place.uri, uri)) return place;
			const from = change.map(place.from, "after");
			return { uri, from, to: Math.max(from, change.map(place.to, "before")) };
		});
		return new Origin(this.last, places);
	}

	/** Whether a change of a document leads back to the text before the last edit. `text` is the document's text before it. */
	isUndoneBy(uri: string, change: Change, text: Text): boolean {
		const { last } = this;
		if (!sameUri(uri, last.uri) || change.lengthAfter !== last.before.length) return false;
		return change.apply(text).equals(last.before);
	}

	/**
	 * Whether edits of a document change a word that the user wrote: the name `tota` that becomes `total`. Text beside a
	 * word, such as a line break, leaves it as it is.
	 */
	isRewrittenBy(uri: string, edits: readonly Edit[], text: Text): boolean {
		if (edits.length === 0) return false;
		const places = this.places.filter((place) => sameUri(place.uri, uri));
		return edits.some((edit) => places.some((place) => rewrites(edit, place, text)));
	}

	/** The document was changed by something other than the edits, so what they wrote is no longer where they wrote it. */
	private without(uri: string): Origin {
		return new Origin(
			this.last,
			this.places.filter((place) => !sameUri(place.uri, uri)),
		);
	}
}

/** An edit of the user's: the document, its text before and after, and the change between them. */
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
	// Where the user only deleted something, every edit writes something in its place.
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

/** The place up to the ends of the words at its ends. A deletion belongs to the words on both sides of it. */
function wholeWords({ from, to }: Span, text: Text): Span {
	let [start, end] = [from, to];
	if (from === to || isWordAt(text, from)) while (from - start < WORD_MAX && isWordAt(text, start - 1)) start--;
	if (from === to || isWordAt(text, to - 1)) while (end - to < WORD_MAX && isWordAt(text, end)) end++;
	return { from: start, to: end };
}

function isWordAt(text: Text, offset: number): boolean {
	return offset >= 0 && offset < text.length && isWord(text.codeAt(offset));
}

/** Half of a surrogate pair counts as part of a word: letters of rarer scripts are written with two. */
function isWord(code: number): boolean {
	return (code >= 0xd800 && code < 0xe000) || /[\p{L}\p{N}\p{M}_$]/u.test(String.fromCharCode(code));
}
