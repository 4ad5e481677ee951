import { Change, type Document, isSecretUri, sameUri, uriKey } from "@segue/text";
import type { Candidate, Finding, ModelEdits } from "./candidate.js";
import { type Example, examplesOf } from "./example.js";
import type { RemainingSite } from "./explanation.js";
import {
	confidenceOf,
	editsOf,
	type GateResult,
	isSure,
	judgeSyntax,
	judgeText,
	keyOfEdits,
	type Objection,
} from "./gate/gate.js";
import { completeChange } from "./gate/syntax-errors.js";
import type { History } from "./history.js";
import { type Readability, readabilityOf } from "./languages/reading.js";
import type { Memory } from "./memory.js";
import { modelCandidates } from "./model-candidates.js";
import { combine } from "./ranking/combination.js";
import { indent } from "./ranking/indentation.js";
import { type PoolOptions, pool } from "./ranking/pool.js";
import { proposeAdaptedBlocks } from "./rules/adapted-block.js";
import { proposeBlocks } from "./rules/block.js";
import { proposeCalls } from "./rules/calls.js";
import { proposeFixes } from "./rules/diagnostic.js";
import { proposeJumps } from "./rules/jump.js";
import { proposeImports } from "./rules/missing-import.js";
import { proposePasted } from "./rules/paste.js";
import { proposeRename, renameRule } from "./rules/rename.js";
import { proposeRepeats } from "./rules/repeat.js";
import { proposeSiblings } from "./rules/sibling.js";
import { spreads, takenNames } from "./rules/taken-name.js";
import { proposeTemplates } from "./rules/template.js";
import { documentOf, rankOf, type Scene } from "./scene.js";
import type { Proposal, Suggestion } from "./suggestion.js";
import { stepTo } from "./version-cache.js";

// Users don't read more suggestions than this.
const SUGGESTIONS_MAX = 3;
// Limit on candidates that the parser rejects in one request. Each costs about a millisecond, and if this many break
// the syntax, the next one probably does too. After that, only candidates that need no parser remain, for example
// jumps.
const REFUSED_MAX = 8;

// "below-threshold" tells users that they can request the edit. Less likely edits are not worth the key press.
const WORTH_ASKING = 0.2;

/** The predictors. Each sees only the scene and the user's edits. */
const PROPOSERS: readonly ((scene: Scene, examples: readonly Example[]) => Finding[])[] = [
	proposeFixes,
	proposeImports,
	proposeRename,
	proposeRepeats,
	proposeBlocks,
	proposeTemplates,
	proposeAdaptedBlocks,
	proposeSiblings,
	proposePasted,
	proposeCalls,
	proposeJumps,
];

/** The suggestions, best first, or the reason why there are none. */
export type Prediction =
	| { readonly suggestions: readonly Suggestion[] }
	| {
			readonly silence: NoSuggestionReason;
			/** Details for the user, as a sentence: why the model failed, and what to do about it. */
			readonly detail?: string;
			readonly model?: ModelWithoutEdit;
	  };

/** A model that returned no edit. Safe to log: contains no document text and no server message. */
export interface ModelWithoutEdit {
	readonly name: string;
	/** The kind of failure; undefined if the model answered. */
	readonly failure: string | undefined;
	/** The cause and the next step, as text for the user. */
	readonly words: string;
}

/**
 * Why there is no suggestion: the predictors did not run, they found nothing, or the gate objected to the best
 * candidate.
 */
export type NoSuggestionReason = NoRequestReason | "nothing-found" | Objection | NoModelEditReason;

/**
 * Why a model returned no edit. A "virtual-file" has a scheme that only its editor can resolve, so it may be private.
 * "model-resting" is a pause after a failure. A newer request makes a pending one "superseded".
 */
export type NoModelEditReason =
	| "virtual-file"
	| "model-failed"
	| "model-resting"
	| "no-edit"
	| "unreadable-answer"
	| "special-token-in-text"
	| "too-long"
	| "superseded";

/** Why no predictor runs: the document is not read, or the history is empty and there is nothing to fix. */
type NoRequestReason = UnreadableReason | "no-history";

/** Why a document is not read: it may be secret, the history does not match its text, or it was not written by hand. */
export type UnreadableReason = "secret-file" | "other-history" | `${Exclude<Readability, "ok">}-file`;

/** Receives all candidates of a request, most confident first. Not called if the predictors did not run. */
export type PredictionObserver = (considered: readonly ConsideredCandidate[]) => void;

/** A candidate and what became of it. */
export interface ConsideredCandidate {
	readonly candidate: Candidate;
	/** The document that the candidate changes. */
	readonly document: Document;
	/** The scorer's confidence, adjusted by earlier feedback on its rules. */
	readonly confidence: number;
	readonly objection: Objection | undefined;
	/** Undefined if the gate objects, or if a more confident candidate overlaps this one. */
	readonly suggestion: Suggestion | undefined;
}

/** Predicts the next edit. Deterministic: equal scenes and memories yield equal predictions. */
export function predict(
	scene: Scene,
	memory: Memory,
	{ watch }: { readonly watch?: PredictionObserver | undefined } = {},
): Prediction {
	return predictWith(scene, memory, undefined, watch);
}

/** Predicts the next edit from the rules and from a model's edits. */
export function predictWith(
	scene: Scene,
	memory: Memory,
	written: ModelEdits | undefined,
	watch?: PredictionObserver,
): Prediction {
	const found = candidatesOf(scene, written);
	if ("silence" in found) return found;
	const ranked = found.candidates
		.map(({ candidate, document }, order) => {
			return { candidate, document, order, confidence: confidenceOf(candidate, memory) };
		})
		.toSorted((a, b) => b.confidence - a.confidence);
	// Most candidates are below the threshold, so the other checks can be skipped. The best one gives the no-suggestion
	// reason.
	const judged = ranked
		.filter(({ confidence }, rank) => rank === 0 || isSure(confidence, found.scene))
		.map(({ candidate, document, order }) => {
			return { candidate, document, order, verdict: judgeText(candidate, document, found.scene, memory) };
		});
	// The explanation of a jump does not count sites that the user has already jumped to.
	const visited = judged
		.filter(({ verdict }) => verdict.objection === "already-visited")
		.map(({ candidate }) => candidate.proposal);
	const isRejected = ({ document, edits }: RemainingSite) => {
		return memory.hasRejections && edits !== undefined && memory.isRejected(keyOfEdits(edits, document));
	};
	const offered: { readonly order: number; readonly suggestion: Suggestion }[] = [];
	for (const { candidate, order, verdict } of choose(judged, found.scene, memory)) {
		const isJump = candidate.proposal.kind === "jump";
		const before = [...(isJump ? visited : []), ...offered.map(({ suggestion }) => suggestion)];
		offered.push({ order, suggestion: suggestionOf(candidate, verdict, before, isRejected) });
		// The next suggestion depends on the user's edit at the target of the jump.
		if (isJump && candidate.modelEdits === undefined) break;
	}
	if (watch !== undefined) {
		const verdicts = new Map(judged.map(({ order, verdict }) => [order, verdict]));
		const suggestions = new Map(offered.map(({ order, suggestion }) => [order, suggestion]));
		watch(
			ranked.map((one) => {
				// Candidates that were not judged are below the threshold.
				const { objection } = verdicts.get(one.order) ?? UNSURE;
				return { ...one, objection, suggestion: suggestions.get(one.order) };
			}),
		);
	}
	if (offered.length > 0) return { suggestions: offered.map(({ suggestion }) => suggestion) };
	const objection = judged.find(({ verdict }) => verdict.objection)?.verdict.objection ?? "nothing-found";
	const isPoor = objection === "below-threshold" && (ranked[0]?.confidence ?? 0) < WORTH_ASKING;
	return { silence: isPoor ? "nothing-found" : objection };
}

const UNSURE = { objection: "below-threshold" } as const;

interface JudgedCandidate {
	/** Replaced if lines around the edit must be deleted too. */
	candidate: Candidate;
	readonly document: Document;
	/** Index in the order in which the candidates were proposed. */
	readonly order: number;
	/** Replaced after the parser has run. */
	verdict: GateResult;
}

/** Returns the candidates to show, in order. Runs the parser only on candidates that are about to be chosen. */
function choose(judged: readonly JudgedCandidate[], scene: Scene, memory: Memory): JudgedCandidate[] {
	let left = judged.filter(({ verdict }) => verdict.objection === undefined || verdict.awaitsParser);
	// A manual request is for one suggestion. The editor shows the next ones automatically, so these must pass the
	// automatic gate.
	const unasked = { ...scene, trigger: "automatic" } as const;
	const held = new Map<JudgedCandidate, GateResult>();
	const isHeld = (one: JudgedCandidate) => {
		if (scene.trigger !== "manual") return false;
		const verdict = held.get(one) ?? judgeText(one.candidate, one.document, unasked, memory);
		held.set(one, verdict);
		return verdict.objection !== undefined && !verdict.awaitsParser;
	};
	for (let refused = 1; ; refused++) {
		const chosen: JudgedCandidate[] = [];
		let broken: JudgedCandidate | undefined;
		for (const one of inOrder(left)) {
			if (chosen.length >= SUGGESTIONS_MAX) break;
			const isTaken = () => chosen.some(({ candidate: better }) => meets(better, one.candidate));
			if (isTaken() || (chosen.length > 0 && isHeld(one))) continue;
			if (one.verdict.awaitsParser) askParser(one, scene, memory);
			if (one.verdict.objection !== undefined) {
				broken = one;
				break;
			}
			// The parser check may have extended it to lines that a better candidate changes.
			if (!isTaken()) chosen.push(one);
		}
		if (broken === undefined) {
			for (const [one, verdict] of held) if (!chosen.includes(one) && isHeld(one)) one.verdict = verdict;
			return chosen;
		}
		// The order depends on the remaining candidates, so compute it again.
		left = left.filter((one) => one !== broken && !(one.verdict.awaitsParser && refused >= REFUSED_MAX));
	}
}

/** Updates the verdict with the parser's result. An edit that breaks the syntax is completed if possible. */
function askParser(judged: JudgedCandidate, scene: Scene, memory: Memory): void {
	const { candidate, document, verdict } = judged;
	const { proposal } = candidate;
	judged.verdict = judgeSyntax(candidate, document, scene, verdict);
	if (judged.verdict.objection === undefined || proposal.kind !== "edit" || candidate.modelEdits !== undefined) return;
	const whole = completeChange(Change.of(proposal.edits, document.text.length), document, scene);
	if (whole === undefined) return;
	const completion = { ...candidate, proposal: { ...proposal, edits: whole.edits } };
	const ofWhole = judgeSyntax(completion, document, scene, judgeText(completion, document, scene, memory));
	if (ofWhole.objection === undefined) Object.assign(judged, { candidate: completion, verdict: ofWhole });
}

/** Orders the candidates: the most confident one, then others from the same rule or model, then the rest. */
function inOrder(judged: readonly JudgedCandidate[]): JudgedCandidate[] {
	const isWritten = ({ candidate }: JudgedCandidate) => candidate.modelEdits !== undefined;
	// Other jumps are a fallback for when there is no edit; a jump to a model's edit counts as an edit.
	const edits = judged.filter((one) => isWritten(one) || one.candidate.proposal.kind !== "jump");
	const left = edits.length > 0 ? edits : judged;
	const written = left.filter(isWritten).toSorted((a, b) => a.order - b.order);
	const found = left.filter((one) => !isWritten(one));
	const ordered = edits.length > 0 ? nearestOfBest(found) : found;
	return left[0] && isWritten(left[0]) ? [...written, ...ordered] : [...ordered, ...written];
}

// Confidences that differ by less are treated as equal.
const CLOSE = 0.15;

/**
 * Sites of the most confident rule come first, with those in the current document before the others; all other
 * candidates follow. Within each group, sites that are about as confident as the best one are in visiting order. For a
 * rename, all sites are in visiting order.
 */
function nearestOfBest(judged: readonly JudgedCandidate[]): JudgedCandidate[] {
	const rule = judged[0]?.candidate.rules[0];
	const own = judged.filter(({ candidate }) => candidate.rules[0] === rule);
	const isHere = ({ candidate }: JudgedCandidate) => candidate.features.get("elsewhere") === 0;
	const here = likeliestInVisitOrder(own.filter(isHere));
	const elsewhere = likeliestInVisitOrder(own.filter((one) => !isHere(one)));
	return [...here, ...elsewhere, ...judged.filter((one) => !own.includes(one))];
}

/** Returns the sites about as confident as the best one, in visiting order, then the rest, sorted by confidence. */
function likeliestInVisitOrder(judged: readonly JudgedCandidate[]): JudgedCandidate[] {
	const best = judged[0]?.verdict.confidence ?? 0;
	const isLike = ({ candidate, verdict }: JudgedCandidate) => {
		return candidate.predictor === "rename" || verdict.confidence > best - CLOSE;
	};
	const rankOf = ({ candidate }: JudgedCandidate) => candidate.features.get("rank") ?? 0;
	const alike = judged.filter(isLike).toSorted((a, b) => rankOf(a) - rankOf(b));
	return [...alike, ...judged.filter((one) => !isLike(one))];
}

/** All candidates for a scene, before the gate, or the reason why the predictors did not run. */
export type CandidateSet =
	| { readonly scene: Scene; readonly candidates: readonly { candidate: Candidate; document: Document }[] }
	| { readonly silence: NoRequestReason };

/**
 * Returns all candidates for a scene, each with its document. The returned scene contains only documents that may be
 * read.
 */
export function candidatesOf(scene: Scene, written?: ModelEdits, options?: PoolOptions): CandidateSet {
	const open = readable(scene);
	if ("silence" in open) return open;
	const examples = examplesOf(scene.history).filter(({ file }) => !isSecretUri(file.uri));
	const findings = PROPOSERS.flatMap((propose) => propose(open, examples));
	const indented = indent(open, examples, [...findings, ...combine(open, findings)]);
	const pooled = pool(open, examples, indented, options);
	const found = withTaken(open, examples, withSurest(pooled));
	const candidates = [...found, ...(written === undefined ? [] : modelCandidates(written, open))].map((candidate) => {
		return { candidate, document: documentOf(open, candidate.proposal.uri) as Document };
	});
	// Without an edit, there can still be an error to fix.
	if (examples.length === 0 && candidates.length === 0) return { silence: "no-history" };
	return { scene: open, candidates };
}

/**
 * Assigns all sites of a rename the confidence of the best one, except where the name may mean something else. A
 * rename applies everywhere or nowhere: with separate confidences, some sites would be counted in the explanation but
 * never offered.
 */
function withSurest(candidates: readonly Candidate[]): readonly Candidate[] {
	const ruleOf = ({ predictor, rules, isDoubtful, isUnclear }: Candidate) => {
		return predictor === "rename" && !isDoubtful && !isUnclear ? rules[0] : undefined;
	};
	const surest = new Map<string | undefined, number>();
	for (const candidate of candidates) {
		const rule = ruleOf(candidate);
		surest.set(rule, Math.max(surest.get(rule) ?? 0, candidate.confidence));
	}
	return candidates.map((candidate) => {
		const rule = ruleOf(candidate);
		const { confidence } = candidate;
		return rule === undefined ? candidate : { ...candidate, confidence: surest.get(rule) ?? confidence };
	});
}

/** Marks candidates that would insert a name already declared at their site. */
function withTaken(scene: Scene, examples: readonly Example[], candidates: readonly Candidate[]): readonly Candidate[] {
	const taken = takenNames(scene, examples);
	if (taken.length === 0) return candidates;
	return candidates.map((candidate) => {
		const { proposal, rules, leadsTo } = candidate;
		const document = documentOf(scene, proposal.uri);
		const edits = proposal.kind === "edit" ? proposal.edits : leadsTo;
		const isTaken = taken.some((pair) => {
			if (rules.includes(renameRule(pair.oldName, pair.newName))) return true;
			return document !== undefined && edits !== undefined && spreads(document, edits, pair);
		});
		return isTaken ? { ...candidate, isTaken } : candidate;
	});
}

/**
 * Returns the scene with only the documents that may be read, or the reason why the scene's own document may not be
 * read.
 */
export function readable(scene: Scene): Scene | { readonly silence: UnreadableReason } {
	if (isSecretUri(scene.document.uri)) return { silence: "secret-file" };
	const document = settle(scene.document, scene.history);
	if (document === undefined) return { silence: "other-history" };
	const readability = readabilityOf(document);
	if (readability !== "ok") return { silence: `${readability}-file` };
	// Frees values cached for older versions of this document, even if no rule searches it.
	stepTo(document.text);
	return { ...scene, document, neighbours: settleAll(readableOf(scene.neighbours), scene.history) };
}

// While the user types in one document, the others don't change between requests.
const READABLE = new WeakMap<readonly Document[], readonly Document[]>();

/** The documents that are neither secret nor unreadable. */
function readableOf(documents: readonly Document[]): readonly Document[] {
	let readable = READABLE.get(documents);
	if (readable === undefined) {
		readable = documents.filter((one) => !isSecretUri(one.uri) && readabilityOf(one) === "ok");
		READABLE.set(documents, readable);
	}
	return readable;
}

/** Calls `settle` on the documents that the user edited, and drops those whose text differs from the history's. */
function settleAll(documents: readonly Document[], history: History): readonly Document[] {
	const settled = new Map<Document, Document | undefined>();
	for (const { uri } of history.files) {
		const document = documents[rankOf(documents, uriKey(uri)) ?? -1];
		if (document === undefined) continue;
		const now = settle(document, history);
		if (now !== document) settled.set(document, now);
	}
	if (settled.size === 0) return documents;
	return documents.flatMap((one) => (settled.has(one) ? (settled.get(one) ?? []) : [one]));
}

/**
 * Replaces the document's text with the history's `Text` object, because caches are keyed by identity. Returns
 * undefined if the two differ.
 */
function settle(document: Document, history: History): Document | undefined {
	const { now: text = document.text } = history.fileOf(document.uri) ?? {};
	if (text === document.text) return document;
	return text.equals(document.text) ? { ...document, text } : undefined;
}

function suggestionOf(
	{ proposal, predictor, rules, why: explain, modelEdits: written }: Candidate,
	{ confidence, cursor, key }: GateResult,
	before: readonly Proposal[],
	isRejected: (place: RemainingSite) => boolean,
): Suggestion {
	// Worded as if the earlier suggestions had been accepted.
	const why = explain(before, isRejected);
	// Adding a property after a spread costs V8 a microsecond, so the spread comes last.
	if (written === undefined) return { predictor, rules, confidence, why, cursor, key, ...proposal };
	return { predictor, source: written.source, rules, confidence, why, cursor, key, ...proposal };
}

/**
 * Whether two candidates overlap. A candidate that neither makes edits nor leads to any counts as covering the whole
 * document.
 */
function meets(a: Candidate, b: Candidate): boolean {
	if (!sameUri(a.proposal.uri, b.proposal.uri)) return false;
	const [ones, others] = [editsOf(a), editsOf(b)];
	if (ones === undefined || others === undefined) return true;
	return ones.some((one) => others.some((other) => one.from <= other.to && other.from <= one.to));
}
