import { EditorSelection, EditorState, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test } from "vitest";
import { changeCauseOf, changesOf, takesSuggestions, transactionEdits } from "./changes.js";

test.each(["\n", "\r\n"])("applies edits and reports the same ones, with the line separator %j", (separator) => {
	const doc = ["a", "b", "c"].join(separator);
	const state = EditorState.create({ doc, extensions: EditorState.lineSeparator.of(separator) });
	const edits = [
		{ from: 1, to: 1, insert: "\nx" },
		{ from: 4, to: 5, insert: "y\nz" },
	];
	const transaction = state.update(changesOf(edits));
	expect(transactionEdits(transaction)).toEqual(edits);
	expect(transaction.state.sliceDoc()).toBe(["a", "x", "b", "y", "z"].join(separator));
});

test.each([
	["input.type", "typing"],
	["delete.backward", "typing"],
	["input.suggestion", "typing"],
	["input.paste", "paste"],
	["undo", "undo"],
	["redo", "redo"],
	["reformat", "other"],
])("reports the cause of a transaction with the event %s as %s", (userEvent, cause) => {
	const transaction = EditorState.create().update({ changes: { from: 0, insert: Text.of(["a"]) }, userEvent });
	expect(changeCauseOf(transaction)).toBe(cause);
});

test("allows suggestions only in a writable view with one cursor", () => {
	const several = EditorSelection.create([EditorSelection.cursor(0), EditorSelection.cursor(1)]);
	const allowed = EditorState.allowMultipleSelections.of(true);
	expect(takesSuggestions(EditorState.create())).toBe(true);
	expect(takesSuggestions(EditorState.create({ extensions: EditorState.readOnly.of(true) }))).toBe(false);
	expect(takesSuggestions(EditorState.create({ extensions: EditorView.editable.of(false) }))).toBe(false);
	expect(takesSuggestions(EditorState.create({ doc: "ab", selection: several, extensions: allowed }))).toBe(false);
});
