import type { Features, Predictor } from "./candidate.js";

type Weights = Readonly<Record<keyof Features | "bias", number>>;

// Set by hand, to be fitted. A rename is right more often than not once it is seen twice or at the declaration. A repeat
// is, when it is what the user does right now, when it leaves most of the line as it was, and when few places are left:
// of many equal ones most are meant to stay. A place that was passed over is a strong sign that the rest stay, too.
const WEIGHTS: Readonly<Record<Predictor, Weights>> = {
	rename: {
		bias: -0.6,
		support: 0.5,
		left: 0,
		skipped: -1.2,
		age: 0,
		rank: -0.1,
		isElsewhere: -0.5,
		isDeclaration: 0.8,
		isWholeLine: 0,
		kept: 0,
		isInsertion: 0,
		isShort: -0.2,
	},
	repeat: {
		bias: -1.6,
		support: 0.8,
		left: -0.25,
		skipped: -1.2,
		age: -0.35,
		rank: -0.1,
		isElsewhere: -0.9,
		isDeclaration: 0,
		isWholeLine: 0.35,
		kept: 2,
		isInsertion: -0.6,
		isShort: -0.2,
	},
};

// From here on, more of the same says nothing new.
const COUNTED_MAX = 4;

const NAMES = Object.keys(WEIGHTS.rename).filter((name) => name !== "bias") as (keyof Features)[];

/** The chance that a proposal with these features is wanted. */
export function score(predictor: Predictor, features: Features): number {
	const weights = WEIGHTS[predictor];
	let odds = weights.bias;
	for (const name of NAMES) odds += weights[name] * Math.min(features[name], COUNTED_MAX);
	return chanceOf(odds);
}

/** A chance, with its logarithmic odds moved. */
export function shift(chance: number, by: number): number {
	return chanceOf(Math.log(chance / (1 - chance)) + by);
}

function chanceOf(odds: number): number {
	return 1 / (1 + Math.exp(-odds));
}
