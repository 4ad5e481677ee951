import type { OutlineData, SyntaxErrors } from "@segue/predict";
import type { Edit } from "@segue/text";
import type { Parser, Edit as ParserEdit, Node as ParserNode, Tree, TreeCursor } from "web-tree-sitter";
import type { Grammar } from "./grammar.js";
import { GRAMMARS } from "./grammars.js";
import { readOutline } from "./tree-reader.js";

/** The range of a syntax node. */
interface SyntaxNode {
	readonly from: number;
	readonly to: number;
}

/** Loads compiled grammars, from disk or from a URL. */
export interface GrammarFiles {
	/** Reads the WebAssembly of a grammar, for example `typescript`. Rejects if the grammar does not exist. */
	read(name: string): Promise<Uint8Array>;
	/** The URL of web-tree-sitter's own WebAssembly, needed if the library cannot find it. */
	readonly runtime?: string;
}

/**
 * Parses code in the languages whose grammars are loaded. Malicious code can overflow the stack of the WebAssembly
 * module and so corrupt the memory that all its parsers share. After such a crash every call fails with the same error.
 */
export class Parsers {
	/** Keyed by the grammar's file name. */
	private readonly parsers = new Map<string, { readonly parser: Parser; readonly TreeEdit: typeof ParserEdit }>();
	private readonly module = new ParserModule();

	constructor(private readonly grammars: GrammarFiles) {}

	/** Loads the grammar for a language. Rejects if there is no grammar or it is not installed. */
	async load(languageId: string): Promise<void> {
		const { file } = grammarOf(languageId);
		if (this.parsers.has(file)) return;
		const { Edit: TreeEdit, Language, Parser } = await import("web-tree-sitter");
		const { runtime } = this.grammars;
		await Parser.init(runtime === undefined ? undefined : { locateFile: () => runtime });
		const wasm = await this.grammars.read(file);
		const language = await this.module.call(() => Language.load(wasm));
		const parser = this.module.call(() => this.module.own(new Parser()).setLanguage(language));
		this.parsers.set(file, { parser, TreeEdit });
	}

	isLoaded(languageId: string): boolean {
		const grammar = GRAMMARS.get(languageId);
		return grammar !== undefined && this.parsers.has(grammar.file);
	}

	/** Parses code in a loaded language. The caller must free the result. */
	parse(languageId: string, source: string): ParsedText {
		const { parser, TreeEdit } = this.loaded(languageId);
		return new ParsedText(this.module, parser, TreeEdit, grammarOf(languageId), source);
	}

	/** Returns the syntax tree for code in a loaded language. The caller must delete it. */
	treeOf(languageId: string, source: string): Tree {
		return this.module.call(() => treeBy(this.loaded(languageId).parser, source, null));
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

/** Guards the WebAssembly module. After a call has thrown, the module is not called again, not even to free a tree. */
class ParserModule {
	private crash: { readonly error: unknown } | undefined;
	/**
	 * Parsers, trees and cursors that have not been deleted. If they were not referenced here, the garbage collector would
	 * call the module to delete them.
	 */
	private readonly owned = new Set<object>();

	call<T>(callee: () => T): T {
		if (this.crash !== undefined) throw this.crash.error;
		try {
			return callee();
		} catch (error) {
			this.crash = { error };
			CRASHED.push(this.owned);
			throw error;
		}
	}

	own<T extends object>(object: T): T {
		this.owned.add(object);
		return object;
	}

	/** Never throws. If this crashes, the next call throws. */
	delete(object: { delete(): void }): void {
		if (this.crash !== undefined) return;
		try {
			this.call(() => object.delete());
			this.owned.delete(object);
		} catch {}
	}
}

/**
 * Keeps objects of crashed modules from the garbage collector. A thread has one module, so there is at most one entry.
 */
const CRASHED: ReadonlySet<object>[] = [];

// The parser reports progress every hundred operations. Code of 50,000 characters takes 400 to 1,400 reports.
const PROGRESS_MAX = 2000;
// Counting errors visits about a thousand nodes per millisecond. Code with a few errors has hundreds of nodes around
// the errors.
const NODES_MAX = 10_000;
// The time to find a node's parent grows with the node's depth, and long chains of operators are deeply nested.
// Handwritten code has fewer levels.
const LEVELS_MAX = 100;

/** A document's text, parsed on demand and, after a change, incrementally. */
export class ParsedText {
	private tree: Tree | null = null;
	/** Whether the tree is up to date. */
	private isParsed = false;

	constructor(
		private readonly module: ParserModule,
		private readonly parser: Parser,
		private readonly TreeEdit: typeof ParserEdit,
		private readonly grammar: Grammar,
		private source: string,
	) {}

	/** Applies the edits of one change. Their offsets refer to the text before the change. */
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
			this.module.call(() => this.tree?.edit(edit));
			this.source = after;
		}
		this.isParsed = false;
	}

	/** Returns a copy that shares the tree until either text changes. The caller must free it. */
	copy(): ParsedText {
		const { tree, module } = this;
		const copy = new ParsedText(module, this.parser, this.TreeEdit, this.grammar, this.source);
		copy.tree = tree && module.call(() => module.own(tree.copy()));
		copy.isParsed = this.isParsed;
		return copy;
	}

	outline(): OutlineData {
		const { source, grammar, module, parser } = this;
		const tree = module.call(() => treeBy(parser, source, this.tree));
		this.replace(tree);
		return this.walk(tree, (cursor) => readOutline(tree, cursor, source, grammar));
	}

	/** Counts syntax errors. Returns undefined if that takes too long or `isLate` returns true. */
	errorsIn(from: number, to: number, isLate: () => boolean): SyntaxErrors | undefined {
		const tree = this.parsedTree(isLate);
		if (tree === null) return undefined;
		if (!this.module.call(() => tree.rootNode.hasError)) return { total: 0, inRange: 0 };
		return this.walk(tree, (cursor) => countErrors(cursor, from, to));
	}

	/**
	 * Returns the multi-line nodes around an offset, innermost first. Undefined if that takes too long or `isLate`
	 * returns true.
	 */
	nodesAround(at: number, isLate: () => boolean): SyntaxNode[] | undefined {
		const tree = this.parsedTree(isLate);
		return tree === null ? undefined : this.module.call(() => findNodes(tree.rootNode, at));
	}

	/** Returns the up-to-date tree, or null if parsing takes too long or `isLate` returns true. */
	private parsedTree(isLate: () => boolean): Tree | null {
		const { source, module, parser } = this;
		if (!this.isParsed) {
			let count = 0;
			const progressCallback = () => ++count > PROGRESS_MAX || isLate();
			const tree = module.call(() => {
				const tree = parser.parse(source, this.tree, { progressCallback });
				// Without this, the next parse would continue the cancelled one.
				if (tree === null) parser.reset();
				return tree;
			});
			this.replace(tree);
		}
		return this.tree;
	}

	/** Never throws. */
	free(): void {
		if (this.tree !== null) this.module.delete(this.tree);
		this.tree = null;
	}

	private replace(tree: Tree | null): void {
		this.free();
		this.tree = tree && this.module.own(tree);
		this.isParsed = true;
	}

	private walk<T>(tree: Tree, visit: (cursor: TreeCursor) => T): T {
		const { module } = this;
		const cursor = module.call(() => module.own(tree.walk()));
		const result = module.call(() => visit(cursor));
		module.delete(cursor);
		return result;
	}
}

/**
 * Counts the nodes that the parser skipped or inserted. Visits only subtrees with errors. Returns undefined if these
 * have too many nodes.
 */
function countErrors(cursor: TreeCursor, from: number, to: number): SyntaxErrors | undefined {
	let [total, inRange, visited] = [0, 0, 0];
	for (let isOver = false; !isOver; ) {
		if (++visited > NODES_MAX) return undefined;
		const { currentNode: node } = cursor;
		if (node.isError || node.isMissing) {
			total++;
			if (node.startIndex <= to && node.endIndex >= from) inRange++;
		}
		if (node.hasError && cursor.gotoFirstChild()) continue;
		while (!isOver && !cursor.gotoNextSibling()) isOver = !cursor.gotoParent();
	}
	return { total, inRange };
}

/** Collects the multi-line nodes from the innermost one at an offset upward. */
function findNodes(root: ParserNode, at: number): SyntaxNode[] {
	const nodes: SyntaxNode[] = [];
	let node = root.descendantForIndex(at);
	for (let level = 0; node !== null && level < LEVELS_MAX; level++) {
		const { startIndex: from, endIndex: to, startPosition, endPosition } = node;
		if (startPosition.row < endPosition.row) nodes.push({ from, to });
		node = node.parent;
	}
	return nodes;
}

function treeBy(parser: Parser, source: string, before: Tree | null): Tree {
	const tree = parser.parse(source, before);
	if (tree === null) throw new Error("the parser returned no tree");
	return tree;
}

/** Converts an offset to the parser's coordinates, in which a carriage return does not end a line. */
function pointAt(source: string, offset: number): { row: number; column: number } {
	let row = 0;
	let start = 0;
	for (let end = source.indexOf("\n"); end !== -1 && end < offset; end = source.indexOf("\n", start)) {
		row++;
		start = end + 1;
	}
	return { row, column: offset - start };
}
