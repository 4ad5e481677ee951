import { type FileHandle, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ErrorCode, RpcError } from "@segue/rpc";
import { Glob, GlobError } from "@segue/text";
import { FileVersions, openReal, resolvedFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";
import type { ThreadsHost } from "../threads/threads-host.js";

// Of one answer. A byte of text may become six in JSON, and this stays below what a connection reads.
const CONTENT_BYTES_MAX = 4 * 2 ** 20;
// More than an agent makes anything of.
const MATCHES_MAX = 10_000;
// Longer than a path with some wildcards in it.
const GLOB_LENGTH_MAX = 1000;
// Paths that are matched before other work of the process has its turn. The slowest glob takes some 100 ms for each.
const MATCHES_AT_ONCE = 10;
// More than any workspace has that a person made. Who looks for something there finds what comes first.
const LOOKED_AT_MAX = 200_000;

type ThreadFiles = Required<Pick<ThreadsHost, "folder" | "readText" | "readBinary" | "stat" | "glob" | "isPrivate">>;

/**
 * Files on disk for an agent of the thread draft: those of a folder, by its path, without what is secret or ignored and without
 * links that lead out of it. Ranges of a huge file are read without the rest. One for each connection.
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
				// An agent may work for hours, and ignore files change meanwhile.
				this.privacy.forget();
				return this.privacy.isPrivate(uri);
			},
			readText: async (uri, { offset, limit }) => {
				const real = await this.find(uri);
				const read = await this.versions.read(
					real,
					() => openSame(real),
					async (file) => {
						if (file.whole !== undefined) textIn(file.whole); // a part of it may look like text
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

	/** The real path of a file. */
	private async find(uri: string): Promise<string> {
		const real = await this.follow(uri);
		if (real === undefined) throw refusal("path", "there is no such file");
		const found = await stat(real);
		if (found.isDirectory()) throw refusal("path", "it is a folder");
		// A device may do something when it is opened, and a pipe would wait for its other end.
		if (!found.isFile()) throw refusal("path", "it is a pipe, a socket or a device");
		return real;
	}

	/** Where something lies when all links are followed; undefined for what is not there. */
	private async follow(uri: string): Promise<string | undefined> {
		let real: string;
		try {
			real = await realpath(fileURLToPath(uri));
		} catch (error) {
			if (NOTHING.has(codeOf(error))) return undefined;
			throw refusal("path", `the system refuses it (${codeOf(error)})`);
		}
		const way = path.relative(await realpath(this.folder), real);
		if (way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) {
			throw refusal("path", "it leads outside of the folder that the agent works in");
		}
		if (await this.privacy.isPrivate(`${this.uri}/${way.split(path.sep).map(encodeURIComponent).join("/")}`)) {
			throw refusal("path", "it leads to something that is secret or ignored");
		}
		return real;
	}

	private async glob(pattern: string): Promise<string[]> {
		const below = path.isAbsolute(pattern) ? path.relative(this.folder, pattern) : pattern;
		const written = below.replaceAll(path.sep, "/");
		if (written.split("/").includes("..")) {
			throw refusal("pattern", "it leads outside of the folder that the agent works in");
		}
		const glob = globOf(written);
		if (glob === undefined) throw refusal("pattern", `${JSON.stringify(pattern)} is empty or too long`);
		this.privacy.forget();
		const matches: string[] = [];
		const folders = [this.uri];
		let left = LOOKED_AT_MAX;
		for (let folder = folders.pop(); folder !== undefined && matches.length < MATCHES_MAX; folder = folders.pop()) {
			// What may not be listed, or is gone, has nothing in it.
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

/** Undefined for a glob that is too long or empty. */
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

/** Error codes for a path without a file: it does not exist, a file is used as a folder, or links form a circle. */
const NOTHING: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** Opens a file that was found, unless something else has taken its place since. */
async function openSame(real: string): Promise<FileHandle> {
	const handle = await openReal(real).catch((error: unknown) => {
		throw refusal("path", `the system refuses it (${codeOf(error)})`);
	});
	if (handle === undefined) throw refusal("path", "it leads elsewhere since it was looked up; try again");
	return handle;
}

function textIn(bytes: Uint8Array): string {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		if (!text.includes("\0")) return text;
	} catch {} // no UTF-8, which is told below
	throw refusal("path", "it is no text; readBinaryFile reads it");
}

function codeOf(error: unknown): string | undefined {
	return (error as NodeJS.ErrnoException).code;
}

function tooMuch(limit: string): RpcError {
	return refusal(limit, `there is more than ${CONTENT_BYTES_MAX}, which is too much at once; ask for less`);
}

function refusal(field: string, why: string): RpcError {
	return new RpcError(ErrorCode.invalidParams, `Invalid params: params.${field}: ${why}`);
}
