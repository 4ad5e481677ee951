import { writeFileSync } from "node:fs";

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
