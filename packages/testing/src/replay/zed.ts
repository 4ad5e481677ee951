import { readFileSync } from "node:fs";
import path from "node:path";
import { FORMATS } from "@segue/models";
import { decodePrompt, PROMPT_FORMATS, type RegionEdit } from "@segue/models/prompts";
import { ResendCounter } from "@segue/server/completions/resend-counter";
import { Suggester } from "@segue/server/completions/suggester";
import { diffLines } from "@segue/text";
import { regionAfter } from "../models/zed-parsers.js";
import { promptInputOfState, type ZedState } from "./zed-state.js";

// Compares Segue's formats with prompts written by Zed's own code, and with the results of Zed's parsers. For each
// state, Segue's encoders must write Zed's prompt byte for byte, and each answer must change the document as it does in
// Zed, except where Zed's result is harmful. If anything differs, the exit status is 1. Also counts the prompts that
// are decoded, re-encoded to the same bytes, and answered validly.

interface ZedAnswer {
	readonly label: string;
	readonly format: string;
	readonly state: string;
	readonly answer: string;
	readonly result: {
		readonly kind: string;
		/** Offsets in the state's text. */
		readonly region?: { readonly from: number; readonly to: number };
		readonly text?: string;
		readonly unchanged?: boolean;
	};
}

/** Segue's names for the captured formats that it can decode. */
const NAMES: Readonly<Record<string, string>> = {
	zeta1: "zeta-1",
	V0211SeedCoder: "zeta-2",
	V0318SeedMultiRegions: "zeta-2.1",
	V0316SeedMultiRegions: "zeta-2.1",
	V0327SingleFile: "zeta-2.1",
	V0420Diagnostics: "zeta-2.1",
	sweep: "sweep",
};

/** Segue's names for the captured formats that it can encode. */
const ENCODERS: Readonly<Record<string, string>> = {
	zeta1: "zeta-1",
	V0211SeedCoder: "zeta-2",
	V0318SeedMultiRegions: "zeta-2.1",
};

/** Answers that Segue intentionally reads differently, by label. */
const ON_PURPOSE: Readonly<Record<string, string>> = {
	...each("Zed leaves the marker in the text", [
		"cursor mark",
		"two cursor marks",
		"cursor mark after wide characters",
	]),
	...each("Zed treats the end marker or token as text", [
		...["end mark without line end", "end mark twice", "end mark and end token", "end token only"],
		...["blank line after the end mark", "NO_EDITS", "NO_EDITS without end mark"],
	]),
	...each("Zed deletes the region", ["reversed marks", "empty", "end mark only", "one line end"]),
	...each("Zed also deletes the last line end", ["empty region", "marks only"]),
	...each("Zed adds the line end before the missing marker", ["no end mark (stopped)"]),
	...each("Zed rejects the whole answer; Segue keeps the changes that later text could not revoke", [
		...["one mark", "truncated in a tag", "mark out of range"],
	]),
};

const [, , folder = ""] = process.argv;
const read = <T>(name: string): T[] => {
	const lines = readFileSync(path.join(folder, name), "utf8").trim().split("\n");
	return lines.map((line) => JSON.parse(line) as T);
};
const states = read<ZedState>("prompts.jsonl");
print(compareEncoders());
print(await replayPrompts());
print(compareReaders());
print(compareAnswers());

/** Encodes a prompt for each state and prints the first line that differs from Zed's prompt. */
function compareEncoders() {
	const rows: Record<string, { states: number; "prompts equal": number }> = {};
	for (const state of states) {
		const input = promptInputOfState(state);
		for (const { format, prompt } of state.formats) {
			const name = ENCODERS[format];
			if (name === undefined) continue;
			rows[format] ??= { states: 0, "prompts equal": 0 };
			const row = rows[format];
			row.states++;
			const own = FORMATS.get(name)?.write(input, { model: name, windowTokens: undefined })?.ask;
			const written = own?.kind === "completion" ? own.prompt : null;
			if (written === prompt) row["prompts equal"]++;
			else fails(`${state.name}, ${format}: ${differenceOf(prompt, written)}`);
		}
	}
	return rows;
}

/** Prints an unexpected difference and sets the exit status. */
function fails(text: string): void {
	process.stdout.write(`${text}\n`);
	process.exitCode = 1;
}

function differenceOf(wanted: string | null, written: string | null): string {
	if (wanted === null || written === null)
		return wanted === null ? "only Segue writes a prompt" : "only Zed writes a prompt";
	const [theirs, ours] = [wanted.split("\n"), written.split("\n")];
	const line = theirs.findIndex((text, i) => text !== ours[i]);
	const at = line < 0 ? theirs.length : line;
	return `line ${at + 1}: Zed ${JSON.stringify(theirs[at])}, ours ${JSON.stringify(ours[at])}`;
}

async function replayPrompts() {
	const suggester = new Suggester({
		...{ folder: "file:///work", models: undefined, observer: undefined, now: () => 0, startedAtMs: 0, report: fail },
		resendCounter: new ResendCounter(() => 0),
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

function each(reason: string, labels: readonly string[]): Record<string, string> {
	return Object.fromEntries(labels.map((label) => [label, reason]));
}

/** Applies each answer as Segue reads it and as Zed read it when recorded, and compares the documents. */
function compareReaders() {
	const rows: Record<string, { answers: number; "read alike": number; "on purpose": number }> = {};
	for (const { label, format, state: name, answer, result } of read<ZedAnswer>("answers.jsonl")) {
		const encoder = ENCODERS[format];
		const state = states.find((one) => one.name === name);
		if (encoder === undefined || state === undefined) continue;
		rows[format] ??= { answers: 0, "read alike": 0, "on purpose": 0 };
		const row = rows[format];
		row.answers++;
		const input = promptInputOfState(state);
		const question = FORMATS.get(encoder)?.write(input, { model: encoder, windowTokens: undefined });
		const reading = question?.read({ text: answer, end: "stop" });
		const edits = reading !== undefined && "hunks" in reading ? reading.hunks.flatMap((hunk) => hunk.edits) : [];
		const ours = applied(state.text, edits).replaceAll("\r\n", "\n");
		const theirs = afterResult(state, result).replaceAll("\r\n", "\n");
		const reason = ON_PURPOSE[label];
		if (ours === theirs) row["read alike"]++;
		else if (reason !== undefined) {
			row["on purpose"]++;
			process.stdout.write(`${name}, ${format}: ${label}: ${reason}\n`);
		} else fails(`${name}, ${format}: ${label}: ${differenceOf(theirs, ours)}`);
	}
	return rows;
}

/**
 * Returns the document after Zed has applied an answer. Zed compares regions by line, so a final line end is not a
 * change.
 */
function afterResult({ text }: ZedState, { kind, region, text: written = "" }: ZedAnswer["result"]): string {
	if (kind !== "region" || region === undefined) return text;
	const isEnded = text.slice(region.from, region.to).endsWith("\n");
	const ended = written === "" ? "" : `${withoutEnd(written)}${isEnded ? "\n" : ""}`;
	return text.slice(0, region.from) + ended + text.slice(region.to);
}

/**
 * Compares `regionAfter`, which the checks above depend on, with Zed's parsers, and Segue's encoded answers with those
 * that Zed's own encoder wrote for the same edits.
 */
function compareAnswers() {
	const rows: Record<string, { answers: number; same: number; different: string; written: number; equal: number }> = {};
	for (const { label, format, state, answer, result } of read<ZedAnswer>("answers.jsonl")) {
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
		// Zeta 2 adds a line end after the region. A region at the end of a file may also end with one.
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
