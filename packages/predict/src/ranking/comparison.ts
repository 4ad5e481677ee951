import { type Document, type Edit, sameUri } from "@segue/text";
import type { Features } from "../candidate.js";
import type { Example } from "../example.js";
import { type Line, lineOf, readLine, similarity, writeLine } from "../line.js";
import type { Scene } from "../scene.js";
import { equalLineFeatures, neighbourFeatures, orderFeatures, ownerFeatures } from "./setting.js";

// Features that compare an edit with the user's latest changes and with the other edits proposed for the scene.

// Older changes say little about the user's current task.
const RECENT_MAX = 8;
// Lines above and below an edit that may already contain its names.
const NEAR_LINES = 3;
// For edits in other documents.
const FAR = 9999;

/** An edit proposed for a scene. */
export interface ComparedEdit {
	readonly document: Document;
	/** The line of the first change. */
	readonly line: number;
	readonly edits: readonly Edit[];
	/** The rule of the most trusted finding. */
	readonly rule: string;
}

/** The edits proposed for a scene. Compares one of them with the others when its features are needed. */
export class EditComparison {
	private readonly recent: readonly Example[];
	private readonly places: readonly Place[];
	private readonly files: number;
	private readonly continuation: Continuation | undefined;

	constructor(
		private readonly scene: Scene,
		private readonly examples: readonly Example[],
		private readonly edits: readonly ComparedEdit[],
	) {
		this.recent = examples.slice(-RECENT_MAX).toReversed();
		const cursorLine = scene.document.text.lineAt(scene.cursor);
		this.places = edits.map(({ document, line, edits: changes }) => ({
			offset: document === scene.document ? line - cursorLine : FAR,
			effect: changes.map(({ from, to, insert }) => `${document.text.slice(from, to)}\n${insert}`).join("\n"),
		}));
		this.files = new Set(edits.map(({ document }) => document)).size;
		this.continuation = continuationOf(examples);
	}

	/** Returns the features of one of the edits. */
	featuresOf(edit: ComparedEdit): Features {
		const change = turnoverOf(edit);
		return {
			...historyFeatures(this.recent, edit, change),
			...sizeFeatures(edit, change),
			...ownerFeatures(change.before, change.at, this.modelOf(change)),
			...equalLineFeatures(edit.document, change.before, change.after),
			...neighbourFeatures(edit.document, edit.line, this.lastLineOf(edit), change.before, change.after),
			...orderFeatures(this.scene, this.examples, edit.document, edit.line),
			...continuationFeatures(this.continuation, edit, change),
			...this.rivalFeatures(edit),
		};
	}

	private lastLineOf({ document, edits }: ComparedEdit): number {
		return document.text.lineAt(edits.at(-1)?.to ?? 0);
	}

	/** Returns the recent change that is most like a change: the newest one with the most tokens in common. */
	private modelOf(change: Turnover): Turnover | undefined {
		let best: Turnover | undefined;
		let most = 0;
		for (const example of this.recent) {
			const made = turnoverOfExample(example);
			const common = overlap(change.added, made.added) + overlap(change.removed, made.removed);
			if (common > most) [best, most] = [made, common];
		}
		return best;
	}

	/** Counts the other edits at the same place, from the same rule, with the same effect, and closer to the cursor. */
	private rivalFeatures(edit: ComparedEdit): Features {
		const { offset, effect } = this.places[this.edits.indexOf(edit)] as Place;
		const counts = { samePlace: 0, sameRule: 0, sameEdit: 0, nearer: 0, nearerOnward: 0, nearerAll: 0 };
		for (const [i, other] of this.edits.entries()) {
			const place = this.places[i] as Place;
			const isNearer = Math.abs(place.offset) < Math.abs(offset);
			if (other.line === edit.line && other.document === edit.document) counts.samePlace++;
			if (place.effect === effect) counts.sameEdit++;
			if (isNearer) counts.nearerAll++;
			if (other.rule !== edit.rule) continue;
			counts.sameRule++;
			if (isNearer) counts.nearer++;
			if (onward(place) < onward({ offset })) counts.nearerOnward++;
		}
		return { ...counts, signedDistance: offset, candidates: this.edits.length, files: this.files };
	}
}

interface Place {
	/** The distance below the cursor in lines, or `FAR` in another document. */
	readonly offset: number;
	/** Identical for edits that replace the same texts with the same texts. */
	readonly effect: string;
}

/** The distance in the direction in which most users work: down. */
function onward({ offset }: Pick<Place, "offset">): number {
	return offset >= 0 ? offset : FAR;
}

/** Compares the tokens that an edit adds and removes with those of the user's latest changes. */
function historyFeatures(recent: readonly Example[], { document }: ComparedEdit, change: Turnover): Features {
	const most = { mostAdded: 0, mostRemoved: 0, mostSimilar: 0, equalChanges: 0 };
	let last: Features = {};
	for (const [age, example] of recent.entries()) {
		const made = turnoverOfExample(example);
		const added = overlap(change.added, made.added);
		const removed = overlap(change.removed, made.removed);
		const similar = similarity(change.before, made.before);
		if (age === 0) {
			last = {
				lastAdded: added,
				lastRemoved: removed,
				lastSimilar: similar,
				lastHere: sameUri(example.file.uri, document.uri) ? 1 : 0,
				lastInserts: example.before === undefined ? 1 : 0,
				lastDeletes: example.after === undefined ? 1 : 0,
			};
		}
		most.mostAdded = Math.max(most.mostAdded, added);
		most.mostRemoved = Math.max(most.mostRemoved, removed);
		most.mostSimilar = Math.max(most.mostSimilar, similar);
		if (added === 1 && removed === 1) most.equalChanges++;
	}
	return { ...last, ...most };
}

/**
 * If the user's last change is like an earlier one, the change that followed the earlier one: the user may be repeating a
 * sequence of changes.
 */
interface Continuation {
	readonly last: Example;
	readonly earlier: Example;
	readonly next: Example;
	/** The number of consecutive changes that are alike, up to the last one. */
	readonly length: number;
}

// A longer sequence adds no information.
const SEQUENCE_MAX = 8;
// Sequences that began before this many changes are not searched for.
const SEARCHED_MAX = 48;

function continuationOf(examples: readonly Example[]): Continuation | undefined {
	const last = examples.length - 1;
	let best: Continuation | undefined;
	for (let at = last - 2; at >= 0 && at >= last - SEARCHED_MAX; at--) {
		let length = 0;
		while (length < SEQUENCE_MAX && length <= at && areAlike(examples[at - length], examples[last - length])) length++;
		if (length <= (best?.length ?? 0)) continue;
		const [earlier, next] = [examples[at] as Example, examples[at + 1] as Example];
		best = { last: examples[last] as Example, earlier, next, length };
	}
	return best;
}

const ALIKE_MIN = 0.5;

/** Whether two changes add and remove about the same tokens. */
function areAlike(a: Example | undefined, b: Example | undefined): boolean {
	if (a === undefined || b === undefined) return false;
	if ((a.before === undefined) !== (b.before === undefined) || (a.after === undefined) !== (b.after === undefined)) {
		return false;
	}
	const [one, other] = [turnoverOfExample(a), turnoverOfExample(b)];
	return overlap(one.added, other.added) >= ALIKE_MIN && overlap(one.removed, other.removed) >= ALIKE_MIN;
}

/** Compares an edit with the change that would continue the user's sequence, and with its distance from the last one. */
function continuationFeatures(
	found: Continuation | undefined,
	{ document, line }: ComparedEdit,
	change: Turnover,
): Features {
	if (found === undefined) return {};
	const { last, earlier, next, length } = found;
	const expected = turnoverOfExample(next);
	const isOneFile = sameUri(next.file.uri, earlier.file.uri);
	const isHere = sameUri(document.uri, last.file.uri);
	const step = next.file.now.lineAt(next.at) - earlier.file.now.lineAt(earlier.at);
	const own = line - last.file.now.lineAt(last.at);
	return {
		sequence: length,
		continuesAdded: overlap(change.added, expected.added),
		continuesRemoved: overlap(change.removed, expected.removed),
		continuesLine: similarity(change.before, expected.before),
		continuesStep: isOneFile && isHere ? Math.min(Math.abs(own - step), FAR) : isOneFile === isHere ? 0 : FAR,
	};
}

function sizeFeatures({ document, line, edits }: ComparedEdit, { before, added, removed }: Turnover): Features {
	const { text } = document;
	const lastLine = text.lineAt(edits.at(-1)?.to ?? 0);
	const near: Line[] = [];
	for (let i = 1; i <= NEAR_LINES; i++) near.push(lineOf(text, line - i), lineOf(text, lastLine + i));
	const shareNear = (tokens: ReadonlySet<string>) => {
		let found = 0;
		for (const token of tokens) if (near.some(({ counts }) => counts.has(token))) found++;
		return found / Math.max(tokens.size, 1);
	};
	const insertedLength = edits.reduce((sum, { insert }) => sum + insert.length, 0);
	const deletedLength = edits.reduce((sum, { from, to }) => sum + to - from, 0);
	return {
		oldLength: before.text.length,
		oldTokens: before.tokens.length,
		growth: insertedLength - deletedLength,
		insertedLength,
		deletedLength,
		addedTokens: added.size,
		removedTokens: removed.size,
		addedNear: shareNear(added),
		removedNear: shareNear(removed),
	};
}

/** The tokens that a change adds to its lines and removes from them. */
interface Turnover {
	readonly before: Line;
	readonly after: Line;
	/** The offset of the first change in the old line. */
	readonly at: number;
	readonly added: ReadonlySet<string>;
	readonly removed: ReadonlySet<string>;
}

function turnoverOf({ document: { text }, edits }: ComparedEdit): Turnover {
	const from = text.lineStart(text.lineAt(edits[0]?.from ?? 0));
	const to = text.lineEnd(text.lineAt(edits.at(-1)?.to ?? 0));
	const own = edits.map((edit) => ({ from: edit.from - from, to: edit.to - from, insert: edit.insert }));
	const before = readLine(text.slice(from, to));
	return turnoverBetween(before, readLine(writeLine(before.text, own)), own[0]?.from ?? 0);
}

// The user's changes are compared with many edits on every request.
const OF_EXAMPLES = new WeakMap<Example, Turnover>();

function turnoverOfExample(example: Example): Turnover {
	let turnover = OF_EXAMPLES.get(example);
	if (turnover === undefined) {
		const at = example.edits[0]?.from ?? 0;
		turnover = turnoverBetween(readLine(example.before ?? ""), readLine(example.after ?? ""), at);
		OF_EXAMPLES.set(example, turnover);
	}
	return turnover;
}

function turnoverBetween(before: Line, after: Line, at: number): Turnover {
	return { before, after, at, added: without(after, before), removed: without(before, after) };
}

/** The tokens of one line that the other does not contain. */
function without(one: Line, other: Line): Set<string> {
	const tokens = new Set<string>();
	for (const token of one.counts.keys()) if (!other.counts.has(token)) tokens.add(token);
	return tokens;
}

/** The share of tokens that two sets have in common; 1 if both are empty. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	let common = 0;
	for (const token of a) if (b.has(token)) common++;
	const all = a.size + b.size - common;
	return all === 0 ? 1 : common / all;
}
