import type { Brief, Snippet } from "../brief.js";
import { saidBefore } from "../ending.js";
import type { Format, Reading, Said } from "../format.js";
import { contentBefore, type Sides, sidesOf, wroteAbove } from "../past-edits.js";
import { isSilent, readRewritten } from "../rewritten.js";
import { inFileOrder, snippetsBeside } from "../snippets.js";
import { estimateTokens, fitting, sharesOf } from "../tokens.js";
import { Window } from "../window.js";

const FILE = "<|file_sep|>";
const END_OF_TEXT = "<|endoftext|>";
const CURSOR = "<|cursor|>";

// As the model was trained: 21 lines in 300, and the latest six changes.
const LINES_AROUND = 10;
const FILE_LINES_AROUND = 150;
const CHANGES_MAX = 6;
// A cursor that moves by a few lines does not move the 300.
const FILE_LINES_STEP = 25;
// As its vendor asks it.
const MOST = { prompt: 8192, answer: 1024 };

/** Sweep's second generation: it is told line numbers and the cursor, and goes on with the beginning of its own answer. */
export const sweepV2: Format = {
	name: "sweep-v2",
	specialTokens: [FILE, END_OF_TEXT, CURSOR],
	write(brief, recipient) {
		const { prompt: promptTokens, answer } = sharesOf(MOST, recipient);
		const window = Window.ofLines(brief.text, brief.cursor, LINES_AROUND, LINES_AROUND);
		const begun = beginningOf(brief, window);
		const versions = versionsOf(brief, window) + begun;
		const head = `${FILE}${brief.path}\n`;
		// Two line ends stand between the file, the changes and the versions.
		const left = promptTokens - estimateTokens(`${head}\n\n${versions}`);
		if (left < 0 || estimateTokens(window.content) > answer) return undefined;
		const changes = changesOf(brief, left);
		const { shown, file } = fileAround(brief, window, left - estimateTokens(changes));
		const leftBeside = left - estimateTokens(changes) - estimateTokens(file);
		const beside = fitting(snippetsBeside(brief, shown), leftBeside, (snippet) => `\n${fileOf(snippet)}`);
		// What is related changes from place to place, so it comes behind what stays.
		const isRelated = (snippet: Snippet) => brief.related.includes(snippet);
		const recent = inFileOrder(beside.filter((snippet) => !isRelated(snippet))).map(fileOf);
		const related = inFileOrder(beside.filter(isRelated)).map((snippet) => `\n${fileOf(snippet)}`);
		return {
			ask: {
				kind: "completion",
				prompt: `${recent.join("")}${head}${file}${related.join("")}\n${changes}\n${versions}`,
				stop: [FILE, END_OF_TEXT],
				tokensMax: answer,
				temperature: 0,
			},
			shown,
			window,
			read: (said) => read(window, begun, said),
		};
	},
};

function fileOf({ path, text }: Pick<Snippet, "path" | "text">): string {
	return `${FILE}${path}\n${text}\n`;
}

function versionsOf(brief: Brief, window: Window): string {
	const place = `${brief.path}:${window.first + 1}:${window.last + 1}`;
	const original = fileOf({ path: `original/${place}`, text: contentBefore(brief, window) });
	const current = fileOf({ path: `current/${place}`, text: window.withCursor(CURSOR) });
	return `${original}${current}${FILE}updated/${place}\n`;
}

/**
 * How the answer begins: with the lines above the cursor's, so that the model writes from there on. When the user has just written
 * something above, the lines below it are likely to change; then only the first line is given, and the empty ones after it.
 */
function beginningOf(brief: Brief, { content, cursorInContent }: Window): string {
	const typed = content.slice(0, cursorInContent);
	if (wroteAbove(brief)) return /^[^\n]*\n*/.exec(typed)?.[0] ?? "";
	return typed.slice(0, typed.lastIndexOf("\n") + 1);
}

/** The newest that fit, the oldest of them first. */
function changesOf({ edits }: Brief, tokens: number): string {
	const printed = sidesOf(edits.slice(-CHANGES_MAX)).slice(-CHANGES_MAX).map(printChange);
	return fitting(printed.toReversed(), tokens, (change) => `${change}\n`)
		.toReversed()
		.join("\n");
}

function printChange({ path, first, last, old, now }: Sides): string {
	return `${FILE}${path}:${first}:${last}\noriginal:\n${old}\nupdated:\n${now}`;
}

/** As much of the file around the window as fits, from before the latest edit: so it stays while the user writes. */
function fileAround(brief: Brief, window: Window, tokens: number): { shown: Window; file: string } {
	const { text, cursor } = brief;
	const line = text.lineAt(cursor);
	const anchor = text.lineStart(line - (line % FILE_LINES_STEP));
	const around = Window.ofLines(text, anchor, FILE_LINES_AROUND, FILE_LINES_AROUND);
	const fewer = window.grown(tokens - estimateTokens(window.content));
	for (const shown of [around, fewer]) {
		const file = contentBefore(brief, shown);
		if (estimateTokens(file) <= tokens) return { shown, file };
	}
	return { shown: window, file: "" };
}

function read(window: Window, begun: string, said: Said): Reading {
	const { text, end } = saidBefore(said, [FILE, END_OF_TEXT]);
	if (isSilent({ text, end })) return { nothing: "no-edit" };
	return readRewritten(window, { text: begun + text.replaceAll(CURSOR, ""), end }, begun);
}
