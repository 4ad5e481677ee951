import type { Features } from "../candidate.js";
import { COMPLETION_CROSSED, COMPLETION_FEATURES } from "./completion-features.js";
import { COMPLETION_WEIGHTS } from "./completion-weights.js";

/** The probability that a completion with these features is the rest of the line. */
export function chanceOfCompletion(features: Features): number {
	let odds = COMPLETION_WEIGHTS["all"] ?? 0;
	for (const { name, weights } of WEIGHED) odds += weights[levelIn(name, features)] as number;
	for (const { a, b, weights } of PAIRS) odds += weights[levelIn(a, features)]?.[levelIn(b, features)] ?? 0;
	return 1 / (1 + Math.exp(-odds));
}

// The weights of `completionInputsOf`, precomputed because building an input's name takes longer than adding its
// weight.
const WEIGHED = Object.entries(COMPLETION_FEATURES).map(([name, { steps }]) => {
	const weights = [0];
	for (const step of steps) weights.push((weights.at(-1) ?? 0) + weightOf(`${name} ${step}`));
	return { name, weights };
});

const PAIRS = COMPLETION_CROSSED.map(([a, b]) => ({
	a,
	b,
	weights: [0, ...stepsOf(a)].map((one) => [0, ...stepsOf(b)].map((other) => weightOf(`${a} ${one} ${b} ${other}`))),
}));

/**
 * Returns the names of the weights that apply to these features: one for each step that a feature reaches, one for
 * each crossed pair (named after the last step that each of the two reaches), and the bias `all`.
 */
export function completionInputsOf(features: Features): string[] {
	const reached = (name: string) => stepsOf(name).slice(0, levelIn(name, features));
	const plain = Object.keys(COMPLETION_FEATURES).flatMap((name) => reached(name).map((step) => `${name} ${step}`));
	const crossed = COMPLETION_CROSSED.map(([a, b]) => `${a} ${reached(a).at(-1) ?? 0} ${b} ${reached(b).at(-1) ?? 0}`);
	return ["all", ...plain, ...crossed];
}

function weightOf(input: string): number {
	return COMPLETION_WEIGHTS[input] ?? 0;
}

function stepsOf(name: string): readonly number[] {
	return COMPLETION_FEATURES[name]?.steps ?? [];
}

/** Counts the steps that a feature reaches. */
function levelIn(name: string, features: Features): number {
	const steps = stepsOf(name);
	const value = features[name] ?? 0;
	let level = steps.length;
	while (level > 0 && value < (steps[level - 1] as number)) level--;
	return level;
}
