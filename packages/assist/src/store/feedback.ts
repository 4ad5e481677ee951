import type { Kysely, Selectable, Transaction } from "kysely";
import type { Tables } from "./schema.js";

// What somebody sees in a year or two, in some 50 MB; and as long as it says something of how they work today.
export const SUGGESTIONS_MAX = 100_000;
const AGE_MAX_DAYS = 180;
const DAY_MS = 24 * 60 * 60 * 1000;

// A row has eleven values, and SQLite takes 32,766 of them in one statement.
const ROWS_AT_ONCE = 500;

/** A suggestion that a user saw, and what became of it. Nothing in it is from a document. */
export interface SeenSuggestion extends SuggestionOutcome {
	readonly id: string;
	/** `edit`, `jump`, `rename` or `searchAndReplace`. */
	readonly kind: string;
	/** Why it was asked for: `automatic`, `diagnostic` or `manual`. */
	readonly trigger: string;
	/** The chance that the engine gave it, from 0 to 1. */
	readonly chance: number;
	/** What the engine knew of it, as numbers by name. */
	readonly features: Readonly<Record<string, number>>;
}

/** What figures are made of. */
export interface SuggestionOutcome {
	/** When it was answered, in UTC. */
	readonly at: string;
	readonly predictor: string;
	/** Undefined where no model wrote it. */
	readonly model: string | undefined;
	readonly language: string;
	/** From the request to the answer. */
	readonly latencyMs: number;
	/** Undefined as long as nobody has said. */
	readonly verdict: SeenVerdict | undefined;
}

/**
 * `typed`: the user wrote the same; `partly`: took some of it; `replaced`: a newer one came before the user could decide;
 * `cancelled`: it came too late to be shown; `gone`: nobody said why.
 */
export type SeenVerdict = "accepted" | "partly" | "typed" | "rejected" | "ignored" | "replaced" | "cancelled" | "gone";

/** What became of suggestions, in the embedded store of this machine. Several processes may use it at once. */
export class Feedback {
	/** How many were kept since the oldest were forgotten. */
	private kept = 0;

	constructor(private readonly database: Kysely<Tables>) {}

	/** Keeps suggestions in one transaction. One that is known is as it is told last. The oldest go. */
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
			// A process forgets when it keeps something for the first time, and then every so often.
			const isDue = this.kept === 0 || this.kept + suggestions.length > ROWS_AT_ONCE;
			if (isDue) await forgetOldest(transaction, now);
			this.kept = isDue ? suggestions.length : this.kept + suggestions.length;
		});
	}

	/** Outcomes since a time, oldest first. Jumps are left out: following one is not the same as accepting an edit. */
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

	/** The same with all that is known of each, some at a time. */
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

	/** Forgets all of them; how many that were. */
	async clear(): Promise<number> {
		const { numDeletedRows } = await this.database.deleteFrom("suggestions").executeTakeFirst();
		return Number(numDeletedRows);
	}
}

async function forgetOldest(transaction: Transaction<Tables>, now: Date): Promise<void> {
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
	const said = { id, at, predictor, model, language, kind, chance, verdict };
	return { ...said, asked_by: trigger, latency_ms: latencyMs, features: JSON.stringify(features) };
}

function suggestionOf(row: Row): SeenSuggestion {
	const { id, kind, asked_by: trigger, chance, features } = row;
	// It was made by `rowOf`, and nobody else writes this table.
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
	const said = { at, predictor, language, latencyMs };
	return { ...said, model: model || undefined, verdict: (verdict || undefined) as SeenVerdict | undefined };
}
