import type { CodeSnippet, PromptInput } from "./prompt-input.js";
import type { Window } from "./window.js";

/** What can be shown beside the document, the most useful first: nothing of it twice, and nothing that is shown of the document. */
export function snippetsBeside({ path, related, recent }: PromptInput, shown: Window): CodeSnippet[] {
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
