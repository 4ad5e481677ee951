import { type Document, sameUri, uriKey } from "@segue/text";
import { LINE_MAX, sameLanguage } from "../languages/identifiers.js";
import { partAt, tokensIn } from "../languages/parts.js";
import type { Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { VersionCache } from "../version-cache.js";

// Finds the definitions of names around the cursor, as context for models.

/** The lines of a definition. */
export interface Definition {
	readonly document: Document;
	/** The first and last line, inclusive, counted from 0. */
	readonly first: number;
	readonly last: number;
}

// The number of lines around the cursor whose names are relevant to the line being written.
const AROUND_LINES = 8;
// Lines closer to the cursor are already in the window that models see.
const NEAR_LINES = 30;
// Shorter names are usually counters.
const NAME_MIN = 3;
// Limits for the lines around the cursor, and for the cursor's own line. Dense code has about this many names.
const NAMES_AROUND_MAX = 24;
const NAMES_HERE_MAX = 8;
// A prompt has room for this many definitions. The cursor's own line has a separate limit, because its definitions
// come last.
const AROUND_MAX = 8;
const HERE_MAX = 4;
// A name that occurs in more documents than this is too common.
const DOCUMENTS_MAX = 32;
// A name defined in more documents than this is ambiguous.
const DEFINED_MAX = 2;
// Enough for a signature with its first lines, or the fields of a type.
const LINES_MAX = 12;

/**
 * Returns the definitions of the names around the cursor, without duplicates, in distant parts of the document and in
 * neighbours. Names on the nearest lines come first, but those on the cursor's own line come last, so that typing
 * there does not change the definitions before them.
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

/** Whether lines of a file are so close to the cursor that every model sees at least one of them. */
export function isNearby({ document, cursor }: Scene, uri: string, first: number, last: number): boolean {
	const here = document.text.lineAt(cursor);
	return sameUri(uri, document.uri) && first <= here + NEAR_LINES && last >= here - NEAR_LINES;
}

function overlaps(a: Definition, b: Definition): boolean {
	return a.document === b.document && a.first <= b.last && b.first <= a.last;
}

/** Returns the names on the lines around the cursor, nearest first, and the names that occur only on its own line. */
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
		// Skip the word that is being typed.
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

// While the user types in one document, its neighbours don't change, so the results are reused.
const OTHERS = new WeakMap<readonly Document[], Map<string, readonly Document[]>>();
const OTHERS_MAX = 256;

/** The neighbours in the document's language that contain a name. */
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
	/** Visible only in a function or block. */
	readonly isLocal: boolean;
	/** Other files may refer to it. */
	readonly isShared: boolean;
}

/**
 * Returns the declarations of a name in a document, from its outline or, without an outline, from the text around the
 * name.
 */
function declaredIn(document: Document, name: string, { outlines }: Scene): readonly Declaration[] {
	const outline = outlines.get(uriKey(document.uri))?.for(document.text);
	if (outline === undefined) return readDeclarations(document, name);
	return outline.declarationsNamed(name).map(({ at, scope, kind, isShared }) => ({
		line: document.text.lineAt(at),
		isLocal: scope !== 0 && !isShared,
		isShared: isShared && kind !== "import",
	}));
}

// The names around the cursor are looked up in the same documents on every keystroke.
const READ = new VersionCache<Map<string, readonly Declaration[]>>();
const READ_MAX = 256;
// A declaration is among the first occurrences of a name.
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

// Match the text before a declared name. Only unindented variables are visible to other files.
const THING =
	/(?:^|\s)(?:class|def|enum|fn|func|function\*?|interface|macro_rules!|module|namespace|object|protocol|record|struct|trait|type|union)\s+(?:\([^)]*\)\s*)?$/;
const VARIABLE = /^(?:export\s+|pub(?:\([^)]*\))?\s+|static\s+)*(?:const|let|val|var)\s+(?:mut\s+)?$/;
const INDENTED_VARIABLE = /(?:^|\s)(?:const|let|val|var)\s+(?:mut\s+)?$/;
// A method, or a function declared without a keyword, is recognized by the block after its parameters.
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

/** Returns the definition that begins on a line: the line, and the lines below that are indented more or close it. */
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
		// The closing line may open the next part, such as the body after the parameters.
		if (closes && !/[([{:]\s*$/.test(content)) break;
	}
	return { document, first, last };
}

function indentOf(line: string): number {
	return line.search(/\S|$/);
}
