import * as acp from "@segue/protocol/acp";
import { type MessageRow, membersOf } from "../inspector/message-rows.js";

/** What became of the suggestions of one predictor. */
export interface PredictorCounts {
	readonly predictor: string;
	/** Those that the user has seen. On some of them nobody has decided: they were replaced, or are there still. */
	readonly shown: number;
	readonly accepted: number;
	readonly rejected: number;
	readonly ignored: number;
}

/** How long requests for suggestions took, in the order in which they were answered. */
export function latenciesOf(
	rows: readonly MessageRow[],
): readonly { readonly atMs: number; readonly latencyMs: number }[] {
	return rows.flatMap(({ method, record, latencyMs }) => {
		return method === acp.nesSuggest.method && latencyMs !== undefined ? [{ atMs: record.atMs, latencyMs }] : [];
	});
}

/**
 * What is seen on the wire alone: suggestions in answers, and the verdicts on them. As in what is kept on the machine, the first
 * of an answer counts as shown unless it came too late, and one behind it once the user has decided on it.
 */
export function predictorCountsOf(rows: readonly MessageRow[]): readonly PredictorCounts[] {
	const verdicts = verdictsIn(rows);
	const counts = new Map<string, PredictorCounts>();
	for (const [id, { predictor, isFirst }] of offeredIn(rows)) {
		const verdict = verdicts.get(id);
		const isByUser = verdict === "accepted" || verdict === "rejected" || verdict === "ignored";
		if (isFirst ? verdict === "cancelled" : !isByUser) continue;
		const before = counts.get(predictor) ?? { predictor, shown: 0, accepted: 0, rejected: 0, ignored: 0 };
		const shown = before.shown + 1;
		counts.set(predictor, { ...before, shown, ...(isByUser && { [verdict]: before[verdict] + 1 }) });
	}
	return [...counts.values()];
}

interface Offered {
	readonly predictor: string;
	/** Whether it was the first of its answer, and so the first to be seen. */
	readonly isFirst: boolean;
}

/** By id. */
function offeredIn(rows: readonly MessageRow[]): ReadonlyMap<string, Offered> {
	const offered = new Map<string, Offered>();
	for (const { kind, method, value } of rows) {
		if (method !== acp.nesSuggest.method || kind !== "response") continue;
		for (const [rank, { id, predictor }] of suggestionsIn(value).entries()) {
			if (!offered.has(id)) offered.set(id, { predictor, isFirst: rank === 0 });
		}
	}
	return offered;
}

/** By the id of the suggestion: that it was accepted, or for what reason it was not. */
function verdictsIn(rows: readonly MessageRow[]): ReadonlyMap<string, unknown> {
	const verdicts = new Map<string, unknown>();
	for (const { method, value } of rows) {
		const { id, reason } = member(value, "params");
		if (method === acp.nesAccept.method) verdicts.set(String(id), "accepted");
		else if (method === acp.nesReject.method) verdicts.set(String(id), reason);
	}
	return verdicts;
}

function suggestionsIn(message: unknown): { readonly id: string; readonly predictor: string }[] {
	const { suggestions } = member(message, "result");
	if (!Array.isArray(suggestions)) return [];
	return suggestions.flatMap((suggestion: unknown) => {
		const { id } = membersOf(suggestion);
		const { predictor } = member(member(suggestion, "_meta"), "segue");
		if (typeof id !== "string") return [];
		return [{ id, predictor: typeof predictor === "string" ? predictor : "unknown" }];
	});
}

/** A trace may be of any agent, and anything may be missing in it. */
function member(value: unknown, name: string): Readonly<Record<string, unknown>> {
	return membersOf(membersOf(value)[name]);
}
