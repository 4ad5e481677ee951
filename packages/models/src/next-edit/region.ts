import type { CodeSnippet, PastEdit, PromptInput, PromptTarget } from "./format.js";
import { unifiedOf } from "./past-edits.js";
import { estimateTokens, fitting, inFileOrder, snippetsBeside } from "./token-budget.js";
import { Window } from "./window.js";

/** How large the parts of a prompt for a region may be. */
interface RegionLimits {
	/** So many lines above the cursor's and below it are to be rewritten. */
	readonly above: number;
	readonly below: number;
	/** So many lines above and below it are shown, if there is room for them; all there is room for where it is not said. */
	readonly around?: number;
	/** All that the model looks at and answers with, or less where it cannot look at so much. */
	readonly tokens: number;
	/** What the format itself writes. */
	readonly frameTokens: number;
}

/** The lines that a model is asked to rewrite, and what of a prompt input it is shown with them. */
export interface PromptRegion {
	readonly window: Window;
	readonly shown: Window;
	/** The newest that there is room for, oldest first. */
	readonly edits: readonly PastEdit[];
	/** Parts of files, the most useful that there is room for. */
	readonly snippets: readonly CodeSnippet[];
	/** How long an answer may become. */
	readonly tokensMax: number;
}

// Lines that are longer than this together are not code.
const REGION_TOKENS_MAX = 3000;
// An answer is the region again, with what comes to it: some lines, and a fence or tags around them.
const ADDED_TOKENS = 256;
// Of what is left beside the region, the document has the larger part, and other files have what it and the history leave.
const DOCUMENT_SHARE = 0.6;
const HISTORY_SHARE = 0.5;

/** Undefined where not even the lines to be rewritten fit. */
export function promptRegionOf(
	input: PromptInput,
	target: PromptTarget,
	measure: RegionLimits,
): PromptRegion | undefined {
	const { text, cursor } = input;
	const window = Window.ofLines(text, cursor, measure.above, measure.below);
	const own = estimateTokens(window.content);
	const tokensMax = 2 * own + ADDED_TOKENS;
	const tokens = Math.min(target.windowTokens ?? measure.tokens, measure.tokens);
	const left = tokens - measure.frameTokens - own - tokensMax;
	if (own > REGION_TOKENS_MAX || left < 0) return undefined;
	const shown = shownAround(window, left * DOCUMENT_SHARE, measure.around);
	const beside = left - (estimateTokens(shown.content) - own);
	const edits = fitting([...input.edits].reverse(), beside * HISTORY_SHARE, costOfEdit);
	const history = edits.reduce((sum, edit) => sum + estimateTokens(costOfEdit(edit)), 0);
	const snippets = fitting(snippetsBeside(input, shown), beside - history, costOfSnippet);
	return { window, shown, edits: edits.reverse(), snippets: inFileOrder(snippets), tokensMax };
}

// What formats write around each, at most.
const AROUND_EACH = "<|recently_viewed_code_snippet|>\n".repeat(3);

function costOfEdit(edit: PastEdit): string {
	return `${AROUND_EACH}${edit.path}${edit.path}${unifiedOf(edit)}`;
}

function costOfSnippet({ path, text }: CodeSnippet): string {
	return `${AROUND_EACH}${path}\n${text}\n`;
}

function shownAround(window: Window, tokens: number, around: number | undefined): Window {
	const most = window.grown(tokens);
	if (around === undefined) return most;
	const wanted = Window.ofLines(window.text, window.cursor, around, around);
	return wanted.first >= most.first && wanted.last <= most.last ? wanted : most;
}
