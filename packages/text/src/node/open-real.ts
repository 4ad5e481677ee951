import { constants } from "node:fs";
import * as fs from "node:fs/promises";

/** The file system calls, replaceable in tests. */
export type Disk = Pick<typeof fs, "lstat" | "open" | "readlink" | "realpath">;

/**
 * Opens a file for reading by its real path, which must not contain links. Resolves to undefined if the path is a
 * folder, a device or a link, or if a parent folder has become a link in the meantime. Rejects with other system
 * errors, for example if the file does not exist.
 */
export async function openReal(real: string, disk: Disk = fs): Promise<fs.FileHandle | undefined> {
	// Opening a device may have side effects, and opening a pipe would block.
	if (!(await disk.lstat(real)).isFile()) return undefined;
	const handle = await disk.open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		if ((await handle.stat()).isFile() && (await isAt(handle, real, disk))) return handle;
	} catch (error) {
		await handle.close();
		throw error;
	}
	await handle.close();
	return undefined;
}

/** Whether an open file is at a path. Linux can tell directly; on other systems, the path is checked several times. */
async function isAt(handle: fs.FileHandle, real: string, disk: Disk): Promise<boolean> {
	const place = await disk.readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
	if (place === real) return true;
	// On a case-insensitive disk, the system may report the path with different capitalization.
	if (place !== undefined && place.toLowerCase() !== real.toLowerCase()) return false;
	const held = await handle.stat({ bigint: true });
	for (let i = 0; i < CHECKS; i++) {
		if ((await disk.realpath(real)) !== real) return false;
		const found = await disk.lstat(real, { bigint: true });
		if (found.dev !== held.dev || found.ino !== held.ino) return false;
	}
	return true;
}

// Each check halves the chance of success for a process that swaps a folder and a link at random.
const CHECKS = 4;
