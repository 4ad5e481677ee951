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

// Some 30,000 suggestions. `segue stats` empties the folder long before that for most people.
const BYTES_MAX = 2 ** 24;
// As long as the store keeps them.
const AGE_MAX_MS = 180 * 24 * 60 * 60 * 1000;
// Enough to tell files of the same process id apart.
const MARK_BYTES = 4;

interface FeedbackFileOptions {
	/** The configuration of this folder holds for sessions without one. */
	readonly folder: string;
	readonly env: EnvironmentVariables;
	readonly pid: number;
}

/**
 * Appends what became of suggestions to a file of this process, one JSON object a line, so that next edits load no database.
 * `segue stats` reads the files of all processes into the store. Nothing is written about projects that do not want it.
 */
export class FeedbackFile implements FeedbackStore {
	/** Makes ids unique among processes. */
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
				// A folder that was there before may be open to others.
				await chmod(folder, 0o700);
				await prune(folder);
			}
			this.hasPruned = true;
			const text = seen.map((one) => `${JSON.stringify(one)}\n`).join("");
			const file = path.join(folder, this.name);
			this.bytes += Buffer.byteLength(text);
			if (this.bytes > BYTES_MAX) {
				// Nobody has looked at the figures for half a year, so the oldest go.
				await rm(file, { force: true });
				this.bytes = 0;
			}
			await appendFile(file, text, { mode: 0o600 });
		} catch (error) {
			throw new UserError(`${sanitizeName(folder)} cannot be written: ${fileErrorText(error)}.`);
		}
	}

	async close(): Promise<void> {}

	/** The configuration is read each time, so that a change of it applies at once. */
	private wanted(entries: readonly RequestLogEntry[]): readonly RequestLogEntry[] {
		const { folder, env } = this.options;
		const folderFor = ({ workspace }: RequestLogEntry) => workspaceFolderOf(workspace) ?? folder;
		const folders = [...new Set(entries.map(folderFor))];
		const isWanted = (folder: string) => readConfiguration({ folder, env, flags: {} }).feedback.value;
		const wanted = new Set(folders.filter(isWanted));
		return entries.filter((entry) => wanted.has(folderFor(entry)));
	}
}

/** Deletes files that are too old, and the oldest of ended processes while all together are too large. */
async function prune(folder: string): Promise<void> {
	const now = Date.now();
	let bytes = 0;
	for (const { file, pid, size, mtimeMs } of (await feedbackFilesIn(folder)).toReversed()) {
		bytes += size;
		const isTooMuch = bytes > BYTES_MAX && !isRunning(pid);
		if (isTooMuch || now - mtimeMs > AGE_MAX_MS) await rm(file, { force: true });
	}
}

/** What processes have written, to be kept in the store. */
interface StoredFeedback {
	/** Each id once, with its last verdict. */
	readonly seen: readonly SeenSuggestion[];
	/** Deletes the files of ended processes, or of all. To be called once the outcomes are stored, or not wanted. */
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

/** Reads what processes have written; undefined where no process has. */
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
			// A process that runs may append to its file at any moment. What was read of it is stored again next time.
			const gone = files.filter(({ pid }) => whose === "all" || !isRunning(pid));
			for (const { file } of gone) await rm(file, { force: true });
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

/** The one that was written last comes last. */
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

/** Undefined for a line that is half written because its process was killed. */
function parsed(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}

function ifMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
	return (error) => {
		if (error.code !== "ENOENT")
			throw new UserError(`${sanitizeName(error.path ?? "")} cannot be read: ${fileErrorText(error)}.`);
		return instead;
	};
}
