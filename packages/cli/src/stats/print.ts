import { plain } from "@segue/text";
import { paintFor } from "../terminal/colour.js";
import { cut, pad } from "../terminal/width.js";
import type { Figures, NamedFigures, Stats } from "./figures.js";

// What is left of a terminal of 100 columns. A longer name of a model is cut.
const NAME_CELLS = 30;

const COLUMNS: readonly (readonly [heading: string, of: (figures: Figures) => string])[] = [
	["shown", ({ shown }) => `${shown}`],
	["accepted", ({ accepted }) => `${accepted}`],
	["partly", ({ partly }) => `${partly}`],
	["rejected", ({ rejected }) => `${rejected}`],
	["ignored", ({ ignored }) => `${ignored}`],
	["rate", ({ rate }) => (rate === null ? "–" : `${Math.round(rate * 100)} %`)],
	["median", ({ medianMs }) => (medianMs === null ? "–" : `${Number(medianMs.toPrecision(2))} ms`)],
];

/** The figures for people. */
export function printStats({ all, bySource, byModel, byLanguage }: Stats, isColoured: boolean): string {
	if (all.shown === 0) {
		return "No suggestion was shown in that time, or none is kept: see feedback in what segue config shows.\n";
	}
	const { bold, dim } = paintFor(isColoured);
	const section = (title: string, rows: readonly NamedFigures[]) => {
		if (rows.length === 0) return "";
		const heading = bold(pad(title, NAME_CELLS)) + dim(COLUMNS.map(([name]) => name.padStart(CELLS)).join(""));
		return `\n${heading}\n${rows.map((row) => `${lineOf(row)}\n`).join("")}`;
	};
	return [
		section("All", [{ name: "suggestions", ...all }]).slice(1),
		section("By source", bySource),
		section("By model", byModel),
		section("By language", byLanguage),
		dim("\nThe rate is of those that were accepted, partly accepted, rejected or ignored.\n"),
	].join("");
}

const CELLS = 10;

function lineOf(row: NamedFigures): string {
	const name = pad(cut(plain(row.name), NAME_CELLS - 1), NAME_CELLS);
	return name + COLUMNS.map(([, of]) => of(row).padStart(CELLS)).join("");
}
