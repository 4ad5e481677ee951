import { diffItems } from "@segue/text";

const MARK = "\ufeff";

/** The lines of a file, without its byte order mark and line ends. */
export function fileLinesOf(content: string): string[] {
	return withoutMark(content).split(/\r\n|\n/);
}

/**
 * The content to write for edited lines. It keeps the file's byte order mark and the line end of each line that the
 * file had. A new line gets the line end of the line before it.
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

/** For each line, the index of the old line that it keeps or replaces; undefined for a new line. */
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
