import type { Selectable } from "kysely";
import type { Body, Entry, Thread } from "../threads/thread.js";
import type { Tables } from "./schema.js";

/** An entry's body as it is kept: what may grow, and what may be searched fast, apart from the rest. */
interface BodyRow {
	readonly type: string;
	readonly text: string;
	readonly rest: string;
}

export function rowOf(body: Body): BodyRow {
	const { type, ...rest } = body;
	if (!("text" in rest)) return { type, text: "", rest: JSON.stringify(rest) };
	const { text, ...others } = rest;
	return { type, text: escapeText(text), rest: JSON.stringify(others) };
}

/** One that is read, with the pieces that its text has grown by. */
export interface GrownRow extends BodyRow {
	readonly more: string | null;
}

export function entryOf(row: GrownRow & { number: number; turn: string; at: string }): Entry {
	return { number: row.number, turn: row.turn, at: row.at, body: bodyOf(row) };
}

/** The body that `rowOf` made a row from. */
export function bodyOf({ type, text, more, rest }: GrownRow): Body {
	try {
		const others = JSON.parse(rest) as object;
		if (!HAVE_TEXT.has(type)) return { type, ...others } as Body;
		return { type, text: unescapeText(text + (more ?? "")), ...others } as Body;
	} catch {
		// A part of the row was overwritten on the disk. The rest of the thread can still be read.
		return { type: "notice", level: "warning", text: "This entry is damaged and cannot be shown." };
	}
}

const HAVE_TEXT: ReadonlySet<string> = new Set(["text", "thought", "summary", "notice"]);

export function threadOf({
	id,
	title,
	workspace,
	modified,
}: Pick<Selectable<Tables["threads"]>, "id" | "title" | "workspace" | "modified">): Thread {
	return { id, title: unescapeText(title), workspace, modifiedAt: modified };
}

/**
 * What people and models write may hold what a database cannot: a NUL, or half of a surrogate pair where a stream was cut
 * between the two. So it is kept as the inside of a JSON string, in which all of these are escaped, and pieces can be
 * joined by the database as they are. Letters stay letters, so that it can still be searched.
 */
export function escapeText(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

export function unescapeText(escaped: string): string {
	// Most titles need no parser, and lists are full of them.
	return escaped.includes("\\") ? (JSON.parse(`"${escaped}"`) as string) : escaped;
}
