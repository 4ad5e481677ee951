import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { type Environment, placesOf } from "@segue/agent/config/places";
import { Refusal, reasonOf, refusing } from "@segue/agent/config/refusal";
import { readOutcomes } from "@segue/agent/feedback/outcome-file";
import { type Feedback, openEmbeddedStore, openSoundStore } from "@segue/assist";
import { plain } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import { isColoured } from "../terminal/colour.js";
import { confirmHere } from "../terminal/confirm.js";
import { type Stats, statsOf } from "./figures.js";
import { printStats } from "./print.js";

export interface StatsOptions {
	/** How far back, as `7d`; all that is kept where it is left out. */
	readonly since?: string;
	readonly json?: boolean;
	readonly export?: string;
	readonly clear?: boolean;
	readonly yes?: boolean;
}

/** What the command needs of the process it is in. */
export interface Surroundings {
	readonly env: Environment;
	readonly now: Date;
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown };
	readonly isColoured: boolean;
	/** Whether the person says yes; undefined where there is nobody to be asked. */
	readonly confirm: ((question: string) => Promise<boolean>) | undefined;
}

/** `segue stats`: what became of suggestions on this machine. */
export async function statsHere(options: StatsOptions, process: CommandProcess): Promise<void> {
	const { env, stdout, stderr } = process;
	process.exitCode = await showStats(options, {
		...{ env, now: new Date(), stdout, stderr },
		...{ isColoured: isColoured(stdout, env), confirm: confirmHere(process) },
	});
}

/** Gives the exit code. */
export async function showStats(options: StatsOptions, surroundings: Surroundings): Promise<number> {
	const { env, now, stdout, stderr, isColoured, confirm } = surroundings;
	const tell = (notice: string) => void stderr.write(`segue: ${notice}\n`);
	return refusing(stderr, async () => {
		const since = options.since === undefined ? "" : sinceOf(options.since, now);
		if (options.clear) {
			if (!options.yes && confirm === undefined) {
				throw new Refusal("Nobody can be asked here whether all of it is to be forgotten: say so with --yes.");
			}
			if (!options.yes && !(await confirm?.("Forget what became of all suggestions?"))) {
				throw new Refusal("Nothing is forgotten.");
			}
			const count = (await withFeedback(env, tell, (feedback) => feedback.clear(), "all")) ?? 0;
			stdout.write(`${count === 1 ? "1 suggestion is" : `${count} suggestions are`} forgotten.\n`);
		} else if (options.export !== undefined) {
			const file = options.export;
			const count = await withFeedback(env, tell, (feedback) => exportTo(file, feedback, since));
			if (count === undefined) throw new Refusal("Nothing was kept yet, so there is nothing to export.");
			stdout.write(`${count === 1 ? "1 suggestion is" : `${count} suggestions are`} in ${plain(file)} now.\n`);
		} else {
			const stats = await readStats(env, since, tell);
			stdout.write(options.json ? `${JSON.stringify(stats, undefined, 2)}\n` : printStats(stats, isColoured));
		}
	});
}

/** What became of suggestions since a time; all zero where nothing was ever kept. */
export async function readStats(env: Environment, since: string, tell: (notice: string) => void): Promise<Stats> {
	return statsOf((await withFeedback(env, tell, (feedback) => feedback.outcomes(since))) ?? []);
}

/**
 * Stores what servers have written since the last time, and then works on all that is stored. Nothing is made where there is
 * nothing yet. A damaged store is repaired only if there is something to add; otherwise it is left to commands that read threads.
 */
async function withFeedback<T>(
	env: Environment,
	tell: (notice: string) => void,
	work: (feedback: Feedback) => Promise<T>,
	whose: "ended" | "all" = "ended",
): Promise<T | undefined> {
	const { database, outcomes } = placesOf(env);
	const written = await readOutcomes(outcomes);
	if (written === undefined && !existsSync(database)) return undefined;
	const { store, feedback, notice } =
		written === undefined
			? { ...(await openSoundStore(database)), notice: undefined }
			: await openEmbeddedStore(database, new Date());
	try {
		if (notice !== undefined) tell(notice);
		if (written !== undefined) {
			await feedback.keep(written.seen, new Date());
			await written.forget(whose);
		}
		return await work(feedback);
	} finally {
		await store.close();
	}
}

// As much as is written at once.
const CHUNK_CHARACTERS = 65_536;

/** Writes one JSON object in each line, for this user alone; how many. */
async function exportTo(file: string, feedback: Feedback, since: string): Promise<number> {
	let count = 0;
	const handle = await open(file, "w", 0o600).catch((error: unknown) => {
		throw new Refusal(`${plain(file)} cannot be written: ${reasonOf(error)}. Name another file.`);
	});
	try {
		// One that was there before may be open to others.
		await handle.chmod(0o600);
		let chunk = "";
		for await (const { id: _, ...seen } of feedback.since(since)) {
			chunk += `${JSON.stringify(seen)}\n`;
			count++;
			if (chunk.length < CHUNK_CHARACTERS) continue;
			await handle.write(chunk);
			chunk = "";
		}
		await handle.write(chunk);
	} finally {
		await handle.close();
	}
	return count;
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 };

/** A time that was so long ago, as times are kept. */
function sinceOf(said: string, now: Date): string {
	const [, count, unit = ""] = /^(\d{1,4})([hdw])$/.exec(said) ?? [];
	if (count === undefined) throw new Refusal("--since is a number of hours, days or weeks, as 12h, 7d or 4w.");
	return new Date(now.getTime() - Number(count) * (UNITS[unit] ?? 0)).toISOString();
}
