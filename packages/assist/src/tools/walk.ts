import { setImmediate } from "node:timers/promises";
import { type Glob, GlobError } from "@segue/text";
import type { Place } from "../place.js";
import { ToolError } from "../tool.js";
import type { Workspace } from "../workspace.js";
import type { TimeLimit } from "./matcher.js";

// More than the largest repositories have. A walk through what is larger ends with what it has seen.
const FILES_MAX = 200_000;
// Folders inside each other. What lies deeper was put there by no person.
const DEPTH_MAX = 128;
// Paths that are matched before other work of the process has its turn. The slowest glob takes some 100 ms for each.
const MATCHES_AT_ONCE = 10;

/** All files below a folder in the order of their paths, without links, secrets and, unless it is one of them, ignored ones. */
export async function* walk(folder: Place, workspace: Workspace, signal: AbortSignal): AsyncGenerator<Place> {
	const withIgnored = await workspace.isIgnored(folder);
	let files = 0;
	async function* below(place: Place, depth: number): AsyncGenerator<Place> {
		signal.throwIfAborted();
		for (const one of await list(place, depth)) {
			if (files >= FILES_MAX) return;
			if (one.kind === "file") {
				files++;
				yield one;
			} else if (depth < DEPTH_MAX) yield* below(one, depth + 1);
		}
	}
	/** What cannot be read further down, or is gone by now, is no reason to find nothing. */
	async function list(place: Place, depth: number): Promise<readonly Place[]> {
		try {
			return (await workspace.list(place, withIgnored)).places;
		} catch (error) {
			if (depth === 1 || !(error instanceof ToolError)) throw error;
			return [];
		}
	}
	yield* below(folder, 1);
}

/** The files below a folder whose paths from there match a glob, until the time is up. */
export async function* filesMatching(
	folder: Place,
	glob: Glob,
	workspace: Workspace,
	limit: TimeLimit,
	signal: AbortSignal,
): AsyncGenerator<Place> {
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
