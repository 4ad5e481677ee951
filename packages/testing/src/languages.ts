// The languages of the files in stories, as editors name them, by how the files are named.
const LANGUAGES: Readonly<Record<string, string>> = {
	c: "c",
	cpp: "cpp",
	cs: "csharp",
	go: "go",
	java: "java",
	js: "javascript",
	php: "php",
	py: "python",
	rb: "ruby",
	rs: "rust",
	ts: "typescript",
	tsx: "typescriptreact",
};

export function languageOf(path: string): string {
	return LANGUAGES[path.replace(/^.*\./, "")] ?? "plaintext";
}
