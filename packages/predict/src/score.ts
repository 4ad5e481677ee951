import type { Features } from "./candidate.js";
import { CROSSED, FEATURES } from "./features.js";
import { WEIGHTS } from "./weights.js";

/** The chance that a candidate with these features is wanted. */
export function score(features: Features): number {
	let odds = 0;
	if (isByHand(features)) {
		for (const [name, weight] of Object.entries(BY_HAND)) odds += weight * Math.min(features[name] ?? 0, 1);
		return chanceOf(odds);
	}
	odds += WEIGHTS["all"] ?? 0;
	for (const name of Object.keys(features)) odds = addSteps(odds, WEIGHED.get(name), features[name] as number);
	for (const { a, b, weights } of PAIRS) odds += weights[levelIn(a, features)]?.[levelIn(b, features)] ?? 0;
	return Math.max(chanceOf(odds), isBegun(features) ? BEGUN : 0);
}

// Where a name was renamed at its declaration a moment ago, 9 of 10 other places in the file do change; often something else
// of the line does, too, and the benchmark takes that for a miss. A user is glad of it.
const BEGUN = 0.62;

function isBegun(features: Features): boolean {
	const isPast = ["rename.age", "rename.skipped"].some((name) => (features[name] ?? 0) > 0);
	// In another file it is the line that takes the name from here.
	const isTied = features["elsewhere"] !== 1 || features["import"] === 1;
	return features["rename.declared"] === 1 && isTied && !isPast;
}

// The benchmark has no diagnostics and takes no jumps, and hardly anything in it is pasted or gets another parameter, so what
// those predictors say cannot be fitted. Each is careful by itself: what it proposes is plain.
const BY_HAND: Features = {
	diagnostic: 0.6,
	"diagnostic.error": 0.4,
	"diagnostic.asked": 0.6,
	jump: 0.5,
	"jump.error": 0.4,
	"jump.about": 0.6,
	calls: 0.8,
	paste: 0.8,
};

// Of these there is enough in the benchmark. Where one of them speaks, a copy or a call only adds to it.
const FITTED = ["rename", "repeat", "template", "sibling"];

function isByHand(features: Features): boolean {
	if ("diagnostic" in features || "jump" in features) return true;
	return ("calls" in features || "paste" in features) && !FITTED.some((name) => name in features);
}

/** A feature, and what each of its steps weighs. */
interface Weighed {
	readonly name: string;
	readonly steps: readonly number[];
	readonly weights: readonly number[];
}

// The weights of `inputsOf`, found once: to write the name of an input takes longer than all else that is done with it.
const WEIGHED: ReadonlyMap<string, Weighed> = new Map(
	Object.entries(FEATURES).map(([name, { steps }]) => {
		return [name, { name, steps, weights: steps.map((step) => WEIGHTS[`${name} ${step}`] ?? 0) }];
	}),
);

/** Two features, and what each level of the one weighs with each of the other. */
const PAIRS = CROSSED.map(([a, b]) => ({
	a: { name: a, steps: stepsOf(a) },
	b: { name: b, steps: stepsOf(b) },
	weights: [0, ...stepsOf(a)].map((one) =>
		[0, ...stepsOf(b)].map((other) => WEIGHTS[`${a} ${one} ${b} ${other}`] ?? 0),
	),
}));

/** The odds with those of every step that a value reaches. They are added one by one, as they were when fitted. */
function addSteps(odds: number, weighed: Weighed | undefined, value: number): number {
	let sum = odds;
	if (weighed === undefined) return sum;
	const { steps, weights } = weighed;
	for (let i = 0; i < steps.length && value >= (steps[i] as number); i++) sum += weights[i] as number;
	return sum;
}

/** How many steps a feature reaches. */
function levelIn({ name, steps }: Pick<Weighed, "name" | "steps">, features: Features): number {
	const value = features[name] ?? 0;
	let level = steps.length;
	while (level > 0 && value < (steps[level - 1] as number)) level--;
	return level;
}

/**
 * What has a weight, of these features: each with every step that it reaches, and some pairs of features with the steps
 * that both have come to. There is always one, for what all candidates have in common.
 */
export function inputsOf(features: Features): string[] {
	const inputs = ["all"];
	for (const name of Object.keys(features)) {
		const value = features[name] as number;
		for (const step of stepsOf(name)) {
			if (value < step) break;
			inputs.push(`${name} ${step}`);
		}
	}
	for (const [a, b] of CROSSED) inputs.push(`${a} ${levelOf(a, features)} ${b} ${levelOf(b, features)}`);
	return inputs;
}

function stepsOf(name: string): readonly number[] {
	return FEATURES[name]?.steps ?? [];
}

/** The last step that a feature reaches; 0 where it reaches none. */
function levelOf(name: string, features: Features): number {
	const value = features[name] ?? 0;
	return stepsOf(name).findLast((step) => value >= step) ?? 0;
}

/** A chance, with its logarithmic odds moved. */
export function shift(chance: number, by: number): number {
	return chanceOf(Math.log(chance / (1 - chance)) + by);
}

function chanceOf(odds: number): number {
	return 1 / (1 + Math.exp(-odds));
}
