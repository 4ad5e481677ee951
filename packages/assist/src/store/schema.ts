import { type Generated, type Kysely, sql, type Transaction } from "kysely";
import { StoreError } from "../failures.js";

/** The tables, which are identical in both databases. Text from users and models is escaped; see `row.ts`. */
export interface Tables {
	readonly threads: {
		readonly id: string;
		readonly title: string;
		readonly workspace: string;
		readonly modified: string;
		/** JSON. */
		readonly settings: Generated<string>;
		/** Stored as JSON. Flags on deleted entries are ignored. */
		readonly flags: Generated<string>;
		/** The last entry number used, so that the numbers of deleted entries are not reused. */
		readonly last: Generated<number>;
	};
	readonly entries: {
		readonly thread: string;
		readonly number: number;
		readonly turn: string;
		readonly at: string;
		readonly type: string;
		/** The body's text, without pieces that have not been merged yet. */
		readonly text: string;
		/** The rest of the body, as JSON. */
		readonly rest: string;
	};
	/** Text added to an entry since it was appended. Merged into the entry when the text is complete. */
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
		/** The user who answered, if the store is shared. */
		readonly owner: string;
	};
	/** Outcomes of suggestions, without any code. Only in an embedded store, because they must not leave this machine. */
	readonly suggestions: {
		readonly id: string;
		readonly at: string;
		readonly predictor: string;
		/** Empty if no model was involved. */
		readonly model: string;
		readonly language: string;
		readonly kind: string;
		readonly asked_by: string;
		readonly latency_ms: number;
		readonly chance: number;
		/** JSON. */
		readonly features: string;
		/** Empty until the client reports it. */
		readonly verdict: string;
	};
	/** One row with the number of applied migrations. */
	readonly schema_version: { readonly version: number };
}

/** A file that belongs to this user, or a server shared by a team. */
export type DatabaseKind = "embedded" | "postgres";

/** Migrates the tables to the current version. If several processes start at once, one migrates and the others wait. */
export async function migrate(
	database: Kysely<Tables>,
	kind: DatabaseKind,
	migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
	await database.transaction().execute(async (transaction) => {
		if (kind === "postgres") {
			// For an embedded database, the transaction is the lock.
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
				`The conversations were stored by a newer version of Segue (format ${version}; this version supports ${migrations.length}). Update Segue to use them.`,
			);
		}
		if (version === migrations.length) return;
		for (const migration of migrations.slice(version)) await migration(transaction, kind);
		await transaction.deleteFrom("schema_version").execute();
		await transaction.insertInto("schema_version").values({ version: migrations.length }).execute();
	});
}

/** An arbitrary number that other programs on the server are unlikely to use. */
const MIGRATION_LOCK = 5_319_008;

/** A separate schema, because other programs may use the same database. */
export const POSTGRES_SCHEMA = "segue";

type Migration = (transaction: Transaction<Tables>, kind: DatabaseKind) => Promise<void>;

/** In the order of release. Never change a released migration. */
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
		// Without row ids, SQLite writes a piece to one tree instead of two. These writes make up most of the cost of
		// adding a piece.
		.$call((table) => (kind === "embedded" ? table.modifyEnd(sql`without rowid`) : table))
		.execute();
}

async function createAllowances({ schema }: Transaction<Tables>): Promise<void> {
	// A subject can be too long to index, so there is no unique index, and duplicates are skipped on reading.
	await schema
		.createTable("allowances")
		.addColumn("workspace", "text", (column) => column.notNull())
		.addColumn("kind", "text", (column) => column.notNull())
		.addColumn("subject", "text", (column) => column.notNull())
		.execute();
	await schema.createIndex("allowances_by_workspace").on("allowances").columns(["workspace"]).execute();
}

/** On a server, the owner of earlier answers is unknown. They have no owner, so users are asked again. */
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

/** Text that is compared byte by byte, as in an embedded database, independent of the server's locale. */
function ordered(kind: DatabaseKind) {
	return kind === "embedded" ? ("text" as const) : sql`text collate "C"`;
}
