import type { Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { hashesIn } from "@segue/predict/words";
import { isKeyFile } from "@segue/text";
import { openReal } from "@segue/text/node";
import { IGNORE_FILES } from "@segue/text/privacy";
import type { FilesWithWord, FolderState, FoundFile, WordAnswer, WordQuestion } from "../next-edit/folder-files.js";
import { FolderWalk, type LeftOut } from "./folder-walk.js";
import { WordTable } from "./word-table.js";

// Larger projects are searched in part. A word table of so many files takes about 100 MB.
const FILES_MAX = 50_000;
// Larger files are generated.
const FILE_BYTES_MAX = 2 ** 20;
const TEXT_BYTES_MAX = 256 * 2 ** 20;
// Each takes a thread of the process for a moment, of which there are four.
const READS_AT_ONCE = 4;
// Files that other programs write are not reported. Checking the times of all files takes about a second in a large project.
const RECHECK_MS = 30_000;
// More than a user visits for one change, and few enough to be read while a request waits.
const FOUND_MAX = 24;
// A word in so many files is not a name that the user declared.
const COMMON_MIN = 1000;
const FOUND_BYTES_MAX = 4 * 2 ** 20;

export interface IndexOptions {
	/** The folder as the editor names it, which may be a link. */
	readonly folder: string;
	/** Resolves when there is nothing more important to do. */
	readonly rest: () => Promise<void>;
	readonly now: () => number;
	/** Called when the number of files has changed, and when all are read. */
	readonly report: (state: IndexState) => void;
}

export interface IndexState extends FolderState {
	/** A line for the log about files and folders that were left out; undefined if there are none. */
	readonly note: string | undefined;
}

/**
 * An index of the words in a folder's files on disk. It is updated when a file is saved, and by checking the times of all files if the
 * last check is a while ago. It keeps no texts: the files that a search finds are read again.
 */
export class FolderIndex {
	private readonly table = new WordTable();
	/** By their paths from the root. */
	private readonly files = new Map<string, Indexed>();
	private readonly names: (string | undefined)[] = [];
	private readonly free: number[] = [];
	private bytes = 0;
	private place: { readonly root: string; readonly walk: FolderWalk } | undefined;
	private refreshing: Promise<void> | undefined;
	private refreshedAtMs = 0;
	/** Resolves when all reported changes are indexed. */
	private updating: Promise<void> = Promise.resolve();
	/** The first walk is done. */
	private isReady = false;
	private isComplete = false;
	private isClosed = false;
	private leftOut: LeftOut = { unreadable: 0, isCut: false };

	constructor(private readonly options: IndexOptions) {}

	/** How many bytes the words take. */
	get wordBytes(): number {
		return this.table.bytes;
	}

	/** Checks every file, and reads those that are new or have changed. Never rejects. */
	refresh(): Promise<void> {
		this.refreshing ??= this.walk().finally(() => {
			this.refreshing = undefined;
			this.refreshedAtMs = this.options.now();
		});
		return this.refreshing;
	}

	/** Files were saved, created or deleted. Later searches see their new texts. */
	async changed(uris: readonly string[]): Promise<void> {
		const { place } = this;
		if (place === undefined) return;
		const names = uris.flatMap((uri) => this.nameOf(uri) ?? []);
		if (names.some((name) => IGNORE_FILES.includes(path.basename(name)))) {
			// The current walk may have passed the folder already.
			await this.refreshing;
			return this.refresh();
		}
		this.updating = this.updating.then(async () => {
			for (const name of names) await this.update(place, name);
			if (names.length > 0) this.report();
		});
		return this.updating;
	}

	/** Finds and reads the files that have some words. */
	async find({ hashes, near, uris: others, known, open }: WordQuestion): Promise<WordAnswer> {
		await this.updating;
		if (this.isReady && this.options.now() - this.refreshedAtMs >= RECHECK_MS) void this.refresh();
		const words = hashes.map((hash): FilesWithWord => {
			const numbers = this.table.having(hash);
			// To sort them all would take longer than the request waits.
			if (numbers.length > COMMON_MIN) return { hash, uris: [], isAll: false };
			const all = numbers.map((number) => this.uriOf(this.names[number] as string));
			const uris = all.filter((uri) => !open.has(uri));
			const nearest = uris.length > FOUND_MAX ? nearestTo(near, uris).slice(0, FOUND_MAX) : uris.sort();
			return { hash, uris: nearest, isAll: this.isComplete && nearest.length === uris.length };
		});
		const files: FoundFile[] = [];
		let bytes = 0;
		for (const uri of new Set([...others, ...words.flatMap((word) => word.uris)])) {
			const file = await this.read(uri, known.get(uri));
			bytes += file?.text?.length ?? 0;
			if (bytes > FOUND_BYTES_MAX) break;
			if (file !== undefined) files.push(file);
		}
		const isRead = (uri: string) => bytes <= FOUND_BYTES_MAX || files.some((file) => file.uri === uri);
		return { words: words.map((word) => ({ ...word, isAll: word.isAll && word.uris.every(isRead) })), files };
	}

	/** Stops indexing. */
	close(): void {
		this.isClosed = true;
	}

	private get state(): IndexState {
		return { files: this.files.size, isComplete: this.isComplete, note: this.note };
	}

	private get note(): string | undefined {
		const { isCut, unreadable } = this.leftOut;
		const folders = unreadable === 1 ? "1 folder" : `${unreadable} folders`;
		const parts = [
			...(isCut ? [`only ${this.files.size.toLocaleString("en-US")} files are searched, because it is too large`] : []),
			...(unreadable > 0 ? [`${folders} could not be read`] : []),
		];
		return parts.length === 0 ? undefined : `${this.options.folder}: ${parts.join("; ")}`;
	}

	private report(): void {
		if (!this.isClosed) this.options.report(this.state);
	}

	private async walk(): Promise<void> {
		const leftOut: LeftOut = { unreadable: 0, isCut: false };
		try {
			const root = await realpath(this.options.folder);
			if (this.place?.root === root) this.place.walk.forget();
			else this.place = { root, walk: new FolderWalk(root) };
			const { place } = this;
			const seen = new Set<string>();
			for await (const names of place.walk.folders(this.options.rest, leftOut)) {
				for (let i = 0; i < names.length && !this.isClosed; i += READS_AT_ONCE) {
					const some = names.slice(i, i + READS_AT_ONCE);
					for (const name of some) seen.add(name);
					if (this.files.size + some.length > FILES_MAX || this.bytes > TEXT_BYTES_MAX) leftOut.isCut = true;
					await this.options.rest();
					await Promise.all(some.map((name) => this.check(place, name, leftOut)));
				}
				leftOut.isCut ||= seen.size >= FILES_MAX;
				if (this.isClosed || seen.size >= FILES_MAX) break;
				this.report();
			}
			if (!this.isClosed) for (const name of this.files.keys()) if (!seen.has(name)) this.remove(name);
			this.isComplete = !leftOut.isCut && !this.isClosed;
		} catch (error) {
			// Editors name folders that are only on another machine.
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") leftOut.unreadable++;
			this.isComplete = false;
		}
		this.leftOut = leftOut;
		this.isReady = true;
		this.report();
	}

	/** Reads a file that is new, or was written since it was read. */
	private async check(place: Place, name: string, leftOut: LeftOut): Promise<void> {
		const known = this.files.get(name);
		if (known === undefined && leftOut.isCut) return;
		if (known !== undefined) {
			const found = await lstat(path.join(place.root, name)).catch(() => undefined);
			if (found?.isFile() === true && stampOf(found) === known.stamp) return;
		}
		await this.add(place, name);
	}

	/** Reads a file again, or forgets it where it is gone or may not be read any more. */
	private async update(place: Place, name: string): Promise<void> {
		if (!(await place.walk.includes(name))) this.remove(name);
		else if (this.files.has(name) || this.files.size < FILES_MAX) await this.add(place, name);
	}

	private async add(place: Place, name: string): Promise<void> {
		const file = await readText(path.join(place.root, name));
		this.remove(name);
		if (file === undefined || this.isClosed) return;
		const number = this.free.pop() ?? this.names.length;
		this.names[number] = name;
		this.files.set(name, { number, stamp: file.stamp, bytes: file.bytes });
		this.bytes += file.bytes;
		this.table.add(number, hashesIn(file.text));
	}

	private remove(name: string): void {
		const known = this.files.get(name);
		if (known === undefined) return;
		this.files.delete(name);
		this.table.remove(known.number);
		this.names[known.number] = undefined;
		this.free.push(known.number);
		this.bytes -= known.bytes;
	}

	/** A file as it is now; undefined where it is gone or may not be read. */
	private async read(uri: string, stamp: string | undefined): Promise<FoundFile | undefined> {
		const { place } = this;
		const name = this.nameOf(uri);
		if (place === undefined || name === undefined || !(await place.walk.includes(name))) return undefined;
		const file = await readText(path.join(place.root, name), stamp);
		return file && { uri, stamp: file.stamp, text: file.stamp === stamp ? undefined : file.text };
	}

	private nameOf(uri: string): string | undefined {
		try {
			const name = path.relative(this.options.folder, fileURLToPath(uri));
			return name === "" || name.startsWith("..") || path.isAbsolute(name) ? undefined : name;
		} catch {
			return undefined; // on no disk of ours
		}
	}

	private uriOf(name: string): string {
		return pathToFileURL(path.join(this.options.folder, name)).href;
	}
}

type Place = NonNullable<FolderIndex["place"]>;

interface Indexed {
	readonly number: number;
	readonly stamp: string;
	readonly bytes: number;
}

/** Undefined if the file is not text, is too large or a private key, or cannot be opened. The text is empty if the stamp is known. */
async function readText(
	file: string,
	known?: string,
): Promise<{ readonly stamp: string; readonly bytes: number; readonly text: string } | undefined> {
	try {
		await using handle = await openReal(file);
		const found = await handle?.stat();
		if (handle === undefined || found === undefined || found.size > FILE_BYTES_MAX) return undefined;
		const stamp = stampOf(found);
		if (stamp === known) return { stamp, bytes: found.size, text: "" };
		// A file that grows meanwhile is not followed.
		const buffer = Buffer.allocUnsafe(found.size);
		const { bytesRead } = await handle.read(buffer, 0, found.size, 0);
		const text = new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, bytesRead));
		return text.includes("\0") || isKeyFile(text) ? undefined : { stamp, bytes: found.size, text };
	} catch {
		return undefined; // gone, not ours to read, or not UTF-8
	}
}

/** Uses ctime, because programs can set mtime to any value. */
function stampOf({ ctimeMs, size, ino }: Stats): string {
	return `${ctimeMs}:${size}:${ino}`;
}

/** Sorts files by the length of the path that they share with another file. */
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
