import type { CodeSnippet, PastEdit, PromptInput, PromptTarget } from "./format.js";
import { unifiedOf } from "./past-edits.js";
import { estimateTokens, fitting, inFileOrder, snippetsBeside } from "./token-budget.js";
import { Window } from "./window.js";

/** Size limits for the parts of a prompt with a region. */
interface RegionLimits {
	/** Number of lines to rewrite above and below the cursor's line. */
	readonly above: number;
	readonly below: number;
	/** Number of lines to show above and below the cursor's line, if they fit. Defaults to as many as fit. */
	readonly around?: number;
	/** Total size of prompt and reply. Reduced for models with a smaller context window. */
	readonly tokens: number;
	/** Size of the format's own text. */
	readonly frameTokens: number;
}

/** The lines that a model is asked to rewrite, and the parts of the input shown with them. */
export interface PromptRegion {
	readonly window: Window;
	readonly shown: Window;
	/** The newest edits that fit, oldest first. */
	readonly edits: readonly PastEdit[];
	/** The most useful snippets that fit. */
	readonly snippets: readonly CodeSnippet[];
	/** Limit for the reply. */
	readonly tokensMax: number;
}

// A larger region is unlikely to be code.
const REGION_TOKENS_MAX = 3000;
// A reply repeats the region, adds some lines, and may contain tags or a fence.
const ADDED_TOKENS = 256;
// The document gets the larger share of the remaining budget; other files get the rest after the document and the
// history.
const DOCUMENT_SHARE = 0.6;
const HISTORY_SHARE = 0.5;

/** Returns undefined if not even the lines to rewrite fit. */
export function promptRegionOf(
	input: PromptInput,
	target: PromptTarget,
	limits: RegionLimits,
): PromptRegion | undefined {
	const { text, cursor } = input;
	const window = Window.ofLines(text, cursor, limits.above, limits.below);
	const own = estimateTokens(window.content);
	const tokensMax = 2 * own + ADDED_TOKENS;
	const tokens = Math.min(target.windowTokens ?? limits.tokens, limits.tokens);
	const left = tokens - limits.frameTokens - own - tokensMax;
	if (own > REGION_TOKENS_MAX || left < 0) return undefined;
	const shown = shownAround(window, left * DOCUMENT_SHARE, limits.around);
	const beside = left - (estimateTokens(shown.content) - own);
	const edits = fitting([...input.edits].reverse(), beside * HISTORY_SHARE, costOfEdit);
	const history = edits.reduce((sum, edit) => sum + estimateTokens(costOfEdit(edit)), 0);
	const snippets = fitting(snippetsBeside(input, shown), beside - history, costOfSnippet);
	return { window, shown, edits: edits.reverse(), snippets: inFileOrder(snippets), tokensMax };
}

// The longest text that any format writes around each item.
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
