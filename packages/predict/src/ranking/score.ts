import type { Candidate, PooledFeatures } from "../candidate.js";
import { CROSSED, descriptionOf, FEATURES } from "./features.js";
import { ForestScorer } from "./forest.js";
import { TREES } from "./trees.js";
import { WEIGHTS } from "./weights.js";

// A regression rates every candidate. Boosted trees correct the odds of likely candidates, for which they compare the edit
// with others. The trees alone are not better, and would have to be evaluated for the many unlikely candidates too.
const FOREST = new ForestScorer(TREES);

// In log-odds, about 2 %. Less likely candidates are never shown.
const LIKELY = -4;

/** The log-odds of a candidate according to the regression. */
export function regressedOdds(features: PooledFeatures): number {
	let odds = 0;
	if (isByHand(features)) {
		for (const [name, { weight }] of Object.entries(BY_HAND)) odds += weight * Math.min(features.get(name) ?? 0, 1);
		return odds;
	}
	odds += WEIGHTS["all"] ?? 0;
	for (const [name, value] of features) odds = addSteps(odds, WEIGHED.get(name), value);
	const levels = PAIRED.map((one) => levelIn(one, features));
	for (const { first, second, weights } of PAIRS) {
		odds += weights[levels[first] as number]?.[levels[second] as number] ?? 0;
	}
	return odds;
}

/** Whether the features of a `EditComparison` are needed to score a candidate. */
export function needsComparison(features: PooledFeatures, odds: number): boolean {
	return odds >= LIKELY && !isByHand(features);
}

/** Returns the chance that the user wants a candidate with these features. */
export function score(features: PooledFeatures, odds: number = regressedOdds(features)): number {
	const corrected = isCompared(features) ? odds + FOREST.oddsOf(features) : odds;
	return Math.max(chanceOf(corrected), isRenaming(features) ? RENAMING : 0);
}

function isCompared(features: PooledFeatures): boolean {
	return features.has("candidates") && !isByHand(features);
}

/** The log-odds that a feature, or a pair of features, adds to a candidate. */
export interface Contribution {
	/** Empty for the base rate. */
	readonly names: readonly string[];
	/** The values of these features, in the same order. */
	readonly values: readonly number[];
	/** A description for users. */
	readonly says: string;
	readonly odds: number;
}

/** The contributions to a candidate's chance, largest first. Their log-odds add up to the chance. */
export function contributionsOf({
	features,
	confidence,
	predictor,
}: Pick<Candidate, "features" | "confidence" | "predictor">): Contribution[] {
	const made = isByHand(features) ? handMade(features) : fitted(features);
	// All sites of a rename get the confidence of the best one.
	if (predictor === "rename" && confidence !== score(features)) {
		const odds = oddsOf(confidence) - made.reduce((sum, one) => sum + one.odds, 0);
		made.push({ names: ["rename"], values: [1], says: "another site of the same rename is more likely", odds });
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
	const corrections: ReadonlyMap<string, number> = isCompared(features) ? FOREST.contributionsOf(features) : new Map();
	const base = (WEIGHTS["all"] ?? 0) + (corrections.get("") ?? 0);
	const made: Contribution[] = [{ names: [], values: [], says: "base rate of all candidates", odds: base }];
	for (const name of new Set([...features.keys(), ...corrections.keys()])) {
		if (name === "") continue;
		const value = features.get(name) ?? 0;
		const odds = addSteps(0, WEIGHED.get(name), value) + (corrections.get(name) ?? 0);
		made.push({ names: [name], values: [value], says: descriptionOf(name), odds });
	}
	for (const { first, second, weights } of PAIRS) {
		const [a, b] = [PAIRED[first] as Paired, PAIRED[second] as Paired];
		const odds = weights[levelIn(a, features)]?.[levelIn(b, features)] ?? 0;
		const values = [features.get(a.name) ?? 0, features.get(b.name) ?? 0];
		made.push({ names: [a.name, b.name], values, says: "combination of the two features", odds });
	}
	const sum = made.reduce((odds, one) => odds + one.odds, 0);
	if (!isRenaming(features) || chanceOf(sum) >= RENAMING) return made;
	const says = "minimum for a rename that is the user's only change or was accepted elsewhere";
	return [...made, { names: ["rename"], values: [features.get("rename") ?? 0], says, odds: oddsOf(RENAMING) - sum }];
}

// In the benchmark every step of a commit is made by hand, so a rename is rarely the only change and nothing is ever
// accepted. The fitted weights therefore underrate both cases. A user who changed only a name at its declaration, or
// accepted the new name at another site, is renaming.
const RENAMING = 0.62;

function isRenaming(features: PooledFeatures): boolean {
	if ((features.get("rename.age") ?? 0) > 0) return false;
	if (features.get("rename.confirmed") === 1) return true;
	return features.get("rename.only") === 1 && (features.get("rename.skipped") ?? 0) === 0;
}

// The benchmark has no diagnostics or jumps, and few pastes or parameter changes, so weights for these predictors
// cannot be fitted. They propose only clear cases.
const BY_HAND: Readonly<Record<string, { readonly weight: number; readonly says: string }>> = {
	diagnostic: { weight: 0.6, says: "a fix for a diagnostic" },
	"diagnostic.error": { weight: 0.4, says: "the diagnostic is an error" },
	"diagnostic.asked": { weight: 0.6, says: "requested manually, or the diagnostic is new" },
	jump: { weight: 0.5, says: "a location to jump to" },
	"jump.error": { weight: 0.4, says: "the location has an error" },
	"jump.about": { weight: 0.6, says: "the error is about the user's last change" },
	calls: { weight: 0.8, says: "a call to a function whose parameters changed" },
	paste: { weight: 0.8, says: "a name in pasted code" },
};

// The benchmark has enough data for these predictors. If one of them applies, its fitted weights are used.
const FITTED = ["rename", "repeat", "template", "sibling"];

/** Whether a candidate is scored with weights that are not fitted. */
export function isByHand(features: PooledFeatures): boolean {
	if (features.has("diagnostic") || features.has("jump")) return true;
	return (features.has("calls") || features.has("paste")) && !FITTED.some((name) => features.has(name));
}

/** A feature with the weight of each of its steps. */
interface Weighed {
	readonly name: string;
	readonly steps: readonly number[];
	readonly weights: readonly number[];
}

// The weights of `inputsOf`, looked up once: building the input names is slower than the rest of the scoring.
const WEIGHED: ReadonlyMap<string, Weighed> = new Map(
	Object.entries(FEATURES).map(([name, { steps }]) => {
		return [name, { name, steps, weights: steps.map((step) => WEIGHTS[`${name} ${step}`] ?? 0) }];
	}),
);

type Paired = Pick<Weighed, "name" | "steps">;

/** All features that occur in pairs, so the level of each is computed once. */
const PAIRED = [...new Set(CROSSED.flat())].map((name) => ({ name, steps: stepsOf(name) }));

/** Pairs of indices into `PAIRED`, with a weight for each combination of levels. */
const PAIRS = CROSSED.map(([a, b]) => ({
	first: PAIRED.findIndex(({ name }) => name === a),
	second: PAIRED.findIndex(({ name }) => name === b),
	weights: [0, ...stepsOf(a)].map((one) =>
		[0, ...stepsOf(b)].map((other) => WEIGHTS[`${a} ${one} ${b} ${other}`] ?? 0),
	),
}));

/** Adds the weight of every step that a value reaches, in the same order as when the weights were fitted. */
function addSteps(odds: number, weighed: Weighed | undefined, value: number): number {
	let sum = odds;
	if (weighed === undefined) return sum;
	const { steps, weights } = weighed;
	for (let i = 0; i < steps.length && value >= (steps[i] as number); i++) sum += weights[i] as number;
	return sum;
}

/** The number of steps that a feature reaches. */
function levelIn({ name, steps }: Paired, features: PooledFeatures): number {
	const value = features.get(name) ?? 0;
	let level = steps.length;
	while (level > 0 && value < (steps[level - 1] as number)) level--;
	return level;
}

/**
 * Returns the names of the weights that apply to these features: one for every step that a feature reaches, one for
 * each pair in `CROSSED`, and `all` for the base rate.
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

/** The last step that a feature reaches, or 0. */
function levelOf(name: string, features: PooledFeatures): number {
	const value = features.get(name) ?? 0;
	return stepsOf(name).findLast((step) => value >= step) ?? 0;
}

/** Adds to a probability's log-odds. */
export function shift(chance: number, by: number): number {
	return chanceOf(oddsOf(chance) + by);
}

function oddsOf(chance: number): number {
	return Math.log(chance / (1 - chance));
}

function chanceOf(odds: number): number {
	return 1 / (1 + Math.exp(-odds));
}
