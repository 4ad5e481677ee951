import { type FileHandle, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ErrorCode, RpcError } from "@segue/rpc";
import { Glob, GlobError } from "@segue/text";
import { FileVersions, openReal, resolvedFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";
import type { ThreadsHost } from "../threads/threads-host.js";

// Limit for one response. Even if JSON escapes make it six times as long, it stays below the limit for a message.
const CONTENT_BYTES_MAX = 4 * 2 ** 20;
// More matches than an agent can use.
const MATCHES_MAX = 10_000;
// Longer than any path with a few wildcards.
const GLOB_LENGTH_MAX = 1000;
// Number of paths matched before yielding to other work. The slowest glob takes about 100 ms per path.
const MATCHES_AT_ONCE = 10;
// More files than any hand-written workspace has. A glob returns the first matches found within this limit.
const LOOKED_AT_MAX = 200_000;

type ThreadFiles = Required<Pick<ThreadsHost, "folder" | "readText" | "readBinary" | "stat" | "glob" | "isPrivate">>;

/**
 * Serves the files in a folder on disk to an agent that uses the thread draft, except secret and ignored files and
 * links that lead out of the folder. Reads a range of a huge file without reading the rest. Create one per connection.
 */
export function threadFiles(folder: string): ThreadFiles {
	return new DiskThreadFiles(folder).host;
}

class DiskThreadFiles {
	private readonly folder: string;
	private readonly uri: string;
	private readonly versions = new FileVersions();
	private readonly files = resolvedFiles(() => ({ folders: [{ uri: this.uri, name: "" }] }));
	private readonly privacy: Privacy;

	constructor(folder: string) {
		this.folder = path.resolve(folder);
		this.uri = pathToFileURL(this.folder).href.replace(/\/$/, "");
		this.privacy = new Privacy(this.files, () => [this.uri]);
	}

	get host(): ThreadFiles {
		return {
			folder: this.uri,
			isPrivate: (uri) => {
				// Ignore files may change during a long session.
				this.privacy.forget();
				return this.privacy.isPrivate(uri);
			},
			readText: async (uri, { offset, limit }) => {
				const real = await this.find(uri);
				const read = await this.versions.read(
					real,
					() => openSame(real),
					async (file) => {
						if (file.whole !== undefined) textIn(file.whole); // part of a binary file may look like text
						const from = await file.lineAt(0, offset, Number.POSITIVE_INFINITY);
						const furthest = from + CONTENT_BYTES_MAX;
						const to = limit === undefined ? file.size : await file.lineAt(from, limit, furthest);
						if (to > furthest) throw tooMuch("lineLimit");
						return textIn(await file.bytes(from, to));
					},
				);
				return { ...read, isRange: true };
			},
			readBinary: async (uri, { offset, limit }) => {
				const real = await this.find(uri);
				const read = await this.versions.read(
					real,
					() => openSame(real),
					async (file) => {
						const from = Math.min(offset, file.size);
						const to = Math.min(from + (limit ?? file.size), file.size);
						if (to - from > CONTENT_BYTES_MAX) throw tooMuch("byteLimit");
						return file.bytes(from, to);
					},
				);
				return { ...read, isRange: true };
			},
			stat: async (uri) => {
				const found = await this.follow(uri);
				return found === undefined ? undefined : { isFolder: (await stat(found)).isDirectory() };
			},
			glob: (pattern) => this.glob(pattern),
		};
	}

	/** Returns the real path of a regular file. */
	private async find(uri: string): Promise<string> {
		const real = await this.follow(uri);
		if (real === undefined) throw refusal("path", "no such file");
		const found = await stat(real);
		if (found.isDirectory()) throw refusal("path", "it is a folder");
		// Opening a device may have side effects, and opening a pipe would block.
		if (!found.isFile()) throw refusal("path", "it is a pipe, a socket or a device");
		return real;
	}

	/** Returns the real path with all links followed; undefined if it does not exist. */
	private async follow(uri: string): Promise<string | undefined> {
		let real: string;
		try {
			real = await realpath(fileURLToPath(uri));
		} catch (error) {
			if (NOT_FOUND.has(codeOf(error))) return undefined;
			throw refusal("path", `access failed (${codeOf(error)})`);
		}
		const way = path.relative(await realpath(this.folder), real);
		if (way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) {
			throw refusal("path", "it is outside the agent's folder");
		}
		if (await this.privacy.isPrivate(`${this.uri}/${way.split(path.sep).map(encodeURIComponent).join("/")}`)) {
			throw refusal("path", "it is a link to a secret or ignored file");
		}
		return real;
	}

	private async glob(pattern: string): Promise<string[]> {
		const below = path.isAbsolute(pattern) ? path.relative(this.folder, pattern) : pattern;
		const written = below.replaceAll(path.sep, "/");
		if (written.split("/").includes("..")) {
			throw refusal("pattern", "it is outside the agent's folder");
		}
		const glob = globOf(written);
		if (glob === undefined) throw refusal("pattern", `${JSON.stringify(pattern)} is empty or too long`);
		this.privacy.forget();
		const matches: string[] = [];
		const folders = [this.uri];
		let left = LOOKED_AT_MAX;
		for (let folder = folders.pop(); folder !== undefined && matches.length < MATCHES_MAX; folder = folders.pop()) {
			// A folder that cannot be listed counts as empty.
			for (const { uri, isFolder } of (await this.files.list?.(folder).catch(() => [])) ?? []) {
				if (left-- <= 0) return matches;
				if (left % MATCHES_AT_ONCE === 0) await setImmediate();
				const name = decodeURIComponent(uri.slice(this.uri.length + 1));
				if (!isFolder && !isMatch(glob, name)) continue;
				if (await this.privacy.isPrivate(isFolder ? `${uri}/` : uri)) continue;
				if (isFolder) folders.push(uri);
				else matches.push(name);
			}
		}
		return matches;
	}
}

/** Parses a glob; undefined if it is empty or too long. */
function globOf(written: string): Glob | undefined {
	const pattern = written.replace(/^(?:\.?\/)+/, "");
	return pattern === "" || pattern.length > GLOB_LENGTH_MAX ? undefined : Glob.parse(pattern);
}

function isMatch(glob: Glob, path: string): boolean {
	try {
		return glob.matches(path);
	} catch (error) {
		if (!(error instanceof GlobError)) throw error;
		throw refusal("pattern", "it takes too long to match");
	}
}

/** Error codes for a path that leads to no file: it does not exist, a parent is not a folder, or links form a cycle. */
const NOT_FOUND: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** Opens a file unless it was replaced after it was found. */
async function openSame(real: string): Promise<FileHandle> {
	const handle = await openReal(real).catch((error: unknown) => {
		throw refusal("path", `access failed (${codeOf(error)})`);
	});
	if (handle === undefined) throw refusal("path", "it was replaced while it was opened; try again");
	return handle;
}

function textIn(bytes: Uint8Array): string {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		if (!text.includes("\0")) return text;
	} catch {} // not UTF-8
	throw refusal("path", "it is not text; use readBinaryFile");
}

function codeOf(error: unknown): string | undefined {
	return (error as NodeJS.ErrnoException).code;
}

function tooMuch(limit: string): RpcError {
	return refusal(limit, `the content is longer than ${CONTENT_BYTES_MAX} bytes; request less`);
}

function refusal(field: string, why: string): RpcError {
	return new RpcError(ErrorCode.invalidParams, `Invalid params: params.${field}: ${why}`);
}
