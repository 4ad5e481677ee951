import type { ModelOutput, ParsedOutput } from "./format.js";
import { codeEnd, codeIn, resembles } from "./prose.js";
import type { Window } from "./window.js";

/** A window that a model was asked to rewrite, and how it was asked to answer. */
export interface ReplyLayout {
	readonly window: Window;
	/** What it was shown, with the window in it. */
	readonly shown: Window;
	/** The tags that the new content may stand between. */
	readonly opening: string;
	readonly closing: string;
	/** The mark that the cursor was shown as. */
	readonly cursor: string;
	/** What it may say instead where nothing is to be changed. */
	readonly nothing: readonly string[];
	/** It was trained to say the new content and nothing else, so that what is in no tags and in no fence is that too. */
	readonly isBare: boolean;
}

/**
 * Reads the answer of a model that was asked to rewrite a window. The new content may stand between the tags, in a fence
 * with prose around it, or by itself. Thoughts before it are passed over, and so are the lines around the window that it
 * repeats.
 */
export function readReply(said: ModelOutput, layout: ReplyLayout): ParsedOutput {
	const content = contentIn(withoutThoughts(said), layout);
	if (typeof content === "string") return { nothing: content };
	const marked = { ...content, text: content.text.replaceAll(layout.cursor, "") };
	return readRewritten(layout.window, withoutRepeats(marked, layout));
}

/** What is not known yet: later it may turn out to be anything. */
const UNSETTLED: ModelOutput = { text: "", end: undefined };

const THOUGHTS = /^\s*<(think|thinking)>[\s\S]*?(<\/\1>\s*|$)/;

/** What a model says after the thoughts that some put at the beginning of their answers. */
export function withoutThoughts({ text, end }: ModelOutput): ModelOutput {
	return { text: text.replace(THOUGHTS, ""), end };
}

/** Where the new content begins in an answer, and what ends it. */
interface Opened {
	readonly from: number;
	/** A line of so many backticks, or the closing tag. */
	readonly by: { readonly fence: string } | "tag";
	/** Nothing stood before it, neither a tag nor a fence. */
	readonly isBare: boolean;
}

function contentIn(said: ModelOutput, layout: ReplyLayout): ModelOutput | "no-edit" | "unreadable-answer" {
	const { text, end } = said;
	if (layout.nothing.some((one) => isTag(one) && text.trimStart().startsWith(one))) return "no-edit";
	const opened = openedIn(said, layout);
	if (opened === undefined) {
		if (end === undefined) return UNSETTLED;
		const isNothing = layout.nothing.some((one) => text.trim() === one || (isTag(one) && text.includes(one)));
		return isNothing ? "no-edit" : "unreadable-answer";
	}
	const content = closedContent({ text: text.slice(opened.from), end }, opened, layout);
	if (content === undefined) return "unreadable-answer";
	if (content.end !== "stop") return content;
	if (layout.nothing.includes(content.text.trim())) return "no-edit";
	return content;
}

const FENCE = /^(`{3,})[\w+#.-]*$/;

/** Looks at whole lines only, so that what was found is found again when more have come. */
function openedIn({ text, end }: ModelOutput, layout: ReplyLayout): Opened | undefined {
	const { window, opening, isBare } = layout;
	const lines = text.split("\n");
	if (end === undefined) lines.pop();
	const inked = lines.findIndex((line) => line.trim() !== "");
	const isCode = resembles(lines[inked] ?? "", window);
	let from = 0;
	for (const [i, line] of lines.entries()) {
		const tag = line.indexOf(opening);
		if (tag >= 0) return { from: behindLineEnd(text, from + tag + opening.length), by: "tag", isBare: false };
		const next = from + line.length + 1;
		const fence = isCode ? undefined : FENCE.exec(line.trim())?.[1];
		if (fence !== undefined && (i === inked ? !isFenced(window.lines[0] ?? "") : !window.lines.some(isFenced))) {
			if (i + 1 === lines.length) return undefined;
			if (!(lines[i + 1] ?? "").includes(opening)) return { from: next, by: { fence }, isBare: false };
		} else if (i === inked && isBare) {
			// Models begin with an empty line where the window has none.
			return { from: window.lines[0]?.trim() === "" ? 0 : from, by: "tag", isBare };
		}
		from = next;
	}
	// What is code and what is prose of an answer without tags and fence shows when it has ended.
	return end !== undefined && lines.some((line) => resembles(line, window))
		? { from: 0, by: "tag", isBare: true }
		: undefined;
}

function behindLineEnd(text: string, at: number): number {
	return at + (/^(\r\n|\n)/.exec(text.slice(at, at + 2))?.[0].length ?? 0);
}

function isFenced(line: string): boolean {
	return line.trim().startsWith("```");
}

function isTag(text: string): boolean {
	return text.startsWith("<");
}

/** The content up to what closes it. Undefined where it is in doubt what is content. */
function closedContent(
	{ text, end }: ModelOutput,
	{ by, isBare }: Opened,
	layout: ReplyLayout,
): ModelOutput | undefined {
	const { window, closing } = layout;
	if (by === "tag") {
		const at = text.indexOf(closing);
		const content: ModelOutput = at < 0 ? { text, end } : { text: text.slice(0, at), end: "stop" };
		if (layout.isBare) return content;
		if (isBare) return bareContent(content, layout);
		return at < 0 && end === "stop" ? openContent(text, layout) : content;
	}
	const lines = text.split("\n");
	if (end === undefined) lines.pop();
	const isEnd = (line: string) => line.trim() === by.fence;
	// Where the window has fences of its own, only the last of the answer can be its end, and which it is shows when it has ended.
	const hasOwn = window.lines.some(isFenced);
	const at = hasOwn ? lines.findLastIndex(isEnd) : lines.findIndex(isEnd);
	if (at < 0) return end === "stop" ? openContent(text, layout) : { text, end };
	const content = lines.slice(0, at).map((line) => `${line}\n`);
	return { text: content.join(""), end: hasOwn && end === undefined ? end : "stop" };
}

/** What of an answer without tags and fence is content. */
function bareContent({ text, end }: ModelOutput, { window, shown }: ReplyLayout): ModelOutput | undefined {
	const lines = text.split("\n");
	const code = codeIn(lines, window, shown);
	if (code === undefined) return undefined;
	// Models begin with an empty line where the window has none.
	const isEmpty = (line: string | undefined) => line?.trim() === "";
	const from = isEmpty(window.lines[0]) ? code.from : lines.findIndex((line, i) => i >= code.from && !isEmpty(line));
	return { text: lines.slice(from, code.to).join("\n"), end: code.to < lines.length ? "stop" : end };
}

/** Content that was opened and never closed, without prose behind it. Where that is in doubt, it is only the beginning of one. */
function openContent(text: string, { window, shown }: ReplyLayout): ModelOutput | undefined {
	const lines = text.split("\n");
	const to = codeEnd(lines, window, shown);
	if (to !== undefined) return { text: lines.slice(0, to).join("\n"), end: "stop" };
	const last = lines.findLastIndex((line) => resembles(line, window));
	return last < 0 ? undefined : { text: lines.slice(0, last + 1).join("\n"), end: "length" };
}

/**
 * The content without the lines around the window that it repeats: those right above at its beginning, and those right below
 * at its end. While more may come, only what is certain to be of the window.
 */
function withoutRepeats({ text, end }: ModelOutput, { window, shown }: ReplyLayout): ModelOutput {
	const above = window.before(shown).split("\n").slice(0, -1);
	const below = window.after(shown).split("\n").slice(1);
	const lines = text.split(/\r\n|\r|\n/);
	// Of an answer that has ended, the last line end is that of its last line.
	if (end === undefined || (end === "stop" && lines.at(-1) === "")) lines.pop();
	const repeated = headRepeated(lines, above, window.lines, end === undefined);
	if (repeated === undefined) return UNSETTLED;
	const rest = lines.slice(repeated);
	if (end === "length") return { text: rest.join("\n"), end };
	const length = tailStart(rest, below, window.lines, end === undefined);
	const kept = rest.slice(0, length).map((line) => `${line}\n`);
	return { text: kept.join(""), end };
}

/** How many lines at the beginning are those above the window. Undefined while that may still become more. */
function headRepeated(
	lines: readonly string[],
	above: readonly string[],
	own: readonly string[],
	isGrowing: boolean,
): number | undefined {
	for (let count = above.length; count > 0; count--) {
		const wanted = above.slice(-count);
		if (!begins(lines, wanted.slice(0, lines.length)) || !hasInk(wanted) || begins(own, wanted)) continue;
		if (lines.length >= count) return count;
		if (isGrowing) return undefined;
	}
	return 0;
}

/** Where the lines below the window begin at the end; or may begin, while more come. */
function tailStart(
	lines: readonly string[],
	below: readonly string[],
	own: readonly string[],
	isGrowing: boolean,
): number {
	const last = own.at(-1)?.trimEnd();
	for (let at = 1; at < lines.length; at++) {
		if (lines[at - 1]?.trimEnd() !== last) continue;
		const tail = lines.slice(at);
		if (!begins(below, tail)) continue;
		if (isGrowing || (hasInk(tail) && !begins([...own].reverse(), [...tail].reverse()))) return at;
	}
	return lines.length;
}

/** Whether some lines begin with others, but for spaces at their ends. */
function begins(lines: readonly string[], wanted: readonly string[]): boolean {
	return wanted.length <= lines.length && wanted.every((line, i) => line.trimEnd() === lines[i]?.trimEnd());
}

function hasInk(lines: readonly string[]): boolean {
	return lines.some((line) => line.trim() !== "");
}

/** Whether a model that puts nothing around what it writes has written nothing: that is how it says that all may stay. */
export function isEmptyOutput({ text, end }: ModelOutput): boolean {
	return end === "stop" && text.trim() === "";
}

/**
 * What comes of the lines that a model wrote in the place of a window's, where it was shown a line end behind the last of
 * them. Empty lines at the end of the window stay: models lose count of the line ends there. What has ended is enough,
 * whether the model says more behind it or not. What the lines begin with may have been given to it.
 */
export function readRewritten(window: Window, { text, end }: ModelOutput, given = ""): ParsedOutput {
	if (end !== "stop") return { hunks: window.hunksOf({ text, end }, given) };
	const written = text.replace(/\r\n|\r/g, "\n").replace(/\n$/, "");
	const missing = lineEndsBehind(window, written) - lineEndsOf(written);
	const hunks = window.hunksOf({ text: written + "\n".repeat(Math.max(missing, 0)), end }, given);
	return hunks.length === 0 ? { nothing: "no-edit" } : { hunks, isEnough: true };
}

/**
 * How many line ends of a window stay behind what was written: all, unless something was written into the empty lines at its
 * end. There are more lines before them then, and the cursor is there or they come behind all the others.
 */
function lineEndsBehind({ content, cursorInContent }: Window, written: string): number {
	const [old, now] = [content.trimEnd(), written.trimEnd()];
	const own = lineEndsOf(content);
	const isLonger = now !== "" && (old === "" || now.split("\n").length > old.split("\n").length);
	const isAtCursor = cursorInContent > old.length || old === "";
	if (!isLonger || !(isAtCursor || now.startsWith(`${old}\n`))) return own;
	const behind = isAtCursor ? lineEndsOf(content.slice(cursorInContent)) : 0;
	return Math.min(own, Math.max(behind, 1));
}

/** How many line ends a text ends with, with blanks between them or without. */
function lineEndsOf(text: string): number {
	return text.slice(text.trimEnd().length).split("\n").length - 1;
}
