import path from "node:path";
import type { FileDiff } from "@segue/assist";
import { harmless, harmlessLine, printUnified } from "@segue/text";
import type { Paint } from "./colour.js";

/** What of a diff is shown where nobody asked for the whole: about two screens, more is not read there. */
export const DIFF_LINES_MAX = 60;

/** The lines of some diffs, one file after the other, with at most so many in all. */
export function printDiffs(
	diffs: readonly FileDiff[],
	{ workspace, paint, linesMax }: { workspace: string; paint: Paint; linesMax: number },
): string[] {
	const lines = diffs.flatMap((diff) => linesOf(diff, workspace));
	const shown = lines.slice(0, linesMax).map((line) => colour(line, paint));
	if (lines.length > linesMax) shown.push(paint.dim(`… ${lines.length - linesMax} more lines`));
	return shown;
}

function linesOf({ path: file, before, after }: FileDiff, workspace: string): string[] {
	const name = harmlessLine(path.relative(workspace, file) || file);
	const old = before === undefined ? "/dev/null" : `a/${name}`;
	const now = after === undefined ? "/dev/null" : `b/${name}`;
	const printed = printUnified(before ?? "", after ?? "", old, now);
	// An empty file that comes or goes has no line to tell of it.
	if (printed === "") return [`--- ${old}`, `+++ ${now}`];
	return printed.trimEnd().split("\n").map(harmless);
}

function colour(line: string, paint: Paint): string {
	if (line.startsWith("--- ") || line.startsWith("+++ ")) return paint.bold(line);
	if (line.startsWith("+")) return paint.green(line);
	if (line.startsWith("-")) return paint.red(line);
	return line.startsWith("@@") || line.startsWith("\\") ? paint.dim(line) : line;
}
