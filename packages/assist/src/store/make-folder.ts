import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents, accessible only by this user. Node's recursive mkdir loops forever if the
 * system reports an existing folder as missing, as in /proc.
 */
export function makeFolder(folder: string): void {
	if (existsSync(folder)) return;
	const parent = dirname(folder);
	if (parent !== folder) makeFolder(parent);
	try {
		mkdirSync(folder, { mode: 0o700 });
	} catch (error) {
		// Another process may have created it in the meantime.
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	}
}
