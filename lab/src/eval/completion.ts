import { complete, completionsOf } from "@segue/predict";
import type { Case } from "./cases.js";
import { BINS, percentileOrNull, share } from "./figures.js";
import { cell, count, section } from "./tables.js";
import { type StopPosition, type TypingStop, typingStopsOf } from "./typing-stops.js";

/** The completions for the lines in a case. */
export interface CompletionResult {
	readonly id: string;
	readonly language: string;
	readonly stops: readonly StopResult[];
}

/** The engine's completion at a stop. */
interface StopResult {
	readonly isNew: boolean;
	readonly where: StopPosition;
	readonly shown: ShownCompletion | undefined;
	/** The reason for no suggestion. */
	readonly silence: string | undefined;
	/** The most likely candidate, before the gate. */
	readonly best: { readonly isRight: boolean; readonly confidence: number } | undefined;
	/** Whether any candidate before the gate is right. */
	readonly isFound: boolean;
	/** Time taken by the completion. */
	readonly ms: number;
}

interface ShownCompletion {
	/** Whether it equals the rest of the line. */
	readonly isRight: boolean;
	readonly confidence: number;
	/** Number of characters that the user does not have to type if the completion is right. */
	readonly characters: number;
}

/** Types the lines of a case and completes them. `now` is used only for timing. */
export function completeCase(kase: Case, now: () => number): CompletionResult {
	const stops = Array.from(typingStopsOf(kase), (stop) => completeStop(stop, now));
	return { id: kase.id, language: kase.language, stops };
}

function completeStop(stop: TypingStop, now: () => number): StopResult {
	const { scene, memory, isNew, where } = stop;
	const began = now();
	const completion = complete(scene, memory);
	const ms = now() - began;
	const found = completionsOf(scene);
	const candidates = "silence" in found ? [] : found.candidates;
	const options = candidates.map(({ insert, confidence }) => ({ isRight: insert === stop.rest, confidence }));
	const [best] = options.toSorted((a, b) => b.confidence - a.confidence);
	const isFound = options.some(({ isRight }) => isRight);
	if ("silence" in completion)
		return { isNew, where, shown: undefined, silence: completion.silence, best, isFound, ms };
	const { insert, confidence } = completion;
	const shown = { isRight: insert === stop.rest, confidence, characters: insert.length };
	return { isNew, where, shown, silence: undefined, best, isFound, ms };
}

/** The results of a run. A share of zero items is null. */
export interface CompletionReport {
	readonly overall: CompletionFigures;
	/** By language, by position of the stop, and by whether the line is new or changed. */
	readonly byGroup: Readonly<Record<string, CompletionFigures>>;
	readonly byReason: Readonly<Record<string, { readonly stops: number; readonly found: number }>>;
	readonly reliability: readonly Bin[];
}

interface CompletionFigures {
	readonly stops: number;
	/** The share of stops with a suggestion, and the share of right suggestions. */
	readonly coverage: number | null;
	readonly precision: number | null;
	/** The share of stops with a right suggestion, and with a right candidate. */
	readonly recall: number | null;
	readonly oracle: number | null;
	/** Average length of right suggestions. */
	readonly characters: number | null;
	readonly p50Ms: number | null;
	readonly p95Ms: number | null;
	readonly p99Ms: number | null;
}

/**
 * Stops whose most likely candidate has a confidence in this bin: the mean confidence, and the share of right
 * candidates.
 */
interface Bin {
	readonly from: number;
	readonly stops: number;
	readonly confidence: number | null;
	readonly right: number | null;
}

const WHERE: readonly StopPosition[] = ["after a third", "after two thirds", "in a word"];

export function completionReportOf(results: readonly CompletionResult[]): CompletionReport {
	const all = results.flatMap(({ stops }) => stops);
	const languages = [...new Set(results.map(({ language }) => language))].toSorted();
	const groups: [string, readonly StopResult[]][] = [
		...languages.map((name): [string, StopResult[]] => {
			return [name, results.filter(({ language }) => language === name).flatMap(({ stops }) => stops)];
		}),
		...WHERE.map((name): [string, StopResult[]] => [name, all.filter(({ where }) => where === name)]),
		["new lines", all.filter(({ isNew }) => isNew)],
		["changed lines", all.filter(({ isNew }) => !isNew)],
	];
	const reasons = new Set(all.flatMap(({ silence }) => silence ?? []));
	const byReason = [...reasons].map((reason): [string, { stops: number; found: number }] => {
		const own = all.filter(({ silence }) => silence === reason);
		return [reason, { stops: own.length, found: own.filter(({ isFound }) => isFound).length }];
	});
	return {
		overall: figuresOf(all),
		byGroup: Object.fromEntries(groups.map(([name, stops]) => [name, figuresOf(stops)])),
		byReason: Object.fromEntries(byReason.toSorted(([, a], [, b]) => b.stops - a.stops)),
		reliability: Array.from({ length: BINS }, (_, i) => binOf(i, all)),
	};
}

function figuresOf(stops: readonly StopResult[]): CompletionFigures {
	const shown = stops.flatMap((stop) => stop.shown ?? []);
	const right = shown.filter(({ isRight }) => isRight);
	const times = stops.map(({ ms }) => ms).toSorted((a, b) => a - b);
	return {
		stops: stops.length,
		coverage: share(shown.length, stops.length),
		precision: share(right.length, shown.length),
		recall: share(right.length, stops.length),
		oracle: share(stops.filter(({ isFound }) => isFound).length, stops.length),
		characters: share(
			right.reduce((sum, { characters }) => sum + characters, 0),
			right.length,
		),
		p50Ms: percentileOrNull(times, 0.5),
		p95Ms: percentileOrNull(times, 0.95),
		p99Ms: percentileOrNull(times, 0.99),
	};
}

function binOf(index: number, stops: readonly StopResult[]): Bin {
	const own = stops.flatMap(({ best }) => {
		return best && Math.min(Math.floor(best.confidence * BINS), BINS - 1) === index ? [best] : [];
	});
	const sum = own.reduce((total, { confidence }) => total + confidence, 0);
	const right = own.filter(({ isRight }) => isRight).length;
	return { from: index / BINS, stops: own.length, confidence: share(sum, own.length), right: share(right, own.length) };
}

/** Formats a report as tables. */
export function printCompletionReport({ overall, byGroup, byReason, reliability }: CompletionReport): string {
	const groups = [...Object.entries(byGroup), ["all", overall] as const];
	return [
		section("Completions", [
			["", "stops", "shown", "precision", "recall", "oracle", "characters"],
			...groups.map(([name, it]) => [
				name,
				count(it.stops),
				...[it.coverage, it.precision, it.recall, it.oracle].map((value) => cell(value)),
				cell(it.characters, 1),
			]),
		]),
		section("By reason for no suggestion", [
			["", "stops", "right found"],
			...Object.entries(byReason).map(([name, { stops, found }]) => [name, count(stops), count(found)]),
		]),
		section("Reliability: the share of right candidates, by confidence", [
			["confidence", "stops", "mean", "right"],
			...reliability.map(({ from, stops, confidence, right }) => {
				return [`from ${from.toFixed(1)}`, count(stops), cell(confidence), cell(right)];
			}),
		]),
		section("Time of a completion, in ms", [
			["p50", "p95", "p99"],
			[cell(overall.p50Ms, 2), cell(overall.p95Ms, 2), cell(overall.p99Ms, 2)],
		]),
	].join("\n");
}
