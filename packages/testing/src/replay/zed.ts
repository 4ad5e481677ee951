import { readFileSync } from "node:fs";
import path from "node:path";
import { decodePrompt, PROMPT_FORMATS, type RegionEdit } from "@segue/models/prompts";
import { Suggester } from "@segue/server/completions/suggester";
import { Unapplied } from "@segue/server/completions/unapplied";
import { diffLines } from "@segue/text";
import { regionAfter } from "../zed-parsers.js";

// Prompts that Zed's own code wrote, and what its parsers made of answers. Prints how many of the prompts are decoded, are encoded to
// the same bytes, and get an answer that is valid for the editor; and how far our reading of answers agrees with Zed's.

interface State {
	readonly name: string;
	readonly path: string;
	readonly text: string;
	readonly formats: readonly {
		readonly format: string;
		readonly prompt: string | null;
		readonly region: { readonly from: number; readonly to: number };
		readonly historyShown?: number;
	}[];
}

interface Answer {
	readonly label: string;
	readonly format: string;
	readonly state: string;
	readonly answer: string;
	readonly result: { readonly kind: string; readonly text?: string; readonly unchanged?: boolean };
}

/** The formats of the captures that can be decoded, by our names. */
const NAMES: Readonly<Record<string, string>> = {
	zeta1: "zeta-1",
	V0211SeedCoder: "zeta-2",
	V0318SeedMultiRegions: "zeta-2.1",
	V0316SeedMultiRegions: "zeta-2.1",
	V0327SingleFile: "zeta-2.1",
	V0420Diagnostics: "zeta-2.1",
	sweep: "sweep",
};

const [, , folder = ""] = process.argv;
const read = <T>(name: string): T[] => {
	const lines = readFileSync(path.join(folder, name), "utf8").trim().split("\n");
	return lines.map((line) => JSON.parse(line) as T);
};
const states = read<State>("prompts.jsonl");
print(await replayPrompts());
print(compareAnswers());

async function replayPrompts() {
	const suggester = new Suggester({
		...{ folder: "file:///work", models: undefined, witness: undefined, now: () => 0, startedAtMs: 0, report: fail },
		unapplied: new Unapplied(() => 0),
	});
	const rows: Record<string, Record<string, number>> = {};
	for (const state of states) {
		for (const { format, prompt, region, historyShown } of state.formats) {
			const name = NAMES[format] ?? (format.startsWith("fim-") ? format : undefined);
			if (name === undefined || prompt === null) continue;
			rows[format] ??= {};
			const row = rows[format];
			const count = (column: string, is: boolean) => {
				row[column] = (row[column] ?? 0) + (is ? 1 : 0);
				if (!is && column !== "edit") process.stdout.write(`${state.name}, ${format}: not ${column}\n`);
			};
			count("prompts", true);
			const decoded = decodePrompt(prompt);
			count("decoded", decoded?.format === name);
			if (decoded?.format !== name) continue;
			const { parts } = decoded;
			count("same bytes", PROMPT_FORMATS.get(name)?.encode(parts) === prompt);
			if (!name.startsWith("fim-")) {
				const shown = state.text.slice(region.from, region.to).replaceAll("\r\n", "\n");
				count("path", parts.path === state.path);
				count("region", parts.region === shown || `${parts.region}\n` === shown);
				count("history", historyShown === undefined || parts.edits.length === historyShown);
			}
			const { signal } = new AbortController();
			const edits = await suggester.suggest({
				prompt: decoded,
				client: `${state.name} ${format}`,
				mayAskModel: false,
				signal,
			});
			count("edit", edits.length > 0);
			const isValid = (wanted: readonly RegionEdit[]) => {
				const { text, end } = decoded.answer(wanted);
				const after = applied(parts.region, wanted);
				return (regionAfter(name, parts, text + end) ?? parts.region) === after;
			};
			const half = Math.floor(parts.region.length / 2);
			const tried = [
				[],
				edits,
				[{ from: 0, to: 0, insert: "first\n" }],
				[{ from: half, to: parts.region.length, insert: "" }],
				[{ from: half, to: half, insert: "in the middle" }],
				[{ from: parts.region.length, to: parts.region.length, insert: "\nlast" }],
			];
			count("answers valid", decoded.isUnclear || tried.every(isValid));
		}
	}
	return rows;
}

function applied(text: string, edits: readonly RegionEdit[]): string {
	let after = text;
	for (const { from, to, insert } of edits.toReversed()) after = after.slice(0, from) + insert + after.slice(to);
	return after;
}

/**
 * How far `regionAfter` agrees with Zed's parsers, on which the checks above rest; and whether the answers that Zed's own encoder wrote
 * are what is written here for the same edits.
 */
function compareAnswers() {
	const rows: Record<string, { answers: number; same: number; different: string; written: number; equal: number }> = {};
	for (const { label, format, state, answer, result } of read<Answer>("answers.jsonl")) {
		const name = NAMES[format];
		const prompt = states.find((one) => one.name === state)?.formats.find((one) => one.format === format)?.prompt;
		const decoded = prompt == null ? undefined : decodePrompt(prompt);
		if (name === undefined || decoded === undefined) continue;
		const { parts } = decoded;
		rows[format] ??= { answers: 0, same: 0, different: "", written: 0, equal: 0 };
		const row = rows[format];
		row.answers++;
		const after = regionAfter(name, parts, answer) ?? parts.region;
		const wanted = result.kind === "region" && result.unchanged !== true ? (result.text ?? "") : parts.region;
		if (withoutEnd(after) === withoutEnd(wanted)) row.same++;
		else row.different += `${row.different === "" ? "" : "; "}${label}`;
		if (!label.includes("by Zed's encoder") || label.includes("with a cursor")) continue;
		row.written++;
		// Zeta 2 has a line end behind the region, and a region at the end of a file may have one itself.
		const text = parts.region.endsWith("\n") ? wanted : withoutEnd(wanted);
		const own = decoded.answer(diffLines(parts.region, text));
		if (own.text + own.end === answer) row.equal++;
		else process.stdout.write(`${state}, ${format}: ${label}: written differently\n`);
	}
	return rows;
}

function withoutEnd(text: string): string {
	return text.replace(/\n$/, "");
}

function fail(error: unknown): void {
	throw error;
}

function print(rows: Readonly<Record<string, Readonly<Record<string, number | string>>>>): void {
	const columns = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))];
	const lines = [
		["", ...columns],
		...Object.entries(rows).map(([name, row]) => [name, ...columns.map((one) => `${row[one] ?? ""}`)]),
	];
	const widths = lines[0]?.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0))) ?? [];
	for (const line of lines) {
		process.stdout.write(
			`${line
				.map((cell, i) => cell.padEnd(widths[i] ?? 0))
				.join("  ")
				.trimEnd()}\n`,
		);
	}
	process.stdout.write("\n");
}
