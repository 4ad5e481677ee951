import type * as acp from "@segue/protocol/acp";
import { Change, type Edit, offsetOf, type Position, positionAt, rebase, type Text } from "@segue/text";
import { lineEndOf, withLineEnds } from "./line-ends.js";

// A few thousand lines. Limits the work of rebasing a suggestion on every keystroke while it is shown.
const WRITTEN_MAX = 2 ** 17;

/** A validated suggestion from an agent. Positions are offsets in the current text of the document. */
export type EditorSuggestion = {
	readonly id: string;
	readonly uri: string;
	/** The agent's short explanation of the suggestion, if any. */
	readonly why: string | undefined;
	/** The text of a file that is not open. It must be unchanged when the suggestion is accepted. */
	readonly fileText: Text | undefined;
} & (
	| {
			readonly kind: "edit";
			/** Sorted and separate from each other, with the document's line endings. */
			readonly edits: readonly Edit[];
			/** The cursor's offset in the text after the edits. */
			readonly cursor: number;
	  }
	| { readonly kind: "jump"; readonly at: number }
	| { readonly kind: "rename"; readonly at: number; readonly newName: string }
	| { readonly kind: "searchAndReplace"; readonly search: string; readonly replace: string; readonly isRegex: boolean }
);

/** The reason why a suggestion cannot be shown. */
export interface InvalidSuggestion {
	readonly invalid: string;
}

/** The negotiated terms that apply to suggestions. */
export interface SuggestionTerms {
	readonly encoding: acp.PositionEncoding;
	/** The allowed kinds in addition to edits. */
	readonly kinds: ReadonlySet<Exclude<acp.SuggestionKind, "edit">>;
}

/** The text that a suggestion is for: a document as the agent last received it, or a file that is not open. */
export interface SuggestionTarget {
	readonly text: Text;
	/** The version sent to the agent; undefined for a file that is not open. */
	readonly version: number | undefined;
}

/**
 * Validates a suggestion and converts its positions. Positions must be inside the text and not split a character. Edits
 * must not overlap, end before they start, or leave the text unchanged. Without these rules, different editors would
 * apply the same suggestion differently.
 */
export function readSuggestion(
	raw: acp.Suggestion,
	target: SuggestionTarget | undefined,
	{ encoding, kinds }: SuggestionTerms,
): EditorSuggestion | InvalidSuggestion {
	const { id, uri, kind } = raw;
	if (kind !== "edit" && !kinds.has(kind)) return { invalid: `${kind} suggestions are not enabled` };
	const segue = (raw._meta?.["segue"] ?? {}) as { why?: unknown; version?: unknown };
	const why = typeof segue.why === "string" ? segue.why : undefined;
	const fileText = target !== undefined && target.version === undefined ? target.text : undefined;
	const about = { id, uri, why, fileText };
	if (kind === "searchAndReplace") {
		const { search, replace, isRegex } = raw;
		if (search === "") return { invalid: "its search text is empty" };
		const error = isRegex ? patternError(search) : undefined;
		if (error !== undefined) return { invalid: error };
		return { ...about, kind, search, replace, isRegex: isRegex ?? false };
	}

	if (target === undefined) return { invalid: "its file cannot be read" };
	const { text, version } = target;
	if (typeof segue.version === "number" && version !== undefined && segue.version !== version) {
		return { invalid: `it is for version ${segue.version}, not ${version}` };
	}
	switch (kind) {
		case "jump": {
			const at = offsetInside(text, raw.position, encoding);
			return typeof at === "number" ? { ...about, kind, at } : { invalid: `its position ${at.invalid}` };
		}
		case "rename": {
			if (raw.newName.trim() === "") return { invalid: "the new name is empty" };
			const at = offsetInside(text, raw.position, encoding);
			if (typeof at !== "number") return { invalid: `its position ${at.invalid}` };
			return { ...about, kind, at, newName: raw.newName };
		}
		case "edit": {
			const read = readEdits(raw.edits, text, encoding);
			if ("invalid" in read) return read;
			const after = read.apply(text);
			if (after.equals(text)) return { invalid: "it changes nothing" };
			const { cursorPosition } = raw;
			// The cursor position does not change the text, so clamping it is safe.
			const cursor = cursorPosition ? offsetOf(after, cursorPosition, encoding) : endOf(read);
			return { ...about, kind, edits: read.edits, cursor };
		}
	}
}

/**
 * A suggestion after a change to its document. `contradicted`: the change wrote something else in its place.
 * `invalidated`: the text it replaces, or its line, is gone.
 */
type CarryResult =
	| {
			/** Undefined if the change completes the suggestion. */
			readonly suggestion: EditorSuggestion | undefined;
			/** The edits in the change that did not type the suggestion, with offsets in the text before the change. */
			readonly elsewhere: readonly Edit[];
	  }
	| "contradicted"
	| "invalidated";

/** Rebases a suggestion over a change to its document. `before` is the text before the change. */
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

/** Whether one suggestion includes everything that another one suggests. Both must be for the same text. */
export function extendsOther(one: EditorSuggestion, other: EditorSuggestion, text: Text): boolean {
	if (one.kind === "edit" && other.kind === "edit") {
		const typed = Change.of(other.edits, text.length);
		const left = rebase(one.edits, typed, text);
		if (left.kind !== "rebased") return false;
		const after = typed.apply(text);
		const both = Change.of(left.edits, after.length).apply(after);
		return both.equals(Change.of(one.edits, text.length).apply(text));
	}
	return JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
}

function contentOf(suggestion: EditorSuggestion) {
	return { ...suggestion, id: undefined, why: undefined, fileText: undefined };
}

function readEdits(
	raw: Extract<acp.Suggestion, { kind: "edit" }>["edits"],
	text: Text,
	encoding: acp.PositionEncoding,
): Change | InvalidSuggestion {
	const lineEnd = lineEndOf(text);
	const edits: Edit[] = [];
	const written = raw.reduce((sum, { newText }) => sum + newText.length, 0);
	if (written > WRITTEN_MAX) return { invalid: `it inserts more than ${WRITTEN_MAX} characters` };
	for (const { range, newText } of raw) {
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
		// Merge edits that touch.
		const apart = Change.of([], text.length).compose(Change.of(edits, text.length));
		return Change.of(
			apart.edits.map((edit) => withoutPrefix(edit, text)),
			text.length,
		);
	} catch {
		return { invalid: "its edits overlap" };
	}
}

/**
 * Turns an edit that only appends to the replaced text into an insertion. Some agents rewrite the whole line to
 * complete it.
 */
function withoutPrefix(edit: Edit, text: Text): Edit {
	const old = text.slice(edit.from, edit.to);
	return edit.insert.startsWith(old) ? { ...edit, from: edit.to, insert: edit.insert.slice(old.length) } : edit;
}

/**
 * Returns the offset of a position inside the text. If an agent sends a position outside the text, its copy of the text
 * is different. Clamping the position, as LSP does, would edit the wrong code.
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

/** Returns the cursor after a change that leaves the suggestion valid. Only edits elsewhere move it. */
function carryCursor(
	{ edits, cursor }: { edits: readonly Edit[]; cursor: number },
	elsewhere: readonly Edit[],
	before: Text,
): number {
	const suggested = Change.of(edits, before.length);
	const moving = elsewhere.flatMap((typed) => suggested.mapEdit(typed, "after") ?? []);
	return Change.of(moving, suggested.lengthAfter).map(cursor, "after");
}

function patternError(pattern: string): string | undefined {
	try {
		new RegExp(pattern, "ugm");
		return undefined;
	} catch {
		return "its regular expression is invalid";
	}
}
