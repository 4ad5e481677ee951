import { type Document, type Edit, isMisleading, namesBelow, Text, uriKey } from "@segue/text";
import type { Files, Privacy } from "@segue/text/privacy";
import type { FileEdits } from "../host.js";
import { lineEndOf, withLineEnds } from "../suggestions/line-ends.js";
import { MatchError, type Matcher, type SearchQuery } from "./matcher.js";

// Files and folders. More than most repositories have besides what they ignore.
const VISITED_MAX = 20_000;
// Together. Some seconds of reading from a slow disk.
const CHARACTERS_MAX = 256 * 2 ** 20;
// Beyond this nobody looks a preview over.
const EDITS_MAX = 10_000;

export interface SearchAndReplace extends SearchQuery {
	/** A file, or a folder with all that is in it. */
	readonly uri: string;
}

/** Where to search, and with what. */
interface ReplaceOptions {
	/** Of the workspace. */
	readonly folders: readonly string[];
	/** The open documents, which count in place of what is on disk. */
	readonly open: readonly Document[];
	/** Without them only open documents are searched. */
	readonly files: Files | undefined;
	readonly privacy: Privacy;
	readonly matcher: Matcher;
	readonly signal: AbortSignal;
}

/** What a replacement would do. */
interface ReplacePreview {
	/** By uri, in order. The edits of a file are all there or not at all. */
	readonly files: readonly FileEdits[];
	/** How many files could not be searched because they are not text. */
	readonly skipped: number;
	/** Why there may be more, in words for the user; undefined where everything was searched. */
	readonly limit: string | undefined;
}

/** Why there is no preview; its message is for the user. */
class ReplaceError extends Error {
	override readonly name = "ReplaceError";
}

/**
 * Looks up what a replacement would do, in a file or in a folder and all below it, and does nothing of it. What is private
 * stays untouched. Fails with a ReplaceError for a place outside the workspace, and with a MatchError for a search that
 * cannot be made.
 */
export async function previewReplace(replacement: SearchAndReplace, options: ReplaceOptions): Promise<ReplacePreview> {
	const { matcher, signal } = options;
	const search = inPlainLineEnds(replacement);
	const files: FileEdits[] = [];
	let skipped = 0;
	let limit: string | undefined;
	let visited = 0;
	let characters = 0;
	let count = 0;
	for await (const visit of visits(replacement.uri, options)) {
		signal.throwIfAborted();
		if (++visited > VISITED_MAX) {
			limit = `Only the first ${VISITED_MAX} files and folders were searched.`;
			break;
		}
		if (visit.isFolder) continue;
		const { uri, version } = visit;
		const text = await visit.read();
		if (text === undefined || text.includes("\0")) {
			skipped++;
			continue;
		}
		characters += text.length;
		if (characters > CHARACTERS_MAX) {
			limit = `Only the first ${CHARACTERS_MAX} characters were searched.`;
			break;
		}
		const edits = await editsIn(text, search, matcher, signal);
		if (typeof edits === "string") {
			limit ??= edits;
			continue;
		}
		count += edits.length;
		if (count > EDITS_MAX) {
			limit = `There are more than ${EDITS_MAX} matches.`;
			break;
		}
		if (edits.length > 0) files.push({ uri, edits, version });
	}
	return { files: files.toSorted((a, b) => (a.uri < b.uri ? -1 : 1)), skipped, limit };
}

type Visit =
	| { readonly isFolder: true }
	| {
			readonly isFolder: false;
			readonly uri: string;
			/** Of the open document. */
			readonly version: number | undefined;
			read(): Promise<string | undefined>;
	  };

/** Everything at a place that may be searched: the open documents first, then what is on disk. */
async function* visits(uri: string, options: ReplaceOptions): AsyncGenerator<Visit> {
	const folder = options.folders.find((one) => namesBelow(one, uri) !== undefined);
	if (folder === undefined || isMisleading(uri)) {
		throw new ReplaceError(`${uri} is not in the workspace, so nothing is replaced there.`);
	}
	const { files, open, privacy } = options;
	const documents = open.filter((document) => namesBelow(uri, document.uri) !== undefined);
	for (const document of documents) {
		if (isMisleading(document.uri) || (await privacy.isPrivate(document.uri))) continue;
		yield { isFolder: false, uri: document.uri, version: document.version, read: async () => document.text.toString() };
	}
	if (files === undefined || documents.some((document) => uriKey(document.uri) === uriKey(uri))) return;

	const top = await entryAt(folder, namesBelow(folder, uri) ?? [], files);
	if (top === undefined && documents.length === 0) throw new ReplaceError(`There is no ${uri}.`);
	const known = new Set(documents.map((document) => uriKey(document.uri)));
	for await (const entry of entriesFrom(top, files, privacy)) {
		if (entry.isFolder) yield { isFolder: true };
		else if (!known.has(uriKey(entry.uri))) {
			yield { isFolder: false, uri: entry.uri, version: undefined, read: () => read(entry.uri, files) };
		}
	}
}

interface Entry {
	readonly uri: string;
	readonly isFolder: boolean;
}

/**
 * What is at a path below a folder. It is looked up name by name, so that a link, which no folder lists, leads nowhere.
 */
async function entryAt(folder: string, names: readonly string[], files: Files): Promise<Entry | undefined> {
	let entry: Entry | undefined = { uri: folder, isFolder: true };
	for (const name of names) {
		const above: Entry = entry;
		const entries = above.isFolder ? await list(above.uri, files) : [];
		entry = entries.find(({ uri }) => namesBelow(above.uri, uri)?.[0] === name);
		if (entry === undefined) return undefined;
	}
	return entry;
}

/** An entry and, if it is a folder, all below it that is not private, each folder in the order of its names. */
async function* entriesFrom(top: Entry | undefined, files: Files, privacy: Privacy): AsyncGenerator<Entry> {
	const waiting = top === undefined ? [] : [top];
	for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
		const { uri, isFolder } = entry;
		if (await privacy.isPrivate(isFolder ? uri.replace(/\/?$/, "/") : uri)) continue;
		yield entry;
		if (!isFolder) continue;
		const below = (await list(uri, files)).toSorted((a, b) => (a.uri < b.uri ? 1 : -1));
		for (const next of below) waiting.push(next);
	}
}

/** What is directly in a folder; nothing where it cannot be listed. A host's word is not taken for where that is. */
async function list(folder: string, files: Files): Promise<readonly Entry[]> {
	try {
		const entries = await files.list(folder);
		return entries.filter(({ uri }) => namesBelow(folder, uri)?.length === 1);
	} catch {
		return [];
	}
}

/** A file that cannot be read counts as one that is not text. */
async function read(uri: string, files: Files): Promise<string | undefined> {
	try {
		return await files.read(uri);
	} catch {
		return undefined;
	}
}

/** What is replaced in a text, in its own line ends; or why it is not searched. */
async function editsIn(
	text: string,
	search: SearchQuery,
	matcher: Matcher,
	signal: AbortSignal,
): Promise<readonly Edit[] | string> {
	try {
		const found = await matcher.find(search, plainText(text), signal);
		return found.length === 0 ? found : inOriginal(text, found);
	} catch (error) {
		if (error instanceof MatchError && error.kind === "too-much") return error.message;
		throw error;
	}
}

/**
 * A search for texts whose lines all end in `\n`. In others a pattern would find a line's end twice where it ends in two
 * characters, and whoever suggests a search does not know what the lines of every file end in.
 */
function inPlainLineEnds({ search, replace, isRegex }: SearchQuery): SearchQuery {
	const plain = withLineEnds(search, "\n");
	return {
		search: isRegex ? plain.replace(ESCAPED, (escaped) => (escaped === "\\r\\n" ? "\\n" : escaped)) : plain,
		replace: withLineEnds(replace, "\n"),
		isRegex,
	};
}

/** Two escapes for one line end; or any other, so that the second half of one is not taken for a beginning. */
const ESCAPED = /\\r\\n|\\./gs;

function plainText(text: string): string {
	const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
	return plain.includes("\r") ? withLineEnds(plain, "\n") : plain;
}

/** It is no part of the first line, and nothing is ever written before it. */
const BYTE_ORDER_MARK = "\ufeff";

/** Edits of a plain text, as edits of the text as it is. */
function inOriginal(text: string, edits: readonly Edit[]): readonly Edit[] {
	const lineEnd = lineEndOf(Text.of(text));
	const pairs = text.matchAll(/\r\n/g);
	let pair = pairs.next();
	let shift = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
	// Asked for one offset after the other, in ascending order.
	const original = (offset: number) => {
		for (; !pair.done && pair.value.index - shift < offset; pair = pairs.next()) shift++;
		return offset + shift;
	};
	return edits.map(({ from, to, insert }) => {
		return { from: original(from), to: original(to), insert: withLineEnds(insert, lineEnd) };
	});
}
