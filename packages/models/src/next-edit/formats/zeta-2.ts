import { outputBefore } from "../end-tokens.js";
import type { ModelOutput, ParsedOutput } from "../format.js";
import { putMark, takeMark, withEdits } from "../prompt-parts.js";
import { isEmptyOutput, readRewritten } from "../reply.js";
import type { Window } from "../window.js";
import { CURSOR, END_OF_SENTENCE, ended, type SeedRegion, seedFormat, seedPrompt } from "./seed-frame.js";

const CURRENT = "<<<<<<< CURRENT\n";
const SEPARATOR = "=======\n";
const END = ">>>>>>> UPDATED";

// The first and last lines of a conflict, whatever its sides are called. A line of equal signs alone may underline a heading;
// the model goes on after the last one, which is ours.
const CONFLICT = ["<<<<<<<", ">>>>>>>"];

/** Zed's second model: the region is one side of a merge conflict, and the model writes the other. */
export const zeta2 = seedFormat({
	name: "zeta-2",
	specialTokens: CONFLICT,
	stop: [END],
	regionOf: (window) => readRegion(ended(window.withCursor(CURSOR))),
	encode,
	read,
});

/** The region is taken without the line end before the separator, because the text after it begins with that line end. */
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

/** Reads a region that has the cursor's mark in it and a line end behind it. */
function readRegion(marked: string): SeedRegion {
	const { text, at } = takeMark(marked.slice(0, -1), CURSOR);
	return { region: text, cursor: at, marks: [] };
}

// What the model says for a region that stays, the second by a mistake of its training.
const NOTHING = /\b(NO_EDITS|KEEP_PREVIOUS)[^\S\n]*$/m;

function read(window: Window, answer: ModelOutput): ParsedOutput {
	const { text, end } = outputBefore(answer, [END, END_OF_SENTENCE]);
	const said: ModelOutput = { text: text.replaceAll(CURSOR, "").replace(/\r\n|\r/g, "\n"), end };
	const nothing = NOTHING.exec(end === undefined ? wholeLines(said.text) : said.text);
	if (nothing === null || window.content.includes(nothing[0].trim())) {
		return isEmptyOutput(said) ? { nothing: "no-edit" } : readRewritten(window, said);
	}
	const written = said.text.slice(0, nothing.index).trimEnd();
	if (written === "") return { nothing: "no-edit" };
	if (reachesEnd(written, window)) return readRewritten(window, { text: written, end: "stop" });
	// What is behind the word stays, and nobody knows from which line on: it is as if the model had been cut off there.
	return { hunks: window.hunksOf({ text: written, end: "length" }), isEnough: true };
}

/** Whether there is nothing left that could stay: all lines were written, down to the last. */
function reachesEnd(written: string, { content }: Window): boolean {
	const [now, old] = [written.split("\n"), content.trimEnd().split("\n")];
	return now.length >= old.length && now.at(-1)?.trim() === old.at(-1)?.trim();
}

function wholeLines(text: string): string {
	return text.slice(0, text.lastIndexOf("\n") + 1);
}
