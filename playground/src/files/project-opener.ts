import { errorText } from "@segue/text";
import type { Playground } from "../playground.js";
import type { Project } from "../projects/project.js";
import { SAMPLES, type Sample } from "../projects/samples.js";
import { hidePanelsByDefault } from "../widgets/splitter.js";
import { DiskFolder, isFolder, pathOf, startFolderOf, writeSample } from "./disk-folder.js";
import { type FolderSession, hasUnsavedText, readPageSession, reopenFiles, savePageSession } from "./page-session.js";
import { rememberFolder } from "./recent-folders.js";

/** Opens samples and folders, and after a reload restores the previous session. */
export class ProjectOpener {
	/** Counts the user's choices. If several projects are loading, only the latest is opened. */
	private choices = 0;
	/**
	 * Folders and files from the previous session that could not be opened yet, for example because the token has expired.
	 */
	private pending: readonly FolderSession[] = [];
	/** The last project that was opened automatically. It may be replaced without asking the user. */
	private automatic: Project | undefined;
	/** The latest attempt to open the pending folders and files. Attempts run one after the other. */
	private reopening: Promise<readonly unknown[]> = Promise.resolve([]);

	constructor(private readonly playground: Playground) {
		const { bench, server } = playground;
		addEventListener("pagehide", () => {
			const { name, folder } = bench.project.value ?? {};
			savePageSession(bench, folder === undefined ? name : undefined, this.pending);
		});
		server.token.subscribe(() => {
			void this.restoreSample();
			if (this.pending.length > 0) void this.reopen().then((problems) => this.report(problems));
		});
		// A story that the user starts is a choice, too.
		playground.storyRunner.playing.subscribe((title) => {
			if (title !== undefined) this.choices++;
		});
		let wasLost = false;
		playground.link.status.subscribe((status) => {
			if (status === "open" && wasLost) void this.restoreSample();
			if (status !== "connecting") wasLost = status !== "open";
		});
	}

	/** Whether closing the page would lose text from the previous session that is not in a tab yet. */
	get isUnsaved(): boolean {
		return this.pending.some(hasUnsavedText);
	}

	/**
	 * Opens the projects from before a reload, or else the folder passed to `segue play FOLDER`, or else the first
	 * sample.
	 */
	async start(): Promise<void> {
		const { bench } = this.playground;
		const { choices } = this;
		const session = readPageSession();
		this.pending = session?.folders ?? [];
		const problems = session === undefined ? await this.openStartFolder() : await this.reopen();
		const sample = SAMPLES.find(({ name }) => name === session?.sample);
		if (sample !== undefined || bench.project.value === undefined) {
			await this.begin(sample ?? SAMPLES[0], choices);
			if (choices === this.choices) this.automatic = bench.project.value;
		}
		this.report(problems);
	}

	/** Opens a sample, or a folder that has been opened before. */
	async choose(chosen: Project | Sample): Promise<void> {
		await this.begin(chosen, ++this.choices);
	}

	/** Opens a project, unless the user makes another choice while it is loading. */
	private async begin(chosen: Project | Sample, choice: number): Promise<void> {
		const { bench } = this.playground;
		const loaded = await this.load(chosen);
		if (loaded === undefined) return;
		const project = loaded.folder ? loaded : await this.write(loaded);
		if (choice !== this.choices) return;
		await this.playground.limitTo(undefined);
		if (choice !== this.choices) return;
		bench.begin(project);
		bench.view.focus();
		if (project.folder !== undefined) await this.reopenPending(project.folder);
	}

	/** Writes a sample to disk for the chat's tools. Suggestions work without it, so an error is not reported. */
	private async write(sample: Project, files = sample.files): Promise<Project> {
		try {
			const root = await writeSample({ name: sample.name, files }, this.playground.server);
			return { ...sample, root, isWritten: true };
		} catch {
			return { ...sample, isWritten: false };
		}
	}

	/**
	 * Writes the open sample again, with its current text, if the server does not have it: a server deletes its samples
	 * when it stops.
	 */
	private async restoreSample(): Promise<void> {
		const { bench, server } = this.playground;
		const sample = bench.project.value;
		if (sample?.isWritten === undefined) return;
		const isThere = sample.isWritten && (await isFolder(pathOf(sample.root), server));
		if (isThere) return;
		const isOpen = (path: string) => bench.tabs.value.some((tab) => tab.path === path);
		const open = bench.tabs.value.map(({ uri, path }) => ({ path, text: bench.textOf(uri) ?? "" }));
		const written = await this.write(sample, [...open, ...sample.files.filter(({ path }) => !isOpen(path))]);
		// The user may have chosen another project in the meantime.
		if (bench.project.value !== sample || !written.isWritten) return;
		bench.move(written);
		if (this.automatic === sample) this.automatic = written;
	}

	/** Loads a sample. If that fails, reports the error to the user and resolves to undefined. */
	private async load(chosen: Project | Sample): Promise<Project | undefined> {
		try {
			return "load" in chosen ? await chosen.load() : chosen;
		} catch (error) {
			this.report([error]);
			return undefined;
		}
	}

	/** Opens a folder by its path. Rejects with an error message for the user. */
	async openFolder(path: string, signal?: AbortSignal): Promise<void> {
		const folder = await DiskFolder.open(path, this.playground.server, signal);
		await this.playground.limitTo(undefined);
		signal?.throwIfAborted();
		this.choices++;
		this.playground.openFolder(folder);
		rememberFolder(folder.path);
		await this.reopenPending(folder);
	}

	private async openStartFolder(): Promise<readonly unknown[]> {
		const path = await startFolderOf(this.playground.server);
		try {
			if (path !== undefined) {
				await this.openFolder(path);
				hidePanelsByDefault();
			}
			return [];
		} catch (error) {
			return [error];
		}
	}

	/**
	 * Opens the pending folders and files. Resolves to an error for each folder or file that could not be opened. These
	 * are retried with the next token.
	 */
	private reopen(): Promise<readonly unknown[]> {
		this.reopening = this.reopening.then(() => this.reopenFolders());
		return this.reopening;
	}

	private async reopenFolders(): Promise<readonly unknown[]> {
		const { bench, server } = this.playground;
		const { choices } = this;
		const problems: unknown[] = [];
		for (const session of this.pending) {
			try {
				const folder = await DiskFolder.open(session.path, server);
				// The user may have opened the folder in the meantime.
				if (!this.pending.includes(session)) continue;
				const isShown = bench.project.value?.root === folder.root;
				const mayShow = choices === this.choices && bench.project.value === this.automatic;
				if (!isShown && !mayShow) {
					// The user is working on another project. The folder's files are opened when the user chooses it.
					this.playground.listFolder(folder);
					continue;
				}
				if (!isShown) {
					this.playground.openFolder(folder);
					this.automatic = bench.project.value;
				}
				problems.push(...(await this.reopenSession(folder, session)));
			} catch (error) {
				problems.push(error);
			}
		}
		return problems;
	}

	/** Opens the pending files in a folder that the user chose. */
	private async reopenPending(folder: DiskFolder): Promise<void> {
		const sessions = this.pending.filter(({ path }) => path === folder.path);
		for (const session of sessions) this.report(await this.reopenSession(folder, session));
	}

	private async reopenSession(folder: DiskFolder, session: FolderSession): Promise<readonly unknown[]> {
		const { bench } = this.playground;
		const { rest, problems } = await reopenFiles(bench, folder, session);
		this.pending = this.pending.flatMap((each) => (each !== session ? [each] : rest === undefined ? [] : [rest]));
		if (rest !== session) bench.view.focus();
		return problems;
	}

	private report([problem]: readonly unknown[]): void {
		if (problem === undefined) return;
		this.playground.files.trouble.value = { uri: undefined, text: errorText(problem), ways: [] };
	}
}
