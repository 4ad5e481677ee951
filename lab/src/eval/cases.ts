import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import * as z from "zod";

const lines = z.array(z.string());
const step = z.object({ path: z.string(), oldStart: z.int().min(0), oldLines: lines, newLines: lines });

const shape = z
	.object({
		id: z.string(),
		language: z.string(),
		files: z.record(z.string(), z.string()),
		context: z.record(z.string(), z.string()),
		steps: z.array(step).min(1),
		stepOrder: z.array(z.int().min(0)).min(1),
		stepEvalAt: z.array(z.int()),
	})
	.refine(({ steps, stepOrder }) => stepOrder.every((index) => index < steps.length), {
		path: ["stepOrder"],
		message: "names a step that is not there",
	})
	.refine(({ steps, files }) => steps.every(({ path }) => files[path] !== undefined), {
		path: ["steps"],
		message: "are of a file that is not there",
	});

/** A real commit, cut into the steps in which somebody could have made it. */
export type Case = z.output<typeof shape>;
/** Lines of a file that became others, counted from 0 in the file before the commit. A file's steps are in order. */
export type CommitStep = z.output<typeof step>;

/** Why cases cannot be read; a sentence for whoever asked for them. */
export class CasesError extends Error {}

/** A case as it stands in its file. */
export interface CaseLine {
	/** Counted from 1. */
	readonly line: number;
	readonly json: string;
}

/** The lines of a file of cases, one JSON value on each: `.jsonl`, or compressed, `.jsonl.br`. */
export function readCaseLines(file: string): CaseLine[] {
	const lines = readText(file)
		.split("\n")
		.map((json, i) => ({ line: i + 1, json }))
		.filter(({ json }) => json.trim() !== "");
	if (lines.length === 0) throw new CasesError(`${file} has no cases`);
	return lines;
}

export function parseCase(file: string, { line, json }: CaseLine): Case {
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		throw new CasesError(`${file}, line ${line}: not JSON`);
	}
	const parsed = shape.safeParse(value);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	throw new CasesError(`${file}, line ${line}: ${issue?.path.join(".") || "the case"}: ${issue?.message}`);
}

function readText(file: string): string {
	let bytes: Buffer;
	try {
		bytes = readFileSync(file);
	} catch (error) {
		throw new CasesError(`cannot read ${file}: ${whyOf(error)}`);
	}
	if (!file.endsWith(".br")) return bytes.toString("utf8");
	try {
		return brotliDecompressSync(bytes).toString("utf8");
	} catch {
		throw new CasesError(`cannot read ${file}: it is not compressed with brotli`);
	}
}

function whyOf(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	return { ENOENT: "there is no such file", EISDIR: "it is a folder" }[code ?? ""] ?? message;
}
