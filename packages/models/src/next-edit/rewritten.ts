import type { Reading, Said } from "./format.js";
import type { Window } from "./window.js";

/** What was said before the first of some tokens that end an answer, for servers that leave them in. */
export function saidBefore({ text, end }: Said, tokens: readonly string[]): Said {
	const ends = tokens.map((token) => text.indexOf(token)).filter((at) => at >= 0);
	return ends.length === 0 ? { text, end } : { text: text.slice(0, Math.min(...ends)), end: "stop" };
}

/**
 * What comes of the lines that a model wrote in the place of a window's, where it was shown a line end behind the last of
 * them. Empty lines at the end of the window stay: models lose count of the line ends there. What has ended is enough,
 * whether the model says more behind it or not.
 */
export function readRewritten(window: Window, { text, end }: Said): Reading {
	if (end !== "stop") return { hunks: window.hunksOf({ text, end }) };
	if (text.trim() === "") return { nothing: "no-edit" };
	const written = text.replace(/\r\n|\r/g, "\n").replace(/\n$/, "");
	const missing = lineEndsOf(window.content) - lineEndsOf(written);
	const hunks = window.hunksOf({ text: written + "\n".repeat(Math.max(missing, 0)), end });
	return hunks.length === 0 ? { nothing: "no-edit" } : { hunks, isEnough: true };
}

/** How many line ends a text ends with. */
function lineEndsOf(text: string): number {
	return text.length - text.replace(/\n+$/, "").length;
}
