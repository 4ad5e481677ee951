import {
	addsMask,
	Change,
	type Document,
	type Edit,
	isSecretUri,
	keySpansIn,
	sameUri,
	type Text,
	uriKey,
} from "@segue/text";
import type { Candidate, ModelEdits, ModelHunk } from "../candidate.js";
import type { History } from "../history.js";
import { isCode } from "../languages/languages.js";
import type { Memory } from "../memory.js";
import { holdsSpecialToken } from "../model-candidates.js";
import { shift } from "../ranking/score.js";
import type { Eagerness, Scene } from "../scene.js";
import type { Proposal } from "../suggestion.js";
import { opensOrCloses, swallows, unbalances } from "./balance.js";
import { controlTokensIn } from "./control-tokens.js";
import { type LineRewrite, lineRewriteOf } from "./line-rewrite.js";
import { leavesOut, numbersLines, writesNonsense } from "./nonsense.js";
import { repeatsNearbyLines } from "./repetition.js";
import { RECENT_EVENTS, REVERSED_MAX, returns, reversalOf, swapsOf, swapsOfLines, takesBack } from "./reversal.js";
import { addsErrors } from "./syntax-errors.js";

// Users don't review longer edits.
const LINES_MAX = 40;
// About the number of lines that models are asked to rewrite. Deleting more than half of them is more likely the
// result of a truncated answer than an intended edit.
const WINDOW_LINES = 25;
const DELETED_MAX = 0.5;
// Two equal lines can be intended; three are a repetition loop.
const EQUAL_LINES = 3;

/**
 * The minimum confidence for showing a candidate. With weights and trees fitted on other repositories, 85 % of the
 * suggestions are right at low, 75 % at medium, and 62 % at high.
 */
const THRESHOLDS: Thresholds = { low: 0.75, medium: 0.54, high: 0.3 };

/** The minimum confidence for showing a candidate, for each eagerness. */
export type Thresholds = Readonly<Record<Eagerness, number>>;

/** The parts of a candidate that the gate reads. */
type GatedCandidate = Pick<Candidate, "proposal" | "rules" | "confidence"> &
	Partial<Pick<Candidate, "isDoubtful" | "isTaken" | "isUnfinished" | "leadsTo" | "modelEdits">>;

/** The input of the filters: a candidate and its document. */
interface Case {
	readonly candidate: GatedCandidate;
	readonly document: Document;
	/** The rewrite that an edit makes, or that a jump to a model's edit leads to. Undefined for other proposals. */
	readonly writing: LineRewrite | undefined;
	/** The keys of the candidate and, for a jump, of the edit it leads to. */
	readonly keys: readonly string[];
	readonly confidence: number;
	readonly thresholds: Thresholds;
	readonly scene: Scene;
	readonly memory: Memory;
}

// Each filter checks for one problem. They run in this order, and the first one that matches gives the no-suggestion
// reason.
const FILTERS = {
	"special-token": ({ candidate: { modelEdits: written }, document, writing }) => {
		if (written === undefined || writing === undefined) return false;
		const tokens = [...written.specialTokens, ...controlTokensIn(document.languageId)];
		const brought = tokens.filter((token) => holdsSpecialToken(writing.newLines, [token]));
		// If the document already contains the token, it is ordinary text there.
		return brought.some((token) => !holdsSpecialToken(document.text.toString(), [token]));
	},
	"touches-secret": ({ candidate: { modelEdits: written }, document, writing }) => {
		if (written === undefined || writing === undefined) return false;
		if (addsMask(writing.oldLines, writing.newLines)) return true;
		const keys = keySpansIn(document.text);
		return keys.length > 0 && writing.change.edits.some((edit) => keys.some((key) => reachesInto(edit, key)));
	},
	"leaves-out-code": ({ candidate: { modelEdits: written }, document: { text }, writing }) => {
		if (written === undefined || writing === undefined) return false;
		const isShorter = countInked(writing.newLines) < countInked(writing.oldLines);
		// The code that a placeholder replaces may be in another hunk, because a line common to both versions splits
		// the change in two.
		const all = isShorter ? writingsIn(written, text) : [];
		return [writing, ...all].some((one) => leavesOut(one, text, isShorter));
	},
	"no-op": ({ writing }) => writing !== undefined && writing.oldLines === writing.newLines,
	"whitespace-only": ({ writing }) => writing !== undefined && ink(writing.oldLines) === ink(writing.newLines),
	"reverts-user": ({ candidate, document, writing, scene }) => {
		const { events } = scene.history;
		const isModels = candidate.modelEdits !== undefined && writing !== undefined;
		const swaps = isModels ? swapsOfLines(writing) : swapsOf(candidate.proposal, document.text);
		if (takesBack(swaps, events) || returns(document, writing, events)) return true;
		return isModels && reversalOf(writing.change, document, events.slice(-RECENT_EVENTS)) > REVERSED_MAX;
	},
	"too-large": ({ writing }) => {
		return writing !== undefined && Math.max(countLines(writing.oldLines), countLines(writing.newLines)) > LINES_MAX;
	},
	"deletes-most": ({ candidate: { modelEdits: written }, document, writing }) => {
		if (writing === undefined) return false;
		return deletesMost(writing, document.text) || (written && emptiesWindow(written, document.text));
	},
	"repeats-next-lines": ({ candidate: { modelEdits: written }, document, writing }) => {
		if (writing === undefined) return false;
		if (writing.change.edits.some((edit) => repeatsNext(edit, document.text))) return true;
		return written && repeatsNearbyLines(writing.change, document.text);
	},
	"cut-off": ({ candidate: { modelEdits: written } }) => written?.hunk.isCut,
	"equal-lines": ({ writing }) =>
		writing !== undefined && hasEqualLines(writing.newLines) && !hasEqualLines(writing.oldLines),
	"outside-window": ({ candidate: { modelEdits: written } }) => {
		return written?.hunk.edits.some(({ from, to }) => from < written.window.from || to > written.window.to);
	},
	"breaks-syntax": (it) => {
		if (it.writing === undefined) return false;
		if (writesNoCode(it)) return true;
		const { change } = it.writing;
		return goesOn(change, it.document, it.scene) ? swallows(change, it.document) : unbalances(change, it.document);
	},
	"name-taken": ({ candidate: { isTaken = false } }) => isTaken,
	doubtful: ({ candidate: { isDoubtful = false }, document, scene }) => isDoubtful && !isAskedAbout(document, scene),
	"unfinished-call": ({ candidate: { isUnfinished = false } }) => isUnfinished,
	// A rule offers a jump to each site only once. A jump to a model's edit may be offered again, because the edit has
	// not been made yet.
	"already-visited": ({ candidate: { proposal, rules, modelEdits: written }, keys, memory }) => {
		return proposal.kind === "jump" && written === undefined && keys.some((key) => memory.isVisited(rules, key));
	},
	"rejected-before": ({ keys, memory }) => keys.some((key) => memory.isRejected(key)),
	"rule-retired": ({ candidate, memory }) => candidate.rules.every((rule) => memory.isRetired(rule)),
	"ignored-file": ({ candidate: { modelEdits: written }, document, scene }) => {
		return written && (isSecretUri(document.uri) || scene.ignored?.has(uriKey(document.uri)));
	},
	"below-threshold": ({ confidence, thresholds, document, scene }) => {
		return !isSure(confidence, isAskedAbout(document, scene) ? scene : { ...scene, trigger: "automatic" }, thresholds);
	},
} as const satisfies Record<string, (it: Case) => boolean | undefined>;

/** Whether the user manually requested a suggestion in this document. Only the document with the cursor qualifies. */
function isAskedAbout(document: Document, scene: Scene): boolean {
	return scene.trigger === "manual" && sameUri(document.uri, scene.document.uri);
}

/** Why a candidate is not shown. */
export type Objection = keyof typeof FILTERS;

export const OBJECTIONS = Object.keys(FILTERS) as readonly Objection[];

/** The gate's decision about a candidate. */
export interface GateResult {
	readonly objection: Objection | undefined;
	/** `judgeSyntax` must confirm or overrule this result before the candidate is shown. */
	readonly awaitsParser: boolean;
	/** The candidate's confidence, adjusted according to the outcomes of earlier suggestions from its rules. */
	readonly confidence: number;
	/** Identical for suggestions that write the same text, even if the lines have moved. */
	readonly key: string;
	/** The cursor's offset in the text after the suggestion is applied. */
	readonly cursor: number;
}

/** Decides whether a candidate for a document in the scene is shown. */
export function judge(candidate: GatedCandidate, document: Document, scene: Scene, memory: Memory): GateResult {
	return judgeSyntax(candidate, document, scene, judgeText(candidate, document, scene, memory));
}

/** Like `judge`, but without the scene's parser, which is too slow to run for every candidate. */
export function judgeText(
	candidate: GatedCandidate,
	document: Document,
	scene: Scene,
	memory: Memory,
	thresholds: Thresholds = THRESHOLDS,
): GateResult {
	const { proposal, modelEdits: written } = candidate;
	const edits = editsOf(candidate);
	const writing = edits && lineRewriteOf(edits, document.text);
	const key = keyOf(proposal, document, writing, scene.history);
	const target = written ? edits : candidate.leadsTo;
	const keys = target ? [key, keyOfEdits(target, document)] : [key];
	const confidence = confidenceOf(candidate, memory);
	const it: Case = { candidate, document, writing, keys, confidence, thresholds, scene, memory };
	const objection = OBJECTIONS.find((name) => FILTERS[name](it)) ?? objectionToTarget(it);
	const last = proposal.kind === "edit" ? writing?.change.edits.at(-1) : undefined;
	const cursor = writing && last ? writing.change.map(last.to, "after") : placeOf(proposal, scene);
	return { objection, awaitsParser: isForParser(it, objection), confidence, key, cursor };
}

/**
 * Returns the objection to the edit that a jump leads to. Low confidence does not count: it is the reason for offering
 * a jump.
 */
function objectionToTarget({ candidate, document, scene, memory }: Case): Objection | undefined {
	const { leadsTo, ...jump } = candidate;
	if (leadsTo === undefined) return undefined;
	const edit = { ...jump, proposal: { kind: "edit", uri: document.uri, edits: leadsTo } } as const;
	const { objection } = judgeText(edit, document, scene, memory);
	return objection === "below-threshold" ? undefined : objection;
}

/** Confirms or overrules a result that depends on the parser. */
export function judgeSyntax(
	candidate: GatedCandidate,
	document: Document,
	scene: Scene,
	result: GateResult,
): GateResult {
	const edits = editsOf(candidate);
	if (!result.awaitsParser || edits === undefined) return result;
	const adds = addsErrors(Change.of(edits, document.text.length), document, scene);
	// If the parser returns no result, the lexer decides.
	const objection = adds === undefined ? result.objection : adds ? "breaks-syntax" : undefined;
	return { ...result, objection, awaitsParser: false };
}

/** Whether the parser decides: the filters object to nothing, except possibly unbalanced brackets. */
function isForParser(it: Case, objection: Objection | undefined): boolean {
	if (it.scene.parse === undefined || it.writing === undefined) return false;
	if (objection === undefined) return true;
	if (objection !== "breaks-syntax" || writesNoCode(it)) return false;
	const { change } = it.writing;
	if (goesOn(change, it.document, it.scene) || opensOrCloses(change, it.document)) return false;
	return !OBJECTIONS.slice(OBJECTIONS.indexOf(objection) + 1).some((name) => FILTERS[name](it));
}

/** Whether a model wrote prose or line numbers into code. */
function writesNoCode({ candidate: { modelEdits: written }, document, writing }: Case): boolean {
	if (written === undefined || writing === undefined) return false;
	return writesNonsense(writing.change, document) || isNumbered(written, document);
}

/** The edits of a candidate, or of the model's edit that a jump leads to. */
export function editsOf({
	proposal,
	modelEdits: written,
}: Pick<GatedCandidate, "proposal" | "modelEdits">): readonly Edit[] | undefined {
	return proposal.kind === "edit" ? proposal.edits : written?.hunk.edits;
}

/** The confidence of a candidate, adjusted according to the outcomes of earlier suggestions from its rules. */
export function confidenceOf({ confidence, rules }: GatedCandidate, memory: Memory): number {
	return shift(confidence, memory.shiftOf(rules));
}

/** Whether a confidence is high enough to show a suggestion. Always true on a manual request. */
export function isSure(confidence: number, scene: Scene, thresholds: Thresholds = THRESHOLDS): boolean {
	return scene.trigger === "manual" || confidence >= thresholds[scene.eagerness];
}

function placeOf(proposal: Proposal, scene: Scene): number {
	return "at" in proposal ? proposal.at : scene.cursor;
}

function keyOf(proposal: Proposal, document: Document, writing: LineRewrite | undefined, history: History): string {
	return JSON.stringify([uriKey(document.uri), proposal.kind, ...effectKey(proposal, document, writing, history)]);
}

/** Returns the key of a suggestion that makes these edits. */
export function keyOfEdits(edits: readonly Edit[], { uri, text }: Document): string {
	return JSON.stringify([uriKey(uri), "edit", ...editEffectKey(lineRewriteOf(edits, text))]);
}

/** Identifies the effect of a proposal without using offsets, because these change while the user types elsewhere. */
function effectKey(
	proposal: Proposal,
	document: Document,
	writing: LineRewrite | undefined,
	history: History,
): (string | undefined)[] {
	switch (proposal.kind) {
		case "edit":
			return editEffectKey(writing);
		case "jump": {
			// The column distinguishes two targets on one line, and the original line number distinguishes equal lines.
			const { line, start } = document.text.locate(proposal.at);
			return [document.text.line(line), `${proposal.at - start}`, `${originalLine(document, start, history)}`];
		}
		case "rename":
			return [proposal.oldName, proposal.newName];
		case "searchAndReplace":
			return [proposal.search, proposal.replace];
	}
}

function editEffectKey(writing: LineRewrite | undefined): (string | undefined)[] {
	// The key uses the new lines, which stay the same while the user types part of them. A pure deletion is identified
	// by the deleted lines.
	const isRemoval = writing?.change.edits.every(({ insert }) => insert.trim() === "");
	return [isRemoval ? writing?.oldLines : undefined, writing?.newLines];
}

/** The line's number before the recorded edits. */
function originalLine({ uri, text }: Document, start: number, history: History): number {
	let at = start;
	let before = text;
	for (const event of history.events.toReversed()) {
		// If the lengths differ, the document was changed outside the recorded events.
		if (!sameUri(event.uri, uri) || event.change.lengthAfter !== before.length) continue;
		at = event.change.invert(event.before).map(at, "after");
		before = event.before;
	}
	return before.lineAt(at);
}

/** Whether an edit changes a key or extends it at either end. The model saw only a placeholder for the key. */
function reachesInto({ from, to, insert }: Edit, key: { readonly from: number; readonly to: number }): boolean {
	if (from > key.to || to < key.from) return false;
	if (from === key.to) return /^[\w+/=-]/.test(insert);
	if (to === key.from) return /[\w+/=-]$/.test(insert);
	return true;
}

function ink(text: string): string {
	return text.replace(/\s+/g, "");
}

function countLines(text: string): number {
	return text === "" ? 0 : text.split(/\r\n|\r|\n/).length;
}

/** Whether more than half of the lines around an edit are deleted without a replacement. */
function deletesMost({ oldLines, newLines }: LineRewrite, { lineCount }: Text): boolean {
	const old = countLines(oldLines);
	const window = Math.max(Math.min(lineCount, WINDOW_LINES), old);
	return old - countLines(newLines) > window * DELETED_MAX;
}

/**
 * Whether a model deletes more than half of the window it was asked to rewrite, in one hunk or in all hunks together.
 */
function emptiesWindow({ window, hunk, hunks }: NonNullable<GatedCandidate["modelEdits"]>, text: Text): boolean {
	const goneIn = ({ edits }: ModelHunk) => {
		const { oldLines, newLines } = lineRewriteOf(edits, text);
		return countInked(oldLines) - countInked(newLines);
	};
	const gone = Math.max(
		goneIn(hunk),
		hunks.reduce((sum, one) => sum + goneIn(one), 0),
	);
	return gone > countInked(text.slice(window.from, window.to)) * DELETED_MAX;
}

/** Whether a model wrote line numbers into code, in this hunk or in another one. */
function isNumbered(written: ModelEdits, { text, languageId }: Document): boolean {
	return isCode(languageId) && writingsIn(written, text).some(numbersLines);
}

function writingsIn({ hunks }: ModelEdits, text: Text): LineRewrite[] {
	return hunks.map(({ edits }) => lineRewriteOf(edits, text));
}

/** Counts the non-blank lines. */
function countInked(text: string): number {
	return text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "").length;
}

/** Whether an edit inserts whole lines that are already present right below it. */
function repeatsNext({ from, to, insert }: Edit, text: Text): boolean {
	if (from !== to || !/[\r\n]/.test(insert) || insert.trim() === "") return false;
	return text.slice(from).trimStart().startsWith(insert.trim());
}

/** Whether a text repeats a line `EQUAL_LINES` times in a row. */
function hasEqualLines(text: string): boolean {
	const lines = text.split(/\r\n|\r|\n/);
	return lines.some((line, i) => {
		return line.trim() !== "" && lines.slice(i, i + EQUAL_LINES).filter((one) => one === line).length === EQUAL_LINES;
	});
}

/** Whether a change only inserts at the cursor, within a line that the user is still typing. */
function goesOn({ edits }: Change, document: Document, scene: Scene): boolean {
	const isHere = sameUri(document.uri, scene.document.uri);
	return (
		isHere && edits.every(({ from, to, insert }) => from === scene.cursor && to === from && !insert.includes("\n"))
	);
}
