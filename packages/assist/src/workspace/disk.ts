import { randomBytes } from "node:crypto";
import { type BigIntStats, constants, type Dirent } from "node:fs";
import type * as fs from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../failures.js";
import { codeOf, fileError, movedError } from "./file-error.js";
import type { ResolvedPath } from "./resolved-path.js";

/** The calls to the file system: Node's, or those of a test. */
export type FileSystem = Pick<
	typeof fs,
	"access" | "link" | "lstat" | "mkdir" | "open" | "readdir" | "readlink" | "realpath" | "rename" | "unlink"
>;

/** Opens a file to be read, if it is where it was when it was resolved. Undefined where there is nothing. */
export async function openFile(resolved: ResolvedPath, disk: FileSystem): Promise<fs.FileHandle | undefined> {
	try {
		return await inFolder(disk, resolved, (folder) => openIn(folder, resolved, disk));
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw fileError(error, resolved.name);
	}
}

/** The entries of a folder, if it is where it was when it was resolved. */
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
 * Replaces the text of a file at once: a reader, or the next process after a crash, sees the old or the new text. Mode and, where
 * that is allowed, owner stay. Missing folders are created.
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
			// Renaming asks only the folder, and would go over a file that was made read-only on purpose.
			await disk.access(target, constants.W_OK);
		}
		// A file that only its owner may read must not be open to all for a moment; it gets its own mode when it is complete.
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

/** Creates the folder that a file is in, and those above it, where they are missing. */
export async function makeFolderOf({ real, name }: ResolvedPath, disk: FileSystem): Promise<void> {
	try {
		await using _folder = await HeldFolder.make(disk, path.dirname(real), name);
	} catch (error) {
		throw fileError(error, name);
	}
}

/** Deletes a file that is still what it was when `version` was taken. */
export async function deleteFile(resolved: ResolvedPath, version: string, disk: FileSystem): Promise<void> {
	try {
		await inFolder(disk, resolved, async (folder) => {
			const file = folder.pathOf(path.basename(resolved.real));
			if (!(await statOf(file, disk)) || (await versionIn(folder, resolved, disk)) !== version) {
				throw new ToolError(`${resolved.name} changed while its deletion was being asked for. Nothing was deleted.`);
			}
			await disk.unlink(file);
		});
	} catch (error) {
		throw fileError(error, resolved.name);
	}
}

/** Differs for a file that was written since, or is another one; undefined where there is none. */
export async function versionOf(resolved: ResolvedPath, disk: FileSystem): Promise<string | undefined> {
	try {
		return await inFolder(disk, resolved, (folder) => versionIn(folder, resolved, disk));
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw fileError(error, resolved.name);
	}
}

/**
 * A folder that is held while something is done in it. Between two calls to the file system another process can replace a folder by a link, so
 * a path that was checked may lead elsewhere a moment later. On Linux the folder is opened and what is in it is named by the descriptor
 * (`/proc/self/fd/N/name`), which stays the same folder whatever happens to its name. Other systems, and Linux without `/proc`, have no
 * such names: there the path is checked before and after, which leaves a small chance to a process that swaps at the right moments.
 */
class HeldFolder {
	private constructor(
		private readonly disk: FileSystem,
		private readonly folder: string,
		private readonly name: string,
		/** Undefined where descriptors cannot name what is in a folder. */
		private readonly handle: fs.FileHandle | undefined,
		/** Where the system says that the folder lies. */
		private readonly location = folder,
	) {}

	/** Opens a folder by its real path. Throws a `ToolError` if a link has come in between. */
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
		// It lies elsewhere, or the system writes its path in another way, for example on a disk that ignores letter case.
		let held = new HeldFolder(disk, "/", name, await openFolder(disk, "/", name));
		for (const part of folder.split("/").filter((each) => each !== "")) held = await held.enter(part);
		return held;
	}

	/** Opens a folder, and creates it and those above it where they are missing. */
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

	/** The folder of a name in this one, which is closed. */
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

	/** A path for what is in the folder; the folder's own for an empty name. */
	pathOf(child: string): string {
		if (this.handle !== undefined) return `${descriptor(this.handle)}/${child}`;
		return child === "" ? this.folder : path.join(this.folder, child);
	}

	/** Where the folder has only its path: throws a `ToolError` unless it still leads here, and a file was opened in it. */
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

	/** Throws a `ToolError` if the folder was moved since it was opened: nobody would look for what is written there. */
	async checkLocation(): Promise<void> {
		if (this.handle === undefined) return this.check();
		if ((await this.disk.readlink(descriptor(this.handle))) !== this.location) throw movedError(this.name);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.handle?.close();
	}
}

// Each one halves the chance of a process that swaps a folder and a link at random.
const CHECKS = 4;

/** Runs something in the folder that a file is in. */
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
		// It was a folder when it was resolved, so it is a link now.
		if (codeOf(error) === "ENOTDIR" || codeOf(error) === "ELOOP") throw movedError(name);
		throw error;
	}
}

// Linux: names a folder without a right to list it. Node has no constant for it.
const O_PATH = 0o10000000;

function descriptor({ fd }: fs.FileHandle): string {
	return `/proc/self/fd/${fd}`;
}

async function openIn(folder: HeldFolder, { real, name }: ResolvedPath, disk: FileSystem): Promise<fs.FileHandle> {
	const base = path.basename(real);
	const file = folder.pathOf(base);
	await refuseOthers(file, name, disk);
	// Opening a pipe would wait for its other end. Where a flag does not exist, on Windows, it is 0.
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

/** A device may do something when it is opened, so this is asked before and not of the open file. */
async function refuseOthers(file: string, name: string, disk: FileSystem): Promise<void> {
	const found = await disk.lstat(file);
	if (found.isDirectory()) throw new ToolError(`${name} is a folder. list_directory shows what is in it.`);
	if (!found.isFile()) throw new ToolError(`${name} is no file but a pipe, a socket, a device or a link.`);
}

/** Renaming would replace a file that another process has created in the meantime; a second name is refused. */
async function moveToNew(temporary: string, target: string, disk: FileSystem): Promise<void> {
	try {
		await disk.link(temporary, target);
	} catch (error) {
		if (!NO_LINKS.has(codeOf(error) ?? "")) throw error;
		return disk.rename(temporary, target);
	}
	await disk.unlink(temporary);
}

/** Errors of file systems that know only one name for a file. */
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
		// Only the superuser can give a file away; everybody else's edit makes it theirs, as in editors.
		await handle.chown(Number(uid), Number(gid)).catch(() => {});
	}
	await handle.chmod(Number(mode) & 0o7777);
}
