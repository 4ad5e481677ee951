import type { Features } from "../candidate.js";
import { isName } from "../languages/identifiers.js";
import { lineOf, readLine } from "../line.js";
import type { Feature } from "../ranking/features.js";
import { isImport } from "../rules/insertion.js";
import { isWord } from "../rules/substitution.js";
import type { Continuation, TypedLine } from "./continuation.js";

const YES = [1];

/** What is weighed of a completion, in plain words, with the values from which on each says more. */
export const COMPLETION_FEATURES: Readonly<Record<string, Feature>> = {
	places: { says: "how many places go on like this", steps: [2, 3, 5, 10] },
	documents: { says: "in how many documents they are", steps: [2, 3] },
	share: {
		says: "the part of all that goes on after what is typed, by how much is alike",
		steps: [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99],
	},
	others: { says: "in how many other ways other places go on", steps: [1, 2, 4, 8] },
	matched: { says: "how many tokens before the cursor are the same", steps: [2, 3, 4, 5, 6, 8, 10] },
	lead: { says: "how many more than at any place that goes on otherwise", steps: [1, 2, 3, 5] },
	whole: { says: "the lines are the same from their start", steps: YES },
	swaps: { says: "how many names are others", steps: [1, 2, 3] },
	adapted: { says: "how many names of the rest were changed with them", steps: [1, 2] },
	begun: { says: "the last word is only begun", steps: YES },
	unheard: { says: "the last word stands nowhere near", steps: YES },
	above: { says: "how much the lines above are alike", steps: [0.3, 0.5, 0.7, 0.9, 0.97] },
	touched: { says: "the user wrote or changed such a line", steps: YES },
	near: { says: "how many lines it is away", steps: [3, 10, 30, 100, 300] },
	elsewhere: { says: "there is none in this document", steps: YES },
	tokens: { says: "how many tokens come", steps: [2, 3, 5, 8, 12] },
	names: { says: "how many of them are names", steps: [1, 2, 3, 5] },
	fresh: { says: "how many of those names stand nowhere near", steps: [1, 2] },
	typed: { says: "how many tokens are typed", steps: [2, 3, 5, 8, 12] },
	balanced: { says: "what was opened on the line is closed, and nothing else", steps: YES },
	prose: { says: "it is in a comment or a string", steps: YES },
	opens: { says: "what comes stands right behind an opening bracket or a comma", steps: YES },
	member: { says: "what comes is looked up in something", steps: YES },
	assigned: { says: "what comes is assigned or compared", steps: YES },
	already: { says: "the same line stands a few lines away", steps: YES },
	twice: { says: "the same line stands in this document", steps: YES },
	import: { says: "the line takes something from elsewhere", steps: YES },
	endsAbove: { says: "the line ends as the one above does", steps: YES },
	endsBelow: { says: "the line ends as the one below does", steps: YES },
	signs: { says: "it is nothing but signs", steps: YES },
	literal: { says: "there is a number or a string in it", steps: YES },
};

/** Pairs that say more together than each by itself. */
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

// Names that stand so near are at hand, and a line that does is in sight.
const AT_HAND_LINES = 40;
const BESIDE_LINES = 6;

/** The line at the cursor, as features look at it; what is the same for all its completions is found out once. */
export interface CompletionContext {
	readonly typed: TypedLine;
	/** The cursor is in a comment or a string. */
	readonly isProse: boolean;
	/** By what they write, those that count most first. */
	readonly groups: readonly ContinuationGroup[];
	/** What all of them count together. */
	readonly weight: number;
	/** The two that have most before the cursor, of different groups. */
	readonly longest: readonly [ContinuationGroup | undefined, ContinuationGroup | undefined];
	/** The words around the cursor. */
	readonly atHand: ReadonlySet<string>;
}

/** All places that go on in the same way. */
export interface ContinuationGroup {
	readonly insert: string;
	readonly places: readonly Continuation[];
	/** The one that is most like the cursor's. */
	readonly best: Continuation;
	readonly weight: number;
	/** How many tokens before the cursor are the same. */
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
		// With every token more that is the same, a place counts twice as much.
		weight += 2 ** own;
		if (own > strength) [best, strength] = [place, own];
	}
	return { insert, places, best, weight, matched: most(places.map((one) => one.matched)) };
}

/** What speaks for and against a completion. */
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

/** How much a place is like the cursor's, in tokens. */
function strengthOf(place: Continuation, typed: TypedLine): number {
	const isHere = place.document === typed.document;
	const isNear = isHere && Math.abs(place.line - typed.line) < AT_HAND_LINES;
	const speaksFor = [place.isWhole, place.isTouched, isHere, isNear];
	const against = place.swaps.size + (place.isBegun ? 1 : 0);
	return place.matched + speaksFor.filter(Boolean).length + 2 * place.above - against;
}

/** The words around the cursor. */
function namesNear({ document, line, before }: TypedLine): ReadonlySet<string> {
	const { text } = document;
	// The last of what is typed may be a word that is only begun.
	const names = new Set(before.tokens.slice(0, -1).map((token) => token.text));
	const last = Math.min(line + AT_HAND_LINES, text.lineCount - 1);
	for (let near = Math.max(line - AT_HAND_LINES, 0); near <= last; near++) {
		if (near !== line) for (const token of lineOf(text, near).tokens) names.add(token.text);
	}
	return names;
}

const OPENED: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Whether every bracket of a line is closed on it. A brace may be left open at its end. */
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
