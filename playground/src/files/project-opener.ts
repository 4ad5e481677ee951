import { errorText } from "@segue/text";
import type { Playground } from "../playground.js";
import type { Project } from "../projects/project.js";
import { SAMPLES, type Sample } from "../projects/samples.js";
import { DiskFolder, startFolderOf, writeSample } from "./disk-folder.js";
import { type FolderSession, readPageSession, reopenFiles, savePageSession } from "./page-session.js";
import { rememberFolder } from "./recent-folders.js";

/** Opens samples, folders, and after a reload whatever was open before. */
export class ProjectOpener {
	/** Counts the user's choices. If several projects are loading, only the latest is opened. */
	private choices = 0;
	/** Folders from the previous session that could not be opened yet, for example because the token has expired. */
	private pending: readonly FolderSession[] = [];

	constructor(private readonly playground: Playground) {
		const { bench, server } = playground;
		addEventListener("pagehide", () => {
			const { name, folder } = bench.project.value ?? {};
			savePageSession(bench, folder === undefined ? name : undefined, this.pending);
		});
		server.token.subscribe(() => {
			if (this.pending.length > 0) void this.reopen(this.pending).then((problems) => this.report(problems));
		});
	}

	/** Opens whatever was open before a reload, else the folder passed to `segue play FOLDER`, else the first sample. */
	async start(): Promise<void> {
		const session = readPageSession();
		const problems = session === undefined ? await this.openStartFolder() : await this.reopen(session.folders);
		const sample = SAMPLES.find(({ name }) => name === session?.sample);
		const isOpen = this.playground.bench.project.value !== undefined;
		if (sample !== undefined || !isOpen) await this.choose(sample ?? SAMPLES[0]);
		this.report(problems);
	}

	/** Opens a sample, or a folder that was opened before. */
	async choose(chosen: Project | Sample): Promise<void> {
		const { bench, server } = this.playground;
		const choice = ++this.choices;
		const project = await this.load(chosen);
		if (project === undefined) return;
		// The chat's tools need files on disk. Suggestions work without them.
		const root = project.folder ? project.root : await writeSample(project, server).catch(() => project.root);
		if (choice !== this.choices) return;
		await this.playground.limitTo(undefined);
		if (choice !== this.choices) return;
		bench.begin({ ...project, root });
		bench.view.focus();
	}

	/** Undefined if the server did not send the sample. This is reported to the user. */
	private async load(chosen: Project | Sample): Promise<Project | undefined> {
		try {
			return "load" in chosen ? await chosen.load() : chosen;
		} catch (error) {
			this.report([error]);
			return undefined;
		}
	}

	/** Opens a folder by its path. Rejects with a sentence for the user. */
	async openFolder(path: string, signal?: AbortSignal): Promise<void> {
		const folder = await DiskFolder.open(path, this.playground.server, signal);
		await this.playground.limitTo(undefined);
		signal?.throwIfAborted();
		this.choices++;
		this.playground.openFolder(folder);
		rememberFolder(folder.path);
	}

	private async openStartFolder(): Promise<readonly unknown[]> {
		const path = await startFolderOf(this.playground.server);
		try {
			if (path !== undefined) await this.openFolder(path);
			return [];
		} catch (error) {
			return [error];
		}
	}

	/** Returns an error for each folder that could not be opened. These folders are tried again with the next token. */
	private async reopen(sessions: readonly FolderSession[]): Promise<readonly unknown[]> {
		const { bench, server } = this.playground;
		const failed = new Map<FolderSession, unknown>();
		this.pending = sessions;
		for (const session of sessions) {
			try {
				const folder = await DiskFolder.open(session.path, server);
				this.playground.openFolder(folder);
				await reopenFiles(bench, folder, session);
				bench.view.focus();
			} catch (error) {
				failed.set(session, error);
			}
		}
		this.pending = [...failed.keys()];
		return [...failed.values()];
	}

	private report([problem]: readonly unknown[]): void {
		if (problem === undefined) return;
		this.playground.files.trouble.value = { uri: undefined, text: errorText(problem), ways: [] };
	}
}
