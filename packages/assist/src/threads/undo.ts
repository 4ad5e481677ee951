import { ToolError } from "../failures.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";
import type { Entry, FileDiff } from "./thread.js";

/** Absolute paths. */
export interface UndoResult {
	/** Files that were restored completely. */
	readonly restored: readonly string[];
	/**
	 * Files that were not completely restored: the user changed them as well, they cannot be written, or another agent
	 * did not send their previous content.
	 */
	readonly left: readonly string[];
}

/**
 * Undoes the file changes made by the calls in these entries, latest first, in files that still have the content that
 * the call wrote. Changes made by commands are unknown and remain.
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
	/** Whether the change was definitely made. A cancelled call may or may not have made it. */
	readonly isSure: boolean;
}

/** Changes by path, latest first. */
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

/** Returns whether all changes were undone; undefined if there were none. */
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
