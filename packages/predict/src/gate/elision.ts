import type { Text } from "@segue/text";
import type { Writing } from "./writing.js";

// What a model writes in the place of code that it does not want to write again: `// ... existing code ...`.

/**
 * Whether a placeholder comes for code that is left out. One of dots and words is never wanted; one of dots alone may be
 * meant where nothing goes for it, as a body that is still to be written; and words alone may tell something of the code that
 * they stand by, unless lines of it go. What the lines held before is the user's own.
 */
export function leavesOut({ change, oldLines, newLines }: Writing, text: Text, isShorter: boolean): boolean {
	const own = [...placeholdersIn(oldLines)];
	const brought = placeholdersIn(newLines).filter((one) => {
		const at = own.indexOf(one);
		return at < 0 || own.splice(at, 1).length === 0;
	});
	const takesAway = change.edits.some(({ from, to }) => !NO_BODY.test(text.slice(from, to).trim()));
	const losesLines = isShorter || countCode(newLines) < countCode(oldLines);
	return brought.some((one) => {
		if (DOTS.test(one) && LEFT_OUT.test(one)) return true;
		return takesAway && (losesLines || DOTS_FIRST.test(one));
	});
}

// Nothing, or what Python has in the place of a body that is still to be written, as dots are.
const NO_BODY = /^(?:pass|raise NotImplementedError(?:\(.*\))?)?$/;

const DOTS = /\.{3}|…/;
const LEFT_OUT = /\b(?:existing|remaining|rest of|unchanged|omitted|same as (?:before|above))\b/i;
// Without dots, only these say that what is not there is meant to be.
const UNCHANGED = /\b(?:unchanged|omitted|existing code|(?:remains?|stays?) the same)\b/i;
// A comment of more words than this tells something.
const WORDS_MAX = 8;

const DOTS_ALONE = /^(?:\.{3}|…)$/;
const DOTS_FIRST = /^[\s([*]*(?:\.{3}|…)/;
// Behind code, a comment begins with a sign that can be no operator there; the others are at the start of a line.
const COMMENT = /(?:^|[\s{};(])(?:\/\/+|\/\*+|<!--|#+)(.*)|^\s*(?:--+|;+|%+|\(\*)(.*)/;

/** How many lines hold more than a comment. */
function countCode(lines: string): number {
	return lines.split(/\r\n|\r|\n/).filter((line) => line.replace(COMMENT, "").trim() !== "").length;
}

/** The comments of some lines that stand for code, and the lines of dots alone. */
function placeholdersIn(lines: string): readonly string[] {
	return lines.split(/\r\n|\r|\n/).flatMap((line) => {
		const ink = line.trim();
		if (DOTS_ALONE.test(ink)) return [ink];
		const [, behind, atStart] = COMMENT.exec(line) ?? [];
		const comment = (behind ?? atStart ?? "").trim();
		return DOTS_FIRST.test(comment) || saysLeftOut(comment) ? [comment] : [];
	});
}

function saysLeftOut(comment: string): boolean {
	if (comment.split(/\s+/).length > WORDS_MAX) return false;
	return UNCHANGED.test(comment) || (LEFT_OUT.test(comment) && DOTS.test(comment));
}
