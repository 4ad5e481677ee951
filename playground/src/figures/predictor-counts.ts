import * as acp from "@segue/protocol/acp";
import { type MessageRow, membersOf } from "../inspector/message-rows.js";

/** Outcomes of the suggestions from one predictor. */
export interface PredictorCounts {
	readonly predictor: string;
	/** Suggestions that the user saw. Some have no outcome, because they were replaced or are still shown. */
	readonly shown: number;
	readonly accepted: number;
	readonly rejected: number;
	readonly ignored: number;
}

/** Counts of jumps. They are separate from edits, because following a jump changes no text. */
export interface JumpCounts {
	readonly shown: number;
	readonly followed: number;
}

/** Returns the latencies of requests for suggestions, in the order of the responses. */
export function latenciesOf(
	rows: readonly MessageRow[],
): readonly { readonly atMs: number; readonly latencyMs: number }[] {
	return rows.flatMap(({ method, record, latencyMs }) => {
		return method === acp.nesSuggest.method && latencyMs !== undefined ? [{ atMs: record.atMs, latencyMs }] : [];
	});
}

/** Counts the suggestions in a trace, except jumps, by predictor. */
export function predictorCountsOf(rows: readonly MessageRow[]): readonly PredictorCounts[] {
	const counts = new Map<string, PredictorCounts>();
	for (const { predictor, kind, outcome } of shownIn(rows)) {
		if (kind === JUMP) continue;
		const before = counts.get(predictor) ?? { predictor, shown: 0, accepted: 0, rejected: 0, ignored: 0 };
		const shown = before.shown + 1;
		counts.set(predictor, { ...before, shown, ...(outcome && { [outcome]: before[outcome] + 1 }) });
	}
	return [...counts.values()];
}

/** Counts the jumps in a trace. */
export function jumpCountsOf(rows: readonly MessageRow[]): JumpCounts {
	const jumps = shownIn(rows).filter(({ kind }) => kind === JUMP);
	return { shown: jumps.length, followed: jumps.filter(({ outcome }) => outcome === "accepted").length };
}

const JUMP = "jump";

interface ShownSuggestion {
	readonly predictor: string;
	readonly kind: unknown;
	/** Undefined until the user has decided. */
	readonly outcome: "accepted" | "rejected" | "ignored" | undefined;
}

/**
 * Returns the suggestions that the user saw, as far as the messages reveal this. Uses the same rule as `segue stats`:
 * the first suggestion in a response was shown unless it came too late, and any other was shown if it has an outcome.
 */
function shownIn(rows: readonly MessageRow[]): readonly ShownSuggestion[] {
	const outcomes = outcomesIn(rows);
	return [...offeredIn(rows)].flatMap(([id, { predictor, kind, isFirst }]) => {
		const reported = outcomes.get(id);
		const isDecided = reported === "accepted" || reported === "rejected" || reported === "ignored";
		if (isFirst ? reported === "cancelled" : !isDecided) return [];
		return [{ predictor, kind, outcome: isDecided ? reported : undefined }];
	});
}

interface Offered {
	readonly predictor: string;
	readonly kind: unknown;
	/** Whether it was the first in its response, and therefore the first to be shown. */
	readonly isFirst: boolean;
}

/** Returns the suggestions in all responses, by id. */
function offeredIn(rows: readonly MessageRow[]): ReadonlyMap<string, Offered> {
	const offered = new Map<string, Offered>();
	for (const { kind, method, value } of rows) {
		if (method !== acp.nesSuggest.method || kind !== "response") continue;
		for (const [rank, { id, ...suggestion }] of suggestionsIn(value).entries()) {
			if (!offered.has(id)) offered.set(id, { ...suggestion, isFirst: rank === 0 });
		}
	}
	return offered;
}

/** Returns "accepted", or the reason for a rejection, by suggestion id. */
function outcomesIn(rows: readonly MessageRow[]): ReadonlyMap<string, unknown> {
	const outcomes = new Map<string, unknown>();
	for (const { method, value } of rows) {
		const { id, reason } = member(value, "params");
		if (method === acp.nesAccept.method) outcomes.set(String(id), "accepted");
		else if (method === acp.nesReject.method) outcomes.set(String(id), reason);
	}
	return outcomes;
}

function suggestionsIn(message: unknown) {
	const { suggestions } = member(message, "result");
	if (!Array.isArray(suggestions)) return [];
	return suggestions.flatMap((suggestion: unknown) => {
		const { id, kind } = membersOf(suggestion);
		const { predictor } = member(member(suggestion, "_meta"), "segue");
		if (typeof id !== "string") return [];
		return [{ id, kind, predictor: typeof predictor === "string" ? predictor : "unknown" }];
	});
}

/** Traces can come from any agent, so any member can be missing. */
function member(value: unknown, name: string): Readonly<Record<string, unknown>> {
	return membersOf(membersOf(value)[name]);
}
