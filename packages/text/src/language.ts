const LANGUAGES: ReadonlyMap<string, string> = new Map(
	Object.entries({
		c: "c",
		cc: "cpp",
		cjs: "javascript",
		cpp: "cpp",
		cs: "csharp",
		cts: "typescript",
		go: "go",
		h: "c",
		hpp: "cpp",
		java: "java",
		js: "javascript",
		jsx: "javascriptreact",
		mjs: "javascript",
		mts: "typescript",
		php: "php",
		py: "python",
		pyi: "python",
		rb: "ruby",
		rs: "rust",
		ts: "typescript",
		tsx: "typescriptreact",
	}),
);

/** The language of a file as editors name it, by how the file is named; for where no editor tells. */
export function languageOf(path: string): string {
	return LANGUAGES.get(/\.([^./\\]+)$/.exec(path)?.[1] ?? "") ?? "plaintext";
}
