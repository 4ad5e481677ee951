import { type Generated, type Kysely, sql, type Transaction } from "kysely";
import { StoreError } from "../failures.js";

/** The tables, alike in both databases. Texts that people and models write are escaped: `row.ts` says how and why. */
export interface Tables {
	readonly threads: {
		readonly id: string;
		readonly title: string;
		readonly workspace: string;
		readonly modified: string;
		/** As JSON. */
		readonly settings: Generated<string>;
		/** As JSON. Flags of deleted entries are ignored. */
		readonly flags: Generated<string>;
		/** The number that was given last, so that none is given twice even where entries were forgotten. */
		readonly last: Generated<number>;
	};
	readonly entries: {
		readonly thread: string;
		readonly number: number;
		readonly turn: string;
		readonly at: string;
		readonly type: string;
		/** The text of a body that has one, as far as its pieces have been joined. */
		readonly text: string;
		/** All else of the body, as JSON. */
		readonly rest: string;
	};
	/** What has come of an entry's text since it was appended. They are joined when it is whole, and their rows are gone then. */
	readonly pieces: {
		readonly thread: string;
		readonly number: number;
		readonly place: number;
		readonly text: string;
	};
	readonly allowances: {
		readonly workspace: string;
		readonly kind: string;
		readonly subject: string;
		/** Who said so, where others use the same store. */
		readonly owner: string;
	};
	/** What became of suggestions. Only an embedded store has it: it is this machine's, and says nothing of anybody's code. */
	readonly suggestions: {
		readonly id: string;
		readonly at: string;
		readonly predictor: string;
		/** Empty where no model wrote it. */
		readonly model: string;
		readonly language: string;
		readonly kind: string;
		readonly asked_by: string;
		readonly latency_ms: number;
		readonly chance: number;
		/** Numbers by name, as JSON. */
		readonly features: string;
		/** Empty where there is none yet. */
		readonly verdict: string;
	};
	/** One row: how many of the migrations have been done. */
	readonly schema_version: { readonly version: number };
}

/** A file of this process's user, or a server that a team shares. */
export type DatabaseKind = "embedded" | "postgres";

/** Brings the tables to the present version. Of several processes that start at once, one does it and the others wait. */
export async function migrate(
	database: Kysely<Tables>,
	kind: DatabaseKind,
	migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
	await database.transaction().execute(async (transaction) => {
		if (kind === "postgres") {
			// An embedded database is locked by the transaction itself.
			await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
			await transaction.schema.createSchema(POSTGRES_SCHEMA).ifNotExists().execute();
		}
		await transaction.schema
			.createTable("schema_version")
			.ifNotExists()
			.addColumn("version", "integer", (column) => column.notNull())
			.execute();
		const row = await transaction.selectFrom("schema_version").select("version").executeTakeFirst();
		const version = row?.version ?? 0;
		if (version > migrations.length) {
			throw new StoreError(
				`The kept threads were written by a newer Segue (version ${version} of the store; this one knows ${migrations.length}). Update Segue to use them.`,
			);
		}
		if (version === migrations.length) return;
		for (const migration of migrations.slice(version)) await migration(transaction, kind);
		await transaction.deleteFrom("schema_version").execute();
		await transaction.insertInto("schema_version").values({ version: migrations.length }).execute();
	});
}

/** Any number that no other program on the same server is likely to lock. */
const MIGRATION_LOCK = 5_319_008;

/** On a server, our tables are in a schema of their own, because the database may hold others'. */
export const POSTGRES_SCHEMA = "segue";

type Migration = (transaction: Transaction<Tables>, kind: DatabaseKind) => Promise<void>;

/** In the order in which they were released. One that was released is never changed. */
export const MIGRATIONS: readonly Migration[] = [
	createThreads,
	createPieces,
	createAllowances,
	addOwners,
	addSettings,
	addLast,
	createSuggestions,
	addFlags,
];

async function createThreads({ schema }: Transaction<Tables>, kind: DatabaseKind): Promise<void> {
	await schema
		.createTable("threads")
		.addColumn("id", ordered(kind), (column) => column.primaryKey())
		.addColumn("title", "text", (column) => column.notNull())
		.addColumn("workspace", "text", (column) => column.notNull())
		.addColumn("modified", ordered(kind), (column) => column.notNull())
		.execute();
	await schema.createIndex("threads_by_time").on("threads").columns(["modified", "id"]).execute();
	await schema.createIndex("threads_by_workspace").on("threads").columns(["workspace", "modified", "id"]).execute();
	await schema
		.createTable("entries")
		.addColumn("thread", ordered(kind), (column) => column.notNull().references("threads.id").onDelete("cascade"))
		.addColumn("number", "integer", (column) => column.notNull())
		.addColumn("turn", "text", (column) => column.notNull())
		.addColumn("at", "text", (column) => column.notNull())
		.addColumn("type", "text", (column) => column.notNull())
		.addColumn("text", "text", (column) => column.notNull())
		.addColumn("rest", "text", (column) => column.notNull())
		.addUniqueConstraint("entries_in_order", ["thread", "number"])
		.execute();
}

async function createPieces({ schema }: Transaction<Tables>, kind: DatabaseKind): Promise<void> {
	await schema
		.createTable("pieces")
		.addColumn("thread", ordered(kind), (column) => column.notNull())
		.addColumn("number", "integer", (column) => column.notNull())
		.addColumn("place", "integer", (column) => column.notNull())
		.addColumn("text", "text", (column) => column.notNull())
		.addPrimaryKeyConstraint("pieces_in_order", ["thread", "number", "place"])
		.addForeignKeyConstraint("pieces_of_entry", ["thread", "number"], "entries", ["thread", "number"], (constraint) =>
			constraint.onDelete("cascade"),
		)
		// A piece is then written to one tree instead of two, which is most of what it costs.
		.$call((table) => (kind === "embedded" ? table.modifyEnd(sql`without rowid`) : table))
		.execute();
}

async function createAllowances({ schema }: Transaction<Tables>): Promise<void> {
	// A subject may be longer than a server's indexes take, so there is none, and doubles are passed over in reading.
	await schema
		.createTable("allowances")
		.addColumn("workspace", "text", (column) => column.notNull())
		.addColumn("kind", "text", (column) => column.notNull())
		.addColumn("subject", "text", (column) => column.notNull())
		.execute();
	await schema.createIndex("allowances_by_workspace").on("allowances").columns(["workspace"]).execute();
}

/** On a server, nobody knows whose the answers were that were kept before: they belong to no one, and are asked for again. */
async function addOwners({ schema }: Transaction<Tables>): Promise<void> {
	await schema
		.alterTable("allowances")
		.addColumn("owner", "text", (column) => column.notNull().defaultTo(""))
		.execute();
}

async function addSettings({ schema }: Transaction<Tables>): Promise<void> {
	await schema
		.alterTable("threads")
		.addColumn("settings", "text", (column) => column.notNull().defaultTo("{}"))
		.execute();
}

async function addLast(transaction: Transaction<Tables>): Promise<void> {
	await transaction.schema
		.alterTable("threads")
		.addColumn("last", "integer", (column) => column.notNull().defaultTo(0))
		.execute();
	await transaction
		.updateTable("threads")
		.set((eb) => ({
			last: eb
				.selectFrom("entries")
				.select((of) => of.fn.coalesce(of.fn.max("number"), sql.lit(0)).as("last"))
				.whereRef("entries.thread", "=", "threads.id"),
		}))
		.execute();
}

async function createSuggestions({ schema }: Transaction<Tables>, kind: DatabaseKind): Promise<void> {
	if (kind === "postgres") return;
	await schema
		.createTable("suggestions")
		.addColumn("id", "text", (column) => column.primaryKey())
		.addColumn("at", "text", (column) => column.notNull())
		.addColumn("predictor", "text", (column) => column.notNull())
		.addColumn("model", "text", (column) => column.notNull())
		.addColumn("language", "text", (column) => column.notNull())
		.addColumn("kind", "text", (column) => column.notNull())
		.addColumn("asked_by", "text", (column) => column.notNull())
		.addColumn("latency_ms", "real", (column) => column.notNull())
		.addColumn("chance", "real", (column) => column.notNull())
		.addColumn("features", "text", (column) => column.notNull())
		.addColumn("verdict", "text", (column) => column.notNull())
		.execute();
	await schema.createIndex("suggestions_by_time").on("suggestions").columns(["at", "id"]).execute();
}

async function addFlags({ schema }: Transaction<Tables>): Promise<void> {
	await schema
		.alterTable("threads")
		.addColumn("flags", "text", (column) => column.notNull().defaultTo("[]"))
		.execute();
}

/** Text that is compared by its bytes, as an embedded database does, whatever the server's language is. */
function ordered(kind: DatabaseKind) {
	return kind === "embedded" ? ("text" as const) : sql`text collate "C"`;
}
