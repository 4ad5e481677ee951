import type { Format } from "../format.js";
import { CursorInsertion } from "../insertion.js";
import { estimateTokens, fitting, inFileOrder, snippetsBeside } from "../token-budget.js";

// What a provider's completion endpoint answers quickly; a local server has a smaller window, and says so.
const PROMPT_TOKENS = 8192;
// Of what can be looked at, the document has the larger part, and other files have what it leaves.
const DOCUMENT_SHARE = 0.6;

/** Any model whose server knows the tokens for filling in the middle. */
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
