import type { Format, ModelOutput, ParsedOutput, PromptInput } from "../format.js";
import { type PromptRegion, promptRegionOf } from "../region.js";
import { type ReplyLayout, readReply, readRewritten, withoutThoughts } from "../reply.js";
import { estimateTokens, fitting } from "../token-budget.js";
import { Window } from "../window.js";
import { CLOSING, CURSOR_TAG, historySection, OPENING, TAGS, viewedSection } from "./code-to-edit.js";

// Same as in Copilot: a few lines to rewrite, which are shown a second time within the surrounding code.
const LINES = { above: 2, below: 5 };
const AREA_LINES = 15;
const PROMPT_TOKENS = 8192;
// The size of the instructions, tags and paths.
const FRAME_TOKENS = 600;
const LINTER_TOKENS = 200;

const SYSTEM = `You predict the next edit of a developer, in the part of their code between ${OPENING} and ${CLOSING}.

You see what they looked at lately, the file they are in, what they changed lately as diffs with the oldest first, and the lines \
around the cursor, which stands at ${CURSOR_TAG}. Find what the developer is about to do: go on with what they are writing, repeat a \
change, or adapt what a change has broken.`;

/** Copilot's layout, which any chat model understands. */
export const xtab: Format = {
	name: "xtab",
	specialTokens: [
		...TAGS,
		...["<|area_around_code_to_edit|>", "<|/area_around_code_to_edit|>", "<|linter|>", "<|/linter|>"],
		...["<|edit_intent|>", "<|/edit_intent|>", "<NO_CHANGE>", "<NO_EDIT>"],
	],
	write: (input, target) => {
		const area = Window.ofLines(input.text, input.cursor, AREA_LINES, AREA_LINES);
		const frameTokens = FRAME_TOKENS + LINTER_TOKENS + estimateTokens(area.content);
		const region = promptRegionOf(input, target, { ...LINES, tokens: PROMPT_TOKENS, frameTokens });
		if (region === undefined) return undefined;
		const { window, shown, tokensMax } = region;
		return {
			ask: { kind: "chat", system: SYSTEM, user: messageOf(input, region), tokensMax, temperature: 0 },
			shown,
			window,
			read: (output) => read(output, input, region),
		};
	},
};

function messageOf(input: PromptInput, region: PromptRegion): string {
	const { window, shown, edits, snippets } = region;
	const problems = input.diagnostics.map(
		({ line, severity, message }) => `${severity} in line ${line + 1}: ${message}`,
	);
	const linter = fitting(problems, LINTER_TOKENS, (problem) => `${problem}\n`);
	const area = areaOf(region);
	return [
		"```",
		viewedSection(snippets),
		"",
		"<|current_file_content|>",
		`current_file_path: ${input.path}`,
		shown.content,
		"<|/current_file_content|>",
		"",
		...(linter.length === 0 ? [] : ["<|linter|>", ...linter, "<|/linter|>", ""]),
		historySection(edits),
		"",
		"<|area_around_code_to_edit|>",
		`${window.before(area)}${OPENING}`,
		window.withCursor(CURSOR_TAG),
		`${CLOSING}${window.after(area)}`,
		"<|/area_around_code_to_edit|>",
		"```",
		"",
		`The developer is in ${input.path}. Write the code between ${OPENING} and ${CLOSING} as it will be after their next edit, whole \
and with the same indentation, in one block of three backticks. Leave out the tags, the cursor and what is outside of the tags. Do \
not take back what the developer has just done. Where nothing is to be changed, answer <NO_CHANGE>.`,
	].join("\n");
}

function areaOf({ window, shown }: PromptRegion): Window {
	const area = Window.ofLines(window.text, window.cursor, AREA_LINES, AREA_LINES);
	return area.first >= shown.first && area.last <= shown.last ? area : window;
}

/**
 * Reads every kind of reply that models were trained to give for this layout, because models may ignore the
 * instructions.
 */
function read(reply: ModelOutput, input: PromptInput, { window, shown }: PromptRegion): ParsedOutput {
	const output = withoutIntent(withoutThoughts(reply), window);
	if (output === "no-edit") return { nothing: output };
	const patch = readPatch(output, input, window);
	if (patch !== undefined) return patch;
	const inserted = between(output, "<INSERT>", "</INSERT>");
	if (inserted !== undefined) return readInserted(inserted, window);
	const layout: ReplyLayout = {
		window,
		shown,
		opening: OPENING,
		closing: CLOSING,
		cursor: CURSOR_TAG,
		nothing: ["<NO_CHANGE>", "<NO_EDIT>"],
		isBare: false,
	};
	const isEdit = output.text.trimStart().startsWith("<EDIT>");
	return readReply(output, isEdit ? { ...layout, opening: "<EDIT>", closing: "</EDIT>" } : layout);
}

const INTENT = /^\s*<\|edit_intent\|>\s*(\w+)\s*<\|\/edit_intent\|>[^\S\n]*\n?/;
const LETTER = /^([NLMH])\r?\n/;

/** Removes the model's estimate of whether the user wants an edit: a tag, or a letter on its own line. */
function withoutIntent(output: ModelOutput, window: Window): ModelOutput | "no-edit" {
	const { text, end } = output;
	const [tag, intent] = INTENT.exec(text) ?? [];
	if (tag !== undefined) return intent === "no_edit" ? "no-edit" : { text: text.slice(tag.length), end };
	const begun = text.trimStart();
	if (end === undefined && !/\n/.test(begun)) return { text: "", end };
	const isTyped = /^[NLMH]$/.test(window.lines[0] ?? "");
	const [line, letter] = (isTyped ? undefined : LETTER.exec(end === undefined ? begun : `${begun}\n`)) ?? [];
	if (line === undefined) return output;
	return letter === "N" ? "no-edit" : { text: begun.slice(line.length), end };
}

function between({ text, end }: ModelOutput, opening: string, closing: string): ModelOutput | undefined {
	const begun = text.trimStart();
	if (!begun.startsWith(opening)) return undefined;
	const [content = "", rest] = begun.slice(opening.length).replace(/^\n/, "").split(closing, 2);
	return { text: content.replace(/\n$/, ""), end: rest === undefined ? end : "stop" };
}

/**
 * Reads an insertion at the cursor. The first line is inserted before the rest of the cursor's line, and the others are
 * inserted below it.
 */
function readInserted({ text, end }: ModelOutput, window: Window): ParsedOutput {
	if (end === undefined) return { hunks: [] };
	const [first = "", ...below] = text.replaceAll(CURSOR_TAG, "").split(/\r\n|\r|\n/);
	const at = window.cursorInContent;
	const head = window.content.slice(0, at);
	const [rest = "", ...others] = window.content.slice(at).split("\n");
	return readRewritten(window, { text: [`${head}${first}${rest}`, ...below, ...others].join("\n"), end }, head);
}

/** Replaces lines of a file, starting at `line`. */
interface Replacement {
	readonly path: string;
	/** Zero-based. */
	readonly line: number;
	readonly old: readonly string[];
	readonly now: readonly string[];
}

const PLACE = /^([^-+\s].*):(\d+)$/;

/**
 * Reads a patch in which each part follows its path and line number. Keeps the parts that are inside the window and
 * match its lines.
 */
function readPatch(output: ModelOutput, { path, text }: PromptInput, window: Window): ParsedOutput | undefined {
	const [place = "", ...lines] = output.text.trimStart().split(/\r?\n/);
	if (!PLACE.test(place) || !/^[-+]/.test(lines[0] ?? "")) return undefined;
	if (output.end === undefined) return { hunks: [] };
	const replacements = replacementsIn([place, ...lines]);
	// The last part may be incomplete.
	if (output.end === "length") replacements.pop();
	const fit = replacements
		.filter((one) => one.path === path && one.line >= window.first && one.line + one.old.length <= window.last + 1)
		.filter(({ line, old }) => old.every((own, i) => text.line(line + i) === own))
		.sort((a, b) => a.line - b.line);
	const [content, to] = fit.reduce<[string[], number]>(
		([done, from], { line, old, now }) => {
			if (line < from) return [done, from];
			return [[...done, ...window.lines.slice(from - window.first, line - window.first), ...now], line + old.length];
		},
		[[], window.first],
	);
	const rest = window.lines.slice(to - window.first);
	if (fit.length === 0) return { nothing: "unreadable-answer" };
	return readRewritten(window, { text: [...content, ...rest].join("\n"), end: "stop" });
}

function replacementsIn(lines: readonly string[]): Replacement[] {
	const starts = lines.flatMap((line, i) => (PLACE.test(line) ? [i] : []));
	return starts.map((start, i) => {
		const [, path = "", line = ""] = PLACE.exec(lines[start] ?? "") ?? [];
		const part = lines.slice(start + 1, starts[i + 1]);
		const marked = (mark: string) => part.filter((one) => one.startsWith(mark)).map((one) => one.slice(1));
		return { path, line: Number(line), old: marked("-"), now: marked("+") };
	});
}
