import type { Extension } from "@codemirror/state";
import { type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { DisplayedSuggestion } from "@segue/editor";
import { fileNameOf } from "@segue/text";
import { acceptKeyIn, optionsIn } from "./accept-badge.js";
import { shownIn } from "./suggestion-drawing.js";
import { viewportOf } from "./viewport.js";

/**
 * A button at the edge of the editor for a suggestion that is not visible or is in another file. Tab or a click goes
 * there.
 */
export const suggestionChip: Extension = ViewPlugin.define((view) => new SuggestionChip(view), {
	eventObservers: {
		scroll(_event, view) {
			this.measure(view);
		},
	},
});

class SuggestionChip {
	private button: HTMLElement | undefined;

	constructor(view: EditorView) {
		this.measure(view);
	}

	update({ view, startState, state, docChanged, geometryChanged, viewportChanged }: ViewUpdate): void {
		const isNew = shownIn(startState) !== shownIn(state);
		if (isNew || docChanged || geometryChanged || viewportChanged) this.measure(view);
	}

	destroy(): void {
		this.draw(undefined);
	}

	/** Draws the button after the editor has been laid out, because its direction depends on the layout. */
	measure(view: EditorView): void {
		if (this.button === undefined && shownIn(view.state) === undefined) return;
		view.requestMeasure({
			key: this,
			read: () => {
				const shown = shownIn(view.state);
				const arrow = shown && arrowTo(shown, view);
				return shown && arrow !== undefined ? buttonFor(shown, arrow, view) : undefined;
			},
			write: (button) => {
				if (button?.outerHTML !== this.button?.outerHTML) this.draw(button, view);
			},
		});
	}

	private draw(button: HTMLElement | undefined, view?: EditorView): void {
		this.button?.parentElement?.remove();
		this.button = button;
		if (button === undefined) return;
		// Without a height, so that the chip covers text, and sticks to the visible edge of an editor that is taller than
		// the window.
		const edge = document.createElement("div");
		edge.className = "segue-edge";
		edge.append(button);
		if (button.classList.contains("segue-chip-above")) view?.dom.prepend(edge);
		else view?.dom.append(edge);
	}
}

type Arrow = "↑" | "↓" | "←" | "→" | "";

/**
 * Returns the direction from the visible text to a suggestion; undefined for a suggestion that is drawn in the text.
 */
function arrowTo(shown: DisplayedSuggestion, view: EditorView): Arrow | undefined {
	// A search and replace can affect many places, so its preview is shown first.
	if (shown.kind === "searchAndReplace") return "";
	if (shown.as !== "chip") return undefined;
	const { state } = view;
	if (shown.uri !== optionsIn(state).uri) return "→";
	const { visible, hidden } = viewportOf(view);
	const { place } = shown;
	if (place < visible.from) return "↑";
	const part = hidden.find(({ from, to }) => from <= place && place <= to);
	if (part !== undefined) return part.from === state.doc.lineAt(part.from).from ? "←" : "→";
	return shown.kind === "jump" && place <= visible.to ? undefined : "↓";
}

function buttonFor(shown: DisplayedSuggestion, arrow: Arrow, view: EditorView): HTMLElement {
	const button = document.createElement("button");
	button.type = "button";
	button.className = `segue-chip ${arrow === "↑" ? "segue-chip-above" : "segue-chip-below"}`;
	button.dataset["testid"] = "chip";
	button.append(acceptKeyIn(view.state), ` ${arrow} `);
	if (shown.uri !== optionsIn(view.state).uri) {
		const file = document.createElement("strong");
		file.textContent = fileNameOf(shown.uri);
		button.append(file, " · ");
	}
	button.append(...withCode(labelOf(shown)));
	button.addEventListener("click", () => optionsIn(view.state).accept());
	return button;
}

function labelOf(shown: DisplayedSuggestion): string {
	switch (shown.kind) {
		case "edit":
			return shown.why ?? "Go to the edit";
		case "jump":
			return shown.why ?? "Jump there";
		case "rename":
			return `Rename to \`${shown.newName}\``;
		case "searchAndReplace":
			return `Replace \`${shown.search}\` with \`${shown.replace}\`: review`;
	}
}

/** Converts words between backticks to code. */
function withCode(text: string): (Node | string)[] {
	return text.split("`").map((part, i) => {
		if (i % 2 === 0) return part;
		const code = document.createElement("code");
		code.textContent = part;
		return code;
	});
}
