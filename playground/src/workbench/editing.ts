import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { Compartment, type EditorState, type Extension, Prec, type Text } from "@codemirror/state";
import {
	drawSelection,
	EditorView,
	highlightActiveLine,
	highlightActiveLineGutter,
	highlightSpecialChars,
	keymap,
	lineNumbers,
} from "@codemirror/view";
import type { Editor } from "@segue/editor";
import { loadLazily } from "../lazy-load.js";
import { diagnostics } from "./diagnostics.js";
import { coloursOf } from "./language.js";
import { suggestionDrawing } from "./suggestion-drawing.js";

/** What a file is edited with. The keys of suggestions come before all others; `segue` gives what they work on. */
export function editing(
	path: string,
	segue: () => Editor | undefined,
	save: () => void,
	complain: (trouble: string) => void,
): Extension {
	return [
		Prec.highest(suggestionKeys(segue)),
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
					find(view).catch((error: Error) => complain(`Find was not loaded. ${error.message}`));
					return true;
				},
			},
			...historyKeymap,
			...defaultKeymap,
			// After Esc, Tab leaves the editor, so that nobody is caught in it.
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
		// Found when the file is opened.
		indentUnit.compute([], ({ doc }) => indentationOf(doc, path)),
		coloursOf(path),
		diagnostics,
		suggestionDrawing,
		// It has the focus of the keyboard anyway; said like this, those who check pages by program see it, too.
		EditorView.contentAttributes.of({ "aria-label": `Text of ${path}`, tabindex: "0" }),
		EditorView.cspNonce.of(nonce()),
	];
}

/** Where finding goes when it is loaded. */
const searching = new Compartment();

async function find(view: EditorView): Promise<void> {
	const { findPanel, openSearchPanel } = await loadLazily(() => import("./find-panel.js"));
	view.dispatch({ effects: searching.reconfigure(findPanel) });
	openSearchPanel(view);
}

function suggestionKeys(segue: () => Editor | undefined): Extension {
	// These keys move the cursor. Only where what is offered goes on at the cursor can they mean anything else.
	const accept = (how: "word" | "line") => () => {
		if (segue()?.current?.as !== "ghost") return false;
		void segue()?.accept(how);
		return true;
	};
	return keymap.of([
		{
			key: "Tab",
			run: ({ state }) => {
				const editor = segue();
				if (editor?.current === undefined || isIndenting(state, editor.current)) return false;
				void editor.tab();
				return true;
			},
		},
		{ key: "Escape", run: () => segue()?.reject() ?? false },
		{ key: "Mod-ArrowRight", run: accept("word") },
		{ key: "Mod-ArrowDown", run: accept("line") },
		{
			key: "Alt-\\",
			run: () => {
				void segue()?.suggest();
				return true;
			},
		},
	]);
}

/** In the white space that a line begins with, Tab indents, unless what is offered is on that very line. */
function isIndenting(state: EditorState, shown: NonNullable<Editor["current"]>): boolean {
	const { head, empty } = state.selection.main;
	const line = state.doc.lineAt(head);
	if (!empty || line.text.slice(0, head - line.from).trim() !== "") return false;
	if (shown.as === "chip") return head > line.from;
	const at = shown.kind === "searchAndReplace" ? head : shown.place;
	return state.doc.lineAt(Math.min(at, state.doc.length)).number !== line.number && head > line.from;
}

/** The server allows the styles that carry what it put into the page. */
function nonce(): string {
	return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.content ?? "";
}

// Enough to see how a file is indented, however long it is.
const LINES_MAX = 1000;

/** What one level of a file is indented by: a tab, or the number of spaces by which its lines most often go in. */
export function indentationOf(doc: Text, path: string): string {
	const counts = new Map<string, number>();
	let before = 0;
	for (let number = 1; number <= Math.min(doc.lines, LINES_MAX); number++) {
		const { text } = doc.line(number);
		const [blank = ""] = /^[\t ]*/.exec(text) ?? [];
		if (blank.length === text.length) continue;
		const width = blank.startsWith("\t") ? 0 : blank.length;
		const unit = blank.startsWith("\t") ? "\t" : width > before + 1 ? " ".repeat(width - before) : undefined;
		if (unit !== undefined) counts.set(unit, (counts.get(unit) ?? 0) + 1);
		before = width;
	}
	const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
	return most?.[0] ?? (/\.(?:py|rs)$/.test(path) ? "    " : "\t");
}
