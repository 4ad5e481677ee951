import { opendir } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { languageOf } from "@segue/text";
import { resolvedFiles } from "@segue/text/node";
import { Privacy } from "@segue/text/privacy";

// Far more than a project has. A folder with more is a whole disk, or hostile.
const ENTRIES_MAX = 500_000;
const FOLDERS_MAX = 50_000;
// Folders inside each other. Deeper paths are not made by people.
const DEPTH_MAX = 64;

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

/** Lists the source files of a folder that may be read: those that are not ignored, have no secret name and are no links. */
export class FolderWalk {
	private readonly privacy: Privacy;

	/** `root` is the folder's real path. */
	constructor(private readonly root: string) {
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
		const parts = name.split(path.sep);
		if (parts.length > DEPTH_MAX || parts.some((part) => NOT_WRITTEN_HERE.has(part))) return false;
		return isSource(name) && !(await this.privacy.isPrivate(this.uriOf(name)));
	}

	/**
	 * The files of each folder, the root's first, by their paths from the root. Awaits `rest` before it reads a folder. Records in
	 * `left` which folders could not be read and whether a bound was reached.
	 */
	async *folders(rest: () => Promise<void>, left: LeftOut): AsyncGenerator<readonly string[]> {
		const folders = [""];
		let entries = 0;
		for (const folder of folders) {
			await rest();
			const files: string[] = [];
			const found = await this.list(folder, ENTRIES_MAX - entries, left);
			entries += found.length;
			for (const { name, isFolder } of found) {
				const own = path.join(folder, name);
				if (!isFolder) {
					if (isSource(own) && !(await this.privacy.isPrivate(this.uriOf(own)))) files.push(own);
				} else if (NOT_WRITTEN_HERE.has(name) || (await this.privacy.isPrivate(`${this.uriOf(own)}/`))) {
					// Not to be searched.
				} else if (folders.length >= FOLDERS_MAX || own.split(path.sep).length > DEPTH_MAX) left.isCut = true;
				else folders.push(own);
			}
			yield files;
			if (entries >= ENTRIES_MAX) {
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
}

interface Entry {
	readonly name: string;
	readonly isFolder: boolean;
}

/** Rules search code only, and recognize it by the file's extension. */
function isSource(name: string): boolean {
	return languageOf(name) !== "plaintext";
}
