import type { Text } from "@codemirror/state";

// Enough to see how a file is indented, however long it is.
const LINES_MAX = 1000;

/** What one level of a file is indented by: a tab, or the number of spaces by which its lines most often go in. */
export function indentationOf(doc: Text, path: string): string {
	const counts = new Map<string, number>();
	let before = 0;
	for (let number = 1; number <= Math.min(doc.lines, LINES_MAX); number++) {
		const { text } = doc.line(number);
		const [blank = ""] = /^[\t ]*/.exec(text) ?? [];
		if (blank.length === text.length) continue;
		const width = blank.startsWith("\t") ? 0 : blank.length;
		const unit = blank.startsWith("\t") ? "\t" : width > before + 1 ? " ".repeat(width - before) : undefined;
		if (unit !== undefined) counts.set(unit, (counts.get(unit) ?? 0) + 1);
		before = width;
	}
	const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
	return most?.[0] ?? (/\.(?:py|rs)$/.test(path) ? "    " : "\t");
}
