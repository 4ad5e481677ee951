import type { ExpressionBuilder, Kysely } from "kysely";
import { bodyOf } from "./row.js";
import type { Tables } from "./schema.js";

/** What lists show of a thread besides its title. */
export interface ThreadStats {
	/** When the first entry was written; undefined where there is none. */
	readonly createdAt: string | undefined;
	readonly prompts: number;
	/** Who the last prompt was put to that was put to a model or an agent. */
	readonly model: string | undefined;
}

/** More than a list shows at once. The query always names as many, so that its text is one and the same. */
const TALLIED_AT_ONCE = 100;

/** By id. Threads that are not there are left out. */
export async function threadStats(database: Kysely<Tables>, ids: readonly string[]): Promise<Map<string, ThreadStats>> {
	const tallies = new Map<string, ThreadStats>();
	for (let from = 0; from < ids.length; from += TALLIED_AT_ONCE) {
		const some = ids.slice(from, from + TALLIED_AT_ONCE);
		const padding = Array.from({ length: TALLIED_AT_ONCE - some.length }, () => some[0] as string);
		for (const { id, created, prompts, rest } of await rowsOf(database, [...some, ...padding])) {
			const last = rest === null ? undefined : bodyOf({ type: "prompt", text: "", more: null, rest });
			const model = last?.type === "prompt" ? last.model : undefined;
			tallies.set(id, { createdAt: created ?? undefined, prompts: Number(prompts), model });
		}
	}
	return tallies;
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
				// Quotes inside of what somebody wrote have a backslash before them.
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
