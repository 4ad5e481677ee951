import path from "node:path";
import type { ThreadWorkspace } from "@segue/assist";
import { ToolError } from "@segue/assist/failures";
import type { Clock } from "@segue/text";

// Somebody who types a name asks with each letter. Looking anew every time would read the disk as often; what was made in the
// meantime can wait this long.
const FRESH_MS = 5_000;
// Longer than a person waits for a list to appear. What has been found by then is shown, and the rest with the next letter.
const SEARCH_MS_MAX = 1_000;

/** A folder as tools see it, with what is ignored as it is now. */
type WorkspaceOf = (folders: readonly [string]) => ThreadWorkspace;

export interface FoundPath {
	readonly type: "file" | "directory";
	/** Absolute. */
	readonly path: string;
}

/** The files and folders that a person can choose from: those of the workspace, without secrets and what is ignored. */
export class WorkspacePaths {
	/** The last look that was had, which may still go on. */
	private latest: Look | undefined;
	/** One that came to its end. */
	private whole: Look | undefined;

	constructor(private readonly clock: Clock) {}

	/** The closest to what somebody typed, closest first. The signal ends the looking, not only this question. */
	async search(
		folders: readonly string[],
		workspaceOf: WorkspaceOf,
		typed: string,
		wanted: (found: FoundPath) => boolean,
		limit: number,
		signal: AbortSignal,
	): Promise<readonly FoundPath[]> {
		const look = this.lookInto(folders, workspaceOf, signal);
		await this.wait(look);
		if (look.isWhole) this.whole = look;
		const seen = look.isWhole || this.whole?.key !== look.key ? look : this.whole;
		return seen.closest(wordIn(typed, folders), wanted, limit);
	}

	private lookInto(folders: readonly string[], workspaceOf: WorkspaceOf, signal: AbortSignal): Look {
		const { latest } = this;
		const nowMs = this.clock.now();
		const isFresh = latest?.key === keyOf(folders) && (!latest.isWhole || nowMs - latest.beganMs < FRESH_MS);
		if (latest !== undefined && isFresh) return latest;
		const look = new Look(folders, workspaceOf, nowMs, signal);
		this.latest = look;
		// What went wrong once need not go wrong with the next letter.
		look.ended.catch(() => {
			if (this.latest === look) this.latest = undefined;
		});
		return look;
	}

	private async wait(look: Look): Promise<void> {
		if (look.isWhole) return;
		let callOff = () => {};
		const timeout = new Promise<void>((resolve) => {
			callOff = this.clock.after(SEARCH_MS_MAX, resolve);
		});
		await Promise.race([look.ended, timeout]);
		callOff();
	}
}

/** What is in some folders, as it is found. */
class Look {
	readonly key: string;
	readonly ended: Promise<void>;
	isWhole = false;
	private readonly seen: Seen[] = [];

	constructor(
		folders: readonly string[],
		workspaceOf: WorkspaceOf,
		readonly beganMs: number,
		signal: AbortSignal,
	) {
		this.key = keyOf(folders);
		this.ended = this.go(folders, workspaceOf, signal);
	}

	closest(word: string, wanted: (found: FoundPath) => boolean, limit: number): readonly FoundPath[] {
		const best: Ranked[] = [];
		for (const seen of this.seen) {
			const rank = rankOf(seen.name, word);
			if (rank === undefined) continue;
			const last = best.at(-1);
			// Nearly all of a large workspace ends here, so that it need not be sorted.
			if (best.length >= limit && last !== undefined && compare(rank, seen, last) >= 0) continue;
			const found = { type: seen.type, path: path.join(seen.folder, seen.name) };
			if (!wanted(found)) continue;
			const at = best.findIndex((other) => compare(rank, seen, other) < 0);
			best.splice(at < 0 ? best.length : at, 0, { rank, seen, found });
			if (best.length > limit) best.pop();
		}
		return best.map(({ found }) => found);
	}

	private async go(folders: readonly string[], workspaceOf: WorkspaceOf, signal: AbortSignal): Promise<void> {
		for (const folder of folders.filter((each) => !folders.some((other) => isBelow(each, other)))) {
			try {
				await this.goThrough(folder, workspaceOf([folder]), signal);
			} catch (error) {
				// One that is not there, or was refused, has nothing to offer.
				if (!(error instanceof ToolError) && !signal.aborted) throw error;
			}
		}
		this.isWhole = true;
	}

	private async goThrough(folder: string, workspace: ThreadWorkspace, signal: AbortSignal): Promise<void> {
		const parents = new Set<string>();
		// The engine is there by now, and was not loaded with the server.
		const { walk } = await import("@segue/assist");
		for await (const place of walk(await workspace.resolve("."), workspace, signal)) {
			this.addParents(folder, place.name, parents);
			this.add(folder, place.name, "file");
		}
	}

	/** A folder is worth offering when there is something in it. */
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

interface Seen {
	readonly folder: string;
	/** From the folder, with slashes. */
	readonly name: string;
	readonly type: FoundPath["type"];
	readonly depth: number;
}

interface Ranked {
	readonly rank: number;
	readonly seen: Seen;
	readonly found: FoundPath;
}

function keyOf(folders: readonly string[]): string {
	return folders.join("\0");
}

function isBelow(file: string, folder: string): boolean {
	return file !== folder && file.startsWith(path.join(folder, path.sep));
}

/** What somebody typed, as a part of a path from a folder. */
function wordIn(typed: string, folders: readonly string[]): string {
	const written = typed.trim();
	const inside = folders.find((folder) => written === folder || isBelow(written, folder));
	const rest = inside === undefined ? written.replace(/^\.[/\\]/, "") : path.relative(inside, written);
	return rest.replaceAll(path.sep, "/").toLowerCase();
}

/** The lower, the closer; undefined for what has nothing of it. */
function rankOf(name: string, word: string): number | undefined {
	const lower = name.toLowerCase();
	const base = lower.slice(lower.lastIndexOf("/") + 1);
	if (base === word || lower === word) return 0;
	if (base.startsWith(word)) return 1;
	if (base.includes(word)) return 2;
	return lower.includes(word) ? 3 : undefined;
}

/** What lies less deep, or has the shorter name, is more often meant. */
function compare(rank: number, { depth, name }: Seen, { rank: otherRank, seen: other }: Ranked): number {
	return (
		rank - otherRank ||
		depth - other.depth ||
		name.length - other.name.length ||
		(name < other.name ? -1 : name > other.name ? 1 : 0)
	);
}
