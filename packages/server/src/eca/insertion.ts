import type { Document } from "@segue/text";
import type { Question } from "./asking.js";
import { withoutFence } from "./fences.js";

// What a model reads of a document: about as much as it takes to know how it is written, and to answer while one waits.
const BEFORE_MAX = 12_000;
const AFTER_MAX = 4_000;
// More is not read before it is accepted.
const LINES_MAX = 20;
const CHARACTERS_MAX = 4_000;

const SYSTEM = `You complete text at a cursor in an editor.
You are shown a part of a file, in which the place of the cursor is marked.
Answer with exactly the text to insert at the mark, and with nothing else: no explanation, no code fence, none of the text that
stands before or behind the mark already. Keep to the file's style and indentation. Write what certainly comes next: the rest of
the line, or a few lines, and at most ${LINES_MAX}. If nothing should be inserted, answer with nothing.`;

/** Asks for what is to be inserted at a cursor. */
export function questionAt({ text, languageId }: Document, cursor: number): Question {
	const from = text.lineStart(text.lineAt(Math.max(cursor - BEFORE_MAX, 0)));
	const to = text.lineEnd(text.lineAt(Math.min(cursor + AFTER_MAX, text.length)));
	const before = text.slice(Math.max(from, cursor - 2 * BEFORE_MAX), cursor);
	const after = text.slice(cursor, Math.min(to, cursor + 2 * AFTER_MAX));
	const mark = markFor(before + after);
	return {
		system: SYSTEM,
		text: `The cursor is at ${mark} in this ${languageId} text:\n\n${before}${mark}${after}`,
		isEnough: (said) => said.length > CHARACTERS_MAX || said.split("\n", LINES_MAX + 3).length > LINES_MAX + 2,
	};
}

/** A word that does not stand there. */
function markFor(text: string): string {
	let mark = MARK;
	while (text.includes(mark)) mark = `<${mark}>`;
	return mark;
}

const MARK = "<CURSOR>";

/** What of an answer is to be inserted; undefined where that is nothing. Models repeat what they were told not to. */
export function insertionIn(answer: string, { text }: Document, cursor: number): string | undefined {
	const line = text.lineAt(cursor);
	const before = text.slice(text.lineStart(line), cursor).trimStart();
	const after = text.slice(cursor, text.lineEnd(line)).trimEnd();
	let said = withoutFence(answer)
		.replaceAll("\r\n", "\n")
		.replace(/<*<CURSOR>>*/g, "");
	if (before !== "" && said.trimStart().startsWith(before)) said = said.trimStart().slice(before.length);
	said = said.split("\n").slice(0, LINES_MAX).join("\n").trimEnd();
	if (after !== "" && said.endsWith(after)) said = said.slice(0, -after.length);
	if (said.trim() === "") return undefined;
	const isCrlf = text.lineCount > 1 && text.slice(text.lineEnd(0), text.lineStart(1)) === "\r\n";
	return isCrlf ? said.replaceAll("\n", "\r\n") : said;
}
