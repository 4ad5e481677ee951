import type { Document, Edit } from "@segue/text";
import { indentOf, LINE_MAX } from "../languages/identifiers.js";
import { partAt } from "../languages/parts.js";

// The header of a function is looked for within this many lines.
const FUNCTION_LINES_MAX = 100;

/** Makes the function around an offset async. Undefined if it already is, or if its header is not found. */
export function makeAsync(document: Document, offset: number): Edit | undefined {
	const header = headerAround(document, offset);
	if (header === undefined || header.isAsync) return undefined;
	return { from: header.at, to: header.at, insert: "async " };
}

/** Adds `await` to the expression in a range, if the function around it is async. */
export function addAwait(document: Document, from: number, to: number): Edit | undefined {
	const { text, languageId } = document;
	const before = text.slice(Math.max(from - 10, 0), from);
	const after = text.slice(to, Math.min(to + 10, text.length));
	if (/\bawait\s+$/.test(before) || /^\s*\.await\b/.test(after)) return undefined;
	const header = headerAround(document, from);
	// JavaScript allows `await` at the top level.
	const mayAwait = header === undefined ? languageId !== "python" && languageId !== "rust" : header.isAsync;
	if (!mayAwait) return undefined;
	if (languageId !== "rust") return { from, to: from, insert: "await " };
	const end = text.slice(Math.max(to - 1, 0), to) === ";" ? to - 1 : to;
	return { from: end, to: end, insert: ".await" };
}

/** The header of a function. */
interface Header {
	/** The position at which to insert `async`. */
	readonly at: number;
	readonly isAsync: boolean;
}

/** Finds the header of the function around an offset: on the same line, or on the first line above with less indent. */
function headerAround(document: Document, offset: number): Header | undefined {
	const { text } = document;
	const { line: own, start } = text.locate(offset);
	if (text.lineEnd(own) - start > LINE_MAX) return undefined;
	const content = text.line(own);
	const short = headerIn(document, start, content.slice(0, offset - start), true);
	if (short !== undefined) return short;
	let depth = indentOf(content).length;
	for (let line = own - 1; line >= 0 && line >= own - FUNCTION_LINES_MAX && depth > 0; line--) {
		const above = text.line(line);
		const indent = indentOf(above).length;
		if (above.trim() === "" || above.length > LINE_MAX || indent >= depth) continue;
		depth = indent;
		const header = headerIn(document, text.lineStart(line), above, false);
		if (header !== undefined) return header;
	}
	return undefined;
}

const CONTROL = /^\s*(?:\}\s*)?(?:catch|do|else|for|if|switch|try|while|with)\b/;
const METHOD =
	/^\s*(?:(?:override|private|protected|public|static)\s+)*(async\s+)?(?!constructor\b|function\b|get\s|set\s)([\w$#]+)\s*(?:<[^()]*>)?\([^;]*\)\s*(?::[^=;]*)?\{\s*$/;

/** The function header on a line. `isOpen` means that the line is cut off inside the function. */
function headerIn(document: Document, start: number, line: string, isOpen: boolean): Header | undefined {
	const at = (index: number, isAsync: boolean): Header | undefined => {
		return partAt(document, start + index) === "code" ? { at: start + index, isAsync } : undefined;
	};
	const plain = /\b(async\s+)?((?:unsafe\s+)?\b(?:def|fn|function)\b)/.exec(line);
	if (plain !== null) return at(plain.index + (plain[1]?.length ?? 0), plain[1] !== undefined);
	if (document.languageId === "rust" && /\basync\s+(?:move\s+)?\{/.test(line)) return at(line.indexOf("async"), true);
	if (document.languageId === "python" || document.languageId === "rust" || CONTROL.test(line)) return undefined;
	const arrow = line.lastIndexOf("=>");
	const isArrow = arrow !== -1 && (isOpen ? !/=>\s*\{.*\}/.test(line.slice(arrow)) : /=>\s*[({[]?\s*$/.test(line));
	if (isArrow) return headerOfArrow(line, arrow, at);
	const method = isOpen ? null : METHOD.exec(line);
	if (method?.[2] === undefined) return undefined;
	return at(line.indexOf(method[2], indentOf(line).length), method[1] !== undefined);
}

/** Returns the arrow function whose arrow is at an index. Its parameters are one name, or a list in parentheses. */
function headerOfArrow(
	line: string,
	arrow: number,
	at: (index: number, isAsync: boolean) => Header | undefined,
): Header | undefined {
	const typed = line.slice(0, arrow).trimEnd();
	// Skip the return type after the parameters.
	const before = typed.replace(/\)\s*:[^()=]*$/, ")");
	const name = /[\w$]+$/.exec(before);
	let from = name?.index;
	if (before.endsWith(")")) {
		let depth = 0;
		for (let i = before.length - 1; i >= 0; i--) {
			if (before[i] === ")") depth++;
			else if (before[i] === "(" && --depth === 0) {
				from = i;
				break;
			}
		}
	}
	return from === undefined ? undefined : at(from, /\basync\s*$/.test(before.slice(0, from)));
}
