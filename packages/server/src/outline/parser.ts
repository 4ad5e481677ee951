import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { OutlineData, SyntaxErrors } from "@segue/predict";
import type { Edit } from "@segue/text";
import type { Parser, Edit as ParserEdit, Tree, TreeCursor } from "web-tree-sitter";
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

// The parser reports progress once in a hundred operations. Code of 50,000 characters takes 400 to 800 reports; broken text
// of that length may take thousands, and each takes longer.
const PROGRESS_MAX = 1000;

/** A text that is parsed on demand, and after a change only where it differs. */
export class ParsedText {
	private tree: Tree | null = null;
	/** The tree is that of the present source. */
	private isParsed = false;

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
		this.isParsed = false;
	}

	/** A copy, which shares the tree until one of them is changed. It has to be freed, too. */
	copy(): ParsedText {
		const copy = new ParsedText(this.parser, this.TreeEdit, this.grammar, this.source);
		copy.tree = this.tree?.copy() ?? null;
		copy.isParsed = this.isParsed;
		return copy;
	}

	outline(): OutlineData {
		const { source, grammar } = this;
		const tree = treeBy(this.parser, source, this.tree);
		this.replace(tree);
		return readOutline(tree, source, grammar);
	}

	/** Counts syntax errors. Undefined if the text takes too long to parse. */
	errorsIn(from: number, to: number): SyntaxErrors | undefined {
		if (!this.isParsed) {
			let count = 0;
			// Counting instead of measuring time gives the same result on every machine.
			const progressCallback = () => ++count > PROGRESS_MAX;
			const tree = this.parser.parse(this.source, this.tree, { progressCallback });
			// Without this, the next parse would continue the one that was cancelled.
			if (tree === null) this.parser.reset();
			this.replace(tree);
		}
		return this.tree === null ? undefined : countErrors(this.tree, from, to);
	}

	free(): void {
		this.tree?.delete();
		this.tree = null;
	}

	private replace(tree: Tree | null): void {
		this.tree?.delete();
		this.tree = tree;
		this.isParsed = true;
	}
}

/** Counts nodes that the parser skipped or made up. Visits only the parts of the tree that contain any. */
function countErrors(tree: Tree, from: number, to: number): SyntaxErrors {
	if (!tree.rootNode.hasError) return { total: 0, inRange: 0 };
	const cursor: TreeCursor = tree.walk();
	let [total, inRange] = [0, 0];
	for (let isOver = false; !isOver; ) {
		const { currentNode: node } = cursor;
		if (node.isError || node.isMissing) {
			total++;
			if (node.startIndex <= to && node.endIndex >= from) inRange++;
		}
		if (node.hasError && cursor.gotoFirstChild()) continue;
		while (!isOver && !cursor.gotoNextSibling()) isOver = !cursor.gotoParent();
	}
	cursor.delete();
	return { total, inRange };
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
