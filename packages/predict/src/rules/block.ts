import type { Document, Edit, Text } from "@segue/text";
import { type Features, type Finding, fullName } from "../candidate.js";
import { ageOf, type Block, type Example } from "../example.js";
import { explanationOf, remainingSitesOf } from "../explanation.js";
import { touchedIn } from "../history.js";
import { indentOf, isDistinctive, LINE_MAX, sameLanguage } from "../languages/identifiers.js";
import { readLine, similarity } from "../line.js";
import { findingsOf, type Site } from "../ranking/site.js";
import type { Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";

// Older changes are not part of the current task.
const RULES_MAX = 12;
// Longer blocks are not repeated verbatim.
const LINES_MAX = 12;
const PLACES_MAX = 100;

/** Repeats changes to whole lines: deletes or rewrites equal lines, and inserts lines next to an equal line. */
export function proposeBlocks(scene: Scene, examples: readonly Example[]): Finding[] {
	return rulesOf(examples).flatMap((rule) => {
		const newest = rule.examples.at(-1) as Example;
		const places = documentsWith(scene, rule.search).flatMap((document) => {
			return sameLanguage(newest.file.languageId, document.languageId) ? placesIn(scene, document, rule) : [];
		});
		// Most rules have no sites left, so skip the expensive part.
		if (places.length === 0) return [];
		const own = rule.examples.filter((one) => !one.isAccepted).length;
		const features: Features = {
			[rule.kind]: 1,
			[fullName(rule.kind, "support")]: own,
			[fullName(rule.kind, "lines")]: rule.lines.length,
			[fullName(rule.kind, "tokens")]: readLine(rule.anchor).tokens.length,
			[fullName(rule.kind, "instead")]: newest.hunk.now.length > 0 && newest.hunk.old.length > 0 ? 1 : 0,
			support: own,
			age: ageOf(examples, newest),
		};
		return findingsOf(scene, {
			predictor: "repeat",
			rule: `repeat ${rule.key}`,
			why: explanationOf(scene, changeText(rule), remainingSitesOf(places)),
			examples: rule.examples,
			sites: places,
			features,
			kind: rule.kind,
		});
	});
}

function changeText({ kind, anchor }: Rule): string {
	if (kind === "gone") return `Removing \`${anchor}\``;
	return kind === "rewritten" ? `Rewriting \`${anchor}\`` : `Inserting lines next to \`${anchor}\``;
}

type Kind = "gone" | "after" | "before" | "rewritten";

/** A change to whole lines, and the anchor line to search for. */
interface Rule {
	readonly key: string;
	readonly kind: Kind;
	/** The longest deleted line or the line next to the insertion, without its indent. */
	readonly anchor: string;
	/** The index of the anchor among the deleted lines. */
	readonly index: number;
	/** The indent of the anchor. */
	readonly indent: string;
	/** The adjacent line on the other side of the change. */
	readonly other: string;
	/** The deleted or inserted lines. */
	readonly lines: readonly string[];
	/** The replacement of rewritten lines. */
	readonly now: readonly string[];
	readonly search: Search;
	readonly examples: readonly Example[];
}

function rulesOf(examples: readonly Example[]): Rule[] {
	const rules = new Map<string, Rule>();
	const seen = new Set<Block>();
	for (const example of examples) {
		const { block, hunk } = example;
		const own = block === undefined || seen.has(block) ? [] : rulesFrom(example, block);
		if (block !== undefined) seen.add(block);
		const whole = seen.has(hunk) ? [] : rewritten(example, hunk);
		seen.add(hunk);
		for (const rule of [...own, ...whole]) {
			const known = rules.get(rule.key);
			rules.delete(rule.key);
			rules.set(rule.key, known === undefined ? rule : { ...rule, examples: [...known.examples, example] });
		}
	}
	return [...rules.values()].slice(-RULES_MAX).toReversed();
}

function rulesFrom(example: Example, { old, now, at }: Block): Rule[] {
	const lines = old.length > 0 ? old : now;
	if (lines.length > LINES_MAX || !lines.some(isDistinctive)) return [];
	const text = example.file.now;
	const first = text.lineAt(at);
	const last = first + now.length - 1;
	const previous = lineOf(text, first - 1);
	const next = lineOf(text, last + 1);
	if (old.length > 0) {
		const longest = lines.reduce((best, one) => (one.trim().length > best.trim().length ? one : best), "");
		return ruleOf(example, "gone", longest, next, lines);
	}
	return [...ruleOf(example, "after", previous, next, lines), ...ruleOf(example, "before", next, previous, lines)];
}

/** Returns the rule for a rewrite of several lines. */
function rewritten(example: Example, { old, now, at }: Block): Rule[] {
	if (old.length === 0 || now.length === 0) return [];
	if (old.length + now.length < 3 && example.block === undefined) return [];
	if (old.length > LINES_MAX || now.length > LINES_MAX) return [];
	const longest = old.reduce((best, one) => (one.trim().length > best.trim().length ? one : best), "");
	const text = example.file.now;
	const next = lineOf(text, text.lineAt(Math.min(at, text.length)) + now.length);
	return ruleOf(example, "rewritten", longest, next, old).map((rule) => ({
		...rule,
		key: `${rule.key} ${JSON.stringify(now.map((line) => line.trim()))}`,
		now,
	}));
}

function ruleOf(example: Example, kind: Kind, anchorLine: string, other: string, lines: readonly string[]): Rule[] {
	const anchor = anchorLine.trim();
	if (!isDistinctive(anchor) || anchor.length > LINE_MAX) return [];
	const index = kind === "gone" || kind === "rewritten" ? lines.indexOf(anchorLine) : 0;
	const key = JSON.stringify([kind, anchor, ...lines.map((line) => line.trim())]);
	const indent = indentOf(anchorLine);
	const search = new Search(anchor);
	return [{ key, kind, anchor, index, indent, other: other.trim(), lines, now: [], search, examples: [example] }];
}

function lineOf(text: Text, line: number): string {
	return line >= 0 && line < text.lineCount ? text.line(line) : "";
}

function placesIn(scene: Scene, document: Document, rule: Rule): Site[] {
	const { text } = document;
	const isTouched = touchedIn(scene.history, document);
	const places: Site[] = [];
	for (const at of rule.search.in(text) ?? []) {
		const line = text.lineAt(at) - rule.index;
		if (line < 0 || text.line(line + rule.index).trim() !== rule.anchor || isTouched(line)) continue;
		const isBeside = rule.kind === "after" || rule.kind === "before";
		const edit = isBeside ? insertionAt(text, line, rule) : removalAt(text, line, rule);
		if (edit === undefined) continue;
		if (isBeside && isTouched(rule.kind === "after" ? line + 1 : Math.max(line - 1, 0))) continue;
		if (isBeside && isListed(text, line, rule.lines)) continue;
		const other = lineOf(
			text,
			rule.kind === "before" ? line - 1 : line + (rule.kind === "after" ? 1 : rule.lines.length),
		).trim();
		places.push({
			document,
			line,
			edits: [edit],
			features: () => ({
				[fullName(rule.kind, "both")]: other === rule.other ? 1 : 0,
				[fullName(rule.kind, "other")]: similarity(readLine(other), readLine(rule.other)),
				[fullName(rule.kind, "indent")]: indentOf(text.line(line)) === rule.indent ? 1 : 0,
			}),
		});
		if (places.length >= PLACES_MAX) break;
	}
	return places;
}

// A longer list is data.
const LISTED_MAX = 50;

/** Whether the list that a line belongs to already has the lines to insert, in another place. */
function isListed(text: Text, line: number, lines: readonly string[]): boolean {
	const [item = ""] = lines;
	if (lines.length > 1 || !item.trim().endsWith(",")) return false;
	const indent = indentOf(text.line(line));
	const isItem = (at: number) => {
		const own = lineOf(text, at);
		return own.trim().endsWith(",") && indentOf(own) === indent;
	};
	for (const step of [-1, 1]) {
		for (let at = line; isItem(at) && Math.abs(at - line) < LISTED_MAX; at += step) {
			if (lineOf(text, at).trim() === item.trim()) return true;
		}
	}
	return false;
}

/** Deletes or rewrites equal lines. */
function removalAt(text: Text, line: number, { kind, lines, now, indent, index }: Rule): Edit | undefined {
	const end = line + lines.length;
	if (end > text.lineCount) return undefined;
	if (!lines.every((one, i) => text.line(line + i).trim() === one.trim())) return undefined;
	if (kind === "rewritten") {
		const written = now.at(-1) === "" ? undefined : indented(now, indent, indentOf(text.line(line + index)));
		const lineEnd = lineBreakIn(text);
		return written && { from: text.lineStart(line), to: text.lineEnd(end - 1), insert: written.join(lineEnd) };
	}
	const from = text.lineStart(line);
	// Joining a lone \r and a lone \n would turn two line breaks into one.
	const joins =
		end < text.lineCount && from > 0 && text.codeAt(from - 1) === 13 && text.codeAt(text.lineStart(end)) === 10;
	if (joins) return undefined;
	if (end < text.lineCount) return { from, to: text.lineStart(end), insert: "" };
	return line === 0 ? undefined : { from: text.lineEnd(line - 1), to: text.length, insert: "" };
}

/** Inserts the lines next to an anchor, with its indent. */
function insertionAt(text: Text, line: number, { kind, lines, indent }: Rule): Edit | undefined {
	const written = indented(lines, indent, indentOf(text.line(line)));
	if (written === undefined) return undefined;
	const beside = lineOf(text, kind === "after" ? line + 1 : line - 1).trim();
	if (beside === written[0]?.trim() || beside === written.at(-1)?.trim()) return undefined;
	const lineEnd = lineBreakIn(text);
	if (kind === "before") {
		const at = text.lineStart(line);
		return { from: at, to: at, insert: written.map((one) => one + lineEnd).join("") };
	}
	const at = text.lineEnd(line);
	return { from: at, to: at, insert: written.map((one) => lineEnd + one).join("") };
}

/** Replaces the indent of lines. Undefined if a line does not have the old indent. */
export function indented(lines: readonly string[], from: string, to: string): string[] | undefined {
	const written: string[] = [];
	for (const one of lines) {
		if (one.trim() === "") written.push(one);
		else if (one.startsWith(from)) written.push(to + one.slice(from.length));
		else if (from === to) written.push(one);
		else return undefined;
	}
	return written;
}

/** Returns the line break used in a text. */
export function lineBreakIn(text: Text): string {
	return text.slice(text.lineEnd(0), text.lineCount > 1 ? text.lineStart(1) : text.length) || "\n";
}
