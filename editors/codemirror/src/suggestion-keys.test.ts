import { EditorState, Transaction } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";
import type { DisplayedSuggestion, Editor } from "@segue/editor";
import { FakeClock } from "@segue/testing/clock";
import { describe, expect, test } from "vitest";
import { changesOf } from "./changes.js";
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
	readonly clock = new FakeClock();
	shown: DisplayedSuggestion | undefined = SHOWN;
	state: EditorState;

	constructor(anchor: number, head = anchor) {
		const editor = {
			get current() {
				return keyboard.shown;
			},
			tab: async () => this.calls.push("tab"),
		} as unknown as Editor;
		const keyboard = this;
		this.state = EditorState.create({
			doc: "\tone\n\ttwo\n",
			selection: { anchor, head },
			extensions: [
				suggestionKeys(() => editor, {}, { clock: this.clock }),
				suggestionDrawing({ uri: URI, accept: () => {} }),
			],
		});
	}

	/** Whether a binding of the plugin handles Tab. */
	tab(): boolean {
		const bindings = this.state.facet(keymap).flat();
		return bindings.some(({ key, run }) => key === "Tab" && run?.({ state: this.state } as EditorView));
	}

	/** Applies a suggestion, as the plugin does. */
	accept(): void {
		const time = Transaction.time.of(this.clock.now());
		this.state = this.state.update({ ...changesOf([{ from: 8, to: 9, insert: "c" }]), annotations: time }).state;
		this.shown = undefined;
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

	test("does nothing for 1.5 seconds after it accepted the last suggestion, unless the user moves the cursor", () => {
		const keyboard = new Keyboard(3);
		keyboard.accept();
		keyboard.clock.advance(1499);
		expect(keyboard.tab()).toBe(true);
		keyboard.clock.advance(1);
		expect(keyboard.tab()).toBe(false);
		keyboard.accept();
		keyboard.state = keyboard.state.update({ selection: { anchor: 0 }, userEvent: "select" }).state;
		expect([keyboard.tab(), keyboard.calls]).toEqual([false, []]);
	});
});
