import { diffTokens, type Edit, type Event, sameUri, type Text, writtenBy } from "@segue/text";
import type { Finding } from "../candidate.js";
import type { Example } from "../example.js";
import { explanationOf, remainingSitesOf } from "../explanation.js";
import { indentOf, isDistinctive, isName, LINE_MAX, wordsOf } from "../languages/identifiers.js";
import { findingsOf, type Site } from "../ranking/site.js";
import type { Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import { type Substitutions, substitute } from "./substitution.js";

// Older pastes are finished or have changed too much.
const EVENTS_MAX = 16;
// Names in longer blocks are handled by the rename predictor.
const LINES_MAX = 60;
// Lines with fewer words are equal by chance.
const WORDS_MIN = 2;

/**
 * Adapts the rest of a pasted copy. If the user pasted lines that also exist elsewhere and replaced names in some of
 * them, replaces these names on the other lines of the copy.
 */
export function proposePasted(scene: Scene, examples: readonly Example[]): Finding[] {
	const copy = copyIn(scene);
	if (copy === undefined) return [];
	const { text } = scene.document;
	const changed = copy.filter(({ before, after }) => before !== after);
	const swaps = swapsIn(changed, scene);
	if (swaps.size === 0 || isUnderWay(scene, swaps)) return [];
	const places = copy.flatMap((line) => placeOn(scene, line, swaps) ?? []);
	const replaced = Array.from(swaps, ([old, now]) => `\`${old}\` with \`${now}\``).join(", ");
	const isChanged = new Set(changed.map(({ line }) => line));
	return findingsOf(scene, {
		predictor: "paste",
		rule: `adapt ${Array.from(swaps, ([old, now]) => `${old} as ${now}`).join(", ")}`,
		why: explanationOf(scene, `Replacing ${replaced} in pasted code`, remainingSitesOf(places)),
		examples: examples.filter(({ file, at }) => {
			return sameUri(file.uri, scene.document.uri) && isChanged.has(text.lineAt(Math.min(at, text.length)));
		}),
		sites: places,
		features: {
			support: changed.length,
			swaps: swaps.size,
			lines: copy.length,
		},
	});
}

/** Pasted lines, both as pasted and as they are now. */
type Copy = readonly CopiedLine[];

interface CopiedLine {
	readonly line: number;
	readonly before: string;
	readonly after: string;
}

/** The newest copy in the scene's document, if the user has changed it. */
function copyIn(scene: Scene): Copy | undefined {
	const { document, history } = scene;
	const events = history.events.filter(({ uri }) => sameUri(uri, document.uri)).slice(-EVENTS_MAX);
	let after = document.text;
	for (let i = events.length - 1; i >= 0; i--) {
		const event = events[i] as Event;
		// If the history has a gap, the current position of the copy is unknown.
		if (event.after !== after && !event.after.equals(after)) return undefined;
		after = event.before;
		const lines = pastedBy(event);
		if (lines === undefined) continue;
		const search = new Search(lines.find(isDistinctive)?.trim() ?? "");
		const others = documentsWith(scene, search).filter((one) => one !== document);
		const isCopied = [event.before, ...others.map(({ text }) => text)].some(
			(one) => findLines(one, lines, search).length > 0,
		);
		if (!isCopied) continue;
		// An editor can report either of two equal blocks as inserted. The copy is the one that the user has changed.
		const copies = findLines(event.after, lines, search).map((first) => {
			return linesNow(event.after, first, lines.length, events.slice(i + 1), document.text);
		});
		const changed = copies.filter((copy) => copy === undefined || copy.some((one) => one.before !== one.after));
		return changed.length === 1 ? changed[0] : undefined;
	}
	return undefined;
}

/** The complete lines that an event inserted, if it inserted them in one piece. */
function pastedBy({ change, after, isAccepted }: Event): string[] | undefined {
	const [written, ...others] = writtenBy(change);
	const [edit] = change.edits;
	if (isAccepted || written === undefined || others.length > 0 || !/[\r\n]/.test(edit?.insert ?? "")) return undefined;
	const isWhole = (line: number) => {
		const start = after.lineStart(line);
		const end = after.lineEnd(line);
		if (end - start > LINE_MAX || end > written.to) return false;
		return start + indentOf(after.line(line)).length >= written.from;
	};
	let first = after.lineAt(written.from);
	let last = after.lineAt(written.to);
	if (last - first > LINES_MAX) return undefined;
	while (first <= last && (!isWhole(first) || after.line(first).trim() === "")) first++;
	while (last >= first && (!isWhole(last) || after.line(last).trim() === "")) last--;
	const lines = Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => after.line(first + i));
	const hasWords = lines.some((line) => isDistinctive(line) && wordsOf(line).length >= WORDS_MIN);
	return hasWords ? lines : undefined;
}

/**
 * Returns the first line of each occurrence of these lines in a text, ignoring indent. `search` finds one of the
 * lines.
 */
function findLines(text: Text, lines: readonly string[], search: Search): number[] {
	const index = lines.findIndex(isDistinctive);
	const starts = new Set((search.in(text) ?? []).map((at) => text.lineAt(at) - index));
	return [...starts].filter((start) => {
		return lines.every((line, i) => {
			const at = start + i;
			return at >= 0 && at < text.lineCount && text.line(at).trim() === line.trim();
		});
	});
}

/** Maps lines in a text through later events. Returns undefined if their number has changed. */
function linesNow(text: Text, first: number, count: number, events: readonly Event[], now: Text): Copy | undefined {
	const next = first + count;
	const isLast = next >= text.lineCount;
	let from = text.lineStart(first);
	let to = isLast ? text.length : text.lineStart(next);
	for (const { change } of events) {
		from = change.map(from, "after");
		to = change.map(to, isLast ? "after" : "before");
	}
	const start = now.lineAt(from);
	const end = isLast ? now.lineAt(to) + 1 : now.lineAt(to);
	if (end - start !== count) return undefined;
	return Array.from({ length: count }, (_, i) => {
		return { line: start + i, before: text.line(first + i), after: now.line(start + i) };
	});
}

/**
 * Returns the names that were replaced in the copy. Ignores names that have two replacements or still occur on the
 * line.
 */
function swapsIn(changed: readonly CopiedLine[], { document, cursor }: Scene): Substitutions {
	const { line: cursorLine, start } = document.text.locate(cursor);
	const swaps = new Map<string, string>();
	const unclear = new Set<string>();
	for (const { line, before, after } of changed) {
		const kept = new Set(wordsOf(line === cursorLine ? after.slice(0, cursor - start) : after));
		for (const { from, to, insert } of diffTokens(before, after)) {
			const old = before.slice(from, to);
			if (!isSwap(old, insert) || kept.has(old)) continue;
			if ((swaps.get(old) ?? insert) !== insert) unclear.add(old);
			swaps.set(old, insert);
		}
	}
	for (const old of unclear) swaps.delete(old);
	return swaps;
}

/** Whether a name was replaced with another. Numbers don't count, because they are often incremented. */
function isSwap(old: string, now: string): boolean {
	return isName(old) && isName(now) && old.length > 1;
}

/** Whether the user is still deleting an old name, or has typed only one letter of a new name. */
function isUnderWay({ document, cursor, trigger }: Scene, swaps: Substitutions): boolean {
	if (trigger === "manual") return false;
	return Array.from(swaps).some(([old, now]) => {
		const isHere = document.text.slice(Math.max(cursor - now.length, 0), cursor) === now;
		return isHere && (old.startsWith(now) || now.length === 1);
	});
}

/** Returns the remaining edits to a line of the copy. On the cursor's line, only those after the cursor. */
function placeOn(
	{ document, cursor }: Scene,
	{ line, before, after }: CopiedLine,
	swaps: Substitutions,
): Site | undefined {
	const start = document.text.lineStart(line);
	const isHere = document.text.lineAt(cursor) === line;
	if (before !== after && !isHere) return undefined;
	const edits = diffTokens(after, substitute(after, swaps))
		.map(({ from, to, insert }): Edit => ({ from: start + from, to: start + to, insert }))
		.filter(({ from }) => before === after || from >= cursor);
	if (edits.length === 0) return undefined;
	const isVariant = edits.some(({ from, to }) => !swaps.has(document.text.slice(from, to)));
	return { document, line, edits, features: { variant: isVariant ? 1 : 0 } };
}
