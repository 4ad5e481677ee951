import { randomBytes, randomUUID } from "node:crypto";
import { appendFile, chmod, readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { SeenSuggestion } from "@segue/assist";
import { makeFolder } from "@segue/assist/make-folder";
import { sanitizeName } from "@segue/text";
import * as z from "zod";
import { readConfiguration } from "../config/configuration.js";
import { fileErrorText, UserError } from "../config/user-error.js";
import { type EnvironmentVariables, userFilesOf, workspaceFolderOf } from "../config/user-files.js";
import type { FeedbackStore, RequestLogEntry } from "./request-log-entry.js";
import { isRunning } from "./request-log-file.js";

// About 30,000 suggestions. Most users run `segue stats`, which empties the folder, long before they reach this limit.
const BYTES_MAX = 2 ** 24;
// The same limit as in the store.
const AGE_MAX_MS = 180 * 24 * 60 * 60 * 1000;
// Enough to distinguish files with the same process id.
const MARK_BYTES = 4;

interface FeedbackFileOptions {
	/** The folder whose configuration applies to sessions without a folder. */
	readonly folder: string;
	readonly env: EnvironmentVariables;
	readonly pid: number;
}

/**
 * Appends the outcomes of suggestions to this process's file, one JSON object per line, so that next edits don't load a
 * database. `segue stats` imports the files from all processes into the store. Skips projects with `feedback: false`.
 */
export class FeedbackFile implements FeedbackStore {
	/** Makes ids unique across processes. */
	private readonly process = randomUUID();
	private readonly name: string;
	private hasPruned = false;
	private bytes = 0;

	constructor(private readonly options: FeedbackFileOptions) {
		this.name = `${options.pid}-${randomBytes(MARK_BYTES).toString("hex")}.jsonl`;
	}

	async add(entries: readonly RequestLogEntry[]): Promise<void> {
		const seen = this.wanted(entries).flatMap((entry) => {
			return entry.seen().map(({ rank, ...one }) => ({ id: `${this.process} ${entry.number} ${rank}`, ...one }));
		});
		if (seen.length === 0) return;
		const { outcomes: folder } = userFilesOf(this.options.env);
		try {
			makeFolder(folder);
			if (!this.hasPruned) {
				// An existing folder may be readable by other users.
				await chmod(folder, 0o700);
				await prune(folder);
			}
			this.hasPruned = true;
			const text = seen.map((one) => `${JSON.stringify(one)}\n`).join("");
			const file = path.join(folder, this.name);
			this.bytes += Buffer.byteLength(text);
			if (this.bytes > BYTES_MAX) {
				// The outcomes have not been imported for about half a year, so drop them.
				await rm(file, { force: true });
				this.bytes = 0;
			}
			await appendFile(file, text, { mode: 0o600 });
		} catch (error) {
			if (error instanceof UserError) throw error;
			throw new UserError(`${sanitizeName(folder)} cannot be written: ${fileErrorText(error)}.`);
		}
	}

	async close(): Promise<void> {}

	/** Reads the configuration each time, so that changes apply immediately. */
	private wanted(entries: readonly RequestLogEntry[]): readonly RequestLogEntry[] {
		const { folder, env } = this.options;
		const folderFor = ({ workspace }: RequestLogEntry) => workspaceFolderOf(workspace) ?? folder;
		const folders = [...new Set(entries.map(folderFor))];
		const isWanted = (folder: string) => readConfiguration({ folder, env, flags: {} }).feedback.value;
		const wanted = new Set(folders.filter(isWanted));
		return entries.filter((entry) => wanted.has(folderFor(entry)));
	}
}

/** Deletes files that are too old, and the oldest files of ended processes while the total size is too large. */
async function prune(folder: string): Promise<void> {
	const now = Date.now();
	let bytes = 0;
	for (const { file, pid, size, mtimeMs } of (await feedbackFilesIn(folder)).toReversed()) {
		bytes += size;
		const isTooMuch = bytes > BYTES_MAX && !isRunning(pid);
		if (isTooMuch || now - mtimeMs > AGE_MAX_MS) await rm(file, { force: true });
	}
}

/** The outcomes from all processes, to import into the store. */
interface StoredFeedback {
	/** One entry per id, with its last verdict. */
	readonly seen: readonly SeenSuggestion[];
	/**
	 * Deletes the files of ended processes, or of all processes. Call this after the outcomes have been stored, or to
	 * discard them.
	 */
	forget(whose: "ended" | "all"): Promise<void>;
}

const outcome = z.object({
	id: z.string(),
	at: z.string(),
	predictor: z.string(),
	model: z.string().optional(),
	language: z.string(),
	latencyMs: z.number(),
	verdict: z.enum(["accepted", "partly", "typed", "rejected", "ignored", "replaced", "cancelled", "gone"]).optional(),
	kind: z.string(),
	trigger: z.string(),
	chance: z.number(),
	features: z.record(z.string(), z.number()),
});

/** Reads the outcomes from all processes. Returns undefined if there are no files. */
export async function readFeedbackFiles(folder: string): Promise<StoredFeedback | undefined> {
	const files = await feedbackFilesIn(folder);
	if (files.length === 0) return undefined;
	const seen = new Map<string, SeenSuggestion>();
	for (const { file } of files) {
		for (const line of await linesOf(file)) {
			const one = outcome.safeParse(parsed(line)).data;
			if (one === undefined) continue;
			seen.set(one.id, { ...one, model: one.model, verdict: one.verdict ?? seen.get(one.id)?.verdict });
		}
	}
	return {
		seen: [...seen.values()],
		forget: async (whose) => {
			// A running process may append to its file at any time. Its outcomes are stored again next time.
			const deletable = files.filter(({ pid }) => whose === "all" || !isRunning(pid));
			for (const { file } of deletable) await rm(file, { force: true });
		},
	};
}

interface FoundFile {
	readonly file: string;
	readonly pid: number;
	readonly size: number;
	readonly mtimeMs: number;
}

const NAME = /^([1-9]\d{0,9})-[0-9a-f]{8}\.jsonl$/;

/** Lists the files, least recently written first. */
async function feedbackFilesIn(folder: string): Promise<FoundFile[]> {
	const names = await readdir(folder).catch(ifMissing([]));
	const found: FoundFile[] = [];
	for (const name of names) {
		const [, pid] = NAME.exec(name) ?? [];
		if (pid === undefined) continue;
		const file = path.join(folder, name);
		const stats = await stat(file).catch(ifMissing(undefined));
		if (stats !== undefined) found.push({ file, pid: Number(pid), size: stats.size, mtimeMs: stats.mtimeMs });
	}
	return found.toSorted((a, b) => a.mtimeMs - b.mtimeMs);
}

async function linesOf(file: string): Promise<string[]> {
	return (await readFile(file, "utf8").catch(ifMissing(""))).split("\n");
}

/** Returns undefined for an incomplete line from a process that was killed. */
function parsed(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}

function ifMissing<T>(fallback: T): (error: NodeJS.ErrnoException) => T {
	return (error) => {
		if (error.code !== "ENOENT")
			throw new UserError(`${sanitizeName(error.path ?? "")} cannot be read: ${fileErrorText(error)}.`);
		return fallback;
	};
}
