import path from "node:path";
import type { ThreadWorkspace } from "@segue/assist";
import { ToolError } from "@segue/assist/failures";
import type { Clock } from "@segue/text";

// Editors send a query for every letter typed. Reusing a scan for this long saves disk reads. New files appear after
// that.
const FRESH_MS = 5_000;
// Users don't wait longer for a list. After this time, the paths found so far are shown. The next query shows the rest.
const SEARCH_MS_MAX = 1_000;

/** Returns the tools' view of a folder, with its current ignore rules. */
type WorkspaceOf = (folders: readonly [string]) => ThreadWorkspace;

export interface FoundPath {
	readonly type: "file" | "directory";
	/** An absolute path. */
	readonly path: string;
}

/** Searches the files and folders in the workspace. Skips secrets and ignored files. */
export class WorkspacePaths {
	/** The latest scan, which may still be running. */
	private latest: Scan | undefined;
	/** The latest completed scan. */
	private completed: Scan | undefined;

	constructor(private readonly clock: Clock) {}

	/**
	 * Returns the best matches for the typed text, in order of rank. The signal stops the shared scan, not only this
	 * search.
	 */
	async search(
		folders: readonly string[],
		workspaceOf: WorkspaceOf,
		typed: string,
		wanted: (found: FoundPath) => boolean,
		limit: number,
		signal: AbortSignal,
	): Promise<readonly FoundPath[]> {
		const scan = this.scan(folders, workspaceOf, signal);
		await this.wait(scan);
		if (scan.isComplete) this.completed = scan;
		const best = scan.isComplete || this.completed?.key !== scan.key ? scan : this.completed;
		return best.closest(wordIn(typed, folders), wanted, limit);
	}

	private scan(folders: readonly string[], workspaceOf: WorkspaceOf, signal: AbortSignal): Scan {
		const { latest } = this;
		const nowMs = this.clock.now();
		const isFresh = latest?.key === keyOf(folders) && (!latest.isComplete || nowMs - latest.startedMs < FRESH_MS);
		if (latest !== undefined && isFresh) return latest;
		const scan = new Scan(folders, workspaceOf, nowMs, signal);
		this.latest = scan;
		// After an error, the next search starts a new scan.
		scan.ended.catch(() => {
			if (this.latest === scan) this.latest = undefined;
		});
		return scan;
	}

	private async wait(scan: Scan): Promise<void> {
		if (scan.isComplete) return;
		let cancelTimer = () => {};
		const timeout = new Promise<void>((resolve) => {
			cancelTimer = this.clock.after(SEARCH_MS_MAX, resolve);
		});
		await Promise.race([scan.ended, timeout]);
		cancelTimer();
	}
}

/** A scan of folders. Its paths can be searched while it runs. */
class Scan {
	readonly key: string;
	readonly ended: Promise<void>;
	isComplete = false;
	private readonly seen: ScannedPath[] = [];

	constructor(
		folders: readonly string[],
		workspaceOf: WorkspaceOf,
		readonly startedMs: number,
		signal: AbortSignal,
	) {
		this.key = keyOf(folders);
		this.ended = this.run(folders, workspaceOf, signal);
	}

	closest(word: string, wanted: (found: FoundPath) => boolean, limit: number): readonly FoundPath[] {
		const best: Ranked[] = [];
		for (const seen of this.seen) {
			const rank = rankOf(seen.name, word);
			if (rank === undefined) continue;
			const last = best.at(-1);
			// Most paths in a large workspace are skipped here, which avoids sorting all of them.
			if (best.length >= limit && last !== undefined && compare(rank, seen, last) >= 0) continue;
			const found = { type: seen.type, path: path.join(seen.folder, seen.name) };
			if (!wanted(found)) continue;
			const at = best.findIndex((other) => compare(rank, seen, other) < 0);
			best.splice(at < 0 ? best.length : at, 0, { rank, seen, found });
			if (best.length > limit) best.pop();
		}
		return best.map(({ found }) => found);
	}

	private async run(folders: readonly string[], workspaceOf: WorkspaceOf, signal: AbortSignal): Promise<void> {
		for (const folder of folders.filter((each) => !folders.some((other) => isBelow(each, other)))) {
			try {
				await this.scanFolder(folder, workspaceOf([folder]), signal);
			} catch (error) {
				// Skip folders that don't exist or cannot be read.
				if (!(error instanceof ToolError) && !signal.aborted) throw error;
			}
		}
		this.isComplete = true;
	}

	private async scanFolder(folder: string, workspace: ThreadWorkspace, signal: AbortSignal): Promise<void> {
		const parents = new Set<string>();
		// Loaded lazily to keep the server's startup fast. The engine has already loaded it by now.
		const { walk } = await import("@segue/assist");
		for await (const place of walk(await workspace.resolve("."), workspace, signal)) {
			this.addParents(folder, place.name, parents);
			this.add(folder, place.name, "file");
		}
	}

	/** Adds folders only if they contain files. */
	private addParents(folder: string, name: string, known: Set<string>): void {
		for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) {
			const parent = name.slice(0, at);
			if (known.has(parent)) return;
			known.add(parent);
			this.add(folder, parent, "directory");
		}
	}

	private add(folder: string, name: string, type: FoundPath["type"]): void {
		this.seen.push({ folder, name, type, depth: name.split("/").length });
	}
}

interface ScannedPath {
	readonly folder: string;
	/** Relative to the folder, with forward slashes. */
	readonly name: string;
	readonly type: FoundPath["type"];
	readonly depth: number;
}

interface Ranked {
	readonly rank: number;
	readonly seen: ScannedPath;
	readonly found: FoundPath;
}

function keyOf(folders: readonly string[]): string {
	return folders.join("\0");
}

function isBelow(file: string, folder: string): boolean {
	return file !== folder && file.startsWith(path.join(folder, path.sep));
}

/** Converts typed text to part of a path relative to a folder. */
function wordIn(typed: string, folders: readonly string[]): string {
	const text = typed.trim();
	const inside = folders.find((folder) => text === folder || isBelow(text, folder));
	const rest = inside === undefined ? text.replace(/^\.[/\\]/, "") : path.relative(inside, text);
	return rest.replaceAll(path.sep, "/").toLowerCase();
}

/** Returns a rank (lower is better), or undefined if the name does not match. */
function rankOf(name: string, word: string): number | undefined {
	const lower = name.toLowerCase();
	const base = lower.slice(lower.lastIndexOf("/") + 1);
	if (base === word || lower === word) return 0;
	if (base.startsWith(word)) return 1;
	if (base.includes(word)) return 2;
	return lower.includes(word) ? 3 : undefined;
}

/** Orders by rank, then prefers shallow paths and short names. */
function compare(rank: number, { depth, name }: ScannedPath, { rank: otherRank, seen: other }: Ranked): number {
	return (
		rank - otherRank ||
		depth - other.depth ||
		name.length - other.name.length ||
		(name < other.name ? -1 : name > other.name ? 1 : 0)
	);
}
