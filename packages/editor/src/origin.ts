import { type Change, type Edit, type Event, sameUri, type Text, writtenBy } from "@segue/text";

// Longer than any name. Bounds the search for the ends of a word.
const WORD_MAX = 256;
// An edit of more places was made by a tool. Comparing every keystroke with all of them would be slow.
const PLACES_MAX = 64;

/**
 * The user's last edit before a request, from which the suggestions of the answer are derived. They are withdrawn when it
 * is undone, and when the words that it wrote become others.
 */
export class Origin {
	static of({ uri, before, after, change }: Pick<Event, "uri" | "before" | "after" | "change">): Origin {
		const written = writtenBy(change);
		return new Origin(uri, before, written.length > PLACES_MAX ? [] : written.map((one) => wholeWords(one, after)));
	}

	private constructor(
		readonly uri: string,
		private readonly before: Text,
		/** What the edit wrote, up to the ends of its words, as offsets of the document now. */
		private readonly places: readonly Place[],
	) {}

	/** The origin after a change of its document. */
	carry(change: Change): Origin {
		const places = this.places.map(({ from, to }) => {
			const start = change.map(from, "after");
			return { from: start, to: Math.max(start, change.map(to, "before")) };
		});
		return new Origin(this.uri, this.before, places);
	}

	/** Whether a change of a document leads back to the text before the edit. `text` is the document's text before it. */
	isUndoneBy(uri: string, change: Change, text: Text): boolean {
		if (!sameUri(uri, this.uri) || change.lengthAfter !== this.before.length) return false;
		return change.apply(text).equals(this.before);
	}

	/**
	 * Whether edits of a document change a word that the user wrote: the name `tota` that becomes `total`. Text beside a
	 * word, such as a line break, leaves it as it is.
	 */
	isRewrittenBy(uri: string, edits: readonly Edit[], text: Text): boolean {
		if (!sameUri(uri, this.uri)) return false;
		return edits.some((edit) => this.places.some((place) => rewrites(edit, place, text)));
	}
}

interface Place {
	readonly from: number;
	readonly to: number;
}

function rewrites(edit: Edit, { from, to }: Place, text: Text): boolean {
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
function wholeWords({ from, to }: Place, text: Text): Place {
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
