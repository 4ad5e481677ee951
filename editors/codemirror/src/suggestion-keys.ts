import { type EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, getTooltip, type KeyBinding, keymap, showTooltip } from "@codemirror/view";
import { type DisplayedSuggestion, type Editor, tabIndents } from "@segue/editor";
import { optionsIn } from "./accept-badge.js";
import { takesSuggestions } from "./changes.js";
import { shownIn } from "./suggestion-drawing.js";

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

interface KeyOptions {
	/** Whether the keys apply even if the completion list is open or a snippet has fields left. Default: false. */
	readonly isFirst?: boolean;
}

const TAB = "Tab";

/**
 * Returns the key bindings for suggestions. `editor` returns undefined while there is no connection. Each key keeps its
 * usual meaning when it does not apply to a suggestion. The keys of an open completion list and of a snippet come first.
 */
export function suggestionKeys(
	editor: () => Editor | undefined,
	keys: SuggestionKeys = {},
	{ isFirst = false }: KeyOptions = {},
): Extension {
	const applies = (view: EditorView) => takesSuggestions(view.state) && (isFirst || !isCompleting(view));
	const acceptPart = (part: "word" | "line") => (view: EditorView) => {
		// These keys move the cursor, so they accept only text that starts at the cursor.
		if (editor()?.current?.as !== "ghost" || !applies(view)) return false;
		void editor()?.accept(part);
		return true;
	};
	const bindings: (KeyBinding & { readonly key: string })[] = [
		{
			key: keys.accept ?? TAB,
			run: (view) => {
				const { state } = view;
				const segue = editor();
				if (segue === undefined || !applies(view)) return false;
				const { current } = segue;
				if (current === undefined ? !segue.ignoresTab : indents(state, current)) return false;
				void segue.tab();
				return true;
			},
		},
		{
			key: keys.dismiss ?? "Escape",
			// Nothing is shown while several cursors are active, and Esc removes all but one.
			run: (view) => applies(view) && (editor()?.reject() ?? false),
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
	const bound = keymap.of(bindings.filter(({ key }) => key !== ""));
	// The keys of a snippet have the highest precedence.
	return [isFirst ? Prec.highest(bound) : Prec.high(bound), hidesBadges(isFirst)];
}

/** Whether the completion list is open. Found by its class, because a page need not have completion at all. */
function isCompleting(view: EditorView): boolean {
	return view.state.facet(showTooltip).some((tooltip) => {
		return tooltip && getTooltip(view, tooltip)?.dom.classList.contains("cm-tooltip-autocomplete");
	});
}

/** Hides the badges while Tab would do something else. */
function hidesBadges(isFirst: boolean): Extension {
	return EditorView.editorAttributes.of((view) => {
		const shown = shownIn(view.state);
		const isHidden = shown !== undefined && (indents(view.state, shown) || (!isFirst && isCompleting(view)));
		return isHidden ? { class: "segue-badges-hidden" } : null;
	});
}

function indents(state: EditorState, shown: DisplayedSuggestion): boolean {
	const { acceptKey, uri } = optionsIn(state);
	const { doc, selection } = state;
	const text = {
		lineAt: (offset: number) => doc.lineAt(offset),
		slice: (from: number, to: number) => doc.sliceString(from, to),
	};
	return acceptKey === TAB && tabIndents(shown, uri, selection.main, text);
}
