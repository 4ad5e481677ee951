import type { Kysely, Selectable, Transaction } from "kysely";
import type { Tables } from "./schema.js";

// About as many suggestions as a user gets in a year or two. They take about 50 MB.
export const SUGGESTIONS_MAX = 100_000;
// Older suggestions say little about how a user works today.
const AGE_MAX_DAYS = 180;
const DAY_MS = 24 * 60 * 60 * 1000;

// A row has eleven values, and SQLite allows 32,766 in one statement.
const ROWS_AT_ONCE = 500;

/** A suggestion that was shown, and its outcome. Contains no document text. */
export interface SeenSuggestion extends SuggestionOutcome {
	readonly id: string;
	/** `edit`, `jump`, `rename` or `searchAndReplace`. */
	readonly kind: string;
	/** The request's trigger: `automatic`, `diagnostic` or `manual`. */
	readonly trigger: string;
	/** The engine's estimate of the chance that the user accepts it, from 0 to 1. */
	readonly chance: number;
	/** The features used for ranking, by name. */
	readonly features: Readonly<Record<string, number>>;
}

/** The fields of a suggestion that statistics use. */
export interface SuggestionOutcome {
	/** The time of the response, in UTC. */
	readonly at: string;
	readonly predictor: string;
	/** Undefined if no model was involved. */
	readonly model: string | undefined;
	readonly language: string;
	/** The time from the request to the response. */
	readonly latencyMs: number;
	/** Undefined until the client reports it. */
	readonly verdict: SeenVerdict | undefined;
}

/**
 * `typed`: the user typed the same text; `partly`: the user accepted part of it; `replaced`: a newer suggestion took
 * its place; `cancelled`: the suggestion was too late to be shown; `gone`: the client reported no reason.
 */
export type SeenVerdict = "accepted" | "partly" | "typed" | "rejected" | "ignored" | "replaced" | "cancelled" | "gone";

/** The outcomes of suggestions, in the embedded store. Several processes can use it at once. */
export class Feedback {
	/** Suggestions stored since the last cleanup. */
	private stored = 0;

	constructor(private readonly database: Kysely<Tables>) {}

	/**
	 * Stores suggestions in one transaction, and updates the verdicts of known ones. Deletes the oldest if there are
	 * too many.
	 */
	async keep(suggestions: readonly SeenSuggestion[], now: Date): Promise<void> {
		await this.database.transaction().execute(async (transaction) => {
			for (let from = 0; from < suggestions.length; from += ROWS_AT_ONCE) {
				await transaction
					.insertInto("suggestions")
					.values(suggestions.slice(from, from + ROWS_AT_ONCE).map(rowOf))
					.onConflict((conflict) =>
						conflict.column("id").doUpdateSet((eb) => ({ verdict: eb.ref("excluded.verdict") })),
					)
					.execute();
			}
			// Each process cleans up on its first write, and then from time to time.
			const isDue = this.stored === 0 || this.stored + suggestions.length > ROWS_AT_ONCE;
			if (isDue) await deleteOldest(transaction, now);
			this.stored = isDue ? suggestions.length : this.stored + suggestions.length;
		});
	}

	/**
	 * Returns the outcomes since a time, oldest first. Omits jumps, because following a jump is not the same as
	 * accepting an edit.
	 */
	async outcomes(since: string): Promise<SuggestionOutcome[]> {
		const rows = await this.database
			.selectFrom("suggestions")
			.select(["at", "predictor", "model", "language", "latency_ms", "verdict"])
			.where("at", ">=", since)
			.where("kind", "!=", "jump")
			.orderBy("at")
			.execute();
		return rows.map(outcomeOf);
	}

	/** Returns the suggestions since a time, oldest first. Reads them in batches. */
	async *since(time: string): AsyncIterable<SeenSuggestion> {
		let last = { at: time, id: "" };
		for (;;) {
			const { at, id } = last;
			const rows = await this.database
				.selectFrom("suggestions")
				.selectAll()
				.where((eb) => eb(eb.refTuple("at", "id"), ">", eb.tuple(at, id)))
				.orderBy("at")
				.orderBy("id")
				.limit(ROWS_AT_ONCE)
				.execute();
			yield* rows.map(suggestionOf);
			const end = rows.at(-1);
			if (end === undefined || rows.length < ROWS_AT_ONCE) return;
			last = end;
		}
	}

	/** Deletes all suggestions, and resolves with their number. */
	async clear(): Promise<number> {
		const { numDeletedRows } = await this.database.deleteFrom("suggestions").executeTakeFirst();
		return Number(numDeletedRows);
	}
}

async function deleteOldest(transaction: Transaction<Tables>, now: Date): Promise<void> {
	const tooOld = new Date(now.getTime() - AGE_MAX_DAYS * DAY_MS).toISOString();
	await transaction.deleteFrom("suggestions").where("at", "<", tooOld).execute();
	const first = await transaction
		.selectFrom("suggestions")
		.select(["at", "id"])
		.orderBy("at", "desc")
		.orderBy("id", "desc")
		.offset(SUGGESTIONS_MAX)
		.limit(1)
		.executeTakeFirst();
	if (first === undefined) return;
	await transaction
		.deleteFrom("suggestions")
		.where((eb) => eb(eb.refTuple("at", "id"), "<=", eb.tuple(first.at, first.id)))
		.execute();
}

type Row = Selectable<Tables["suggestions"]>;

function rowOf({ id, kind, trigger, chance, features, ...outcome }: SeenSuggestion): Row {
	const { at, predictor, model = "", language, latencyMs, verdict = "" } = outcome;
	const same = { id, at, predictor, model, language, kind, chance, verdict };
	return { ...same, asked_by: trigger, latency_ms: latencyMs, features: JSON.stringify(features) };
}

function suggestionOf(row: Row): SeenSuggestion {
	const { id, kind, asked_by: trigger, chance, features } = row;
	// Only `rowOf` creates rows of this table.
	return { id, ...outcomeOf(row), kind, trigger, chance, features: JSON.parse(features) as Record<string, number> };
}

function outcomeOf({
	at,
	predictor,
	model,
	language,
	latency_ms: latencyMs,
	verdict,
}: Omit<Row, "id" | "kind" | "asked_by" | "chance" | "features">): SuggestionOutcome {
	const same = { at, predictor, language, latencyMs };
	return { ...same, model: model || undefined, verdict: (verdict || undefined) as SeenVerdict | undefined };
}
