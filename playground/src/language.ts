import { Compartment, type Extension } from "@codemirror/state";

interface Language {
	/** As editors name it to agents. */
	readonly id: string;
	/** How it is coloured: loaded when the first file of it is opened. */
	readonly support?: () => Promise<Extension>;
}

type Script = keyof typeof import("./languages/javascript.js");

const script = (dialect: Script) => async () => (await import("./languages/javascript.js"))[dialect];

const LANGUAGES: Readonly<Record<string, Language>> = {
	ts: { id: "typescript", support: script("typescriptLanguage") },
	tsx: { id: "typescriptreact", support: script("tsxLanguage") },
	js: { id: "javascript", support: script("javascriptLanguage") },
	mjs: { id: "javascript", support: script("javascriptLanguage") },
	jsx: { id: "javascriptreact", support: script("jsxLanguage") },
	py: { id: "python", support: async () => (await import("./languages/python.js")).pythonLanguage },
	rs: { id: "rust", support: async () => (await import("./languages/rust.js")).rustLanguage },
	go: { id: "go", support: async () => (await import("./languages/go.js")).goLanguage },
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

/** Where the colours of a file go when they are loaded. */
export const colours = new Compartment();

export function languageIdOf(path: string): string {
	return languageOf(path)?.id ?? "plaintext";
}

export async function coloursOf(path: string): Promise<Extension> {
	return (await languageOf(path)?.support?.()) ?? [];
}

function languageOf(path: string): Language | undefined {
	const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
	return Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined;
}
