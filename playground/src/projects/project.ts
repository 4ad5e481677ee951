import type { DiskFolder } from "../files/disk-folder.js";

/** Some files that belong together, to try suggestions on. */
export interface Project {
	/** The last part of its folder's uri. */
	readonly name: string;
	readonly title: string;
	/** The folder, without a slash at the end. */
	readonly root: string;
	/** What to do first, in a sentence or two. Words between backticks are code. */
	readonly hint: string;
	/** Where the cursor is put at first: the file, and the text right before it. */
	readonly start: { readonly path: string; readonly after: string };
	/** What is open in tabs at first. */
	readonly files: readonly ProjectFile[];
	/** Where its files are kept, of a folder of the person's own. */
	readonly folder?: DiskFolder;
}

interface ProjectFile {
	/** From the top of the project. */
	readonly path: string;
	readonly text: string;
}

export function uriOf({ root }: Pick<Project, "root">, path: string): string {
	return `${root}/${path.split("/").map(encodeURIComponent).join("/")}`;
}
