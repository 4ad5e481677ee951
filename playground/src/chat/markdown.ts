/** A block in an answer. */
export type MarkdownBlock =
	| { readonly type: "paragraph" | "heading"; readonly spans: readonly MarkdownSpan[] }
	/** The label is the text after the fence, usually a language. */
	| { readonly type: "code"; readonly label: string; readonly text: string }
	/** `from` is the first number; undefined for bullets. */
	| { readonly type: "list"; readonly from: number | undefined; readonly items: readonly (readonly MarkdownBlock[])[] }
	| { readonly type: "quote"; readonly blocks: readonly MarkdownBlock[] }
	| {
			readonly type: "table";
			readonly aligns: readonly ColumnAlign[];
			readonly head: readonly TableCell[];
			readonly rows: readonly (readonly TableCell[])[];
	  }
	| { readonly type: "rule" };

type ColumnAlign = "left" | "center" | "right" | undefined;
type TableCell = readonly MarkdownSpan[];

/** Part of a line. */
export type MarkdownSpan =
	| { readonly type: "text" | "code"; readonly text: string }
	| { readonly type: "strong" | "emphasis"; readonly spans: readonly MarkdownSpan[] }
	| { readonly type: "link"; readonly label: string; readonly address: string };

// Real answers are not nested this deeply. The limit keeps an agent from overflowing the page's stack.
const DEPTH_MAX = 8;

// About the length of a few lines in a panel. A mark that is not closed within this length is plain text.
const SPAN_CHARS_MAX = 1000;

/** The parsed part of an answer that is still arriving. */
interface MarkdownParse {
	readonly text: string;
	readonly blocks: readonly MarkdownBlock[];
	/** Blocks that more text cannot change. */
	readonly settled: readonly MarkdownBlock[];
	/** Offset of the first block that more text can change. */
	readonly from: number;
}

export const EMPTY_PARSE: MarkdownParse = { text: "", blocks: [], settled: [], from: 0 };

/**
 * Parses the subset of Markdown that models write. An answer can be parsed while it arrives: a mark that is not closed
 * yet is plain text, and a code block that is not closed yet extends to the end. A new line changes only the last
 * block, so if the text starts with the previous text, only its end is parsed again.
 */
export function parseMarkdown(text: string, before: MarkdownParse): MarkdownParse {
	const { settled, from } = text.startsWith(before.text) ? before : EMPTY_PARSE;
	const lines = text.slice(from).split("\n");
	const found = placedIn(lines, 0);
	// The last line may be incomplete: "2" is a paragraph, but "2." continues the list before it. The second line of a
	// table may also be incomplete. Until it is complete, the first line belongs to the paragraph before the table.
	const last = Math.max(
		0,
		found.findLastIndex(({ at, block }) => at < lines.length - (block.type === "table" ? 2 : 1)),
	);
	const passed = lines.slice(0, found[last]?.at ?? 0);
	return {
		text,
		blocks: [...settled, ...found.map(({ block }) => block)],
		settled: [...settled, ...found.slice(0, last).map(({ block }) => block)],
		from: passed.reduce((chars, line) => chars + line.length + 1, from),
	};
}

function blocksOf(lines: readonly string[], depth: number): readonly MarkdownBlock[] {
	return placedIn(lines, depth).map(({ block }) => block);
}

/** A block, and the index of its first line. */
interface Placed {
	readonly block: MarkdownBlock;
	readonly at: number;
}

/** A block, and the index of the line after it. */
type Read = readonly [block: MarkdownBlock, next: number];

function placedIn(lines: readonly string[], depth: number): readonly Placed[] {
	const found: Placed[] = [];
	let at = 0;
	while (at < lines.length) {
		if (isBlank(lines[at])) {
			at++;
			continue;
		}
		const nested = depth < DEPTH_MAX ? (quoteAt(lines, at, depth) ?? listAt(lines, at, depth)) : undefined;
		const [block, next]: Read =
			codeAt(lines, at) ?? lineAt(lines, at) ?? nested ?? tableAt(lines, at) ?? paragraphAt(lines, at);
		found.push({ block, at });
		at = next;
	}
	return found;
}

const FENCE = /^[ \t]*(`{3,}|~{3,})([^`]*)$/;

function codeAt(lines: readonly string[], at: number): Read | undefined {
	const { 1: fence, 2: label = "" } = FENCE.exec(lines[at] ?? "") ?? [];
	if (fence === undefined) return undefined;
	const isEnd = (line: string) => line.trim().startsWith(fence) && /^(`+|~+)$/.test(line.trim());
	const end = firstFrom(lines, at + 1, isEnd);
	return [{ type: "code", label: label.trim(), text: lines.slice(at + 1, end).join("\n") }, end + 1];
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(\S.*)$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;

function lineAt(lines: readonly string[], at: number): Read | undefined {
	const line = lines[at] ?? "";
	const { 1: heading } = HEADING.exec(line) ?? [];
	if (heading !== undefined) return [{ type: "heading", spans: spansOf(heading) }, at + 1];
	return RULE.test(line) ? [{ type: "rule" }, at + 1] : undefined;
}

const QUOTE = /^ {0,3}> ?/;

function quoteAt(lines: readonly string[], at: number, depth: number): Read | undefined {
	const next = firstFrom(lines, at, (line) => !QUOTE.test(line));
	if (next === at) return undefined;
	const quoted = lines.slice(at, next).map((line) => line.replace(QUOTE, ""));
	return [{ type: "quote", blocks: blocksOf(quoted, depth + 1) }, next];
}

const ITEM = /^([ \t]*)([-*+]|(\d{1,9})[.)])(?:[ \t]+|$)/;

function listAt(lines: readonly string[], at: number, depth: number): Read | undefined {
	const number = (line: string | undefined) => ITEM.exec(line ?? "")?.[3];
	if (!ITEM.test(lines[at] ?? "")) return undefined;
	const from = number(lines[at]);
	const items: (readonly MarkdownBlock[])[] = [];
	let next = at;
	while (ITEM.test(lines[next] ?? "") && (number(lines[next]) === undefined) === (from === undefined)) {
		const end = endOfItem(lines, next);
		const { 0: mark = "" } = ITEM.exec(lines[next] ?? "") ?? [];
		const under = lines.slice(next + 1, end);
		const first = under.find((line) => isUnder(line, lines[next] ?? ""));
		// Lines that are indented by less than the width of the mark keep their relative indentation.
		const width = first === undefined ? mark.length : Math.min(mark.length, indentOf(first));
		const rest = under.map((line) => dedent(line, width));
		items.push(blocksOf([(lines[next] ?? "").slice(mark.length), ...rest], depth + 1));
		next = end;
	}
	return [{ type: "list", from: from === undefined ? undefined : Number(from), items }, next];
}

/**
 * Returns the end of a list item. It ends before the first line that is not indented under it and does not continue its
 * paragraph.
 */
function endOfItem(lines: readonly string[], at: number): number {
	const item = lines[at] ?? "";
	let end = at + 1;
	while (end < lines.length) {
		const line = lines[end] ?? "";
		const goesOn = isBlank(line) || isUnder(line, item);
		if (!goesOn && (isBlank(lines[end - 1]) || ITEM.test(line) || interrupts(line))) break;
		end++;
	}
	return end;
}

/** Whether a line belongs to a list item. Models indent by two spaces, even after a wider number. */
function isUnder(line: string, item: string): boolean {
	return !isBlank(line) && indentOf(line) >= indentOf(item) + 2;
}

/**
 * Reads a table: a row of names, a row of dashes with as many columns, and rows of cells up to a blank line or another
 * block.
 */
function tableAt(lines: readonly string[], at: number): Read | undefined {
	const isRow = lines[at]?.includes("|") === true && lines[at + 1]?.includes("|") === true;
	if (!isRow) return undefined;
	const head = cellsOf(lines[at] ?? "");
	const delimiters = cellsOf(lines[at + 1] ?? "");
	const isTable = delimiters.length === head.length && delimiters.every((cell) => /^:?-+:?$/.test(cell));
	if (!isTable) return undefined;
	const next = firstFrom(lines, at + 2, (line) => isBlank(line) || interrupts(line));
	const rows = lines.slice(at + 2, next).map((line) => cellsOf(line).map(spansOf));
	return [{ type: "table", aligns: delimiters.map(alignOf), head: head.map(spansOf), rows }, next];
}

function cellsOf(line: string): readonly string[] {
	const inside = line
		.trim()
		.replace(/^\|/, "")
		.replace(/(?<!\\)\|$/, "");
	return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function alignOf(delimiter: string): ColumnAlign {
	const isRight = delimiter.endsWith(":");
	if (delimiter.startsWith(":")) return isRight ? "center" : "left";
	return isRight ? "right" : undefined;
}

function paragraphAt(lines: readonly string[], at: number): Read {
	let next = at + 1;
	while (next < lines.length) {
		const line = lines[next] ?? "";
		if (isBlank(line) || interrupts(line) || tableAt(lines, next) !== undefined) break;
		next++;
	}
	return [{ type: "paragraph", spans: spansOf(lines.slice(at, next).join("\n").trim()) }, next];
}

/** Whether a line ends a paragraph. A line that starts with a number other than 1 is usually text, not a list. */
function interrupts(line: string): boolean {
	const begins = /^[ \t]*(?:[-*+]|1[.)])[ \t]+\S/;
	return [FENCE, HEADING, RULE, QUOTE, begins].some((start) => start.test(line));
}

/** Returns the index of the first matching line, or the number of lines if there is none. */
function firstFrom(lines: readonly string[], from: number, isSuch: (line: string) => boolean): number {
	let at = from;
	while (at < lines.length && !isSuch(lines[at] ?? "")) at++;
	return at;
}

function isBlank(line: string | undefined): boolean {
	return line === undefined || line.trim() === "";
}

function indentOf(line: string): number {
	return line.replaceAll("\t", "    ").search(/\S|$/);
}

function dedent(line: string, by: number): string {
	const indent = Math.min(by, indentOf(line));
	return line.startsWith("\t") ? line.slice(1) : line.slice(indent);
}

const WITHIN = `.{1,${SPAN_CHARS_MAX}}?`;

const SPANS = new RegExp(
	[
		"\\\\(?<escaped>[!-/:-@[-`{-~])",
		`(?<!\`)(?<ticks>\`+)(?!\`)(?<code>${WITHIN})(?<!\`)\\k<ticks>(?!\`)`,
		`\\*\\*(?!\\s)(?<strong>${WITHIN})(?<!\\s)\\*\\*(?!\\*)`,
		`(?<!\\w)__(?!\\s)(?<strongToo>${WITHIN})(?<!\\s)__(?!\\w)`,
		`\\*(?![\\s*])(?<emphasis>${WITHIN})(?<![\\s*])\\*(?!\\*)`,
		`(?<!\\w)_(?![\\s_])(?<emphasisToo>${WITHIN})(?<![\\s_])_(?!\\w)`,
		`!?\\[(?<label>[^\\]\\n]{1,${SPAN_CHARS_MAX}})\\]\\((?<address>[^()\\s]{1,${SPAN_CHARS_MAX}})\\)`,
	].join("|"),
	"gs",
);

function spansOf(text: string): readonly MarkdownSpan[] {
	const spans: MarkdownSpan[] = [];
	let end = 0;
	for (const match of text.matchAll(SPANS)) {
		if (match.index > end) spans.push({ type: "text", text: text.slice(end, match.index) });
		spans.push(spanOf(match.groups ?? {}));
		end = match.index + match[0].length;
	}
	if (end < text.length) spans.push({ type: "text", text: text.slice(end) });
	return spans;
}

function spanOf(found: Readonly<Record<string, string | undefined>>): MarkdownSpan {
	const strong = found["strong"] ?? found["strongToo"];
	const emphasis = found["emphasis"] ?? found["emphasisToo"];
	if (strong !== undefined) return { type: "strong", spans: spansOf(strong) };
	if (emphasis !== undefined) return { type: "emphasis", spans: spansOf(emphasis) };
	if (found["code"] !== undefined) return { type: "code", text: found["code"].replace(/^ (.*\S.*) $/s, "$1") };
	const { label, address } = found;
	if (label !== undefined && address !== undefined) return { type: "link", label, address };
	return { type: "text", text: found["escaped"] ?? "" };
}
