import { writeFileSync } from "node:fs";
import { parseCase, readCaseLines } from "../eval/cases.js";
import { chanceOf, type Row, regress } from "./regression.js";
import { frontierOf, reliabilityOf, type Scored, summaryOf } from "./report.js";
import { type Choice, choicesOf } from "./rows.js";

// An input that fewer candidates have says nothing about others.
const SEEN_MIN = 20;
// As many digits as make a difference: the chances change by less than a thousandth.
const DIGITS = 2;

// Most candidates are hopeless, and are so by a fit to a few of them. The rest are what there is to learn from.
const SAMPLED = 4;
const HOPELESS = 0.02;

// Those of the gate, and some between them.
const THRESHOLDS = [0.3, 0.42, 0.5, 0.55, 0.6, 0.65, 0.72, 0.8];

/** Fits the scorer's weights to a file of cases, and says how good they are for a repository that they have not seen. */
function main(file: string, output: string): void {
	const choices = collect(file);
	const names = namesIn(choices);
	const index = new Map(names.map((name, i) => [name, i]));
	const rowsOf = new Map(choices.map((choice) => [choice, choice.options.map((one) => rowOf(one, index))]));
	const rows = choices.flatMap((choice) => rowsOf.get(choice) ?? []);
	say(`fitting ${names.length} weights to ${rows.length} candidates`);
	const first = regress(
		rows.filter((_, i) => i % SAMPLED === 0),
		names.length,
	);
	const isLearnt = (row: Row) => row.isRight || chanceOf(first, row) > HOPELESS;
	const all = regress(rows.filter(isLearnt), names.length, first);
	write(output, names, all);

	const repositories = [...new Set(choices.map(({ repository }) => repository))].toSorted();
	const scored: Scored[] = repositories.flatMap((repository) => {
		say(`fitting without ${repository}`);
		const others = choices.filter((choice) => choice.repository !== repository);
		const weights = regress(
			others.flatMap((choice) => (rowsOf.get(choice) ?? []).filter(isLearnt)),
			names.length,
			all,
		);
		return choices.flatMap((choice) => {
			if (choice.repository !== repository) return [];
			const chances = (rowsOf.get(choice) ?? []).map((row) => chanceOf(weights, row));
			return [{ choice, chances }];
		});
	});

	const own = choices.map((choice) => ({
		choice,
		chances: (rowsOf.get(choice) ?? []).map((row) => chanceOf(all, row)),
	}));
	print("Each repository by weights that were fitted without it", summaryOf(scored, THRESHOLDS));
	print("The same by weights that have seen it", summaryOf(own, THRESHOLDS));
	print("Precision at a recall, without it", frontierOf(scored));
	print("How often a chance is right, without it", reliabilityOf(scored));
}

function collect(file: string): Choice[] {
	const lines = readCaseLines(file);
	return lines.flatMap((line, i) => {
		if (i % 100 === 0) say(`replaying case ${i + 1} of ${lines.length}`);
		return choicesOf(parseCase(file, line));
	});
}

function namesIn(choices: readonly Choice[]): string[] {
	const seen = new Map<string, number>();
	for (const { options } of choices) {
		for (const { names } of options) for (const name of names) seen.set(name, (seen.get(name) ?? 0) + 1);
	}
	return [...seen].flatMap(([name, count]) => (count >= SEEN_MIN ? [name] : [])).toSorted();
}

function rowOf({ names, isRight }: Choice["options"][number], index: ReadonlyMap<string, number>): Row {
	const inputs = names.flatMap((name) => index.get(name) ?? []);
	return { inputs: Int32Array.from(inputs).toSorted(), isRight };
}

function write(output: string, names: readonly string[], weights: Float64Array): void {
	const lines = names.flatMap((name, i) => {
		const weight = Number((weights[i] as number).toFixed(DIGITS));
		return weight === 0 ? [] : [`\t${/^[a-z]+$/.test(name) ? name : JSON.stringify(name)}: ${weight},`];
	});
	const text = `// Written by \`npm run fit\`. See features.ts for what each of them means.
export const WEIGHTS: Readonly<Record<string, number>> = {
${lines.join("\n")}
};
`;
	writeFileSync(output, text);
	say(`wrote ${lines.length} weights to ${output}`);
}

function print(title: string, table: string): void {
	process.stdout.write(`${title}\n\n${table}\n\n`);
}

function say(what: string): void {
	process.stderr.write(`${what}\n`);
}

const [file, output] = process.argv.slice(2);
if (file === undefined || output === undefined) {
	say("usage: npm run fit -- CASES.jsonl[.br]");
	process.exitCode = 2;
} else main(file, output);
