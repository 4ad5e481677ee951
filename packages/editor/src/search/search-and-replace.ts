import { type Document, type Edit, isMisleading, namesBelow, Text, uriKey } from "@segue/text";
import type { Files, Privacy } from "@segue/text/privacy";
import type { FileEdits } from "../host.js";
import { lineEndOf, withLineEnds } from "../suggestions/line-ends.js";
import { MatchError, type Matcher, type SearchQuery } from "./matcher.js";

// Maximum number of files and folders. Most repositories have fewer, not counting ignored ones.
const VISITED_MAX = 20_000;
// Maximum for all files together. Reading this much takes a few seconds on a slow disk.
const CHARACTERS_MAX = 256 * 2 ** 20;
// Users don't review a longer preview.
const EDITS_MAX = 10_000;

export interface SearchAndReplace extends SearchQuery {
	/** A file or folder. Folders are searched recursively. */
	readonly uri: string;
}

/** The scope of a search, and the objects that it uses. */
interface ReplaceOptions {
	/** The workspace folders. */
	readonly folders: readonly string[];
	/** The open documents. They take precedence over their files on disk. */
	readonly open: readonly Document[];
	/** If undefined, only open documents are searched. */
	readonly files: Files | undefined;
	readonly privacy: Privacy;
	readonly matcher: Matcher;
	readonly signal: AbortSignal;
}

/** The edits for a search and replace. */
interface ReplacePreview {
	/** Sorted by URI. Contains either all edits to a file or none. */
	readonly files: readonly FileEdits[];
	/** Number of files skipped because they are not text. */
	readonly skipped: number;
	/** The limit that was reached, as a message for the user; undefined if everything was searched. */
	readonly limit: string | undefined;
}

/** An error that prevents the preview. The message is for the user. */
class ReplaceError extends Error {
	override readonly name = "ReplaceError";
}

/**
 * Finds the edits for a search and replace in a file or, recursively, a folder, without applying them. Skips private
 * files. Rejects with a ReplaceError for a location outside the workspace and with a MatchError for an invalid search.
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
			/** The version of the open document; undefined for a file on disk. */
			readonly version: number | undefined;
			read(): Promise<string | undefined>;
	  };

/** Yields everything that may be searched at a location: open documents first, then files on disk. */
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
	if (top === undefined && documents.length === 0) throw new ReplaceError(`${uri} does not exist.`);
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

/** Returns the entry at a path below a folder. Looks it up name by name, because listings omit links. */
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

/** Yields an entry and, for a folder, everything below it that is not private, sorted by name in each folder. */
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

/**
 * Lists a folder. Returns an empty list if that fails. Drops entries that are not directly in the folder, in case the
 * host's list is wrong.
 */
async function list(folder: string, files: Files): Promise<readonly Entry[]> {
	try {
		const entries = await files.list(folder);
		return entries.filter(({ uri }) => namesBelow(folder, uri)?.length === 1);
	} catch {
		return [];
	}
}

/** Reads a file. A file that cannot be read is treated as a file that is not text. */
async function read(uri: string, files: Files): Promise<string | undefined> {
	try {
		return await files.read(uri);
	} catch {
		return undefined;
	}
}

/**
 * Returns the edits to one file's text, with the file's line endings, or a message about the limit that was exceeded.
 */
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
 * Converts a search to `\n` line endings. File contents are converted too: a pattern would match `\r\n` as two line
 * endings, and an agent does not know the line endings of every file.
 */
function inPlainLineEnds({ search, replace, isRegex }: SearchQuery): SearchQuery {
	const plain = withLineEnds(search, "\n");
	return {
		search: isRegex ? plain.replace(ESCAPED, (escaped) => (escaped === "\\r\\n" ? "\\n" : escaped)) : plain,
		replace: withLineEnds(replace, "\n"),
		isRegex,
	};
}

/**
 * Matches `\r\n` written as escapes. Also matches any other escape, so that the second half of `\\` does not start one.
 */
const ESCAPED = /\\r\\n|\\./gs;

function plainText(text: string): string {
	const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
	return plain.includes("\r") ? withLineEnds(plain, "\n") : plain;
}

/** Does not count as part of the first line. Nothing is inserted before it. */
const BYTE_ORDER_MARK = "\ufeff";

/** Maps edits from the plain text to the original text. */
function inOriginal(text: string, edits: readonly Edit[]): readonly Edit[] {
	const lineEnd = lineEndOf(Text.of(text));
	const pairs = text.matchAll(/\r\n/g);
	let pair = pairs.next();
	let shift = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
	// Call it with ascending offsets.
	const original = (offset: number) => {
		for (; !pair.done && pair.value.index - shift < offset; pair = pairs.next()) shift++;
		return offset + shift;
	};
	return edits.map(({ from, to, insert }) => {
		return { from: original(from), to: original(to), insert: withLineEnds(insert, lineEnd) };
	});
}
