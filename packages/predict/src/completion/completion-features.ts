import type { Features } from "../candidate.js";
import { isName } from "../languages/identifiers.js";
import { lineOf, readLine } from "../line.js";
import type { Feature } from "../ranking/features.js";
import { isImport } from "../rules/insertion.js";
import { isWord } from "../rules/substitution.js";
import type { Continuation, TypedLine } from "./continuation.js";

const YES = [1];

/** The features of a completion, each with a description and the thresholds of its steps. */
export const COMPLETION_FEATURES: Readonly<Record<string, Feature>> = {
	places: { says: "number of lines that continue like this", steps: [2, 3, 5, 10] },
	documents: { says: "number of documents with such lines", steps: [2, 3] },
	share: {
		says: "share of all continuations, weighted by similarity",
		steps: [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99],
	},
	others: { says: "number of different continuations", steps: [1, 2, 4, 8] },
	matched: { says: "number of matching tokens before the cursor", steps: [2, 3, 4, 5, 6, 8, 10] },
	lead: { says: "how many more tokens match than for any other continuation", steps: [1, 2, 3, 5] },
	whole: { says: "the lines match from the start", steps: YES },
	swaps: { says: "number of names that differ", steps: [1, 2, 3] },
	adapted: { says: "number of names adapted in the rest of the line", steps: [1, 2] },
	begun: { says: "the last word is incomplete", steps: YES },
	unheard: { says: "the last word does not occur nearby", steps: YES },
	above: { says: "similarity of the lines above", steps: [0.3, 0.5, 0.7, 0.9, 0.97] },
	touched: { says: "the user edited one of these lines", steps: YES },
	near: { says: "distance in lines", steps: [3, 10, 30, 100, 300] },
	elsewhere: { says: "found only in other documents", steps: YES },
	tokens: { says: "number of inserted tokens", steps: [2, 3, 5, 8, 12] },
	names: { says: "number of inserted names", steps: [1, 2, 3, 5] },
	fresh: { says: "number of inserted names that do not occur nearby", steps: [1, 2] },
	typed: { says: "number of tokens before the cursor", steps: [2, 3, 5, 8, 12] },
	balanced: { says: "all brackets on the line are balanced", steps: YES },
	prose: { says: "in a comment or string", steps: YES },
	opens: { says: "follows an opening bracket or comma", steps: YES },
	member: { says: "a member access", steps: YES },
	assigned: { says: "the right side of an assignment or comparison", steps: YES },
	already: { says: "the same line occurs a few lines away", steps: YES },
	twice: { says: "the same line occurs in this document", steps: YES },
	import: { says: "the line is an import", steps: YES },
	endsAbove: { says: "the line ends like the one above", steps: YES },
	endsBelow: { says: "the line ends like the one below", steps: YES },
	signs: { says: "only punctuation", steps: YES },
	literal: { says: "contains a number or string", steps: YES },
};

/** Pairs of features with a weight for each combination of their steps. */
export const COMPLETION_CROSSED: readonly (readonly [string, string])[] = [
	["whole", "others"],
	["whole", "matched"],
	["share", "others"],
	["places", "others"],
	["whole", "above"],
	["whole", "twice"],
	["swaps", "adapted"],
	["swaps", "places"],
	["swaps", "names"],
	["fresh", "swaps"],
	["signs", "balanced"],
	["twice", "import"],
	["begun", "unheard"],
	["swaps", "unheard"],
];

// Maximum distance, in lines, for a name to count as nearby and for a line to count as adjacent.
const AT_HAND_LINES = 40;
const BESIDE_LINES = 6;

/** The line at the cursor, with values shared by the features of all possible completions. */
export interface CompletionContext {
	readonly typed: TypedLine;
	/** The cursor is in a comment or a string. */
	readonly isProse: boolean;
	/** Continuations grouped by text, highest weight first. */
	readonly groups: readonly ContinuationGroup[];
	/** Total weight of all groups. */
	readonly weight: number;
	/** The two groups with the most matched tokens. */
	readonly longest: readonly [ContinuationGroup | undefined, ContinuationGroup | undefined];
	/** The words near the cursor. */
	readonly atHand: ReadonlySet<string>;
}

/** All lines with the same continuation. */
export interface ContinuationGroup {
	readonly insert: string;
	readonly places: readonly Continuation[];
	/** The line most similar to the one at the cursor. */
	readonly best: Continuation;
	readonly weight: number;
	/** The number of matching tokens before the cursor. */
	readonly matched: number;
}

export function completionContextOf(
	typed: TypedLine,
	isProse: boolean,
	continuations: readonly Continuation[],
): CompletionContext {
	const byRest = new Map<string, Continuation[]>();
	for (const one of continuations) {
		const known = byRest.get(one.rest);
		if (known === undefined) byRest.set(one.rest, [one]);
		else known.push(one);
	}
	const groups = Array.from(byRest, ([insert, places]) => groupOf(typed, insert, places));
	const weight = groups.reduce((sum, group) => sum + group.weight, 0);
	const [first, second] = groups.toSorted((a, b) => b.matched - a.matched);
	const sorted = groups.toSorted((a, b) => b.weight - a.weight);
	return { typed, isProse, groups: sorted, weight, longest: [first, second], atHand: namesNear(typed) };
}

function groupOf(typed: TypedLine, insert: string, places: readonly Continuation[]): ContinuationGroup {
	let best = places[0] as Continuation;
	let strength = Number.NEGATIVE_INFINITY;
	let weight = 0;
	for (const place of places) {
		const own = strengthOf(place, typed);
		// Each additional matching token doubles the weight.
		weight += 2 ** own;
		if (own > strength) [best, strength] = [place, own];
	}
	return { insert, places, best, weight, matched: most(places.map((one) => one.matched)) };
}

/** Computes the features of a completion. */
export function completionFeaturesOf(ground: CompletionContext, group: ContinuationGroup): Features {
	const { typed } = ground;
	const { insert, places, best, matched } = group;
	const { text, tokens: before } = typed.before;
	const { tokens } = readLine(insert);
	const last = before.at(-1)?.text ?? "";
	const names = tokens.filter((token) => isName(token.text, typed.document.languageId)).map((token) => token.text);
	const given = [...best.swaps.values()];
	const here = places.filter(({ document }) => document === typed.document);
	const rival = ground.longest.find((one) => one !== group)?.matched ?? 0;
	const line = (text + insert + typed.after).trim();
	const equal = here.filter((one) => lineOf(typed.document.text, one.line).text.trim() === line);
	const lastOf = (index: number) => lineOf(typed.document.text, index).tokens.at(-1)?.text;
	return {
		places: places.length,
		documents: new Set(places.map(({ document }) => document)).size,
		share: group.weight / ground.weight,
		others: ground.groups.length - 1,
		matched,
		lead: Math.max(matched - rival, 0),
		whole: yes(best.isWhole),
		swaps: best.swaps.size,
		adapted: names.filter((name) => given.includes(name)).length,
		begun: yes(best.isBegun),
		unheard: yes(isWord(last) && text.endsWith(last) && !ground.atHand.has(last)),
		above: most(places.map((one) => one.above)),
		touched: yes(places.some((one) => one.isTouched)),
		near: here.length === 0 ? 0 : -most(here.map((one) => -Math.abs(one.line - typed.line))),
		elsewhere: yes(here.length === 0),
		tokens: tokens.length,
		names: names.length,
		fresh: names.filter((name) => !ground.atHand.has(name)).length,
		typed: before.length,
		balanced: yes(isBalanced(line)),
		prose: yes(ground.isProse),
		opens: yes(/[([{,]\s*$/.test(text)),
		member: yes(/(?:\.|->|::)$/.test(text)),
		assigned: yes(/[=<>]\s*$/.test(text)),
		already: yes(equal.some((one) => Math.abs(one.line - typed.line) <= BESIDE_LINES)),
		twice: yes(equal.length > 0),
		import: yes(isImport(line)),
		endsAbove: yes(tokens.at(-1)?.text === lastOf(typed.line - 1)),
		endsBelow: yes(tokens.at(-1)?.text === lastOf(typed.line + 1)),
		signs: yes(!tokens.some((token) => /[\p{L}\p{N}]/u.test(token.text))),
		literal: yes(/["'`]|\b\d/.test(insert)),
	};
}

/** The similarity between a line and the one at the cursor, in tokens. */
function strengthOf(place: Continuation, typed: TypedLine): number {
	const isHere = place.document === typed.document;
	const isNear = isHere && Math.abs(place.line - typed.line) < AT_HAND_LINES;
	const bonuses = [place.isWhole, place.isTouched, isHere, isNear];
	const penalty = place.swaps.size + (place.isBegun ? 1 : 0);
	return place.matched + bonuses.filter(Boolean).length + 2 * place.above - penalty;
}

/** The words near the cursor. */
function namesNear({ document, line, before }: TypedLine): ReadonlySet<string> {
	const { text } = document;
	// The last typed word may be incomplete.
	const names = new Set(before.tokens.slice(0, -1).map((token) => token.text));
	const last = Math.min(line + AT_HAND_LINES, text.lineCount - 1);
	for (let near = Math.max(line - AT_HAND_LINES, 0); near <= last; near++) {
		if (near !== line) for (const token of lineOf(text, near).tokens) names.add(token.text);
	}
	return names;
}

const OPENED: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Whether the brackets on a line are balanced, ignoring an open brace at its end. */
function isBalanced(line: string): boolean {
	const open: string[] = [];
	for (const sign of line.replace(/\{$/, "")) {
		if ("([{".includes(sign)) open.push(sign);
		else if (sign in OPENED && open.pop() !== OPENED[sign]) return false;
	}
	return open.length === 0;
}

function most(values: readonly number[]): number {
	return values.reduce((a, b) => Math.max(a, b));
}

function yes(it: boolean): number {
	return it ? 1 : 0;
}
