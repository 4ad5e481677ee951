import { type Glob, isKeyFile, maskKeys } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import { LINE_END, LineMatcher, type TimeLimit } from "../workspace/line-matcher.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import { filesMatching, globOf, walk } from "../workspace/walk.js";
import { TooLarge } from "../workspace/workspace.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";
import { truncateHead } from "./truncate.js";

// If there are more matches, the pattern is too broad.
const FOUND_MAX = 300;
// Enough to recognize a line; minified files have much longer ones.
const LINE_CHARACTERS_MAX = 300;
// Longer than any reasonable pattern.
const PATTERN_LENGTH_MAX = 10_000;

const input = z.object({
	pattern: z
		.string()
		.min(1)
		.max(PATTERN_LENGTH_MAX)
		.describe("A JavaScript regular expression, matched against each line separately."),
	path: z
		.string()
		.optional()
		.describe("The folder or file to search, relative to the workspace root (default: the root)."),
	glob: z
		.string()
		.min(1)
		.optional()
		.describe("Search only files that match this glob, for example *.ts or src/**/*.md."),
	ignore_case: z.boolean().optional().describe("Whether to ignore case (default false)."),
});

type Input = z.infer<typeof input>;

/** The time limit covers the whole search, including listing folders. */
export function searchTool(timeLimitMs: number): Tool<Input> {
	return {
		name: "search",
		description:
			"Searches text files for lines that match a regular expression and lists each as path:line: text. " +
			"Skips ignored, secret and binary files and does not follow links.",
		kind: "search",
		input,
		prepare: async ({ pattern, path = ".", glob, ignore_case }, context): Promise<ToolAction> => {
			const resolved = await context.workspace.resolve(path);
			const query = {
				resolved,
				pattern: patternOf(pattern, ignore_case === true ? "i" : ""),
				glob: glob === undefined ? undefined : globOf(glob),
				timeLimitMs,
			};
			return {
				title: `Search ${resolved.name === "." ? "the workspace" : resolved.name} for ${shorten(pattern)}`,
				locations: [],
				diffs: [],
				permissions: await context.workspace.permissionsToRead(resolved),
				run: async (signal) => ({ output: await run(query, context, signal), read: [], failed: false }),
			};
		},
	};
}

interface Query {
	readonly resolved: ResolvedPath;
	readonly pattern: RegExp;
	readonly glob: Glob | undefined;
	readonly timeLimitMs: number;
}

/**
 * Uses the `u` flag, which makes \p{…} work, unless the flag makes the pattern invalid, as it does with many
 * handwritten patterns.
 */
function patternOf(written: string, flags: string): RegExp {
	try {
		return new RegExp(written, `${flags}u`);
	} catch {
		// Try again without the flag, and report that error.
	}
	try {
		return new RegExp(written, flags);
	} catch (error) {
		throw new ToolError(`The pattern is not a valid regular expression: ${(error as Error).message}.`);
	}
}

async function run(
	{ resolved, pattern, glob, timeLimitMs }: Query,
	context: ToolContext,
	signal: AbortSignal,
): Promise<string> {
	const matcher = new LineMatcher(timeLimitMs, signal);
	try {
		const found: string[] = [];
		let large = 0;
		for await (const file of filesOf(resolved, glob, matcher, context, signal)) {
			const text = await textOf(file, file === resolved, context, signal);
			if (text === TOO_LARGE) large++;
			else if (text !== undefined) {
				const matching = (await matcher.linesIn(text, pattern)) ?? [];
				const lines = matching.length === 0 ? [] : text.split(LINE_END);
				found.push(...matching.slice(0, FOUND_MAX + 1).map((i) => `${file.name}:${i + 1}: ${shorten(lines[i] ?? "")}`));
			}
			if (found.length > FOUND_MAX || matcher.isStopped) break;
		}
		signal.throwIfAborted();
		const problem = resolved.kind === "folder" ? context.workspace.problemIn(resolved) : undefined;
		const notes = [
			found.length > FOUND_MAX ? `(More than ${FOUND_MAX} matches. Narrow the pattern, the path or the glob.)` : "",
			matcher.isStopped ? matcher.notice : "",
			problem === undefined ? "" : `(${problem})`,
			large > 0 ? `(${large} ${large === 1 ? "file" : "files"} skipped: too large to search)` : "",
		].filter((note) => note !== "");
		const lines = found.length === 0 ? ["No line matches."] : found.slice(0, FOUND_MAX);
		return [...lines, ...notes].join("\n");
	} finally {
		matcher.stop();
	}
}

async function* filesOf(
	resolved: ResolvedPath,
	glob: Glob | undefined,
	limit: TimeLimit,
	{ workspace }: ToolContext,
	signal: AbortSignal,
): AsyncIterable<ResolvedPath> {
	if (resolved.kind !== "folder") yield resolved;
	else if (glob === undefined) yield* walk(resolved, workspace, signal);
	else yield* filesMatching(resolved, glob, workspace, limit, signal);
}

const TOO_LARGE = Symbol("too large");

/** Resolves with a file's text; undefined if it is unreadable. Throws only if the call named the file. */
async function textOf(
	file: ResolvedPath,
	isNamed: boolean,
	{ workspace, client }: ToolContext,
	signal: AbortSignal,
): Promise<string | undefined | typeof TOO_LARGE> {
	try {
		// Requesting every file in the workspace from the editor would take longer than the search itself.
		const text = await workspace.textOf(file, isNamed ? client.buffers : undefined, signal);
		if (text === undefined && isNamed) throw new ToolError(`The file or folder ${file.name} does not exist.`);
		if (text === undefined || isKeyFile(text)) return undefined;
		// Mask before searching: a pattern could reveal a key.
		return maskKeys(text);
	} catch (error) {
		if (isNamed || !(error instanceof ToolError)) throw error;
		return error instanceof TooLarge ? TOO_LARGE : undefined;
	}
}

function shorten(line: string): string {
	return line.length > LINE_CHARACTERS_MAX ? `${truncateHead(line, LINE_CHARACTERS_MAX)}…` : line;
}
