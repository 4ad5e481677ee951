import type { Snippet } from "@segue/editor";
import type { Document } from "@segue/text";
import * as vscode from "vscode";
import { sourceAt, sourcePartAt } from "./source.js";

// The names that the user is working with. Each one is a request to the language server.
const NAMES_MAX = 8;
// A few callers show how a function is used.
const CALLERS_MAX = 4;
// A definition this long has a beginning that explains it.
const LINES_MAX = 40;
const CALLER_LINES = 2;
// Larger files are generated.
const FILE_BYTES_MAX = 2 ** 20;

/**
 * Finds the definitions of the names on the cursor's line and the callers of the name at the cursor, with the language
 * server. Only files in the workspace count, because a model knows the libraries.
 */
export async function relatedSnippets(
	{ uri }: Document,
	offset: number,
	signal: AbortSignal,
): Promise<readonly Snippet[]> {
	const source = sourceAt(uri);
	const part = source && sourcePartAt(source, offset);
	if (part === undefined) return [];
	const { document } = part;
	const cursor = document.positionAt(offset - part.from);
	const names = [...document.lineAt(cursor.line).text.matchAll(/[\p{L}_$][\p{L}\p{N}\p{M}_$]*/gu)];
	const isAtName = names.some(({ 0: name, index }) => {
		return index <= cursor.character && cursor.character <= index + name.length;
	});
	const nearest = names
		.toSorted((a, b) => Math.abs(a.index - cursor.character) - Math.abs(b.index - cursor.character))
		.slice(0, NAMES_MAX);
	const [callers = [], ...definitions] = await Promise.all([
		// Finding all references is slow.
		isAtName ? ask("vscode.executeReferenceProvider", document, cursor, signal) : [],
		...nearest.map(({ index }) => {
			return ask("vscode.executeDefinitionProvider", document, new vscode.Position(cursor.line, index), signal);
		}),
	]);
	if (signal.aborted) return [];
	const places = [
		...definitions.flat().map(({ file, first, last }) => ({ file, first, last: Math.min(last, first + LINES_MAX) })),
		...callers
			.slice(0, CALLERS_MAX)
			.map(({ file, first }) => ({ file, first: first - CALLER_LINES, last: first + CALLER_LINES })),
	];
	const wanted = new Map(places.map((place) => [`${place.file} ${place.first}`, place]));
	const snippets = await Promise.all([...wanted.values()].map(readSnippet));
	return snippets.filter((snippet) => snippet !== undefined);
}

interface Place {
	readonly file: vscode.Uri;
	readonly first: number;
	readonly last: number;
}

/** Returns the places in other files of the workspace that a language server knows. */
async function ask(
	command: string,
	document: vscode.TextDocument,
	at: vscode.Position,
	signal: AbortSignal,
): Promise<Place[]> {
	if (signal.aborted) return [];
	type Found = readonly (vscode.Location | vscode.LocationLink)[] | undefined;
	let found: Found;
	try {
		found = await vscode.commands.executeCommand<Found>(command, document.uri, at);
	} catch {
		return []; // the language server failed, but others may know more
	}
	return (found ?? []).flatMap((one) => {
		const [file, range] = "targetUri" in one ? [one.targetUri, one.targetRange] : [one.uri, one.range];
		const isOther =
			file.toString() !== document.uri.toString() && vscode.workspace.getWorkspaceFolder(file) !== undefined;
		return isOther ? [{ file, first: range.start.line, last: range.end.line }] : [];
	});
}

async function readSnippet({ file, first, last }: Place): Promise<Snippet | undefined> {
	const uri = file.toString();
	// Opening the file as a document would report it to the agent as one of the user's.
	const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
	const text = open?.getText() ?? (await read(file));
	if (text === undefined) return undefined;
	const lines = text.split(/\r\n|\r|\n/);
	const [from, to] = [Math.max(0, first), Math.min(last, lines.length - 1)];
	if (from > to) return undefined;
	return { uri, firstLine: from, lastLine: to, text: lines.slice(from, to + 1).join("\n") };
}

async function read(file: vscode.Uri): Promise<string | undefined> {
	const { fs } = vscode.workspace;
	try {
		if ((await fs.stat(file)).size > FILE_BYTES_MAX) return undefined;
		return new TextDecoder().decode(await fs.readFile(file));
	} catch {
		return undefined; // the language server's answer is older than the file
	}
}
