import { getIndentation, IndentContext, indentString, indentUnit, syntaxTree } from "@codemirror/language";
import {
	countColumn,
	EditorSelection,
	type EditorState,
	type Extension,
	type Line,
	type StateCommand,
	StateField,
	Text,
} from "@codemirror/state";

/** Detects the indentation unit that a file's lines use, and keeps it up to date as lines are added. */
export function indentation(path: string): Extension {
	return StateField.define<string>({
		create: ({ doc }) => indentationOf(doc, path),
		update: (unit, { newDoc, startState }) => {
			return newDoc.lines === startState.doc.lines ? unit : indentationOf(newDoc, path);
		},
		provide: (field) => indentUnit.from(field),
	});
}

/**
 * Starts a new line with the white space of the current line, plus one level after an opening bracket or colon, or
 * minus one level where the language ends a block. Unlike CodeMirror's command, it never converts between spaces and
 * tabs, and it keeps the indentation of comments and blank lines.
 */
export const insertNewline: StateCommand = ({ state, dispatch }) => {
	if (state.readOnly) return false;
	const changes = state.changeByRange(({ from, to }) => {
		const line = state.doc.lineAt(from);
		const before = line.text.slice(0, from - line.from);
		const isBetweenBrackets = from === to && BRACKETS.test(state.sliceDoc(from - 1, from + 1));
		const indent = indentAfter(state, from, line, isBetweenBrackets);
		// Remove white space around the break. It would be left at the end of this line, or indent the next line too
		// far.
		const isIndent = before.trim() === "";
		const start = isIndent ? line.from : from - (before.length - before.trimEnd().length);
		const after = state.sliceDoc(to, state.doc.lineAt(to).to);
		const end = isIndent ? to : to + (after.length - after.trimStart().length);
		const lines = isBetweenBrackets ? ["", indent, whiteSpaceOf(line.text)] : ["", indent];
		return {
			changes: { from: start, to: end, insert: Text.of(lines) },
			range: EditorSelection.cursor(start + 1 + indent.length),
		};
	});
	dispatch(state.update(changes, { scrollIntoView: true, userEvent: "input" }));
	return true;
};

const BRACKETS = /\(\)|\[\]|\{\}/;

function indentAfter(state: EditorState, at: number, line: Line, isBetweenBrackets: boolean): string {
	const kept = whiteSpaceOf(line.text).slice(0, at - line.from);
	if (!isCode(state, line, at)) return kept;
	const context = new IndentContext(state, { simulateBreak: at, simulateDoubleBreak: isBetweenBrackets });
	const columns = getIndentation(context, at);
	const present = countColumn(kept, state.tabSize);
	if (columns === null || columns === present) return kept;
	return columns > present ? kept + state.facet(indentUnit) : indentString(state, columns);
}

/** Whether there is code before the position, not only white space or a comment. */
function isCode(state: EditorState, line: Line, at: number): boolean {
	const first = line.from + whiteSpaceOf(line.text).length;
	if (first >= at) return false;
	return syntaxTree(state).resolveInner(first, 1).name !== "comment";
}

function whiteSpaceOf(text: string): string {
	return /^[\t ]*/.exec(text)?.[0] ?? "";
}

// Enough lines to recognize the indentation of a file of any length.
const LINES_MAX = 1000;

/**
 * Returns one level of indentation in a file: a tab, or the number of spaces that a line most often adds to the
 * previous one.
 */
export function indentationOf(doc: Text, path: string): string {
	const counts = new Map<string, number>();
	let before = 0;
	for (let number = 1; number <= Math.min(doc.lines, LINES_MAX); number++) {
		const { text } = doc.line(number);
		const blank = whiteSpaceOf(text);
		if (blank.length === text.length) continue;
		const width = blank.startsWith("\t") ? 0 : blank.length;
		const unit = blank.startsWith("\t") ? "\t" : width > before + 1 ? " ".repeat(width - before) : undefined;
		if (unit !== undefined) counts.set(unit, (counts.get(unit) ?? 0) + 1);
		before = width;
	}
	const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
	return most?.[0] ?? (/\.(?:py|rs)$/.test(path) ? "    " : "\t");
}
