import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, sql } from "kysely";
import type { Body, Thread } from "../threads/thread.js";
import {
	cursorOf,
	grownEntries,
	joinedPieces,
	newestThreads,
	type Page,
	PreparedQuery,
	placeholder,
	readCursor,
} from "./queries.js";
import { bodyOf, escapeText, type GrownRow, threadOf } from "./row.js";
import type { DatabaseKind, Tables } from "./schema.js";

/** A thread in which something was found, with the words around the first find. */
export interface ThreadMatch {
	readonly thread: Thread;
	readonly excerpt: string;
}

/**
 * Looks for a text in threads. The database narrows them down to candidates, page by page, and what is read of those decides,
 * until as many are found as were asked for.
 */
export class ThreadSearch {
	/** By which of its conditions a query has. */
	private readonly prepared = new Map<string, PreparedQuery<Candidate, SearchParameter>>();

	constructor(
		private readonly database: Kysely<Tables>,
		private readonly kind: DatabaseKind,
	) {}

	async find(text: string, query: Omit<Page, "before">): Promise<ThreadMatch[]> {
		const needle = new Needle(text);
		const found: ThreadMatch[] = [];
		let before: string | undefined;
		while (found.length < query.limit) {
			const page = await this.candidates(needle, { ...query, before });
			for (const row of page) {
				const thread = threadOf(row);
				before = cursorOf(thread);
				const excerpt =
					needle.find(thread.title) ??
					(row.type === null ? undefined : findIn(row, needle)) ??
					(await this.excerpt(thread.id, needle));
				if (excerpt !== undefined && found.length < query.limit) found.push({ thread, excerpt });
			}
			if (page.length < query.limit) break;
		}
		return found;
	}

	/** Threads in which the database finds the needle, each with the first entry in which it does. */
	private async candidates({ pattern }: Needle, { workspace, before, limit }: Page): Promise<Candidate[]> {
		const cursor = before === undefined ? undefined : readCursor(before);
		const shape = `${workspace === undefined} ${cursor === undefined}`;
		const prepared = this.prepared.get(shape) ?? this.prepare(workspace !== undefined, cursor !== undefined);
		this.prepared.set(shape, prepared);
		const query = prepared.with({ pattern, workspace, modifiedAt: cursor?.modifiedAt, id: cursor?.id, limit });
		return (await this.database.executeQuery(query)).rows;
	}

	private prepare(hasWorkspace: boolean, hasCursor: boolean): PreparedQuery<Candidate, SearchParameter> {
		const pattern = placeholder<string>("pattern");
		const query = newestThreads(this.database, {
			workspace: hasWorkspace ? placeholder("workspace") : undefined,
			cursor: hasCursor ? { modifiedAt: placeholder("modifiedAt"), id: placeholder("id") } : undefined,
			limit: placeholder("limit"),
		})
			.leftJoin("entries", (join) =>
				join.onRef("entries.thread", "=", "threads.id").on("entries.number", "=", (eb) =>
					eb
						.selectFrom("entries")
						.select("number")
						.whereRef("entries.thread", "=", "threads.id")
						.where((of) => this.mayHold(of, pattern))
						.orderBy("number")
						.limit(1),
				),
			)
			.select(["type", "text", "rest"])
			.select((eb) => joinedPieces(eb).as("more"))
			.where((eb) => eb.or([this.isLike(eb.ref("title"), pattern), eb("entries.number", "is not", null)]));
		return new PreparedQuery(query.compile());
	}

	/** The first find in what was asked and answered. */
	private async excerpt(threadId: string, needle: Needle): Promise<string | undefined> {
		const rows = await grownEntries(this.database, threadId)
			.where((eb) => this.mayHold(eb, needle.pattern))
			.execute();
		for (const row of rows) {
			const excerpt = findIn(row, needle);
			if (excerpt !== undefined) return excerpt;
		}
		return undefined;
	}

	/** Whether an entry is a prompt or an answer that may hold what is looked for. */
	private mayHold(eb: ExpressionBuilder<Tables, "entries">, pattern: string) {
		// Those in pieces are few: they are being written, or their process died.
		const isInPieces = eb(eb.refTuple("entries.thread", "entries.number"), "in", (sub) =>
			sub.selectFrom("pieces").select(["pieces.thread", "pieces.number"]).$asTuple("thread", "number"),
		);
		return eb.or([
			eb("type", "=", "text").and(eb.or([this.isLike(eb.ref("text"), pattern), isInPieces])),
			eb("type", "=", "prompt").and(this.isLike(eb.ref("rest"), pattern)),
		]);
	}

	/** This is all in which the two databases' queries differ. */
	private isLike(text: Expression<string>, pattern: string) {
		const like = sql.raw(this.kind === "postgres" ? "ilike" : "like");
		return sql<boolean>`${text} ${like} ${pattern} escape ${sql.lit(LIKE_ESCAPE)}`;
	}
}

/** A thread in which something may be found, and the entry: null where only the title may hold it. */
type Candidate = Selectable<Tables["threads"]> & (GrownRow | Record<keyof GrownRow, null>);

type SearchParameter = "pattern" | "workspace" | "modifiedAt" | "id" | "limit";

function findIn(row: GrownRow, needle: Needle): string | undefined {
	for (const text of textsOf(bodyOf(row))) {
		const excerpt = needle.find(text);
		if (excerpt !== undefined) return excerpt;
	}
	return undefined;
}

/** What a person would look for: what they wrote, and what was answered. */
function textsOf(body: Body): string[] {
	if (body.type === "text") return [body.text];
	if (body.type !== "prompt") return [];
	return body.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/**
 * A text that is looked for, in any case. The database narrows down with `pattern` what `find` then decides, so that both
 * databases find the same: they know upper and lower case of different alphabets.
 */
class Needle {
	/** For LIKE with the escape character `LIKE_ESCAPE`, on escaped text. It matches wherever `find` finds, and sometimes elsewhere. */
	readonly pattern: string;
	private readonly folded: string;

	constructor(text: string) {
		this.folded = foldCase(text);
		this.pattern = patternOf(text);
	}

	/** The words around the first place where the text has it, or undefined where it has not. */
	find(text: string): string | undefined {
		const at = foldCase(text).indexOf(this.folded);
		return at === -1 ? undefined : excerptOf(text, at, at + this.folded.length);
	}
}

/** JSON has no use for it, so escaped text holds it no more often than text does. */
const LIKE_ESCAPE = "~";

function patternOf(text: string): string {
	let pattern = "%";
	for (const character of Array.from(text).slice(0, PATTERN_MAX)) {
		// A pair of surrogates may have come in two pieces, and is then kept as two escapes.
		if (/[\ud800-\udfff]/.test(character)) pattern += "%";
		else if (character > "\x7f" && character.toLowerCase() !== character.toUpperCase()) pattern += "_";
		else pattern += escapeText(character).replaceAll(/[%_~]/g, "~$&");
	}
	return `${pattern}%`;
}

// SQLite takes patterns of 50,000 bytes. A text that is alike in so many characters is hardly ever another one.
const PATTERN_MAX = 1000;

/** The same length in every case, so that a place in it is the place in the text. */
function foldCase(text: string): string {
	const lower = text.toLowerCase();
	const folded = lower.length === text.length ? lower : Array.from(text, foldCharacter).join("");
	// A sigma has two small forms, by where it stands in its word.
	return folded.replaceAll("ς", "σ");
}

function foldCharacter(character: string): string {
	const lower = character.toLowerCase();
	return lower.length === character.length ? lower : character;
}

function excerptOf(text: string, from: number, to: number): string {
	const start = from <= AROUND ? 0 : wordStart(text, from - AROUND, from);
	const end = text.length - to <= AROUND ? text.length : wordEnd(text, to + AROUND, to);
	const words = text.slice(start, end).replaceAll(/\s+/g, " ").trim();
	return `${start > 0 ? "…" : ""}${words}${end < text.length ? "…" : ""}`;
}

/** About half a line of a terminal to each side. */
const AROUND = 40;

/** The first start of a word from `at` on; where there is none, no character is cut in two. */
function wordStart(text: string, at: number, last: number): number {
	for (let i = at; i < last; i++) if (/\s/.test(text.charAt(i - 1))) return i;
	return isLowSurrogate(text, at) ? at + 1 : at;
}

function wordEnd(text: string, at: number, first: number): number {
	for (let i = at; i > first; i--) if (/\s/.test(text.charAt(i))) return i;
	return isLowSurrogate(text, at) ? at - 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
	return /[\udc00-\udfff]/.test(text.charAt(at));
}
