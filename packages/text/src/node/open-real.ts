import { constants } from "node:fs";
import * as fs from "node:fs/promises";

/** The calls to the file system: Node's, or those of a test. */
export type Disk = Pick<typeof fs, "lstat" | "open" | "readlink" | "realpath">;

/**
 * Opens a file for reading by its real path, in which no link was followed. Undefined where something else is there, a folder, a device or a
 * link, or where a folder on the way has become a link since. Throws what the system says, for example that there is nothing.
 */
export async function openReal(real: string, disk: Disk = fs): Promise<fs.FileHandle | undefined> {
	// A device may do something when it is opened, and a pipe would wait for its other end.
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

/** Whether an open file lies at a path. Linux says where; on other systems the path is looked at several times. */
async function isAt(handle: fs.FileHandle, real: string, disk: Disk): Promise<boolean> {
	const place = await disk.readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
	if (place === real) return true;
	// On a disk that ignores letter case, the system may write the path in another way than it was asked for.
	if (place !== undefined && place.toLowerCase() !== real.toLowerCase()) return false;
	const held = await handle.stat({ bigint: true });
	for (let i = 0; i < CHECKS; i++) {
		if ((await disk.realpath(real)) !== real) return false;
		const found = await disk.lstat(real, { bigint: true });
		if (found.dev !== held.dev || found.ino !== held.ino) return false;
	}
	return true;
}

// Each one halves the chance of a process that swaps a folder and a link at random.
const CHECKS = 4;
