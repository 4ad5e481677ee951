import { type EditorState, Text, type Transaction, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type ChangeCause, PAGE_TEXT_MAX } from "@segue/editor";
import type { Edit } from "@segue/text";

// CodeMirror counts every line break as one character, whatever the line separator of the file is. `Text.toString` uses
// the same offsets. Strings in changes are split at the configured line separator instead, so inserted text is converted
// to a `Text` first.

/** The user event of a transaction that applies a suggestion. The new text is highlighted briefly. */
export const SUGGESTION_EVENT = "input.suggestion";

/** Returns the transaction that applies a suggestion's edits in one undoable step. */
export function changesOf(edits: readonly Edit[]): TransactionSpec {
	const changes = edits.map(({ from, to, insert }) => ({ from, to, insert: Text.of(insert.split("\n")) }));
	return { changes, userEvent: SUGGESTION_EVENT };
}

/** Returns the edits of transactions that change the document. All offsets refer to the text before the change. */
export function transactionEdits({ changes }: Pick<Transaction, "changes">): Edit[] {
	const edits: Edit[] = [];
	changes.iterChanges((from, to, _fromAfter, _toAfter, inserted) => {
		edits.push({ from, to, insert: inserted.toString() });
	});
	return edits;
}

export function changeCauseOf(transaction: Transaction): ChangeCause {
	if (transaction.isUserEvent("input.paste")) return "paste";
	if (transaction.isUserEvent("undo")) return "undo";
	if (transaction.isUserEvent("redo")) return "redo";
	return transaction.isUserEvent("input") || transaction.isUserEvent("delete") ? "typing" : "other";
}

/** Returns why no suggestions can be shown in a view with this state; undefined if they can. */
export function whyNoSuggestions(state: EditorState): string | undefined {
	if (state.doc.length > PAGE_TEXT_MAX) return "too-large-file";
	if (isReadOnly(state)) return "read-only";
	return state.selection.ranges.length > 1 ? "several-cursors" : undefined;
}

export function takesSuggestions(state: EditorState): boolean {
	return whyNoSuggestions(state) === undefined;
}

/** Pages turn editing off with either facet. */
export function isReadOnly(state: EditorState): boolean {
	return state.readOnly || !state.facet(EditorView.editable);
}
