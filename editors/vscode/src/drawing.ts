import type { DisplayedSuggestion } from "@segue/editor";
import { Change, type Edit, Text } from "@segue/text";
import type * as vscode from "vscode";

/** The drawing of a suggestion in one editor. Positions refer to the document's current text. */
export interface SuggestionDrawing {
	/** Text that the suggestion removes, as offsets. */
	readonly removed: readonly { readonly from: number; readonly to: number }[];
	/** New text inside a line, after an offset. */
	readonly added: readonly { readonly at: number; readonly text: string }[];
	/** Ghost text on the cursor's line, where the editor does not show it itself. */
	readonly ghost: { readonly at: number; readonly text: string } | undefined;
	/** The lines of a box, each drawn after the end of a line of the document. */
	readonly box: readonly BoxLine[];
	readonly arrow: { readonly line: number; readonly points: "here" | "up" | "down" } | undefined;
	/** A label after the end of a line that names the key. */
	readonly hint: { readonly line: number; readonly text: string } | undefined;
}

interface BoxLine {
	readonly line: number;
	/** Columns between the end of the line and the box. */
	readonly gap: number;
	/** All lines of a box have the same number of columns. */
	readonly text: string;
	readonly isNew: boolean;
}

/** The editor that shows a suggestion. */
export interface DrawingEditor {
	readonly document: Pick<vscode.TextDocument, "getText" | "lineCount">;
	/** Whether the suggestion is for this document. */
	readonly isTarget: boolean;
	readonly cursorLine: number;
	readonly tabSize: number;
	/** The visible lines, without folded ones and those that sticky scroll may cover. */
	readonly visible: readonly { readonly first: number; readonly last: number }[];
	/** Whether VS Code draws ghost text from `GhostText`. */
	readonly drawsGhosts: boolean;
	/** A short name of the suggestion's file or cell. */
	readonly fileName: string;
}

export const NOTHING_DRAWN: SuggestionDrawing = {
	removed: [],
	added: [],
	ghost: undefined,
	box: [],
	arrow: undefined,
	hint: undefined,
};

/** Returns what to draw for a suggestion. */
export function drawSuggestion(shown: DisplayedSuggestion, editor: DrawingEditor): SuggestionDrawing {
	if (!editor.isTarget) {
		// The suggestion is in another file, so the label goes where the user looks.
		const line = nearestVisible(editor, editor.cursorLine);
		return { ...NOTHING_DRAWN, hint: { line, text: `Tab → ${editor.fileName}` } };
	}
	const text = Text.of(editor.document.getText());
	const line = text.lineAt(clamp(shown.place, text));
	if (shown.as === "chip") return drawPointer(shown, line, editor);
	if (shown.kind === "jump" || shown.kind === "searchAndReplace") return NOTHING_DRAWN;
	if (shown.kind === "rename") {
		return {
			...NOTHING_DRAWN,
			arrow: { line, points: "here" },
			hint: { line, text: `Tab: rename to ${shown.newName}` },
		};
	}
	if (shown.as === "ghost") {
		const [edit] = shown.edits;
		if (editor.drawsGhosts || edit === undefined) return NOTHING_DRAWN;
		if (!edit.insert.includes("\n")) {
			return { ...NOTHING_DRAWN, ghost: { at: edit.to, text: edit.insert } };
		}
	}
	return drawEdits(shown.edits, text, editor);
}

/** Draws an arrow and a label where the user can see them, for a suggestion that is partly out of view. */
function drawPointer(shown: DisplayedSuggestion, line: number, editor: DrawingEditor): SuggestionDrawing {
	const at = nearestVisible(editor, line);
	const label = shown.kind === "jump" ? "Tab: go here" : "Tab: show";
	if (at === line) return { ...NOTHING_DRAWN, arrow: { line, points: "here" }, hint: { line, text: label } };
	const isBelow = at < line;
	return {
		...NOTHING_DRAWN,
		arrow: { line: at, points: isBelow ? "down" : "up" },
		hint: { line: at, text: `Tab ${isBelow ? "↓" : "↑"} line ${line + 1}` },
	};
}

function drawEdits(edits: readonly Edit[], text: Text, editor: DrawingEditor): SuggestionDrawing {
	const first = text.lineAt(edits[0]?.from ?? 0);
	const removed = edits.filter(({ from, to }) => from < to).map(({ from, to }) => ({ from, to }));
	const added = edits.filter(({ insert }) => insert !== "").map(({ to, insert }) => ({ at: to, text: insert }));
	const isInLines = edits.every(({ from, to, insert }) => {
		return !/[\r\n]/.test(insert) && (insert === "" || text.lineAt(from) === text.lineAt(to));
	});
	const drawing = { ...NOTHING_DRAWN, removed, arrow: { line: first, points: "here" as const } };
	if (isInLines) return { ...drawing, added, hint: { line: text.lineAt(edits.at(-1)?.to ?? 0), text: "Tab" } };
	const box = boxBeside(edits, text, editor.tabSize);
	const last = box.at(-1);
	return { ...drawing, box, hint: last && { line: last.line, text: "Tab" } };
}

/**
 * Returns the lines that the edits touch, as they will be, in a column to the right of the code. VS Code draws text only
 * at the end of a line, so a box with more lines than the rest of the document starts further up, and one with more
 * lines than the document is cut off.
 */
export function boxBeside(edits: readonly Edit[], text: Text, tabSize: number): readonly BoxLine[] {
	const lines = dedentLines(linesAfter(edits, text), tabSize);
	const count = text.lineCount;
	const height = Math.min(lines.length, count);
	const first = Math.max(0, Math.min(text.lineAt(edits[0]?.from ?? 0), count - height));
	const widths = Array.from({ length: height }, (_, i) => columnsIn(text.line(first + i), tabSize));
	const left = Math.max(...widths) + GAP;
	const shown = lines.slice(0, height);
	if (lines.length > height) shown[height - 1] = { text: `… ${lines.length - height + 1} more lines`, isNew: false };
	const width = Math.max(...shown.map((line) => columnsIn(line.text, tabSize)));
	return shown.map((line, i) => ({
		line: first + i,
		gap: left - (widths[i] ?? 0),
		text: ` ${line.text}${" ".repeat(width - columnsIn(line.text, tabSize))} `,
		isNew: line.isNew,
	}));
}

// Separates the box from the code.
const GAP = 3;

interface NewLine {
	readonly text: string;
	readonly isNew: boolean;
}

/** Returns the touched lines after the edits. A line is new if it contains inserted text. */
function linesAfter(edits: readonly Edit[], text: Text): readonly NewLine[] {
	const first = text.lineStart(text.lineAt(edits[0]?.from ?? 0));
	const last = text.lineEnd(text.lineAt(edits.at(-1)?.to ?? 0));
	const change = Change.of(edits, text.length);
	const after = change.apply(text);
	const spans = edits.map(({ from, insert }) => {
		const start = change.map(from, "before");
		return { start, end: start + insert.length };
	});
	const from = after.lineAt(change.map(first, "before"));
	const to = after.lineAt(change.map(last, "after"));
	const lines = Array.from({ length: to - from + 1 }, (_, i) => {
		const [start, end] = [after.lineStart(from + i), after.lineEnd(from + i)];
		const isNew = spans.some((span) => span.start < end && start < span.end);
		return { text: after.line(from + i), isNew };
	});
	// Lines that stay as they are need not be repeated at either end.
	const isKept = ({ isNew, text }: NewLine) => !isNew && text.trim() === "";
	while (lines.length > 1 && isKept(lines.at(-1) as NewLine)) lines.pop();
	while (lines.length > 1 && isKept(lines[0] as NewLine)) lines.shift();
	return lines;
}

/** Expands tabs and removes the shared indentation, to save room. */
function dedentLines(lines: readonly NewLine[], tabSize: number): NewLine[] {
	const expanded = lines.map((line) => ({ ...line, text: expandTabs(line.text, tabSize) }));
	const used = expanded.filter(({ text }) => text.trim() !== "");
	const shared = used.length === 0 ? 0 : Math.min(...used.map(({ text }) => text.search(/\S/)));
	return expanded.map((line) => ({ ...line, text: line.text.slice(Math.min(shared, line.text.search(/\S|$/))) }));
}

function expandTabs(text: string, tabSize: number): string {
	let expanded = "";
	for (const character of text) {
		expanded += character === "\t" ? " ".repeat(tabSize - (columnsIn(expanded, tabSize) % tabSize)) : character;
	}
	return expanded;
}

/** Counts columns. Characters of East Asian scripts and emoji take two. */
export function columnsIn(text: string, tabSize: number): number {
	let columns = 0;
	for (const character of text) {
		if (character === "\t") columns += tabSize - (columns % tabSize);
		else if (!/\p{M}/u.test(character)) columns += WIDE.test(character) ? 2 : 1;
	}
	return columns;
}

const WIDE =
	/[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Returns the visible line that is nearest to a line. */
function nearestVisible({ visible, document }: DrawingEditor, line: number): number {
	if (visible.length === 0) return Math.min(line, document.lineCount - 1);
	const candidates = visible.map(({ first, last }) => Math.max(first, Math.min(line, last)));
	return candidates.reduce((best, one) => (Math.abs(one - line) < Math.abs(best - line) ? one : best));
}

function clamp(offset: number, text: Text): number {
	return Math.max(0, Math.min(offset, text.length));
}
