import type { Extension } from "@codemirror/state";
import { colouring } from "./colouring.js";
import { GO_SYNTAX, PYTHON_SYNTAX, RUST_SYNTAX, SCRIPT_SYNTAX } from "./syntax.js";

interface Language {
	/** As editors name it to agents. */
	readonly id: string;
	readonly colours?: Extension;
}

const script = colouring(SCRIPT_SYNTAX);

const LANGUAGES: Readonly<Record<string, Language>> = {
	ts: { id: "typescript", colours: script },
	tsx: { id: "typescriptreact", colours: script },
	js: { id: "javascript", colours: script },
	mjs: { id: "javascript", colours: script },
	jsx: { id: "javascriptreact", colours: script },
	py: { id: "python", colours: colouring(PYTHON_SYNTAX) },
	rs: { id: "rust", colours: colouring(RUST_SYNTAX) },
	go: { id: "go", colours: colouring(GO_SYNTAX) },
	java: { id: "java" },
	c: { id: "c" },
	h: { id: "c" },
	cpp: { id: "cpp" },
	cs: { id: "csharp" },
	rb: { id: "ruby" },
	php: { id: "php" },
	css: { id: "css" },
	html: { id: "html" },
	json: { id: "json" },
	md: { id: "markdown" },
};

export function languageIdOf(path: string): string {
	return languageOf(path)?.id ?? "plaintext";
}

export function coloursOf(path: string): Extension {
	return languageOf(path)?.colours ?? [];
}

function languageOf(path: string): Language | undefined {
	const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
	return Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined;
}
