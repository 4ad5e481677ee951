import { randomBytes, randomUUID } from "node:crypto";
import { appendFile, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { SeenSuggestion } from "@segue/assist";
import { makeFolder } from "@segue/assist/make-folder";
import { plain } from "@segue/text";
import { readConfiguration } from "../config/configuration.js";
import { type Environment, placesOf } from "../config/places.js";
import { Refusal, reasonOf } from "../config/refusal.js";
import { folderOf } from "../config/workspace-folder.js";
import type { RequestAccount } from "./account.js";
import type { Keeper } from "./process-witness.js";

// Some 30,000 suggestions: what somebody sees in half a year. `segue stats` empties the file long before.
const BYTES_MAX = 2 ** 24;
// Enough to tell files apart that are taken at the same time.
const MARK_BYTES = 4;

export interface OutcomeFileOptions {
	/** Whose configuration holds for sessions of no folder. */
	readonly folder: string;
	readonly env: Environment;
}

/**
 * Appends what became of suggestions to a file, one JSON object a line. Next edits load no database: `segue stats` takes the
 * file into the store of this machine. Nothing of projects is written where that is not wanted.
 */
export class OutcomeFile implements Keeper {
	/** Other processes count their requests, too. */
	private readonly process = randomUUID();

	constructor(private readonly options: OutcomeFileOptions) {}

	async keep(accounts: readonly RequestAccount[]): Promise<void> {
		const seen = this.wanted(accounts).flatMap((account) => {
			return account.seen().map(({ rank, ...one }) => ({ id: `${this.process} ${account.number} ${rank}`, ...one }));
		});
		if (seen.length === 0) return;
		const { outcomes: file } = placesOf(this.options.env);
		try {
			makeFolder(path.dirname(file));
			await this.makeRoom(file);
			await appendFile(file, seen.map((one) => `${JSON.stringify(one)}\n`).join(""), { mode: 0o600 });
		} catch (error) {
			throw new Refusal(`${plain(file)} cannot be written: ${reasonOf(error)}.`);
		}
	}

	async close(): Promise<void> {}

	/** The configuration is read each time: who says no meanwhile is heard. */
	private wanted(accounts: readonly RequestAccount[]): readonly RequestAccount[] {
		const { folder, env } = this.options;
		const folderFor = ({ workspace }: RequestAccount) => folderOf(workspace) ?? folder;
		const folders = [...new Set(accounts.map(folderFor))];
		const isWanted = (folder: string) => readConfiguration({ folder, env, flags: {} }).feedback.value;
		const wanted = new Set(folders.filter(isWanted));
		return accounts.filter((account) => wanted.has(folderFor(account)));
	}

	/** A full file replaces the one that was full before it. */
	private async makeRoom(file: string): Promise<void> {
		const { size } = await stat(file).catch(() => ({ size: 0 }));
		if (size >= BYTES_MAX) await rename(file, takenName(file, FULL));
	}
}

/** What was taken out of the file, to be kept elsewhere. */
export interface TakenOutcomes {
	/** One that is in it twice is as the second says. */
	readonly seen: readonly SeenSuggestion[];
	/** To be called when they are kept. Until then, whoever takes next takes them again. */
	forget(): Promise<void>;
}

/** Takes what processes have written so far; undefined where there is nothing. */
export async function takeOutcomes(file: string): Promise<TakenOutcomes | undefined> {
	await rename(file, takenName(file, randomBytes(MARK_BYTES).toString("hex"))).catch(unlessMissing);
	const folder = path.dirname(file);
	const { name } = path.parse(file);
	const names = await readdir(folder).catch(() => []);
	const taken = names.filter((one) => one.startsWith(`${name}-`) && one.endsWith(".jsonl"));
	if (taken.length === 0) return undefined;
	const files = taken.map((one) => path.join(folder, one));
	const seen: SeenSuggestion[] = [];
	for (const one of files) seen.push(...(await readOutcomes(one)));
	return {
		seen: [...new Map(seen.map((one) => [one.id, one])).values()],
		forget: async () => {
			for (const one of files) await rm(one, { force: true });
		},
	};
}

const FULL = "full";

function takenName(file: string, mark: string): string {
	const { dir, name, ext } = path.parse(file);
	return path.join(dir, `${name}-${mark}${ext}`);
}

/** The last line is half written where a process was killed. */
async function readOutcomes(file: string): Promise<SeenSuggestion[]> {
	const text = await readFile(file, "utf8").catch(unlessMissing);
	return (text ?? "").split("\n").flatMap((line) => {
		try {
			const one = JSON.parse(line) as SeenSuggestion;
			return typeof one.id === "string" && typeof one.at === "string" ? [one] : [];
		} catch {
			return [];
		}
	});
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code !== "ENOENT") throw new Refusal(`What became of suggestions cannot be read: ${reasonOf(error)}.`);
	return undefined;
}
