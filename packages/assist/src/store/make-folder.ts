import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder, with those above it that are missing, for this user alone. Node's own way of doing that never ends where the
 * system says of a folder that is there that it is not, as it does in /proc.
 */
export function makeFolder(folder: string): void {
	if (existsSync(folder)) return;
	const parent = dirname(folder);
	if (parent !== folder) makeFolder(parent);
	try {
		mkdirSync(folder, { mode: 0o700 });
	} catch (error) {
		// Another process may have made it just now.
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
}
