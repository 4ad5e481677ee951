import type { Reading, Said } from "../format.js";
import { readRewritten, saidBefore } from "../rewritten.js";
import type { Window } from "../window.js";
import { CURSOR, END_OF_SENTENCE, ended, seedFormat } from "./seed-frame.js";

const CURRENT = "<<<<<<< CURRENT\n";
const SEPARATOR = "=======\n";
const UPDATED = ">>>>>>> UPDATED\n";
const END = UPDATED.trimEnd();

/** Zed's second model: the region is one side of a merge conflict, and the model writes the other. */
export const zeta2 = seedFormat({
	name: "zeta-2",
	specialTokens: [CURRENT, SEPARATOR, UPDATED],
	stop: [END],
	write: (window) => `${CURRENT}${ended(window.withCursor(CURSOR))}${SEPARATOR}`,
	read,
});

// What the model says for a region that stays, the second by a mistake of its training.
const NOTHING = ["NO_EDITS", "KEEP_PREVIOUS"];

function read(window: Window, said: Said): Reading {
	const { text, end } = saidBefore(said, [END, END_OF_SENTENCE]);
	const written = text.replaceAll(CURSOR, "");
	const first = /^\s*(\S.*)(\r\n|\r|\n)/.exec(end === undefined ? written : `${written}\n`)?.[1]?.trim() ?? "";
	if (NOTHING.includes(first) && window.lines[0]?.trim() !== first) return { nothing: "no-edit" };
	return readRewritten(window, { text: written, end });
}
