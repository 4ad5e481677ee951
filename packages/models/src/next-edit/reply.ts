import type { ModelOutput, ParsedOutput } from "./format.js";
import { codeEnd, codeIn, resembles } from "./prose.js";
import type { Window } from "./window.js";

/** A window that a model has been asked to rewrite, and the expected form of its reply. */
export interface ReplyLayout {
	readonly window: Window;
	/** The lines shown to the model, including the window. */
	readonly shown: Window;
	/** Optional tags around the new content. */
	readonly opening: string;
	readonly closing: string;
	/** The cursor mark used in the prompt. */
	readonly cursor: string;
	/** Replies that mean no change. */
	readonly nothing: readonly string[];
	/**
	 * Whether the model was trained to reply with only the new content. If so, text without tags or fences also counts as
	 * content.
	 */
	readonly isBare: boolean;
}

/**
 * Reads the reply of a model that was asked to rewrite a window. The new content may be between the tags, in a fence
 * with prose around it, or on its own. Skips thoughts before the content, and repeated lines around the window.
 */
export function readReply(output: ModelOutput, layout: ReplyLayout): ParsedOutput {
	const content = contentIn(withoutThoughts(output), layout);
	if (typeof content === "string") return { nothing: content };
	const marked = { ...content, text: content.text.replaceAll(layout.cursor, "") };
	return readRewritten(layout.window, withoutRepeats(marked, layout));
}

/** Output whose kind is not yet clear. */
const UNSETTLED: ModelOutput = { text: "", end: undefined };

const THOUGHTS = /^\s*<(think|thinking)>[\s\S]*?(<\/\1>\s*|$)/;

/** Removes the thoughts that some models write before the reply. */
export function withoutThoughts({ text, end }: ModelOutput): ModelOutput {
	return { text: text.replace(THOUGHTS, ""), end };
}

/** The start of the new content, and the text that ends it. */
interface Opened {
	readonly from: number;
	/** The closing fence, or the closing tag. */
	readonly by: { readonly fence: string } | "tag";
	/** Whether there is no tag and no fence. */
	readonly isBare: boolean;
}

function contentIn(output: ModelOutput, layout: ReplyLayout): ModelOutput | "no-edit" | "unreadable-answer" {
	const { text, end } = output;
	if (layout.nothing.some((one) => isTag(one) && text.trimStart().startsWith(one))) return "no-edit";
	const opened = openedIn(output, layout);
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

/** Looks only at whole lines, so the result stays the same when more output arrives. */
function openedIn({ text, end }: ModelOutput, layout: ReplyLayout): Opened | undefined {
	const { window, opening, isBare } = layout;
	const lines = text.split("\n");
	if (end === undefined) lines.pop();
	const inked = lines.findIndex((line) => line.trim() !== "");
	const isCode = resembles(lines[inked] ?? "", window);
	let from = 0;
	for (const [i, line] of lines.entries()) {
		const tag = line.indexOf(opening);
		if (tag >= 0) return { from: afterLineBreak(text, from + tag + opening.length), by: "tag", isBare: false };
		const next = from + line.length + 1;
		const fence = isCode ? undefined : FENCE.exec(line.trim())?.[1];
		if (fence !== undefined && (i === inked ? !isFenced(window.lines[0] ?? "") : !window.lines.some(isFenced))) {
			if (i + 1 === lines.length) return undefined;
			if (!(lines[i + 1] ?? "").includes(opening)) return { from: next, by: { fence }, isBare: false };
		} else if (i === inked && isBare) {
			// Skip an empty first line if the window has none.
			return { from: window.lines[0]?.trim() === "" ? 0 : from, by: "tag", isBare };
		}
		from = next;
	}
	// Without tags or a fence, code and prose can only be distinguished at the end.
	return end !== undefined && lines.some((line) => resembles(line, window))
		? { from: 0, by: "tag", isBare: true }
		: undefined;
}

function afterLineBreak(text: string, at: number): number {
	return at + (/^(\r\n|\n)/.exec(text.slice(at, at + 2))?.[0].length ?? 0);
}

function isFenced(line: string): boolean {
	return line.trim().startsWith("```");
}

function isTag(text: string): boolean {
	return text.startsWith("<");
}

/** Returns the content up to its closing tag or fence, or undefined if it is unclear what is content. */
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
	// If the window contains fences, only the last fence can end the reply. Which one is last is known only at the end.
	const hasOwn = window.lines.some(isFenced);
	const at = hasOwn ? lines.findLastIndex(isEnd) : lines.findIndex(isEnd);
	if (at < 0) return end === "stop" ? openContent(text, layout) : { text, end };
	const content = lines.slice(0, at).map((line) => `${line}\n`);
	return { text: content.join(""), end: hasOwn && end === undefined ? end : "stop" };
}

/** Returns the content of a reply without tags or a fence. */
function bareContent({ text, end }: ModelOutput, { window, shown }: ReplyLayout): ModelOutput | undefined {
	const lines = text.split("\n");
	const code = codeIn(lines, window, shown);
	if (code === undefined) return undefined;
	// Skip an empty first line if the window has none.
	const isEmpty = (line: string | undefined) => line?.trim() === "";
	const from = isEmpty(window.lines[0]) ? code.from : lines.findIndex((line, i) => i >= code.from && !isEmpty(line));
	return { text: lines.slice(from, code.to).join("\n"), end: code.to < lines.length ? "stop" : end };
}

/** Returns unclosed content without trailing prose. If its end is unclear, treats it as truncated. */
function openContent(text: string, { window, shown }: ReplyLayout): ModelOutput | undefined {
	const lines = text.split("\n");
	const to = codeEnd(lines, window, shown);
	if (to !== undefined) return { text: lines.slice(0, to).join("\n"), end: "stop" };
	const last = lines.findLastIndex((line) => resembles(line, window));
	return last < 0 ? undefined : { text: lines.slice(0, last + 1).join("\n"), end: "length" };
}

/**
 * Removes repeated lines around the window: those directly above it at the start, and those directly below it at the
 * end. While more output may arrive, returns only lines that certainly belong to the window.
 */
function withoutRepeats({ text, end }: ModelOutput, { window, shown }: ReplyLayout): ModelOutput {
	const above = window.before(shown).split("\n").slice(0, -1);
	const below = window.after(shown).split("\n").slice(1);
	const lines = text.split(/\r\n|\r|\n/);
	// In complete output, the last line break terminates the last line.
	if (end === undefined || (end === "stop" && lines.at(-1) === "")) lines.pop();
	const repeated = headRepeated(lines, above, window.lines, end === undefined);
	if (repeated === undefined) return UNSETTLED;
	const rest = lines.slice(repeated);
	if (end === "length") return { text: rest.join("\n"), end };
	const length = tailStart(rest, below, window.lines, end === undefined);
	const kept = rest.slice(0, length).map((line) => `${line}\n`);
	return { text: kept.join(""), end };
}

/** Returns how many leading lines repeat the lines above the window. Undefined while the number may grow. */
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

/**
 * Returns the index at which trailing lines start to repeat the lines below the window. While more output may arrive,
 * includes lines that might turn out to be a repetition.
 */
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

/** Whether `lines` starts with `wanted`, ignoring trailing whitespace. */
function begins(lines: readonly string[], wanted: readonly string[]): boolean {
	return wanted.length <= lines.length && wanted.every((line, i) => line.trimEnd() === lines[i]?.trimEnd());
}

function hasInk(lines: readonly string[]): boolean {
	return lines.some((line) => line.trim() !== "");
}

/** Whether the output is empty, which means no change in formats without tags. */
export function isEmptyOutput({ text, end }: ModelOutput): boolean {
	return end === "stop" && text.trim() === "";
}

/**
 * Reads lines that replace the lines of a window, for formats whose prompt has a line break after the last line. Keeps
 * empty lines at the end of the window, because models miscount line breaks there. Marks complete output as needing no
 * more text. `given` is the start of the lines, which was part of the prompt.
 */
export function readRewritten(window: Window, { text, end }: ModelOutput, given = ""): ParsedOutput {
	if (end !== "stop") return { hunks: window.hunksOf({ text, end }, given) };
	const written = text.replace(/\r\n|\r/g, "\n").replace(/\n$/, "");
	const missing = trailingBreaksToKeep(window, written) - trailingBreaksOf(written);
	const hunks = window.hunksOf({ text: written + "\n".repeat(Math.max(missing, 0)), end }, given);
	return hunks.length === 0 ? { nothing: "no-edit" } : { hunks, isEnough: true };
}

/**
 * Returns how many of the window's trailing line breaks to keep. All of them are kept, unless the model wrote text into
 * the empty lines at the end. That is the case if there are more lines than before, and either the cursor is in the
 * empty lines or the new lines follow all the old ones.
 */
function trailingBreaksToKeep({ content, cursorInContent }: Window, written: string): number {
	const [old, now] = [content.trimEnd(), written.trimEnd()];
	const own = trailingBreaksOf(content);
	const isLonger = now !== "" && (old === "" || now.split("\n").length > old.split("\n").length);
	const isAtCursor = cursorInContent > old.length || old === "";
	if (!isLonger || !(isAtCursor || now.startsWith(`${old}\n`))) return own;
	const behind = isAtCursor ? trailingBreaksOf(content.slice(cursorInContent)) : 0;
	return Math.min(own, Math.max(behind, 1));
}

/** Counts line breaks at the end of the text, ignoring other whitespace. */
function trailingBreaksOf(text: string): number {
	return text.slice(text.trimEnd().length).split("\n").length - 1;
}
