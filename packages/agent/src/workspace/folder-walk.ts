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
	/** Folders inside each other. */
	readonly depth: number;
}

/** Far more than a project has. A folder with more is a whole disk, or hostile. */
export const WALK_LIMITS: WalkLimits = { entries: 500_000, folders: 50_000, depth: 64 };

// Checking so many names against ignore files takes about five milliseconds. Searches are answered in between.
const ENTRIES_AT_ONCE = 256;

/** Folders of tools, with dependencies and caches. A project without an ignore file may have them, too. */
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

/** Lists the source files of a folder that may be read: those that are not ignored, have no secret name and are not links. */
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

	/** An ignore file may have changed. */
	forget(): void {
		this.privacy.forget();
	}

	/** Whether a file, named by its path from the root, is one of those that a walk would list. */
	async includes(name: string): Promise<boolean> {
		return isSource(name) && this.mayHold(name) && !(await this.privacy.isPrivate(this.uriOf(name)));
	}

	/** Whether a folder, named by its path from the root, is one that a walk would list the files of. */
	async includesFolder(name: string): Promise<boolean> {
		return this.mayHold(name) && !(await this.privacy.isPrivate(`${this.uriOf(name)}/`));
	}

	private mayHold(name: string): boolean {
		const parts = name.split(path.sep);
		return parts.length <= this.limits.depth && !parts.some((part) => NOT_WRITTEN_HERE.has(part));
	}

	/**
	 * The files of each folder, the root's first, by their paths from the root. Awaits `rest` before it reads a folder and after some
	 * hundred entries. Records in `left` which folders could not be read and whether a bound was reached.
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
					// What is known about ignore files is answered at once, so nothing else leaves the microtask queue.
					await setImmediate();
					await rest();
				}
				if (isClosed()) return;
				const own = path.join(folder, name);
				if (!isFolder) {
					if (isSource(own) && !(await this.privacy.isPrivate(this.uriOf(own)))) files.push(own);
				} else if (NOT_WRITTEN_HERE.has(name) || (await this.privacy.isPrivate(`${this.uriOf(own)}/`))) {
					// Not to be searched.
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

	/** Leaves out links, devices and pipes. If the folder was replaced by a link, `openReal` refuses the files of this list. */
	private async list(folder: string, max: number, left: LeftOut): Promise<Entry[]> {
		const found: Entry[] = [];
		try {
			// Leaving the loop closes the folder.
			for await (const entry of await opendir(path.join(this.root, folder), { bufferSize: 256 })) {
				if (found.length >= max) break;
				if (entry.isFile() || entry.isDirectory()) found.push({ name: entry.name, isFolder: entry.isDirectory() });
			}
		} catch {
			left.unreadable++; // no permission, or deleted meanwhile
		}
		return found.sort((a, b) => (a.name < b.name ? -1 : 1));
	}

	private uriOf(name: string): string {
		return pathToFileURL(path.join(this.root, name)).href;
	}
}

/** Why a walk may be incomplete. */
export interface LeftOut {
	/** Folders that could not be read. */
	unreadable: number;
	/** A bound was reached. */
	isCut: boolean;
	/** Reading a file took too long. */
	isSlow: boolean;
}

interface Entry {
	readonly name: string;
	readonly isFolder: boolean;
}

/** Rules search code only, and recognize it by the file's extension. The names of Go's packages begin with the one in go.mod. */
function isSource(name: string): boolean {
	return languageOf(name) !== "plaintext" || path.basename(name) === "go.mod";
}
