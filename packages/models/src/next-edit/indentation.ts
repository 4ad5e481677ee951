import type { Text } from "@segue/text";

// Code further away may be indented differently.
const LINES_AROUND = 500;

/**
 * Returns how the lines around a range are indented: with tabs or a number of spaces. Undefined if the indentation is
 * inconsistent or no line is indented. Ignores lines that start with `*`, which continue a block comment and are
 * indented by one extra space.
 */
export function indentStyleOf(text: Text, first: number, last: number): Indent | undefined {
	let tabs = 0;
	let narrowest = Number.POSITIVE_INFINITY;
	const to = Math.min(last + LINES_AROUND, text.lineCount - 1);
	for (let line = Math.max(first - LINES_AROUND, 0); line <= to; line++) {
		const [, blanks = ""] = /^([ \t]+)[^\s*]/.exec(text.line(line)) ?? [];
		if (blanks.startsWith("\t")) tabs++;
		else if (blanks !== "") narrowest = Math.min(narrowest, blanks.length);
	}
	if (tabs > 0) return narrowest === Number.POSITIVE_INFINITY ? "tabs" : undefined;
	return narrowest >= 2 && narrowest <= 8 ? narrowest : undefined;
}

/** Tabs or a number of spaces. */
export type Indent = "tabs" | number;

/**
 * Adapts the whitespace in a model's lines to the text that they replace. A line that differs only in trailing
 * whitespace stays as it was. Trailing whitespace is removed if no line of the text has any. Indentation is converted
 * to the style of the text until the model itself, after the given lines, writes a line in that style. From then on,
 * any other indentation is intended, for example in a multi-line string. Each line depends only on earlier ones, so
 * lines stay final when more arrive.
 */
export function withBlanksOf(
	old: readonly string[],
	indent: Indent | undefined,
	now: readonly string[],
	given = 0,
): string[] {
	const known = new Set(old);
	const byInk = new Map(old.toReversed().map((line) => [line.trimEnd(), line]));
	const endsInBlanks = old.some((line) => /\S\s+$/.test(line));
	const ownWay = indent === "tabs" ? /^\t/ : /^ {2}/;
	let isOwn = false;
	let unit: number | undefined;
	return now.map((written, i) => {
		isOwn ||= i >= given && ownWay.test(written);
		if (known.has(written)) return written;
		const line = endsInBlanks ? written : written.trimEnd();
		if (line.trim() === "") return "";
		const blanks = /^[ \t]*/.exec(line)?.[0] ?? "";
		if (indent === "tabs" && !isOwn) unit ??= unitOf(blanks, now, i, old);
		const isKept = indent === undefined || isOwn;
		const indented = isKept ? line : `${indentedAs(blanks, indent, unit)}${line.slice(blanks.length)}`;
		return byInk.get(indented.trimEnd()) ?? indented;
	});
}

function indentedAs(blanks: string, indent: Indent, unit: number | undefined): string {
	if (indent !== "tabs") return blanks.replaceAll("\t", " ".repeat(indent));
	return unit === undefined ? blanks : blanks.replace(new RegExp(` {${unit}}`, "g"), "\t");
}

/**
 * Guesses how many spaces the model writes for a tab, based on its first line that is indented with spaces. Compares
 * that line with the equal line in the text that has the same previous line, since a line can occur at several depths.
 * Falls back to common widths.
 */
function unitOf(blanks: string, now: readonly string[], at: number, old: readonly string[]): number | undefined {
	if (!/^ {2,}$/.test(blanks)) return undefined;
	const inkOf = (lines: readonly string[], i: number) => lines[i]?.trim() ?? "";
	const same = old.find((_, i) => inkOf(old, i) === inkOf(now, at) && inkOf(old, i - 1) === inkOf(now, at - 1));
	const depth = /^\t*/.exec(same ?? "")?.[0].length ?? 0;
	if (depth > 0 && blanks.length % depth === 0) return blanks.length / depth;
	return blanks.length % 4 === 0 ? 4 : 2;
}
