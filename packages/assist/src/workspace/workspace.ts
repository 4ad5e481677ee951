import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import * as fs from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { isKeyFile, maskKeys } from "@segue/text";
import type { Buffers } from "../client.js";
import { ToolError } from "../failures.js";
import type { Permission } from "../threads/thread.js";
import { deleteFile, type FileSystem, makeFolderOf, openFile, readFolder, replaceFile, versionOf } from "./disk.js";
import { movedError } from "./file-error.js";
import {
	isGitFile,
	isLink,
	isSecret,
	isWritableName,
	leadsToSecret,
	permissionsFor,
	type ResolvedPath,
	resolvePath,
} from "./resolved-path.js";

/** Decides which files are ignored. The URI of a folder ends with a slash. */
export interface WorkspacePrivacy {
	isPrivate(uri: string): boolean | Promise<boolean>;
	/**
	 * Returns a sentence for the user that explains why a URI is private if that is not due to a pattern, for example
	 * because an ignore file is unreadable. Call it after `isPrivate`.
	 */
	problem?(uri: string): string | undefined;
	/**
	 * Drops cached ignore files. Called at the start of each turn, because ignore files are not watched for changes.
	 */
	forget?(): void;
}

// Larger files are usually generated. They can be read in parts, but not edited.
const WHOLE_BYTES_MAX = 8 * 2 ** 20;

// Number of entries to match against ignore files before yielding to the event loop. Each takes at most about 5 ms.
const ENTRIES_AT_ONCE = 100;

// More files than a thread reads. Beyond this number, the least recently read files must be read again before they are
// edited.
const SEEN_MAX = 10_000;

/**
 * A thread's folders. Keeps every path inside them, rejects secret files, and tracks which parts of files the model has
 * read, so that it cannot overwrite text it has not seen. Shared by all turns in the thread.
 */
export class ThreadWorkspace {
	/** The absolute path of the first folder. */
	readonly root: string;
	/** The state of each file when it was last read or written, by real path. */
	private readonly seen = new Map<string, SeenFile>();

	constructor(
		private readonly folders: readonly [string, ...string[]],
		private readonly privacy: WorkspacePrivacy,
		private readonly disk: FileSystem = fs,
	) {
		this.root = folders[0];
	}

	/** Drops cached ignore files. */
	refreshIgnored(): void {
		this.privacy.forget?.();
	}

	/** Resolves a path relative to the root. Throws a `ToolError` if it is invalid, outside the folders or secret. */
	resolve(written: string): Promise<ResolvedPath> {
		return resolvePath(this.folders, written);
	}

	/** Whether this is a secret file. Works for any file on the machine, because editors send whatever is open. */
	isSecret(written: string): Promise<boolean> {
		return leadsToSecret(path.resolve(this.root, written));
	}

	/** Whether an ignore file excludes the path, or the path belongs to git. */
	async isIgnored(resolved: ResolvedPath): Promise<boolean> {
		if (isGitFile(resolved)) return true;
		const end = resolved.kind === "folder" ? "/" : "";
		const uris = new Set([resolved.path, resolved.real].map((file) => pathToFileURL(file).href + end));
		for (const uri of uris) if (await this.privacy.isPrivate(uri)) return true;
		return false;
	}

	/** Returns why a path counts as ignored if that is not due to a pattern. Call it after `isIgnored`. */
	problem({ real }: ResolvedPath): string | undefined {
		return this.privacy.problem?.(pathToFileURL(real).href);
	}

	/**
	 * Returns why everything in a folder counts as ignored if that is not due to a pattern. Call it after `isIgnored`
	 * or `list`.
	 */
	problemIn(folder: ResolvedPath): string | undefined {
		return this.privacy.problem?.(`${pathToFileURL(folder.real).href.replace(/\/$/, "")}/any`);
	}

	/** Lists a folder without secret files and, unless `withIgnored`, without ignored ones. */
	async list(folder: ResolvedPath, withIgnored: boolean): Promise<Listing> {
		const { entries, links, omitted } = await listFolder(folder, this.disk);
		if (withIgnored) return { entries, links, omitted };
		const shown: ResolvedPath[] = [];
		for (const [i, resolved] of entries.entries()) {
			// Rules are mostly cached, so without this the loop would not yield, and an abort would go unnoticed.
			if (i % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await setImmediate();
			if (!(await this.isIgnored(resolved))) shown.push(resolved);
		}
		return { entries: shown, links, omitted: omitted + entries.length - shown.length };
	}

	/** Reading an ignored file needs the user's permission. */
	async permissionsToRead(resolved: ResolvedPath): Promise<readonly Permission[]> {
		return (await this.isIgnored(resolved)) ? permissionsFor("read-ignored", resolved) : [];
	}

	/** Opens a file on disk. For files that are too large to read at once. */
	async open(resolved: ResolvedPath): Promise<fs.FileHandle> {
		const handle = await openFile(resolved, this.disk);
		if (handle === undefined) throw missing(resolved);
		return handle;
	}

	/**
	 * Resolves with the text in the editor, or on disk if the file is not open; undefined for a missing file. Does not
	 * mark the file as read.
	 */
	async textOf(resolved: ResolvedPath, buffers: Buffers | undefined, signal: AbortSignal): Promise<string | undefined> {
		const open = await buffers?.read(resolved.path, signal);
		// Some clients return an empty string for a missing file.
		if (open !== undefined && (open !== "" || (await versionOf(resolved, this.disk)) !== undefined)) {
			await this.checkLink(resolved);
			return open;
		}
		const handle = await openFile(resolved, this.disk);
		if (handle === undefined) return undefined;
		try {
			const { size } = await handle.stat();
			if (size > WHOLE_BYTES_MAX) {
				throw new TooLarge(
					`${resolved.name} has ${size} bytes. Only files up to ${WHOLE_BYTES_MAX} bytes can be read at once.`,
				);
			}
			return decodeText(await handle.readFile(), resolved.name);
		} finally {
			await handle.close();
		}
	}

	/**
	 * Reads a file for the model, with keys masked. Call `markSeen` with the lines that the model gets. Throws `TooLarge`
	 * for a file that can only be read with `open`, and a `ToolError` for a private key.
	 */
	async read(resolved: ResolvedPath, buffers: Buffers | undefined, signal: AbortSignal): Promise<string> {
		const text = await this.textOf(resolved, buffers, signal);
		if (text === undefined) throw missing(resolved);
		if (isKeyFile(text)) {
			throw new ToolError(`${resolved.name} is a private key, which tools may not read. Continue without it.`);
		}
		const hash = hashOf(text);
		const known = this.seen.get(resolved.real);
		this.remember(resolved, { hash, linesSeen: known?.hash === hash ? known.linesSeen : 0 });
		return maskKeys(text);
	}

	/** Records that the model has seen these lines of the text last read. */
	markSeen({ real }: ResolvedPath, firstLine: number, lastLine: number): void {
		const known = this.seen.get(real);
		if (known === undefined || firstLine > known.linesSeen + 1) return;
		known.linesSeen = Math.max(known.linesSeen, lastLine);
	}

	/**
	 * Resolves with the current text of a file that the model wants to change; undefined for a new file. Throws if the
	 * model has not read the current text or, for "whole", has not read all of it.
	 */
	async readKnown(
		resolved: ResolvedPath,
		extent: "part" | "whole",
		buffers: Buffers | undefined,
		signal: AbortSignal,
	): Promise<string | undefined> {
		refuseGit(resolved);
		const text = await this.textOf(resolved, buffers, signal);
		if (text === undefined) return undefined;
		const known = this.seen.get(resolved.real);
		if (known === undefined) throw new ToolError(`Read ${resolved.name} before you change it.`);
		if (known.hash !== hashOf(text)) {
			throw new ToolError(`${resolved.name} has changed since you read it. Read it again before you change it.`);
		}
		if (extent === "whole" && known.linesSeen !== ALL_LINES) {
			throw new ToolError(
				`You have read only part of ${resolved.name}. Read all of it, or use edit_file to change part of it.`,
			);
		}
		return text;
	}

	/**
	 * Writes text if the file still has the content `before`: in the editor if it accepts the write, and otherwise on
	 * disk.
	 */
	async write(
		resolved: ResolvedPath,
		before: string | undefined,
		after: string,
		buffers: Buffers | undefined,
		signal: AbortSignal,
	): Promise<void> {
		if ((await this.textOf(resolved, buffers, signal)) !== before) {
			throw new ToolError(
				`${resolved.name} changed while the edit was awaiting approval. Nothing was written; read it again.`,
			);
		}
		signal.throwIfAborted();
		if (buffers !== undefined) await this.checkLink(resolved);
		const isTaken = await buffers?.write(resolved.path, after, signal);
		if (isTaken !== true) await replaceFile(resolved, after, this.disk);
		// The line numbers that the model has seen no longer apply.
		const knowsAll = before === undefined || this.seen.get(resolved.real)?.linesSeen === ALL_LINES;
		this.remember(resolved, { hash: hashOf(after), linesSeen: knowsAll ? ALL_LINES : 0 });
	}

	/** Creates the parent folders for a new file, because some editors don't create them. */
	makeFolderOf(resolved: ResolvedPath): Promise<void> {
		return makeFolderOf(resolved, this.disk);
	}

	/**
	 * Restores a file on disk to `before`, or deletes it if `before` is undefined, provided its content is still `now`.
	 */
	async restore(
		resolved: ResolvedPath,
		now: string | undefined,
		before: string | undefined,
		signal: AbortSignal,
	): Promise<void> {
		refuseGit(resolved);
		if (before !== undefined) return this.write(resolved, now, before, undefined, signal);
		const { version, text } = await this.readToDelete(resolved, signal);
		if (text !== now) throw new ToolError(`${resolved.name} changed in the meantime, so it was not deleted.`);
		await this.delete(resolved, version);
	}

	/** Deletes a file on disk if it still has this version. */
	async delete(resolved: ResolvedPath, version: string): Promise<void> {
		await deleteFile(resolved, version, this.disk);
		this.seen.delete(resolved.real);
	}

	/** Resolves with the version of a file on disk that is about to be deleted, and its content if it is text. */
	async readToDelete(
		resolved: ResolvedPath,
		signal: AbortSignal,
	): Promise<{ version: string; text: string | undefined }> {
		refuseGit(resolved);
		if (await isLink(resolved.path)) {
			throw new ToolError(
				`${resolved.name} is a link. Pass the file that it points to, or leave the link to the user.`,
			);
		}
		const version = await versionOf(resolved, this.disk);
		if (version === undefined) throw missing(resolved);
		try {
			return { version, text: await this.textOf(resolved, undefined, signal) };
		} catch (error) {
			if (error instanceof ToolError) return { version, text: undefined }; // binary and large files can also be deleted
			throw error;
		}
	}

	private remember({ real }: ResolvedPath, known: SeenFile): void {
		this.seen.delete(real);
		this.seen.set(real, known);
		const [oldest] = this.seen.keys();
		if (this.seen.size > SEEN_MAX && oldest !== undefined) this.seen.delete(oldest);
	}

	/** Throws if the links in a path have changed, because an editor would resolve them again. */
	private async checkLink(resolved: ResolvedPath): Promise<void> {
		if ((await this.resolve(resolved.path)).real !== resolved.real) throw movedError(resolved.name);
	}
}

/** The parts of a file that the model has read. */
interface SeenFile {
	readonly hash: string;
	/** The number of lines read from the start of the file without a gap. */
	linesSeen: number;
}

/** The value of `linesSeen` for a file that was read to its end. */
export const ALL_LINES = Number.POSITIVE_INFINITY;

function refuseGit(resolved: ResolvedPath): void {
	if (isGitFile(resolved)) throw new ToolError(`${resolved.name} belongs to Git, so tools may not write to it.`);
}

/** The file can only be read in parts. */
export class TooLarge extends ToolError {}

function missing({ name }: ResolvedPath): ToolError {
	return new ToolError(`${name} does not exist. Use find_files to find files by name.`);
}

function hashOf(text: string): string {
	// UTF-8 would encode all unpaired surrogates, which can occur in an editor's text, as the same bytes.
	return createHash("sha256").update(text, "utf16le").digest("base64");
}

/** Decodes UTF-8 and keeps the byte order mark. Throws a `ToolError` for binary data. Chunks can share a decoder. */
export function decodeText(
	bytes: Uint8Array,
	name: string,
	decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }),
	isPiece = false,
): string {
	try {
		const text = decoder.decode(bytes, { stream: isPiece });
		// ASCII in UTF-16 is valid UTF-8 with a NUL after each letter.
		if (!text.includes("\0")) return text;
	} catch {
		// The bytes are not UTF-8, which is handled like a NUL.
	}
	throw new ToolError(`${name} is not UTF-8 text. It is binary or has another encoding.`);
}

/** The contents of a folder that tools may see. */
interface Listing {
	/** Files and folders, sorted so that a depth-first walk visits paths in order. */
	readonly entries: readonly ResolvedPath[];
	/** Names of links. Resolve them before use, because they can point anywhere. */
	readonly links: readonly string[];
	/** The number of entries skipped because they are secret, ignored or unusable. */
	readonly omitted: number;
}

async function listFolder(folder: ResolvedPath, disk: FileSystem): Promise<Listing> {
	if (folder.kind === "nothing") throw new ToolError(`The folder ${folder.name} does not exist.`);
	if (folder.kind !== "folder") throw new ToolError(`${folder.name} is not a folder.`);
	const found = await readFolder(folder, disk);
	const entries = found
		.flatMap((entry) => entryPath(folder, entry) ?? [])
		.map((resolved) => ({ resolved, key: resolved.kind === "folder" ? `${resolved.name}/` : resolved.name }))
		.sort((a, b) => (a.key < b.key ? -1 : 1))
		.map(({ resolved }) => resolved);
	const links = found.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
	return { entries, links, omitted: found.length - entries.length - links.length };
}

function entryPath(folder: ResolvedPath, entry: Dirent): ResolvedPath | undefined {
	const kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : undefined;
	if (kind === undefined || !isWritableName(entry.name)) return undefined;
	const file = path.join(folder.path, entry.name);
	const real = path.join(folder.real, entry.name);
	if (kind === "file" && (isSecret(file) || isSecret(real))) return undefined;
	const below = (name: string) => (name === "." ? entry.name : `${name}/${entry.name}`);
	return { path: file, real, name: below(folder.name), realName: below(folder.realName), kind };
}
