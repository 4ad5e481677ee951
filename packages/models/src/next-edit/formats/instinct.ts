import type { Brief } from "../brief.js";
import type { Format } from "../format.js";
import { unifiedOf } from "../past-edits.js";
import { type Region, regionOf } from "../region.js";
import { readReply } from "../reply.js";

// As the model was trained.
const LINES = { above: 1, below: 5, around: 25 };
const PROMPT_TOKENS = 8192;
// The instructions, the headings and the paths.
const FRAME_TOKENS = 500;

const CURSOR = "<|user_cursor_is_here|>";
const OPENING = "<|editable_region_start|>";
const CLOSING = "<|editable_region_end|>";
const FILE = "<|context_file|>";
const SNIPPET = "<|snippet|>";

const SYSTEM = `You predict the next edit of a developer, in the part of their code between ${OPENING} and ${CLOSING}.

- "### Context" has parts of other files: ${FILE} and the path of each, then ${SNIPPET} and what it says. Not all of it matters.
- "### User Edits" has what the developer changed lately as unified diffs, the newest first.
- "### User Excerpt" has the path of the file and the lines around the cursor, which stands at ${CURSOR}.

Write the part between the two markers as it will be after the next edit, with the same indentation. Write nothing else: no \
markers, no explanation, and no code from outside of the markers. Do not take back what the developer has just done. Where \
nothing is to be changed, write the part as it is.`;

const TASK =
	"Look at the excerpt, the edits and the snippets to see what the developer is doing, and rewrite the editable region with " +
	"the change that comes next. It may be an insertion, a deletion or another change of the code.";

/** Continue's model for next edits. */
export const instinct: Format = {
	name: "instinct",
	specialTokens: [OPENING, CLOSING, CURSOR, FILE, SNIPPET],
	write: (brief, recipient) => {
		const region = regionOf(brief, recipient, { ...LINES, tokens: PROMPT_TOKENS, frameTokens: FRAME_TOKENS });
		if (region === undefined) return undefined;
		const { window, shown, tokensMax } = region;
		const tags = { opening: OPENING, closing: CLOSING, cursor: CURSOR };
		return {
			ask: { kind: "chat", system: SYSTEM, user: messageOf(brief, region), tokensMax, temperature: 0 },
			shown,
			window,
			read: (said) => readReply(said, { window, shown, ...tags, nothing: [], isBare: true }),
		};
	},
};

function messageOf({ path }: Brief, { window, shown, edits, snippets }: Region): string {
	const files = snippets.map((snippet) => `${FILE}: ${snippet.path}\n${SNIPPET}\n${snippet.text}`);
	const newestFirst = [...edits].reverse();
	return [
		TASK,
		"",
		"### Context:",
		files.join("\n\n"),
		"",
		"### User Edits:",
		"",
		newestFirst.map((edit) => `User edited file "${edit.path}"\n\n\`\`\`diff\n${unifiedOf(edit)}\`\`\``).join("\n\n"),
		"",
		"### User Excerpt:",
		path,
		"",
		`${window.before(shown)}${OPENING}`,
		window.withCursor(CURSOR),
		`${CLOSING}${window.after(shown)}`,
		"```",
		"### Response:",
	].join("\n");
}
