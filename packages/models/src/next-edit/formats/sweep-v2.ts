import { outputBefore } from "../end-tokens.js";
import type { CodeSnippet, Format, ModelOutput, ParsedOutput, PromptInput } from "../format.js";
import { contentBefore, sidesOf, wroteAbove } from "../past-edits.js";
import {
	type PromptEdit,
	type PromptFile,
	type PromptFormat,
	type PromptParts,
	putMark,
	takeMark,
	withEdits,
} from "../prompt-parts.js";
import { isEmptyOutput, readRewritten } from "../reply.js";
import { estimateTokens, fitting, inFileOrder, sharesOf, snippetsBeside } from "../token-budget.js";
import { Window } from "../window.js";
import { printSides, readSides, sectionsOf } from "./sweep.js";

const FILE = "<|file_sep|>";
const END_OF_TEXT = "<|endoftext|>";
const CURSOR = "<|cursor|>";

// The limits used in training: 21 lines to rewrite, 300 lines around them, and the last six changes.
const LINES_AROUND = 10;
const FILE_LINES_AROUND = 150;
const CHANGES_MAX = 6;
// Keeps the 300 lines in place while the cursor moves by a few lines.
const FILE_LINES_STEP = 25;
// Same as in the vendor's client.
const MOST = { prompt: 8192, answer: 1024 };

/**
 * The format for Sweep's second generation of models. The prompt has line numbers and the cursor, and ends with the
 * start of the reply.
 */
export const sweepV2: Format = {
	name: "sweep-v2",
	specialTokens: [FILE, END_OF_TEXT, CURSOR],
	write(input, target) {
		const { prompt: promptTokens, answer } = sharesOf(MOST, target);
		const window = Window.ofLines(input.text, input.cursor, LINES_AROUND, LINES_AROUND);
		const begun = beginningOf(input, window);
		const parts: SweepV2Parts = {
			...{ path: input.path, files: [], recentCount: 0, file: "", edits: [], begun },
			lines: { first: window.first + 1, last: window.last + 1 },
			original: contentBefore(input, window),
			...{ before: "", region: window.content, cursor: window.cursorInContent, after: "" },
		};
		const left = promptTokens - estimateTokens(encode(parts));
		if (left < 0 || estimateTokens(window.content) > answer) return undefined;
		const edits = editsOf(input, left);
		const leftForFile = left - estimateTokens(edits.map(printEdit).join("\n"));
		const { shown, file } = fileAround(input, window, leftForFile);
		const leftBeside = leftForFile - estimateTokens(file);
		const beside = fitting(snippetsBeside(input, shown), leftBeside, (snippet) => `\n${printFile(snippet)}`);
		// Related files change when the cursor moves, so they come after the parts that stay the same.
		const isRelated = (snippet: CodeSnippet) => input.related.includes(snippet);
		const recent = inFileOrder(beside.filter((snippet) => !isRelated(snippet)));
		const related = inFileOrder(beside.filter(isRelated));
		const files = [...recent, ...related].map(({ path, text }) => ({ path, text }));
		return {
			ask: {
				kind: "completion",
				prompt: encode({ ...parts, file, edits, files, recentCount: recent.length }),
				stop: [FILE, END_OF_TEXT],
				tokensMax: answer,
				temperature: 0,
			},
			shown,
			window,
			read: (output) => read(window, begun, output),
		};
	},
};

/**
 * Returns the start of the reply: the lines above the cursor's line, so that the model continues from there. If the
 * user has just written something above, the lines after it are likely to change. In that case, only the first line and
 * the empty lines after it are given.
 */
function beginningOf(input: PromptInput, { content, cursorInContent }: Window): string {
	const typed = content.slice(0, cursorInContent);
	if (wroteAbove(input)) return /^[^\n]*\n*/.exec(typed)?.[0] ?? "";
	return typed.slice(0, typed.lastIndexOf("\n") + 1);
}

/** Returns the newest edits that fit, oldest first. */
function editsOf({ edits }: PromptInput, tokens: number): PromptEdit[] {
	const sides = sidesOf(edits.slice(-CHANGES_MAX)).slice(-CHANGES_MAX);
	const shown = sides.map(({ path, first, last, old, now }): PromptEdit => ({ path, old, now, span: { first, last } }));
	return fitting(shown.toReversed(), tokens, (edit) => `${printEdit(edit)}\n`).toReversed();
}

/**
 * Returns as much of the file around the window as fits, as it was before the latest edit. This text stays the same
 * while the user types.
 */
function fileAround(input: PromptInput, window: Window, tokens: number): { shown: Window; file: string } {
	const { text, cursor } = input;
	const line = text.lineAt(cursor);
	const anchor = text.lineStart(line - (line % FILE_LINES_STEP));
	const around = Window.ofLines(text, anchor, FILE_LINES_AROUND, FILE_LINES_AROUND);
	const fewer = window.grown(tokens - estimateTokens(window.content));
	for (const shown of [around, fewer]) {
		const file = contentBefore(input, shown);
		if (estimateTokens(file) <= tokens) return { shown, file };
	}
	return { shown: window, file: "" };
}

interface SweepV2Parts extends PromptParts {
	/** Number of `files` before the document; the remaining files follow it. */
	readonly recentCount: number;
	/** The document around the region, as it was before the latest edit. */
	readonly file: string;
	/** Line numbers of the region in the document, inclusive, one-based. */
	readonly lines: { readonly first: number; readonly last: number };
	/** The region as it was before the latest edit. */
	readonly original: string;
	/** The first lines of the reply, which the model continues. */
	readonly begun: string;
}

function encode(parts: SweepV2Parts): string {
	const { path, files, recentCount, file, edits, lines, original, region, cursor, begun } = parts;
	const recent = files.slice(0, recentCount).map(printFile);
	const related = files.slice(recentCount).map((one) => `\n${printFile(one)}`);
	const place = `${path}:${lines.first}:${lines.last}`;
	const versions = [
		printFile({ path: `original/${place}`, text: original }),
		printFile({ path: `current/${place}`, text: putMark(region, CURSOR, cursor) }),
		`${FILE}updated/${place}\n${begun}`,
	];
	const shown = `${recent.join("")}${FILE}${path}\n${file}${related.join("")}`;
	return `${shown}\n${edits.map(printEdit).join("\n")}\n${versions.join("")}`;
}

function printFile({ path, text }: PromptFile): string {
	return `${FILE}${path}\n${text}\n`;
}

function printEdit(edit: PromptEdit): string {
	if ("diff" in edit || edit.span === undefined)
		throw new Error("Sweep prompts need the lines before and after an edit");
	return `${FILE}${edit.path}:${edit.span.first}:${edit.span.last}\n${printSides(edit)}`;
}

export const sweepV2Prompt: PromptFormat<SweepV2Parts> = {
	name: "sweep-v2",
	answers: "region",
	marks: [FILE, END_OF_TEXT, CURSOR],
	decode(prompt) {
		const sections = sectionsOf(prompt);
		const [original, current, updated] = sections?.splice(-3) ?? [];
		if (sections === undefined || original === undefined || current === undefined || updated === undefined)
			return undefined;
		const place = current.path.startsWith("current/") ? placeIn(current.path.slice("current/".length)) : undefined;
		const isFramed = original.path === `original/${place?.name}` && updated.path === `updated/${place?.name}`;
		if (place === undefined || !isFramed) return undefined;
		const above = sections.findIndex((section) => editIn(section) !== undefined);
		const shown = sections.splice(0, above < 0 ? sections.length : above);
		const edits = sections.map((section) => editIn({ ...section, text: withoutLineEnds(section.text, 1) ?? "" }));
		const files = filesIn(shown, place.path, edits.length > 0);
		if (files === undefined || !edits.every((edit) => edit !== undefined)) return undefined;
		const { text: region, at: cursor } = takeMark(withoutLineEnds(current.text, 1) ?? "", CURSOR);
		const old = withoutLineEnds(original.text, 1) ?? "";
		return {
			...{ path: place.path, edits, ...files, original: old, lines: place.lines, begun: updated.text },
			...{ region, cursor, ...around(files.file, old) },
		};
	},
	encode,
	// The start of the reply is already in the prompt, so the model does not write it.
	answer({ region, begun }, edits) {
		const now = `${withEdits(region, edits)}\n`;
		return edits.length > 0 && now.startsWith(begun)
			? { text: now.slice(begun.length), end: "" }
			: { text: "", end: "" };
	},
};

// A prompt never contains more parts of the document than this.
const OWN_MAX = 8;

/**
 * Reads the files before the edits. Line breaks separate the files and surround the edits, so the number of line breaks
 * after a file depends on whether it precedes the document, is the document, or follows it. Other parts of the document
 * may have the same path. The first candidate for which every file ends with the right number of line breaks is assumed
 * to be the document.
 */
function filesIn(
	sections: readonly PromptFile[],
	path: string,
	hasEdits: boolean,
): Pick<SweepV2Parts, "files" | "recentCount" | "file"> | undefined {
	const candidates = sections.flatMap((section, i) => (section.path === path ? [i] : [])).slice(0, OWN_MAX);
	for (const own of candidates) {
		const files = sections.map(({ path, text }, i) => {
			const ends = (i === own ? 0 : 1) + (i >= own ? 1 : 0) + (i === sections.length - 1 && !hasEdits ? 1 : 0);
			return { path, text: withoutLineEnds(text, ends) };
		});
		if (!files.every((one): one is PromptFile => one.text !== undefined)) continue;
		return { file: files[own]?.text ?? "", files: files.toSpliced(own, 1), recentCount: own };
	}
	return undefined;
}

/** Returns the parts of the document above and below the region, as they were before the latest edit. */
function around(file: string, original: string): { before: string; after: string } {
	const at = `\n${file}\n`.indexOf(`\n${original}\n`);
	if (at < 0) return { before: "", after: "" };
	return { before: file.slice(0, at), after: file.slice(at + original.length) };
}

function placeIn(name: string) {
	const found = /:(\d{1,9}):(\d{1,9})$/.exec(name);
	if (found === null) return undefined;
	return { name, path: name.slice(0, found.index), lines: { first: Number(found[1]), last: Number(found[2]) } };
}

function editIn({ path, text }: PromptFile): PromptEdit | undefined {
	const place = placeIn(path);
	const sides = place && readSides(text);
	return sides && { path: place.path, ...sides, span: place.lines };
}

function withoutLineEnds(text: string, count: number): string | undefined {
	return text.endsWith("\n".repeat(count)) ? text.slice(0, text.length - count) : undefined;
}

function read(window: Window, begun: string, output: ModelOutput): ParsedOutput {
	const { text, end } = outputBefore(output, [FILE, END_OF_TEXT]);
	if (isEmptyOutput({ text, end })) return { nothing: "no-edit" };
	return readRewritten(window, { text: begun + text.replaceAll(CURSOR, ""), end }, begun);
}
