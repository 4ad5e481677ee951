import type { CodeSnippet, Format, ModelOutput, ParsedOutput } from "../format.js";
import type { PromptAnswer, PromptEdit, PromptFile, PromptFormat, PromptParts, RegionEdit } from "../prompt-parts.js";
import { estimateTokens, inFileOrder, sharesOf, snippetsBeside } from "../token-budget.js";
import type { Window } from "../window.js";
import { zetaEditsOf, zetaRegionOf, zetaTokens } from "./zeta-region.js";

// Zeta 2 models are based on Seed-Coder: the suffix comes first, then the prefix, and the model writes the middle.
const SUFFIX = "<[fim-suffix]>";
const PREFIX = "<[fim-prefix]>";
const MIDDLE = "<[fim-middle]>";
const FILE = "<filename>";

export const CURSOR = "<|user_cursor|>";
export const END_OF_SENTENCE = "<[end▁of▁sentence]>";

const MARKS = [SUFFIX, PREFIX, MIDDLE, FILE, CURSOR, END_OF_SENTENCE];

// The limits used in training. The history and related files fill only nine tenths of the prompt, because token counts
// are estimates.
const MOST = { prompt: 4096, answer: 2048 };
const FILLED_TOKENS = Math.floor(MOST.prompt * 0.9);

/** The parts that differ between formats with this frame. */
interface Region {
	readonly name: string;
	/** In addition to the frame's special tokens. */
	readonly specialTokens: readonly string[];
	readonly stop: readonly string[];
	/** Returns the region of a window, with the format's marks inserted. */
	regionOf(window: Window): SeedRegion;
	/** The result ends with a line break. */
	encode(region: SeedRegion): string;
	read(window: Window, output: ModelOutput): ParsedOutput;
}

/** The region from a prompt, with marks removed. */
export interface SeedRegion {
	readonly region: string;
	readonly cursor: number | undefined;
	/** Offsets of the numbered marks, for formats that have them. */
	readonly marks: readonly number[];
}

/** Creates a format in which the model rewrites a region between a prefix and a suffix. */
export function seedFormat({ name, specialTokens, stop, regionOf, encode, read }: Region): Format {
	return {
		name,
		specialTokens: [...MARKS, ...specialTokens],
		write(input, target) {
			const { prompt: promptTokens, answer } = sharesOf(MOST, target);
			const { window, shown } = zetaRegionOf(input);
			const parts: SeedParts = {
				...{ path: input.path, files: [], edits: [] },
				...{ before: window.before(shown), ...regionOf(window), after: ended(window.after(shown)) },
			};
			if (estimateTokens(window.content) > answer) return undefined;
			const own = zetaTokens(`${SUFFIX}${parts.after}${PREFIX}`) + zetaTokens(fileOf(parts, encode));
			const left = Math.min(FILLED_TOKENS, promptTokens) - own;
			const edits = zetaEditsOf(input, left - zetaTokens(HISTORY), printEdit);
			const files = filesOf(snippetsBeside(input, shown), left - zetaTokens(historyOf(edits)));
			const prompt = encodeFrame({ ...parts, edits, files }, encode);
			if (zetaTokens(prompt) > promptTokens) return undefined;
			return {
				ask: { kind: "completion", prompt, stop, tokensMax: answer, temperature: 0 },
				shown,
				window,
				read: (output) => read(window, output),
			};
		},
	};
}

/** Adds a line break at the end if there is none. */
export function ended(text: string): string {
	return text.endsWith("\n") ? text : `${text}\n`;
}

/**
 * Returns the most useful snippets, up to the first that does not fit. They are grouped into one entry per file, in the
 * order of each file's first snippet.
 */
function filesOf(snippets: readonly CodeSnippet[], tokens: number): PromptFile[] {
	let left = tokens;
	const isTooLong = (snippet: CodeSnippet, i: number) => {
		const { path } = snippet;
		const isNamed = snippets.slice(0, i).some((other) => other.path === path);
		left -= zetaTokens(printSnippet(snippet, undefined)) + (isNamed ? 0 : zetaTokens(`${FILE}${path}\n`));
		return left < 0;
	};
	const first = snippets.findIndex(isTooLong);
	const kept = first < 0 ? snippets : snippets.slice(0, first);
	// While the user types, new snippets are only appended, so a server can reuse its cached prefix.
	const paths = [...new Set(kept.map(({ path }) => path))];
	return paths.map((path) => {
		const own = inFileOrder(kept.filter((snippet) => snippet.path === path));
		return { path, text: own.map((snippet, i) => printSnippet(snippet, own[i + 1])).join("") };
	});
}

/** Prints a snippet. If lines of the file are omitted before the next snippet, a gap line follows. */
function printSnippet(snippet: CodeSnippet, next: CodeSnippet | undefined): string {
	const { text } = snippet;
	return `${text === "" ? "" : ended(text)}${isFollowed(snippet, next) ? GAP : ""}`;
}

/**
 * Whether lines of the file are omitted after a snippet. If the length of the file is unknown, a snippet that starts on
 * the first line is assumed to be the whole file.
 */
function isFollowed({ first, last, lineCount }: CodeSnippet, next: CodeSnippet | undefined): boolean {
	// Zed omits the gap line only if the next snippet starts on the last line of this one.
	if (next !== undefined) return next.first > last;
	return lineCount === undefined ? first > 0 : last < lineCount - 1;
}

const HISTORY = `${FILE}edit_history\n`;
const ACCEPTED = "// User accepted prediction:\n";
/** Stands for lines omitted from a file. */
const GAP = "...\n";

export interface SeedParts extends PromptParts, SeedRegion {}

type EncodeRegion = (region: SeedRegion) => string;

function encodeFrame(parts: SeedParts, encode: EncodeRegion): string {
	const files = parts.files.map(({ path, text }) => `${FILE}${path}\n${text}`).join("");
	const shown = files === "" ? "" : `${files}\n`;
	return `${SUFFIX}${parts.after}${PREFIX}${shown}${historyOf(parts.edits)}${fileOf(parts, encode)}`;
}

function fileOf(parts: SeedParts, encode: EncodeRegion): string {
	return `${FILE}${parts.path ?? ""}\n${parts.before}${encode(parts)}${MIDDLE}`;
}

function historyOf(edits: readonly PromptEdit[]): string {
	return edits.length === 0 ? "" : `${HISTORY}${edits.map(printEdit).join("")}\n`;
}

function printEdit(edit: PromptEdit): string {
	if (!("diff" in edit)) throw new Error("Seed-Coder prompts need edits as diffs");
	return `${edit.isAccepted ? ACCEPTED : ""}--- a/${edit.oldPath}\n+++ b/${edit.path}\n${edit.diff}`;
}

interface RegionFormat {
	readonly name: string;
	/** In addition to the frame's marks. */
	readonly marks: readonly string[];
	encode: EncodeRegion;
	/** Decodes the region with its marks, and the part of the file before it, from the end of a prompt. */
	decode(text: string): (SeedRegion & { readonly before: string }) | undefined;
	answer(region: SeedRegion, edits: readonly RegionEdit[]): PromptAnswer;
}

/** Creates a decoder for prompts with this frame. */
export function seedPrompt({ name, marks, encode, decode, answer }: RegionFormat): PromptFormat<SeedParts> {
	return {
		name,
		answers: "region",
		marks: [...MARKS, ...marks],
		decode(prompt) {
			const middle = prompt.lastIndexOf(PREFIX);
			if (!prompt.startsWith(SUFFIX) || !prompt.endsWith(MIDDLE) || middle < 0) return undefined;
			const after = prompt.slice(SUFFIX.length, middle);
			const sections = sectionsOf(prompt.slice(middle + PREFIX.length, -MIDDLE.length));
			const file = sections?.pop();
			const region = file && decode(file.text);
			if (sections === undefined || file === undefined || region === undefined) return undefined;
			const history = sections.at(-1);
			const diffs = history?.path === "edit_history" ? withoutLineEnd(history.text) : "";
			const edits = readEdits(diffs);
			// A real file can also have this name, but only a history consists entirely of diffs.
			if (edits.length === 0 || edits.map(printEdit).join("") !== diffs) edits.length = 0;
			else sections.pop();
			const last = sections.pop();
			const files = last === undefined ? [] : [...sections, { path: last.path, text: withoutLineEnd(last.text) }];
			return { path: file.path, files, edits, ...region, after };
		},
		encode: (parts) => encodeFrame(parts, encode),
		answer,
	};
}

/**
 * Splits text into files, each preceded by a line with its name. Returns undefined if the text starts with anything
 * else.
 */
function sectionsOf(text: string): { path: string; text: string }[] | undefined {
	const starts: number[] = [];
	for (let at = text.indexOf(FILE); at >= 0; at = text.indexOf(FILE, at + 1)) {
		if (at === 0 || text[at - 1] === "\n") starts.push(at);
	}
	if (starts[0] !== 0) return undefined;
	return starts.map((start, i) => {
		const section = text.slice(start + FILE.length, starts[i + 1]);
		const end = section.indexOf("\n");
		return end < 0 ? { path: section, text: "" } : { path: section.slice(0, end), text: section.slice(end + 1) };
	});
}

function withoutLineEnd(text: string): string {
	return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/**
 * Reads consecutive diffs. A line inside a hunk may look like a header, so the line counts determine where a hunk ends.
 */
function readEdits(text: string): PromptEdit[] {
	const edits: PromptEdit[] = [];
	const lines = text.split(/(?<=\n)/);
	let open: { path: string; oldPath: string; isAccepted: boolean; diff: string } | undefined;
	let isAccepted = false;
	let [oldLeft, newLeft] = [0, 0];
	for (let i = 0; i < lines.length; i++) {
		const line = lines[i] ?? "";
		const isInHunk = oldLeft > 0 || newLeft > 0;
		if (isInHunk || line.startsWith("\\")) {
			if (open !== undefined) open.diff += line;
			if (line.startsWith("+")) newLeft--;
			else if (line.startsWith("-")) oldLeft--;
			else if (!line.startsWith("\\")) [oldLeft, newLeft] = [oldLeft - 1, newLeft - 1];
		} else if (line === ACCEPTED) isAccepted = true;
		else if (line.startsWith("--- a/") && lines[i + 1]?.startsWith("+++ b/")) {
			const oldPath = line.slice("--- a/".length).trimEnd();
			open = { path: (lines[++i] ?? "").slice("+++ b/".length).trimEnd(), oldPath, isAccepted, diff: "" };
			isAccepted = false;
			edits.push(open);
		} else if (open !== undefined) {
			const counts = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
			if (counts !== null) [oldLeft, newLeft] = [Number(counts[1] ?? 1), Number(counts[2] ?? 1)];
			open.diff += line;
		}
	}
	return edits;
}
