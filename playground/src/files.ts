import { signal } from "@preact/signals";
import { linesOf } from "./content.js";
import { ChangedOnDisk, type DiskFile, type Folder } from "./folder.js";
import { uriOf } from "./projects/project.js";
import type { Tab, Workbench } from "./workbench.js";

/** What went wrong with a file, and what the person can do about it. */
interface FileTrouble {
	readonly text: string;
	readonly ways: readonly { readonly label: string; readonly go: () => void }[];
}

/** The files of an opened folder: opened in tabs, saved and closed. What a person wrote goes only where they say so. */
export class Files {
	/** Until a file is read or written after all, or the person has seen it. */
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
		await this.attempt(async () => {
			const { content, version } = await folder.read(path);
			// Who has turned to another project meanwhile stays there.
			if (bench.project.value?.root !== root) return undefined;
			const uri = uriOf(project, path);
			// What was asked for twice may have been typed in by now.
			if (bench.textOf(uri) === undefined) bench.show(bench.add(path, content, version), 0);
			else bench.show(uri);
			bench.view.focus();
			return undefined;
		});
	}

	/** Closes a tab, after a question where something would be lost. */
	close({ uri, path, isDirty }: Tab): void {
		if (!isDirty || confirm(`Close ${path} without saving it?`)) {
			this.bench.close(uri);
			this.trouble.value = undefined;
		}
		this.bench.view.focus();
	}

	/** Writes the file in front, as it is now, to where it is kept. The samples are kept nowhere. */
	save(): void {
		const uri = this.bench.active.value;
		if (uri !== undefined) this.write(uri);
	}

	private write(uri: string): void {
		const { project, tabs } = this.bench;
		const path = tabs.value.find((tab) => tab.uri === uri)?.path;
		const content = this.bench.contentOf(uri);
		if (path === undefined || content === undefined) return;
		const folder = project.value?.folder;
		this.writing = this.writing.then(() => this.attempt(() => this.put(uri, path, content, folder)));
	}

	private async put(
		uri: string,
		path: string,
		content: string,
		folder: Folder | undefined,
	): Promise<FileTrouble | undefined> {
		try {
			const version = await folder?.write(path, content, this.bench.diskVersionOf(uri));
			this.bench.didSave(uri, content, version);
			this.didSave(uri);
			return undefined;
		} catch (error) {
			if (error instanceof ChangedOnDisk) return this.conflict(uri, path, error.now);
			throw error;
		}
	}

	/** The person says which of the two is right; until then both stay as they are. */
	private conflict(uri: string, path: string, now: DiskFile | undefined): FileTrouble {
		const write = () => {
			this.bench.didLearn(uri, now?.version);
			this.write(uri);
		};
		if (now === undefined) {
			return { text: `${path} is no longer on disk.`, ways: [{ label: "Write it anew", go: write }] };
		}
		const show = () => {
			this.trouble.value = undefined;
			// What was typed comes back with undo.
			const isOpen = this.bench.write(uri, linesOf(now.content).join("\n"));
			if (isOpen) this.bench.didSave(uri, now.content, now.version);
		};
		return {
			text: `${path} has changed on disk since it was opened.`,
			ways: [
				{ label: "Overwrite what is on disk", go: write },
				{ label: "Show what is on disk", go: show },
			],
		};
	}

	/** Tells the person of the trouble that there is in the end, if any. */
	private async attempt(work: () => Promise<FileTrouble | undefined>): Promise<void> {
		try {
			this.trouble.value = await work();
		} catch (error) {
			this.trouble.value = { text: error instanceof Error ? error.message : String(error), ways: [] };
		}
	}
}
