import type { Brief, Snippet } from "../brief.js";
import { saidBefore } from "../ending.js";
import type { Format, Reading, Said } from "../format.js";
import { contentBefore, type Sides, sidesOf } from "../past-edits.js";
import { isSilent, readRewritten } from "../rewritten.js";
import { inFileOrder, snippetsBeside } from "../snippets.js";
import { estimateTokens, fitting, sharesOf } from "../tokens.js";
import { Window } from "../window.js";

const FILE = "<|file_sep|>";
const END_OF_TEXT = "<|endoftext|>";

// As the models were trained: 21 lines, and the latest three changes.
const LINES_AROUND = 10;
const CHANGES_MAX = 3;
// As their vendor asks them.
const MOST = { prompt: 8192, answer: 2048 };

/** Sweep's small models: the lines around the cursor before the latest edit, as they are, and as the model thinks they will be. */
export const sweep: Format = {
	name: "sweep",
	specialTokens: [FILE, END_OF_TEXT],
	write(brief, recipient) {
		const { prompt: promptTokens, answer } = sharesOf(MOST, recipient);
		const window = Window.ofLines(brief.text, brief.cursor, LINES_AROUND, LINES_AROUND);
		const versions = versionsOf(brief, window);
		const left = promptTokens - estimateTokens(versions);
		if (left < 0 || estimateTokens(window.content) > answer) return undefined;
		const changes = changesOf(brief, left);
		const files = filesOf(snippetsBeside(brief, window), left - estimateTokens(changes));
		return {
			ask: {
				kind: "completion",
				prompt: files + changes + versions,
				stop: [FILE, END_OF_TEXT],
				tokensMax: answer,
				temperature: 0,
			},
			shown: window,
			window,
			read: (said) => read(window, said),
		};
	},
};

function versionsOf(brief: Brief, window: Window): string {
	const original = fileOf(`original/${brief.path}`, contentBefore(brief, window));
	const current = fileOf(`current/${brief.path}`, window.content);
	return `${original}${current}${FILE}updated/${brief.path}\n`;
}

function fileOf(path: string, text: string): string {
	return `${FILE}${path}\n${text}\n`;
}

/** The newest that fit, the oldest of them first. */
function changesOf({ edits }: Brief, tokens: number): string {
	const printed = sidesOf(edits.slice(-CHANGES_MAX)).slice(-CHANGES_MAX).map(printChange);
	return fitting(printed.toReversed(), tokens, (change) => change)
		.toReversed()
		.join("");
}

function printChange({ path, old, now }: Sides): string {
	return fileOf(`${path}.diff`, `original:\n${old}\nupdated:\n${now}`);
}

/** The most useful that fit, file by file. */
function filesOf(snippets: readonly Snippet[], tokens: number): string {
	const printed = ({ path, text }: Snippet) => fileOf(path, text);
	return inFileOrder(fitting(snippets, tokens, printed))
		.map(printed)
		.join("");
}

function read(window: Window, answer: Said): Reading {
	const said = saidBefore(answer, [FILE, END_OF_TEXT]);
	return isSilent(said) ? { nothing: "no-edit" } : readRewritten(window, said);
}
