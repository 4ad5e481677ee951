import type { DiskFolder } from "../files/disk-folder.js";

/** Files to try suggestions on: a sample, an opened folder, a story or a lesson. */
export interface Project {
	/** The last part of the folder's uri. */
	readonly name: string;
	readonly title: string;
	/** The folder's uri, without a trailing slash. */
	readonly root: string;
	/** A first task for the user, in a sentence or two. Words between backticks are code. */
	readonly hint: string;
	/** The initial cursor position: the file, and the text before the cursor. */
	readonly start: { readonly path: string; readonly after: string };
	/** Files that are open at first. */
	readonly files: readonly ProjectFile[];
	/** For a folder on disk: the object that reads and writes its files. */
	readonly folder?: DiskFolder;
	/** Whether the page itself edits the files, as in a story. The agent leaves its suggestions out of the statistics. */
	readonly isDemonstration?: boolean;
	/**
	 * For a sample or a lesson: whether the server wrote its files to disk, where the chat's tools need them. Undefined
	 * for a project that is never written to disk.
	 */
	readonly isWritten?: boolean;
}

interface ProjectFile {
	/** Relative to the project. */
	readonly path: string;
	readonly text: string;
}

export function uriOf({ root }: Pick<Project, "root">, path: string): string {
	return `${root}/${path.split("/").map(encodeURIComponent).join("/")}`;
}
