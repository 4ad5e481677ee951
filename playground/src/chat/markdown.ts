/** A part of an answer that stands by itself. */
export type MarkdownBlock =
	| { readonly type: "paragraph" | "heading"; readonly spans: readonly MarkdownSpan[] }
	/** The label is what its first line says of it: mostly the language. */
	| { readonly type: "code"; readonly label: string; readonly text: string }
	/** Numbered from a number, or not numbered. */
	| { readonly type: "list"; readonly from: number | undefined; readonly items: readonly (readonly MarkdownBlock[])[] }
	| { readonly type: "quote"; readonly blocks: readonly MarkdownBlock[] }
	| { readonly type: "rule" };

/** A part of a line. */
export type MarkdownSpan =
	| { readonly type: "text" | "code"; readonly text: string }
	| { readonly type: "strong" | "emphasis"; readonly spans: readonly MarkdownSpan[] }
	| { readonly type: "link"; readonly label: string; readonly address: string };

// Nobody indents further, and what an agent sends must not take the page's stack.
const DEPTH_MAX = 8;

// Some lines of a panel. A mark that is not closed by then is a character as any other.
const SPAN_CHARS_MAX = 1000;

/** An answer as far as it has come. */
interface MarkdownParse {
	readonly text: string;
	readonly blocks: readonly MarkdownBlock[];
	/** Those of the blocks that stay as they are, whatever comes. */
	readonly settled: readonly MarkdownBlock[];
	/** Where in the text the others begin. */
	readonly from: number;
}

export const EMPTY_PARSE: MarkdownParse = { text: "", blocks: [], settled: [], from: 0 };

/**
 * Reads the part of Markdown that models write. An answer can be read at any time while it comes: what is not closed yet is
 * text, or code in a block that goes on, and a line that has come changes nothing before the last block. So of an answer
 * that begins with what was read before, only the end is read.
 */
export function parseMarkdown(text: string, before: MarkdownParse): MarkdownParse {
	const { settled, from } = text.startsWith(before.text) ? before : EMPTY_PARSE;
	const lines = text.slice(from).split("\n");
	const found = placedIn(lines, 0);
	// The last line has not come whole: "2" is a paragraph, and "2." goes on with the list before it.
	const last = Math.max(
		0,
		found.findLastIndex(({ at }) => at < lines.length - 1),
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

/** A block, and the line that it begins at. */
interface Placed {
	readonly block: MarkdownBlock;
	readonly at: number;
}

/** A block, and the line after it. */
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
		const [block, next]: Read = codeAt(lines, at) ?? lineAt(lines, at) ?? nested ?? paragraphAt(lines, at);
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
		// What is indented by less than the mark is wide keeps how its lines stand to each other.
		const width = first === undefined ? mark.length : Math.min(mark.length, indentOf(first));
		const rest = under.map((line) => dedent(line, width));
		items.push(blocksOf([(lines[next] ?? "").slice(mark.length), ...rest], depth + 1));
		next = end;
	}
	return [{ type: "list", from: from === undefined ? undefined : Number(from), items }, next];
}

/** An item has all that is indented under it, and lines that go on with its text as if they were. */
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

/** Models indent by two, whatever the width of a number is. */
function isUnder(line: string, item: string): boolean {
	return !isBlank(line) && indentOf(line) >= indentOf(item) + 2;
}

function paragraphAt(lines: readonly string[], at: number): Read {
	const next = firstFrom(lines, at + 1, (line) => isBlank(line) || interrupts(line));
	return [{ type: "paragraph", spans: spansOf(lines.slice(at, next).join("\n").trim()) }, next];
}

/** Whether a line ends a paragraph. One that begins with a number is more often text than a list, but for the first. */
function interrupts(line: string): boolean {
	const begins = /^[ \t]*(?:[-*+]|1[.)])[ \t]+\S/;
	return [FENCE, HEADING, RULE, QUOTE, begins].some((start) => start.test(line));
}

/** The first line that is such a one, not looking at those before; without any, the line after the last. */
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
