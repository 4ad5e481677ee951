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

/** A thread that matches a search, with the text around the first match. */
export interface ThreadMatch {
	readonly thread: Thread;
	readonly excerpt: string;
}

/**
 * Searches threads for a string. The database finds candidates page by page, and their text is then checked, until
 * there are enough matches.
 */
export class ThreadSearch {
	/** Prepared queries, by condition. */
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

	/** Finds threads that match the pattern, each with its first matching entry. */
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
						.where((of) => this.mayMatch(of, pattern))
						.orderBy("number")
						.limit(1),
				),
			)
			.select(["type", "text", "rest"])
			.select((eb) => joinedPieces(eb).as("more"))
			.where((eb) => eb.or([this.isLike(eb.ref("title"), pattern), eb("entries.number", "is not", null)]));
		return new PreparedQuery(query.compile());
	}

	/** Returns the text around the first match in prompts and answers. */
	private async excerpt(threadId: string, needle: Needle): Promise<string | undefined> {
		const rows = await grownEntries(this.database, threadId)
			.where((eb) => this.mayMatch(eb, needle.pattern))
			.execute();
		for (const row of rows) {
			const excerpt = findIn(row, needle);
			if (excerpt !== undefined) return excerpt;
		}
		return undefined;
	}

	/** Whether an entry is a prompt or an answer that can match. */
	private mayMatch(eb: ExpressionBuilder<Tables, "entries">, pattern: string) {
		// Few entries have pieces: those being written, and those left by a process that died.
		const isInPieces = eb(eb.refTuple("entries.thread", "entries.number"), "in", (sub) =>
			sub.selectFrom("pieces").select(["pieces.thread", "pieces.number"]).$asTuple("thread", "number"),
		);
		return eb.or([
			eb("type", "=", "text").and(eb.or([this.isLike(eb.ref("text"), pattern), isInPieces])),
			eb("type", "=", "prompt").and(this.isLike(eb.ref("rest"), pattern)),
		]);
	}

	/** Returns a case-insensitive match, the only part of a query that differs between the two databases. */
	private isLike(text: Expression<string>, pattern: string) {
		const like = sql.raw(this.kind === "postgres" ? "ilike" : "like");
		return sql<boolean>`${text} ${like} ${pattern} escape ${sql.lit(LIKE_ESCAPE)}`;
	}
}

/** A thread that may match, with the entry that may match; null if only the title may match. */
type Candidate = Selectable<Tables["threads"]> & (GrownRow | Record<keyof GrownRow, null>);

type SearchParameter = "pattern" | "workspace" | "modifiedAt" | "id" | "limit";

function findIn(row: GrownRow, needle: Needle): string | undefined {
	for (const text of textsOf(bodyOf(row))) {
		const excerpt = needle.find(text);
		if (excerpt !== undefined) return excerpt;
	}
	return undefined;
}

/** Returns the searchable strings: the user's own text in prompts, and answers. */
function textsOf(body: Body): string[] {
	if (body.type === "text") return [body.text];
	if (body.type !== "prompt") return [];
	return body.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/**
 * A case-insensitive search string. The database preselects threads with `pattern`, and `find` decides, because the two
 * databases ignore case in different alphabets but must find the same threads.
 */
class Needle {
	/**
	 * A pattern for LIKE on escaped text, with `LIKE_ESCAPE`. Matches everything that `find` finds, and sometimes more.
	 */
	readonly pattern: string;
	private readonly folded: string;

	constructor(text: string) {
		this.folded = foldCase(text);
		this.pattern = patternOf(text);
	}

	/** Returns the text around the first match, or undefined. */
	find(text: string): string | undefined {
		const at = foldCase(text).indexOf(this.folded);
		return at === -1 ? undefined : excerptOf(text, at, at + this.folded.length);
	}
}

/** Has no special meaning in JSON, so escaping a string as JSON does not add this character. */
const LIKE_ESCAPE = "~";

function patternOf(text: string): string {
	let pattern = "%";
	for (const character of Array.from(text).slice(0, PATTERN_MAX)) {
		// A surrogate pair split between two pieces is stored as two escapes.
		if (/[\ud800-\udfff]/.test(character)) pattern += "%";
		else if (character > "\x7f" && character.toLowerCase() !== character.toUpperCase()) pattern += "_";
		else pattern += escapeText(character).replaceAll(/[%_~]/g, "~$&");
	}
	return `${pattern}%`;
}

// SQLite allows patterns of 50,000 bytes. Strings that match up to this length hardly ever differ after it.
const PATTERN_MAX = 1000;

/** Preserves the length of the text, so that offsets stay valid. */
function foldCase(text: string): string {
	const lower = text.toLowerCase();
	const folded = lower.length === text.length ? lower : Array.from(text, foldCharacter).join("");
	// Lowercase sigma has two forms, depending on its position in a word.
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

/** About half a terminal line on each side. */
const AROUND = 40;

/**
 * Returns the start of the first word at or after `at`. If there is none, returns `at`, or the next offset if `at`
 * would split a surrogate pair.
 */
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
