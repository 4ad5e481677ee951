import type { Candidate, PooledFeatures } from "../candidate.js";
import { CROSSED, FEATURES } from "./features.js";
import { WEIGHTS } from "./weights.js";

/** The chance that a candidate with these features is wanted. */
export function score(features: PooledFeatures): number {
	let odds = 0;
	if (isByHand(features)) {
		for (const [name, { weight }] of Object.entries(BY_HAND)) odds += weight * Math.min(features.get(name) ?? 0, 1);
		return chanceOf(odds);
	}
	odds += WEIGHTS["all"] ?? 0;
	for (const [name, value] of features) odds = addSteps(odds, WEIGHED.get(name), value);
	const levels = PAIRED.map((one) => levelIn(one, features));
	for (const { first, second, weights } of PAIRS) {
		odds += weights[levels[first] as number]?.[levels[second] as number] ?? 0;
	}
	return Math.max(chanceOf(odds), isRenaming(features) ? RENAMING : 0);
}

/** What a feature, or two of them together, adds to the logarithmic odds that a candidate is wanted. */
export interface Contribution {
	/** None for what all candidates have in common. */
	readonly names: readonly string[];
	/** One for each name. */
	readonly values: readonly number[];
	/** In plain words. */
	readonly says: string;
	readonly odds: number;
}

/** The contributions to the chance of a candidate, as odds that add up to it, greatest first. */
export function contributionsOf({
	features,
	confidence,
	predictor,
}: Pick<Candidate, "features" | "confidence" | "predictor">): Contribution[] {
	const made = isByHand(features) ? handMade(features) : fitted(features);
	// A place of a rename gets the chance of the surest one.
	if (predictor === "rename" && confidence !== score(features)) {
		const odds = oddsOf(confidence) - made.reduce((sum, one) => sum + one.odds, 0);
		made.push({ names: ["rename"], values: [1], says: "another place of the same rename is surer", odds });
	}
	return made.filter((one) => one.odds !== 0).toSorted((a, b) => Math.abs(b.odds) - Math.abs(a.odds));
}

function handMade(features: PooledFeatures): Contribution[] {
	return Object.entries(BY_HAND).map(([name, { weight, says }]) => {
		const value = features.get(name) ?? 0;
		return { names: [name], values: [value], says, odds: weight * Math.min(value, 1) };
	});
}

function fitted(features: PooledFeatures): Contribution[] {
	const made: Contribution[] = [
		{ names: [], values: [], says: "what all candidates have in common", odds: WEIGHTS["all"] ?? 0 },
	];
	for (const [name, value] of features) {
		const { says = "" } = FEATURES[name] ?? {};
		made.push({ names: [name], values: [value], says, odds: addSteps(0, WEIGHED.get(name), value) });
	}
	for (const { first, second, weights } of PAIRS) {
		const [a, b] = [PAIRED[first] as Paired, PAIRED[second] as Paired];
		const odds = weights[levelIn(a, features)]?.[levelIn(b, features)] ?? 0;
		const values = [features.get(a.name) ?? 0, features.get(b.name) ?? 0];
		made.push({ names: [a.name, b.name], values, says: "what the two say together", odds });
	}
	const sum = made.reduce((odds, one) => odds + one.odds, 0);
	if (!isRenaming(features) || chanceOf(sum) >= RENAMING) return made;
	const says = "a rename that is the user's only change, or was accepted, has at least this chance";
	return [...made, { names: ["rename"], values: [features.get("rename") ?? 0], says, odds: oddsOf(RENAMING) - sum }];
}

// The benchmark makes every step of a commit by hand, so its states rarely consist of a rename alone, and nothing is accepted in
// them: the fitted weights underrate both. A user who has changed nothing but a name at its declaration, or has accepted the new name
// at another place, is renaming.
const RENAMING = 0.62;

function isRenaming(features: PooledFeatures): boolean {
	if ((features.get("rename.age") ?? 0) > 0) return false;
	if (features.get("rename.confirmed") === 1) return true;
	return features.get("rename.only") === 1 && (features.get("rename.skipped") ?? 0) === 0;
}

// The benchmark has no diagnostics and takes no jumps, and hardly anything in it is pasted or gets another parameter, so what
// those predictors say cannot be fitted. Each is careful by itself: what it proposes is plain.
const BY_HAND: Readonly<Record<string, { readonly weight: number; readonly says: string }>> = {
	diagnostic: { weight: 0.6, says: "the fix of a diagnostic" },
	"diagnostic.error": { weight: 0.4, says: "the diagnostic is an error" },
	"diagnostic.asked": { weight: 0.6, says: "the user asked, or the diagnostic has just come" },
	jump: { weight: 0.5, says: "a place to go to" },
	"jump.error": { weight: 0.4, says: "there is an error at it" },
	"jump.about": { weight: 0.6, says: "the error is about what the user has just changed" },
	calls: { weight: 0.8, says: "calls of what has other parameters" },
	paste: { weight: 0.8, says: "a name of what was pasted" },
};

// Of these there is enough in the benchmark. Where one of them speaks, a copy or a call only adds to it.
const FITTED = ["rename", "repeat", "template", "sibling"];

function isByHand(features: PooledFeatures): boolean {
	if (features.has("diagnostic") || features.has("jump")) return true;
	return (features.has("calls") || features.has("paste")) && !FITTED.some((name) => features.has(name));
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

type Paired = Pick<Weighed, "name" | "steps">;

/** All features that are in a pair. Some are in many, and their level is found out once. */
const PAIRED = [...new Set(CROSSED.flat())].map((name) => ({ name, steps: stepsOf(name) }));

/** Two features by their index, and what each level of the one weighs with each of the other. */
const PAIRS = CROSSED.map(([a, b]) => ({
	first: PAIRED.findIndex(({ name }) => name === a),
	second: PAIRED.findIndex(({ name }) => name === b),
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
function levelIn({ name, steps }: Paired, features: PooledFeatures): number {
	const value = features.get(name) ?? 0;
	let level = steps.length;
	while (level > 0 && value < (steps[level - 1] as number)) level--;
	return level;
}

/**
 * What has a weight, of these features: each with every step that it reaches, and some pairs of features with the steps
 * that both have come to. There is always one, for what all candidates have in common.
 */
export function inputsOf(features: PooledFeatures): string[] {
	const inputs = ["all"];
	for (const [name, value] of features) {
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
function levelOf(name: string, features: PooledFeatures): number {
	const value = features.get(name) ?? 0;
	return stepsOf(name).findLast((step) => value >= step) ?? 0;
}

/** A chance, with its logarithmic odds moved. */
export function shift(chance: number, by: number): number {
	return chanceOf(oddsOf(chance) + by);
}

function oddsOf(chance: number): number {
	return Math.log(chance / (1 - chance));
}

function chanceOf(odds: number): number {
	return 1 / (1 + Math.exp(-odds));
}
