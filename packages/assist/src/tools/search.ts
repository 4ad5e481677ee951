import { type Glob, isKeyFile, maskKeys } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import { LINE_END, LineMatcher, type TimeLimit } from "../workspace/line-matcher.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import { filesMatching, globOf, walk } from "../workspace/walk.js";
import { TooLarge } from "../workspace/workspace.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";
import { truncateHead } from "./truncate.js";

// Enough to see where something is; who finds more looks for too much.
const FOUND_MAX = 300;
// Of a line, what fits into a person's screen some times over.
const LINE_CHARACTERS_MAX = 300;
// Longer than any pattern that somebody would write by hand.
const PATTERN_LENGTH_MAX = 10_000;

const input = z.object({
	pattern: z
		.string()
		.min(1)
		.max(PATTERN_LENGTH_MAX)
		.describe("A regular expression of JavaScript, matched against each line by itself."),
	path: z
		.string()
		.optional()
		.describe("A folder or a file to look in, from the top of the workspace, which it is if absent."),
	glob: z.string().min(1).optional().describe("Look only in files that match this glob, such as *.ts or src/**/*.md."),
	ignore_case: z.boolean().optional().describe("Whether upper and lower case count as equal."),
});

type Input = z.infer<typeof input>;

/** The time is for all of a search, from reading the first folder on. */
export function searchTool(timeLimitMs: number): Tool<Input> {
	return {
		name: "search",
		description:
			"Searches text files for lines that match a regular expression, and lists each as path:line: text. " +
			"Ignored, secret and binary files are left out, and links are not followed.",
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

/** With the flag u where the pattern allows it, so that \p{…} works; many a pattern that people write does not. */
function patternOf(written: string, flags: string): RegExp {
	try {
		return new RegExp(written, `${flags}u`);
	} catch {
		// The other reading says what is wrong, if anything is.
	}
	try {
		return new RegExp(written, flags);
	} catch (error) {
		throw new ToolError(`The pattern is no regular expression: ${(error as Error).message}.`);
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
			found.length > FOUND_MAX ? `(There are more than ${FOUND_MAX}. Narrow the pattern, the path or the glob.)` : "",
			matcher.isStopped ? matcher.notice : "",
			problem === undefined ? "" : `(${problem})`,
			large > 0 ? `(Too large to be searched, and left out: ${large}.)` : "",
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

/** Undefined for what cannot be read, which is an error only where it was asked for by its name. */
async function textOf(
	file: ResolvedPath,
	isNamed: boolean,
	{ workspace, client }: ToolContext,
	signal: AbortSignal,
): Promise<string | undefined | typeof TOO_LARGE> {
	try {
		// Asking an editor for each file of a workspace would take longer than the search.
		const text = await workspace.textOf(file, isNamed ? client.buffers : undefined, signal);
		if (text === undefined && isNamed) throw new ToolError(`There is no file or folder ${file.name}.`);
		if (text === undefined || isKeyFile(text)) return undefined;
		// Before it is searched: a pattern must not find out what a key is.
		return maskKeys(text);
	} catch (error) {
		if (isNamed || !(error instanceof ToolError)) throw error;
		return error instanceof TooLarge ? TOO_LARGE : undefined;
	}
}

function shorten(line: string): string {
	return line.length > LINE_CHARACTERS_MAX ? `${truncateHead(line, LINE_CHARACTERS_MAX)}…` : line;
}
