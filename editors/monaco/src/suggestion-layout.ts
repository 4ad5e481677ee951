import type { DisplayedSuggestion, DocumentView, LineSource } from "@segue/editor";
import { type Edit, fileNameOf, sameUri } from "@segue/text";

/** How to draw a suggestion in an editor. Offsets refer to the editor's text. */
export type SuggestionLayout =
	/** New text at the cursor, drawn by Monaco itself. */
	| { readonly kind: "ghost"; readonly at: number; readonly text: string }
	/** Removed text in red and new text in green, inside the lines. */
	| {
			readonly kind: "inline";
			readonly at: number;
			readonly removed: readonly Span[];
			readonly added: readonly Added[];
	  }
	/** Removed text in red, and the lines as they will be in a box beside or below them. */
	| {
			readonly kind: "box";
			readonly at: number;
			/** The end of the last line that the edits touch. */
			readonly to: number;
			readonly removed: readonly Span[];
			readonly parts: readonly BoxPart[];
	  }
	/** A mark where the cursor will go. */
	| { readonly kind: "target"; readonly at: number }
	/** A button at the edge of the editor, for a suggestion that is not visible. */
	| {
			readonly kind: "chip";
			readonly arrow: "↑" | "↓" | "←" | "→";
			/** The name of the other file, if any. */
			readonly file: string | undefined;
			readonly label: string;
	  };

interface Span {
	readonly from: number;
	readonly to: number;
}

interface Added {
	readonly at: number;
	readonly text: string;
}

/** A piece of the text after the edits, with `\n` as its line ends. */
export interface BoxPart {
	readonly text: string;
	readonly isNew: boolean;
}

/** Returns the drawing of a suggestion in the editor of a document. Undefined for a kind that plugins cannot show yet. */
export function layoutOf(
	shown: DisplayedSuggestion,
	uri: string,
	text: LineSource,
	view: DocumentView,
): SuggestionLayout | undefined {
	if (shown.kind !== "edit" && shown.kind !== "jump") return undefined;
	const isHere = sameUri(shown.uri, uri);
	if (shown.kind === "jump" && isHere && arrowTo(shown.place, view, text) === undefined) {
		return { kind: "target", at: shown.place };
	}
	if (shown.as === "chip") {
		const arrow = isHere ? (arrowTo(shown.place, view, text) ?? "↓") : "→";
		const file = isHere ? undefined : fileNameOf(shown.uri);
		return { kind: "chip", arrow, file, label: shown.why ?? (shown.kind === "jump" ? "Jump there" : "Go to the edit") };
	}
	if (shown.kind === "jump" || !isHere) return undefined;
	const [first] = shown.edits;
	if (first === undefined) return undefined;
	if (shown.as === "ghost") {
		// Monaco draws further lines only after the end of a line.
		const isDrawable = !/[\r\n]/.test(first.insert) || text.lineAt(first.to).to === first.to;
		if (isDrawable) return { kind: "ghost", at: first.to, text: first.insert };
	}
	return diffOf(shown.edits, text);
}

/** Returns the direction from the visible text to an offset. Undefined if the offset is visible. */
function arrowTo(
	at: number,
	{ visible, hidden = [] }: DocumentView,
	text: LineSource,
): "↑" | "↓" | "←" | "→" | undefined {
	if (visible !== undefined && at < visible.from) return "↑";
	if (visible !== undefined && at > visible.to) return "↓";
	const part = hidden.find(({ from, to }) => from <= at && at <= to);
	if (part === undefined) return undefined;
	const line = text.lineAt(part.from);
	if (part.to > line.to) return "↓"; // folded lines
	return part.from === line.from ? "←" : "→";
}

function diffOf(edits: readonly Edit[], text: LineSource): SuggestionLayout {
	const at = edits[0]?.from ?? 0;
	const removed = edits.filter(({ from, to }) => from < to).map(({ from, to }) => ({ from, to }));
	const added = edits.filter(({ insert }) => insert !== "");
	const isInLines = added.every(({ from, to, insert }) => !/[\r\n]/.test(insert) && text.lineAt(from).to >= to);
	if (isInLines) {
		return { kind: "inline", at, removed, added: added.map(({ to, insert }) => ({ at: to, text: insert })) };
	}
	const last = text.lineAt(edits.at(-1)?.to ?? at);
	const parts: BoxPart[] = [];
	const push = (piece: string, isNew: boolean) => {
		if (piece !== "") parts.push({ text: piece.replace(/\r\n?/g, "\n"), isNew });
	};
	let done = text.lineAt(at).from;
	for (const { from, to, insert } of edits) {
		push(text.slice(done, from), false);
		push(insert, true);
		done = to;
	}
	push(text.slice(done, last.to), false);
	return { kind: "box", at, to: last.to, removed, parts: withoutLastBreak(parts) };
}

/** Removes an empty last line, which would only add height to the box. */
function withoutLastBreak(parts: readonly BoxPart[]): readonly BoxPart[] {
	return parts.map((part, i) => (i < parts.length - 1 ? part : { ...part, text: part.text.replace(/\n$/, "") }));
}

/** Removes the unchanged lines before inserted ones, for a box below them. */
export function withoutLinesAbove(parts: readonly BoxPart[]): readonly BoxPart[] {
	const [above, inserted, ...others] = parts;
	if (above?.isNew !== false || inserted?.isNew !== true || !inserted.text.startsWith("\n")) return parts;
	return [{ text: inserted.text.slice(1), isNew: true }, ...others];
}

/** Removes the indentation that all lines share, for a box beside the code. */
export function withoutIndentation(parts: readonly BoxPart[]): readonly BoxPart[] {
	const used = linesOf(parts).filter((line) => line.trim() !== "");
	const shared = Math.min(...used.map((line) => line.search(/\S/)));
	if (used.length === 0 || shared === 0) return parts;
	// A part may start inside a line, so count the characters left to remove across parts.
	let left = shared;
	return parts.map(({ text, isNew }) => {
		const kept = Array.from(text, (character) => {
			if (character === "\n") left = shared;
			else if (left > 0) {
				left--;
				return "";
			}
			return character;
		});
		return { text: kept.join(""), isNew };
	});
}

/** Returns the size of a box in lines and columns, as Monaco draws them. */
export function sizeOf(parts: readonly BoxPart[], tabSize: number): { lines: number; columns: number } {
	const lines = linesOf(parts);
	return { lines: lines.length, columns: Math.max(...lines.map((line) => columnsOf(line, tabSize))) };
}

function linesOf(parts: readonly BoxPart[]): string[] {
	return parts
		.map(({ text }) => text)
		.join("")
		.split("\n");
}

/** Characters that editors draw in two columns: East Asian wide characters and emoji. */
const WIDE = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

function columnsOf(line: string, tabSize: number): number {
	let columns = 0;
	for (const character of line) {
		if (character === "\t") columns += tabSize - (columns % tabSize);
		else columns += WIDE.test(character) ? 2 : 1;
	}
	return columns;
}
