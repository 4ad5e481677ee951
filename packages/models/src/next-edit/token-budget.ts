import type { CodeSnippet, PromptInput, PromptTarget } from "./format.js";

// Code has a token for about every three bytes, whichever tokens a model has; too few are worse than too many.
const BYTES_OF_TOKEN = 3;

/** How many tokens a text has, about. */
export function estimateTokens(text: string): number {
	return Math.ceil(Buffer.byteLength(text) / BYTES_OF_TOKEN);
}

/** Tokens for what a model is told, and for what it may say. */
interface TokenShares {
	readonly prompt: number;
	readonly answer: number;
}

/** As many tokens as a format gives to both, or fewer where a model cannot look at so many. */
export function sharesOf(most: TokenShares, { windowTokens }: PromptTarget): TokenShares {
	if (windowTokens === undefined) return most;
	const answer = Math.min(most.answer, Math.floor(windowTokens / 4));
	return { prompt: Math.min(most.prompt, windowTokens - answer), answer };
}

/** The first of some items that fit into so many tokens together. One that does not fit is passed over. */
export function fitting<T>(items: readonly T[], tokens: number, textOf: (item: T) => string): T[] {
	let left = tokens;
	return items.filter((item) => {
		const cost = estimateTokens(textOf(item));
		if (cost > left) return false;
		left -= cost;
		return true;
	});
}

/** What can be shown beside the document, the most useful first: nothing of it twice, and nothing that is shown of the document. */
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

/** In an order that stays when what is useful changes, so that a server can go on with what it remembers of a prompt. */
export function inFileOrder(snippets: readonly CodeSnippet[]): CodeSnippet[] {
	return snippets.toSorted((a, b) => (a.path === b.path ? a.first - b.first : a.path < b.path ? -1 : 1));
}
