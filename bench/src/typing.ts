// Benchmark: typing at human speed with a model: keys with a suggestion on the screen, requests, flickers

import { readdirSync, readFileSync } from "node:fs";
import { plansOfStories, TYPING_PLANS } from "@segue/testing/typing-plan";
import { simulateTyping, type TypingFigures } from "@segue/testing/typing-simulation";
import { TYPING_WAYS } from "@segue/testing/typing-ways";
import { progress, progressDone } from "./progress.js";
import { type Measurement, report } from "./report.js";

// Nothing is measured by a clock here: the time is the simulation's own, and every run gives the same figures.

const folder = new URL("../../stories/", import.meta.url);
const stories = readdirSync(folder)
	.filter((name) => name.endsWith(".story.md"))
	.flatMap((name) => plansOfStories(readFileSync(new URL(name, folder), "utf8")));

const measurements = [
	...(await measure("a dozen pieces", TYPING_PLANS, 0)),
	...(await measure("the stories", stories, 0)),
	...(await measure("a dozen pieces, 5% mistakes", TYPING_PLANS, 5)),
];
progressDone();
report(measurements, process.argv);

async function measure(what: string, plans: typeof TYPING_PLANS, mistakes: number): Promise<Measurement[]> {
	const figures: [string, TypingFigures][] = [];
	for (const [way, conditions] of Object.entries(TYPING_WAYS)) {
		progress(`${what}: ${way}`);
		figures.push([way, await simulateTyping(plans, { ...conditions, mistakes })]);
	}
	const [first, ...others] = figures;
	if (first === undefined) throw new Error("there is no way to compare others with");
	const [name, base] = first;
	return [
		...others.flatMap(([way, one]): Measurement[] => [
			{
				figure: `${what}: keys with a suggestion, ${way}`,
				value: shareOf(one),
				unit: "% of the keys",
				against: { name, value: shareOf(base) },
				...(way === "all three" && mistakes === 0 && { target: { timesAtLeast: 1.5 } }),
			},
			{
				figure: `${what}: requests, ${way}`,
				value: one.requests / one.minutes,
				unit: "a minute",
				against: { name, value: base.requests / base.minutes },
				target: { timesAtMost: 1 },
			},
		]),
		...figures.flatMap(([way, { flickers, stale, speculations, minutes }]): Measurement[] => [
			{ figure: `${what}: asked ahead, ${way}`, value: speculations / minutes, unit: "a minute" },
			{ figure: `${what}: flickers, ${way}`, value: flickers.length, unit: "times", target: { valueBelow: 1 } },
			{ figure: `${what}: stale, ${way}`, value: stale.length, unit: "times", target: { valueBelow: 1 } },
		]),
	];
}

function shareOf({ covered, keys }: TypingFigures): number {
	return (100 * covered) / keys;
}
