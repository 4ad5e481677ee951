import type { Format, PastEdit, PromptInput } from "../format.js";
import { unifiedOf } from "../past-edits.js";
import { type PromptRegion, promptRegionOf } from "../region.js";
import { readReply } from "../reply.js";
import { estimateTokens } from "../token-budget.js";

// Same as in training.
const LINES = { above: 1, below: 5, around: 25 };
const PROMPT_TOKENS = 8192;

const CURSOR = "<|user_cursor_is_here|>";
const OPENING = "<|editable_region_start|>";
const CLOSING = "<|editable_region_end|>";
const FILE = "<|context_file|>";
const SNIPPET = "<|snippet|>";

// The instructions used in training, as published by the authors. The model was not trained with any other wording.
const SYSTEM = `You are Instinct, an intelligent next-edit predictor developed by Continue.dev. Your role as an AI assistant is to help developers complete their code tasks by predicting the next edit that they will make within the section of code marked by ${OPENING} and ${CLOSING} tags.

You have access to the following information to help you make informed suggestions:

- Context: In the section marked "### Context", there are context items from potentially relevant files in the developer's codebase. Each context item consists of a ${FILE} marker, the filepath, a ${SNIPPET} marker, and then some content from that file, in that order. Keep in mind that not all of the context information may be relevant to the task, so use your judgement to determine which parts to consider.
- User Edits: In the section marked "### User Edits:", there is a record of the most recent changes made to the code, helping you understand the evolution of the code and the developer's intentions. These changes are listed from most recent to least recent. It's possible that some of the edit diff history is entirely irrelevant to the developer's change. The changes are provided in a unified line-diff format, i.e. with pluses and minuses for additions and deletions to the code.
- User Excerpt: In the section marked "### User Excerpt:", there is a filepath to the developer's current file, and then an excerpt from that file. The ${OPENING} and ${CLOSING} markers are within this excerpt. Your job is to rewrite only this editable region, not the whole excerpt. The excerpt provides additional context on the surroundings of the developer's edit.
- Cursor Position: Within the user excerpt's editable region, the ${CURSOR} flag indicates where the developer's cursor is currently located, which can be crucial for understanding what part of the code they are focusing on. Do not produce this marker in your output; simply take it into account.

Your task is to predict and complete the changes the developer would have made next in the editable region. The developer may have stopped in the middle of typing. Your goal is to keep the developer on the path that you think they're following. Some examples include further implementing a class, method, or variable, or improving the quality of the code. Make sure the developer doesn't get distracted by ensuring your suggestion is relevant. Consider what changes need to be made next, if any. If you think changes should be made, ask yourself if this is truly what needs to happen. If you are confident about it, then proceed with the changes.

# Steps

1. **Review Context**: Analyze the context from the resources provided, such as recently viewed snippets, edit history, surrounding code, and cursor location.
2. **Evaluate Current Code**: Determine if the current code within the tags requires any corrections or enhancements.
3. **Suggest Edits**: If changes are required, ensure they align with the developer's patterns and improve code quality.
4. **Maintain Consistency**: Ensure indentation and formatting follow the existing code style.

# Output Format

- Provide only the revised code within the tags. Do not include the tags in your output.
- Ensure that you do not output duplicate code that exists outside of these tags.
- Avoid undoing or reverting the developer's last change unless there are obvious typos or errors.`;

const TASK =
	"Reference the user excerpt, user edits, and the snippets to understand the developer's intent. Update the editable region of the user excerpt by predicting and completing the changes they would have made next. This may be a deletion, addition, or modification of code.";

// The size of the instructions, headings and paths.
const FRAME_TOKENS = estimateTokens(SYSTEM) + estimateTokens(TASK) + 100;

/** The format for Continue's next-edit model. */
export const instinct: Format = {
	name: "instinct",
	specialTokens: [OPENING, CLOSING, CURSOR, FILE, SNIPPET],
	write: (input, target) => {
		const region = promptRegionOf(input, target, { ...LINES, tokens: PROMPT_TOKENS, frameTokens: FRAME_TOKENS });
		if (region === undefined) return undefined;
		const { window, shown, tokensMax } = region;
		const tags = { opening: OPENING, closing: CLOSING, cursor: CURSOR };
		return {
			ask: { kind: "chat", system: SYSTEM, user: messageOf(input, region), tokensMax, temperature: 0 },
			shown,
			window,
			read: (output) => readReply(output, { window, shown, ...tags, nothing: [], isBare: true }),
		};
	},
};

function messageOf({ path }: PromptInput, { window, shown, edits, snippets }: PromptRegion): string {
	const files = snippets.map((snippet) => `${FILE}: ${snippet.path}\n${SNIPPET}\n${snippet.text}`);
	const excerpt = [
		`${window.before(shown)}${OPENING}`,
		window.withCursor(CURSOR),
		// Continue writes no line break before the fence.
		`${CLOSING}${window.after(shown)}\`\`\``,
	];
	return [
		TASK,
		"",
		"### Context:",
		files.join("\n\n"),
		"",
		"### User Edits:",
		"",
		edits.map(printEdit).reverse().join("\n"),
		"",
		"### User Excerpt:",
		path,
		"",
		...excerpt,
		"### Response:",
	].join("\n");
}

/** Prints an edit as Continue does: without blank context lines. */
function printEdit(edit: PastEdit): string {
	const diff = unifiedOf(edit).replace(/(?<=\n) [^\S\n]*\n/g, "");
	return `User edited file "${edit.path}"\n\n\`\`\`diff\n${diff}\`\`\``;
}
