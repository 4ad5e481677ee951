import { signal } from "@preact/signals";
import { errorText } from "@segue/text";
import { uriOf } from "../projects/project.js";
import type { Tab, Workbench, WorkbenchFile } from "../workbench/workbench.js";
import { ChangedOnDisk, type DiskFile, type DiskFolder } from "./disk-folder.js";
import { fileLinesOf } from "./file-content.js";

/** What went wrong with a file, and what the person can do about it. */
interface FileTrouble {
	/** Of the file; undefined where it is the matter of none. */
	readonly uri: string | undefined;
	readonly text: string;
	readonly ways: readonly { readonly label: string; readonly go: () => void }[];
}

/** The files of an opened folder: opened in tabs, saved and closed. What a person wrote goes only where they say so. */
export class PageFiles {
	/** Until the file is read, written or closed after all, or the person has seen it. */
	readonly trouble = signal<FileTrouble | undefined>(undefined);
	/** The last of what is being written. The next is written over what that has made of the file. */
	private writing: Promise<void> = Promise.resolve();

	constructor(
		private readonly bench: Workbench,
		/** Told of each file that was written. */
		private readonly didSave: (uri: string) => void,
	) {
		bench.project.subscribe(() => {
			this.trouble.value = undefined;
		});
	}

	/** Opens a file in a tab. */
	async open(path: string): Promise<void> {
		const { bench } = this;
		const project = bench.project.value;
		if (project?.folder === undefined) return;
		const { root, folder } = project;
		const uri = uriOf(project, path);
		await this.attempt(uri, async () => {
			const { content, version } = await folder.read(path);
			// Who has turned to another project meanwhile stays there.
			if (bench.project.value?.root !== root) return undefined;
			// What was asked for twice may have been typed in by now.
			if (bench.textOf(uri) === undefined) bench.show(bench.add(path, content, version), 0);
			else bench.show(uri);
			bench.view.focus();
			return undefined;
		});
	}

	/** The text of a file of the open folder, as a tab would show it. Undefined for a file that was not listed when the folder was opened. */
	async read(uri: string): Promise<string | undefined> {
		const path = this.pathOf(uri);
		const content = path === undefined ? undefined : (await this.bench.project.value?.folder?.read(path))?.content;
		return content === undefined ? undefined : fileLinesOf(content).join("\n");
	}

	/** Opens a file of the open folder in a tab, with the cursor at an offset. */
	async openAt(uri: string, offset: number): Promise<void> {
		const path = this.pathOf(uri);
		if (path !== undefined) await this.open(path);
		this.bench.show(uri, offset);
	}

	/** The path of a file in the open folder. */
	private pathOf(uri: string): string | undefined {
		const project = this.bench.project.value;
		return project?.folder?.paths.find((path) => uriOf(project, path) === uri);
	}

	/** Closes a tab, after a question where something would be lost. */
	close({ uri, path, isDirty }: Tab): void {
		if (!isDirty || confirm(`Close ${path} without saving it?`)) {
			this.bench.close(uri);
			this.settle(uri);
		}
		this.bench.view.focus();
	}

	/** Writes the file in front, as it is now, to where it is kept. The samples are kept nowhere. */
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

	/** The person says which of the two is right; until then both stay as they are. */
	private conflict(uri: string, file: WorkbenchFile, now: DiskFile | undefined): FileTrouble {
		const { path } = file;
		// Nothing can be decided on a file that is not there to be seen. Who saves it again is asked then.
		if (this.bench.fileOf(uri) !== file) {
			const why = now === undefined ? "is no longer on disk" : "has changed on disk";
			const next = this.bench.isLeft(file) ? " Go back to its folder to decide." : "";
			return { uri, text: `${path} was not saved: it ${why}.${next}`, ways: [] };
		}
		const write = () => {
			this.bench.didLearn(file, now?.version);
			this.write(uri);
		};
		if (now === undefined) {
			return { uri, text: `${path} is no longer on disk.`, ways: [{ label: "Write it anew", go: write }] };
		}
		const show = () => {
			this.settle(uri);
			// What was typed comes back with undo.
			const isOpen = this.bench.write(uri, fileLinesOf(now.content).join("\n"));
			if (isOpen) this.bench.didSave(file, now.content, now.version);
		};
		return {
			uri,
			text: `${path} has changed on disk since it was opened.`,
			ways: [
				{ label: "Overwrite what is on disk", go: write },
				{ label: "Show what is on disk", go: show },
			],
		};
	}

	/** Tells the person of the trouble that there is with a file in the end, if any. */
	private async attempt(uri: string, work: () => Promise<FileTrouble | undefined>): Promise<void> {
		try {
			const trouble = await work();
			if (trouble === undefined) this.settle(uri);
			else this.trouble.value = trouble;
		} catch (error) {
			this.trouble.value = { uri, text: errorText(error), ways: [] };
		}
	}

	/** All is well with a file. What is wrong with another is still to be told. */
	private settle(uri: string): void {
		const about = this.trouble.value?.uri;
		if (about === undefined || about === uri) this.trouble.value = undefined;
	}
}
