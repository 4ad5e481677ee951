import { diffItems } from "@segue/text";

const MARK = "\ufeff";

/** Returns a file's lines, without the byte order mark and line endings. */
export function fileLinesOf(content: string): string[] {
	return withoutMark(content).split(/\r\n|\n/);
}

/**
 * Returns the content to write for edited lines. Keeps the file's byte order mark and the ending of each existing line.
 * A new line gets the ending of the line before it.
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

/** Returns, for each line, the index of the old line that it keeps or replaces; undefined for a new line. */
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
