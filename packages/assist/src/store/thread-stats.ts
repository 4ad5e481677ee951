import type { ExpressionBuilder, Kysely } from "kysely";
import { bodyOf } from "./row.js";
import type { Tables } from "./schema.js";

/** Statistics about a thread, for lists. */
export interface ThreadStats {
	/** The time of the first entry; undefined for an empty thread. */
	readonly createdAt: string | undefined;
	readonly prompts: number;
	/** The model or agent that received the last prompt. */
	readonly model: string | undefined;
}

/** More threads than a list shows at once. The query always has this many parameters, so it can be prepared once. */
const BATCH_SIZE = 100;

/** Returns statistics by id. Skips missing threads. */
export async function threadStats(database: Kysely<Tables>, ids: readonly string[]): Promise<Map<string, ThreadStats>> {
	const stats = new Map<string, ThreadStats>();
	for (let from = 0; from < ids.length; from += BATCH_SIZE) {
		const some = ids.slice(from, from + BATCH_SIZE);
		const padding = Array.from({ length: BATCH_SIZE - some.length }, () => some[0] as string);
		for (const { id, created, prompts, rest } of await rowsOf(database, [...some, ...padding])) {
			const last = rest === null ? undefined : bodyOf({ type: "prompt", text: "", more: null, rest });
			const model = last?.type === "prompt" ? last.model : undefined;
			stats.set(id, { createdAt: created ?? undefined, prompts: Number(prompts), model });
		}
	}
	return stats;
}

function rowsOf(database: Kysely<Tables>, ids: readonly string[]) {
	return database
		.selectFrom("threads")
		.select("threads.id")
		.select((eb) => [
			entriesOf(eb)
				.select((of) => of.fn.min("at").as("first"))
				.as("created"),
			promptsOf(eb)
				.select((of) => of.fn.countAll().as("count"))
				.as("prompts"),
			promptsOf(eb)
				.select("rest")
				// Quotes in the user's text are escaped with a backslash.
				.where("rest", "like", '%"model":%')
				.orderBy("number", "desc")
				.limit(1)
				.as("rest"),
		])
		.where("threads.id", "in", ids)
		.execute();
}

function promptsOf(eb: ExpressionBuilder<Tables, "threads">) {
	return entriesOf(eb).where("entries.type", "=", "prompt");
}

function entriesOf(eb: ExpressionBuilder<Tables, "threads">) {
	return eb.selectFrom("entries").whereRef("entries.thread", "=", "threads.id");
}
