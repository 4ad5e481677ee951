import { setImmediate } from "node:timers/promises";
import { Glob, GlobError } from "@segue/text";
import { ToolError } from "../failures.js";
import type { TimeLimit } from "./line-matcher.js";
import type { ResolvedPath } from "./resolved-path.js";
import type { ThreadWorkspace } from "./workspace.js";

// A walk stops after this many files. Even the largest repositories have fewer.
const FILES_MAX = 200_000;
// Deeper folders are usually generated.
const DEPTH_MAX = 128;
// Number of paths to match before yielding to the event loop. The slowest glob takes about 100 ms per path.
const MATCHES_AT_ONCE = 10;

/**
 * Yields all files below a folder, sorted by path. Skips links, secret files and, unless the folder itself is ignored,
 * ignored files.
 */
export async function* walk(
	folder: ResolvedPath,
	workspace: ThreadWorkspace,
	signal: AbortSignal,
): AsyncGenerator<ResolvedPath> {
	const withIgnored = await workspace.isIgnored(folder);
	let files = 0;
	async function* below(resolved: ResolvedPath, depth: number): AsyncGenerator<ResolvedPath> {
		signal.throwIfAborted();
		for (const one of await list(resolved, depth)) {
			if (files >= FILES_MAX) return;
			if (one.kind === "file") {
				files++;
				yield one;
			} else if (depth < DEPTH_MAX) yield* below(one, depth + 1);
		}
	}
	/** Skip subfolders that cannot be read or no longer exist. */
	async function list(resolved: ResolvedPath, depth: number): Promise<readonly ResolvedPath[]> {
		try {
			return (await workspace.list(resolved, withIgnored)).entries;
		} catch (error) {
			if (depth === 1 || !(error instanceof ToolError)) throw error;
			return [];
		}
	}
	yield* below(folder, 1);
}

/** Yields files below a folder whose relative paths match a glob, until the time limit. */
export async function* filesMatching(
	folder: ResolvedPath,
	glob: Glob,
	workspace: ThreadWorkspace,
	limit: TimeLimit,
	signal: AbortSignal,
): AsyncGenerator<ResolvedPath> {
	const start = folder.name === "." ? 0 : folder.name.length + 1;
	let matched = 0;
	for await (const file of walk(folder, workspace, signal)) {
		if (++matched % MATCHES_AT_ONCE === 0) await setImmediate();
		signal.throwIfAborted();
		if (limit.isStopped) return;
		if (matches(glob, file.name.slice(start))) yield file;
	}
}

function matches(glob: Glob, path: string): boolean {
	try {
		return glob.matches(path);
	} catch (error) {
		if (!(error instanceof GlobError)) throw error;
		throw new ToolError("The glob takes too long to match. Simplify it.");
	}
}

// Longer than any reasonable glob.
const GLOB_LENGTH_MAX = 1000;

/** Parses a glob for relative paths. A glob without a slash matches the file name. */
export function globOf(written: string): Glob {
	if (written.length > GLOB_LENGTH_MAX) {
		throw new ToolError(`The glob is longer than ${GLOB_LENGTH_MAX} characters.`);
	}
	return Glob.parse(written.includes("/") ? written.replace(/^\.?\//, "") : `**/${written}`);
}

// Searching a large repository takes a fraction of this time. A pattern that takes longer may never finish.
export const SEARCH_TIME_LIMIT_MS = 15_000;
