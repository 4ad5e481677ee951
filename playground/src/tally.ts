import { acp } from "@segue/protocol/acp";
import { membersOf, type Row } from "./exchange.js";

/** What became of the suggestions of one predictor. */
export interface Tally {
	readonly predictor: string;
	readonly offered: number;
	readonly accepted: number;
	readonly rejected: number;
	/** Replaced, cancelled, or left alone. */
	readonly ignored: number;
}

/** How long requests for suggestions took, in the order in which they were answered. */
export function latenciesOf(rows: readonly Row[]): readonly { readonly atMs: number; readonly latencyMs: number }[] {
	return rows.flatMap(({ method, record, latencyMs }) => {
		return method === acp.nesSuggest.method && latencyMs !== undefined ? [{ atMs: record.atMs, latencyMs }] : [];
	});
}

/** What is seen on the wire alone: suggestions in answers, and the verdicts on them. */
export function talliesOf(rows: readonly Row[]): readonly Tally[] {
	const predictors = new Map<string, string>();
	const tallies = new Map<string, { offered: number; accepted: number; rejected: number; ignored: number }>();
	const tallyOf = (predictor: string) => {
		const known = tallies.get(predictor) ?? { offered: 0, accepted: 0, rejected: 0, ignored: 0 };
		tallies.set(predictor, known);
		return known;
	};
	for (const { kind, method, value } of rows) {
		if (method === acp.nesSuggest.method && kind === "response") {
			for (const { id, predictor } of suggestionsIn(value)) {
				if (predictors.has(id)) continue;
				predictors.set(id, predictor);
				tallyOf(predictor).offered++;
			}
		}
		const { id, reason } = member(value, "params");
		const predictor = predictors.get(String(id));
		if (predictor === undefined) continue;
		if (method === acp.nesAccept.method) tallyOf(predictor).accepted++;
		else if (method === acp.nesReject.method) {
			if (reason === "rejected") tallyOf(predictor).rejected++;
			else tallyOf(predictor).ignored++;
		}
	}
	return [...tallies].map(([predictor, tally]) => ({ predictor, ...tally }));
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
