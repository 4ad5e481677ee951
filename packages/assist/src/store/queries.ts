import { type CompiledQuery, type ExpressionBuilder, type Kysely, sql, type Transaction } from "kysely";
import type { Thread } from "../threads/thread.js";
import type { Tables } from "./schema.js";

/** The parameters for a page of threads, newest first. */
export interface Page {
	readonly workspace?: string | undefined;
	/** The cursor of the last thread on the previous page. */
	readonly before?: string | undefined;
	readonly limit: number;
}

/** A position in the list, right after a thread. */
interface Cursor {
	readonly modifiedAt: string;
	readonly id: string;
}

/** Returns the time and the id of a thread, separated by a bar. */
export function cursorOf({ modifiedAt, id }: Thread): string {
	return `${modifiedAt}|${id}`;
}

export function readCursor(cursor: string): Cursor {
	const bar = cursor.indexOf("|");
	if (bar === -1) throw new RangeError(`"${cursor}" is not a cursor`);
	return { modifiedAt: cursor.slice(0, bar), id: cursor.slice(bar + 1) };
}

/** Returns the query for a page's rows. */
export function newestThreads(
	database: Kysely<Tables>,
	{ workspace, cursor, limit }: { workspace: string | undefined; cursor: Cursor | undefined; limit: number },
) {
	let query = database
		.selectFrom("threads")
		.selectAll("threads")
		.orderBy("modified", "desc")
		.orderBy("id", "desc")
		.limit(limit);
	if (workspace !== undefined) query = query.where("workspace", "=", workspace);
	if (cursor === undefined) return query;
	return query.where((eb) => eb(eb.refTuple("modified", "id"), "<", eb.tuple(cursor.modifiedAt, cursor.id)));
}

/** A query that is built once and run with different values, because building a query takes as long as running one. */
export class PreparedQuery<Row, Name extends string> {
	/** The query must have a `placeholder` for each value. */
	constructor(private readonly query: CompiledQuery<Row>) {}

	with(values: Readonly<Record<Name, unknown>>): CompiledQuery<Row> {
		const fill = (parameter: unknown) =>
			parameter instanceof Placeholder ? values[parameter.name as Name] : parameter;
		return { ...this.query, parameters: this.query.parameters.map(fill) };
	}
}

/** Returns a placeholder for a value, with the type that the query expects. */
export function placeholder<Value>(name: string): Value {
	return new Placeholder(name) as Value;
}

class Placeholder {
	constructor(readonly name: string) {}
}

// An entry's text grows in pieces, each in its own row, so the cost of adding one does not depend on the length of the
// text. Reading an entry joins the pieces; once the text is complete, they are merged into the entry.

/**
 * Prepares the query that adds a piece. It inserts no row if the entry does not exist or has a type that cannot grow.
 */
export function prepareMore(database: Kysely<Tables>) {
	const query = database
		.insertInto("pieces")
		.columns(["thread", "number", "place", "text"])
		.expression((eb) =>
			eb
				.selectFrom("entries")
				.select((of) => [
					"entries.thread",
					"entries.number",
					of
						.selectFrom("pieces")
						.select((piece) => sql<number>`coalesce(${piece.fn.max("place")}, 0) + 1`.as("next"))
						.whereRef("pieces.thread", "=", "entries.thread")
						.whereRef("pieces.number", "=", "entries.number")
						.as("place"),
					of.val(placeholder<string>("text")).as("text"),
				])
				.where("entries.thread", "=", placeholder<string>("thread"))
				.where("entries.number", "=", placeholder<number>("number"))
				.where((of) => sql<boolean>`${of.ref("entries.type")} in ('text', 'thought')`),
		)
		.compile();
	return new PreparedQuery<unknown, "thread" | "number" | "text">(query);
}

/** Selects a thread's entries in order, each with its text and its pieces. */
export function grownEntries(database: Kysely<Tables>, threadId: string) {
	return database
		.selectFrom("entries")
		.select(["number", "turn", "at", "type", "text", "rest"])
		.select((eb) => joinedPieces(eb).as("more"))
		.where("thread", "=", threadId)
		.orderBy("number");
}

/** Selects the joined pieces of an entry; null if it has none. */
export function joinedPieces(eb: ExpressionBuilder<Tables, "entries">) {
	return eb
		.selectFrom("pieces")
		.select((of) =>
			sql<string | null>`string_agg(${of.ref("pieces.text")}, '' order by ${of.ref("place")})`.as("joined"),
		)
		.whereRef("pieces.thread", "=", "entries.thread")
		.whereRef("pieces.number", "=", "entries.number");
}

/** Selects an entry's text with its pieces. */
export function wholeText(eb: ExpressionBuilder<Tables, "entries">) {
	return sql<string>`${eb.ref("text")} || coalesce(${joinedPieces(eb)}, '')`;
}

/** Merges the pieces of an entry into its text. Returns whether the entry exists. */
export async function settlePieces(
	transaction: Transaction<Tables>,
	threadId: string,
	number: number,
): Promise<boolean> {
	const { numUpdatedRows } = await transaction
		.updateTable("entries")
		.set((eb) => ({ text: wholeText(eb) }))
		.where("thread", "=", threadId)
		.where("number", "=", number)
		.executeTakeFirst();
	await deletePieces(transaction, threadId, number);
	return numUpdatedRows === 1n;
}

export async function deletePieces(transaction: Transaction<Tables>, threadId: string, number: number): Promise<void> {
	await transaction.deleteFrom("pieces").where("thread", "=", threadId).where("number", "=", number).execute();
}
