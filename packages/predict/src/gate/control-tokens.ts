// What models say to their servers, and no text means: where an answer ends, whose turn it is, what is to be filled in. Some
// servers leave it in what they pass on.

/** What ends an answer, or the turn of who speaks. */
const ENDS: readonly string[] = [
	...["<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>", "<EOT>"],
	...["<end_of_turn>", "<|END_OF_TURN_TOKEN|>", "<|fim_pad|>", "<fim_pad>"],
	...["<｜end▁of▁sentence｜>", "<[end▁of▁sentence]>"],
];

/** What else stands in prompts: turns, parts of a text, files. */
const OTHERS: readonly string[] = [
	...["<|im_start|>", "<|im_sep|>", "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<start_of_turn>"],
	...["<|START_OF_TURN_TOKEN|>", "<|system|>", "<|user|>", "<|assistant|>", "<｜User｜>", "<｜Assistant｜>"],
	...["<｜begin▁of▁sentence｜>", "<[begin▁of▁sentence]>"],
	...["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<fim_prefix>", "<fim_suffix>", "<fim_middle>"],
	...["<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>", "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"],
	...["<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>", "<|repo_name|>", "<|file_sep|>", "<|file_separator|>"],
];

/** Those that mean something else in some languages: a tag of HTML, a part of a link. */
const AMBIGUOUS_ENDS: readonly string[] = ["</s>", "[/INST]"];
/** The last is a whole line: it parts the sides of a merge conflict, and underlines a heading. */
const AMBIGUOUS: readonly string[] = [...AMBIGUOUS_ENDS, "[INST]", "=======\n"];
const AMBIGUOUS_IN = new Set([
	...["html", "xml", "xsl", "svg", "vue", "svelte", "astro", "handlebars", "razor", "php", "erb"],
	...["javascriptreact", "typescriptreact", "markdown", "mdx", "restructuredtext", "plaintext"],
]);

/** The control tokens of models, as far as they cannot be a language's own. One that ends in \n is a whole line. */
export function controlTokensIn(languageId: string): readonly string[] {
	return AMBIGUOUS_IN.has(languageId) ? PLAIN_TOKENS : ALL_TOKENS;
}

const PLAIN_TOKENS = [...ENDS, ...OTHERS];
const ALL_TOKENS = [...PLAIN_TOKENS, ...AMBIGUOUS];

/** Those that end an answer: some by themselves, and some only where they are alone on its last line. */
export function endTokensIn(languageId: string): {
	readonly ends: readonly string[];
	readonly alone: readonly string[];
} {
	return AMBIGUOUS_IN.has(languageId) ? { ends: ENDS, alone: AMBIGUOUS_ENDS } : { ends: ALL_ENDS, alone: [] };
}

const ALL_ENDS = [...ENDS, ...AMBIGUOUS_ENDS];
