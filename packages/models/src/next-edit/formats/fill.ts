import type { Format } from "../format.js";
import { CursorInsertion } from "../insertion.js";
import { estimateTokens, fitting, inFileOrder, snippetsBeside } from "../token-budget.js";

// Providers' completion endpoints respond quickly to prompts of this size. Local servers configure a smaller window.
const PROMPT_TOKENS = 8192;
// The document gets the larger share of the prompt, and other files get the rest.
const DOCUMENT_SHARE = 0.6;

/** The format for any model whose server adds the fill-in-the-middle tokens. */
export const fill: Format = {
	name: "fill",
	specialTokens: [],
	write: (input, { windowTokens = PROMPT_TOKENS }) => {
		const all = Math.min(windowTokens, PROMPT_TOKENS) - CursorInsertion.tokensMax;
		const insertion = CursorInsertion.of(input, all * DOCUMENT_SHARE);
		if (insertion === undefined) return undefined;
		const { prefix, suffix, stop, tokensMax } = insertion;
		const left = all - estimateTokens(prefix) - estimateTokens(suffix);
		const files = fitting(snippetsBeside(input, insertion.shown), left, ({ path, text }) => `${path}\n${text}\n`);
		const extra = inFileOrder(files).map(({ path, text }) => ({ path, text }));
		return insertion.request({ kind: "fill", prefix, suffix, extra, stop, tokensMax, temperature: 0 }, []);
	},
};
