import { uriOf } from "../projects/project.js";
import type { Workbench } from "../workbench/workbench.js";
import type { DiskFolder } from "./disk-folder.js";

/** The state that the page restores after a reload of the same browser tab. */
export interface PageSession {
	readonly format: typeof FORMAT;
	/** The name of the sample, if one was being shown. */
	readonly sample: string | undefined;
	/** The opened folders. If `sample` is undefined, the last folder was being shown. */
	readonly folders: readonly FolderSession[];
}

export interface FolderSession {
	readonly path: string;
	readonly files: readonly FileSession[];
	/** The path of the active file. */
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
 * Stores the open folders in the browser tab's session storage. Other tabs cannot read it, but browsers may keep it for a
 * while after the tab is closed, so that the user can restore the tab. It contains no text from saved files and no token.
 */
export function savePageSession(
	bench: Pick<Workbench, "openFolders">,
	sample: string | undefined,
	pending: readonly FolderSession[],
): void {
	const open = bench.openFolders().map(folderSessionOf);
	const folders = [...pending.flatMap((session) => withoutOpen(session, open)), ...open];
	try {
		sessionStorage.setItem(KEY, JSON.stringify({ format: FORMAT, sample, folders }));
	} catch {
		// There is too much unsaved text for the browser's quota. The user was asked before leaving the page.
		const saved = folders.map((folder) => ({ ...folder, files: folder.files.filter(({ unsaved }) => !unsaved) }));
		sessionStorage.setItem(KEY, JSON.stringify({ format: FORMAT, sample, folders: saved }));
	}
}

/** Returns the stored state; undefined in a new tab. */
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

/** Removes the files that are open in a tab, because their text there is newer. */
function withoutOpen(session: FolderSession, open: readonly FolderSession[]): readonly FolderSession[] {
	const same = open.find(({ path }) => path === session.path);
	if (same === undefined) return [session];
	const files = session.files.filter(({ path }) => !same.files.some((file) => file.path === path));
	return files.length === 0 ? [] : [{ ...session, files }];
}

/** Whether closing the page would lose text in this folder. */
export function hasUnsavedText({ files }: FolderSession): boolean {
	return files.some(({ unsaved }) => unsaved !== undefined);
}

interface ReopenedFiles {
	/** The files that could not be opened yet. Undefined if there are none. */
	readonly rest: FolderSession | undefined;
	/** One error for each file that could not be read. */
	readonly problems: readonly unknown[];
}

/**
 * Opens a folder's files as they were before the reload, except files that are already open. Unsaved text is kept even
 * if its file was deleted or cannot be read. Opens nothing if the user switches to another project while the files are
 * being read.
 */
export async function reopenFiles(
	bench: Pick<Workbench, "project" | "active" | "textOf" | "add" | "show">,
	folder: DiskFolder,
	session: FolderSession,
): Promise<ReopenedFiles> {
	const results = await Promise.allSettled(session.files.map(({ path }) => folder.readIfPresent(path)));
	if (bench.project.value?.root !== folder.root) return { rest: session, problems: [] };
	// The user may have opened a file in the meantime.
	const front = bench.active.value ?? (session.active === undefined ? undefined : uriOf(folder, session.active));
	const failed: FileSession[] = [];
	for (const [i, file] of session.files.entries()) {
		const { path, cursor, diskVersion, unsaved } = file;
		const result = results[i];
		const found = result?.status === "fulfilled" ? result.value : undefined;
		if (bench.textOf(uriOf(folder, path)) !== undefined) continue;
		if (found === undefined && unsaved === undefined) {
			if (result?.status === "rejected") failed.push(file);
			continue;
		}
		// If there is unsaved text, keep its version, so that saving notices changes on disk since the text was read.
		const version = unsaved === undefined ? found?.version : diskVersion;
		bench.show(bench.add(path, found?.content ?? "", version, unsaved), cursor);
	}
	if (front !== undefined) bench.show(front);
	const problems = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
	return { rest: failed.length === 0 ? undefined : { ...session, files: failed }, problems };
}
