import os from "node:os";
import { Kysely, PostgresDialect, type PostgresPoolClient, WithSchemaPlugin } from "kysely";
import type { PoolClient } from "pg";
import { StoreError } from "../failures.js";
import { migrate, POSTGRES_SCHEMA, type Tables } from "./schema.js";
import { Store } from "./store.js";

/**
 * Opens the store on a PostgreSQL server, creating its schema if needed. All users of the database share its threads,
 * but not their "always" answers. `owner` is for tests.
 */
export async function openPostgresStore(url: string, owner = ownerHere()): Promise<Store> {
	const { default: pg } = await import("pg");
	const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, connectionTimeoutMillis: CONNECT_MS });
	// The pool replaces lost idle connections.
	pool.on("error", () => {});
	const connect = async () => translatedClient(await translated(pool.connect()));
	const database = new Kysely<Tables>({
		dialect: new PostgresDialect({ pool: { connect, end: () => pool.end() } }),
		plugins: [new WithSchemaPlugin(POSTGRES_SCHEMA)],
	});
	try {
		await migrate(database, "postgres");
	} catch (error) {
		await database.destroy();
		throw error;
	}
	return new Store(database, "postgres", () => undefined, owner);
}

/** Different machines can have the same paths and user names. */
function ownerHere(): string {
	return `${os.userInfo().username}@${os.hostname()}`;
}

// A user runs only a handful of turns at once, and each writes sequentially.
const CONNECTIONS = 4;

// Longer than any network handshake takes.
const CONNECT_MS = 10_000;

/** Wraps a connection to translate its errors to `StoreError`. */
function translatedClient(client: PoolClient): PostgresPoolClient {
	const query = (text: string, parameters: readonly unknown[]) => translated(client.query(text, [...parameters]));
	// The other overload is for cursors, which are not used.
	return { query: query as unknown as PostgresPoolClient["query"], release: () => client.release() };
}

async function translated<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		const text = messageOf(error as Error & { code?: string });
		if (text === undefined) throw error;
		throw new StoreError(text, { cause: error });
	}
}

/**
 * Returns the user-facing message for an error code from PostgreSQL or the system, or undefined if the error is a bug.
 * Error messages from PostgreSQL and the system never contain a password.
 */
function messageOf({ code, message }: Error & { code?: string }): string | undefined {
	switch (code) {
		case "53100":
			return "The PostgreSQL server's disk is full. Free some space and try again; no stored conversations were lost.";
		case "28P01":
		case "28000":
			return `Signing in to the PostgreSQL server failed: ${message}. Check the user name and password in its URL.`;
		case "3D000":
			return `The database does not exist on the PostgreSQL server: ${message}. Create it, or change the database name in the URL.`;
		case "42501":
			return `The PostgreSQL server denied permission: ${message}. Allow the user to create or use the schema ${POSTGRES_SCHEMA}.`;
	}
	const isOurs = code !== undefined && /^(0A|2[0-7]|3[4-9]|4[24])/.test(code);
	if (isOurs) return undefined;
	return `The PostgreSQL server cannot be reached: ${message || code}. Check that it is running and that its URL is correct.`;
}
