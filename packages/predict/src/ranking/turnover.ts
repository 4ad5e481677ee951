import type { Document } from "@segue/text";
import type { Features } from "../candidate.js";
import { type Line, readLine, writeLine } from "../line.js";
import { documentOf, type Scene } from "../scene.js";
import { documentsWith } from "../search/scene-search.js";
import { Search } from "../search/search.js";
import type { Proposal } from "../suggestion.js";
import { isDeclaredIn } from "../symbols/mentions.js";

// Features of the names that an edit removes, inserts or keeps. The user's edits elsewhere show whether a name is
// being replaced.

// Only completely rewritten lines contain more names.
const NAMES_MAX = 8;

/** The features of the names that a proposal removes, inserts and keeps on its lines. */
export function turnoverFeatures(scene: Scene, { text }: Document, proposal: Proposal): Features {
	if (proposal.kind !== "edit") return {};
	const { edits } = proposal;
	const from = text.lineStart(text.lineAt(edits[0]?.from ?? 0));
	const to = text.lineEnd(text.lineAt(edits.at(-1)?.to ?? 0));
	const own = edits.map((edit) => ({ from: edit.from - from, to: edit.to - from, insert: edit.insert }));
	const before = readLine(text.slice(from, to));
	const after = readLine(writeLine(before.text, own));
	const [old, now] = [namesIn(before), namesIn(after)];
	const removed = old.filter((name) => !now.includes(name)).map((name) => turnoverOf(scene, name));
	const inserted = now.filter((name) => !old.includes(name)).map((name) => turnoverOf(scene, name));
	const kept = old.filter((name) => now.includes(name)).map((name) => turnoverOf(scene, name));
	return {
		replaced: Math.max(...removed.map(shareGone), 0),
		standing: removed.some(({ isDeclared }) => isDeclared) ? 1 : 0,
		orphaned: removed.some(({ isDeclared, wasDeclared }) => wasDeclared && !isDeclared) ? 1 : 0,
		missing: inserted.some(({ search }) => search.in(text)?.length === 0) ? 1 : 0,
		coined: inserted.some(({ earlier }) => earlier === 0) ? 1 : 0,
		declared: inserted.some(({ isDeclared }) => isDeclared) ? 1 : 0,
		doomed: Math.max(...kept.map(shareGone), 0),
		unbalanced: balanceOf(before) === balanceOf(after) ? 0 : 1,
	};
}

/** The distinct names in a line. */
function namesIn({ names }: Line): string[] {
	return [...new Set(names.map(({ text }) => text))].slice(0, NAMES_MAX);
}

/** The occurrences of a name in all documents of a scene, now and before the user's edits. */
class Turnover {
	readonly search: Search;
	/** The number of occurrences now. */
	readonly present: number;
	/** The number of occurrences when editing began. */
	readonly earlier: number;
	private readonly documents: readonly Document[];
	private readonly starts: readonly Document[];
	private declaredNow: boolean | undefined;
	private declaredBefore: boolean | undefined;

	constructor(scene: Scene, name: string) {
		const search = new Search(name);
		this.search = search;
		this.documents = documentsWith(scene, search);
		this.starts = startsOf(scene);
		let present = 0;
		let earlier = 0;
		for (const document of this.documents) {
			const count = countOf(document, search);
			present += count;
			if (scene.history.fileOf(document.uri) === undefined) earlier += count;
		}
		for (const document of this.starts) earlier += countOf(document, search);
		this.present = present;
		this.earlier = earlier;
	}

	// Computed lazily: it is slower than counting, and not needed for names that stay.
	get isDeclared(): boolean {
		this.declaredNow ??= this.documents.some((document) => isDeclaredIn(document, this.search));
		return this.declaredNow;
	}

	get wasDeclared(): boolean {
		this.declaredBefore ??= this.starts.some((document) => isDeclaredIn(document, this.search));
		return this.declaredBefore;
	}
}

const STARTS = new WeakMap<Scene, readonly Document[]>();

/** The documents that the user changed, as they were when editing began. */
function startsOf(scene: Scene): readonly Document[] {
	let starts = STARTS.get(scene);
	if (starts === undefined) {
		starts = scene.history.files.flatMap(({ uri, start: text }) => {
			const document = documentOf(scene, uri);
			return document === undefined ? [] : [{ ...document, text }];
		});
		STARTS.set(scene, starts);
	}
	return starts;
}

/** The share of a name's occurrences that are gone since editing began. */
function shareGone({ present, earlier }: Turnover): number {
	return earlier > present ? (earlier - present) / earlier : 0;
}

// Several candidates for a scene remove and insert the same names.
const KNOWN = new WeakMap<Scene, Map<string, Turnover>>();

function turnoverOf(scene: Scene, name: string): Turnover {
	let known = KNOWN.get(scene);
	if (known === undefined) {
		known = new Map();
		KNOWN.set(scene, known);
	}
	let turnover = known.get(name);
	if (turnover === undefined) {
		turnover = new Turnover(scene, name);
		known.set(name, turnover);
	}
	return turnover;
}

// Assumed for words that are too frequent to be counted.
const MANY = 1000;

function countOf({ text }: Document, search: Search): number {
	return search.in(text)?.length ?? MANY;
}

/** Returns how many more brackets a line opens than it closes. */
function balanceOf({ counts }: Line): number {
	const sum = (signs: string) => [...signs].reduce((all, sign) => all + (counts.get(sign) ?? 0), 0);
	return sum("([{") - sum(")]}");
}
