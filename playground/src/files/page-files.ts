import { signal } from "@preact/signals";
import { errorText } from "@segue/text";
import { uriOf } from "../projects/project.js";
import type { ServerAccess } from "../server-access.js";
import type { Tab, Workbench, WorkbenchFile } from "../workbench/workbench.js";
import { ChangedOnDisk, type DiskFile, DiskFolder, pathOf } from "./disk-folder.js";
import { fileLinesOf } from "./file-content.js";

/** A problem with a file, and the actions that the user can choose from. */
interface FileTrouble {
	/** Undefined if the problem does not concern a single file. */
	readonly uri: string | undefined;
	readonly text: string;
	readonly ways: readonly { readonly label: string; readonly go: () => void }[];
}

/** Limits the number of tabs for a sample. The chat may create any number of files in it. */
const SAMPLE_TABS_MAX = 40;

/** Opens, saves and closes the files in an opened folder. Asks before overwriting or dropping the user's text. */
export class PageFiles {
	/** Shown until the file has been read, written or closed, or until the user dismisses it. */
	readonly trouble = signal<FileTrouble | undefined>(undefined);
	/** The latest write. Writes run one after the other, because each expects the version that the previous one wrote. */
	private writing: Promise<void> = Promise.resolve();
	private refreshing: Promise<void> | undefined;
	/** Whether files may have changed since the running refresh began. */
	private isStale = false;

	constructor(
		private readonly bench: Workbench,
		private readonly server: ServerAccess,
		/** Called for each file that was written. */
		private readonly didSave: (uri: string) => void,
	) {
		bench.project.subscribe(() => {
			this.trouble.value = undefined;
		});
	}

	/** Opens a file in a tab, or brings its tab to the front. */
	async open(path: string): Promise<void> {
		const { bench } = this;
		const project = bench.project.value;
		if (project?.folder === undefined) return;
		const { root, folder } = project;
		const uri = uriOf(project, path);
		await this.attempt(uri, async () => {
			const isOpen = bench.textOf(uri) !== undefined;
			const file = isOpen ? undefined : await folder.read(path);
			// The user may have switched to another project in the meantime.
			if (bench.project.value?.root !== root) return undefined;
			// The same file may have been opened twice, and edited since.
			if (file !== undefined && bench.textOf(uri) === undefined) {
				bench.show(bench.add(path, file.content, file.version), 0);
			} else bench.show(uri);
			bench.view.focus();
			return undefined;
		});
	}

	/**
	 * Reads a file in the open folder and converts its line endings to `\n`. Resolves to undefined for a file that is
	 * not listed.
	 */
	async read(uri: string): Promise<string | undefined> {
		const path = this.pathOf(uri);
		const content = path === undefined ? undefined : (await this.bench.project.value?.folder?.read(path))?.content;
		return content === undefined ? undefined : fileLinesOf(content).join("\n");
	}

	/** Opens a file from the open folder in a tab, with the cursor at an offset. */
	async openAt(uri: string, offset: number): Promise<void> {
		const path = this.pathOf(uri);
		if (path !== undefined) await this.open(path);
		this.bench.show(uri, offset);
	}

	/** Returns the path of a file in the open folder. */
	private pathOf(uri: string): string | undefined {
		const project = this.bench.project.value;
		return project?.folder?.paths.value.find((path) => uriOf(project, path) === uri);
	}

	/**
	 * Lists the project's files again, and updates the open ones that changed on disk and have no unsaved edits. If
	 * called while it is running, it runs once more. Does not report a server that is not responding, because the next
	 * save or connection will.
	 */
	refresh(): Promise<void> {
		this.isStale = true;
		this.refreshing ??= this.refreshAll().finally(() => {
			this.refreshing = undefined;
		});
		return this.refreshing;
	}

	private async refreshAll(): Promise<void> {
		while (this.isStale) {
			this.isStale = false;
			const project = this.bench.project.value;
			try {
				if (project?.folder !== undefined) await this.refreshFolder(project.folder);
				else if (project?.isWritten) await this.refreshSample(project.root);
			} catch {
				return;
			}
		}
	}

	private async refreshFolder(folder: DiskFolder): Promise<void> {
		await folder.refresh();
		for (const { uri, path } of this.bench.tabs.value) {
			const file = this.bench.fileOf(uri);
			const version = file?.diskVersion;
			if (file === undefined || version === undefined || !folder.paths.value.includes(path)) continue;
			// A file that cannot be read, or was deleted, stays as it is. The next save reports it.
			const changed = await folder.readIfChanged(path, version).catch(() => undefined);
			const isSame = this.bench.fileOf(uri) === file && file.diskVersion === version;
			const isDirty = this.bench.tabs.value.some((tab) => tab.uri === uri && tab.isDirty);
			// If there are unsaved edits, saving asks which version to keep.
			if (changed !== undefined && isSame && !isDirty) this.replace(uri, file, changed);
		}
	}

	/** Opens new files in a sample, such as those created by the chat. The sample's other files are already open. */
	private async refreshSample(root: string): Promise<void> {
		const { bench } = this;
		const folder = await DiskFolder.open(pathOf(root), this.server);
		for (const path of folder.paths.value) {
			const isOpen = () => bench.tabs.value.some((tab) => tab.path === path);
			if (isOpen()) continue;
			if (bench.project.value?.root !== root || bench.tabs.value.length >= SAMPLE_TABS_MAX) return;
			const file = await folder.read(path).catch(() => undefined);
			if (file !== undefined && bench.project.value?.root === root && !isOpen()) bench.add(path, file.content);
		}
	}

	/** Closes a tab. Asks first if it has unsaved edits. */
	close({ uri, path, isDirty }: Tab): void {
		if (!isDirty || confirm(`Close ${path} without saving it?`)) {
			this.bench.close(uri);
			this.settle(uri);
		}
		this.bench.view.focus();
	}

	/** Writes the active file to disk. Samples are not written. */
	save(): void {
		const uri = this.bench.active.value;
		if (uri !== undefined) this.write(uri);
	}

	private write(uri: string): void {
		const file = this.bench.fileOf(uri);
		const content = this.bench.contentOf(uri);
		if (file === undefined || content === undefined) return;
		const folder = this.bench.project.value?.folder;
		this.writing = this.writing.then(() => this.attempt(uri, () => this.put(uri, file, content, folder)));
	}

	private async put(
		uri: string,
		file: WorkbenchFile,
		content: string,
		folder: DiskFolder | undefined,
	): Promise<FileTrouble | undefined> {
		try {
			const version = await folder?.write(file.path, content, file.diskVersion);
			this.bench.didSave(file, content, version);
			this.didSave(uri);
			return undefined;
		} catch (error) {
			if (error instanceof ChangedOnDisk) return this.conflict(uri, file, error.now);
			throw error;
		}
	}

	/** Lets the user choose between two versions of a file. Leaves both unchanged until the user has chosen. */
	private conflict(uri: string, file: WorkbenchFile, now: DiskFile | undefined): FileTrouble {
		const { path } = file;
		// The user cannot compare versions of a file that is not open. The next save asks again.
		if (this.bench.fileOf(uri) !== file) {
			const why = now === undefined ? "was deleted from disk" : "has changed on disk";
			const next = this.bench.isLeft(file) ? " Go back to its folder to choose a version." : "";
			return { uri, text: `${path} was not saved: it ${why}.${next}`, ways: [] };
		}
		const write = () => {
			this.bench.didLearn(file, now?.version);
			this.write(uri);
		};
		if (now === undefined) {
			return { uri, text: `${path} was deleted from disk.`, ways: [{ label: "Save it again", go: write }] };
		}
		const show = () => {
			this.settle(uri);
			this.replace(uri, file, now);
		};
		return {
			uri,
			text: `${path} has changed on disk since it was opened.`,
			ways: [
				{ label: "Overwrite", go: write },
				{ label: "Use the file on disk", go: show },
			],
		};
	}

	/** Replaces the text in a tab with the file on disk. Undo brings the text back. */
	private replace(uri: string, file: WorkbenchFile, now: DiskFile): void {
		const isOpen = this.bench.write(uri, fileLinesOf(now.content).join("\n"));
		if (isOpen) this.bench.didSave(file, now.content, now.version);
	}

	/**
	 * Runs a task for a file. Shows the problem if it fails; otherwise, removes an earlier problem with the same file.
	 */
	private async attempt(uri: string, work: () => Promise<FileTrouble | undefined>): Promise<void> {
		try {
			const trouble = await work();
			if (trouble === undefined) this.settle(uri);
			else this.trouble.value = trouble;
		} catch (error) {
			this.trouble.value = { uri, text: errorText(error), ways: [] };
		}
	}

	/** Removes a problem with this file. A problem with another file stays. */
	private settle(uri: string): void {
		const about = this.trouble.value?.uri;
		if (about === undefined || about === uri) this.trouble.value = undefined;
	}
}
