import { Compartment, type Extension } from "@codemirror/state";
import { type EditorView, ViewPlugin } from "@codemirror/view";
import { loadLazily } from "../lazy-load.js";
import { colouring, loadSyntaxes, needsSyntax } from "./colouring.js";

/** The language ids that editors send to agents, by file extension. */
const LANGUAGE_IDS: Readonly<Record<string, string>> = {
	ts: "typescript",
	tsx: "typescriptreact",
	js: "javascript",
	mjs: "javascript",
	jsx: "javascriptreact",
	py: "python",
	rs: "rust",
	go: "go",
	java: "java",
	c: "c",
	h: "c",
	cpp: "cpp",
	cs: "csharp",
	rb: "ruby",
	php: "php",
	css: "css",
	html: "html",
	json: "json",
	md: "markdown",
};

/** By language id, created when the first file of a language is opened. */
const colours = new Map<string, Extension>();

export function languageIdOf(path: string): string {
	const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
	return (Object.hasOwn(LANGUAGE_IDS, ending) ? LANGUAGE_IDS[ending] : undefined) ?? "plaintext";
}

export function coloursOf(path: string): Extension {
	const id = languageIdOf(path);
	const made = colours.get(id) ?? (needsSyntax(id) ? coloursLater(id) : (colouring(id) ?? []));
	colours.set(id, made);
	return made;
}

/** Loads the colours when a file is shown. If the server is down, the file has no colours until it is shown again. */
function coloursLater(languageId: string): Extension {
	const colours = new Compartment();
	// Also false if the view now shows another file.
	const isPlain = ({ state }: EditorView) => {
		const present = colours.get(state);
		return Array.isArray(present) && present.length === 0;
	};
	const loading = ViewPlugin.define((view) => {
		const show = () => {
			if (isPlain(view)) view.dispatch({ effects: colours.reconfigure(colouring(languageId) ?? []) });
		};
		if (isPlain(view)) (needsSyntax(languageId) ? loadLazily(loadSyntaxes) : Promise.resolve()).then(show, () => {});
		return {};
	});
	return [colours.of([]), loading];
}
