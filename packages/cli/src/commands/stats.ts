import { type FileHandle, open } from "node:fs/promises";
import type { EnvironmentVariables } from "@segue/agent/config/user-files";
import type { Feedback } from "@segue/assist";
import { sanitizeName } from "@segue/text/sanitize";
import { type Command, Option } from "commander";
import type { CommandProcess } from "../command-line.js";
import { kindName } from "../suggestion-kinds.js";
import type { Figures, NamedFigures, Stats } from "../suggestion-stats.js";
import { isColoured, paintFor } from "../terminal/colour.js";
import { confirmInTerminal } from "../terminal/confirm.js";
import { reportUserErrors, writeMessage } from "../terminal/message.js";
import { columnsOf, cut, hang, type Output, pad, paragraph, percentage, widthOf, wrap } from "../terminal/width.js";

export function addStats(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("stats")
		.description("Show how often suggestions were accepted.")
		.allowExcessArguments(false)
		.option("--since <time>", "how far back to look, for example 12h, 7d or 4w (default: all time)")
		.addOption(new Option("--json", "print JSON").conflicts(["export", "clear"]))
		.addOption(
			new Option("--export <file>", "write the suggestions to a file, one JSON object per line").conflicts("clear"),
		)
		.addOption(new Option("--clear", "delete all statistics").conflicts("since"))
		.option("--yes", "don't ask for confirmation")
		.addHelpText(
			"after",
			`
Examples:
  $ segue stats --since 7d
  $ segue stats --export suggestions.jsonl
  $ segue stats --clear

The tables group the results by source, model and language. They leave out suggested jumps
(which --export includes) and suggestions made while the playground plays a story. The statistics
stay on this machine and contain no code and no paths. To stop collecting them, set
"feedback": false in the configuration.`,
		)
		.action(async (options: StatsOptions) => {
			const { env, stdout, stderr } = process;
			process.exitCode = await showStats(options, {
				...{ env, now: new Date(), stdout, stderr },
				...{ isColoured: isColoured(stdout, env), confirm: confirmInTerminal(process) },
			});
		});
}

export interface StatsOptions {
	/** A period such as `7d`. If absent, all suggestions are included. */
	readonly since?: string;
	readonly json?: boolean;
	readonly export?: string;
	readonly clear?: boolean;
	readonly yes?: boolean;
}

/** The parts of the process that the command uses. */
interface StatsContext {
	readonly env: EnvironmentVariables;
	readonly now: Date;
	readonly stdout: Output;
	readonly stderr: Output;
	readonly isColoured: boolean;
	/** Asks the user to confirm; undefined outside a terminal. */
	readonly confirm: ((question: string) => Promise<boolean>) | undefined;
}

/** Returns the exit code. */
export async function showStats(options: StatsOptions, context: StatsContext): Promise<number> {
	const { env, now, stdout, stderr, isColoured, confirm } = context;
	const report = (notice: string) => writeMessage(stderr, notice);
	const { UserError } = await import("@segue/agent/config/user-error");
	const { readStats, withFeedback } = await import("../suggestion-stats.js");
	return reportUserErrors(stderr, async () => {
		const since = options.since === undefined ? "" : sinceOf(options.since, now);
		if (since === undefined) {
			throw new UserError("--since takes a number of hours, days or weeks, for example 12h, 7d or 4w.");
		}
		if (options.clear) {
			if (!options.yes && confirm === undefined) {
				throw new UserError("Not a terminal: pass --yes to delete all statistics.");
			}
			if (!options.yes && !(await confirm?.("Delete the statistics about all suggestions?"))) {
				throw new UserError("Nothing was deleted.");
			}
			const count = (await withFeedback(env, report, (feedback) => feedback.clear(), "all")) ?? 0;
			stdout.write(`Deleted ${counted(count)}.\n`);
		} else if (options.export !== undefined) {
			const file = options.export;
			const count = await withFeedback(env, report, (feedback) => exportTo(file, feedback, since));
			if (!count) throw new UserError("Nothing to export: no suggestions are stored for this period.");
			stdout.write(`Exported ${counted(count)} to ${sanitizeName(file)}.\n`);
		} else {
			const stats = await readStats(env, since, report);
			stdout.write(
				options.json ? `${JSON.stringify(stats, undefined, 2)}\n` : printStats(stats, columnsOf(stdout), isColoured),
			);
		}
	});
}

function counted(count: number): string {
	return count === 1 ? "1 suggestion" : `${count} suggestions`;
}

const CHUNK_LENGTH = 65_536;

/**
 * Writes one JSON object per line to a file that only the user can read. Returns the number of lines. Creates no file if
 * there are none.
 */
async function exportTo(file: string, feedback: Feedback, since: string): Promise<number> {
	let count = 0;
	let handle: FileHandle | undefined;
	try {
		let chunk = "";
		for await (const { id: _, ...suggestion } of feedback.since(since)) {
			handle ??= await openPrivately(file);
			chunk += `${JSON.stringify(suggestion)}\n`;
			count++;
			if (chunk.length < CHUNK_LENGTH) continue;
			await handle.write(chunk);
			chunk = "";
		}
		await handle?.write(chunk);
	} finally {
		await handle?.close();
	}
	return count;
}

async function openPrivately(file: string): Promise<FileHandle> {
	const { UserError, fileErrorText } = await import("@segue/agent/config/user-error");
	const handle = await open(file, "w", 0o600).catch((error: unknown) => {
		throw new UserError(`Cannot write ${sanitizeName(file)}: ${fileErrorText(error)}. Choose another file.`);
	});
	// An existing file may be readable by other users.
	await handle.chmod(0o600);
	return handle;
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 };

/** Returns the start of a period that ends now, in ISO format, or undefined if it cannot be parsed. */
function sinceOf(span: string, now: Date): string | undefined {
	const [, count, unit = ""] = /^(\d{1,4})([hdw])$/.exec(span) ?? [];
	if (count === undefined) return undefined;
	return new Date(now.getTime() - Number(count) * (UNITS[unit] ?? 0)).toISOString();
}

type Column = readonly [heading: string, of: (figures: Figures) => string, meaning?: string];

const COLUMNS: readonly Column[] = [
	["shown", ({ shown }) => `${shown}`],
	["accepted", ({ accepted }) => `${accepted}`, "with a key, or by typing the same text"],
	["partly", ({ partly }) => `${partly}`, "only some words or lines were accepted"],
	["dismissed", ({ rejected }) => `${rejected}`, "with a key"],
	["ignored", ({ ignored }) => `${ignored}`, "you continued without it"],
	["other", ({ other }) => `${other}`, "replaced by a newer suggestion, or the editor reported no outcome"],
	[
		"rate",
		({ rate }) => (rate === null ? "–" : percentage(rate)),
		"the share that was accepted, fully or partly; other is left out",
	],
	[
		"median",
		({ medianMs }) => (medianMs === null ? "–" : `${Number(medianMs.toPrecision(2))} ms`),
		"time from the request to the suggestion",
	],
];

const JUMPS = "Jumps to another place are not counted, because they change no code.";

function printStats({ all, bySource, byModel, byLanguage }: Stats, columns: number, isColoured: boolean): string {
	if (all.shown === 0) {
		return paragraph('No suggestions in this period. None are counted if the configuration has "feedback": false.', {
			columns,
		});
	}
	const { bold, dim } = paintFor(isColoured);
	const sections = (
		[
			["All", [{ name: "suggestions", ...all }]],
			["By source", bySource.map((row) => ({ ...row, name: kindName(row.name) }))],
			["By model", byModel],
			["By language", byLanguage],
		] as const
	).filter(([, rows]) => rows.length > 0);
	const named = sections.flatMap(([title, rows]) => [title, ...rows.map(({ name }) => sanitizeName(name))]);
	const cells = COLUMNS.map(([heading, of]) => {
		const values = sections.flatMap(([, rows]) => rows.map(of));
		return GAP + Math.max(heading.length, ...values.map((value) => value.length));
	});
	const room = columns - cells.reduce((sum, width) => sum + width, 0);
	const nameCells = Math.min(room, NAME_CELLS_MAX, Math.max(...named.map(widthOf)));
	const isTable = nameCells >= NAME_CELLS_MIN;
	const line = (values: readonly string[]) => values.map((value, i) => value.padStart(cells[i] ?? 0)).join("");
	const headings = isTable ? dim(line(COLUMNS.map(([heading]) => heading))) : "";
	const lineOf = (row: NamedFigures) => {
		const name = sanitizeName(row.name);
		if (!isTable) return [cut(name, columns), ...listOf(row, columns)].join("\n");
		return pad(cut(name, nameCells), nameCells) + line(COLUMNS.map(([, of]) => of(row)));
	};
	const sectionTexts = sections.map(([title, rows]) => {
		const heading = isTable ? bold(pad(title, nameCells)) + headings : bold(title);
		return `${[heading, ...rows.map(lineOf)].join("\n")}\n`;
	});
	return `${sectionTexts.join("\n")}\n${legend(columns)
		.map((text) => `${dim(text)}\n`)
		.join("")}`;
}

// Between two columns.
const GAP = 2;
// Leaves room for the other columns in a terminal with 100 columns. Longer model names are cut.
const NAME_CELLS_MAX = 30;
const NAME_CELLS_MIN = "By language".length;

/** A row for terminals that are too narrow for the table. */
function listOf(figures: Figures, columns: number): string[] {
	const items = COLUMNS.map(([heading, of]) =>
		heading === "rate" || heading === "median" ? `${heading} ${of(figures)}` : `${of(figures)} ${heading}`,
	);
	// Keeps each value on the same line as its heading.
	const words = items.join(", ").replace(/(?<!,) /g, NO_BREAK);
	return hang("  ", words, columns).map((line) => line.replaceAll(NO_BREAK, " "));
}

const NO_BREAK = "\u00a0";

function legend(columns: number): string[] {
	const cells = Math.max(...COLUMNS.map(([heading]) => heading.length)) + GAP;
	const meanings = COLUMNS.flatMap(([heading, , meaning]) =>
		meaning === undefined ? [] : hang(heading.padEnd(cells), meaning, columns),
	);
	return [...meanings, ...wrap(JUMPS, columns)];
}
