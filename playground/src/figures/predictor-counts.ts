import * as acp from "@segue/protocol/acp";
import { type MessageRow, membersOf } from "../inspector/message-rows.js";

/** Outcomes of the suggestions that the user saw from one predictor. They add up to `shown`. */
export interface PredictorCounts extends Readonly<Record<ShownOutcome, number>> {
	readonly predictor: string;
	readonly shown: number;
}

/** How the display of a suggestion ended. */
type ShownOutcome = "accepted" | "rejected" | "ignored" | RemainingOutcome;

/** The outcomes that the user did not decide. "visible": none yet. "withdrawn": the code changed or its session ended. */
export type RemainingOutcome = "visible" | "withdrawn" | "replaced";

/** Counts of jumps. They are separate from edits, because following a jump changes no text. */
export interface JumpCounts {
	readonly shown: number;
	readonly followed: number;
}

/** Returns the latencies of requests for suggestions in milliseconds, in the order of the responses. */
export function latenciesOf(rows: readonly MessageRow[]): readonly number[] {
	return rows.flatMap(({ method, latencyMs }) => {
		return method === acp.nesSuggest.method && latencyMs !== undefined ? [latencyMs] : [];
	});
}

/** Counts the suggestions in a trace by predictor, except jumps and suggestions in demonstrations. */
export function predictorCountsOf(rows: readonly MessageRow[]): readonly PredictorCounts[] {
	const counts = new Map<string, PredictorCounts>();
	for (const { predictor, kind, outcome } of shownIn(rows)) {
		if (kind === JUMP) continue;
		const before = counts.get(predictor) ?? { ...NONE, predictor };
		counts.set(predictor, { ...before, shown: before.shown + 1, [outcome]: before[outcome] + 1 });
	}
	return [...counts.values()];
}

const NONE = { shown: 0, accepted: 0, rejected: 0, ignored: 0, visible: 0, withdrawn: 0, replaced: 0 };

/** Counts the jumps in a trace. */
export function jumpCountsOf(rows: readonly MessageRow[]): JumpCounts {
	const jumps = shownIn(rows).filter(({ kind }) => kind === JUMP);
	return { shown: jumps.length, followed: jumps.filter(({ outcome }) => outcome === "accepted").length };
}

const JUMP = "jump";

interface ShownSuggestion {
	readonly predictor: string;
	readonly kind: unknown;
	readonly outcome: ShownOutcome;
}

/**
 * Returns the suggestions that the user saw, as far as the messages reveal this. Uses the same rule as `segue stats`:
 * the first suggestion in a response was shown unless it came too late, and any other was shown if it has an outcome.
 */
function shownIn(rows: readonly MessageRow[]): readonly ShownSuggestion[] {
	const { offered, outcomes, session: last } = offeredIn(rows);
	return [...offered].flatMap(([key, { predictor, kind, isFirst, session }]): readonly ShownSuggestion[] => {
		if (session.isDemonstration) return [];
		const reported = outcomes.get(key);
		const isDecided = reported === "accepted" || reported === "rejected" || reported === "ignored";
		if (isFirst ? reported === "cancelled" : !isDecided) return [];
		if (isDecided || reported === "replaced") return [{ predictor, kind, outcome: reported }];
		const isVisible = !outcomes.has(key) && session === last;
		return [{ predictor, kind, outcome: isVisible ? "visible" : "withdrawn" }];
	});
}

interface OfferedSuggestion {
	readonly predictor: string;
	readonly kind: unknown;
	/** Whether it was the first in its response, and therefore the first to be shown. */
	readonly isFirst: boolean;
	readonly session: TraceSession;
}

/** A next-edit session. Every connection numbers its sessions from 1, and every session its suggestions. */
interface TraceSession {
	readonly number: number;
	readonly isDemonstration: boolean;
}

/** The session of messages whose `nes/start` is not in the trace, because the oldest messages were dropped. */
const FIRST_SESSION: TraceSession = { number: 0, isDemonstration: false };

/**
 * Returns the suggestions in all responses, their reported outcomes, and the session that started last. An outcome is
 * "accepted" or the reason for a rejection.
 */
function offeredIn(rows: readonly MessageRow[]) {
	const offered = new Map<string, OfferedSuggestion>();
	const outcomes = new Map<string, unknown>();
	const sessions = new Map<unknown, TraceSession>();
	let session = FIRST_SESSION;
	let count = 0;
	const sessionOf = ({ sessionId }: Readonly<Record<string, unknown>>) => sessions.get(sessionId) ?? FIRST_SESSION;
	for (const { kind, method, value, pair } of rows) {
		const params = member(value, "params");
		const asked = pair === undefined ? {} : member(rows[pair]?.value, "params");
		if (method === acp.nesStart.method && kind === "response") {
			const { demonstration } = member(member(asked, "_meta"), "segue");
			session = { number: ++count, isDemonstration: demonstration === true };
			sessions.set(member(value, "result")["sessionId"], session);
		} else if (method === acp.nesSuggest.method && kind === "response") {
			const from = sessionOf(asked);
			for (const [rank, { id, ...suggestion }] of suggestionsIn(value).entries()) {
				const key = `${from.number} ${id}`;
				if (!offered.has(key)) offered.set(key, { ...suggestion, isFirst: rank === 0, session: from });
			}
		} else if (method === acp.nesAccept.method || method === acp.nesReject.method) {
			const key = `${sessionOf(params).number} ${params["id"]}`;
			outcomes.set(key, method === acp.nesAccept.method ? "accepted" : params["reason"]);
		}
	}
	return { offered, outcomes, session };
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
