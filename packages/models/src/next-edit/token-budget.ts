import type { CodeSnippet, PromptInput, PromptTarget } from "./format.js";

// With any tokenizer, code has about one token per three bytes. Overestimating is better than underestimating.
const BYTES_PER_TOKEN = 3;

/** Estimates the number of tokens in a string. */
export function estimateTokens(text: string): number {
	return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Token limits for the prompt and the reply. */
interface TokenShares {
	readonly prompt: number;
	readonly answer: number;
}

/** Returns the format's limits, reduced for models with a smaller context window. */
export function sharesOf(most: TokenShares, { windowTokens }: PromptTarget): TokenShares {
	if (windowTokens === undefined) return most;
	const answer = Math.min(most.answer, Math.floor(windowTokens / 4));
	return { prompt: Math.min(most.prompt, windowTokens - answer), answer };
}

/** Returns the first items that fit into the budget together, skipping items that do not fit. */
export function fitting<T>(items: readonly T[], tokens: number, textOf: (item: T) => string): T[] {
	let left = tokens;
	return items.filter((item) => {
		const cost = estimateTokens(textOf(item));
		if (cost > left) return false;
		left -= cost;
		return true;
	});
}

/**
 * Returns snippets to show with the document, most useful first. Skips duplicates, and lines of the document that are
 * already shown.
 */
export function snippetsBeside(
	{ path, related, recent }: PromptInput,
	shown: Pick<CodeSnippet, "first" | "last">,
): CodeSnippet[] {
	const seen: Pick<CodeSnippet, "path" | "first" | "last">[] = [{ path, first: shown.first, last: shown.last }];
	return [...related, ...recent].filter((snippet) => {
		const isSeen = seen.some((one) => {
			return one.path === snippet.path && one.first <= snippet.last && snippet.first <= one.last;
		});
		if (!isSeen) seen.push(snippet);
		return !isSeen;
	});
}

/** Sorts by file. This order stays the same when usefulness changes, so a server can reuse its cached prefix. */
export function inFileOrder(snippets: readonly CodeSnippet[]): CodeSnippet[] {
	return snippets.toSorted((a, b) => (a.path === b.path ? a.first - b.first : a.path < b.path ? -1 : 1));
}
