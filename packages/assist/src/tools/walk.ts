import type { Place } from "../place.js";
import { ToolError } from "../tool.js";
import type { Workspace } from "../workspace.js";
import type { Matcher } from "./matcher.js";

// More than the largest repositories have. A walk through what is larger ends with what it has seen.
const FILES_MAX = 200_000;
// Folders inside each other. What lies deeper was put there by no person.
const DEPTH_MAX = 128;

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

/** The files below a folder whose paths from there match a glob; undefined where the matcher's time was up. */
export async function filesMatching(
	folder: Place,
	glob: RegExp,
	workspace: Workspace,
	matcher: Matcher,
	signal: AbortSignal,
): Promise<readonly Place[] | undefined> {
	const files: Place[] = [];
	for await (const file of walk(folder, workspace, signal)) {
		if (matcher.isStopped) return undefined;
		files.push(file);
	}
	const start = folder.name === "." ? 0 : folder.name.length + 1;
	const matching = await matcher.linesIn(files.map(({ name }) => name.slice(start)).join("\n"), glob);
	return matching?.flatMap((i) => files[i] ?? []);
}
