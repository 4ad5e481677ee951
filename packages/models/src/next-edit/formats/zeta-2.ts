import { outputBefore } from "../end-tokens.js";
import type { ModelOutput, ParsedOutput } from "../format.js";
import { putMark, takeMark, withEdits } from "../prompt-parts.js";
import { isEmptyOutput, readRewritten } from "../reply.js";
import type { Window } from "../window.js";
import { CURSOR, END_OF_SENTENCE, ended, type SeedRegion, seedFormat, seedPrompt } from "./seed-frame.js";

const CURRENT = "<<<<<<< CURRENT\n";
const SEPARATOR = "=======\n";
const END = ">>>>>>> UPDATED";

// The first and last lines of a conflict, which may be followed by the names of its sides. The separator is not
// included, because such a line can also underline a heading. The last separator is ours, and the model continues after
// it.
const CONFLICT = ["<<<<<<<", ">>>>>>>"];

/**
 * The format for Zed's second model. The region is one side of a merge conflict, and the model writes the other side.
 */
export const zeta2 = seedFormat({
	name: "zeta-2",
	specialTokens: CONFLICT,
	stop: [END],
	regionOf: (window) => readRegion(ended(window.withCursor(CURSOR))),
	encode,
	read,
});

/** The region excludes the line break before the separator, because the text after the region starts with it. */
export const zeta2Prompt = seedPrompt({
	name: "zeta-2",
	marks: CONFLICT,
	encode,
	decode(text) {
		const start = text.startsWith(CURRENT) ? 0 : text.indexOf(`\n${CURRENT}`) + 1;
		const from = start + CURRENT.length;
		if (!text.startsWith(CURRENT, start) || !text.endsWith(`\n${SEPARATOR}`) || from > text.length - SEPARATOR.length) {
			return undefined;
		}
		return { before: text.slice(0, start), ...readRegion(text.slice(from, -SEPARATOR.length)) };
	},
	answer: ({ region }, edits) => ({ text: `${withEdits(region, edits)}\n`, end: `${END}\n` }),
});

function encode({ region, cursor }: SeedRegion): string {
	return `${CURRENT}${putMark(region, CURSOR, cursor)}\n${SEPARATOR}`;
}

/** Reads a region with a cursor mark and a line break at the end. */
function readRegion(marked: string): SeedRegion {
	const { text, at } = takeMark(marked.slice(0, -1), CURSOR);
	return { region: text, cursor: at, marks: [] };
}

// The model's replies for an unchanged region. The second one is due to a mistake in training.
const NOTHING = /\b(NO_EDITS|KEEP_PREVIOUS)[^\S\n]*$/m;

function read(window: Window, reply: ModelOutput): ParsedOutput {
	const { text, end } = outputBefore(reply, [END, END_OF_SENTENCE]);
	const output: ModelOutput = { text: text.replaceAll(CURSOR, "").replace(/\r\n|\r/g, "\n"), end };
	const nothing = NOTHING.exec(end === undefined ? wholeLines(output.text) : output.text);
	if (nothing === null || window.content.includes(nothing[0].trim())) {
		return isEmptyOutput(output) ? { nothing: "no-edit" } : readRewritten(window, output);
	}
	const written = output.text.slice(0, nothing.index).trimEnd();
	if (written === "") return { nothing: "no-edit" };
	if (reachesEnd(written, window)) return readRewritten(window, { text: written, end: "stop" });
	// The remaining lines stay unchanged, but it is unknown where they start. Treat the output as truncated here.
	return { hunks: window.hunksOf({ text: written, end: "length" }), isEnough: true };
}

/** Whether the output reaches the last line of the region. */
function reachesEnd(written: string, { content }: Window): boolean {
	const [now, old] = [written.split("\n"), content.trimEnd().split("\n")];
	return now.length >= old.length && now.at(-1)?.trim() === old.at(-1)?.trim();
}

function wholeLines(text: string): string {
	return text.slice(0, text.lastIndexOf("\n") + 1);
}
