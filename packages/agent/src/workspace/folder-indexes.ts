import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { namesBelow, type StartTimer, uriKey } from "@segue/text";
import type {
	FileQuery,
	FileQueryResult,
	FilesWithWord,
	FolderFiles,
	FolderSource,
} from "../next-edit/folder-files.js";
import type { IndexState } from "./folder-index.js";
import { type IndexReply, type IndexTask, NO_FILES, NOT_FOUND } from "./index-tasks.js";

// Enough for the words in all folders and the texts of a few files at a time.
const HEAP_MB_MAX = 512;
// More folders than the editors of one process have open.
const FOLDERS_MAX = 32;
// Reading a file takes a millisecond. A hanging file system delays one request by this much.
const FIND_MS_MAX = 500;
// After a timeout, a folder is not searched for this long.
const SLOW_MS = 5_000;
// A file may have caused the crash. A thread that crashes twice would keep crashing.
const RESTARTS_MAX = 1;
// Limits the log output of a process that opens many folders with problems.
const NOTES_MAX = 1_000;

// Editors may start a new session right after closing one. An idle thread costs a few megabytes.
const IDLE_MS = 10_000;

/** Indexes folders, in a separate thread or in this one. */
export interface IndexWorker {
	post(task: IndexTask): void;
	/** Registers a listener for replies, and for an error if the worker ends unexpectedly. */
	receive(listener: (reply: IndexReply | Error) => void): void;
	stop(): void;
}

export interface IndexesOptions {
	/** Starts a worker, which pauses while the number in `busy` is not 0. */
	readonly start: (busy: Int32Array) => IndexWorker;
	/** Logs why files are not indexed. */
	readonly log: (line: string) => void;
	/** Whether a folder may be indexed. */
	readonly isAllowed?: (uri: string) => boolean;
	readonly after: StartTimer;
}

/**
 * The indexes of a process, one for each folder, shared by all sessions. They are built in one thread, which is started
 * for the first folder and stopped a while after the last one is released.
 */
export class FolderIndexes implements FolderSource {
	private worker: IndexWorker | undefined;
	/** Cancels the timer that stops an idle worker. */
	private cancelStop = () => {};
	private isStopped = false;
	private restarts = 0;
	/** Lines that have been logged. */
	private readonly notes = new Set<string>();
	private count = 0;
	private readonly busy = new Int32Array(new SharedArrayBuffer(4));
	/** Keyed by `uriKey`. */
	private readonly folders = new Map<string, Folder>();
	private readonly calls = new Map<number, (answer: FileQueryResult) => void>();

	constructor(private readonly options: IndexesOptions) {}

	acquire(named: readonly { readonly uri: string }[]): FolderFiles {
		const folders = [...new Set(named.flatMap(({ uri }) => this.open(uri) ?? []))];
		for (const folder of folders) folder.users++;
		let isReleased = false;
		return {
			get state() {
				const isInside = ({ uri }: Folder) => {
					return folders.some((other) => (namesBelow(other.uri, uri)?.length ?? 0) > 0);
				};
				const outer = folders.filter((folder) => !isInside(folder));
				return {
					files: outer.reduce((sum, { state }) => sum + state.files, 0),
					isComplete: folders.length > 0 && folders.every(({ state }) => state.isComplete),
				};
			},
			find: async (question) => {
				const open = isReleased ? [] : folders;
				return joined(await Promise.all(open.map((folder) => this.find(folder, question))));
			},
			changed: (uris) => {
				if (!isReleased) for (const { id } of folders) this.worker?.post({ kind: "changed", id, uris });
			},
			pause: () => {
				Atomics.add(this.busy, 0, 1);
				return () => Atomics.sub(this.busy, 0, 1);
			},
			release: () => {
				if (isReleased) return;
				isReleased = true;
				for (const folder of folders) this.leave(folder);
			},
		};
	}

	/** Disposes of all indexes when the process ends. */
	stop(): void {
		this.cancelStop();
		this.worker?.stop();
		this.worker = undefined;
		this.isStopped = true;
		this.folders.clear();
		for (const call of [...this.calls.keys()]) this.settle(call, NOT_FOUND);
	}

	/** Returns undefined for folders that are not indexed: not on disk, not allowed, or a whole home folder or disk. */
	private open(uri: string): Folder | undefined {
		const key = uriKey(uri).replace(/\/$/, "");
		const known = this.folders.get(key);
		if (known !== undefined) return known;
		const { isAllowed = () => true } = this.options;
		if (this.isStopped || this.folders.size >= FOLDERS_MAX || !isProject(uri) || !isAllowed(uri)) return undefined;
		const folder: Folder = { id: ++this.count, key, uri, users: 0, state: NO_STATE, isSlow: false };
		this.folders.set(key, folder);
		this.cancelStop();
		this.worker ??= this.start();
		this.worker.post({ kind: "open", id: folder.id, folder: uri });
		return folder;
	}

	private start(): IndexWorker {
		const worker = this.options.start(this.busy);
		worker.receive((reply) => {
			// A stopped worker still reports its exit.
			if (this.worker === worker) this.receive(reply);
		});
		return worker;
	}

	private leave(folder: Folder): void {
		if (--folder.users > 0 || this.folders.get(folder.key) !== folder) return;
		this.folders.delete(folder.key);
		this.worker?.post({ kind: "close", id: folder.id });
		if (this.folders.size > 0) return;
		for (const call of [...this.calls.keys()]) this.settle(call, NOT_FOUND);
		this.cancelStop();
		this.cancelStop = this.options.after(IDLE_MS, () => {
			this.worker?.stop();
			this.worker = undefined;
		});
	}

	private find(folder: Folder, question: FileQuery): Promise<FileQueryResult> {
		const { worker } = this;
		if (worker === undefined || folder.isSlow) return Promise.resolve(NOT_FOUND);
		const call = ++this.count;
		return new Promise((resolve) => {
			const giveUp = this.options.after(FIND_MS_MAX, () => {
				folder.isSlow = true;
				this.options.after(SLOW_MS, () => {
					folder.isSlow = false;
				});
				this.settle(call, NOT_FOUND);
			});
			this.calls.set(call, (answer) => {
				giveUp();
				resolve(answer);
			});
			worker.post({ kind: "find", id: folder.id, call, question });
		});
	}

	private settle(call: number, answer: FileQueryResult): void {
		const resolve = this.calls.get(call);
		this.calls.delete(call);
		resolve?.(answer);
	}

	private receive(reply: IndexReply | Error): void {
		if (reply instanceof Error) {
			this.failed(reply);
			return;
		}
		if (reply.kind === "found") {
			this.settle(reply.call, reply.answer);
			return;
		}
		const folder = [...this.folders.values()].find(({ id }) => id === reply.id);
		if (folder === undefined) return;
		for (const note of reply.state.notes) {
			if (this.notes.has(note) || this.notes.size >= NOTES_MAX) continue;
			this.notes.add(note);
			this.options.log(note);
		}
		folder.state = reply.state;
	}

	/** Restarts the thread after a crash, up to a limit. */
	private failed({ message }: Error): void {
		if (this.restarts >= RESTARTS_MAX) {
			this.options.log(`the file index crashed again; only open files are searched: ${message}`);
			this.stop();
			return;
		}
		this.restarts++;
		this.options.log(`the file index crashed and was restarted: ${message}`);
		for (const call of [...this.calls.keys()]) this.settle(call, NOT_FOUND);
		this.worker = this.start();
		for (const folder of this.folders.values()) {
			folder.state = NO_STATE;
			this.worker.post({ kind: "open", id: folder.id, folder: folder.uri });
		}
	}
}

const NO_STATE: IndexState = { ...NO_FILES, notes: [] };

interface Folder {
	readonly id: number;
	readonly key: string;
	readonly uri: string;
	users: number;
	state: IndexState;
	/** A search timed out recently. */
	isSlow: boolean;
}

/** Whether a URI is a folder on disk other than a whole disk or home folder. */
function isProject(uri: string): boolean {
	try {
		const folder = path.resolve(fileURLToPath(uri));
		return path.dirname(folder) !== folder && folder !== path.resolve(homedir());
	} catch {
		return false; // not a folder on this machine
	}
}

/** Merges the results of several folders. Nested folders have files in common. */
function joined(answers: readonly FileQueryResult[]): FileQueryResult {
	const [only] = answers;
	if (answers.length === 1 && only !== undefined) return only;
	const words = new Map<number, FilesWithWord>();
	for (const one of answers.flatMap((answer) => answer.words)) {
		const { uris = [], isAll = true } = words.get(one.hash) ?? {};
		words.set(one.hash, {
			hash: one.hash,
			uris: [...new Set([...uris, ...one.uris])],
			isAll: isAll && one.isAll && answers.every((answer) => answer.words.length > 0),
		});
	}
	const files = new Map(answers.flatMap((answer) => answer.files).map((file) => [uriKey(file.uri), file]));
	const missing = [...new Set(answers.flatMap((answer) => answer.missing))];
	return { words: [...words.values()], files: [...files.values()], missing };
}

// Paths relative to a chunk of the bundled command, to the compiled package, and to the sources.
const ENTRIES = ["../index-worker.js", "./index-worker-entry.js", "../../dist/workspace/index-worker-entry.js"];

/** Starts a worker thread that indexes folders. It does not keep the process alive. */
export function startIndexWorker(busy: Int32Array): IndexWorker {
	const entries = ENTRIES.map((place) => new URL(place, import.meta.url));
	const entry = entries.find((url) => existsSync(url)) ?? (entries[0] as URL);
	const worker = new Worker(entry, {
		execArgv: [],
		workerData: busy,
		resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
	});
	worker.unref();
	return {
		post: (task) => worker.postMessage(task),
		receive: (listener) => {
			worker.on("message", listener).on("error", listener);
			worker.on("exit", (code) => listener(new Error(`exit code ${code}`)));
		},
		stop: () => void worker.terminate(),
	};
}
