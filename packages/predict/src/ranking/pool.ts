import { type Document, type Text, uriKey } from "@segue/text";
import { type Candidate, type Features, type Finding, fullName } from "../candidate.js";
import type { Example } from "../example.js";
import { documentOf, isOpen, type Scene } from "../scene.js";
import { PREDICTORS, type Proposal } from "../suggestion.js";
import { type ComparedEdit, EditComparison } from "./comparison.js";
import { needsComparison, regressedOdds, score } from "./score.js";
import { siteFeatures } from "./site.js";
import { turnoverFeatures } from "./turnover.js";

/**
 * Merges all findings with the same effect into one candidate, even if they split it into different edits. Skips
 * findings for documents that are not in the scene, and those that change nothing.
 */
export function pool(
	scene: Scene,
	examples: readonly Example[],
	findings: readonly Finding[],
	{ comparesAll = false }: PoolOptions = {},
): Candidate[] {
	const groups = new Map<string, Group>();
	const documents = new Map<string, Document | undefined>();
	for (const finding of findings) {
		const { uri } = finding.proposal;
		if (!documents.has(uri)) documents.set(uri, documentOf(scene, uri));
		const document = documents.get(uri);
		if (document === undefined) continue;
		if (!scene.kinds.has("jump") && !isOpen(scene, document)) continue;
		const effect = effectOf(finding.proposal, document.text);
		if (effect === undefined) continue;
		const key = JSON.stringify([uriKey(document.uri), ...effect.key]);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, { document, ...effect, findings: [finding] });
		else group.findings.push(finding);
	}
	const all = [...groups.values()];
	const byLine = new Map<string, Group[]>();
	for (const group of all) {
		const key = `${group.line} ${group.document.uri}`;
		const others = byLine.get(key);
		if (others === undefined) byLine.set(key, [group]);
		else others.push(group);
	}
	const compared = new Map(
		all.flatMap((group): [Group, ComparedEdit][] => {
			const edit = comparedEdit(group);
			return edit === undefined ? [] : [[group, edit]];
		}),
	);
	const comparison = new EditComparison(scene, examples, [...compared.values()]);
	return all.map((group) => {
		const others = byLine.get(`${group.line} ${group.document.uri}`) ?? [];
		const { features, ...candidate } = candidateOf(scene, examples, group, rivalsOf(group, others));
		const odds = regressedOdds(features);
		const edit = comparesAll || needsComparison(features, odds) ? compared.get(group) : undefined;
		if (edit !== undefined) addFeatures(features, comparison.featuresOf(edit));
		return { ...candidate, features, confidence: score(features, odds) };
	});
}

export interface PoolOptions {
	/** Whether to add the features of a `EditComparison` to unlikely candidates too, for fitting the trees. */
	readonly comparesAll?: boolean;
}

/** A group whose proposal is an edit, as the `EditComparison` needs it. */
function comparedEdit({ document, line, findings }: Group): ComparedEdit | undefined {
	const { proposal, rule } = mostTrusted(findings)[0] as Finding;
	return proposal.kind === "edit" ? { document, line, edits: proposal.edits, rule } : undefined;
}

/** Counts the other candidates for the line: overlapping, separate, and containing this one. */
function rivalsOf(group: Group, others: readonly Group[]): Features {
	let rivals = 0;
	let beside = 0;
	let whole = 0;
	for (const other of others) {
		if (other === group || other.findings[0]?.proposal.kind === "jump") continue;
		if (other.to < group.at || group.to < other.at) beside++;
		else if (other.at <= group.at && group.to <= other.to && other.to - other.at > group.to - group.at) whole++;
		else rivals++;
	}
	return { rivals, beside, whole };
}

/** Findings with the same effect. */
interface Group {
	readonly document: Document;
	readonly at: number;
	readonly to: number;
	readonly line: number;
	readonly findings: Finding[];
}

/** The key of a proposal's effect, and its range. Undefined if the proposal changes nothing. */
function effectOf(
	proposal: Proposal,
	text: Text,
): { readonly key: readonly unknown[]; readonly at: number; readonly to: number; readonly line: number } | undefined {
	switch (proposal.kind) {
		case "edit": {
			const whole = wholeEdit(proposal.edits, text);
			if (whole === undefined) return undefined;
			const { from, to, insert } = whole;
			const starts = proposal.edits.map((edit) => edit.from);
			const ends = proposal.edits.map((edit) => edit.to);
			const at = Math.min(...starts);
			return { key: ["edit", from, to, insert], at, to: Math.max(...ends), line: text.lineAt(at) };
		}
		case "jump":
			return { key: ["jump", proposal.at], at: proposal.at, to: proposal.at, line: text.lineAt(proposal.at) };
		case "rename":
			return {
				key: ["rename", proposal.oldName, proposal.newName],
				at: proposal.at,
				to: proposal.at,
				line: text.lineAt(proposal.at),
			};
		case "searchAndReplace":
			return { key: ["search", proposal.search, proposal.replace, proposal.isRegex], at: 0, to: 0, line: -1 };
	}
}

type Edits = Extract<Proposal, { kind: "edit" }>["edits"];

/** Merges edits into one, without the common prefix and suffix. Undefined if nothing is left. */
function wholeEdit(edits: Edits, text: Text): Edits[number] | undefined {
	const sorted = edits.toSorted((a, b) => a.from - b.from);
	const from = sorted[0]?.from ?? 0;
	const to = sorted.at(-1)?.to ?? 0;
	const old = text.slice(from, Math.max(from, to));
	let insert = "";
	let done = 0;
	for (const edit of sorted) {
		insert += old.slice(done, edit.from - from) + edit.insert;
		done = edit.to - from;
	}
	const most = Math.min(old.length, insert.length);
	let head = 0;
	while (head < most && old[head] === insert[head]) head++;
	let tail = 0;
	while (tail < most - head && old[old.length - 1 - tail] === insert[insert.length - 1 - tail]) tail++;
	if (head === old.length && head === insert.length) return undefined;
	return { from: from + head, to: to - tail, insert: insert.slice(head, insert.length - tail) };
}

function candidateOf(
	scene: Scene,
	examples: readonly Example[],
	{ document, at, findings: all }: Group,
	rivals: Features,
): Omit<Candidate, "features" | "confidence"> & { readonly features: Map<string, number> } {
	const isDoubtful = all.every((one) => one.isDoubtful);
	const findings = mostTrusted(all);
	const { proposal, predictor, why, isUnclear, isUnfinished, ...first } = findings[0] as Finding;
	const { instead = proposal } = findings.find((one) => one.instead !== undefined) ?? {};
	// A file that is not open is edited only after the user jumps to it.
	const isThere = isOpen(scene, document);
	const shown: Proposal = isThere || proposal.kind === "jump" ? instead : { kind: "jump", uri: proposal.uri, at };
	const leadsTo = isThere || proposal.kind !== "edit" ? first.leadsTo : proposal.edits;
	const predictors = new Set(findings.map((one) => one.predictor)).size;
	const features = poolFeatures(
		findings,
		siteFeatures(scene, examples, document, at, proposal),
		turnoverFeatures(scene, document, proposal),
		{ predictors, rules: findings.length },
		rivals,
	);
	const rules = [...new Set(findings.map((one) => one.rule))];
	return {
		proposal: shown,
		predictor,
		why,
		rules,
		features,
		isDoubtful,
		isUnclear,
		isUnfinished,
		leadsTo,
	};
}

/** The findings that count, the most trusted one first. A doubtful finding does not count beside others. */
function mostTrusted(all: readonly Finding[]): Finding[] {
	const findings = all.every((one) => one.isDoubtful) ? all : all.filter((one) => !one.isDoubtful);
	return findings.toSorted((a, b) => PREDICTORS.indexOf(a.predictor) - PREDICTORS.indexOf(b.predictor));
}

/**
 * Merges the features of findings, and adds others. A predictor's feature gets the largest of its values, so a second
 * finding never lowers it.
 */
function poolFeatures(findings: readonly Finding[], ...others: readonly Features[]): Map<string, number> {
	const features = new Map<string, number>();
	const shared = new Map<string, number>();
	for (const { predictor, features: all } of findings) {
		features.set(predictor, 1);
		for (const some of all) {
			for (const name in some) {
				const value = some[name] as number;
				const full = fullName(predictor, name);
				const known = features.get(full);
				if (known === undefined || value > known) features.set(full, value);
				const choose = SHARED.get(name);
				if (choose === undefined) continue;
				const chosen = shared.get(name);
				shared.set(name, chosen === undefined ? value : choose(chosen, value));
			}
		}
	}
	for (const name of SHARED.keys()) {
		const chosen = shared.get(name);
		if (chosen !== undefined) features.set(name, chosen);
	}
	for (const some of others) addFeatures(features, some);
	return features;
}

function addFeatures(features: Map<string, number>, added: Features): void {
	for (const name in added) features.set(name, added[name] as number);
}

/** The features that all predictors share, and how to merge two values of each. */
const SHARED: ReadonlyMap<string, (a: number, b: number) => number> = new Map(
	Object.entries({
		support: Math.max,
		similar: Math.max,
		share: Math.max,
		linesAbove: Math.max,
		linesBelow: Math.max,
		hunk: Math.min,
		adjoins: Math.max,
		foreign: Math.min,
		sameThing: Math.max,
		otherThing: Math.max,
		kept: Math.max,
		lost: Math.max,
		bound: Math.max,
		unbound: Math.max,
		age: Math.min,
		rank: Math.min,
		skipped: Math.min,
		left: Math.min,
		against: Math.min,
		indents: Math.max,
		keepsIndent: Math.max,
	}),
);
