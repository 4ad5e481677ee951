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
import { pool } from "./ranking/pool.js";
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

// More are not looked at, and each is shown with its own place.
const SUGGESTIONS_MAX = 3;
// How many candidates the parser may refuse in one request. Each costs about a millisecond, and if so many break the syntax,
// the next one probably does too. After that, only candidates that need no parser are left, for example jumps.
const REFUSED_MAX = 8;

/** All who propose. Each looks at the scene and what the user changed, and knows nothing of the others. */
const PROPOSERS: readonly ((scene: Scene, examples: readonly Example[]) => Finding[])[] = [
	proposeFixes,
	proposeImports,
	proposeRename,
	proposeRepeats,
	proposeBlocks,
	proposeTemplates,
	proposeSiblings,
	proposePasted,
	proposeCalls,
	proposeJumps,
];

/** What is offered to the user, best first; or why nothing is. */
export type Prediction =
	| { readonly suggestions: readonly Suggestion[] }
	| {
			readonly silence: NoSuggestionReason;
			/** A sentence for the user, where there is more to say: why a model gave no answer, and what to do about it. */
			readonly detail?: string;
			readonly model?: ModelWithoutEdit;
	  };

/** What may be written down of a model that has nothing to offer: no word of a document, and none that a server has said. */
export interface ModelWithoutEdit {
	readonly name: string;
	/** Which kind of failure it was, where it was one. */
	readonly failure: string | undefined;
	/** A sentence for the user, with the next step. */
	readonly words: string;
}

/** Why nothing is offered: nobody was asked, or nobody proposed anything, or what was wrong with the best proposal. */
export type NoSuggestionReason = NoRequestReason | "nothing-found" | Objection | NoModelEditReason;

/**
 * Why nothing came of a model: the document has a scheme that only its editor knows, so that it may be private; it could not
 * be asked or did not answer; it is left alone for a while after that; it says that
 * there is nothing to change; what it says cannot be read; what it would be shown holds a token of its prompts, or is too long;
 * it was asked something newer before it had answered.
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

/** Why no predictor is asked: the document is not read, or the history is empty and there is nothing to fix. */
type NoRequestReason = UnreadableReason | "no-history";

/** Why a document is not read: it may be secret; the history led to another text; or it was not written by hand. */
export type UnreadableReason = "secret-file" | "other-history" | `${Exclude<Readability, "ok">}-file`;

/** Looks on while the engine decides: told of all that was considered, the likeliest first, when there was anything. */
export type PredictionObserver = (considered: readonly ConsideredCandidate[]) => void;

/** A candidate, and what became of it. */
export interface ConsideredCandidate {
	readonly candidate: Candidate;
	/** The document that it is for. */
	readonly document: Document;
	/** The scorer's, moved by what the user did with others of its rules. */
	readonly confidence: number;
	readonly objection: Objection | undefined;
	/** The suggestion that it became. What the gate lets through stays behind a likelier one for the same place. */
	readonly suggestion: Suggestion | undefined;
}

/** Predicts the next edit. The same scene and memory always give the same answer. */
export function predict(
	scene: Scene,
	memory: Memory,
	{ watch }: { readonly watch?: PredictionObserver | undefined } = {},
): Prediction {
	return predictWith(scene, memory, undefined, watch);
}

/** Predicts the next edit, also from what a model wrote. */
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
	// Most are too unsure, and it does not matter what else is wrong with them. The best gives the reason for silence.
	const judged = ranked
		.filter(({ confidence }, rank) => rank === 0 || isSure(confidence, found.scene))
		.map(({ candidate, document, order }) => {
			return { candidate, document, order, verdict: judgeText(candidate, document, found.scene, memory) };
		});
	// The why of a jump does not count places that the user has already been taken to.
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
		// What follows a jump depends on what the user does at its target.
		if (isJump && candidate.modelEdits === undefined) break;
	}
	if (watch !== undefined) {
		const verdicts = new Map(judged.map(({ order, verdict }) => [order, verdict]));
		const suggestions = new Map(offered.map(({ order, suggestion }) => [order, suggestion]));
		watch(
			ranked.map((one) => {
				// Candidates that were not judged are too unsure.
				const { objection } = verdicts.get(one.order) ?? UNSURE;
				return { ...one, objection, suggestion: suggestions.get(one.order) };
			}),
		);
	}
	if (offered.length > 0) return { suggestions: offered.map(({ suggestion }) => suggestion) };
	return { silence: judged.find(({ verdict }) => verdict.objection)?.verdict.objection ?? "nothing-found" };
}

const UNSURE = { objection: "below-threshold" } as const;

interface JudgedCandidate {
	/** Replaced where lines around it must be deleted too. */
	candidate: Candidate;
	readonly document: Document;
	/** Its place among all, as they were proposed. */
	readonly order: number;
	/** Replaced once the parser was asked. */
	verdict: GateResult;
}

/** The candidates to show, in order. Asks the parser about each before it is chosen, and about no others. */
function choose(judged: readonly JudgedCandidate[], scene: Scene, memory: Memory): JudgedCandidate[] {
	let left = judged.filter(({ verdict }) => verdict.objection === undefined || verdict.awaitsParser);
	// A request by hand is for one suggestion. The editor shows the next ones unasked, so they must pass the automatic gate.
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
			// It may have been completed by lines that a better candidate changes.
			if (!isTaken()) chosen.push(one);
		}
		if (broken === undefined) {
			for (const [one, verdict] of held) if (!chosen.includes(one) && isHeld(one)) one.verdict = verdict;
			return chosen;
		}
		// The order depends on the candidates that are left, so it is determined again.
		left = left.filter((one) => one !== broken && !(one.verdict.awaitsParser && refused >= REFUSED_MAX));
	}
}

/** Confirms or overrules the verdict. An edit of one line that breaks the syntax is completed if possible. */
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

/** What may be shown, the surest of all first: then what else its rules found or its model wrote, and then the others. */
function inOrder(judged: readonly JudgedCandidate[]): JudgedCandidate[] {
	const isWritten = ({ candidate }: JudgedCandidate) => candidate.modelEdits !== undefined;
	// A jump is for where there is nothing to write yet. One to what a model wrote leads to something.
	const edits = judged.filter((one) => isWritten(one) || one.candidate.proposal.kind !== "jump");
	const left = edits.length > 0 ? edits : judged;
	const written = left.filter(isWritten).toSorted((a, b) => a.order - b.order);
	const found = left.filter((one) => !isWritten(one));
	const ordered = edits.length > 0 ? nearestOfBest(found) : found;
	return left[0] && isWritten(left[0]) ? [...written, ...ordered] : [...ordered, ...written];
}

// Chances that differ by less are taken for the same.
const CLOSE = 0.1;

/**
 * The places of the surest rule, then the others. Its places in the current document come first. In each of the two groups,
 * places that are about as sure as the surest are in the order in which the user visits them; of a rename, all places are.
 */
function nearestOfBest(judged: readonly JudgedCandidate[]): JudgedCandidate[] {
	const rule = judged[0]?.candidate.rules[0];
	const own = judged.filter(({ candidate }) => candidate.rules[0] === rule);
	const isHere = ({ candidate }: JudgedCandidate) => candidate.features.get("elsewhere") === 0;
	const here = likeliestInVisitOrder(own.filter(isHere));
	const elsewhere = likeliestInVisitOrder(own.filter((one) => !isHere(one)));
	return [...here, ...elsewhere, ...judged.filter((one) => !own.includes(one))];
}

/** The surest first, but of those that are about as sure, the one that the user visits first. */
function likeliestInVisitOrder(judged: readonly JudgedCandidate[]): JudgedCandidate[] {
	const best = judged[0]?.verdict.confidence ?? 0;
	const isLike = ({ candidate, verdict }: JudgedCandidate) => {
		return candidate.predictor === "rename" || verdict.confidence > best - CLOSE;
	};
	const rankOf = ({ candidate }: JudgedCandidate) => candidate.features.get("rank") ?? 0;
	const alike = judged.filter(isLike).toSorted((a, b) => rankOf(a) - rankOf(b));
	return [...alike, ...judged.filter((one) => !isLike(one))];
}

/** What all predictors propose in a scene, before the gate; or why nobody was asked. */
export type CandidateSet =
	| { readonly scene: Scene; readonly candidates: readonly { candidate: Candidate; document: Document }[] }
	| { readonly silence: NoRequestReason };

/** All candidates of a scene, each with the document that it is for. The scene is without what is not for reading. */
export function candidatesOf(scene: Scene, written?: ModelEdits): CandidateSet {
	const open = readable(scene);
	if ("silence" in open) return open;
	const examples = examplesOf(scene.history).filter(({ file }) => !isSecretUri(file.uri));
	const findings = PROPOSERS.flatMap((propose) => propose(open, examples));
	const pooled = pool(open, examples, [...findings, ...combine(open, findings)]);
	const found = withTaken(open, examples, withSurest(pooled));
	const candidates = [...found, ...(written === undefined ? [] : modelCandidates(written, open))].map((candidate) => {
		return { candidate, document: documentOf(open, candidate.proposal.uri) as Document };
	});
	// Without a change there may still be something to mend.
	if (examples.length === 0 && candidates.length === 0) return { silence: "no-history" };
	return { scene: open, candidates };
}

/**
 * Gives every place of a rename the chance of its surest place, except where the name may mean something else. A rename is done
 * everywhere or nowhere: with chances of their own, some places would be counted in the why and never be offered.
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

/** Marks the candidates that would spread a name that is taken, whichever rule proposes them. */
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

/** A scene without what is not for reading; or why nothing can be read at all. */
export function readable(scene: Scene): Scene | { readonly silence: UnreadableReason } {
	if (isSecretUri(scene.document.uri)) return { silence: "secret-file" };
	const document = settle(scene.document, scene.history);
	if (document === undefined) return { silence: "other-history" };
	const readability = readabilityOf(document);
	if (readability !== "ok") return { silence: `${readability}-file` };
	// Frees what was computed from older versions of this document, also where no rule searches it.
	stepTo(document.text);
	return { ...scene, document, neighbours: settleAll(readableOf(scene.neighbours), scene.history) };
}

// While the user types in one document, its neighbours are the same from one request to the next.
const READABLE = new WeakMap<readonly Document[], readonly Document[]>();

/** Those documents that are for reading and can be read. */
function readableOf(documents: readonly Document[]): readonly Document[] {
	let readable = READABLE.get(documents);
	if (readable === undefined) {
		readable = documents.filter((one) => !isSecretUri(one.uri) && readabilityOf(one) === "ok");
		READABLE.set(documents, readable);
	}
	return readable;
}

/** The same documents, settled; without those of which the history has another text. */
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
 * A document with the very text that the history has for it, so that what is found out about a text is found out once;
 * undefined where the history has another.
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
	// It is shown once those before it were accepted.
	const why = explain(before, isRejected);
	// A member that is added after a spread takes the engine a microsecond, so what is spread comes last.
	if (written === undefined) return { predictor, rules, confidence, why, cursor, key, ...proposal };
	return { predictor, source: written.source, rules, confidence, why, cursor, key, ...proposal };
}

/** Whether two candidates are for one place. What is not an edit is for the whole document, unless it leads to one. */
function meets(a: Candidate, b: Candidate): boolean {
	if (!sameUri(a.proposal.uri, b.proposal.uri)) return false;
	const [ones, others] = [editsOf(a), editsOf(b)];
	if (ones === undefined || others === undefined) return true;
	return ones.some((one) => others.some((other) => one.from <= other.to && other.from <= one.to));
}
