import { randomUUID } from "node:crypto";
import type { CompiledQuery, Kysely, Transaction } from "kysely";
import { NoSuchThread, ThreadExists } from "../failures.js";
import { readSettings, type ThreadSettings } from "../threads/settings.js";
import type { Body, Entry, Flag, Permission, Thread } from "../threads/thread.js";
import { type Archive, archiveOf, readArchive } from "./archive.js";
import {
	deletePieces,
	grownEntries,
	newestThreads,
	type Page,
	prepareMore,
	readCursor,
	settlePieces,
	wholeText,
} from "./queries.js";
import { entryOf, escapeText, rowOf, threadOf, unescapeText } from "./row.js";
import type { DatabaseKind, Tables } from "./schema.js";
import { type ThreadMatch, ThreadSearch } from "./thread-search.js";
import { type ThreadStats, threadStats } from "./thread-stats.js";

/** Entries with the id of another agent's session. */
const AGENT: Body["type"] = "agent";

/**
 * Stores threads. Once a promise resolves, the change is durable even if the process crashes. Several processes can use
 * a store at once. Methods that take a thread throw `NoSuchThread`, and all throw `StoreError` if the database fails.
 */
export class Store {
	private readonly moreQuery: ReturnType<typeof prepareMore>;
	private readonly finder: ThreadSearch;

	/** The database must be migrated; see `openEmbeddedStore` and `openPostgresStore`. */
	constructor(
		private readonly database: Kysely<Tables>,
		kind: DatabaseKind,
		/** Runs a statement synchronously and returns the number of changed rows; undefined if that is not possible. */
		private readonly runNow: (query: CompiledQuery) => number | undefined,
		/** The user whose "always" answers apply. Empty if the database is not shared. */
		private readonly owner: string,
	) {
		this.moreQuery = prepareMore(database);
		this.finder = new ThreadSearch(database, kind);
	}

	/** Throws `ThreadExists`. */
	async create(thread: Thread): Promise<void> {
		await insertThread(this.database, thread, 0);
	}

	async thread(id: string): Promise<Thread | undefined> {
		const row = await this.database.selectFrom("threads").selectAll().where("id", "=", id).executeTakeFirst();
		return row === undefined ? undefined : threadOf(row);
	}

	/** Returns a page of threads, newest first. `before` is the cursor of the last thread on the previous page. */
	async list(query: Page): Promise<Thread[]> {
		const { workspace, before, limit } = query;
		const cursor = before === undefined ? undefined : readCursor(before);
		const rows = await newestThreads(this.database, { workspace, cursor, limit }).execute();
		return rows.map(threadOf);
	}

	/**
	 * Returns threads with the text in their title, prompts or answers, newest first, each with the text around the
	 * first match. Ignores case, except for letters whose other case has several characters. Does not ignore accents.
	 */
	search(text: string, query: Omit<Page, "before">): Promise<ThreadMatch[]> {
		return this.finder.find(text, query);
	}

	async rename(id: string, title: string): Promise<void> {
		const { numUpdatedRows } = await this.database
			.updateTable("threads")
			.set({ title: escapeText(title) })
			.where("id", "=", id)
			.executeTakeFirst();
		if (numUpdatedRows === 0n) throw new NoSuchThread(id);
	}

	/** Returns the settings from the last call to `saveSettings`. */
	async settings(id: string): Promise<ThreadSettings> {
		const row = await this.database.selectFrom("threads").select("settings").where("id", "=", id).executeTakeFirst();
		if (row === undefined) throw new NoSuchThread(id);
		return readSettings(row.settings);
	}

	/** Replaces the settings. Does not change the thread's modification time. */
	async saveSettings(id: string, settings: ThreadSettings): Promise<void> {
		const { numUpdatedRows } = await this.database
			.updateTable("threads")
			.set({ settings: JSON.stringify(settings) })
			.where("id", "=", id)
			.executeTakeFirst();
		if (numUpdatedRows === 0n) throw new NoSuchThread(id);
	}

	/** Returns the flags in the order of their entries, except those on deleted entries. */
	async flags(id: string): Promise<readonly Flag[]> {
		return flagsOf(this.database, id);
	}

	/** Does not change the thread's modification time. */
	async changeFlags(id: string, change: (flags: readonly Flag[]) => readonly Flag[]): Promise<void> {
		await this.database.transaction().execute(async (transaction) => {
			// The update locks the thread, so concurrent changes are not lost.
			await transaction
				.updateTable("threads")
				.set((eb) => ({ flags: eb.ref("flags") }))
				.where("id", "=", id)
				.execute();
			const flags = JSON.stringify(change(await flagsOf(transaction, id)));
			await transaction.updateTable("threads").set({ flags }).where("id", "=", id).execute();
		});
	}

	async delete(id: string): Promise<void> {
		const { numDeletedRows } = await this.database.deleteFrom("threads").where("id", "=", id).executeTakeFirst();
		if (numDeletedRows === 0n) throw new NoSuchThread(id);
	}

	/** Appends an entry and sets the thread's modification time. */
	async append(threadId: string, turn: string, at: string, body: Body): Promise<Entry> {
		return await this.database.transaction().execute(async (transaction) => {
			// Must come first: it locks the thread, so no other process uses the same number.
			const counted = await transaction
				.updateTable("threads")
				.set((eb) => ({ modified: at, last: eb("last", "+", 1) }))
				.where("id", "=", threadId)
				.returning("last")
				.executeTakeFirst();
			if (counted === undefined) throw new NoSuchThread(threadId);
			const entry = { number: counted.last, turn, at, body };
			await insertEntry(transaction, threadId, entry);
			return entry;
		});
	}

	/** Appends to the text of an entry. The cost does not depend on the length of the text. */
	async more(threadId: string, number: number, text: string): Promise<void> {
		const query = this.moreQuery.with({ thread: threadId, number, text: escapeText(text) });
		const rows = this.runNow(query) ?? Number((await this.database.executeQuery(query)).numAffectedRows);
		if (rows !== 1) await this.throwMissing(threadId, number);
	}

	async replace(threadId: string, number: number, body: Body): Promise<void> {
		const isThere = await this.database.transaction().execute(async (transaction) => {
			await deletePieces(transaction, threadId, number);
			const { numUpdatedRows } = await transaction
				.updateTable("entries")
				.set(rowOf(body))
				.where("thread", "=", threadId)
				.where("number", "=", number)
				.executeTakeFirst();
			return numUpdatedRows === 1n;
		});
		if (!isThere) await this.throwMissing(threadId, number);
	}

	/** Completes an entry that grew through `more`, by merging its pieces. */
	async settle(threadId: string, number: number): Promise<void> {
		const isThere = await this.database
			.transaction()
			.execute((transaction) => settlePieces(transaction, threadId, number));
		if (!isThere) await this.throwMissing(threadId, number);
	}

	async entries(threadId: string): Promise<Entry[]> {
		const rows = await grownEntries(this.database, threadId).execute();
		if (rows.length === 0 && (await this.thread(threadId)) === undefined) throw new NoSuchThread(threadId);
		return rows.map(entryOf);
	}

	/**
	 * Deletes the entries from the given number onwards, and all entries with another agent's session, because that
	 * agent would still remember the deleted ones. Numbers are not reused.
	 */
	async forget(threadId: string, from: number): Promise<void> {
		if ((await this.thread(threadId)) === undefined) throw new NoSuchThread(threadId);
		await this.database
			.deleteFrom("entries")
			.where("thread", "=", threadId)
			.where((eb) => eb.or([eb("number", ">=", from), eb("type", "=", AGENT)]))
			.execute();
	}

	/**
	 * Creates a thread with the entries that precede a number in another thread, except entries about another agent's
	 * session.
	 */
	async copy(threadId: string, before: number, thread: Thread): Promise<void> {
		await this.database.transaction().execute(async (transaction) => {
			await insertThread(transaction, thread, before - 1);
			const flags = (await flagsOf(transaction, threadId)).filter(({ after }) => after < before);
			await transaction
				.updateTable("threads")
				.set({ flags: JSON.stringify(flags) })
				.where("id", "=", thread.id)
				.execute();
			await transaction
				.insertInto("entries")
				.columns(["thread", "number", "turn", "at", "type", "text", "rest"])
				.expression((eb) =>
					eb
						.selectFrom("entries")
						.select((of) => [
							of.val(thread.id).as("thread"),
							"number",
							"turn",
							"at",
							"type",
							wholeText(of).as("text"),
							"rest",
						])
						.where("thread", "=", threadId)
						.where("number", "<", before)
						.where("type", "!=", AGENT),
				)
				.execute();
		});
	}

	/** Stores an "always" answer from this owner for a workspace. */
	async allow(workspace: string, { kind, subject }: Permission): Promise<void> {
		const allowance = { workspace, owner: this.owner, kind, subject: escapeText(subject) };
		await this.database.insertInto("allowances").values(allowance).execute();
	}

	async allowances(workspace: string): Promise<Permission[]> {
		const rows = await this.ownAllowances().where("workspace", "=", workspace).execute();
		return rows.map(permissionOf);
	}

	/** Returns all "always" answers from this owner, sorted by workspace. */
	async everyAllowance(): Promise<Allowance[]> {
		const rows = await this.ownAllowances().orderBy("workspace").orderBy("kind").orderBy("subject").execute();
		return rows.map((row) => ({ workspace: row.workspace, permission: permissionOf(row) }));
	}

	/** Deletes this owner's "always" answers for a workspace. Returns whether there were any. */
	async forgetAllowances(workspace: string): Promise<boolean> {
		const { numDeletedRows } = await this.database
			.deleteFrom("allowances")
			.where("workspace", "=", workspace)
			.where("owner", "=", this.owner)
			.executeTakeFirst();
		return numDeletedRows > 0n;
	}

	/** Returns a JSON value for `importThread` on this or another machine. */
	async exportThread(id: string): Promise<Archive> {
		const thread = await this.thread(id);
		if (thread === undefined) throw new NoSuchThread(id);
		return archiveOf(thread, await this.entries(id), await this.flags(id));
	}

	/**
	 * Imports the result of `exportThread`. Ignores the workspace in the export, which can come from another machine,
	 * or from an attacker who wants to choose where tools run. If the id is taken, the thread gets a new one.
	 */
	async importThread(value: unknown, workspace: string): Promise<Thread> {
		const archive = readArchive(value);
		const isTaken = (await this.thread(archive.thread.id)) !== undefined;
		const thread = { ...archive.thread, workspace, ...(isTaken && { id: randomUUID() }) };
		await this.database.transaction().execute(async (transaction) => {
			await insertThread(transaction, thread, archive.entries.length);
			const flags = (archive.flags ?? []).flatMap((flag) => {
				const after = archive.entries.findIndex(({ number }) => number === flag.after) + 1;
				return after === 0 ? [] : [{ ...flag, after }];
			});
			await transaction
				.updateTable("threads")
				.set({ flags: JSON.stringify(flags) })
				.where("id", "=", thread.id)
				.execute();
			for (const [i, entry] of archive.entries.entries()) {
				await insertEntry(transaction, thread.id, { ...entry, number: i + 1 });
			}
		});
		return thread;
	}

	/** Returns statistics by id. Skips missing threads. */
	stats(ids: readonly string[]): Promise<ReadonlyMap<string, ThreadStats>> {
		return threadStats(this.database, ids);
	}

	async close(): Promise<void> {
		await this.database.destroy();
	}

	private ownAllowances() {
		return this.database
			.selectFrom("allowances")
			.select(["workspace", "kind", "subject"])
			.distinct()
			.where("owner", "=", this.owner);
	}

	private async throwMissing(threadId: string, number: number): Promise<never> {
		if ((await this.thread(threadId)) === undefined) throw new NoSuchThread(threadId);
		throw new RangeError(`thread ${threadId} has no entry ${number} that allows this change`);
	}
}

/** A permission that a user has always allowed. */
export interface Allowance {
	readonly workspace: string;
	readonly permission: Permission;
}

type Queries = Kysely<Tables> | Transaction<Tables>;

async function insertThread(queries: Queries, thread: Thread, last: number): Promise<void> {
	const { id, title, workspace, modifiedAt } = thread;
	const { numInsertedOrUpdatedRows } = await queries
		.insertInto("threads")
		.values({ id, title: escapeText(title), workspace, modified: modifiedAt, last })
		.onConflict((conflict) => conflict.doNothing())
		.executeTakeFirst();
	if (numInsertedOrUpdatedRows === 0n) throw new ThreadExists(id);
}

async function flagsOf(queries: Queries, threadId: string): Promise<readonly Flag[]> {
	const row = await queries.selectFrom("threads").select("flags").where("id", "=", threadId).executeTakeFirst();
	if (row === undefined) throw new NoSuchThread(threadId);
	const flags = JSON.parse(row.flags) as Flag[];
	if (flags.length === 0) return flags;
	const numbers = await queries
		.selectFrom("entries")
		.select("number")
		.where("thread", "=", threadId)
		.where(
			"number",
			"in",
			flags.map(({ after }) => after),
		)
		.execute();
	const known = new Set(numbers.map(({ number }) => number));
	return flags.filter(({ after }) => known.has(after)).sort((a, b) => a.after - b.after);
}

function permissionOf({ kind, subject }: Pick<Tables["allowances"], "kind" | "subject">): Permission {
	// Only `allow` writes this column.
	return { kind: kind as Permission["kind"], subject: unescapeText(subject) };
}

async function insertEntry(queries: Queries, thread: string, { number, turn, at, body }: Entry): Promise<void> {
	await queries
		.insertInto("entries")
		.values({ thread, number, turn, at, ...rowOf(body) })
		.execute();
}
