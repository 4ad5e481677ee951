import type { EditorState, Extension } from "@codemirror/state";
import { EditorView, type KeyBinding, keymap, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { type DisplayedSuggestion, type Editor, tabIndents } from "@segue/editor";
import { SUGGESTION_EVENT, takesSuggestions } from "./changes.js";
import { optionsIn, shownIn, suggestionField, WHEN_VISIBLE } from "./suggestion-drawing.js";

/** The keys for suggestions, in CodeMirror's notation. An empty string turns a key off. */
export interface SuggestionKeys {
	/** Accepts the suggestion, or goes to it if it is not visible. Default: `Tab`. */
	readonly accept?: string;
	/** Default: `Escape`. */
	readonly dismiss?: string;
	/** Accepts the next word of ghost text. Default: `Mod-ArrowRight`. */
	readonly acceptWord?: string;
	/** Accepts the next line of ghost text. Default: `Mod-ArrowDown`. */
	readonly acceptLine?: string;
	/** Requests a suggestion. Default: `Alt-\\`. */
	readonly request?: string;
}

const TAB = "Tab";

// While users accept one suggestion after another, they press Tab once too often. That key press must not indent.
const SURPLUS_MS = 1500;

/**
 * Returns the key bindings for suggestions. `editor` returns undefined while there is no connection. Each key keeps its
 * usual meaning when it does not apply to a suggestion.
 */
export function suggestionKeys(editor: () => Editor | undefined, keys: SuggestionKeys = {}): Extension {
	const acceptPart = (part: "word" | "line") => (view: EditorView) => {
		// These keys move the cursor, so they accept only text that starts at the cursor.
		if (editor()?.current?.as !== "ghost" || !takesSuggestions(view.state)) return false;
		void editor()?.accept(part);
		return true;
	};
	const bindings: (KeyBinding & { readonly key: string })[] = [
		{
			key: keys.accept ?? TAB,
			run: (view) => {
				const { state } = view;
				const segue = editor();
				if (segue?.current === undefined) return view.plugin(lastAccept)?.isRecent() ?? false;
				if (!takesSuggestions(state) || indents(state, segue.current)) return false;
				void segue.tab();
				return true;
			},
		},
		{
			key: keys.dismiss ?? "Escape",
			// Nothing is shown while several cursors are active, and Esc removes all but one.
			run: ({ state }) => takesSuggestions(state) && (editor()?.reject() ?? false),
		},
		{ key: keys.acceptWord ?? "Mod-ArrowRight", run: acceptPart("word") },
		{ key: keys.acceptLine ?? "Mod-ArrowDown", run: acceptPart("line") },
		{
			key: keys.request ?? "Alt-\\",
			run: () => {
				void editor()?.suggest();
				return true;
			},
		},
	];
	return [keymap.of(bindings.filter(({ key }) => key !== "")), lastAccept, hidesBadges];
}

/** Remembers when a suggestion was accepted, until the user does something else. */
const lastAccept = ViewPlugin.define(() => {
	let atMs = Number.NEGATIVE_INFINITY;
	return {
		update: ({ transactions, docChanged }: ViewUpdate) => {
			if (transactions.some((one) => one.isUserEvent(SUGGESTION_EVENT))) atMs = Date.now();
			// Accepting also moves the cursor, but not as the user does.
			else if (docChanged || transactions.some((one) => one.isUserEvent("select"))) atMs = Number.NEGATIVE_INFINITY;
		},
		isRecent: () => Date.now() - atMs < SURPLUS_MS,
	};
});

/** Hides the badges while Tab would do something else. */
const hidesBadges = EditorView.editorAttributes.compute([suggestionField, ...WHEN_VISIBLE], (state) => {
	const shown = shownIn(state);
	return shown !== undefined && indents(state, shown) ? { class: "segue-tab-indents" } : {};
});

function indents(state: EditorState, shown: DisplayedSuggestion): boolean {
	const { acceptKey, uri } = optionsIn(state);
	const { doc, selection } = state;
	const text = {
		lineAt: (offset: number) => doc.lineAt(offset),
		slice: (from: number, to: number) => doc.sliceString(from, to),
	};
	return acceptKey === TAB && tabIndents(shown, uri, selection.main, text);
}
