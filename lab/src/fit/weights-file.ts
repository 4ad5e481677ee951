import { writeFileSync } from "node:fs";
import { LEAF, type PackedForest } from "@segue/predict";

// Enough digits that rounding changes probabilities by less than 0.001.
const DIGITS = 2;

/**
 * A weights file: its path, the command that writes it, the file that describes the features, and the exported
 * constant.
 */
export interface WeightsFile {
	readonly path: string;
	readonly command: string;
	readonly features: string;
	readonly constant: string;
}

/** Returns the weights as they are written. */
export function roundWeights(weights: Float64Array): Float64Array {
	return weights.map((weight) => Number(weight.toFixed(DIGITS)));
}

/** Writes the weights by input name, omitting zeros. Returns the number of weights written. */
export function writeWeights(file: WeightsFile, names: readonly string[], weights: Float64Array): number {
	const lines = names
		.map((name, i) => ({ name, weight: Number((weights[i] as number).toFixed(DIGITS)) }))
		.filter(({ weight }) => weight !== 0)
		.toSorted((a, b) => (a.name < b.name ? -1 : 1))
		.map(({ name, weight }) => `\t${/^[a-z]+$/.test(name) ? name : JSON.stringify(name)}: ${weight},`);
	const text = `// Written by \`${file.command}\`. See ${file.features} for the meaning of each weight.
export const ${file.constant}: Readonly<Record<string, number>> = {
${lines.join("\n")}
};
`;
	writeFileSync(file.path, text);
	return lines.length;
}

/** Writes packed trees, without the features that they do not use. Returns the number of nodes. */
export function writeForest(file: string, { names, thresholds, nodes }: PackedForest): number {
	const used = names.flatMap((_, i) => (thresholds[i]?.length ? [i] : []));
	const list = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(",");
	const renumbered: number[] = [];
	let count = 0;
	for (let at = 0; at < nodes.length; count++) {
		const feature = nodes[at] as number;
		const size = feature === LEAF ? 2 : 3;
		renumbered.push(feature === LEAF ? LEAF : used.indexOf(feature), ...nodes.slice(at + 1, at + size));
		at += size;
	}
	const text = `import type { PackedForest } from "./forest.js";

// Written by \`npm run fit\`. See features.ts for the meaning of each feature.
// biome-ignore format: one line for each part
export const TREES: PackedForest = {
	names: [${list(used.map((i) => names[i]))}],
	thresholds: [${list(used.map((i) => thresholds[i]))}],
	nodes: [${list(renumbered)}],
};
`;
	writeFileSync(file, text);
	return count;
}
