import type { Extension } from "@codemirror/state";
import { colouring } from "./colouring.js";

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
	const made = colours.get(id) ?? colouring(id) ?? [];
	colours.set(id, made);
	return made;
}
