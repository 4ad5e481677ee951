import type { CodeSnippet, Format, ModelOutput, ParsedOutput } from "../format.js";
import type { PromptAnswer, PromptEdit, PromptFile, PromptFormat, PromptParts, RegionEdit } from "../prompt-parts.js";
import { estimateTokens, inFileOrder, sharesOf, snippetsBeside } from "../token-budget.js";
import type { Window } from "../window.js";
import { zetaEditsOf, zetaRegionOf, zetaTokens } from "./zeta-region.js";

// The second models of Zed are of Seed-Coder: what follows comes first, then everything before, and the model writes what
// is between.
const SUFFIX = "<[fim-suffix]>";
const PREFIX = "<[fim-prefix]>";
const MIDDLE = "<[fim-middle]>";
const FILE = "<filename>";

/** The mark of the cursor. */
export const CURSOR = "<|user_cursor|>";
/** The token that ends an answer. */
export const END_OF_SENTENCE = "<[end▁of▁sentence]>";

const MARKS = [SUFFIX, PREFIX, MIDDLE, FILE, CURSOR, END_OF_SENTENCE];

// As the models were trained. The history and related files fill a prompt only up to nine tenths, since tokens are estimated.
const MOST = { prompt: 4096, answer: 2048 };
const FILLED_TOKENS = Math.floor(MOST.prompt * 0.9);

/** The part in which the formats of this frame differ. */
interface Region {
	readonly name: string;
	/** In addition to those of the frame. */
	readonly specialTokens: readonly string[];
	readonly stop: readonly string[];
	/** The region of a window, as the format shows it. */
	regionOf(window: Window): SeedRegion;
	/** Ends in a line end. */
	encode(region: SeedRegion): string;
	read(window: Window, said: ModelOutput): ParsedOutput;
}

/** The region of a prompt, without marks. */
export interface SeedRegion {
	readonly region: string;
	readonly cursor: number | undefined;
	/** The offsets of the numbered marks, for formats that have them. */
	readonly marks: readonly number[];
}

/** A format in which a region of the document is rewritten between what is before it and what follows. */
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
				read: (said) => read(window, said),
			};
		},
	};
}

/** With a line end at its end. */
export function ended(text: string): string {
	return text.endsWith("\n") ? text : `${text}\n`;
}

/** The most useful snippets up to the first that does not fit, one entry for each file in the order of their first snippets. */
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
	// While the user types, further snippets come only behind those that were there, so a server can reuse what it has read.
	const paths = [...new Set(kept.map(({ path }) => path))];
	return paths.map((path) => {
		const own = inFileOrder(kept.filter((snippet) => snippet.path === path));
		return { path, text: own.map((snippet, i) => printSnippet(snippet, own[i + 1])).join("") };
	});
}

/** A snippet before the next of its file. A line stands for the lines of the file that are left out after it. */
function printSnippet(snippet: CodeSnippet, next: CodeSnippet | undefined): string {
	const { text } = snippet;
	return `${text === "" ? "" : ended(text)}${isFollowed(snippet, next) ? GAP : ""}`;
}

/** Whether lines of the file are left out after a snippet. Of a file that is not known, the first line on is taken for all of it. */
function isFollowed({ first, last, lineCount }: CodeSnippet, next: CodeSnippet | undefined): boolean {
	// Zed leaves the line out only where the next snippet begins on the last line of this one.
	if (next !== undefined) return next.first > last;
	return lineCount === undefined ? first > 0 : last < lineCount - 1;
}

const HISTORY = `${FILE}edit_history\n`;
const ACCEPTED = "// User accepted prediction:\n";
/** Stands for lines of a file that are not shown. */
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
	if (!("diff" in edit)) throw new Error("models of Seed-Coder are shown edits as diffs");
	return `${edit.isAccepted ? ACCEPTED : ""}--- a/${edit.oldPath}\n+++ b/${edit.path}\n${edit.diff}`;
}

interface RegionFormat {
	readonly name: string;
	/** In addition to those of the frame. */
	readonly marks: readonly string[];
	encode: EncodeRegion;
	/** Takes a region with its marks, and the part of the file before it, out of the end of a prompt. */
	decode(text: string): (SeedRegion & { readonly before: string }) | undefined;
	answer(region: SeedRegion, edits: readonly RegionEdit[]): PromptAnswer;
}

/** How prompts in this frame are decoded. */
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
			// A file may have that name too; only a history consists of diffs alone.
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

/** Files, each with a line that names it. Undefined where the text begins with anything else. */
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

/** Diffs, one after the other. A line inside a hunk may look like a header, so the numbers of the hunk decide where it ends. */
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
