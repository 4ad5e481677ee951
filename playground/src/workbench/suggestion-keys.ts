import type { EditorState, Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import type { DisplayedSuggestion, Editor } from "@segue/editor";
import { suggestionField } from "./suggestion-drawing.js";

/**
 * Returns the key bindings for suggestions: Tab, Esc, the next word and line, and Alt+\. `editor` returns undefined
 * while there is no connection. Each key keeps its usual meaning when it does not apply to a suggestion.
 */
export function suggestionKeys(editor: () => Editor | undefined): Extension {
	const acceptPart = (part: "word" | "line") => () => {
		// These keys move the cursor, so they accept only text that starts at the cursor.
		if (editor()?.current?.as !== "ghost") return false;
		void editor()?.accept(part);
		return true;
	};
	return [
		keymap.of([
			{
				key: "Tab",
				run: ({ state }) => {
					const segue = editor();
					if (segue?.current === undefined || tabIndents(state, segue.current)) return false;
					void segue.tab();
					return true;
				},
			},
			{ key: "Escape", run: () => editor()?.reject() ?? false },
			{ key: "Mod-ArrowRight", run: acceptPart("word") },
			{ key: "Mod-ArrowDown", run: acceptPart("line") },
			{
				key: "Alt-\\",
				run: () => {
					void editor()?.suggest();
					return true;
				},
			},
		]),
		hidesBadges,
	];
}

/** Hides the badges while Tab would do something else. */
const hidesBadges = EditorView.editorAttributes.compute(["selection", suggestionField], (state) => {
	const { shown } = state.field(suggestionField);
	return shown !== undefined && tabIndents(state, shown) ? { class: "segue-tab-indents" } : {};
});

/** Whether Tab indents. It does so in the white space at the start of a line, unless the suggestion is on that line. */
function tabIndents(state: EditorState, shown: DisplayedSuggestion): boolean {
	const { head, empty } = state.selection.main;
	const line = state.doc.lineAt(head);
	if (!empty || line.text.slice(0, head - line.from).trim() !== "") return false;
	if (shown.as === "chip") return head > line.from;
	const at = shown.kind === "searchAndReplace" ? head : shown.place;
	return state.doc.lineAt(Math.min(at, state.doc.length)).number !== line.number && head > line.from;
}
