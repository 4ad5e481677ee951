import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { GrammarFiles } from "../outline/parser.js";

/** The grammars of the installed package `@vscode/tree-sitter-wasm`. */
export const installedGrammars: GrammarFiles = {
	read: (name) => {
		const require = createRequire(import.meta.url);
		const folder = path.dirname(require.resolve("@vscode/tree-sitter-wasm/package.json"));
		return readFile(path.join(folder, "wasm", `tree-sitter-${name}.wasm`));
	},
};
