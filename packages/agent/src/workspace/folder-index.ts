import type { Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { hashesIn } from "@segue/predict/words";
import { isKeyFile, languageOf, sanitizeLine } from "@segue/text";
import { openReal } from "@segue/text/node";
import { IGNORE_FILES } from "@segue/text/privacy";
import type { FileQuery, FileQueryResult, FilesWithWord, FolderState, FoundFile } from "../next-edit/folder-files.js";
import { FolderWalk, type LeftOut, WALK_LIMITS, type WalkLimits } from "./folder-walk.js";
import { WordTable } from "./word-table.js";

/** The limits of an index. Tests use smaller ones. */
interface IndexLimits extends WalkLimits {
	/** Larger projects are only partly indexed. A word table for this many files takes about 100 MB. */
	readonly files: number;
	readonly textBytes: number;
	/** The total for all folders in a process. */
	readonly filesInAll: number;
	readonly textBytesInAll: number;
	/** Larger files are usually generated. */
	readonly fileBytes: number;
	/**
	 * A disk responds within a second. A network file system that takes longer is hanging, and each read blocks one of
	 * the process's threads.
	 */
	readonly readMs: number;
	/** If more changes are reported at once, they come from a checkout or a build, and checking all files is cheaper. */
	readonly changes: number;
}

const LIMITS: IndexLimits = {
	...WALK_LIMITS,
	files: 50_000,
	textBytes: 256 * 2 ** 20,
	filesInAll: 100_000,
	textBytesInAll: 512 * 2 ** 20,
	fileBytes: 2 ** 20,
	readMs: 5_000,
	changes: 256,
};

// Each read occupies one of four threads in the pool, and requests need some of them.
const READS_AT_ONCE = 2;
// Writes by other programs are not reported. Checking the timestamps of all files takes about a second in a large
// project.
const RECHECK_MS = 30_000;
// More files than a user visits for one change, but few enough to read during a request.
const FOUND_MAX = 24;
// A word that occurs in this many files is not a name that the user declared.
const COMMON_MIN = 1000;
const FOUND_BYTES_MAX = 4 * 2 ** 20;
// A search waits for at most this many saved files, which take a few milliseconds to read.
const AWAITED_MAX = 8;

export interface IndexOptions {
	/** The folder's path in the editor, which may be a symbolic link. */
	readonly folder: string;
	/** Resolves when indexing may continue. */
	readonly rest: () => Promise<void>;
	readonly now: () => number;
	/** Called when the number of files has changed, and when all files have been read. */
	readonly report: (state: IndexState) => void;
	/** Shared by the indexes of a process. */
	readonly total?: IndexTotal;
	readonly limits?: Partial<IndexLimits>;
	readonly read?: typeof readText;
}

/** The total size of all indexes of a process. */
export interface IndexTotal {
	files: number;
	textBytes: number;
}

export interface IndexState extends FolderState {
	/** Log lines that explain why files are not indexed. */
	readonly notes: readonly string[];
}

/**
 * An index of the words in a folder's files on disk. It is updated when a file is saved and, from time to time, by
 * checking the timestamps of all files. It does not store the files' contents; a search reads the files that it finds.
 */
export class FolderIndex {
	private readonly table = new WordTable();
	/** Keyed by path from the root. */
	private readonly files = new Map<string, Indexed>();
	private readonly names: (string | undefined)[] = [];
	private readonly free: number[] = [];
	/** Paths of source files that could not be read, from the root. */
	private readonly skipped = new Set<string>();
	private bytes = 0;
	private place: { readonly root: string; readonly walk: FolderWalk } | undefined;
	private refreshing: Promise<void> | undefined;
	private refreshedAtMs = 0;
	/** The current walk may have missed a change, so another walk is needed. */
	private isOutdated = false;
	/** A reported change will be indexed by the next walk. */
	private isBehind = false;
	/** Paths of reported changes that are not indexed yet, from the root. */
	private readonly pending = new Set<string>();
	/** Resolves when no changes are pending; undefined if there are none. */
	private updating: Promise<void> | undefined;
	/** Files that were updated since the current walk started. The walk must not overwrite them. */
	private readonly updated = new Set<string>();
	/** The number of reads that timed out but have not ended. Until they end, nothing else is read. */
	private hanging = 0;
	/** Whether a file did not fit into the index during the current walk. */
	private isFull = false;
	/** The first walk is done. */
	private isReady = false;
	private isComplete = false;
	private isClosed = false;
	private leftOut: LeftOut = noneLeftOut();
	private readonly limits: IndexLimits;
	private readonly total: IndexTotal;

	constructor(private readonly options: IndexOptions) {
		this.limits = { ...LIMITS, ...options.limits };
		this.total = options.total ?? { files: 0, textBytes: 0 };
	}

	/** The size of the word table in bytes. */
	get wordBytes(): number {
		return this.table.bytes;
	}

	/** Checks all files, and reads those that are new or have changed. Never rejects. */
	refresh(): Promise<void> {
		this.refreshing ??= this.walkUntilUpToDate().finally(() => {
			this.refreshing = undefined;
			this.refreshedAtMs = this.options.now();
		});
		return this.refreshing;
	}

	/**
	 * Updates files or folders that were saved, created, moved or deleted. Resolves when they are indexed; never rejects.
	 */
	async changed(uris: readonly string[]): Promise<void> {
		if (this.place === undefined) return;
		const names = uris.flatMap((uri) => this.nameOf(uri) ?? []);
		if (names.some((name) => IGNORE_FILES.includes(path.basename(name)))) {
			// Stop reading newly ignored files, even in the current walk.
			this.place.walk.forget();
			return this.refreshAgain();
		}
		for (const name of names) this.pending.add(name);
		if (this.pending.size > this.limits.changes) {
			this.pending.clear();
			return this.refreshAgain();
		}
		if (this.pending.size === 0) return;
		this.updating ??= this.updatePending().finally(() => {
			this.updating = undefined;
		});
		return this.updating;
	}

	/** Finds and reads the files that contain these words. */
	async find({ hashes, near, uris: others, known, open }: FileQuery): Promise<FileQueryResult> {
		if (this.pending.size <= AWAITED_MAX) await this.updating;
		if (this.isReady && this.options.now() - this.refreshedAtMs >= RECHECK_MS) void this.refresh();
		const isCurrent = this.isComplete && this.pending.size === 0 && !this.isBehind;
		const isSure = isCurrent && ![...this.skipped].some((name) => isSimilar(name, near));
		const words = hashes.map((hash): FilesWithWord => {
			const numbers = this.table.having(hash);
			// Sorting all of them would be too slow.
			if (numbers.length > COMMON_MIN) return { hash, uris: [], isAll: false };
			const all = numbers.map((number) => this.uriOf(this.names[number] as string));
			const uris = all.filter((uri) => !open.has(uri));
			const nearest = uris.length > FOUND_MAX ? nearestTo(near, uris).slice(0, FOUND_MAX) : uris.sort();
			return { hash, uris: nearest, isAll: isSure && nearest.length === uris.length };
		});
		const files = new Map<string, FoundFile>();
		let bytes = 0;
		for (const uri of new Set([...others, ...words.flatMap((word) => word.uris)])) {
			const file = await this.read(uri, known.get(uri));
			bytes += file?.text?.length ?? 0;
			if (bytes > FOUND_BYTES_MAX) break;
			if (file !== undefined) files.set(uri, file);
		}
		return {
			words: words.map((word) => ({ ...word, isAll: word.isAll && word.uris.every((uri) => files.has(uri)) })),
			files: [...files.values()],
			missing: await this.missingOf(others.filter((uri) => !files.has(uri))),
		};
	}

	/** Stops indexing and frees the memory. */
	close(): void {
		this.isClosed = true;
		for (const name of this.files.keys()) this.remove(name);
	}

	private get state(): IndexState {
		return { files: this.files.size, isComplete: this.isComplete, notes: this.notes };
	}

	private get notes(): string[] {
		const { isCut, unreadable, isSlow } = this.leftOut;
		return [
			...(isCut ? ["too many or too large files, so only some of them are searched"] : []),
			...(unreadable > 0 ? ["some folders could not be read"] : []),
			...(isSlow ? ["reading a file takes too long, so not all files are searched"] : []),
		].map((reason) => sanitizeLine(`${this.options.folder}: ${reason}`));
	}

	private report(): void {
		if (!this.isClosed) this.options.report(this.state);
	}

	private refreshAgain(): Promise<void> {
		this.isBehind = true;
		this.isOutdated = this.refreshing !== undefined;
		return this.refresh();
	}

	private async walkUntilUpToDate(): Promise<void> {
		do {
			this.isOutdated = false;
			await this.walk();
		} while (this.isOutdated && !this.isClosed);
		this.isBehind = this.hanging > 0;
	}

	private async walk(): Promise<void> {
		if (this.hanging > 0) return;
		const leftOut = noneLeftOut();
		this.isFull = false;
		this.updated.clear();
		for (const name of this.pending) this.updated.add(name);
		try {
			const root = await this.within(realpath(this.options.folder));
			if (this.place?.root === root) this.place.walk.forget();
			else this.place = { root, walk: new FolderWalk(root, this.limits) };
			const { place } = this;
			const seen = new Set<string>();
			for await (const names of place.walk.folders(this.options.rest, leftOut, () => this.isClosed)) {
				for (let i = 0; i < names.length && !this.isClosed; i += READS_AT_ONCE) {
					const some = names.slice(i, i + READS_AT_ONCE);
					for (const name of some) seen.add(name);
					await this.options.rest();
					await Promise.all(some.map((name) => this.check(place, name, leftOut)));
				}
				leftOut.isCut ||= seen.size >= this.limits.files;
				if (this.isClosed || seen.size >= this.limits.files) break;
				this.report();
			}
			if (!this.isClosed) {
				const isGone = (name: string) => !seen.has(name) && !this.updated.has(name);
				for (const name of this.files.keys()) if (isGone(name)) this.remove(name);
				for (const name of this.skipped) if (isGone(name)) this.skipped.delete(name);
			}
			this.isComplete = !leftOut.isCut && !this.isClosed;
		} catch (error) {
			leftOut.isSlow = error instanceof SlowDisk;
			// Editors may send folders that exist only on a remote machine.
			const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
			if (!isMissing && !leftOut.isSlow) leftOut.unreadable++;
			this.isComplete = false;
		}
		this.leftOut = leftOut;
		this.isReady = true;
		this.report();
	}

	/** Reads a file if it is new or has changed. */
	private async check(place: Place, name: string, leftOut: LeftOut): Promise<void> {
		const known = this.files.get(name);
		if (known === undefined && this.isFull) {
			leftOut.isCut = true;
			return;
		}
		if (known !== undefined) {
			const found = await this.within(lstat(path.join(place.root, name)).catch(() => undefined));
			if (found?.isFile() === true && stampOf(found) === known.stamp) return;
		}
		if (this.updated.has(name)) return;
		const file = await this.readNamed(place, name);
		// A change that was reported in the meantime is newer.
		if (!this.updated.has(name) && !this.add(name, file)) leftOut.isCut = true;
	}

	private async updatePending(): Promise<void> {
		const { place } = this;
		for (const name of this.pending) {
			if (place === undefined || this.isClosed || this.hanging > 0) break;
			if (this.refreshing !== undefined) this.updated.add(name);
			const isOfFile = await this.update(place, name).catch(() => undefined);
			this.pending.delete(name);
			if (isOfFile === false) void this.refreshAgain();
			// Reading timed out.
			if (isOfFile === undefined) this.isBehind = true;
		}
		// The next walk finds the remaining changes.
		this.isBehind ||= this.pending.size > 0;
		this.pending.clear();
		this.report();
	}

	/** Reads a file again, or removes it if it is gone or ignored. Returns false if the path is a folder. */
	private async update(place: Place, name: string): Promise<boolean> {
		if (!this.files.has(name)) {
			const found = await this.within(lstat(path.join(place.root, name)).catch(() => undefined));
			if (found?.isDirectory() === true) return !(await place.walk.includesFolder(name));
			// If files below this path were indexed, it was a folder.
			if (found === undefined) return ![...this.files.keys()].some((one) => one.startsWith(name + path.sep));
		}
		if (!(await place.walk.includes(name))) {
			this.remove(name);
			this.skipped.delete(name);
		} else if (!this.add(name, await this.readNamed(place, name))) {
			this.leftOut = { ...this.leftOut, isCut: true };
			this.isComplete = false;
		}
		return true;
	}

	/** Adds a file, or removes it if it could not be read. Returns false if it does not fit. */
	private add(name: string, file: FileText | undefined): boolean {
		this.remove(name);
		this.skipped.delete(name);
		if (this.isClosed) return true;
		if (file === undefined) {
			if (this.skipped.size < this.limits.files) this.skipped.add(name);
			return true;
		}
		const { limits, total } = this;
		const isFull = this.files.size >= limits.files || this.bytes + file.bytes > limits.textBytes;
		const isTotalFull = total.files >= limits.filesInAll || total.textBytes + file.bytes > limits.textBytesInAll;
		if (isFull || isTotalFull) {
			this.isFull = true;
			return false;
		}
		const number = this.free.pop() ?? this.names.length;
		this.names[number] = name;
		this.files.set(name, { number, stamp: file.stamp, bytes: file.bytes });
		this.bytes += file.bytes;
		total.files++;
		total.textBytes += file.bytes;
		this.table.add(number, hashesIn(file.text));
		return true;
	}

	private remove(name: string): void {
		const known = this.files.get(name);
		if (known === undefined) return;
		this.files.delete(name);
		this.table.remove(known.number);
		this.names[known.number] = undefined;
		this.free.push(known.number);
		this.bytes -= known.bytes;
		this.total.files--;
		this.total.textBytes -= known.bytes;
	}

	/** Reads the current content of a file. Undefined if it is gone or must not be read. */
	private async read(uri: string, stamp: string | undefined): Promise<FoundFile | undefined> {
		const { place } = this;
		const name = this.nameOf(uri);
		if (place === undefined || name === undefined || this.hanging > 0) return undefined;
		if (!(await place.walk.includes(name))) return undefined;
		const file = await this.readNamed(place, name, stamp).catch(() => undefined);
		return file && { uri, stamp: file.stamp, text: file.stamp === stamp ? undefined : file.text };
	}

	private async missingOf(uris: readonly string[]): Promise<string[]> {
		const { place } = this;
		const missing: string[] = [];
		for (const uri of uris) {
			const name = this.nameOf(uri);
			if (place === undefined || name === undefined || this.hanging > 0) continue;
			const found = lstat(path.join(place.root, name)).then(
				() => false,
				(error: NodeJS.ErrnoException) => error.code === "ENOENT",
			);
			if (await this.within(found).catch(() => false)) missing.push(uri);
		}
		return missing;
	}

	private readNamed(place: Place, name: string, stamp?: string): Promise<FileText | undefined> {
		const { read = readText } = this.options;
		return this.within(read(path.join(place.root, name), this.limits.fileBytes, stamp));
	}

	/** Rejects with `SlowDisk` after a timeout. */
	private within<Value>(answer: Promise<Value>): Promise<Value> {
		return new Promise((resolve, reject) => {
			const giveUp = setTimeout(() => {
				this.hanging++;
				const settle = () => {
					this.hanging--;
				};
				answer.then(settle, settle);
				reject(new SlowDisk());
			}, this.limits.readMs);
			answer.then(resolve, reject).finally(() => clearTimeout(giveUp));
		});
	}

	private nameOf(uri: string): string | undefined {
		try {
			const name = path.relative(this.options.folder, fileURLToPath(uri));
			return name === "" || name.startsWith("..") || path.isAbsolute(name) ? undefined : name;
		} catch {
			return undefined; // not a file on this machine
		}
	}

	private uriOf(name: string): string {
		return pathToFileURL(path.join(this.options.folder, name)).href;
	}
}

class SlowDisk extends Error {}

function noneLeftOut(): LeftOut {
	return { unreadable: 0, isCut: false, isSlow: false };
}

/** Whether the languages of two files can import each other. */
function isSimilar(name: string, other: string): boolean {
	const [own, others] = [languageOf(name), languageOf(other)];
	return own === others || (SCRIPT.test(own) && SCRIPT.test(others));
}

const SCRIPT = /^(?:java|type)script/;

type Place = NonNullable<FolderIndex["place"]>;

interface Indexed {
	readonly number: number;
	readonly stamp: string;
	readonly bytes: number;
}

interface FileText {
	readonly stamp: string;
	readonly bytes: number;
	readonly text: string;
}

/**
 * Returns undefined if the file is not text, is too large, is a private key, or cannot be opened. The text is empty for
 * a known stamp.
 */
async function readText(file: string, bytesMax: number, known?: string): Promise<FileText | undefined> {
	try {
		await using handle = await openReal(file);
		const found = await handle?.stat();
		if (handle === undefined || found === undefined || found.size > bytesMax) return undefined;
		const stamp = stampOf(found);
		if (stamp === known) return { stamp, bytes: found.size, text: "" };
		// Ignore data appended during the read.
		const buffer = Buffer.allocUnsafe(found.size);
		const { bytesRead } = await handle.read(buffer, 0, found.size, 0);
		const text = new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, bytesRead));
		return text.includes("\0") || isKeyFile(text) ? undefined : { stamp, bytes: found.size, text };
	} catch {
		return undefined; // gone, no permission, or not UTF-8
	}
}

/** Identifies a version of a file. Uses ctime, because programs can set mtime to any value. */
function stampOf({ ctimeMs, size, ino }: Stats): string {
	return `${ctimeMs}:${size}:${ino}`;
}

/** Sorts files by the length of the path that they share with `near`, longest first. */
function nearestTo(near: string, uris: readonly string[]): string[] {
	const own = near.split("/");
	const sharedWith = (uri: string) => {
		const parts = uri.split("/");
		const end = parts.findIndex((part, i) => part !== own[i]);
		return end === -1 ? parts.length : end;
	};
	return uris
		.map((uri) => ({ uri, shared: sharedWith(uri) }))
		.sort((a, b) => b.shared - a.shared || (a.uri < b.uri ? -1 : 1))
		.map(({ uri }) => uri);
}
