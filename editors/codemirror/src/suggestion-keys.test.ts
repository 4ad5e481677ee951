import { EditorState } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";
import type { DisplayedSuggestion, Editor } from "@segue/editor";
import { describe, expect, test } from "vitest";
import { suggestionDrawing } from "./suggestion-drawing.js";
import { suggestionKeys } from "./suggestion-keys.js";

const URI = "file:///project/a.ts";
const SHOWN = {
	...{ kind: "edit", id: "1", uri: URI, as: "diff", place: 8 },
	edits: [{ from: 8, to: 9, insert: "c" }],
} as unknown as DisplayedSuggestion;

/** A view with the keys. It records the calls of the editor library. */
class Keyboard {
	readonly calls: string[] = [];
	readonly state: EditorState;
	shown: DisplayedSuggestion | undefined = SHOWN;
	ignoresTab = false;

	constructor(anchor: number, head = anchor) {
		const editor = {
			get current() {
				return keyboard.shown;
			},
			get ignoresTab() {
				return keyboard.ignoresTab;
			},
			tab: async () => this.calls.push("tab"),
		} as unknown as Editor;
		const keyboard = this;
		this.state = EditorState.create({
			doc: "\tone\n\ttwo\n",
			selection: { anchor, head },
			extensions: [suggestionKeys(() => editor), suggestionDrawing({ uri: URI, accept: () => {} })],
		});
	}

	/** Whether a binding of the plugin handles Tab. */
	tab(): boolean {
		const bindings = this.state.facet(keymap).flat();
		return bindings.some(({ key, run }) => key === "Tab" && run?.({ state: this.state } as EditorView));
	}
}

describe("Tab", () => {
	test.each([
		[true, "accepts a suggestion after the code of another line", 3, 3],
		[true, "accepts a suggestion in the white space of its line", 6, 6],
		[false, "indents in the white space of another line", 1, 1],
		[false, "indents the selected lines", 7, 8],
	] as const)("%s: %s", (isHandled, _title, anchor, head) => {
		const keyboard = new Keyboard(anchor, head);
		expect(keyboard.tab()).toBe(isHandled);
		expect(keyboard.calls).toEqual(isHandled ? ["tab"] : []);
	});

	test("does not indent right after the last suggestion was accepted, and tells the editor library", () => {
		const keyboard = new Keyboard(3);
		keyboard.shown = undefined;
		keyboard.ignoresTab = true;
		expect(keyboard.tab()).toBe(true);
		keyboard.ignoresTab = false;
		expect([keyboard.tab(), keyboard.calls]).toEqual([false, ["tab"]]);
	});
});
