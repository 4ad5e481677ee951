import { type Document, sameUri, uriKey } from "@segue/text";
import { LINE_MAX, sameLanguage } from "../languages/identifiers.js";
import { partAt, tokensIn } from "../languages/parts.js";
import type { Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { VersionCache } from "../version-cache.js";

// Where the things are defined that are named around the cursor: what a model would otherwise have to guess.

/** Some lines of a document that define something. */
export interface Definition {
	readonly document: Document;
	/** Both included, counted from 0. */
	readonly first: number;
	readonly last: number;
}

// About what is written about while one writes a line.
const AROUND_LINES = 8;
// What is nearer than this to the cursor is in the windows that models are shown, and need not be told again.
const NEAR_LINES = 30;
// Shorter ones are counters and the like.
const NAME_MIN = 3;
// Of the lines around the cursor, and of the cursor's own. So many names are in them if they are dense.
const NAMES_AROUND_MAX = 24;
const NAMES_HERE_MAX = 8;
// As much as a prompt has room for. The cursor's own line has its share, because it comes last.
const AROUND_MAX = 8;
const HERE_MAX = 4;
// A name that is in more documents is not one that is defined for this one.
const DOCUMENTS_MAX = 32;
// What so many documents define is a word that everybody uses for things of their own.
const DEFINED_MAX = 2;
// The head of a function with its first lines, or the fields of a type.
const LINES_MAX = 12;

/**
 * The definitions of what is named around the cursor, each once: in far parts of the document and in neighbours. Those
 * of names on the nearest lines come first, but those of the cursor's own line last: so the user who types there
 * changes nothing before them.
 */
export function definitionsAround(scene: Scene): Definition[] {
	const { around, here } = namesAround(scene);
	const found: Definition[] = [];
	for (const [names, most] of [[around, AROUND_MAX] as const, [here, HERE_MAX] as const]) {
		const end = found.length + most;
		for (const name of names) {
			for (const one of definitionsOf(name, scene)) {
				if (found.length < end && !found.some((other) => overlaps(one, other))) found.push(one);
			}
		}
	}
	return found;
}

/** Whether some lines of a file are so near to the cursor that every model sees one of them. */
export function isNearby({ document, cursor }: Scene, uri: string, first: number, last: number): boolean {
	const here = document.text.lineAt(cursor);
	return sameUri(uri, document.uri) && first <= here + NEAR_LINES && last >= here - NEAR_LINES;
}

function overlaps(a: Definition, b: Definition): boolean {
	return a.document === b.document && a.first <= b.last && b.first <= a.last;
}

/** The names on the lines around the cursor's, the nearest first, and those that only its own line has. */
function namesAround({ document, cursor }: Scene): { around: readonly string[]; here: readonly string[] } {
	const { text } = document;
	const line = text.lineAt(cursor);
	const around = new Set<string>();
	for (let distance = 1; distance <= AROUND_LINES; distance++) {
		for (const one of [line - distance, line + distance]) {
			if (one < 0 || one >= text.lineCount) continue;
			for (const { name } of namesOn(document, one)) if (around.size < NAMES_AROUND_MAX) around.add(name);
		}
	}
	const own = namesOn(document, line)
		// What is being written is not a name yet.
		.filter(({ from, to }) => cursor < from || to < cursor)
		.map(({ name }) => name);
	const here = [...new Set(own)].filter((name) => !around.has(name)).slice(0, NAMES_HERE_MAX);
	return { around: [...around], here };
}

function namesOn(document: Document, line: number): { name: string; from: number; to: number }[] {
	const { text } = document;
	return tokensIn(document, text.lineStart(line), text.lineEnd(line))
		.filter(({ kind, from, to }) => kind === "identifier" && to - from >= NAME_MIN)
		.map(({ from, to }) => ({ name: text.slice(from, to), from, to }));
}

function definitionsOf(name: string, scene: Scene): Definition[] {
	const { document, cursor } = scene;
	const here = document.text.lineAt(cursor);
	const own = declaredIn(document, name, scene).filter(({ line }) => line !== here);
	if (own.some(({ line }) => isNearby(scene, document.uri, line, line))) return [];
	const first = own.find(({ isLocal }) => !isLocal);
	if (first !== undefined) return [extentOf(document, first.line)];
	const others: Definition[] = [];
	for (const other of othersWith(name, scene)) {
		const shared = declaredIn(other, name, scene).find(({ isShared }) => isShared);
		if (shared !== undefined) others.push(extentOf(other, shared.line));
		if (others.length > DEFINED_MAX) return [];
	}
	return others;
}

// While the user types in one document, its neighbours are the same, and so are those of them that have a name.
const OTHERS = new WeakMap<readonly Document[], Map<string, readonly Document[]>>();
const OTHERS_MAX = 256;

/** The neighbours that have a name and are written in the document's language. */
function othersWith(name: string, scene: Scene): readonly Document[] {
	const { document, neighbours } = scene;
	let known = OTHERS.get(neighbours);
	if (known === undefined) {
		known = new Map();
		OTHERS.set(neighbours, known);
	}
	const key = `${document.languageId} ${name}`;
	let others = known.get(key);
	if (others === undefined) {
		if (known.size >= OTHERS_MAX) known.clear();
		others = documentsWith(scene, new Search(name))
			.filter((one) => one !== document && sameLanguage(one.languageId, document.languageId))
			.slice(0, DOCUMENTS_MAX);
		known.set(key, others);
	}
	return others;
}

interface Declaration {
	readonly line: number;
	/** Only a function or a block knows it. */
	readonly isLocal: boolean;
	/** Other files may mean it. */
	readonly isShared: boolean;
}

/** Where a document declares a name, by its outline or, without one, by what stands before and after the name. */
function declaredIn(document: Document, name: string, { outlines }: Scene): readonly Declaration[] {
	const outline = outlines.get(uriKey(document.uri))?.for(document.text);
	if (outline === undefined) return readDeclarations(document, name);
	return outline.declarationsNamed(name).map(({ at, scope, kind, isShared }) => ({
		line: document.text.lineAt(at),
		isLocal: scope !== 0 && !isShared,
		isShared: isShared && kind !== "import",
	}));
}

// What was read in a text. The names around the cursor are looked for in the same documents with every keystroke.
const READ = new VersionCache<Map<string, readonly Declaration[]>>();
const READ_MAX = 256;
// A name that occurs more often in a document was declared long before.
const PLACES_MAX = 64;

function readDeclarations(document: Document, name: string): readonly Declaration[] {
	let read = READ.get(document.text);
	if (read === undefined) {
		read = new Map();
		READ.set(document.text, read);
	}
	let declarations = read.get(name);
	if (declarations === undefined) {
		if (read.size >= READ_MAX) read.clear();
		const places = new Search(name).in(document.text) ?? [];
		declarations = places.slice(0, PLACES_MAX).flatMap((at) => declarationAt(document, name, at) ?? []);
		read.set(name, declarations);
	}
	return declarations;
}

// What stands before a name that is declared. A variable is one that others know only where it is not in a block.
const THING =
	/(?:^|\s)(?:class|def|enum|fn|func|function\*?|interface|macro_rules!|module|namespace|object|protocol|record|struct|trait|type|union)\s+(?:\([^)]*\)\s*)?$/;
const VARIABLE = /^(?:export\s+|pub(?:\([^)]*\))?\s+|static\s+)*(?:const|let|val|var)\s+(?:mut\s+)?$/;
const INDENTED_VARIABLE = /(?:^|\s)(?:const|let|val|var)\s+(?:mut\s+)?$/;
// A method, or a function of a language that has no word for one, is told by the block behind its parameters.
const METHOD_BEFORE = /^\s*(?:[\w<>[\],.?*&:~@]+\s+)*[*&]*$/;
const METHOD_AFTER = /^\s*(?:<[^>]*>)?\([^;]*\{\s*$/;
const STATEMENT = /^\s*(?:await|case|delete|do|else|go|if|new|return|throw|throws|typeof|while|yield)\b/;

function declarationAt(document: Document, name: string, at: number): Declaration | undefined {
	const { text } = document;
	const { line, start } = text.locate(at);
	if (text.lineEnd(line) - start > LINE_MAX) return undefined;
	const content = text.line(line);
	const before = content.slice(0, at - start);
	const after = content.slice(at - start + name.length);
	const isMethod = METHOD_BEFORE.test(before) && METHOD_AFTER.test(after) && !STATEMENT.test(before);
	const isOpen = THING.test(before) || VARIABLE.test(before) || isMethod;
	if (!isOpen && !INDENTED_VARIABLE.test(before)) return undefined;
	if (partAt(document, at) !== "code") return undefined;
	return { line, isLocal: !isOpen, isShared: isOpen };
}

/** A line and those below it that belong to what it begins: they are indented more, or close it. */
function extentOf(document: Document, first: number): Definition {
	const { text } = document;
	const depth = indentOf(text.line(first));
	const end = Math.min(first + LINES_MAX, text.lineCount) - 1;
	let last = first;
	for (let line = first + 1; line <= end; line++) {
		const content = text.line(line);
		if (content.trim() === "") continue;
		const closes = indentOf(content) === depth && /^\s*(?:[)\]}]|end\b)/.test(content);
		if (indentOf(content) <= depth && !closes) break;
		last = line;
		// What closes it may begin the next part of it, as the parameters end where the body begins.
		if (closes && !/[([{:]\s*$/.test(content)) break;
	}
	return { document, first, last };
}

function indentOf(line: string): number {
	return line.search(/\S|$/);
}
