import type { Text } from "@segue/text";

// Further away from where a model writes, a file need not be indented as it is here.
const LINES_AROUND = 500;

/**
 * How the lines of a text are indented around some of them: with tabs, with so many spaces, or undefined where they do not
 * agree or where none is. The signs that begin the lines of a long comment stand a space further in, which is no indentation.
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

/** Tabs, or how many spaces. */
export type Indent = "tabs" | number;

/**
 * The lines that a model wrote with the blanks of the text that they are for. What is as it was but for blanks at its end is
 * as it was; where no line ends in blanks, none comes that does; and what is indented in the other way is indented as the
 * text is, until the model itself, behind the lines that it was given, indents one so: what is in the other way then is meant,
 * as in a long string. Each line depends only on those before it, so what was settled stays when more come.
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
 * How many spaces a model writes for a tab, by the first line that it indents with them: by what the same line has in the
 * text below the same line, as it may be elsewhere at another depth, else as most do.
 */
function unitOf(blanks: string, now: readonly string[], at: number, old: readonly string[]): number | undefined {
	if (!/^ {2,}$/.test(blanks)) return undefined;
	const inkOf = (lines: readonly string[], i: number) => lines[i]?.trim() ?? "";
	const same = old.find((_, i) => inkOf(old, i) === inkOf(now, at) && inkOf(old, i - 1) === inkOf(now, at - 1));
	const depth = /^\t*/.exec(same ?? "")?.[0].length ?? 0;
	if (depth > 0 && blanks.length % depth === 0) return blanks.length / depth;
	return blanks.length % 4 === 0 ? 4 : 2;
}
