import type { Snippet } from "../brief.js";
import type { Format } from "../format.js";
import { Insertion } from "../insertion.js";
import { inFileOrder, snippetsBeside } from "../snippets.js";
import { estimateTokens, fitting } from "../tokens.js";

/** How a family of models was trained to fill in the middle. */
interface Family {
	prompt(parts: Parts): string;
	/** What its prompts are written with. */
	readonly tokens: readonly string[];
	/** What ends an answer. Servers stop at the end of a text by themselves, if they were told its token. */
	readonly ends: readonly string[];
}

interface Parts {
	readonly repository: string;
	readonly path: string;
	/** Parts of other files. A family that was trained on single files leaves them out. */
	readonly files: readonly Snippet[];
	readonly prefix: string;
	readonly suffix: string;
}

const FAMILIES = {
	"fim-qwen": {
		prompt: (parts) => {
			const files = joined(parts, ({ path, text }) => `<|file_sep|>${path}\n${text}\n`);
			const head = files === "" ? "" : `<|repo_name|>${parts.repository}\n${files}<|file_sep|>${parts.path}\n`;
			return `${head}${withBars(parts)}`;
		},
		tokens: ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|repo_name|>"],
		ends: ["<|endoftext|>", "<|fim_pad|>", "<|file_sep|>", "<|im_end|>"],
	},
	"fim-seed": {
		prompt: ({ prefix, suffix }) => `<[fim-suffix]>${suffix}<[fim-prefix]>${prefix}<[fim-middle]>`,
		tokens: ["<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"],
		ends: ["<[end▁of▁sentence]>"],
	},
	"fim-starcoder": {
		prompt: (parts) => {
			const files = joined(parts, ({ path, text }) => `<file_sep>${path}\n${text}`);
			if (files === "") return withoutBars(parts);
			// In its training, the path of a file that was parted stood behind the token for its beginning.
			const prefix = `${parts.path}\n${parts.prefix}`;
			return `<repo_name>${parts.repository}${files}<file_sep>${withoutBars({ ...parts, prefix })}`;
		},
		tokens: ["<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<repo_name>"],
		ends: ["<|endoftext|>", "<file_sep>"],
	},
	"fim-deepseek": {
		prompt: (parts) => {
			const files = joined(parts, ({ path, text }) => `#${path}\n${text}\n\n`);
			const prefix = files === "" ? parts.prefix : `${files}#${parts.path}\n${parts.prefix}`;
			return `<｜fim▁begin｜>${prefix}<｜fim▁hole｜>${parts.suffix}<｜fim▁end｜>`;
		},
		tokens: ["<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"],
		ends: ["<｜end▁of▁sentence｜>"],
	},
	"fim-codellama": {
		prompt: ({ prefix, suffix }) => `<PRE> ${prefix} <SUF>${suffix} <MID>`,
		tokens: ["<PRE>", "<SUF>", "<MID>"],
		ends: ["<EOT>"],
	},
	"fim-codestral": {
		prompt: (parts) => {
			const files = joined(parts, ({ path, text }) => `+++++ ${path}\n${text}\n\n`);
			const prefix = files === "" ? parts.prefix : `${files}+++++ ${parts.path}\n${parts.prefix}`;
			return `[SUFFIX]${parts.suffix}[PREFIX]${prefix}`;
		},
		tokens: ["[SUFFIX]", "[PREFIX]"],
		ends: ["</s>"],
	},
	"fim-granite": {
		prompt: withoutBars,
		tokens: ["<fim_prefix>", "<fim_suffix>", "<fim_middle>"],
		ends: ["<|endoftext|>", "<|end_of_text|>", "<fim_pad>"],
	},
	// The fourth generation of Granite has another vocabulary.
	"fim-granite-4": {
		prompt: withBars,
		tokens: ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"],
		ends: ["<|end_of_text|>", "<|fim_pad|>"],
	},
	"fim-mellum": {
		prompt: (parts) => {
			const files = joined(parts, ({ path, text }) => `<filename>${path}\n${text}\n\n`);
			const { path, prefix, suffix } = parts;
			return `${files}<filename>${path}\n<fim_suffix>${suffix}<fim_prefix>${prefix}<fim_middle>`;
		},
		tokens: ["<fim_prefix>", "<fim_suffix>", "<fim_middle>"],
		ends: ["<|endoftext|>", "<filename>"],
	},
	"fim-codegemma": {
		prompt: withBars,
		tokens: ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"],
		ends: ["<|file_separator|>", "<end_of_turn>", "<eos>"],
	},
	"fim-glm": {
		prompt: ({ prefix, suffix }) => `<|code_prefix|>${prefix}<|code_suffix|>${suffix}<|code_middle|>`,
		tokens: ["<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"],
		ends: ["<|endoftext|>", "<|user|>"],
	},
} as const satisfies Readonly<Record<string, Family>>;

/** Models that were trained to fill in the middle, with the tokens of each family. */
export const fimFormats: readonly Format[] = Object.entries(FAMILIES).map(([name, family]) => formatOf(name, family));

// What a small model on a machine of one's own reads in a blink, and what most of them were trained to look at.
const PROMPT_TOKENS = 4096;
// The tokens of the prompt itself, and paths.
const FRAME_TOKENS = 64;
// Of what can be looked at, the document has the larger part, and other files have what it leaves.
const DOCUMENT_SHARE = 0.6;

function formatOf(name: string, { prompt, tokens, ends }: Family): Format {
	return {
		name,
		specialTokens: [...tokens, ...ends],
		write: (brief, { windowTokens = PROMPT_TOKENS }) => {
			const all = Math.min(windowTokens, PROMPT_TOKENS) - FRAME_TOKENS - Insertion.tokensMax;
			const insertion = Insertion.of(brief, all * DOCUMENT_SHARE);
			if (insertion === undefined) return undefined;
			const { prefix, suffix, stop, tokensMax } = insertion;
			const left = all - estimateTokens(prefix) - estimateTokens(suffix);
			const files = fitting(snippetsBeside(brief, insertion.shown), left, costOf);
			const parts = { repository: brief.repository ?? "", path: brief.path, files: inFileOrder(files), prefix, suffix };
			return insertion.question(
				{ kind: "completion", prompt: prompt(parts), stop: [...stop, ...ends], tokensMax, temperature: 0 },
				ends,
			);
		},
	};
}

/** With what a family writes around it. */
function costOf({ path, text }: Snippet): string {
	return `<|file_sep|>${path}\n${text}\n\n`;
}

function joined({ files }: Parts, write: (file: Snippet) => string): string {
	return files.map(write).join("");
}

function withBars({ prefix, suffix }: Parts): string {
	return `<|fim_prefix|>${prefix}<|fim_suffix|>${suffix}<|fim_middle|>`;
}

function withoutBars({ prefix, suffix }: Parts): string {
	return `<fim_prefix>${prefix}<fim_suffix>${suffix}<fim_middle>`;
}
