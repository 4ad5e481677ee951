/** A part of an answer that stands by itself. */
export type Block =
	| { readonly type: "paragraph" | "heading"; readonly spans: readonly Span[] }
	/** The label is what its first line says of it: mostly the language. */
	| { readonly type: "code"; readonly label: string; readonly text: string }
	/** Numbered from a number, or not numbered. */
	| { readonly type: "list"; readonly from: number | undefined; readonly items: readonly (readonly Block[])[] }
	| { readonly type: "quote"; readonly blocks: readonly Block[] }
	| { readonly type: "rule" };

/** A part of a line. */
export type Span =
	| { readonly type: "text" | "code"; readonly text: string }
	| { readonly type: "strong" | "emphasis"; readonly spans: readonly Span[] }
	| { readonly type: "link"; readonly label: string; readonly address: string };

// Nobody indents further, and what an agent sends must not take the page's stack.
const DEPTH_MAX = 8;

// Some lines of a panel. A mark that is not closed by then is a character as any other.
const SPAN_CHARS_MAX = 1000;

/**
 * Reads the part of Markdown that models write. An answer can be read at any time while it comes: what is not closed yet is
 * text, or code in a block that goes on, and a line that has come changes nothing before the last block.
 */
export function readAnswer(text: string): readonly Block[] {
	return blocksOf(text.split("\n"), 0);
}

/** A block, and the line after it. */
type Read = readonly [block: Block, next: number];

function blocksOf(lines: readonly string[], depth: number): readonly Block[] {
	const blocks: Block[] = [];
	let at = 0;
	while (at < lines.length) {
		if (isBlank(lines[at])) {
			at++;
			continue;
		}
		const nested = depth < DEPTH_MAX ? (quoteAt(lines, at, depth) ?? listAt(lines, at, depth)) : undefined;
		const [block, next]: Read = codeAt(lines, at) ?? lineAt(lines, at) ?? nested ?? paragraphAt(lines, at);
		blocks.push(block);
		at = next;
	}
	return blocks;
}

const FENCE = /^[ \t]*(`{3,}|~{3,})([^`]*)$/;

function codeAt(lines: readonly string[], at: number): Read | undefined {
	const { 1: fence, 2: label = "" } = FENCE.exec(lines[at] ?? "") ?? [];
	if (fence === undefined) return undefined;
	const isEnd = (line: string) => line.trim().startsWith(fence) && /^(`+|~+)$/.test(line.trim());
	const found = lines.findIndex((line, i) => i > at && isEnd(line));
	const end = found < 0 ? lines.length : found;
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
	const end = lines.findIndex((line, i) => i >= at && !QUOTE.test(line));
	const next = end < 0 ? lines.length : end;
	if (next === at) return undefined;
	const quoted = lines.slice(at, next).map((line) => line.replace(QUOTE, ""));
	return [{ type: "quote", blocks: blocksOf(quoted, depth + 1) }, next];
}

const ITEM = /^([ \t]*)([-*+]|(\d{1,9})[.)])(?:[ \t]+|$)/;

function listAt(lines: readonly string[], at: number, depth: number): Read | undefined {
	const number = (line: string | undefined) => ITEM.exec(line ?? "")?.[3];
	if (!ITEM.test(lines[at] ?? "")) return undefined;
	const from = number(lines[at]);
	const items: (readonly Block[])[] = [];
	let next = at;
	while (ITEM.test(lines[next] ?? "") && (number(lines[next]) === undefined) === (from === undefined)) {
		const end = endOfItem(lines, next);
		const { 0: mark = "" } = ITEM.exec(lines[next] ?? "") ?? [];
		const rest = lines.slice(next + 1, end).map((line) => dedent(line, mark.length));
		items.push(blocksOf([(lines[next] ?? "").slice(mark.length), ...rest], depth + 1));
		next = end;
	}
	return [{ type: "list", from: from === undefined ? undefined : Number(from), items }, next];
}

/** An item has all that is indented under it, and lines that go on with its text as if they were. */
function endOfItem(lines: readonly string[], at: number): number {
	const indent = indentOf(lines[at] ?? "");
	let end = at + 1;
	while (end < lines.length) {
		const line = lines[end] ?? "";
		// Models indent by two, whatever the width of a number is.
		const isUnder = isBlank(line) || indentOf(line) >= indent + 2;
		if (!isUnder && (isBlank(lines[end - 1]) || ITEM.test(line) || interrupts(line))) break;
		end++;
	}
	return end;
}

function paragraphAt(lines: readonly string[], at: number): Read {
	const end = lines.findIndex((line, i) => i > at && (isBlank(line) || interrupts(line)));
	const next = end < 0 ? lines.length : end;
	return [{ type: "paragraph", spans: spansOf(lines.slice(at, next).join("\n").trim()) }, next];
}

/** Whether a line ends a paragraph. One that begins with a number is more often text than a list, but for the first. */
function interrupts(line: string): boolean {
	const begins = /^[ \t]*(?:[-*+]|1[.)])[ \t]+\S/;
	return [FENCE, HEADING, RULE, QUOTE, begins].some((start) => start.test(line));
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

function spansOf(text: string): readonly Span[] {
	const spans: Span[] = [];
	let end = 0;
	for (const match of text.matchAll(SPANS)) {
		if (match.index > end) spans.push({ type: "text", text: text.slice(end, match.index) });
		spans.push(spanOf(match.groups ?? {}));
		end = match.index + match[0].length;
	}
	if (end < text.length) spans.push({ type: "text", text: text.slice(end) });
	return spans;
}

function spanOf(found: Readonly<Record<string, string | undefined>>): Span {
	const strong = found["strong"] ?? found["strongToo"];
	const emphasis = found["emphasis"] ?? found["emphasisToo"];
	if (strong !== undefined) return { type: "strong", spans: spansOf(strong) };
	if (emphasis !== undefined) return { type: "emphasis", spans: spansOf(emphasis) };
	if (found["code"] !== undefined) return { type: "code", text: found["code"].replace(/^ (.*\S.*) $/s, "$1") };
	const { label, address } = found;
	if (label !== undefined && address !== undefined) return { type: "link", label, address };
	return { type: "text", text: found["escaped"] ?? "" };
}
