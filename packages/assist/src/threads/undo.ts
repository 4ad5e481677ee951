import { ToolError } from "../failures.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";
import type { Entry, FileDiff } from "./thread.js";

/** By their absolute paths. */
export interface UndoResult {
	/** Files that are as they were before. */
	readonly restored: readonly string[];
	/**
	 * Files that somebody else changed, too, or that cannot be written: what is theirs was left. Also those of which nobody
	 * knows how they were, since another agent told only a part of them, or nothing.
	 */
	readonly left: readonly string[];
}

/**
 * Undoes what the calls among these entries did to files, the last first, as far as a file is still as they left it. What a
 * command did is not known, and stays.
 */
export async function undo(
	entries: readonly Entry[],
	workspace: ThreadWorkspace,
	signal: AbortSignal,
): Promise<UndoResult> {
	const restored: string[] = [];
	const left: string[] = [];
	for (const [path, changes] of changesIn(entries)) {
		try {
			const isWhole = await undoIn(path, changes, workspace, signal);
			if (isWhole !== undefined) (isWhole ? restored : left).push(path);
		} catch (error) {
			if (!(error instanceof ToolError)) throw error;
			left.push(path);
		}
	}
	return { restored, left };
}

interface Change extends FileDiff {
	/** Whether it is sure that it was made. What was cancelled may have been. */
	readonly isSure: boolean;
}

/** By the path, the last change first. */
function changesIn(entries: readonly Entry[]): ReadonlyMap<string, readonly Change[]> {
	const declined = new Set<string>();
	for (const { body } of entries) {
		if (body.type === "approval" && body.approval.answer === "no") declined.add(body.approval.callId);
	}
	const changes = new Map<string, Change[]>();
	for (const { body } of entries.toReversed()) {
		if (body.type !== "call" || declined.has(body.call.id)) continue;
		for (const diff of body.call.diffs.toReversed()) {
			const change = { ...diff, isSure: body.call.status === "done" };
			const known = changes.get(diff.path);
			if (known === undefined) changes.set(diff.path, [change]);
			else known.push(change);
		}
	}
	return changes;
}

/** Whether all was undone; undefined where nothing had been done. */
async function undoIn(
	path: string,
	changes: readonly Change[],
	workspace: ThreadWorkspace,
	signal: AbortSignal,
): Promise<boolean | undefined> {
	const resolved = await workspace.resolve(path);
	const now = await workspace.textOf(resolved, undefined, signal);
	let text = now;
	let isWhole: boolean | undefined;
	for (const { before, isBeforeUnknown, after, isSure } of changes) {
		if (text === after && isBeforeUnknown !== true) {
			text = before;
			isWhole = true;
		} else if (text === after || isSure) {
			isWhole = false;
			break;
		}
	}
	if (text !== now) await workspace.restore(resolved, now, text, signal);
	return isWhole;
}
