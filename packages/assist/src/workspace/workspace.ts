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

/** Knows what is ignored. A slash at the end of a uri makes it a folder's. */
export interface WorkspacePrivacy {
	isPrivate(uri: string): boolean | Promise<boolean>;
	/** Why a uri is private although no pattern may speak of it, in a sentence for the user; asked after `isPrivate`. */
	problem?(uri: string): string | undefined;
	/** Called at the beginning of each turn: nobody tells us of ignore files that were written since the last. */
	forget?(): void;
}

// What is larger was not written by hand, and is read in parts and never edited.
const WHOLE_BYTES_MAX = 8 * 2 ** 20;

// Entries of a folder that are matched with ignore files before other work of the process has its turn. Each takes at most about 5 ms.
const ENTRIES_AT_ONCE = 100;

// More files than a thread reads. Beyond that, those read first have to be read again before they are edited.
const SEEN_MAX = 10_000;

/**
 * The folders that a thread may work in. It keeps every path inside them, refuses secrets, and remembers what was read of
 * which file, so that nothing is overwritten that the assistant has not seen. It lasts as long as the thread is worked on.
 */
export class ThreadWorkspace {
	/** Absolute. */
	readonly root: string;
	/** What was last read or written, by the real path. */
	private readonly seen = new Map<string, SeenFile>();

	constructor(
		private readonly folders: readonly [string, ...string[]],
		private readonly privacy: WorkspacePrivacy,
		private readonly disk: FileSystem = fs,
	) {
		this.root = folders[0];
	}

	/** Sees anew what is ignored. */
	refreshIgnored(): void {
		this.privacy.forget?.();
	}

	/** Relative paths start at the root. Throws a `ToolError` for what lies outside, is secret or cannot be meant. */
	resolve(written: string): Promise<ResolvedPath> {
		return resolvePath(this.folders, written);
	}

	/** Of any file on the machine, since editors send what they have open. */
	isSecret(written: string): Promise<boolean> {
		return leadsToSecret(path.resolve(this.root, written));
	}

	/** Whether somebody wanted it left alone: by an ignore file, or as git's own. */
	async isIgnored(resolved: ResolvedPath): Promise<boolean> {
		if (isGitFile(resolved)) return true;
		const end = resolved.kind === "folder" ? "/" : "";
		const uris = new Set([resolved.path, resolved.real].map((file) => pathToFileURL(file).href + end));
		for (const uri of uris) if (await this.privacy.isPrivate(uri)) return true;
		return false;
	}

	/** Why something counts as ignored although no ignore file may speak of it; asked after `isIgnored`. */
	problem({ real }: ResolvedPath): string | undefined {
		return this.privacy.problem?.(pathToFileURL(real).href);
	}

	/** Why all that is in a folder counts as ignored although no ignore file may speak of it; asked after `isIgnored` or `list`. */
	problemIn(folder: ResolvedPath): string | undefined {
		return this.privacy.problem?.(`${pathToFileURL(folder.real).href.replace(/\/$/, "")}/any`);
	}

	/** What is in a folder. Secrets are never in it, and ignored files only where they are asked for. */
	async list(folder: ResolvedPath, withIgnored: boolean): Promise<Listing> {
		const { entries, links, omitted } = await listFolder(folder, this.disk);
		if (withIgnored) return { entries, links, omitted };
		const shown: ResolvedPath[] = [];
		for (const [i, resolved] of entries.entries()) {
			// The rules are mostly read already, so that nothing here waits and signals would not be handled.
			if (i % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await setImmediate();
			if (!(await this.isIgnored(resolved))) shown.push(resolved);
		}
		return { entries: shown, links, omitted: omitted + entries.length - shown.length };
	}

	/** What is ignored is somebody's wish to have it left alone, so they are asked. */
	async permissionsToRead(resolved: ResolvedPath): Promise<readonly Permission[]> {
		return (await this.isIgnored(resolved)) ? permissionsFor("read-ignored", resolved) : [];
	}

	/** Opens a file as it is on disk, for what is too large to be read whole. */
	async open(resolved: ResolvedPath): Promise<fs.FileHandle> {
		const handle = await openFile(resolved, this.disk);
		if (handle === undefined) throw missing(resolved);
		return handle;
	}

	/** The editor's text, else the text on disk; undefined for a missing file. The file does not count as read by this. */
	async textOf(resolved: ResolvedPath, buffers: Buffers | undefined, signal: AbortSignal): Promise<string | undefined> {
		const open = await buffers?.read(resolved.path, signal);
		// Some clients answer with an empty text for a file that does not exist.
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
					`${resolved.name} has ${size} bytes, more than the ${WHOLE_BYTES_MAX} that are read at once.`,
				);
			}
			return decodeText(await handle.readFile(), resolved.name);
		} finally {
			await handle.close();
		}
	}

	/**
	 * A whole text as a model may be shown it, with keys masked; `saw` says how much of it counts as read. Throws a `TooLarge`
	 * for a file that can only be opened, and a `ToolError` for one that is a private key.
	 */
	async read(resolved: ResolvedPath, buffers: Buffers | undefined, signal: AbortSignal): Promise<string> {
		const text = await this.textOf(resolved, buffers, signal);
		if (text === undefined) throw missing(resolved);
		if (isKeyFile(text)) throw new ToolError(`${resolved.name} is a private key, and no tool reads it. Do without it.`);
		const hash = hashOf(text);
		const known = this.seen.get(resolved.real);
		this.remember(resolved, { hash, linesSeen: known?.hash === hash ? known.linesSeen : 0 });
		return maskKeys(text);
	}

	/** The assistant was shown these lines of what was read. */
	markSeen({ real }: ResolvedPath, firstLine: number, lastLine: number): void {
		const known = this.seen.get(real);
		if (known === undefined || firstLine > known.linesSeen + 1) return;
		known.linesSeen = Math.max(known.linesSeen, lastLine);
	}

	/**
	 * What is to be replaced, or undefined for a new file. Throws where the assistant does not know it as it is: all of it,
	 * where all of it is replaced.
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
			throw new ToolError(`${resolved.name} changed since you read it. Read it again, then decide anew.`);
		}
		if (extent === "whole" && known.linesSeen !== ALL_LINES) {
			throw new ToolError(
				`You have read only a part of ${resolved.name}. Read all of it, or change a part with edit_file.`,
			);
		}
		return text;
	}

	/** Writes a text where `before` is still what is there: in the editor where it takes it, else on disk. */
	async write(
		resolved: ResolvedPath,
		before: string | undefined,
		after: string,
		buffers: Buffers | undefined,
		signal: AbortSignal,
	): Promise<void> {
		if ((await this.textOf(resolved, buffers, signal)) !== before) {
			throw new ToolError(
				`${resolved.name} changed while this was being asked for. Nothing was written; read it again.`,
			);
		}
		signal.throwIfAborted();
		if (buffers !== undefined) await this.checkLink(resolved);
		const isTaken = await buffers?.write(resolved.path, after, signal);
		if (isTaken !== true) await replaceFile(resolved, after, this.disk);
		// What was seen of it in part is in other lines now.
		const knowsAll = before === undefined || this.seen.get(resolved.real)?.linesSeen === ALL_LINES;
		this.remember(resolved, { hash: hashOf(after), linesSeen: knowsAll ? ALL_LINES : 0 });
	}

	/** Creates the folders on the way to a new file: editors that write files may not create folders. */
	makeFolderOf(resolved: ResolvedPath): Promise<void> {
		return makeFolderOf(resolved, this.disk);
	}

	/** Makes a file on disk what it was, undefined where it was not there, if it is still as it is `now`. */
	async restore(
		resolved: ResolvedPath,
		now: string | undefined,
		before: string | undefined,
		signal: AbortSignal,
	): Promise<void> {
		refuseGit(resolved);
		if (before !== undefined) return this.write(resolved, now, before, undefined, signal);
		const { version, text } = await this.readToDelete(resolved, signal);
		if (text !== now) throw new ToolError(`${resolved.name} changed in the meantime, and was left as it is.`);
		await this.delete(resolved, version);
	}

	/** Deletes a file on disk, if it is still of that version. */
	async delete(resolved: ResolvedPath, version: string): Promise<void> {
		await deleteFile(resolved, version, this.disk);
		this.seen.delete(resolved.real);
	}

	/** What a file on disk is that is to be deleted: its version, and its text if it is one. */
	async readToDelete(
		resolved: ResolvedPath,
		signal: AbortSignal,
	): Promise<{ version: string; text: string | undefined }> {
		refuseGit(resolved);
		if (await isLink(resolved.path)) {
			throw new ToolError(`${resolved.name} is a link. Name the file that it leads to, or leave the link to the user.`);
		}
		const version = await versionOf(resolved, this.disk);
		if (version === undefined) throw missing(resolved);
		try {
			return { version, text: await this.textOf(resolved, undefined, signal) };
		} catch (error) {
			if (error instanceof ToolError) return { version, text: undefined }; // binary or large, which can be deleted too
			throw error;
		}
	}

	private remember({ real }: ResolvedPath, known: SeenFile): void {
		this.seen.delete(real);
		this.seen.set(real, known);
		const [oldest] = this.seen.keys();
		if (this.seen.size > SEEN_MAX && oldest !== undefined) this.seen.delete(oldest);
	}

	/** An editor goes by the path and follows links itself, so they have to lead where they did. */
	private async checkLink(resolved: ResolvedPath): Promise<void> {
		if ((await this.resolve(resolved.path)).real !== resolved.real) throw movedError(resolved.name);
	}
}

/** What the assistant knows of a file. */
interface SeenFile {
	readonly hash: string;
	/** How many lines it has seen from the first on, without a gap. */
	linesSeen: number;
}

/** The last line of what was seen to its end. */
export const ALL_LINES = Number.POSITIVE_INFINITY;

function refuseGit(resolved: ResolvedPath): void {
	if (isGitFile(resolved)) throw new ToolError(`${resolved.name} is git's own, and no tool writes there.`);
}

/** A file can only be read in parts. */
export class TooLarge extends ToolError {}

function missing({ name }: ResolvedPath): ToolError {
	return new ToolError(`There is no file ${name}. find_files finds files by their names.`);
}

function hashOf(text: string): string {
	// In UTF-16, because in UTF-8 the halves of characters, which editors may have, are all the same.
	return createHash("sha256").update(text, "utf16le").digest("base64");
}

/** Bytes as text, with its byte order mark. Throws a `ToolError` for what is none. A text may come in several pieces. */
export function decodeText(
	bytes: Uint8Array,
	name: string,
	decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }),
	isPiece = false,
): string {
	try {
		const text = decoder.decode(bytes, { stream: isPiece });
		// ASCII in UTF-16 is valid UTF-8, with one of these behind each letter.
		if (!text.includes("\0")) return text;
	} catch {
		// Not UTF-8, which is as binary as what holds a NUL.
	}
	throw new ToolError(`${name} is not text in UTF-8: a binary file, or one in another encoding.`);
}

/** What is in a folder, as far as tools may know it. */
interface Listing {
	/** Files and folders, in the order that their paths have with all that is below them. */
	readonly entries: readonly ResolvedPath[];
	/** Links, which lead anywhere: whoever wants to know resolves them. */
	readonly links: readonly string[];
	/** How many are not in it: secret, ignored, or nothing that a tool could be told of. */
	readonly omitted: number;
}

async function listFolder(folder: ResolvedPath, disk: FileSystem): Promise<Listing> {
	if (folder.kind === "nothing") throw new ToolError(`There is no folder ${folder.name}.`);
	if (folder.kind !== "folder") throw new ToolError(`${folder.name} is no folder.`);
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
