// Special tokens of model prompts: end marks, turns, fill-in-the-middle. Some servers don't strip them from answers.

/** Tokens that end an answer or a turn. */
const ENDS: readonly string[] = [
	...["<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>", "<EOT>"],
	...["<end_of_turn>", "<|END_OF_TURN_TOKEN|>", "<|fim_pad|>", "<fim_pad>"],
	...["<｜end▁of▁sentence｜>", "<[end▁of▁sentence]>"],
];

/** Tokens that begin a turn, a section of a prompt or a file. */
const OTHERS: readonly string[] = [
	...["<|im_start|>", "<|im_sep|>", "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<start_of_turn>"],
	...["<|START_OF_TURN_TOKEN|>", "<|system|>", "<|user|>", "<|assistant|>", "<｜User｜>", "<｜Assistant｜>"],
	...["<｜begin▁of▁sentence｜>", "<[begin▁of▁sentence]>"],
	...["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<fim_prefix>", "<fim_suffix>", "<fim_middle>"],
	...["<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>", "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"],
	...["<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>", "<|repo_name|>", "<|file_sep|>", "<|file_separator|>"],
];

/** End tokens that are ordinary text in some languages, for example an HTML tag or part of a link. */
const AMBIGUOUS_ENDS: readonly string[] = ["</s>", "[/INST]"];
/** A whole line of `=======` separates the sides of a merge conflict, but also underlines a heading. */
const AMBIGUOUS: readonly string[] = [...AMBIGUOUS_ENDS, "[INST]", "=======\n"];
const AMBIGUOUS_IN = new Set([
	...["html", "xml", "xsl", "svg", "vue", "svelte", "astro", "handlebars", "razor", "php", "erb"],
	...["javascriptreact", "typescriptreact", "markdown", "mdx", "restructuredtext", "plaintext"],
]);

/** The control tokens that are not ordinary text in a language. A token that ends in \n matches only a whole line. */
export function controlTokensIn(languageId: string): readonly string[] {
	return AMBIGUOUS_IN.has(languageId) ? PLAIN_TOKENS : ALL_TOKENS;
}

const PLAIN_TOKENS = [...ENDS, ...OTHERS];
const ALL_TOKENS = [...PLAIN_TOKENS, ...AMBIGUOUS];

/** The tokens that end an answer: those in `ends` at any position, those in `alone` only as the whole last line. */
export function endTokensIn(languageId: string): {
	readonly ends: readonly string[];
	readonly alone: readonly string[];
} {
	return AMBIGUOUS_IN.has(languageId) ? { ends: ENDS, alone: AMBIGUOUS_ENDS } : { ends: ALL_ENDS, alone: [] };
}

const ALL_ENDS = [...ENDS, ...AMBIGUOUS_ENDS];
