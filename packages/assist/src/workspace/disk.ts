import { randomBytes } from "node:crypto";
import { type BigIntStats, constants, type Dirent } from "node:fs";
import type * as fs from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../failures.js";
import { codeOf, fileError, movedError } from "./file-error.js";
import type { ResolvedPath } from "./resolved-path.js";

/** File system calls, replaceable in tests. */
export type FileSystem = Pick<
	typeof fs,
	"access" | "link" | "lstat" | "mkdir" | "open" | "readdir" | "readlink" | "realpath" | "rename" | "unlink"
>;

/**
 * Opens a file for reading. Throws a `ToolError` if its path has changed since it was resolved. Returns undefined for a
 * missing file.
 */
export async function openFile(resolved: ResolvedPath, disk: FileSystem): Promise<fs.FileHandle | undefined> {
	try {
		return await inFolder(disk, resolved, (folder) => openIn(folder, resolved, disk));
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw fileError(error, resolved.name);
	}
}

/** Returns a folder's entries. Throws a `ToolError` if its path has changed since it was resolved. */
export async function readFolder({ real, name }: ResolvedPath, disk: FileSystem): Promise<Dirent[]> {
	try {
		await using folder = await HeldFolder.open(disk, real, name);
		const entries = await disk.readdir(folder.pathOf(""), { withFileTypes: true });
		await folder.check();
		return entries;
	} catch (error) {
		throw fileError(error, name);
	}
}

/**
 * Replaces the content of a file atomically: a reader, or a process after a crash, sees either the old or the new text.
 * Keeps the mode and, if permitted, the owner. Creates missing folders.
 */
export async function replaceFile({ real, name }: ResolvedPath, text: string, disk: FileSystem): Promise<void> {
	try {
		await using folder = await HeldFolder.make(disk, path.dirname(real), name);
		const target = folder.pathOf(path.basename(real));
		const temporaryName = `.segue-${randomBytes(8).toString("hex")}.tmp`;
		const temporary = folder.pathOf(temporaryName);
		const before = await statOf(target, disk);
		if (before !== undefined) {
			await refuseOthers(target, name, disk);
			// Renaming needs permission only for the folder, so it could replace a file that is intentionally
			// read-only.
			await disk.access(target, constants.W_OK);
		}
		// A private file must never be readable by others, even briefly, so it gets its final mode only once it is
		// complete.
		const handle = await disk.open(temporary, "wx", before === undefined ? 0o666 : 0o600);
		try {
			try {
				await folder.check(handle, temporaryName);
				await handle.writeFile(text);
				if (before !== undefined) await keepOwnerAndMode(handle, before);
				await handle.sync();
			} finally {
				await handle.close();
			}
			await folder.checkLocation();
			if (before === undefined) await moveToNew(temporary, target, disk);
			else await disk.rename(temporary, target);
		} catch (error) {
			await disk.unlink(temporary).catch(() => {}); // the first error is the one to report
			throw error;
		}
	} catch (error) {
		throw fileError(error, name);
	}
}

/** Creates the missing parent folders of a file. */
export async function makeFolderOf({ real, name }: ResolvedPath, disk: FileSystem): Promise<void> {
	try {
		await using _folder = await HeldFolder.make(disk, path.dirname(real), name);
	} catch (error) {
		throw fileError(error, name);
	}
}

/** Deletes a file if it still has this version. */
export async function deleteFile(resolved: ResolvedPath, version: string, disk: FileSystem): Promise<void> {
	try {
		await inFolder(disk, resolved, async (folder) => {
			const file = folder.pathOf(path.basename(resolved.real));
			if (!(await statOf(file, disk)) || (await versionIn(folder, resolved, disk)) !== version) {
				throw new ToolError(`${resolved.name} changed while its deletion was awaiting approval. Nothing was deleted.`);
			}
			await disk.unlink(file);
		});
	} catch (error) {
		throw fileError(error, resolved.name);
	}
}

/** Returns a string that changes when the file is written or replaced; undefined for a missing file. */
export async function versionOf(resolved: ResolvedPath, disk: FileSystem): Promise<string | undefined> {
	try {
		return await inFolder(disk, resolved, (folder) => versionIn(folder, resolved, disk));
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw fileError(error, resolved.name);
	}
}

/**
 * A folder that is kept open during an operation. Between two file system calls, another process can replace a folder
 * with a link, so a path can point elsewhere immediately after it was checked. On Linux, files are accessed through the
 * descriptor of the open folder (`/proc/self/fd/N/name`), which refers to the same folder even if it is renamed. Other
 * systems, and Linux without `/proc`, can't do this. There, the path is checked before and after, so a process that
 * swaps at the right moments has a small chance of success.
 */
class HeldFolder {
	private constructor(
		private readonly disk: FileSystem,
		private readonly folder: string,
		private readonly name: string,
		/** Undefined if files cannot be accessed through descriptors. */
		private readonly handle: fs.FileHandle | undefined,
		/** The path of the folder as the system reports it. */
		private readonly location = folder,
	) {}

	/** Opens a folder by its real path. Throws a `ToolError` if any part of it is now a link. */
	static async open(disk: FileSystem, folder: string, name: string): Promise<HeldFolder> {
		if (process.platform !== "linux") return HeldFolder.byPath(disk, folder, name);
		const handle = await openFolder(disk, folder, name);
		try {
			if ((await disk.readlink(descriptor(handle))) === folder) return new HeldFolder(disk, folder, name, handle);
		} catch (error) {
			await handle.close();
			if (codeOf(error) === "ENOENT") return HeldFolder.byPath(disk, folder, name);
			throw error;
		}
		await handle.close();
		// The folder was moved, or the system spells its path differently, for example on a case-insensitive disk.
		let held = new HeldFolder(disk, "/", name, await openFolder(disk, "/", name));
		for (const part of folder.split("/").filter((each) => each !== "")) held = await held.enter(part);
		return held;
	}

	/** Opens a folder, creating it and its parents if missing. */
	static async make(disk: FileSystem, folder: string, name: string): Promise<HeldFolder> {
		try {
			return await HeldFolder.open(disk, folder, name);
		} catch (error) {
			if (codeOf(error) !== "ENOENT" || path.dirname(folder) === folder) throw error;
		}
		const above = await HeldFolder.make(disk, path.dirname(folder), name);
		const own = path.basename(folder);
		try {
			await disk.mkdir(above.pathOf(own));
		} catch (error) {
			if (codeOf(error) !== "EEXIST") {
				await above[Symbol.asyncDispose]();
				throw error;
			}
		}
		return above.enter(own);
	}

	private static async byPath(disk: FileSystem, folder: string, name: string): Promise<HeldFolder> {
		const held = new HeldFolder(disk, folder, name, undefined);
		await held.check();
		return held;
	}

	/** Opens a subfolder and closes this folder. */
	private async enter(part: string): Promise<HeldFolder> {
		try {
			const folder = path.join(this.folder, part);
			if (this.handle === undefined) return await HeldFolder.byPath(this.disk, folder, this.name);
			const handle = await openFolder(this.disk, this.pathOf(part), this.name);
			return new HeldFolder(this.disk, folder, this.name, handle, await this.disk.readlink(descriptor(handle)));
		} finally {
			await this[Symbol.asyncDispose]();
		}
	}

	/** Returns the path of a child or, for an empty name, of the folder itself. */
	pathOf(child: string): string {
		if (this.handle !== undefined) return `${descriptor(this.handle)}/${child}`;
		return child === "" ? this.folder : path.join(this.folder, child);
	}

	/** Without a handle, throws a `ToolError` if the path of the folder, or of a file opened in it, has changed. */
	async check(opened?: fs.FileHandle, child = ""): Promise<void> {
		if (this.handle !== undefined) return;
		const held = await opened?.stat({ bigint: true });
		for (let i = 0; i < CHECKS; i++) {
			if ((await this.disk.realpath(this.folder)) !== this.folder) throw movedError(this.name);
			if (held === undefined) continue;
			const found = await this.disk.lstat(path.join(this.folder, child), { bigint: true });
			if (found.dev !== held.dev || found.ino !== held.ino) throw movedError(this.name);
		}
	}

	/**
	 * Throws a `ToolError` if the folder has been moved since it was opened, because a new file would end up in the
	 * wrong folder.
	 */
	async checkLocation(): Promise<void> {
		if (this.handle === undefined) return this.check();
		if ((await this.disk.readlink(descriptor(this.handle))) !== this.location) throw movedError(this.name);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.handle?.close();
	}
}

// Each check halves the chance that a process succeeds by swapping a folder and a link at random.
const CHECKS = 4;

/** Runs `work` with the parent folder of a file. */
async function inFolder<T>(
	disk: FileSystem,
	{ real, name }: ResolvedPath,
	work: (folder: HeldFolder) => Promise<T>,
): Promise<T> {
	await using folder = await HeldFolder.open(disk, path.dirname(real), name);
	return await work(folder);
}

async function openFolder(disk: FileSystem, folder: string, name: string): Promise<fs.FileHandle> {
	try {
		return await disk.open(folder, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
	} catch (error) {
		// The path was a folder when it was resolved, so it is a link now.
		if (codeOf(error) === "ENOTDIR" || codeOf(error) === "ELOOP") throw movedError(name);
		throw error;
	}
}

// On Linux, opens a folder without permission to list it. Node has no constant for this flag.
const O_PATH = 0o10000000;

function descriptor({ fd }: fs.FileHandle): string {
	return `/proc/self/fd/${fd}`;
}

async function openIn(folder: HeldFolder, { real, name }: ResolvedPath, disk: FileSystem): Promise<fs.FileHandle> {
	const base = path.basename(real);
	const file = folder.pathOf(base);
	await refuseOthers(file, name, disk);
	// Without O_NONBLOCK, opening a pipe would wait for its other end. Flags that Windows lacks are 0.
	const handle = await disk.open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		await folder.check(handle, base);
		if (!(await handle.stat()).isFile()) throw movedError(name);
		return handle;
	} catch (error) {
		await handle.close();
		throw error;
	}
}

async function versionIn(folder: HeldFolder, resolved: ResolvedPath, disk: FileSystem): Promise<string> {
	await using handle = await openIn(folder, resolved, disk);
	const { dev, ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
	return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

/**
 * Throws unless the path is a regular file. Called before opening the file, because opening a device can have side
 * effects.
 */
async function refuseOthers(file: string, name: string, disk: FileSystem): Promise<void> {
	const found = await disk.lstat(file);
	if (found.isDirectory()) throw new ToolError(`${name} is a folder. Use list_directory to list it.`);
	if (!found.isFile()) throw new ToolError(`${name} is not a regular file: it is a pipe, socket, device or link.`);
}

/**
 * Moves a file by linking, which fails if another process has created the target in the meantime. Renaming would
 * replace it.
 */
async function moveToNew(temporary: string, target: string, disk: FileSystem): Promise<void> {
	try {
		await disk.link(temporary, target);
	} catch (error) {
		if (!NO_LINKS.has(codeOf(error) ?? "")) throw error;
		return disk.rename(temporary, target);
	}
	await disk.unlink(temporary);
}

/** Errors from file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function statOf(file: string, disk: FileSystem): Promise<BigIntStats | undefined> {
	try {
		return await disk.lstat(file, { bigint: true });
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw error;
	}
}

async function keepOwnerAndMode(handle: fs.FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> {
	const own = await handle.stat({ bigint: true });
	if (own.uid !== uid || own.gid !== gid) {
		// Only root can change the owner. For other users, the file becomes theirs, as it does in editors.
		await handle.chown(Number(uid), Number(gid)).catch(() => {});
	}
	await handle.chmod(Number(mode) & 0o7777);
}
