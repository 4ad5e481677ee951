// Benchmark: typing at human speed, with a model and with rules alone: keys with a suggestion, requests, flickers, stale suggestions

import { readdirSync, readFileSync } from "node:fs";
import { NAME_KEYS, NAME_SAMPLES, simulateNames } from "@segue/testing/typing/typing-names";
import { plansOfStories, TYPING_PLANS } from "@segue/testing/typing/typing-plan";
import { simulateTyping, TYPING_VARIANTS, type TypingFigures } from "@segue/testing/typing/typing-simulation";
import { clearProgress, showProgress } from "../progress-bar.js";
import { type Measurement, report } from "./measurement.js";

// Time is simulated, so every run produces the same figures.

// From fast bursts to hunt-and-peck. Suggestions are requested after 100 ms without a keystroke.
const KEY_SPEEDS_MS = [30, 60, 90, 120, 150, 200, 300, 400];
// A local agent, and a remote one.
const LATENCIES_MS = [5, 120];

const folder = new URL("../../../stories/", import.meta.url);
const stories = readdirSync(folder)
	.filter((name) => name.endsWith(".story.md"))
	.flatMap((name) => plansOfStories(readFileSync(new URL(name, folder), "utf8")));

const measurements = [
	...(await measure("editing tasks", TYPING_PLANS, 0)),
	...(await measure("stories", stories, 0)),
	...(await measure("editing tasks, 5% mistakes", TYPING_PLANS, 5)),
	...(await measureNames()),
];
clearProgress();
report(measurements, process.argv);

async function measure(what: string, plans: typeof TYPING_PLANS, mistakes: number): Promise<Measurement[]> {
	const figures: [string, TypingFigures][] = [];
	for (const [way, conditions] of Object.entries(TYPING_VARIANTS)) {
		showProgress(`${what}: ${way}`);
		figures.push([way, await simulateTyping(plans, { ...conditions, mistakes })]);
	}
	const [first, ...others] = figures;
	if (first === undefined) throw new Error("no variants");
	const [name, base] = first;
	return [
		...others.flatMap(([way, one]): Measurement[] => [
			{
				figure: `${what}: keys with a suggestion, ${way}`,
				value: shareOf(one),
				unit: "% of the keys",
				against: { name, value: shareOf(base) },
				...(way === "rebasing cache and speculation" && mistakes === 0 && { target: { timesAtLeast: 1.5 } }),
			},
			{
				figure: `${what}: requests, ${way}`,
				value: one.requests / one.minutes,
				unit: "per minute",
				against: { name, value: base.requests / base.minutes },
				target: { timesAtMost: 1 },
			},
		]),
		...figures.flatMap(([way, { flickers, stale, speculations, minutes }]): Measurement[] => [
			{ figure: `${what}: speculative requests, ${way}`, value: speculations / minutes, unit: "per minute" },
			{ figure: `${what}: flickers, ${way}`, value: flickers.length, unit: "times", target: { valueBelow: 1 } },
			{ figure: `${what}: stale, ${way}`, value: stale.length, unit: "times", target: { valueBelow: 1 } },
		]),
	];
}

function shareOf({ covered, keys }: TypingFigures): number {
	return (100 * covered) / keys;
}

/**
 * Types new names over old ones, with rules alone: without typos, with corrections, with the new name deleted again,
 * and with undo.
 */
async function measureNames(): Promise<Measurement[]> {
	const typed = KEY_SPEEDS_MS.flatMap((keyMs) => LATENCIES_MS.map((latencyMs) => ({ keyMs, latencyMs })));
	const measurements: Measurement[] = [];
	for (const { path, name, text } of NAME_SAMPLES) {
		showProgress(`names in ${path}`);
		const plans = NAME_KEYS.flatMap((keys) => typed.map((one) => ({ path, name, text, keys, ...one })));
		const { rests, shownAtRest, staleAtRest, staleNames } = await simulateNames(plans);
		measurements.push(
			{
				figure: `names in ${path}: pauses with a suggestion`,
				value: (100 * shownAtRest) / rests,
				unit: "% of the pauses",
			},
			{
				figure: `names in ${path}: stale at a pause`,
				value: staleAtRest.length,
				unit: "times",
				target: { valueBelow: 1 },
			},
			{ figure: `names in ${path}: stale names`, value: staleNames.length, unit: "times", target: { valueBelow: 1 } },
		);
	}
	return measurements;
}
