import { diffItems } from "@segue/text";

const MARK = "\ufeff";

/** The lines of a file, without its byte order mark and their ends. */
export function fileLinesOf(content: string): string[] {
	return withoutMark(content).split(/\r\n|\n/);
}

/**
 * Lines as they are to be written in place of what a file held: with its byte order mark, and each line that it held with
 * the end that it had. A line that is new ends as the one before it.
 */
export function contentLike(before: string, lines: readonly string[]): string {
	const ends = withoutMark(before).match(/\r?\n/g) ?? [];
	const origins = originsOf(fileLinesOf(before), lines);
	let written = before.startsWith(MARK) ? MARK : "";
	let end = ends[0] ?? "\n";
	for (const [i, line] of lines.entries()) {
		end = ends[origins[i] ?? -1] ?? end;
		written += i < lines.length - 1 ? line + end : line;
	}
	return written;
}

function withoutMark(content: string): string {
	return content.startsWith(MARK) ? content.slice(MARK.length) : content;
}

/** For each line the number of the one that it was, or was written over; undefined where it is new. */
function originsOf(before: readonly string[], after: readonly string[]): (number | undefined)[] {
	const origins: (number | undefined)[] = [];
	let next = 0;
	for (const { from, to, newFrom, newTo } of diffItems(before, after)) {
		while (origins.length < newFrom) origins.push(next++);
		for (next = from; origins.length < newTo; next++) origins.push(next < to ? next : undefined);
		next = to;
	}
	while (origins.length < after.length) origins.push(next++);
	return origins;
}
