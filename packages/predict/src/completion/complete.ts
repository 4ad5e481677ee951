import type { Document } from "@segue/text";
import type { Features } from "../candidate.js";
import { type GateResult, judgeText, type Objection, type Thresholds } from "../gate/gate.js";
import { LINE_MAX } from "../languages/identifiers.js";
import { partAt } from "../languages/parts.js";
import { lineOf, readLine } from "../line.js";
import type { Memory } from "../memory.js";
import { readable, type UnreadableReason } from "../predict.js";
import type { Scene } from "../scene.js";
import {
	type CompletionContext,
	type ContinuationGroup,
	completionContextOf,
	completionFeaturesOf,
} from "./completion-features.js";
import { chanceOfCompletion } from "./completion-score.js";
import { type Continuation, continuationsOf, type TypedLine } from "./continuation.js";

/**
 * Confidence needed to show a completion. Lower than for an edit elsewhere, because the user is already looking at the
 * cursor and can type over a wrong completion. In cross-validation by repository, shown completions are right 3 out of
 * 4 times at medium eagerness, 5 out of 6 at low, and 2 out of 3 at high.
 */
const THRESHOLDS: Thresholds = { low: 0.65, medium: 0.42, high: 0.32 };
// The best completion is ambiguous if its lead over the runner-up is smaller than this.
const CLOSE = 0.1;
// Only the groups with the most weight are scored. The others have no chance of being shown.
const GROUPS_MAX = 16;
// Only the best candidates are judged. Feedback cannot move a lower-ranked one to the front.
const JUDGED_MAX = 3;

/** A completion at the cursor. */
export interface Completion {
	/** The offset of the cursor. */
	readonly at: number;
	readonly insert: string;
	readonly confidence: number;
	/** A sentence for the user, for example "line 12 and 2 more continue like this". */
	readonly why: string;
	/** The rules that found it, as recorded in `Memory`. */
	readonly rules: readonly string[];
	/** Identical for completions that insert the same text in the same document. */
	readonly key: string;
}

/**
 * Why there is no completion. "nothing-typed": the cursor's line has only whitespace before the cursor. "unclear": two
 * continuations are about equally likely.
 */
export type NoCompletionReason =
	| UnreadableReason
	| "selection"
	| "nothing-typed"
	| "long-line"
	| "nothing-found"
	| "unclear"
	| Objection;

/**
 * Completes the line at the cursor based on similar lines. Deterministic: equal scenes and memories give equal results.
 */
export function complete(scene: Scene, memory: Memory): Completion | { readonly silence: NoCompletionReason } {
	const found = completionsOf(scene);
	if ("silence" in found) return found;
	const { typed } = found;
	const judged = found.candidates
		.toSorted((a, b) => b.confidence - a.confidence)
		.slice(0, JUDGED_MAX)
		.map((candidate) => ({ ...candidate, ...judgeInsert(candidate, found, memory) }))
		.toSorted((a, b) => b.confidence - a.confidence);
	const [best, second] = judged;
	if (best === undefined) return { silence: "nothing-found" };
	if (best.objection !== undefined) return { silence: best.objection };
	if (repeatsNext(typed, best.insert)) return { silence: "repeats-next-lines" };
	if (second !== undefined && best.confidence - second.confidence < CLOSE) return { silence: "unclear" };
	const { insert, confidence, why, rules, key } = best;
	return { at: typed.at, insert, confidence, why, rules, key };
}

function judgeInsert(candidate: CompletionCandidate, { scene, typed }: Found, memory: Memory): GateResult {
	const { document, at } = typed;
	const proposal = {
		kind: "edit",
		uri: document.uri,
		edits: [{ from: at, to: at, insert: candidate.insert }],
	} as const;
	// A completion may leave brackets open, because the user is still writing the line.
	return judgeText({ ...candidate, proposal }, document, scene, memory, THRESHOLDS);
}

/** Whether the completed line would equal the next line. */
function repeatsNext({ document, line, before, after }: TypedLine, insert: string): boolean {
	const below = lineOf(document.text, line + 1).text.trim();
	return /\w/.test(below) && below === (before.text + insert + after).trim();
}

/** A possible completion, before the gate. */
export interface CompletionCandidate {
	readonly insert: string;
	readonly rules: readonly string[];
	readonly why: string;
	readonly features: Features;
	readonly confidence: number;
}

/** The candidates, and the scene reduced to the documents that may be read. */
interface Found {
	readonly scene: Scene;
	readonly typed: TypedLine;
	readonly candidates: readonly CompletionCandidate[];
}

/** Returns all candidates derived from other lines, or the reason why no search was made. */
export function completionsOf(scene: Scene): Found | { readonly silence: NoCompletionReason } {
	const open = readable(scene);
	if ("silence" in open) return open;
	if (scene.selection.anchor !== scene.selection.head) return { silence: "selection" };
	const typed = typedAt(open.document, scene.cursor);
	if (typed.before.tokens.length === 0) return { silence: "nothing-typed" };
	if (typed.before.text.length > LINE_MAX) return { silence: "long-line" };
	const continuations = continuationsOf(open, typed).flatMap((one) => withoutAfter(one, typed) ?? []);
	const isProse = partAt(open.document, scene.cursor) !== "code";
	// In prose, only exact repetitions are meaningful.
	const meant = isProse ? continuations.filter((one) => one.isWhole && one.swaps.size === 0) : continuations;
	const ground = completionContextOf(typed, isProse, meant);
	const candidates = ground.groups.slice(0, GROUPS_MAX).map((group) => candidateOf(ground, group));
	return { scene: open, typed, candidates };
}

function typedAt(document: Document, cursor: number): TypedLine {
	const { text } = document;
	const { line, start } = text.locate(cursor);
	const end = text.lineEnd(line);
	// The cursor must not be between CR and LF.
	const at = Math.min(cursor, end);
	return { document, line, at, before: readLine(text.slice(start, at)), after: text.slice(at, end).trimEnd() };
}

/**
 * Removes the text after the cursor from a continuation. Returns undefined if the continuation does not end with that
 * text.
 */
function withoutAfter(one: Continuation, { after }: TypedLine): Continuation | undefined {
	if (after === "") return one;
	const rest = one.rest.endsWith(after) ? one.rest.slice(0, -after.length) : "";
	return rest === "" ? undefined : { ...one, rest };
}

function candidateOf(ground: CompletionContext, group: ContinuationGroup): CompletionCandidate {
	const { insert, places, best } = group;
	const features = completionFeaturesOf(ground, group);
	const tokens = ground.typed.before.tokens.slice(-best.matched).map(({ text }) => text);
	const where = best.document === ground.typed.document ? `line ${best.line + 1}` : "another file";
	const why =
		places.length === 1 ? `${where} continues like this` : `${where} and ${places.length - 1} more continue like this`;
	return {
		insert,
		rules: [`complete ${tokens.join(" ")}`],
		why,
		features,
		confidence: chanceOfCompletion(features),
	};
}
