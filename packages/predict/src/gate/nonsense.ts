import type { Change, Document, Text } from "@segue/text";
import { languageById } from "../languages/languages.js";
import { tokensIn } from "../languages/parts.js";
import type { SyntaxToken } from "../languages/syntax.js";
import type { LineRewrite } from "./line-rewrite.js";

const SENTENCE_WORDS = 4;

/** Whether a change adds a sentence or a doubled operator to code. Checks tokens, without a parser. */
export function writesNonsense(change: Change, document: Document): boolean {
	if (!languageById(document.languageId).hasNoSentences) return false;
	const { text } = document;
	const from = text.lineStart(text.lineAt(change.edits[0]?.from ?? 0));
	const to = text.lineEnd(text.lineAt(change.edits.at(-1)?.to ?? 0));
	const now = { ...document, text: change.apply(text) };
	return countNonsense(now, from, change.map(to, "after")) > countNonsense(document, from, to);
}

function countNonsense(document: Document, from: number, to: number): number {
	const hasOperators = languageById(document.languageId).hasNoPointers;
	let count = 0;
	let words = 0;
	let before = "";
	let isApart = false;
	for (const token of tokensIn(document, from, to)) {
		const source = document.text.slice(token.from, token.to);
		if (token.kind === "space") {
			if (/[\r\n]/.test(source)) words = 0;
			isApart = true;
			continue;
		}
		words = isWord(token, source) ? words + 1 : 0;
		if (words === SENTENCE_WORDS && !isInDirective(token, document)) count++;
		const sign = token.kind === "punctuation" ? source : "";
		if (hasOperators && isApart && /^[*/%]/.test(sign) && AWAITS_OPERAND.test(before)) count++;
		// `++` and `--` are two tokens.
		before = isApart || sign === "" ? sign : before + sign;
		isApart = false;
	}
	return count;
}

/** Operators that need an operand after them. Not `++` and `--`, which can come after their operand. */
const AWAITS_OPERAND = /(?:^|[^-+])[-+]$|[*/%]$/;

function isInDirective({ from }: SyntaxToken, { languageId, text }: Document): boolean {
	return languageById(languageId).hasDirectives === true && text.line(text.lineAt(from)).trimStart().startsWith("#");
}

/** Whether a name looks like a word of a sentence: letters only, lowercase after the first. */
function isWord({ kind }: SyntaxToken, source: string): boolean {
	return kind === "identifier" && /^\p{L}\p{Ll}*$/u.test(source);
}

interface Lines {
	readonly oldLines: string;
	readonly newLines: string;
}

const NUMBERED = /^\s*(\d+)(?:[:|.)]|→|\t)[ \t]?(.*)$/;

/** Whether all new lines start with consecutive numbers, and the rest of one of them equals an old line. */
export function numbersLines({ oldLines, newLines }: Lines): boolean {
	const old = linesOf(oldLines).map((line) => line.trim());
	const numbered = linesOf(newLines).map((line, i) => {
		const [, number = "", rest = ""] = NUMBERED.exec(line) ?? [];
		return { isEmpty: line.trim() === "", first: Number.parseInt(number, 10) - i, rest: rest.trim() };
	});
	const inked = numbered.filter(({ isEmpty }) => !isEmpty);
	const isInOrder = inked.every(({ first }) => first === inked[0]?.first);
	return isInOrder && inked.some(({ rest }) => rest !== "" && old.includes(rest));
}

function linesOf(text: string): string[] {
	return text.split(/\r\n|\r|\n/);
}

/**
 * Whether a rewrite adds a placeholder for omitted code, such as `// ... existing code ...`. Dots together with words
 * like "existing" always count. Dots alone can also stand for a body to be filled in, so they count only if they
 * replace something. Words alone can be an ordinary comment, so they count only if lines of code are deleted.
 * Placeholders in the old lines don't count.
 */
export function leavesOut({ change, oldLines, newLines }: LineRewrite, text: Text, isShorter: boolean): boolean {
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

// An empty body, or a Python stub body that `...` can replace.
const NO_BODY = /^(?:pass|raise NotImplementedError(?:\(.*\))?)?$/;

const DOTS = /\.{3}|…/;
const LEFT_OUT = /\b(?:existing|remaining|rest of|unchanged|omitted|same as (?:before|above))\b/i;
// Without dots, only these words mark omitted code.
const UNCHANGED = /\b(?:unchanged|omitted|existing code|(?:remains?|stays?) the same)\b/i;
// A longer comment is an explanation.
const WORDS_MAX = 8;

const DOTS_ALONE = /^(?:\.{3}|…)$/;
const DOTS_FIRST = /^[\s([*]*(?:\.{3}|…)/;
// After code, only markers that cannot be operators start a comment. Other comment markers count only at the start of
// a line.
const COMMENT = /(?:^|[\s{};(])(?:\/\/+|\/\*+|<!--|#+)(.*)|^\s*(?:--+|;+|%+|\(\*)(.*)/;

/** Counts the lines that contain code. */
function countCode(lines: string): number {
	return lines.split(/\r\n|\r|\n/).filter((line) => line.replace(COMMENT, "").trim() !== "").length;
}

/** Returns the placeholder comments in these lines, and the lines that consist only of dots. */
function placeholdersIn(lines: string): readonly string[] {
	return lines.split(/\r\n|\r|\n/).flatMap((line) => {
		const ink = line.trim();
		if (DOTS_ALONE.test(ink)) return [ink];
		const [, behind, atStart] = COMMENT.exec(line) ?? [];
		const comment = (behind ?? atStart ?? "").trim();
		return DOTS_FIRST.test(comment) || marksOmission(comment) ? [comment] : [];
	});
}

function marksOmission(comment: string): boolean {
	if (comment.split(/\s+/).length > WORDS_MAX) return false;
	return UNCHANGED.test(comment) || (LEFT_OUT.test(comment) && DOTS.test(comment));
}
