import { opendir } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { languageOf } from "@segue/text";
import { resolvedFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";

export interface WalkLimits {
	readonly entries: number;
	readonly folders: number;
	/** Maximum nesting of folders. */
	readonly depth: number;
}

/** Far more than a project has. A folder with more entries is either a whole disk or malicious. */
export const WALK_LIMITS: WalkLimits = { entries: 500_000, folders: 50_000, depth: 64 };

// Checking this many names against ignore files takes about five milliseconds. Searches run in between.
const ENTRIES_AT_ONCE = 256;

/** Folders in which tools store dependencies and caches. Skipped even in a project without an ignore file. */
const NOT_WRITTEN_HERE = new Set([
	".git",
	".hg",
	".mypy_cache",
	".svn",
	".tox",
	".venv",
	"__pycache__",
	"bower_components",
	"node_modules",
]);

/** Lists the source files in a folder. Skips ignored files, files with secret names, and symbolic links. */
export class FolderWalk {
	private readonly privacy: Privacy;

	/** `root` is the folder's real path. */
	constructor(
		private readonly root: string,
		private readonly limits: WalkLimits,
	) {
		const uri = pathToFileURL(root).href;
		this.privacy = new Privacy(
			resolvedFiles(() => ({ folders: [{ uri }] })),
			() => [uri],
		);
	}

	/** Must be called when an ignore file may have changed. */
	forget(): void {
		this.privacy.forget();
	}

	/** Whether a walk would list a file, given by its path from the root. */
	async includes(name: string): Promise<boolean> {
		return isSource(name) && this.mayHold(name) && !(await this.privacy.isPrivate(this.uriOf(name)));
	}

	/** Whether a walk would visit a folder, given by its path from the root. */
	async includesFolder(name: string): Promise<boolean> {
		return this.mayHold(name) && !(await this.privacy.isPrivate(`${this.uriOf(name)}/`));
	}

	private mayHold(name: string): boolean {
		const parts = name.split(path.sep);
		return parts.length <= this.limits.depth && !parts.some((part) => NOT_WRITTEN_HERE.has(part));
	}

	/**
	 * Yields the files in each folder as paths from the root, starting with the root. Awaits `rest` before each folder
	 * and after every few hundred entries. Records in `left` unreadable folders and whether a limit was reached.
	 */
	async *folders(rest: () => Promise<void>, left: LeftOut, isClosed: () => boolean): AsyncGenerator<readonly string[]> {
		const { limits } = this;
		const folders = [""];
		let entries = 0;
		for (const folder of folders) {
			await rest();
			const files: string[] = [];
			const found = await this.list(folder, limits.entries - entries, left);
			entries += found.length;
			for (const [i, { name, isFolder }] of found.entries()) {
				if (i > 0 && i % ENTRIES_AT_ONCE === 0) {
					// Cached ignore rules resolve in microtasks, so without this the event loop would be blocked.
					await setImmediate();
					await rest();
				}
				if (isClosed()) return;
				const own = path.join(folder, name);
				if (!isFolder) {
					if (isSource(own) && !(await this.privacy.isPrivate(this.uriOf(own)))) files.push(own);
				} else if (NOT_WRITTEN_HERE.has(name) || (await this.privacy.isPrivate(`${this.uriOf(own)}/`))) {
					// Skip this folder.
				} else if (folders.length >= limits.folders || own.split(path.sep).length > limits.depth) left.isCut = true;
				else folders.push(own);
			}
			yield files;
			if (entries >= limits.entries) {
				left.isCut = true;
				return;
			}
		}
	}

	/** Skips links, devices and pipes. If the folder was replaced by a link, `openReal` refuses its files. */
	private async list(folder: string, max: number, left: LeftOut): Promise<Entry[]> {
		const found: Entry[] = [];
		try {
			// Breaking out of the loop closes the directory handle.
			for await (const entry of await opendir(path.join(this.root, folder), { bufferSize: 256 })) {
				if (found.length >= max) break;
				if (entry.isFile() || entry.isDirectory()) found.push({ name: entry.name, isFolder: entry.isDirectory() });
			}
		} catch {
			left.unreadable++; // no permission, or deleted
		}
		return found.sort((a, b) => (a.name < b.name ? -1 : 1));
	}

	private uriOf(name: string): string {
		return pathToFileURL(path.join(this.root, name)).href;
	}
}

/** The reasons why a walk may be incomplete. */
export interface LeftOut {
	/** Folders that could not be read. */
	unreadable: number;
	/** A limit was reached. */
	isCut: boolean;
	/** Reading a file took too long. */
	isSlow: boolean;
}

interface Entry {
	readonly name: string;
	readonly isFolder: boolean;
}

/** Rules only search code, which is recognized by its extension. go.mod contains the prefix of Go import paths. */
function isSource(name: string): boolean {
	return languageOf(name) !== "plaintext" || path.basename(name) === "go.mod";
}
