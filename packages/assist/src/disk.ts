import { randomBytes } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { access, type FileHandle, link, lstat, mkdir, open, realpath, rename, unlink } from "node:fs/promises";
import path from "node:path";
import type { Place } from "./place.js";
import { ToolError, Unreachable } from "./tool.js";

/** What files are opened with: Node's own, or a disk that is full. */
export type Open = typeof open;

/**
 * Opens a file to be read, if what is opened is what was resolved: between the two, a folder or the file may have become a
 * link to somewhere else. Undefined where there is nothing.
 */
export async function openFile({ real, name }: Place): Promise<FileHandle | undefined> {
	// Opening a pipe would wait for its other end. Where a flag does not exist, Windows, it counts as none.
	const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
	let handle: FileHandle;
	try {
		await refuseOthers(real, name);
		handle = await open(real, flags);
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw inWords(error, name);
	}
	try {
		await checkHeld(handle, real, name);
		return handle;
	} catch (error) {
		await handle.close();
		throw inWords(error, name);
	}
}

/** A device may do something when it is opened, so this is asked before and not of what is open. */
async function refuseOthers(real: string, name: string): Promise<void> {
	const found = await lstat(real);
	if (found.isDirectory()) throw new ToolError(`${name} is a folder. list_directory shows what is in it.`);
	if (!found.isFile()) throw new ToolError(`${name} is no file but a pipe, a socket, a device or a link.`);
}

async function checkHeld(handle: FileHandle, real: string, name: string): Promise<void> {
	const held = await handle.stat({ bigint: true });
	const there = (await realpath(real)) === real ? await lstat(real, { bigint: true }) : undefined;
	if (there === undefined || !isSame(held, there) || !held.isFile()) throw moved(name);
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
	return a.dev === b.dev && a.ino === b.ino;
}

export function moved(name: string): ToolError {
	return new ToolError(`${name} leads elsewhere since it was looked up. Nothing was done; try again.`);
}

/**
 * Puts a text into a file all at once: whoever reads meanwhile, and whoever comes after a crash, sees the old or the new.
 * Mode and, where that is allowed, owner stay. Folders on the way are made.
 */
export async function replaceFile({ real, name }: Place, text: string, openWith: Open): Promise<void> {
	const folder = path.dirname(real);
	const temporary = path.join(folder, `.segue-${randomBytes(8).toString("hex")}.tmp`);
	let isMade = false;
	try {
		await makeFolder(folder, name);
		const before = await statOf(real);
		if (before !== undefined) {
			await refuseOthers(real, name);
			// Renaming asks only the folder, and would go over a file that was made read-only on purpose.
			await access(real, constants.W_OK);
		}
		// What only its owner may read is not to be open to all for a moment; it gets its own mode when it is whole.
		const handle = await openWith(temporary, "wx", before === undefined ? 0o666 : 0o600);
		isMade = true;
		try {
			// Nothing is written before it is sure that the folder is still the one that was resolved.
			await checkHeld(handle, temporary, name);
			await handle.writeFile(text);
			if (before !== undefined) await keepOwnerAndMode(handle, before);
			await handle.sync();
		} finally {
			await handle.close();
		}
		// Both names are in one folder: in another one that took its place, the first does not exist.
		if (before === undefined) await moveToNew(temporary, real);
		else await rename(temporary, real);
	} catch (error) {
		if (isMade) await unlink(temporary).catch(() => {}); // the first error is the one to tell
		throw inWords(error, name);
	}
}

/** Renaming would go over what somebody else has made there in the meantime; a second name is refused. */
async function moveToNew(temporary: string, real: string): Promise<void> {
	try {
		await link(temporary, real);
	} catch (error) {
		if (!NO_LINKS.has(codeOf(error) ?? "")) throw error;
		return rename(temporary, real);
	}
	await unlink(temporary);
}

/** What file systems say that know only one name for a file. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** One by one, so that none is made behind a link that has come in between. */
async function makeFolder(folder: string, name: string): Promise<void> {
	if ((await statOf(folder)) === undefined) {
		await makeFolder(path.dirname(folder), name);
		// Somebody else may have made it in the meantime.
		await mkdir(folder, { recursive: true });
	}
	if ((await realpath(folder)) !== folder) throw moved(name);
}

async function statOf(file: string): Promise<BigIntStats | undefined> {
	try {
		return await lstat(file, { bigint: true });
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw error;
	}
}

async function keepOwnerAndMode(handle: FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> {
	const own = await handle.stat({ bigint: true });
	if (own.uid !== uid || own.gid !== gid) {
		// Only the superuser can give a file away; everybody else's edit makes it theirs, as in editors.
		await handle.chown(Number(uid), Number(gid)).catch(() => {});
	}
	await handle.chmod(Number(mode) & 0o7777);
}

/** Deletes a file that is still what it was when `version` was taken. */
export async function deleteFile(place: Place, version: string): Promise<void> {
	const { real, name } = place;
	if ((await versionOf(place)) !== version) {
		throw new ToolError(`${name} changed while its deletion was being asked for. Nothing was deleted.`);
	}
	try {
		await unlink(real);
	} catch (error) {
		throw inWords(error, name);
	}
}

/** Differs for a file that was written since, or is another one; undefined where there is none. */
export async function versionOf(place: Place): Promise<string | undefined> {
	const handle = await openFile(place);
	if (handle === undefined) return undefined;
	try {
		const { dev, ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
		return [dev, ino, size, mtimeNs, ctimeNs].join(":");
	} finally {
		await handle.close();
	}
}

export function codeOf(error: unknown): string | undefined {
	return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** What a system says, for the model. What is no system's error is left as it is. */
export function inWords(error: unknown, name: string): unknown {
	const code = codeOf(error);
	if (error instanceof ToolError || code === undefined) return error;
	const Kind = code === "ELOOP" || code === "ENOTDIR" ? Unreachable : ToolError;
	return new Kind(`${name}: ${REASONS[code] ?? `the system refuses it (${code})`}.`);
}

const REASONS: Readonly<Record<string, string>> = {
	EACCES: "the system allows no access to it",
	EDQUOT: "there is no room left for this user on the disk, and nothing was written",
	EEXIST: "somebody else has made it in the meantime, and it was left as it is",
	EISDIR: "it is a folder",
	ELOOP: "its links lead in a circle, or are too many",
	EMFILE: "too many files are open; try again",
	ENAMETOOLONG: "its name is too long",
	ENFILE: "too many files are open; try again",
	ENOENT: "there is no such file or folder",
	ENOSPC: "the disk is full, and nothing was written",
	ENOTDIR: "a part of its path is a file and no folder",
	EPERM: "the system allows no access to it",
	EROFS: "the disk is read-only",
};
