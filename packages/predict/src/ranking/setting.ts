import { type Document, sameUri, type Text } from "@segue/text";
import type { Features } from "../candidate.js";
import type { Example } from "../example.js";
import type { Touch } from "../history.js";
import { isName } from "../languages/identifiers.js";
import { type Line, lineOf, similarity, type Token } from "../line.js";
import type { Scene } from "../scene.js";
import { Search } from "../search/search.js";

// Features of an edit's setting: the call or object that it belongs to, equal lines in the file, and where the user has
// worked so far.

// Stands for a document without edits.
const FAR = 9999;
// Counting more equal lines adds no information.
const EQUAL_MAX = 50;

/** The name that qualifies a token, such as `a` in `a.b` and `a::b`, and the function in whose arguments it is. */
export interface Owner {
	readonly qualifier: string;
	readonly callee: string;
}

/** Returns the owner of a token of a line. */
export function ownerOf({ tokens }: Line, index: number): Owner {
	let qualifier = "";
	let before = index - 1;
	if (tokens[before]?.text === ".") before--;
	else if (tokens[before]?.text === ":" && tokens[before - 1]?.text === ":") before -= 2;
	else if (tokens[before]?.text === ">" && tokens[before - 1]?.text === "-") before -= 2;
	if (before < index - 1) qualifier = tokens[before]?.text ?? "";
	let depth = 0;
	for (let i = index - 1; i >= 0; i--) {
		const { text } = tokens[i] as Token;
		if (text === ")" || text === "]" || text === "}") depth++;
		else if (text === "(" || text === "[" || text === "{") {
			if (--depth < 0) return { qualifier, callee: text === "(" ? (tokens[i - 1]?.text ?? "") : text };
		}
	}
	return { qualifier, callee: "" };
}

/** Compares the owner of an edit with that of the user's most similar change. */
export function ownerFeatures(before: Line, at: number, example: { before: Line; at: number } | undefined): Features {
	if (example === undefined) return {};
	const own = ownerOf(before, indexAt(before, at));
	const other = ownerOf(example.before, indexAt(example.before, example.at));
	return {
		sameQualifier: own.qualifier !== "" && own.qualifier === other.qualifier ? 1 : 0,
		otherQualifier: own.qualifier === other.qualifier ? 0 : 1,
		sameCallee: own.callee !== "" && own.callee === other.callee ? 1 : 0,
		otherCallee: own.callee === other.callee ? 0 : 1,
	};
}

/** The index of the first token that ends after an offset. */
function indexAt({ tokens }: Line, at: number): number {
	const index = tokens.findIndex(({ to }) => to > at);
	return index === -1 ? tokens.length : index;
}

/** Counts the other lines of the file that are equal to the old line, and those that are equal to the new one. */
export function equalLineFeatures({ text }: Document, before: Line, after: Line): Features {
	return { equalOld: Math.max(countEqual(text, before) - 1, 0), equalNew: countEqual(text, after) };
}

function countEqual(text: Text, line: Line): number {
	const trimmed = line.text.trim();
	if (trimmed === "" || trimmed.includes("\n")) return 0;
	let longest = "";
	for (const { text: token } of line.tokens) if (token.length > longest.length && isName(token)) longest = token;
	if (longest.length < 2) return 0;
	let count = 0;
	for (const other of new Search(longest).linesIn(text)) {
		if (lineOf(text, other).text.trim() === trimmed && ++count >= EQUAL_MAX) break;
	}
	return count;
}

/** Describes the order in which the user has worked, and where an edit lies in it. */
export function orderFeatures(scene: Scene, examples: readonly Example[], document: Document, line: number): Features {
	const { touches = [] } = scene.history.fileOf(document.uri) ?? {};
	let nearest = FAR;
	let nearestLine = line;
	let above = 0;
	for (const { from } of touches) {
		const touched = document.text.lineAt(from);
		if (Math.abs(touched - line) < nearest) [nearest, nearestLine] = [Math.abs(touched - line), touched];
		if (touched < line) above++;
	}
	let [down, up, downHere, upHere, switches] = [0, 0, 0, 0, 0];
	let fileAge = examples.length;
	for (let i = 1; i < examples.length; i++) {
		const [last, next] = [examples[i - 1] as Example, examples[i] as Example];
		const isHere = sameUri(next.file.uri, document.uri);
		if (isHere) fileAge = examples.length - 1 - i;
		if (!sameUri(last.file.uri, next.file.uri)) switches++;
		else if (next.at > last.at) {
			down++;
			if (isHere) downHere++;
		} else {
			up++;
			if (isHere) upHere++;
		}
	}
	const first = touches.reduce<Touch | undefined>((a, b) => (a === undefined || b.order < a.order ? b : a), undefined);
	const last = examples.at(-1);
	const lastLine = last && sameUri(last.file.uri, document.uri) ? last.file.now.lineAt(last.at) : undefined;
	const before = examples.at(-2);
	const isMove = before !== undefined && last !== undefined && sameUri(before.file.uri, last.file.uri);
	return {
		downHere,
		upHere,
		fileAge,
		fromFirst: first === undefined ? FAR : line - document.text.lineAt(first.from),
		fromLast: lastLine === undefined ? FAR : line - lastLine,
		lastMove: isMove ? last.file.now.lineAt(last.at) - before.file.now.lineAt(before.at) : 0,
		nearestTouch: nearest,
		gaps: countBlank(document.text, Math.min(line, nearestLine), Math.max(line, nearestLine)),
		touchesAbove: above,
		touchesBelow: touches.length - above,
		movesDown: down,
		movesUp: up,
		switches,
	};
}

// Farther from the nearest change, there are always some.
const GAP_LINES_MAX = 40;

/** Counts the blank lines between two lines. */
function countBlank(text: Text, from: number, to: number): number {
	if (to - from > GAP_LINES_MAX) return GAP_LINES_MAX;
	let count = 0;
	for (let line = from + 1; line < to; line++) if (lineOf(text, line).tokens.length === 0) count++;
	return count;
}

/** Compares the old and the new line with the lines above and below. */
export function neighbourFeatures(
	{ text }: Document,
	line: number,
	lastLine: number,
	before: Line,
	after: Line,
): Features {
	const near = [lineOf(text, line - 1), lineOf(text, lastLine + 1)];
	const most = (own: Line) => Math.max(...near.map((other) => similarity(own, other)));
	return { oldLike: most(before), newLike: most(after) };
}
