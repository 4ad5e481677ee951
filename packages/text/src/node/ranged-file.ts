import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

// What is larger was not written by hand: it is told from another version by its time, and a range of it is read alone.
const HASHED_BYTES_MAX = 8 * 2 ** 20;
// Large enough that reading takes longer than asking for it, and small beside what a process has.
const CHUNK_BYTES = 256 * 1024;
// More files than a peer reads over one connection. One that was forgotten counts as changed.
const VERSIONS_MAX = 10_000;

/** A file that is read in ranges. A small one is read once, so that all of it is of one version. */
export class RangedFile {
	private constructor(
		private readonly handle: FileHandle,
		readonly size: number,
		/** Differs for another content. */
		private readonly identity: string,
		/** All of a small file. */
		readonly whole: Buffer | undefined,
	) {}

	static async of(handle: FileHandle): Promise<RangedFile> {
		const found = await handle.stat({ bigint: true });
		if (found.size > HASHED_BYTES_MAX) return new RangedFile(handle, Number(found.size), identityOf(found), undefined);
		const whole = await handle.readFile();
		return new RangedFile(handle, whole.length, createHash("sha256").update(whole).digest("base64"), whole);
	}

	/** What was read in ranges while it changed is of no version that anything read later could be of. */
	async identityNow(): Promise<string> {
		if (this.whole !== undefined) return this.identity;
		const now = identityOf(await this.handle.stat({ bigint: true }));
		return now === this.identity ? now : `${this.identity} ${now}`;
	}

	async bytes(from: number, to: number): Promise<Buffer> {
		if (this.whole !== undefined) return this.whole.subarray(from, to);
		const buffer = Buffer.alloc(to - from);
		for (let length = 0; length < buffer.length; ) {
			const { bytesRead } = await this.handle.read(buffer, length, buffer.length - length, from + length);
			if (bytesRead === 0) return buffer.subarray(0, length); // it became shorter
			length += bytesRead;
		}
		return buffer;
	}

	/** Where the line begins that is so many lines behind `from`, or the end; past `furthest` it is not looked for. */
	async lineAt(from: number, lines: number, furthest: number, signal?: AbortSignal): Promise<number> {
		let left = lines;
		for (let at = from; at < this.size && left > 0; at += CHUNK_BYTES) {
			signal?.throwIfAborted();
			if (at > furthest) return at;
			const chunk = await this.bytes(at, Math.min(at + CHUNK_BYTES, this.size));
			for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, end + 1)) {
				if (--left === 0) return at + end + 1;
			}
		}
		return left === 0 ? from : this.size;
	}
}

const LF = 10;

function identityOf({ ino, mtimeNs, size }: BigIntStats): string {
	return `${ino}:${mtimeNs}:${size}`;
}

/** Numbers for what files are: one that grows whenever a file is another than when it was last read. */
export class FileVersions {
	private count = 0;
	/** What each file was when it was last read, by where it really lies. */
	private readonly versions = new Map<string, { readonly identity: string; readonly version: number }>();
	/** One read of a file after the other, so that what is read later is never the older. */
	private readonly reading = new Map<string, Promise<unknown>>();

	/** Reads a file that lies at a path, which is opened in turn and closed again. */
	async read<Content>(
		real: string,
		open: () => Promise<FileHandle>,
		contentOf: (file: RangedFile) => Promise<Content>,
	): Promise<{ readonly version: number; readonly content: Content }> {
		return this.inTurn(real, async () => {
			const handle = await open();
			try {
				const file = await RangedFile.of(handle);
				const content = await contentOf(file);
				return { version: this.versionOf(real, await file.identityNow()), content };
			} finally {
				await handle.close();
			}
		});
	}

	private async inTurn<T>(real: string, read: () => Promise<T>): Promise<T> {
		const before = this.reading.get(real) ?? Promise.resolve();
		const own = before.then(read, read);
		this.reading.set(real, own);
		try {
			return await own;
		} finally {
			if (this.reading.get(real) === own) this.reading.delete(real);
		}
	}

	private versionOf(real: string, identity: string): number {
		const known = this.versions.get(real);
		const version = known?.identity === identity ? known.version : ++this.count;
		this.versions.delete(real);
		this.versions.set(real, { identity, version });
		const [oldest] = this.versions.keys();
		if (this.versions.size > VERSIONS_MAX && oldest !== undefined) this.versions.delete(oldest);
		return version;
	}
}
