import * as threads from "@segue/protocol/threads";
import { ErrorCode, type Handler, on, type ParamsOf, type ResultOf, RpcError } from "@segue/rpc";
import { isMisleading, isSecretUri, namesBelow, Path } from "@segue/text";
import type { ReadRange, ThreadsHost } from "./threads-host.js";

// Limit for one response. Even if JSON needs six bytes per character, the response stays below the limit for a message.
const CONTENT_LENGTH_MAX = 4 * 2 ** 20;
// More matches than an agent can use.
const MATCHES_MAX = 10_000;

/**
 * Returns handlers for reading the editor's files. If the host lacks a member, agents get "method not found" for it.
 */
export function fileHandlers(host: ThreadsHost): Handler<"either">[] {
	return [
		...(host.readText === undefined ? [] : [on(threads.readTextFile, (params) => readText(host, params))]),
		...(host.readBinary === undefined ? [] : [on(threads.readBinaryFile, (params) => readBinary(host, params))]),
		...(host.stat === undefined ? [] : [on(threads.stat, (params) => stat(host, params))]),
		...(host.glob === undefined ? [] : [on(threads.globSearch, (params) => glob(host, params))]),
	];
}

type ReadResult = ResultOf<typeof threads.readTextFile>;

async function readText(
	host: ThreadsHost,
	{ path, lineOffset, lineLimit }: ParamsOf<typeof threads.readTextFile>,
): Promise<ReadResult> {
	const range = { offset: lineOffset ?? 0, limit: lineLimit ?? undefined };
	const file = await host.readText?.(await uriOf(host, path), range);
	if (file === undefined) throw refusal("path", "the editor has no such text file");
	const content = file.isRange === true ? file.content : linesIn(file.content, range);
	checkLength(content.length, "lineLimit");
	return { version: file.version, content };
}

async function readBinary(
	host: ThreadsHost,
	{ path, byteOffset, byteLimit }: ParamsOf<typeof threads.readBinaryFile>,
): Promise<ReadResult> {
	const range = { offset: byteOffset ?? 0, limit: byteLimit ?? undefined };
	const file = await host.readBinary?.(await uriOf(host, path), range);
	if (file === undefined) throw refusal("path", "the editor has no such file");
	const { content } = file;
	const { offset, limit = content.length } = range;
	const bytes = file.isRange === true ? content : content.subarray(offset, offset + limit);
	checkLength(bytes.length, "byteLimit");
	return { version: file.version, content: base64Of(bytes) };
}

async function stat(host: ThreadsHost, { path }: ParamsOf<typeof threads.stat>) {
	const there = await host.stat?.(await uriOf(host, path));
	return { exists: there !== undefined, isDirectory: there?.isFolder === true };
}

async function glob(host: ThreadsHost, { pattern }: ParamsOf<typeof threads.globSearch>) {
	const matches: string[] = [];
	// Limits the number of privacy checks, because each may be slow.
	for (const path of [...((await host.glob?.(pattern)) ?? [])].sort().slice(0, MATCHES_MAX)) {
		const uri = fileIn(host.folder, path);
		if (uri !== undefined && !(await isPrivate(host, uri))) matches.push(path);
	}
	return { matches };
}

/** Returns the URI of a path that is absolute or relative to the folder. Throws if the agent may not see it. */
async function uriOf(host: ThreadsHost, path: string): Promise<string> {
	const uri = fileIn(host.folder, path);
	if (uri === undefined) throw refusal("path", "it is outside the agent's folder");
	if (await isPrivate(host, uri)) throw refusal("path", "it is secret or ignored");
	return uri;
}

function fileIn(folder: string, path: string): string | undefined {
	const written = /^[a-z]:\\/i.test(path) ? path.replaceAll("\\", "/") : path;
	const uri = Path.of(`${folder}/`)?.to(written).uri;
	if (uri === undefined || isMisleading(uri)) return undefined;
	return namesBelow(folder, uri) === undefined ? undefined : uri;
}

async function isPrivate(host: ThreadsHost, uri: string): Promise<boolean> {
	return isSecretUri(uri) || (await host.isPrivate?.(uri)) === true;
}

function linesIn(text: string, { offset, limit }: ReadRange): string {
	const from = lineAt(text, 0, offset);
	return text.slice(from, limit === undefined ? undefined : lineAt(text, from, limit));
}

/** Returns the offset of the line that starts `lines` lines after `from`, or the end. Lines end with \n. */
function lineAt(text: string, from: number, lines: number): number {
	let at = from;
	for (let left = lines; left > 0; left--) {
		const end = text.indexOf("\n", at);
		if (end === -1) return text.length;
		at = end + 1;
	}
	return at;
}

function checkLength(length: number, limit: string): void {
	if (length <= CONTENT_LENGTH_MAX) return;
	throw refusal(limit, `the content is longer than ${CONTENT_LENGTH_MAX}; request less`);
}

// Few enough arguments for any JavaScript engine.
const ARGUMENTS_MAX = 0x2000;

function base64Of(bytes: Uint8Array): string {
	let binary = "";
	for (let at = 0; at < bytes.length; at += ARGUMENTS_MAX) {
		binary += String.fromCharCode(...bytes.subarray(at, at + ARGUMENTS_MAX));
	}
	return btoa(binary);
}

function refusal(field: string, why: string): RpcError {
	return new RpcError(ErrorCode.invalidParams, `Invalid params: params.${field}: ${why}`);
}
