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

// Other languages, and prose. Extensions that are also top-level domains are omitted, because a key file may be named
// after a host: `id_rsa.example.pl`.
const OTHERS = `
	adb adoc ads asm astro awk bash bat bzl c++ cbl clj cljc cljs cmd coffee css cxx d dart edn el elm erl ex exs f90 fish fs fsi
	fsx gleam gradle graphql groovy hcl hh hrl hs htm html hxx ino inl jl kt kts less lisp lua m md mdx mli mojo nim nix odin pas
	proto ps1 psm1 pyx r rake rkt rmd rst s sass scala scm scss sh sol sql svelte swift tcl tex thrift v vala vb vhd vhdl vim vue
	wat wgsl zig zsh
`;

/** Extensions of source files and of prose about them, in lower case. */
export const SOURCE_EXTENSIONS: readonly string[] = [...LANGUAGES.keys(), ...OTHERS.trim().split(/\s+/)];

/** Returns the language id for a file based on its name, for files that are not open in an editor. */
export function languageOf(path: string): string {
	return LANGUAGES.get(/\.([^./\\]+)$/.exec(path)?.[1] ?? "") ?? "plaintext";
}
