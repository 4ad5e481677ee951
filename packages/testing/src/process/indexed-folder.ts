import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { FolderIndexes, type IndexesOptions, type IndexWorker } from "@segue/agent/workspace/folder-indexes";
import { serveIndexes } from "@segue/agent/workspace/index-tasks";
import { onTestFinished } from "vitest";

/** A folder on disk that is deleted after the test. */
export class TestFolder {
	readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "segue-folder-")));
	readonly uri = pathToFileURL(this.root).href;

	constructor(files: Readonly<Record<string, string>>) {
		onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
		for (const [name, text] of Object.entries(files)) this.write(name, text);
	}

	uriOf(name: string): string {
		return pathToFileURL(path.join(this.root, name)).href;
	}

	write(name: string, text: string): void {
		const file = path.join(this.root, name);
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
}

/** Builds indexes in this thread. */
export class InlineFolderIndexes extends FolderIndexes {
	/** Number of workers started, and number still running. */
	readonly workers: { started: number; running: number };
	private readonly ready: Set<number>;
	private readonly waiting: (() => void)[];

	constructor(options: Partial<IndexesOptions> = {}) {
		const workers = { started: 0, running: 0 };
		const ready = new Set<number>();
		const waiting: (() => void)[] = [];
		const start = (): IndexWorker => {
			workers.started++;
			workers.running++;
			let listener: Parameters<IndexWorker["receive"]>[0] = () => {};
			const perform = serveIndexes(
				(reply) => {
					listener(reply);
					if (reply.kind !== "state" || !reply.state.isComplete) return;
					ready.add(reply.id);
					for (const resolve of waiting.splice(0)) resolve();
				},
				{ rest: async () => {}, now: () => 0 },
			);
			return {
				post: perform,
				receive: (own) => {
					listener = own;
				},
				stop: () => {
					workers.running--;
				},
			};
		};
		super({ start, log: () => {}, after: () => () => {}, ...options });
		this.workers = workers;
		this.ready = ready;
		this.waiting = waiting;
	}

	/** Resolves once this many folders are indexed. */
	async indexed(folders = 1): Promise<void> {
		while (this.ready.size < folders) await new Promise<void>((resolve) => this.waiting.push(resolve));
	}
}
