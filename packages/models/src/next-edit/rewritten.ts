import type { Reading, Said } from "./format.js";
import type { Window } from "./window.js";

/** Whether a model that puts nothing around what it writes has written nothing: that is how it says that all may stay. */
export function isSilent({ text, end }: Said): boolean {
	return end === "stop" && text.trim() === "";
}

/**
 * What comes of the lines that a model wrote in the place of a window's, where it was shown a line end behind the last of
 * them. Empty lines at the end of the window stay: models lose count of the line ends there. What has ended is enough,
 * whether the model says more behind it or not. What the lines begin with may have been given to it.
 */
export function readRewritten(window: Window, { text, end }: Said, given = ""): Reading {
	if (end !== "stop") return { hunks: window.hunksOf({ text, end }, given) };
	const written = text.replace(/\r\n|\r/g, "\n").replace(/\n$/, "");
	const missing = lineEndsBehind(window, written) - lineEndsOf(written);
	const hunks = window.hunksOf({ text: written + "\n".repeat(Math.max(missing, 0)), end }, given);
	return hunks.length === 0 ? { nothing: "no-edit" } : { hunks, isEnough: true };
}

/**
 * How many line ends of a window stay behind what was written: all, unless something was written into the empty lines at its
 * end. There are more lines before them then, and the cursor is there or they come behind all the others.
 */
function lineEndsBehind({ content, cursorInContent }: Window, written: string): number {
	const [old, now] = [content.trimEnd(), written.trimEnd()];
	const own = lineEndsOf(content);
	const isLonger = now !== "" && (old === "" || now.split("\n").length > old.split("\n").length);
	const isAtCursor = cursorInContent > old.length || old === "";
	if (!isLonger || !(isAtCursor || now.startsWith(`${old}\n`))) return own;
	const behind = isAtCursor ? lineEndsOf(content.slice(cursorInContent)) : 0;
	return Math.min(own, Math.max(behind, 1));
}

/** How many line ends a text ends with, with blanks between them or without. */
function lineEndsOf(text: string): number {
	return text.slice(text.trimEnd().length).split("\n").length - 1;
}
