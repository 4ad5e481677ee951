import type { Kysely } from "kysely";
import type { Thread } from "../thread.js";
import type { Tables } from "./schema.js";

/** Some of the threads that are kept, newest first. */
export interface Page {
	readonly workspace?: string | undefined;
	/** The cursor of the last thread that was seen. */
	readonly before?: string | undefined;
	readonly limit: number;
}

/** A place between two threads: right behind one of them. */
interface Cursor {
	readonly modifiedAt: string;
	readonly id: string;
}

/** The time and the id of a thread, with a bar between them. */
export function cursorOf({ modifiedAt, id }: Thread): string {
	return `${modifiedAt}|${id}`;
}

export function readCursor(cursor: string): Cursor {
	const bar = cursor.indexOf("|");
	if (bar === -1) throw new RangeError(`"${cursor}" is no cursor`);
	return { modifiedAt: cursor.slice(0, bar), id: cursor.slice(bar + 1) };
}

/** The rows of a page, in its order. */
export function newest(
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
