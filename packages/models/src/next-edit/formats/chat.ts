import type { Format, PromptInput } from "../format.js";
import { unifiedOf } from "../past-edits.js";
import { type PromptRegion, promptRegionOf } from "../region.js";
import { readReply } from "../reply.js";
import { fitting } from "../token-budget.js";

// Enough below for what follows from an edit, and little enough to be written again quickly.
const LINES = { above: 8, below: 15 };
// About 40,000 characters, of which the file has the larger part: more makes an answer later, not better.
const PROMPT_TOKENS = 16_384;
// The instructions with their examples, the tags and the paths.
const FRAME_TOKENS = 1200;
// Diagnostics help where they are near; more of them are mostly about one cause.
const DIAGNOSTICS_TOKENS = 200;

const OPENING = "<editable_region>";
const CLOSING = "</editable_region>";
const CURSOR = "<cursor_position/>";
const NOTHING = "<no_change/>";

const SYSTEM = `You predict the next edit of a developer while they write code.

You see parts of other files, what the developer changed lately as unified diffs with the newest last, and the file they are in. \
The lines between ${OPENING} and ${CLOSING} are for you to rewrite; the cursor stands at ${CURSOR}.

Think of what the developer is about to do: go on with what they are writing, repeat a change in other places, or adapt what a \
change has broken. Then answer with the whole editable region as it will be after that edit:

${OPENING}
the lines, with what is changed in them
${CLOSING}

- Keep every line that is not part of the edit to the letter, with its indentation.
- Write no line from outside of the region, no cursor mark, and no explanation.
- Do not take back what the developer has just done, and do not change what has nothing to do with it.
- Answer ${NOTHING} and nothing else if no edit is likely.

Example: "cnt" was renamed to "count" in one place.

<recent_edits>
--- a/sum.js
+++ b/sum.js
@@ -1 +1 @@
-let cnt = 0;
+let count = 0;
</recent_edits>
<file path="sum.js">
${OPENING}
let count${CURSOR} = 0;
for (const x of list) cnt += x;
console.log(cnt);
${CLOSING}
</file>

${OPENING}
let count = 0;
for (const x of list) count += x;
console.log(count);
${CLOSING}

Example: a function was begun.

<file path="shape.py">
${OPENING}
def area(width, height):
    ${CURSOR}


def circumference(width, height):
    return 2 * (width + height)
${CLOSING}
</file>

${OPENING}
def area(width, height):
    return width * height


def circumference(width, height):
    return 2 * (width + height)
${CLOSING}

Example: a sentence was finished, and nothing follows from it.

<file path="README.md">
${OPENING}
This library counts words.${CURSOR}
${CLOSING}
</file>

${NOTHING}`;

/** Any model that can chat, in a layout of our own. */
export const chat: Format = {
	name: "chat",
	specialTokens: [OPENING, CLOSING, CURSOR, NOTHING],
	write: (input, target) => {
		const frameTokens = FRAME_TOKENS + DIAGNOSTICS_TOKENS;
		const region = promptRegionOf(input, target, { ...LINES, tokens: PROMPT_TOKENS, frameTokens });
		if (region === undefined) return undefined;
		const { window, shown, tokensMax } = region;
		const tags = { opening: OPENING, closing: CLOSING, cursor: CURSOR };
		return {
			ask: { kind: "chat", system: SYSTEM, user: messageOf(input, region), tokensMax, temperature: 0 },
			shown,
			window,
			read: (said) => readReply(said, { window, shown, ...tags, nothing: [NOTHING], isBare: false }),
		};
	},
};

/** What stays the same for longest comes first, so that a server can keep what it made of it. */
function messageOf(input: PromptInput, { window, shown, edits, snippets }: PromptRegion): string {
	const history = edits.map((edit) => `--- a/${edit.path}\n+++ b/${edit.path}\n${unifiedOf(edit)}`);
	const problems = input.diagnostics.map(
		({ line, severity, message }) => `line ${line + 1}: ${severity}: ${message}\n`,
	);
	return [
		...snippets.map(({ path, first, text }) => `<related path="${path}" line="${first + 1}">\n${text}\n</related>\n`),
		tagged("recent_edits", history),
		tagged(
			"diagnostics",
			fitting(problems, DIAGNOSTICS_TOKENS, (problem) => problem),
		),
		`<file path="${input.path}" line="${shown.first + 1}">\n`,
		`${window.before(shown)}${OPENING}\n${window.withCursor(CURSOR)}\n${CLOSING}${window.after(shown)}\n`,
		"</file>",
	].join("");
}

function tagged(name: string, parts: readonly string[]): string {
	return parts.length === 0 ? "" : `<${name}>\n${parts.join("")}</${name}>\n`;
}
