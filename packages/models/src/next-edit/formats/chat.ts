import type { Format, PromptInput } from "../format.js";
import { unifiedOf } from "../past-edits.js";
import { type PromptRegion, promptRegionOf } from "../region.js";
import { readReply } from "../reply.js";
import { fitting } from "../token-budget.js";

// Enough lines below the cursor for follow-up edits, but few enough to be rewritten quickly.
const LINES = { above: 8, below: 15 };
// About 40,000 characters, most of them for the file. More would delay the reply without improving it.
const PROMPT_TOKENS = 16_384;
// The size of the instructions with examples, the tags and the paths.
const FRAME_TOKENS = 1200;
// A few nearby diagnostics help. More of them usually have the same cause.
const DIAGNOSTICS_TOKENS = 200;

const OPENING = "<editable_region>";
const CLOSING = "</editable_region>";
const CURSOR = "<cursor_position/>";
const NOTHING = "<no_change/>";

const SYSTEM = `You predict a developer's next edit while they write code.

You are given parts of other files, the developer's recent changes as unified diffs with the newest last, and the current file. \
Rewrite the lines between ${OPENING} and ${CLOSING}. The cursor is at ${CURSOR}.

Predict what the developer is about to do: continue what they are writing, repeat a change in other places, or fix code that a \
change has broken. Then reply with the whole editable region as it will be after that edit:

${OPENING}
the lines, including the changes
${CLOSING}

- Keep every line that is not part of the edit exactly as it is, including its indentation.
- Do not write lines from outside the region, the cursor mark, or explanations.
- Do not undo the developer's last change, and do not make unrelated changes.
- If no edit is likely, reply with only ${NOTHING}.

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

Example: the developer has started to write a function.

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

Example: a sentence was finished, and no edit follows.

<file path="README.md">
${OPENING}
This library counts words.${CURSOR}
${CLOSING}
</file>

${NOTHING}`;

/** The format for any chat model, with our own layout. */
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
			read: (output) => readReply(output, { window, shown, ...tags, nothing: [NOTHING], isBare: false }),
		};
	},
};

/** The most stable parts come first, so that a server can reuse its cached prefix. */
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
