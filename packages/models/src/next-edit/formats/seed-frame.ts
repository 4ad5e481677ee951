import type { Brief, PastEdit, Snippet } from "../brief.js";
import type { Format, Reading, Said } from "../format.js";
import { unifiedOf } from "../past-edits.js";
import { inFileOrder, snippetsBeside } from "../snippets.js";
import { estimateTokens, fitting, sharesOf } from "../tokens.js";
import { Window } from "../window.js";

// The second models of Zed are of Seed-Coder: what follows comes first, then everything before, and the model writes what
// is between.
const SUFFIX = "<[fim-suffix]>";
const PREFIX = "<[fim-prefix]>";
const MIDDLE = "<[fim-middle]>";
const FILE = "<filename>";

/** What stands for the cursor. */
export const CURSOR = "<|user_cursor|>";
/** What the model says when it has said everything. */
export const END_OF_SENTENCE = "<[end▁of▁sentence]>";

// As the models were trained. Of the tokens that they were given, a tenth is left for what the estimate gets wrong.
const REGION_TOKENS = 350;
const CONTEXT_TOKENS = 150;
const EDITS_MAX = 6;
const MOST = { prompt: Math.floor(4096 * 0.9), answer: 2048 };

/** What the models of this frame differ in. */
interface Region {
	readonly name: string;
	/** Those beside the frame's. */
	readonly specialTokens: readonly string[];
	readonly stop: readonly string[];
	/** How the window is shown. It ends in a line end. */
	write(window: Window): string;
	read(window: Window, said: Said): Reading;
}

/** A format in which a region of the document is rewritten between what is before it and what follows. */
export function seedFormat({ name, specialTokens, stop, write, read }: Region): Format {
	return {
		name,
		specialTokens: [SUFFIX, PREFIX, MIDDLE, FILE, CURSOR, END_OF_SENTENCE, ...specialTokens],
		write(brief, recipient) {
			const { prompt: promptTokens, answer } = sharesOf(MOST, recipient);
			const window = Window.ofTokens(brief.text, brief.cursor, REGION_TOKENS);
			const shown = window.grown(CONTEXT_TOKENS);
			const suffix = `${SUFFIX}${ended(window.after(shown))}${PREFIX}`;
			const document = `${FILE}${brief.path}\n${window.before(shown)}${write(window)}${MIDDLE}`;
			const left = promptTokens - estimateTokens(suffix) - estimateTokens(document);
			if (left < 0 || estimateTokens(window.content) > answer) return undefined;
			const edits = editsOf(brief, left);
			const files = filesOf(snippetsBeside(brief, shown), left - estimateTokens(edits));
			return {
				ask: { kind: "completion", prompt: suffix + files + edits + document, stop, tokensMax: answer, temperature: 0 },
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

/** The newest that fit, the oldest of them first. */
function editsOf({ edits }: Brief, tokens: number): string {
	const head = `${FILE}edit_history\n`;
	const kept = fitting(edits.slice(-EDITS_MAX).toReversed(), tokens - estimateTokens(`${head}\n`), printEdit);
	return kept.length === 0 ? "" : `${head}${kept.toReversed().map(printEdit).join("")}\n`;
}

function printEdit(edit: PastEdit): string {
	const isAccepted = edit.event.isAccepted ? "// User accepted prediction:\n" : "";
	return `${isAccepted}--- a/${edit.path}\n+++ b/${edit.path}\n${unifiedOf(edit)}`;
}

/** The most useful that fit, file by file. */
function filesOf(snippets: readonly Snippet[], tokens: number): string {
	const printed = ({ path, text }: Snippet) => `${FILE}${path}\n${text}\n...\n`;
	const kept = inFileOrder(fitting(snippets, tokens - estimateTokens("\n"), printed));
	const files = kept.map((snippet, i) => {
		const head = kept[i - 1]?.path === snippet.path ? "" : `${FILE}${snippet.path}\n`;
		return `${head}${snippet.text}\n${isFollowed(snippet, kept[i + 1]) ? "...\n" : ""}`;
	});
	return files.length === 0 ? "" : `${files.join("")}\n`;
}

/** Whether the file goes on with lines that are not shown. What begins with the file is taken for all of it. */
function isFollowed(snippet: Snippet, next: Snippet | undefined): boolean {
	if (next?.path === snippet.path) return next.first > snippet.last + 1;
	return snippet.first > 0;
}
