import { setImmediate } from "node:timers/promises";
import { Glob, GlobError } from "@segue/text";
import { ToolError } from "../failures.js";
import type { TimeLimit } from "./line-matcher.js";
import type { ResolvedPath } from "./resolved-path.js";
import type { ThreadWorkspace } from "./workspace.js";

// More than the largest repositories have. A walk through what is larger ends with what it has seen.
const FILES_MAX = 200_000;
// Folders inside each other. What lies deeper was put there by no person.
const DEPTH_MAX = 128;
// Paths that are matched before other work of the process has its turn. The slowest glob takes some 100 ms for each.
const MATCHES_AT_ONCE = 10;

/** All files below a folder in the order of their paths, without links, secrets and, unless it is one of them, ignored ones. */
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
	/** What cannot be read further down, or is gone by now, is no reason to find nothing. */
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

/** The files below a folder whose paths from there match a glob, until the time is up. */
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

// Longer than a path with some wildcards in it.
const GLOB_LENGTH_MAX = 1000;

/** Parses a glob for paths that start at a folder. Without a slash it is for the last name of a path. */
export function globOf(written: string): Glob {
	if (written.length > GLOB_LENGTH_MAX) {
		throw new ToolError(`The glob is longer than ${GLOB_LENGTH_MAX} characters.`);
	}
	return Glob.parse(written.includes("/") ? written.replace(/^\.?\//, "") : `**/${written}`);
}

// A large repository is gone through in a fraction of this; a pattern that takes longer may take for ever.
export const SEARCH_TIME_LIMIT_MS = 15_000;
