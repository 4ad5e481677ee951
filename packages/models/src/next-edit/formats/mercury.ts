import type { Format, PromptInput } from "../format.js";
import { type PromptRegion, promptRegionOf } from "../region.js";
import { readReply } from "../reply.js";
import { CLOSING, CURSOR_TAG, historySection, OPENING, TAGS, viewedSection } from "./code-to-edit.js";

// Inception's recommendation.
const LINES = { above: 5, below: 10 };
// A quarter of the context window, because short prompts make replies fast.
const PROMPT_TOKENS = 8192;
// The size of the tags and paths.
const FRAME_TOKENS = 200;

/** The format for Inception's next-edit models, which have their own endpoint. */
export const mercury: Format = {
	name: "mercury",
	specialTokens: TAGS,
	write: (input, target) => {
		const region = promptRegionOf(input, target, { ...LINES, tokens: PROMPT_TOKENS, frameTokens: FRAME_TOKENS });
		if (region === undefined) return undefined;
		const { window, shown, tokensMax } = region;
		const tags = { opening: OPENING, closing: CLOSING, cursor: CURSOR_TAG };
		return {
			ask: { kind: "edit", user: messageOf(input, region), tokensMax },
			shown,
			window,
			read: (output) => readReply(output, { window, shown, ...tags, nothing: ["None"], isBare: false }),
		};
	},
};

function messageOf({ path }: PromptInput, { window, shown, edits, snippets }: PromptRegion): string {
	return [
		viewedSection(snippets),
		"",
		"<|current_file_content|>",
		`current_file_path: ${path}`,
		`${window.before(shown)}${OPENING}`,
		window.withCursor(CURSOR_TAG),
		`${CLOSING}${window.after(shown)}`,
		"<|/current_file_content|>",
		"",
		historySection(edits),
	].join("\n");
}
