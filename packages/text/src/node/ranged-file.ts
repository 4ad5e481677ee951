import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

// Larger files are not written by hand. Only the requested range of such a file is read, and its versions are
// distinguished by modification time.
const HASHED_BYTES_MAX = 8 * 2 ** 20;
// Large enough that overhead is negligible, but small compared to a process's memory.
const CHUNK_BYTES = 256 * 1024;
// More files than a peer reads over one connection. A file that was evicted counts as changed.
const VERSIONS_MAX = 10_000;

/** A file that is read in ranges. A small file is read as a whole, so that all ranges come from the same version. */
export class RangedFile {
	private constructor(
		private readonly handle: FileHandle,
		readonly size: number,
		/** Changes with the content. */
		private readonly identity: string,
		/** The content of a small file. */
		readonly whole: Buffer | undefined,
	) {}

	static async of(handle: FileHandle): Promise<RangedFile> {
		const found = await handle.stat({ bigint: true });
		if (found.size > HASHED_BYTES_MAX) return new RangedFile(handle, Number(found.size), identityOf(found), undefined);
		const whole = await handle.readFile();
		return new RangedFile(handle, whole.length, createHash("sha256").update(whole).digest("base64"), whole);
	}

	/**
	 * Returns an identity for the file's content. If the file changed while it was read in ranges, the identity differs
	 * from that of any other read.
	 */
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
			if (bytesRead === 0) return buffer.subarray(0, length); // the file was truncated
			length += bytesRead;
		}
		return buffer;
	}

	/**
	 * Returns the offset of the line that starts `lines` lines after `from`, or the end of the file. Stops searching after
	 * `furthest`.
	 */
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

/** Assigns version numbers to files. A file's number increases whenever its content has changed since the last read. */
export class FileVersions {
	private count = 0;
	/** The identity and version of each file at the last read, by real path. */
	private readonly versions = new Map<string, { readonly identity: string; readonly version: number }>();
	/** Serializes the reads of each file, so that a later read never returns an older version. */
	private readonly reading = new Map<string, Promise<unknown>>();

	/** Reads the file at a real path. `open` is called once earlier reads are done. The handle is closed afterwards. */
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
