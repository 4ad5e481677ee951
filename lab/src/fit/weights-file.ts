import { writeFileSync } from "node:fs";

// As many digits as make a difference: the chances change by less than a thousandth.
const DIGITS = 2;

/** A file of weights: the command that fits them, where its features are described, and what it exports. */
export interface WeightsFile {
	readonly path: string;
	readonly command: string;
	readonly features: string;
	readonly constant: string;
}

/** Writes the weights, by the names of their inputs, without those that weigh nothing. Returns how many there are. */
export function writeWeights(file: WeightsFile, names: readonly string[], weights: Float64Array): number {
	const lines = names
		.map((name, i) => ({ name, weight: Number((weights[i] as number).toFixed(DIGITS)) }))
		.filter(({ weight }) => weight !== 0)
		.toSorted((a, b) => (a.name < b.name ? -1 : 1))
		.map(({ name, weight }) => `\t${/^[a-z]+$/.test(name) ? name : JSON.stringify(name)}: ${weight},`);
	const text = `// Written by \`${file.command}\`. See ${file.features} for what each of them means.
export const ${file.constant}: Readonly<Record<string, number>> = {
${lines.join("\n")}
};
`;
	writeFileSync(file.path, text);
	return lines.length;
}
