import type { Selectable } from "kysely";
import type { Body, Entry, Thread } from "../threads/thread.js";
import type { Tables } from "./schema.js";

/** Converts an entry's body to its stored form. The text is separate, because it can grow and is searched. */
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

/** A row with the pieces added to its text. */
export interface GrownRow extends BodyRow {
	readonly more: string | null;
}

export function entryOf(row: GrownRow & { number: number; turn: string; at: string }): Entry {
	return { number: row.number, turn: row.turn, at: row.at, body: bodyOf(row) };
}

/** The inverse of `rowOf`. */
export function bodyOf({ type, text, more, rest }: GrownRow): Body {
	try {
		const others = JSON.parse(rest) as object;
		if (!HAVE_TEXT.has(type)) return { type, ...others } as Body;
		return { type, text: unescapeText(text + (more ?? "")), ...others } as Body;
	} catch {
		// Part of the row was overwritten on disk. The rest of the thread is still readable.
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
 * Escapes characters that a database cannot store: a NUL, or half of a surrogate pair at the end of a chunk. The result
 * is the inside of a JSON string, so the database can concatenate pieces. Letters are not escaped, so that they can be
 * searched.
 */
export function escapeText(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

export function unescapeText(escaped: string): string {
	// Skips the parser for most titles, because lists contain many of them.
	return escaped.includes("\\") ? (JSON.parse(`"${escaped}"`) as string) : escaped;
}
