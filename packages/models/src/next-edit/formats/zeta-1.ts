import type { Brief, PastEdit } from "../brief.js";
import { saidBefore } from "../ending.js";
import type { Format, Reading, Said } from "../format.js";
import { unifiedOf } from "../past-edits.js";
import { isSilent, readRewritten } from "../rewritten.js";
import { estimateTokens, fitting, sharesOf } from "../tokens.js";
import { Window } from "../window.js";

const START_OF_FILE = "<|start_of_file|>";
const START = "<|editable_region_start|>";
const CURSOR = "<|user_cursor_is_here|>";
const END = "<|editable_region_end|>";

// As the model was trained and as its server limits it.
const REGION_TOKENS = 350;
const CONTEXT_TOKENS = 150;
const EDITS_TOKENS = 500;
const EDITS_MAX = 6;
const MOST = { prompt: 4096, answer: 2048 };

/** Zed's first model: an instruction, what the user did, and an excerpt with a region to rewrite between two marks. */
export const zeta1: Format = {
	name: "zeta-1",
	specialTokens: [START_OF_FILE, START, CURSOR, END],
	write(brief, recipient) {
		const { prompt: promptTokens, answer } = sharesOf(MOST, recipient);
		const window = Window.ofTokens(brief.text, brief.cursor, REGION_TOKENS);
		const shown = window.grown(CONTEXT_TOKENS);
		const excerpt = excerptOf(brief, window, shown);
		const left = promptTokens - estimateTokens(promptOf("", excerpt));
		if (left < 0 || estimateTokens(window.content) > answer) return undefined;
		const edits = editsOf(brief.edits, Math.min(EDITS_TOKENS, left));
		return {
			ask: {
				kind: "completion",
				prompt: promptOf(edits, excerpt),
				stop: [END],
				tokensMax: answer,
				temperature: 0,
			},
			shown,
			window,
			read: (said) => read(window, said),
		};
	},
};

const INSTRUCTION =
	"You are a code completion assistant and your task is to analyze user edits and then rewrite an excerpt that the user provides, suggesting the appropriate edits within the excerpt, taking into account the cursor location.";

function promptOf(edits: string, excerpt: string): string {
	return `### Instruction:\n${INSTRUCTION}\n\n### User Edits:\n\n${edits}\n\n### User Excerpt:\n\n${excerpt}\n\n### Response:\n`;
}

function excerptOf({ path }: Brief, window: Window, shown: Window): string {
	const startOfFile = shown.first === 0 ? `${START_OF_FILE}\n` : "";
	const region = `${START}\n${window.withCursor(CURSOR)}\n${END}`;
	return `\`\`\`${path}\n${startOfFile}${window.before(shown)}${region}${window.after(shown)}\n\`\`\``;
}

/** The newest that fit, the oldest of them first. */
function editsOf(edits: readonly PastEdit[], tokens: number): string {
	const printed = edits.slice(-EDITS_MAX).map((edit) => {
		return `User edited ${edit.path}:\n\`\`\`diff\n${unifiedOf(edit)}\n\`\`\``;
	});
	return fitting(printed.toReversed(), tokens, (edit) => `${edit}\n\n`)
		.toReversed()
		.join("\n\n");
}

/** The region stands between the two marks, or where they are missing from the beginning or to the end. */
function read(window: Window, { text, end }: Said): Reading {
	const start = text.indexOf(START);
	// A mark that comes later would make what is before it no part of the region.
	if (start < 0 && end === undefined) return { hunks: [] };
	const from = start < 0 ? 0 : start + START.length;
	if (text.slice(0, from).includes(END)) return { nothing: "unreadable-answer" };
	const region = saidBefore({ text: text.slice(from).replace(/^(\r\n|\n)/, ""), end }, [END]);
	if (start < 0 && isSilent(region)) return { nothing: "no-edit" };
	return readRewritten(window, { ...region, text: region.text.replaceAll(CURSOR, "") });
}
