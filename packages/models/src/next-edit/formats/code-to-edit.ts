import type { PastEdit, Snippet } from "../brief.js";

// The layout that Copilot's and Inception's models have in common.

export const CURSOR = "<|cursor|>";
export const OPENING = "<|code_to_edit|>";
export const CLOSING = "<|/code_to_edit|>";

/** The tags of the layout. */
export const TAGS: readonly string[] = [
	...["<|recently_viewed_code_snippets|>", "<|/recently_viewed_code_snippets|>"],
	...["<|recently_viewed_code_snippet|>", "<|/recently_viewed_code_snippet|>"],
	...["<|current_file_content|>", "<|/current_file_content|>"],
	...["<|edit_diff_history|>", "<|/edit_diff_history|>"],
	...[OPENING, CLOSING, CURSOR],
];

/** The part of the layout with what the user has looked at, line by line. */
export function viewedLines(snippets: readonly Snippet[]): string[] {
	return [
		"<|recently_viewed_code_snippets|>",
		...snippets.flatMap(({ path, text }) => [
			"<|recently_viewed_code_snippet|>",
			`code_snippet_file_path: ${path}`,
			text,
			"<|/recently_viewed_code_snippet|>",
		]),
		"<|/recently_viewed_code_snippets|>",
		"",
	];
}

/** The part with what the user has changed, each edit as a diff in the words of the format. */
export function historyLines(edits: readonly PastEdit[], diffOf: (edit: PastEdit) => string): string[] {
	const diffs = edits.map((edit) => `--- ${edit.path}\n+++ ${edit.path}\n${diffOf(edit)}`);
	return ["<|edit_diff_history|>", `${diffs.join("\n")}<|/edit_diff_history|>`];
}
