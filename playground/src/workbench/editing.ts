import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { Compartment, type Extension } from "@codemirror/state";
import {
	drawSelection,
	EditorView,
	highlightActiveLine,
	highlightActiveLineGutter,
	highlightSpecialChars,
	keymap,
	lineNumbers,
} from "@codemirror/view";
import { suggestionChip, suggestionDrawing, suggestionKeys, suggestionTheme } from "@segue/codemirror";
import type { Editor } from "@segue/editor";
import { loadLazily } from "../lazy-load.js";
import { diagnostics } from "./diagnostics.js";
import { indentation, insertNewline } from "./indentation.js";
import { coloursOf } from "./language.js";

/** The functions that the page provides for editing a file. */
interface EditingActions {
	/** Returns undefined while there is no connection. */
	readonly editor: () => Editor | undefined;
	/** Accepts the suggestion, or goes to it, after a click. */
	readonly accept: () => void;
	readonly save: () => void;
	readonly report: (trouble: string) => void;
}

/** Returns the extensions for editing a file. */
export function editing(path: string, uri: string, { editor, accept, save, report }: EditingActions): Extension {
	return [
		suggestionKeys(editor),
		keymap.of([
			{
				key: "Mod-s",
				preventDefault: true,
				run: () => {
					save();
					return true;
				},
			},
			{
				key: "Mod-f",
				preventDefault: true,
				run: (view) => {
					find(view).catch((error: Error) => report(`Find could not be loaded. ${error.message}`));
					return true;
				},
			},
			{ key: "Enter", run: insertNewline, shift: insertNewline },
			...historyKeymap,
			...defaultKeymap,
			// Esc followed by Tab leaves the editor, so that keyboard users are not trapped.
			indentWithTab,
		]),
		lineNumbers(),
		highlightActiveLineGutter(),
		highlightActiveLine(),
		highlightSpecialChars(),
		history(),
		drawSelection(),
		bracketMatching(),
		searching.of([]),
		indentation(path),
		coloursOf(path),
		diagnostics,
		suggestionDrawing({ uri, accept }),
		suggestionChip,
		suggestionTheme,
		// The content can be focused without `tabindex`, but accessibility checkers recognize only the attribute.
		EditorView.contentAttributes.of({ "aria-label": `Text of ${path}`, tabindex: "0" }),
		EditorView.cspNonce.of(nonce()),
	];
}

/** Replaced by the find panel once it is loaded. */
const searching = new Compartment();

async function find(view: EditorView): Promise<void> {
	const { findPanel, openSearchPanel } = await loadLazily(() => import("./find-panel.js"));
	view.dispatch({ effects: searching.reconfigure(findPanel) });
	openSearchPanel(view);
}

/**
 * Returns the nonce that the server writes into the page. Its content security policy allows only styles with this
 * nonce.
 */
function nonce(): string {
	return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.content ?? "";
}
