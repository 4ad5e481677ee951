import type { Glob } from "@segue/text";
import * as z from "zod";
import { TimeLimit } from "../workspace/line-matcher.js";
import type { ResolvedPath } from "../workspace/resolved-path.js";
import { filesMatching, globOf } from "../workspace/walk.js";
import type { Tool, ToolAction, ToolContext } from "./tool.js";

// A longer list means that the pattern is too broad.
const FOUND_MAX = 500;

const input = z.object({
	pattern: z
		.string()
		.min(1)
		.describe("A glob: src/**/*.ts matches files below src, *.md matches files in any folder, {a,b} matches either."),
	path: z.string().optional().describe("The folder to search, relative to the workspace root (default: the root)."),
});

type Input = z.infer<typeof input>;

/** The time limit covers the whole search, including listing folders. */
export function findFilesTool(timeLimitMs: number): Tool<Input> {
	return {
		name: "find_files",
		description:
			"Finds files by path in all folders and lists them in sorted order. Skips ignored and secret files and does not " +
			"follow links. To find files by their contents, use search.",
		kind: "search",
		input,
		prepare: async ({ pattern, path = "." }, context): Promise<ToolAction> => {
			const folder = await context.workspace.resolve(path);
			const glob = globOf(pattern);
			return {
				title: `Find ${pattern}${folder.name === "." ? "" : ` in ${folder.name}`}`,
				locations: [],
				diffs: [],
				permissions: await context.workspace.permissionsToRead(folder),
				run: async (signal) => ({
					output: await find(folder, glob, new TimeLimit(timeLimitMs, signal), context, signal),
					read: [],
					failed: false,
				}),
			};
		},
	};
}

async function find(
	folder: ResolvedPath,
	glob: Glob,
	limit: TimeLimit,
	context: ToolContext,
	signal: AbortSignal,
): Promise<string> {
	try {
		const matching: ResolvedPath[] = [];
		for await (const file of filesMatching(folder, glob, context.workspace, limit, signal)) matching.push(file);
		signal.throwIfAborted();
		if (limit.isStopped) return limit.notice;
		const problem = context.workspace.problemIn(folder);
		if (matching.length === 0) return problem === undefined ? "No file matches." : `No file matches. ${problem}`;
		const found = matching.slice(0, FOUND_MAX).map(({ name }) => name);
		const rest = matching.length - found.length;
		return rest === 0 ? found.join("\n") : `${found.join("\n")}\n\n(${rest} more match. Narrow the pattern.)`;
	} finally {
		limit.stop();
	}
}
