import type * as acp from "@segue/protocol/acp";
import { Change, type Edit, offsetOf, type Position, positionAt, rebase, type Text } from "@segue/text";
import { lineEndOf, withLineEnds } from "./line-ends.js";

// A few thousand lines. It is carried over every keystroke while it is shown.
const WRITTEN_MAX = 2 ** 17;

/** What an agent suggests, read and found sound. Every place is an offset of the document as it is now. */
export type EditorSuggestion = {
	readonly id: string;
	readonly uri: string;
	/** A few words on how it came about, where the agent said some. */
	readonly why: string | undefined;
	/** The text of a file that is not open. It must still be this when the suggestion is taken. */
	readonly fileText: Text | undefined;
} & (
	| {
			readonly kind: "edit";
			/** In order, apart from each other, in the document's own line ends. */
			readonly edits: readonly Edit[];
			/** Where the cursor goes, in the text after the edits. */
			readonly cursor: number;
	  }
	| { readonly kind: "jump"; readonly at: number }
	| { readonly kind: "rename"; readonly at: number; readonly newName: string }
	| { readonly kind: "searchAndReplace"; readonly search: string; readonly replace: string; readonly isRegex: boolean }
);

/** Why a suggestion cannot be shown. */
export interface InvalidSuggestion {
	readonly invalid: string;
}

/** What was agreed on with the agent, as far as reading its suggestions needs it. */
export interface SuggestionTerms {
	readonly encoding: acp.PositionEncoding;
	/** What may be suggested besides edits. */
	readonly kinds: ReadonlySet<Exclude<acp.SuggestionKind, "edit">>;
}

/** The text that a suggestion is for: of a document as the agent knew it, or of a file that is not open. */
export interface SuggestionTarget {
	readonly text: Text;
	/** As the agent was told; undefined for a file. */
	readonly version: number | undefined;
}

/**
 * Reads a suggestion for a text. Its positions must be inside the text and split no character; its edits must not overlap,
 * end before they begin, or leave the text as it is. Otherwise editors would apply it differently.
 */
export function readSuggestion(
	said: acp.Suggestion,
	target: SuggestionTarget | undefined,
	{ encoding, kinds }: SuggestionTerms,
): EditorSuggestion | InvalidSuggestion {
	const { id, uri, kind } = said;
	if (kind !== "edit" && !kinds.has(kind)) return { invalid: `${kind} was not asked for` };
	const segue = (said._meta?.["segue"] ?? {}) as { why?: unknown; version?: unknown };
	const why = typeof segue.why === "string" ? segue.why : undefined;
	const fileText = target !== undefined && target.version === undefined ? target.text : undefined;
	const about = { id, uri, why, fileText };
	if (kind === "searchAndReplace") {
		const { search, replace, isRegex } = said;
		if (search === "") return { invalid: "it searches for nothing" };
		const wrong = isRegex ? wrongIn(search) : undefined;
		if (wrong !== undefined) return { invalid: wrong };
		return { ...about, kind, search, replace, isRegex: isRegex ?? false };
	}

	if (target === undefined) return { invalid: "its file cannot be read" };
	const { text, version } = target;
	if (typeof segue.version === "number" && version !== undefined && segue.version !== version) {
		return { invalid: `it is for version ${segue.version}, not ${version}` };
	}
	switch (kind) {
		case "jump": {
			const at = offsetInside(text, said.position, encoding);
			return typeof at === "number" ? { ...about, kind, at } : { invalid: `its position ${at.invalid}` };
		}
		case "rename": {
			if (said.newName.trim() === "") return { invalid: "the new name is empty" };
			const at = offsetInside(text, said.position, encoding);
			if (typeof at !== "number") return { invalid: `its position ${at.invalid}` };
			return { ...about, kind, at, newName: said.newName };
		}
		case "edit": {
			const read = readEdits(said.edits, text, encoding);
			if ("invalid" in read) return read;
			const after = read.apply(text);
			if (after.equals(text)) return { invalid: "it changes nothing" };
			const { cursorPosition } = said;
			// Where the cursor goes writes nothing, so a position outside is clamped.
			const cursor = cursorPosition ? offsetOf(after, cursorPosition, encoding) : endOf(read);
			return { ...about, kind, edits: read.edits, cursor };
		}
	}
}

/**
 * A suggestion after a change of its document. `contradicted`: the change writes something else in its place.
 * `invalidated`: the text that it replaces, or its line, is gone.
 */
type CarryResult =
	| {
			/** Undefined if the change completes the suggestion. */
			readonly suggestion: EditorSuggestion | undefined;
			/** The edits of the change that did not type it, in offsets of the text before. */
			readonly elsewhere: readonly Edit[];
	  }
	| "contradicted"
	| "invalidated";

/** Carries a suggestion over a change of the document it is for. `before` is the text before the change. */
export function carrySuggestion(suggestion: EditorSuggestion, change: Change, before: Text): CarryResult {
	switch (suggestion.kind) {
		case "edit": {
			const rebased = rebase(suggestion.edits, change, before);
			if (rebased.kind !== "rebased") return rebased.kind;
			const { edits, elsewhere } = rebased;
			if (edits.length === 0) return { suggestion: undefined, elsewhere };
			return { suggestion: { ...suggestion, edits, cursor: carryCursor(suggestion, elsewhere, before) }, elsewhere };
		}
		case "jump":
		case "rename": {
			const line = before.lineAt(suggestion.at);
			const from = before.lineStart(line);
			const to = before.lineEnd(line);
			if (change.edits.some((edit) => edit.from <= to && edit.to >= from)) return "invalidated";
			return { suggestion: { ...suggestion, at: change.map(suggestion.at, "after") }, elsewhere: change.edits };
		}
		case "searchAndReplace":
			return { suggestion, elsewhere: change.edits };
	}
}

/** Whether one suggestion says all that another says, and perhaps more. Both are for the same text. */
export function extendsOther(one: EditorSuggestion, other: EditorSuggestion, text: Text): boolean {
	if (one.kind === "edit" && other.kind === "edit") {
		const typed = Change.of(other.edits, text.length);
		const left = rebase(one.edits, typed, text);
		if (left.kind !== "rebased") return false;
		const after = typed.apply(text);
		const both = Change.of(left.edits, after.length).apply(after);
		return both.equals(Change.of(one.edits, text.length).apply(text));
	}
	return JSON.stringify(sayingOf(one)) === JSON.stringify(sayingOf(other));
}

function sayingOf(suggestion: EditorSuggestion) {
	return { ...suggestion, id: undefined, why: undefined, fileText: undefined };
}

function readEdits(
	said: Extract<acp.Suggestion, { kind: "edit" }>["edits"],
	text: Text,
	encoding: acp.PositionEncoding,
): Change | InvalidSuggestion {
	const lineEnd = lineEndOf(text);
	const edits: Edit[] = [];
	const written = said.reduce((sum, { newText }) => sum + newText.length, 0);
	if (written > WRITTEN_MAX) return { invalid: "it writes more than anybody would look over" };
	for (const { range, newText } of said) {
		const { start, end } = range;
		if (start.line > end.line || (start.line === end.line && start.character > end.character)) {
			return { invalid: "an edit ends before it begins" };
		}
		const from = offsetInside(text, start, encoding);
		if (typeof from !== "number") return { invalid: `an edit ${from.invalid}` };
		const to = offsetInside(text, end, encoding);
		if (typeof to !== "number") return { invalid: `an edit ${to.invalid}` };
		edits.push({ from, to, insert: withLineEnds(newText, lineEnd) });
	}
	try {
		// Those that touch are one edit.
		const apart = Change.of([], text.length).compose(Change.of(edits, text.length));
		return Change.of(
			apart.edits.map((edit) => withoutPrefix(edit, text)),
			text.length,
		);
	} catch {
		return { invalid: "its edits overlap" };
	}
}

/** What only adds to the end of what it replaces is an insertion: some agents rewrite the whole line to complete it. */
function withoutPrefix(edit: Edit, text: Text): Edit {
	const old = text.slice(edit.from, edit.to);
	return edit.insert.startsWith(old) ? { ...edit, from: edit.to, insert: edit.insert.slice(old.length) } : edit;
}

/**
 * The offset of a position that exists in the text. An agent that names another one has a different text in mind, so
 * clamping it, as LSP does, would write to a place that the agent did not mean.
 */
function offsetInside(text: Text, position: Position, encoding: acp.PositionEncoding): number | InvalidSuggestion {
	const offset = offsetOf(text, position, encoding);
	const { line, character } = positionAt(text, offset, encoding);
	if (line === position.line && character === position.character) return offset;
	const isOutside = line !== position.line || offset === text.lineEnd(line);
	return { invalid: isOutside ? "is outside the document" : "splits a character" };
}

function endOf(change: Change): number {
	const last = change.edits.at(-1);
	return last === undefined ? 0 : change.map(last.to, "after");
}

/** Where the cursor goes after a change that the suggestion survived: only what was changed elsewhere moves it. */
function carryCursor(
	{ edits, cursor }: { edits: readonly Edit[]; cursor: number },
	elsewhere: readonly Edit[],
	before: Text,
): number {
	const suggested = Change.of(edits, before.length);
	const moving = elsewhere.flatMap((typed) => suggested.mapEdit(typed, "after") ?? []);
	return Change.of(moving, suggested.lengthAfter).map(cursor, "after");
}

function wrongIn(pattern: string): string | undefined {
	try {
		new RegExp(pattern, "ugm");
		return undefined;
	} catch {
		return "its regular expression cannot be read";
	}
}
