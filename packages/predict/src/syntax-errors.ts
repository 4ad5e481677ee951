import { Change, type Document, diffTokens, type Text } from "@segue/text";
import { LINE_MAX } from "./code.js";
import { type Example, examplesOf } from "./example.js";
import { syntaxOf } from "./languages.js";
import type { Parse, Scene } from "./scene.js";

// Each matching example costs a parse. A user repeats a change of several lines by hand only a few times.
const EXAMPLES_TRIED = 3;

/**
 * Whether a change adds syntax errors to lines that have none. One line of a change of several lines that the user made
 * elsewhere does not: the other lines follow as further suggestions. Undefined if the scene's parser cannot tell, which is
 * also the case where the lines already have errors.
 */
export function addsErrors(change: Change, document: Document, scene: Scene): boolean | undefined {
	const { parse } = scene;
	if (parse === undefined) return undefined;
	const adds = compareErrors(change, document, parse);
	return adds === true ? !beginsKnownChange(change, document, scene, parse) : adds;
}

function compareErrors(change: Change, document: Document, parse: Parse): boolean | undefined {
	const { text } = document;
	const from = text.lineStart(text.lineAt(change.edits[0]?.from ?? 0));
	const to = text.lineEnd(text.lineAt(change.edits.at(-1)?.to ?? 0));
	const before = parse(document, { from, to });
	if (before === undefined || before.inRange > 0) return undefined;
	const after = parse({ ...document, text: change.apply(text) }, { from, to: change.map(to, "after") });
	if (after === undefined) return undefined;
	// A bracket that is left open is often reported far below, so errors outside the lines count too.
	return after.inRange > 0 || after.total > before.total;
}

/**
 * Whether a change of one line is a part of a larger change that the user made elsewhere, as `if (b) {` becomes
 * `} else if (b) {` when the `}` above it is deleted. The lines around it must be like those that the user changed, and all
 * parts together must add no errors.
 */
function beginsKnownChange(change: Change, document: Document, scene: Scene, parse: Parse): boolean {
	const { text, languageId } = document;
	const { keywords } = syntaxOf(languageId);
	const line = text.lineAt(change.edits[0]?.from ?? 0);
	const [start, end] = [text.lineStart(line), text.lineEnd(line)];
	const old = text.slice(start, end);
	const now = change.apply(text).slice(start, change.map(end, "after"));
	const isOneLine = (change.edits.at(-1)?.to ?? 0) <= end && !/[\r\n]/.test(now);
	if (!isOneLine || Math.max(old.length, now.length) > LINE_MAX) return false;
	const shape = changeShapeOf(old, now, keywords);
	return examplesOf(scene.history)
		.filter(({ file, before, after, hunk }) => {
			if (file.languageId !== languageId || before === undefined || after === undefined) return false;
			const isLarger = hunk.old.length > 1 || hunk.now.length > 1;
			return isLarger && changeShapeOf(before, after, keywords) === shape;
		})
		.slice(-EXAMPLES_TRIED)
		.some((example) => {
			const whole = wholeChange(example, text, line, now, keywords);
			return whole !== undefined && compareErrors(whole, document, parse) === false;
		});
}

/**
 * All changed lines around an example, made at another line, which becomes `now`. Undefined if the lines around that one
 * differ from those that the user changed. Names are not adapted: the syntax does not depend on them.
 */
function wholeChange(
	{ before = "", after = "", hunk }: Example,
	text: Text,
	line: number,
	now: string,
	keywords: ReadonlySet<string>,
): Change | undefined {
	const first = line - hunk.old.indexOf(before);
	const last = first + hunk.old.length - 1;
	if (first < 0 || last >= text.lineCount) return undefined;
	const isAlike = hunk.old.every((old, i) => shapeOf(old, keywords) === shapeOf(text.line(first + i), keywords));
	if (!isAlike) return undefined;
	const lines = hunk.now.with(hunk.now.indexOf(after), now);
	return Change.of([{ from: text.lineStart(first), to: text.lineEnd(last), insert: lines.join("\n") }], text.length);
}

/** The keywords and signs that a line loses and gains. */
function changeShapeOf(before: string, after: string, keywords: ReadonlySet<string>): string {
	const swaps = diffTokens(before, after).map(({ from, to, insert }) => {
		return [shapeOf(before.slice(from, to), keywords), shapeOf(insert, keywords)];
	});
	return JSON.stringify(swaps);
}

/** The keywords and signs of a text. Names, numbers and white space may differ between places. */
function shapeOf(source: string, keywords: ReadonlySet<string>): string {
	const tokens = source.match(/[\p{L}\p{N}_$]+|\S/gu) ?? [];
	return tokens.map((token) => (/[\p{L}\p{N}_$]/u.test(token) && !keywords.has(token) ? "a" : token)).join(" ");
}
