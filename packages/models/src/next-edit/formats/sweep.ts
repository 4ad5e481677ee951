import { outputBefore } from "../end-tokens.js";
import type { CodeSnippet, Format, ModelOutput, ParsedOutput, PromptInput } from "../format.js";
import { contentBefore, sidesOf } from "../past-edits.js";
import { type PromptEdit, type PromptFile, type PromptFormat, type PromptParts, withEdits } from "../prompt-parts.js";
import { isEmptyOutput, readRewritten } from "../reply.js";
import { estimateTokens, fitting, inFileOrder, sharesOf, snippetsBeside } from "../token-budget.js";
import { Window } from "../window.js";

const FILE = "<|file_sep|>";
const END_OF_TEXT = "<|endoftext|>";

// The limits used in training: 21 lines, and the last three changes.
const LINES_AROUND = 10;
const CHANGES_MAX = 3;
// Same as in the vendor's client.
const MOST = { prompt: 8192, answer: 2048 };

/**
 * The format for Sweep's small models. The prompt shows the lines around the cursor before the latest edit and now; the
 * model predicts the next version.
 */
export const sweep: Format = {
	name: "sweep",
	specialTokens: [FILE, END_OF_TEXT],
	write(input, target) {
		const { prompt: promptTokens, answer } = sharesOf(MOST, target);
		const window = Window.ofLines(input.text, input.cursor, LINES_AROUND, LINES_AROUND);
		const parts: SweepParts = {
			...{ path: input.path, files: [], edits: [], original: contentBefore(input, window) },
			...{ before: "", region: window.content, cursor: undefined, after: "" },
		};
		const left = promptTokens - estimateTokens(encode(parts));
		if (left < 0 || estimateTokens(window.content) > answer) return undefined;
		const edits = editsOf(input, left);
		const files = filesOf(snippetsBeside(input, window), left - estimateTokens(edits.map(printEdit).join("")));
		return {
			ask: {
				kind: "completion",
				prompt: encode({ ...parts, files, edits }),
				stop: [FILE, END_OF_TEXT],
				tokensMax: answer,
				temperature: 0,
			},
			shown: window,
			window,
			read: (output) => read(window, output),
		};
	},
};

/** Returns the newest edits that fit, oldest first. */
function editsOf({ edits }: PromptInput, tokens: number): PromptEdit[] {
	const sides = sidesOf(edits.slice(-CHANGES_MAX)).slice(-CHANGES_MAX);
	const shown = sides.map(({ path, old, now }): PromptEdit => ({ path, old, now, span: undefined }));
	return fitting(shown.toReversed(), tokens, printEdit).toReversed();
}

/** Returns the most useful snippets that fit, grouped by file. */
function filesOf(snippets: readonly CodeSnippet[], tokens: number): PromptFile[] {
	const kept = inFileOrder(fitting(snippets, tokens, printFile));
	return kept.map(({ path, text }) => ({ path, text }));
}

interface SweepParts extends PromptParts {
	/** The region as it was before the latest edit. */
	readonly original: string;
}

function encode({ path, files, edits, original, region }: SweepParts): string {
	const versions = [
		printFile({ path: `original/${path}`, text: original }),
		printFile({ path: `current/${path}`, text: region }),
		`${FILE}updated/${path}\n`,
	];
	return [...files.map(printFile), ...edits.map(printEdit), ...versions].join("");
}

function printFile({ path, text }: PromptFile): string {
	return `${FILE}${path}\n${text}\n`;
}

function printEdit(edit: PromptEdit): string {
	if ("diff" in edit) throw new Error("Sweep prompts need the lines before and after an edit");
	return printFile({ path: `${edit.path}${DIFF}`, text: printSides(edit) });
}

const DIFF = ".diff";

/** The prompt does not mark the cursor. */
export const sweepPrompt: PromptFormat<SweepParts> = {
	name: "sweep",
	answers: "region",
	marks: [FILE, END_OF_TEXT],
	decode(prompt) {
		const sections = sectionsOf(prompt)?.map(({ path, text }) => ({ path, text: text.replace(/\n$/, "") }));
		const [original, current, updated] = sections?.splice(-3) ?? [];
		if (sections === undefined || original === undefined || current === undefined || updated === undefined)
			return undefined;
		const path = current.path.slice("current/".length);
		const isFramed = [original.path, current.path, updated.path].join() === VERSIONS.map((one) => one + path).join();
		if (!isFramed || updated.text !== "") return undefined;
		const read = sections.map((section) => editIn(section) ?? section);
		const edits = read.filter((one) => "now" in one);
		const files = read.filter((one) => "text" in one);
		return {
			path,
			files,
			edits,
			original: original.text,
			before: "",
			region: current.text,
			cursor: undefined,
			after: "",
		};
	},
	encode,
	// Zed compares a reply with the region including its line break.
	answer: ({ region }, edits) => ({ text: `${withEdits(region, edits)}\n`, end: "" }),
};

const VERSIONS = ["original/", "current/", "updated/"];

function editIn({ path, text }: PromptFile): Exclude<PromptEdit, { diff: string }> | undefined {
	const sides = path.endsWith(DIFF) ? readSides(text) : undefined;
	return sides && { path: path.slice(0, -DIFF.length), ...sides, span: undefined };
}

/**
 * Splits a prompt into sections, each preceded by a line with its name. Returns undefined if the prompt starts with
 * anything else.
 */
export function sectionsOf(prompt: string): { path: string; text: string }[] | undefined {
	const [head, ...sections] = prompt.split(FILE);
	if (head !== "" || sections.length === 0) return undefined;
	return sections.map((section) => {
		const end = section.indexOf("\n");
		return end < 0 ? { path: section, text: "" } : { path: section.slice(0, end), text: section.slice(end + 1) };
	});
}

export function printSides({ old, now }: { readonly old: string; readonly now: string }): string {
	return `original:\n${old}\nupdated:\n${now}`;
}

export function readSides(text: string): { old: string; now: string } | undefined {
	const [head, separator] = ["original:\n", "\nupdated:\n"];
	const at = text.indexOf(separator, head.length - 1);
	if (!text.startsWith(head) || at < 0) return undefined;
	return { old: text.slice(head.length, at), now: text.slice(at + separator.length) };
}

function read(window: Window, reply: ModelOutput): ParsedOutput {
	const output = outputBefore(reply, [FILE, END_OF_TEXT]);
	return isEmptyOutput(output) ? { nothing: "no-edit" } : readRewritten(window, output);
}
