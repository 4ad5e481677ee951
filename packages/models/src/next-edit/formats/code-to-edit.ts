import type { CodeSnippet, PastEdit } from "../format.js";
import { bareUnifiedOf } from "../past-edits.js";

// Layout shared by the prompts for Copilot's and Inception's models.

export const CURSOR_TAG = "<|cursor|>";
export const OPENING = "<|code_to_edit|>";
export const CLOSING = "<|/code_to_edit|>";

export const TAGS: readonly string[] = [
	...["<|recently_viewed_code_snippets|>", "<|/recently_viewed_code_snippets|>"],
	...["<|recently_viewed_code_snippet|>", "<|/recently_viewed_code_snippet|>"],
	...["<|current_file_content|>", "<|/current_file_content|>"],
	...["<|edit_diff_history|>", "<|/edit_diff_history|>"],
	...[OPENING, CLOSING, CURSOR_TAG],
];

/**
 * Prints recently viewed code. Snippets are separated by an empty line. Without snippets, the section contains one
 * empty line.
 */
export function viewedSection(snippets: readonly CodeSnippet[]): string {
	const viewed = snippets.map(({ path, text }) => {
		return `<|recently_viewed_code_snippet|>\ncode_snippet_file_path: ${path}\n${text}\n<|/recently_viewed_code_snippet|>`;
	});
	return `<|recently_viewed_code_snippets|>\n${viewed.join("\n\n")}\n<|/recently_viewed_code_snippets|>`;
}

/**
 * Prints the user's edits, oldest first. Each edit is followed by an empty line. Without edits, the section contains
 * one empty line.
 */
export function historySection(edits: readonly PastEdit[]): string {
	const diffs = edits.map((edit) => `--- ${edit.path}\n+++ ${edit.path}\n${bareUnifiedOf(edit)}`);
	return `<|edit_diff_history|>\n${diffs.join("\n")}\n<|/edit_diff_history|>`;
}
