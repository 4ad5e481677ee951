import type { Change, Document } from "@segue/text";
import { languageById } from "../languages/languages.js";
import { tokensIn } from "../languages/parts.js";
import type { SyntaxToken } from "../languages/syntax.js";

// What a model writes where code belongs, and no language says. It is told by tokens, without a parser.

/** Languages in which so many names never stand side by side. Others have commands, queries or macros made of words. */
const WORDLESS = new Set("c cpp go java javascript javascriptreact php python typescript typescriptreact".split(" "));
const SENTENCE_WORDS = 4;
/** Those of them that have such commands on lines of their own, behind a #. */
/** Those of them in which what multiplies or divides has its operands on both sides: elsewhere a star may be a pointer. */
const POINTERLESS = new Set("java javascript javascriptreact php python typescript typescriptreact".split(" "));

/** Whether a change writes a sentence into code, or two operators where one belongs. What was there before is let be. */
export function writesNonsense(change: Change, document: Document): boolean {
	if (!WORDLESS.has(document.languageId)) return false;
	const { text } = document;
	const from = text.lineStart(text.lineAt(change.edits[0]?.from ?? 0));
	const to = text.lineEnd(text.lineAt(change.edits.at(-1)?.to ?? 0));
	const now = { ...document, text: change.apply(text) };
	return countNonsense(now, from, change.map(to, "after")) > countNonsense(document, from, to);
}

function countNonsense(document: Document, from: number, to: number): number {
	const hasOperators = POINTERLESS.has(document.languageId);
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
		// What counts up or down is two tokens.
		before = isApart || sign === "" ? sign : before + sign;
		isApart = false;
	}
	return count;
}

/** Signs behind which an operand must follow. What counts up or down may stand behind its own. */
const AWAITS_OPERAND = /(?:^|[^-+])[-+]$|[*/%]$/;

function isInDirective({ from }: SyntaxToken, { languageId, text }: Document): boolean {
	return languageById(languageId).hasDirectives === true && text.line(text.lineAt(from)).trimStart().startsWith("#");
}

/** Whether a name is a word as sentences have them. */
function isWord({ kind }: SyntaxToken, source: string): boolean {
	return kind === "identifier" && /^\p{L}\p{Ll}*$/u.test(source);
}

/** The lines that some edits touch, before them and after them. */
interface Lines {
	readonly oldLines: string;
	readonly newLines: string;
}

const NUMBERED = /^\s*(\d+)(?:[:|.)]|→|\t)[ \t]?(.*)$/;

/** Whether all lines have numbers before them, one after the other, and one of them is but for that as it was. */
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
