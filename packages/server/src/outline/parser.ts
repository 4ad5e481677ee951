import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { OutlineData } from "@segue/predict";
import type { Edit } from "@segue/text";
import type { Parser, Edit as ParserEdit, Tree } from "web-tree-sitter";
import type { Grammar } from "./grammar.js";
import { GRAMMARS } from "./grammars.js";
import { readOutline } from "./read.js";

/** Parses texts in the languages whose grammars are loaded. */
export class Parsers {
	/** By the file of the grammar. */
	private readonly parsers = new Map<string, { readonly parser: Parser; readonly TreeEdit: typeof ParserEdit }>();

	/** Loads what a language needs. Rejects where that is not installed, or the language has no grammar. */
	async load(languageId: string): Promise<void> {
		const { file } = grammarOf(languageId);
		if (this.parsers.has(file)) return;
		const { Edit: TreeEdit, Language, Parser } = await import("web-tree-sitter");
		await Parser.init();
		const require = createRequire(import.meta.url);
		const folder = path.dirname(require.resolve("@vscode/tree-sitter-wasm/package.json"));
		const wasm = await readFile(path.join(folder, "wasm", `tree-sitter-${file}.wasm`));
		const parser = new Parser().setLanguage(await Language.load(wasm));
		this.parsers.set(file, { parser, TreeEdit });
	}

	isLoaded(languageId: string): boolean {
		const grammar = GRAMMARS.get(languageId);
		return grammar !== undefined && this.parsers.has(grammar.file);
	}

	/** A text in a language that is loaded. It has to be freed when it is no longer wanted. */
	parse(languageId: string, source: string): ParsedText {
		const { parser, TreeEdit } = this.loaded(languageId);
		return new ParsedText(parser, TreeEdit, grammarOf(languageId), source);
	}

	/** The syntax tree of a text in a language that is loaded. It has to be deleted when it is no longer wanted. */
	treeOf(languageId: string, source: string): Tree {
		return treeBy(this.loaded(languageId).parser, source, null);
	}

	private loaded(languageId: string) {
		const loaded = this.parsers.get(grammarOf(languageId).file);
		if (loaded === undefined) throw new Error(`the grammar for ${languageId} is not loaded`);
		return loaded;
	}
}

function grammarOf(languageId: string): Grammar {
	const grammar = GRAMMARS.get(languageId);
	if (grammar === undefined) throw new Error(`there is no grammar for ${languageId}`);
	return grammar;
}

/** A text that is parsed when its outline is asked for, and then only where it was changed since. */
export class ParsedText {
	private tree: Tree | null = null;

	constructor(
		private readonly parser: Parser,
		private readonly TreeEdit: typeof ParserEdit,
		private readonly grammar: Grammar,
		private source: string,
	) {}

	/** Edits of one change, all in offsets of the text before it. */
	change(edits: readonly Edit[]): void {
		for (const { from, to, insert } of edits.toReversed()) {
			const after = this.source.slice(0, from) + insert + this.source.slice(to);
			const edit = new this.TreeEdit({
				startIndex: from,
				oldEndIndex: to,
				newEndIndex: from + insert.length,
				startPosition: pointAt(this.source, from),
				oldEndPosition: pointAt(this.source, to),
				newEndPosition: pointAt(after, from + insert.length),
			});
			this.tree?.edit(edit);
			this.source = after;
		}
	}

	outline(): OutlineData {
		const { source, grammar } = this;
		const tree = treeBy(this.parser, source, this.tree);
		this.tree?.delete();
		this.tree = tree;
		return readOutline(tree, source, grammar);
	}

	free(): void {
		this.tree?.delete();
		this.tree = null;
	}
}

function treeBy(parser: Parser, source: string, before: Tree | null): Tree {
	const tree = parser.parse(source, before);
	if (tree === null) throw new Error("the parser has a language");
	return tree;
}

/** A place as the parser counts it: it takes no carriage return for the end of a line. */
function pointAt(source: string, offset: number): { row: number; column: number } {
	let row = 0;
	let start = 0;
	for (let end = source.indexOf("\n"); end !== -1 && end < offset; end = source.indexOf("\n", start)) {
		row++;
		start = end + 1;
	}
	return { row, column: offset - start };
}
