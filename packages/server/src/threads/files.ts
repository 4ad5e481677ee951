import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { type Place, textIn, type Visit } from "@segue/assist";
import { ToolError } from "@segue/assist/failures";
import type { threads } from "@segue/protocol/threads";
import { ErrorCode, type ParamsOf, type ResultOf, RpcError } from "@segue/rpc";

type Read = ResultOf<typeof threads.readTextFile>;

// What is larger was not written by hand: it is told from another version by its time, and a range of it is read alone.
const HASHED_BYTES_MAX = 8 * 2 ** 20;
// Of one answer. A byte of text may become six in JSON, and this stays below what a connection reads.
const CONTENT_BYTES_MAX = 4 * 2 ** 20;
// Large enough that reading takes longer than asking for it, and small beside what a process has.
const CHUNK_BYTES = 256 * 1024;
// More than anybody looks at; who finds more looks for too much.
const MATCHES_MAX = 10_000;
// More files than an editor reads over one connection. One that was forgotten counts as changed.
const VERSIONS_MAX = 10_000;

/** Files of threads' workspaces, as a peer reads them. One for each connection, which has versions of its own. */
export class ThreadFiles {
	private count = 0;
	/** What each file was when it was last read, by where it really lies. */
	private readonly versions = new Map<string, { readonly identity: string; readonly version: number }>();
	/** One read of a file after the other, so that what is read later is never the older. */
	private readonly reading = new Map<string, Promise<unknown>>();

	/** Lines end with \n, and each is read with its end. */
	readText(visit: Visit, params: ParamsOf<typeof threads.readTextFile>, signal: AbortSignal): Promise<Read> {
		const { path, lineOffset, lineLimit } = params;
		return this.read(visit, path, async (file, name) => {
			if (file.whole !== undefined) textIn(file.whole, name); // a part of it may look like text
			const from = await file.lineAt(0, lineOffset ?? 0, Number.POSITIVE_INFINITY, signal);
			const furthest = from + CONTENT_BYTES_MAX;
			const to = lineLimit == null ? file.size : await file.lineAt(from, lineLimit, furthest, signal);
			if (to > furthest) throw tooMuch(name, "lineLimit");
			return textIn(await file.bytes(from, to), name);
		});
	}

	readBinary(visit: Visit, { path, byteOffset, byteLimit }: ParamsOf<typeof threads.readBinaryFile>): Promise<Read> {
		return this.read(visit, path, async (file, name) => {
			const from = Math.min(byteOffset ?? 0, file.size);
			const to = Math.min(from + (byteLimit ?? Number.POSITIVE_INFINITY), file.size);
			if (to - from > CONTENT_BYTES_MAX) throw tooMuch(name, "byteLimit");
			return (await file.bytes(from, to)).toString("base64");
		});
	}

	async stat(visit: Visit, path: string): Promise<ResultOf<typeof threads.stat>> {
		const { kind } = await about("path", () => visit.resolve(path));
		return { exists: kind !== "nothing", isDirectory: kind === "folder" };
	}

	async glob(visit: Visit, pattern: string): Promise<ResultOf<typeof threads.globSearch>> {
		const matches = await about("pattern", () => visit.find(pattern));
		return { matches: matches.slice(0, MATCHES_MAX) };
	}

	private async read(
		visit: Visit,
		path: string,
		contentOf: (file: OpenFile, name: string) => Promise<string>,
	): Promise<Read> {
		return about("path", async () => {
			const place = await visit.resolve(path);
			if (place.kind === "nothing") throw new ToolError(`There is no file ${place.name}.`);
			if (place.kind === "folder") throw new ToolError(`${place.name} is a folder.`);
			return this.inTurn(place, async () => {
				const handle = await visit.open(place);
				try {
					const file = await OpenFile.of(handle);
					const content = await contentOf(file, place.name);
					return { version: this.versionOf(place, file.identity), content };
				} finally {
					await handle.close();
				}
			});
		});
	}

	private async inTurn<T>({ real }: Place, read: () => Promise<T>): Promise<T> {
		const before = this.reading.get(real) ?? Promise.resolve();
		const own = before.then(read, read);
		this.reading.set(real, own);
		try {
			return await own;
		} finally {
			if (this.reading.get(real) === own) this.reading.delete(real);
		}
	}

	private versionOf({ real }: Place, identity: string): number {
		const known = this.versions.get(real);
		const version = known?.identity === identity ? known.version : ++this.count;
		this.versions.delete(real);
		this.versions.set(real, { identity, version });
		const [oldest] = this.versions.keys();
		if (this.versions.size > VERSIONS_MAX && oldest !== undefined) this.versions.delete(oldest);
		return version;
	}
}

/** A file that is read in ranges. A small one is read once, so that all of it is of one version. */
class OpenFile {
	private constructor(
		private readonly handle: FileHandle,
		readonly size: number,
		/** Differs for another content. */
		readonly identity: string,
		/** All of a small file. */
		readonly whole: Buffer | undefined,
	) {}

	static async of(handle: FileHandle): Promise<OpenFile> {
		const { size, ino, mtimeNs } = await handle.stat({ bigint: true });
		if (size > HASHED_BYTES_MAX) return new OpenFile(handle, Number(size), `${ino}:${mtimeNs}:${size}`, undefined);
		const whole = await handle.readFile();
		return new OpenFile(handle, whole.length, createHash("sha256").update(whole).digest("base64"), whole);
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
	async lineAt(from: number, lines: number, furthest: number, signal: AbortSignal): Promise<number> {
		let left = lines;
		for (let at = from; at < this.size && left > 0; at += CHUNK_BYTES) {
			signal.throwIfAborted();
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

function tooMuch(name: string, limit: string): RpcError {
	const why = `${name} has more than ${CONTENT_BYTES_MAX} bytes there, which is too much at once; ask for less`;
	return new RpcError(ErrorCode.invalidParams, `Invalid params: params.${limit}: ${why}`);
}

/** Says which field it is that asks for what cannot be done. */
async function about<T>(field: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ToolError)) throw error;
		throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.${field}: ${error.message}`);
	}
}
