import { randomBytes } from "node:crypto";
import { chmod, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "@segue/assist/make-folder";
import { sanitizeName } from "@segue/text";
import * as z from "zod";
import { fileErrorText, UserError } from "../config/user-error.js";
import { RENEWAL_MS, type RequestLogEntry, type RequestLogOutput } from "./request-log-entry.js";
import { recordOf, requestRecord } from "./request-record.js";

// Far more than fifty requests need. A request logged with code may contain long lines.
const BYTES_MAX = 2 ** 20;
// More servers than users run at the same time. Additional files are handled next time.
const FILES_MAX = 256;
// A running server writes its file again within this time, even on a slow machine. Process ids are less reliable: they
// are reused, and differ in containers that share this folder.
const FRESH_MS = 5 * RENEWAL_MS;
// Enough to distinguish files with the same process id.
const MARK_BYTES = 4;

const logFile = z.object({
	pid: z.number(),
	startedAt: z.string(),
	withCode: z.boolean(),
	/** Oldest first. */
	requests: z.array(requestRecord),
});
/** The last requests of one server. */
export type RequestLogContent = z.infer<typeof logFile>;

interface RequestLogFileOptions {
	readonly folder: string;
	readonly pid: number;
	readonly startedAt: Date;
	/** Whether to include the texts and paths of documents. */
	readonly withCode: boolean;
}

/** A server's last requests in a file that only the user can read. It is deleted when the server ends. */
export class RequestLogFile implements RequestLogOutput {
	/** The serialized entries, with the number of verdicts when they were serialized. */
	private readonly texts = new WeakMap<RequestLogEntry, { readonly verdicts: number; readonly text: string }>();
	private readonly file: string;
	private readonly draft: string;

	private constructor(private readonly options: RequestLogFileOptions) {
		const name = path.join(options.folder, `${options.pid}-${randomBytes(MARK_BYTES).toString("hex")}`);
		this.file = `${name}.json`;
		this.draft = `${name}.tmp`;
	}

	static open(options: RequestLogFileOptions): Promise<RequestLogFile> {
		const { folder } = options;
		return orUserError(folder, async () => {
			makeFolder(folder);
			// An existing folder may be readable by other users.
			await chmod(folder, 0o700);
			return new RequestLogFile(options);
		});
	}

	/** Also deletes files of servers that were killed. */
	write(recent: readonly RequestLogEntry[]): Promise<void> {
		const { folder } = this.options;
		return orUserError(folder, async () => {
			for (const { file, isFresh } of await filesIn(folder)) if (!isFresh) await rm(file, { force: true });
			await this.replace(this.textWith(recent));
		});
	}

	async close(): Promise<void> {
		await rm(this.file, { force: true });
	}

	/** Serializes as many of the newest entries as fit. */
	private textWith(recent: readonly RequestLogEntry[]): string {
		const { pid, startedAt, withCode } = this.options;
		const lines: string[] = [];
		let length = 0;
		for (const entry of recent.toReversed()) {
			const text = this.textOf(entry);
			length += Buffer.byteLength(text) + 2;
			if (length > BYTES_MAX) break;
			lines.unshift(text);
		}
		const head = JSON.stringify({ pid, startedAt: startedAt.toISOString(), withCode }).slice(0, -1);
		return `${head},"requests":[\n${lines.join(",\n")}\n]}\n`;
	}

	/** Replaces the file atomically, so that readers never see a partial file. */
	private async replace(text: string): Promise<void> {
		await rm(this.draft, { force: true });
		const handle = await open(this.draft, "wx", 0o600);
		try {
			await handle.writeFile(text);
		} finally {
			await handle.close();
		}
		await rename(this.draft, this.file);
	}

	private textOf(entry: RequestLogEntry): string {
		const known = this.texts.get(entry);
		const verdicts = entry.outcomes.size;
		if (known?.verdicts === verdicts) return known.text;
		const text = JSON.stringify(recordOf(entry, this.options.withCode));
		this.texts.set(entry, { verdicts, text });
		return text;
	}
}

async function orUserError<T>(folder: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw new UserError(`${sanitizeName(folder)} cannot be written: ${fileErrorText(error)}.`);
	}
}

interface RequestLogs {
	/** The logs of running servers, sorted by start time. */
	readonly logs: readonly RequestLogContent[];
	/** Files that are not valid logs. */
	readonly unreadable: readonly string[];
}

/** Reads the logs of running servers. */
export async function readRequestLogs(folder: string): Promise<RequestLogs> {
	const logs: RequestLogContent[] = [];
	const unreadable: string[] = [];
	for (const { file, pid, isDraft, isFresh } of await filesIn(folder)) {
		if (isDraft || !isFresh || !isRunning(pid)) continue;
		const content = await readRequestLog(file);
		if (content === undefined) unreadable.push(file);
		else if (content !== "gone") logs.push(content);
	}
	return { logs: logs.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1)), unreadable };
}

async function readRequestLog(file: string): Promise<RequestLogContent | "gone" | undefined> {
	try {
		// A file is slightly larger than its requests.
		if ((await stat(file)).size > 2 * BYTES_MAX) return undefined;
		return logFile.safeParse(JSON.parse(await readFile(file, "utf8"))).data;
	} catch (error) {
		// The server may just have ended.
		return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : undefined;
	}
}

interface FoundLogFile {
	readonly file: string;
	readonly pid: number;
	/** The file is being written. */
	readonly isDraft: boolean;
	/** The server may still be running. */
	readonly isFresh: boolean;
}

/** Lists the files of all servers, running or not. */
async function filesIn(folder: string): Promise<FoundLogFile[]> {
	const names = await readdir(folder).catch(ifGone([]));
	const found: FoundLogFile[] = [];
	for (const name of names.filter((name) => NAME.test(name)).slice(0, FILES_MAX)) {
		const [, pid, kind] = NAME.exec(name) ?? [];
		const file = path.join(folder, name);
		const { mtimeMs } = await stat(file).catch(ifGone({ mtimeMs: 0 }));
		const isFresh = Math.abs(Date.now() - mtimeMs) < FRESH_MS;
		found.push({ file, pid: Number(pid), isDraft: kind === "tmp", isFresh });
	}
	return found;
}

const NAME = /^([1-9]\d{0,9})-[0-9a-f]{8}\.(json|tmp)$/;

function ifGone<T>(fallback: T): (error: NodeJS.ErrnoException) => T {
	return (error) => {
		if (error.code !== "ENOENT") throw error;
		return fallback;
	};
}

/** Whether a process with this id exists. */
export function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
