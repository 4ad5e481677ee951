import type { Document, Edit, Text } from "@segue/text";
import type { Candidate } from "./candidate.js";
import { indentOf, isName, isTelling, LINE_MAX, sameLanguage, wordsOf } from "./code.js";
import type { Example } from "./example.js";
import { Search } from "./find.js";
import { touchedIn } from "./history.js";
import { partAt } from "./parts.js";
import { areMany, candidatesOf, editsIn, type Place } from "./place.js";
import type { Scene } from "./scene.js";

// What the user did longer ago than the last few changes is not what goes on now.
const RULES_MAX = 8;
// Tokens on either side of a change by which its like is known. More would find only what is the same line.
const CONTEXT_MAX = 3;
// A line of fewer tokens, such as `return null`, is the same in many places by chance.
const LINE_TOKENS_MIN = 4;
const SHORT_MAX = 3;

/**
 * Repeats a change: what became of a line, where the whole line occurs again; and what became of a few tokens on two
 * lines or more, where the same tokens stand among the same neighbours.
 */
export function proposeRepeats(scene: Scene, examples: readonly Example[]): Candidate[] {
	const changes = examples.flatMap((example) => changeOf(example) ?? []);
	const documents = [scene.document, ...scene.neighbours];
	return [...lineRules(changes), ...tokenRules(changes)].flatMap((rule) => {
		const search = new Search(rule.search);
		const alike = documents.filter((document) => search.in(document.text)?.length);
		const newest = rule.changes.at(-1) as LineChange;
		return candidatesOf(scene, {
			predictor: "repeat",
			rule: `repeat ${rule.search} as ${rule.replace}`,
			became: saidOf(rule),
			examples: rule.changes.map(({ example }) => example),
			places: alike.flatMap((document) => placesIn(scene, document, rule, search)),
			features: {
				support: ownIn(rule.changes),
				age: examples.length - 1 - examples.indexOf(newest.example),
				isDeclaration: 0,
				isWholeLine: rule.isWholeLine ? 1 : 0,
				kept: keptOf(newest),
				isInsertion: wordsOf(rule.old).length === 0 ? 1 : 0,
				isShort: rule.search.trim().length <= SHORT_MAX ? 1 : 0,
			},
			atOnce: ({ document }, left) => {
				const { replace } = rule;
				if (!areMany(scene, document, left)) return undefined;
				const isSafe = countOf(document.text.toString(), rule.search) === editsIn(document, left) / rule.edits.length;
				if (!isSafe) return undefined;
				return { kind: "searchAndReplace", uri: document.uri, search: rule.search, replace, isRegex: false };
			},
		});
	});
}

/** One line's change, from its first changed token to its last. */
interface LineChange {
	readonly example: Example;
	readonly before: string;
	readonly after: string;
	readonly from: number;
	readonly to: number;
	readonly old: string;
	readonly now: string;
}

function changeOf(example: Example): LineChange | undefined {
	const { before, after, edits } = example;
	const from = edits[0]?.from;
	const to = edits.at(-1)?.to;
	if (before === undefined || after === undefined || from === undefined || to === undefined) return undefined;
	const isIndented = from < indentOf(before).length;
	if (isIndented) return undefined;
	const old = before.slice(from, to);
	return { example, before, after, from, to, old, now: after.slice(from, after.length - (before.length - to)) };
}

/** How many of some changes are by the user's own hand. */
function ownIn(changes: readonly LineChange[]): number {
	return changes.filter(({ example }) => !example.isAccepted).length;
}

/** The share of a line's words that its change leaves alone. */
function keptOf({ before, from, to }: LineChange): number {
	const kept = wordsOf(before.slice(0, from)).length + wordsOf(before.slice(to)).length;
	return kept / Math.max(wordsOf(before).length, 1);
}

/** What is looked for, and what is to be written there. */
interface Rule {
	readonly search: string;
	readonly replace: string;
	/** What turns the one into the other, in offsets of the first. */
	readonly edits: readonly Edit[];
	readonly old: string;
	readonly now: string;
	readonly isWholeLine: boolean;
	readonly isAtStart: boolean;
	readonly isAtEnd: boolean;
	/** Where the user did this, newest last. */
	readonly changes: readonly LineChange[];
}

function lineRules(changes: readonly LineChange[]): Rule[] {
	const groups = groupBy(changes, ({ before }) => before.trim());
	return groups.flatMap((group): Rule[] => {
		const newest = group.at(-1) as LineChange;
		const search = newest.before.trim();
		const replace = newest.after.trim();
		// A line that became two different ones is no rule.
		const isClear = group.every(({ after }) => after.trim() === replace) && replace !== "";
		if (!isClear || !isTelling(search) || tokensOf(search).filter(isInk).length < LINE_TOKENS_MIN) return [];
		const indent = indentOf(newest.before).length;
		const edits = newest.example.edits
			.map(({ from, to, insert }) => ({ from: from - indent, to: to - indent, insert }))
			.filter(({ from }) => from <= search.length);
		const last = edits.at(-1);
		if (last === undefined || last.to > search.length) return [];
		const { old, now } = newest;
		return [{ search, replace, edits, old, now, isWholeLine: true, isAtStart: true, isAtEnd: true, changes: group }];
	});
}

function tokenRules(changes: readonly LineChange[]): Rule[] {
	const groups = groupBy(changes, ({ old, now }) => JSON.stringify([old, now]));
	return groups.flatMap((group): Rule[] => {
		const { old, now } = group.at(-1) as LineChange;
		if (ownIn(group) < 2) return [];
		const left = commonEnd(group.map(({ before, from }) => before.slice(0, from)));
		const right = commonStart(group.map(({ before, to }) => before.slice(to)));
		const search = left + old + right;
		// One name for another is a rename, which knows about scopes. Among the same neighbours it is a change like others.
		if (!isTelling(isName(old) && isName(now) ? `${left} ${right}` : search)) return [];
		if (tokensOf(search).filter(isInk).length < 2) return [];
		const edits = [{ from: left.length, to: left.length + old.length, insert: now }];
		const isAtStart = group.every(({ before, from }) => before.slice(0, from).trim() === left.trim());
		const isAtEnd = group.every(({ before, to }) => before.slice(to).trim() === right.trim());
		const replace = left + now + right;
		return [{ search, replace, edits, old, now, isWholeLine: false, isAtStart, isAtEnd, changes: group }];
	});
}

/** The most recent groups of changes that have a key in common. */
function groupBy(changes: readonly LineChange[], keyOf: (change: LineChange) => string): LineChange[][] {
	const groups = new Map<string, LineChange[]>();
	for (const change of changes) {
		const key = keyOf(change);
		const group = groups.get(key) ?? [];
		groups.delete(key);
		groups.set(key, [...group, change]);
	}
	return Array.from(groups.values()).slice(-RULES_MAX);
}

function tokensOf(text: string): string[] {
	return text.match(/[\p{L}\p{N}\p{M}_$]+|\s+|./gsu) ?? [];
}

/** Whether a token is more than white space. */
function isInk(token: string): boolean {
	return token.trim() !== "";
}

function commonStart(texts: readonly string[]): string {
	return common(texts.map(tokensOf)).join("").trimEnd();
}

function commonEnd(texts: readonly string[]): string {
	const reversed = texts.map((text) => tokensOf(text).toReversed());
	return common(reversed).toReversed().join("").trimStart();
}

/** The tokens that all lists begin with, up to a few. */
function common([first = [], ...others]: readonly string[][]): string[] {
	const result: string[] = [];
	for (const [i, token] of first.entries()) {
		if (result.filter(isInk).length === CONTEXT_MAX || others.some((tokens) => tokens[i] !== token)) break;
		result.push(token);
	}
	return result;
}

/** The lines of a document on which a rule applies and the user has not been. */
function placesIn(scene: Scene, document: Document, rule: Rule, search: Search): Place[] {
	const { text } = document;
	const { example, from: changed } = rule.changes.at(-1) as LineChange;
	if (!sameLanguage(example.file.languageId, document.languageId)) return [];
	const found = search.in(text) ?? [];
	const original = { ...document, text: example.file.now };
	const isTouched = touchedIn(scene.history, document);
	const first = rule.edits[0]?.from ?? 0;

	const places = new Map<number, Edit[]>();
	for (const at of found) {
		const { line, start } = text.locate(at);
		const end = text.lineEnd(line);
		if (isTouched(line) || isDone(text, at + first, rule) || end - start > LINE_MAX) continue;
		if (rule.isAtStart && text.slice(start, at).trim() !== "") continue;
		if (rule.isAtEnd && text.slice(at + rule.search.length, end).trim() !== "") continue;
		if (partAt(document, at + first) !== partAt(original, example.at + changed)) continue;
		const edits = rule.edits.map(({ from, to, insert }) => ({ from: at + from, to: at + to, insert }));
		places.set(line, [...(places.get(line) ?? []), ...edits]);
	}
	return Array.from(places, ([line, edits]) => ({ document, line, edits }));
}

/** Whether what a rule inserts stands there already, before or after the place. */
function isDone(text: Text, at: number, { old, now }: Rule): boolean {
	if (old !== "") return false;
	return [at, Math.max(at - now.length, 0)].some((from) => {
		return text.slice(from, Math.min(from + now.length, text.length)) === now;
	});
}

/** "`a` became `b`", in the words for what there is of the two. */
function saidOf({ old, now, isWholeLine, changes }: Rule): string {
	const where = isWholeLine && changes.length === 1 ? " on an equal line" : "";
	if (old.trim() === "") return `\`${now.trim()}\` was inserted${where}`;
	if (now.trim() === "") return `\`${old.trim()}\` was removed${where}`;
	return `\`${old.trim()}\` became \`${now.trim()}\`${where}`;
}

function countOf(source: string, wanted: string): number {
	return source.split(wanted).length - 1;
}
