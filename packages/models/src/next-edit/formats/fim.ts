import type { CodeSnippet, Format } from "../format.js";
import { CursorInsertion } from "../insertion.js";
import type { PromptFile, PromptFormat, PromptParts } from "../prompt-parts.js";
import { estimateTokens, fitting, inFileOrder, snippetsBeside } from "../token-budget.js";

/** Describes the fill-in-the-middle prompts for a family of models. */
interface Family {
	readonly frame: Frame;
	/** Layout for other files. Undefined for a family that was trained on single files. */
	readonly context?: Context;
	readonly tokens: readonly string[];
	/** Tokens that end a reply. Servers that know the end-of-text token stop at it on their own. */
	readonly ends: readonly string[];
}

/** The tokens around the prefix and the suffix, in prompt order. */
interface Frame {
	readonly first: "prefix" | "suffix";
	readonly open: string;
	readonly between: string;
	readonly close: string;
}

/** Text from other files: `head` goes before the frame, and `lead` inside the frame before the prefix. */
interface Shown {
	readonly head: string;
	readonly lead: string;
}

interface Context {
	/** `files` is never empty. */
	write(files: readonly PromptFile[], path: string, repository: string): Shown;
	/**
	 * `prefix` is the text from the prompt. Returns undefined if it contains no files. Absent for families whose file
	 * separators look like code.
	 */
	read?(head: string, prefix: string): (Files & { readonly lead: string }) | undefined;
}

interface Files {
	/** Path of the document. */
	readonly path: string;
	readonly files: readonly PromptFile[];
}

interface FimParts extends PromptParts, Shown {}

const BARS: Frame = { first: "prefix", open: "<|fim_prefix|>", between: "<|fim_suffix|>", close: "<|fim_middle|>" };
const NO_BARS: Frame = { first: "prefix", open: "<fim_prefix>", between: "<fim_suffix>", close: "<fim_middle>" };

const FAMILIES = {
	"fim-qwen": {
		frame: BARS,
		context: {
			write: (files, path, repository) => {
				const shown = joined(files, (file) => `<|file_sep|>${file.path}\n${file.text}\n`);
				return { head: `<|repo_name|>${repository}\n${shown}<|file_sep|>${path}\n`, lead: "" };
			},
			read: (head) => withLead("", readFiles(head, "<|file_sep|>", "\n")),
		},
		tokens: ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|repo_name|>"],
		ends: ["<|endoftext|>", "<|fim_pad|>", "<|file_sep|>", "<|im_end|>"],
	},
	"fim-seed": {
		frame: { first: "suffix", open: "<[fim-suffix]>", between: "<[fim-prefix]>", close: "<[fim-middle]>" },
		tokens: ["<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"],
		ends: ["<[end▁of▁sentence]>"],
	},
	"fim-starcoder": {
		frame: NO_BARS,
		context: {
			write: (files, path, repository) => {
				const shown = joined(files, (file) => `<file_sep>${file.path}\n${file.text}`);
				// In the training data, the prefix token is followed by the path of the file to complete.
				return { head: `<repo_name>${repository}${shown}<file_sep>`, lead: `${path}\n` };
			},
			read: (head, prefix) => {
				const lead = prefix.slice(0, prefix.indexOf("\n") + 1);
				if (!head.endsWith("<file_sep>") || lead === "") return undefined;
				return withLead(lead, readFiles(head + lead, "<file_sep>", ""));
			},
		},
		tokens: ["<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<repo_name>"],
		ends: ["<|endoftext|>", "<file_sep>"],
	},
	"fim-deepseek": {
		frame: { first: "prefix", open: "<｜fim▁begin｜>", between: "<｜fim▁hole｜>", close: "<｜fim▁end｜>" },
		context: {
			// A path after # could also be a comment, so files are not decoded but remain part of the prefix.
			write: (files, path) => {
				return { head: "", lead: `${joined(files, (file) => `#${file.path}\n${file.text}\n\n`)}#${path}\n` };
			},
		},
		tokens: ["<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"],
		ends: ["<｜end▁of▁sentence｜>"],
	},
	"fim-codellama": {
		frame: { first: "prefix", open: "<PRE> ", between: " <SUF>", close: " <MID>" },
		tokens: ["<PRE>", "<SUF>", "<MID>"],
		ends: ["<EOT>"],
	},
	"fim-codestral": {
		frame: { first: "suffix", open: "[SUFFIX]", between: "[PREFIX]", close: "" },
		context: {
			write: (files, path) => {
				const shown = joined(files, (file) => `+++++ ${file.path}\n${file.text}\n\n`);
				return { head: "", lead: `${shown}+++++ ${path}\n` };
			},
			read: (_head, prefix) => {
				const own = prefix.startsWith("+++++ ") ? prefix.lastIndexOf("\n+++++ ") + 1 : -1;
				const end = own < 0 ? -1 : prefix.indexOf("\n", own);
				const lead = prefix.slice(0, end + 1);
				return withLead(lead, readFiles(`\n${lead}`, "\n+++++ ", "\n"));
			},
		},
		tokens: ["[SUFFIX]", "[PREFIX]"],
		ends: ["</s>"],
	},
	"fim-granite": {
		frame: NO_BARS,
		tokens: ["<fim_prefix>", "<fim_suffix>", "<fim_middle>"],
		ends: ["<|endoftext|>", "<|end_of_text|>", "<fim_pad>"],
	},
	// Granite 4 has a different vocabulary.
	"fim-granite-4": {
		frame: BARS,
		tokens: ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"],
		ends: ["<|end_of_text|>", "<|fim_pad|>"],
	},
	"fim-mellum": {
		frame: { first: "suffix", open: "<fim_suffix>", between: "<fim_prefix>", close: "<fim_middle>" },
		context: {
			write: (files, path) => {
				const shown = joined(files, (file) => `<filename>${file.path}\n${file.text}\n\n`);
				return { head: `${shown}<filename>${path}\n`, lead: "" };
			},
			read: (head) => withLead("", readFiles(head, "<filename>", "\n\n")),
		},
		tokens: ["<fim_prefix>", "<fim_suffix>", "<fim_middle>"],
		ends: ["<|endoftext|>", "<filename>"],
	},
	"fim-codegemma": {
		frame: BARS,
		tokens: ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"],
		ends: ["<|file_separator|>", "<end_of_turn>", "<eos>"],
	},
	"fim-glm": {
		frame: { first: "prefix", open: "<|code_prefix|>", between: "<|code_suffix|>", close: "<|code_middle|>" },
		tokens: ["<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"],
		ends: ["<|endoftext|>", "<|user|>"],
	},
} as const satisfies Readonly<Record<string, Family>>;

/** Formats for models trained on fill-in-the-middle, one per token family. */
export const fimFormats: readonly Format[] = Object.entries(FAMILIES).map(([name, family]) => formatOf(name, family));

// Small local models read prompts of this size quickly, and most were trained on such prompts.
const PROMPT_TOKENS = 4096;
// The size of the special tokens and paths.
const FRAME_TOKENS = 64;
// The document gets the larger share of the prompt, and other files get the rest.
const DOCUMENT_SHARE = 0.6;

function formatOf(name: string, family: Family): Format {
	const { tokens, ends } = family;
	return {
		name,
		specialTokens: [...tokens, ...ends],
		write: (input, { windowTokens = PROMPT_TOKENS }) => {
			const all = Math.min(windowTokens, PROMPT_TOKENS) - FRAME_TOKENS - CursorInsertion.tokensMax;
			const insertion = CursorInsertion.of(input, all * DOCUMENT_SHARE);
			if (insertion === undefined) return undefined;
			const { prefix, suffix, stop, tokensMax } = insertion;
			const left = all - estimateTokens(prefix) - estimateTokens(suffix);
			const files = inFileOrder(fitting(snippetsBeside(input, insertion.shown), left, costOf));
			const shown = shownBy(family, files, input.path, input.repository);
			const prompt = encode(family.frame, { ...shown, before: prefix, after: suffix });
			return insertion.request(
				{ kind: "completion", prompt, stop: [...stop, ...ends], tokensMax, temperature: 0 },
				ends,
			);
		},
	};
}

function shownBy({ context }: Family, files: readonly CodeSnippet[], path: string, repository: string): Shown {
	// Mellum prompts always contain the path of the document.
	if (context === undefined || (files.length === 0 && context !== FAMILIES["fim-mellum"].context)) return NOTHING_SHOWN;
	return context.write(files, path, repository);
}

const NOTHING_SHOWN: Shown = { head: "", lead: "" };

/** Includes the longest separators used by any family. */
function costOf({ path, text }: CodeSnippet): string {
	return `<|file_sep|>${path}\n${text}\n\n`;
}

function joined(files: readonly PromptFile[], write: (file: PromptFile) => string): string {
	return files.map(write).join("");
}

function encode({ first, open, between, close }: Frame, parts: Pick<FimParts, "head" | "lead" | "before" | "after">) {
	const prefix = parts.lead + parts.before;
	const [one, other] = first === "prefix" ? [prefix, parts.after] : [parts.after, prefix];
	return `${parts.head}${open}${one}${between}${other}${close}`;
}

/**
 * Decoders for prompts with these tokens. The region is empty and at the cursor, so every reply is an insertion.
 * Families with the same tokens share a decoder.
 */
export const fimPrompts: readonly PromptFormat<FimParts>[] = (
	[
		"fim-qwen",
		"fim-seed",
		"fim-starcoder",
		"fim-mellum",
		"fim-deepseek",
		"fim-codellama",
		"fim-codestral",
		"fim-glm",
	] as const
).map((name) => promptOf(name, FAMILIES[name]));

function promptOf(name: string, { frame, context, tokens }: Family): PromptFormat<FimParts> {
	return {
		name,
		answers: "insertion",
		marks: tokens,
		decode(prompt) {
			const { first, open, between, close } = frame;
			const start = prompt.indexOf(open);
			const middle = start < 0 ? -1 : prompt.indexOf(between, start + open.length);
			if (middle < 0 || !prompt.endsWith(close) || middle + between.length > prompt.length - close.length)
				return undefined;
			const one = prompt.slice(start + open.length, middle);
			const other = prompt.slice(middle + between.length, prompt.length - close.length);
			const [prefix, after] = first === "prefix" ? [one, other] : [other, one];
			// Models that rewrite a region use Seed-Coder's tokens, too, but their prompts start with a file name.
			if (name === "fim-seed" && prefix.startsWith("<filename>")) return undefined;
			const head = prompt.slice(0, start);
			const { lead, path, files } = context?.read?.(head, prefix) ?? { lead: "", path: undefined, files: [] };
			return { head, lead, path, files, edits: [], before: prefix.slice(lead.length), region: "", cursor: 0, after };
		},
		encode: (parts) => encode(frame, parts),
		answer: (_parts, edits) => ({ text: edits.map(({ insert }) => insert).join(""), end: "" }),
	};
}

/** Reads files separated by a token. The last one is the document, for which only the path is given. */
function readFiles(head: string, token: string, end: string): Files | undefined {
	const [, ...sections] = head.split(token);
	const own = sections.pop();
	if (own === undefined) return undefined;
	const files = sections.map((section) => {
		const line = section.indexOf("\n");
		const text = line < 0 ? "" : section.slice(line + 1);
		const isEnded = end !== "" && text.endsWith(end);
		return { path: line < 0 ? section : section.slice(0, line), text: isEnded ? text.slice(0, -end.length) : text };
	});
	return { path: own.replace(/\n$/, ""), files };
}

function withLead(lead: string, files: Files | undefined) {
	return files && { ...files, lead };
}
