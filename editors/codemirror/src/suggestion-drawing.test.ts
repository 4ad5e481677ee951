import { Compartment, EditorSelection, EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { DisplayedSuggestion } from "@segue/editor";
import { expect, test } from "vitest";
import { shownIn, showSuggestion, suggestionDrawing } from "./suggestion-drawing.js";

const URI = "file:///a.ts";
const readOnly = new Compartment();

const RENAME: DisplayedSuggestion = {
	kind: "edit",
	id: "1",
	uri: URI,
	as: "diff",
	place: 4,
	cursor: 9,
	why: undefined,
	fileText: undefined,
	edits: [{ from: 4, to: 7, insert: "count" }],
};

function stateWith(shown: DisplayedSuggestion): EditorState {
	const extensions = [
		suggestionDrawing({ uri: URI, accept: () => {} }),
		EditorState.allowMultipleSelections.of(true),
		readOnly.of([]),
	];
	const state = EditorState.create({ doc: "log(cnt)\nlog(cnt)\n", extensions });
	return state.update({ effects: showSuggestion.of(shown) }).state;
}

/** Returns the ranges of all decorations, with "+" for a widget. */
function drawn(state: EditorState): string[] {
	const ranges: string[] = [];
	for (const decorations of state.facet(EditorView.decorations)) {
		if (typeof decorations === "function") continue;
		decorations.between(
			0,
			state.doc.length,
			(from, to) => void ranges.push(from === to ? `+${from}` : `${from}-${to}`),
		);
	}
	return ranges;
}

test("draws the removed text, the added text and the badge of an edit within a line", () => {
	expect(drawn(stateWith(RENAME))).toEqual(["4-7", "+7", "+8"]);
});

test("draws ghost text that starts at the cursor and continues below the line", () => {
	const edits = [{ from: 8, to: 8, insert: " // one\n// two" }];
	expect(drawn(stateWith({ ...RENAME, as: "ghost", place: 8, edits }))).toEqual(["+8", "+8", "+8"]);
});

test("draws a suggestion in another file only as a chip", () => {
	const state = stateWith({ ...RENAME, uri: "file:///b.ts", as: "chip" });
	expect(drawn(state)).toEqual([]);
	expect(shownIn(state)?.id).toBe("1");
});

test("moves the drawing with the text", () => {
	const moved = stateWith(RENAME).update({ changes: { from: 0, insert: "// a\n" } }).state;
	expect(drawn(moved)).toEqual(["9-12", "+12", "+13"]);
});

test("draws nothing while several cursors are active, and draws the suggestion again afterwards", () => {
	const ranges = [EditorSelection.cursor(0), EditorSelection.cursor(9)];
	const several = stateWith(RENAME).update({ selection: EditorSelection.create(ranges) }).state;
	expect([drawn(several), shownIn(several)]).toEqual([[], undefined]);
	expect(drawn(several.update({ selection: { anchor: 0 } }).state)).toHaveLength(3);
});

test("draws nothing once the view is read-only", () => {
	const effects = readOnly.reconfigure(EditorState.readOnly.of(true));
	expect(drawn(stateWith(RENAME).update({ effects }).state)).toEqual([]);
});
