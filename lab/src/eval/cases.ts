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
		message: "contains an unknown step",
	})
	.refine(({ steps, files }) => steps.every(({ path }) => files[path] !== undefined), {
		path: ["steps"],
		message: "refer to an unknown file",
	});

/** A real commit, split into steps that a user could have made. */
export type Case = z.output<typeof shape>;
/**
 * Replaced lines in a file. `oldStart` counts from 0 in the file before the commit. The steps in each file are in
 * order.
 */
export type CommitStep = z.output<typeof step>;

/** Thrown if the cases cannot be read. The message is shown to the user. */
export class CasesError extends Error {}

/** An unparsed case. */
export interface CaseLine {
	/** Line number, from 1. */
	readonly line: number;
	readonly json: string;
}

/** Reads the lines of a `.jsonl` or compressed `.jsonl.br` file. */
export function readCaseLines(file: string): CaseLine[] {
	const lines = readText(file)
		.split("\n")
		.map((json, i) => ({ line: i + 1, json }))
		.filter(({ json }) => json.trim() !== "");
	if (lines.length === 0) throw new CasesError(`${file} contains no cases. Write one JSON value per line.`);
	return lines;
}

export function parseCase(file: string, { line, json }: CaseLine): Case {
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		throw new CasesError(`${file}, line ${line}: not JSON.`);
	}
	const parsed = shape.safeParse(value);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	throw new CasesError(`${file}, line ${line}: ${issue?.path.join(".") || "the case"}: ${issue?.message}.`);
}

function readText(file: string): string {
	let bytes: Buffer;
	try {
		bytes = readFileSync(file);
	} catch (error) {
		throw new CasesError(`Cannot read ${file}: ${whyOf(error)}. Pass a file of cases (.jsonl or .jsonl.br).`);
	}
	if (!file.endsWith(".br")) return bytes.toString("utf8");
	try {
		return brotliDecompressSync(bytes).toString("utf8");
	} catch {
		throw new CasesError(`Cannot read ${file}: it is not compressed with Brotli.`);
	}
}

function whyOf(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	return { ENOENT: "no such file", EISDIR: "it is a folder" }[code ?? ""] ?? message;
}
