import type { Workbench } from "../workbench/workbench.js";
import type { DiskFolder } from "./disk-folder.js";

/** The state that the page restores after a reload of the same browser tab. */
export interface PageSession {
	readonly format: typeof FORMAT;
	/** The name of the sample that was in front, if any. */
	readonly sample: string | undefined;
	/** Opened folders. If there is no sample, the last folder was in front. */
	readonly folders: readonly FolderSession[];
}

export interface FolderSession {
	readonly path: string;
	readonly files: readonly FileSession[];
	/** The path of the file in front. */
	readonly active: string | undefined;
}

export interface FileSession {
	readonly path: string;
	readonly cursor: number;
	/** The version on disk that the text is based on. */
	readonly diskVersion: string | undefined;
	/** Only unsaved text is stored. */
	readonly unsaved?: string;
}

const FORMAT = 1;
const KEY = "segue-session";

/**
 * Stores the open folders in the browser tab's session storage, which the browser deletes with the tab. It contains no
 * text from saved files and no token.
 */
export function savePageSession(bench: Workbench, sample: string | undefined, failed: readonly FolderSession[]): void {
	const folders = [...failed, ...bench.openFolders().map(folderSessionOf)];
	try {
		sessionStorage.setItem(KEY, JSON.stringify({ format: FORMAT, sample, folders }));
	} catch {
		// Too much unsaved text for the browser's quota. The user was asked before leaving the page.
		const saved = folders.map((folder) => ({ ...folder, files: folder.files.filter(({ unsaved }) => !unsaved) }));
		sessionStorage.setItem(KEY, JSON.stringify({ format: FORMAT, sample, folders: saved }));
	}
}

/** Undefined in a new tab. */
export function readPageSession(): PageSession | undefined {
	try {
		const session = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as PageSession | null;
		return session?.format === FORMAT ? session : undefined;
	} catch {
		return undefined;
	}
}

function folderSessionOf({ folder, files, active }: ReturnType<Workbench["openFolders"]>[number]): FolderSession {
	return {
		path: folder.path,
		active,
		files: files.map(({ path, state, saved, diskVersion }) => ({
			path,
			cursor: state.selection.main.head,
			diskVersion,
			...(!state.doc.eq(saved) && { unsaved: state.doc.toString() }),
		})),
	};
}

/** Opens the files of a folder as they were before the reload. Unsaved text is kept even if its file was deleted. */
export async function reopenFiles(bench: Workbench, folder: DiskFolder, session: FolderSession): Promise<void> {
	for (const { path, cursor, diskVersion, unsaved } of session.files) {
		const found = await folder.readIfPresent(path);
		if (found === undefined && unsaved === undefined) continue;
		// With unsaved text, saving must still notice a change on disk since the text was read.
		const version = unsaved === undefined ? found?.version : diskVersion;
		bench.show(bench.add(path, found?.content ?? "", version, unsaved), cursor);
	}
	const active = bench.tabs.value.find(({ path }) => path === session.active);
	if (active !== undefined) bench.show(active.uri);
}
