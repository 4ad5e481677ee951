import os from "node:os";
import { Kysely, PostgresDialect, type PostgresPoolClient, WithSchemaPlugin } from "kysely";
import type { PoolClient } from "pg";
import { StoreError } from "../failures.js";
import { migrate, POSTGRES_SCHEMA, type Tables } from "./schema.js";
import { Store } from "./store.js";

/**
 * Opens the store on a server, in a schema of its own, which is made where there is none. Threads are there for all who use
 * it; what need not be asked any more is each one's own. `owner` is for tests.
 */
export async function openPostgresStore(url: string, owner = ownerHere()): Promise<Store> {
	const { default: pg } = await import("pg");
	const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, connectionTimeoutMillis: CONNECT_MS });
	// A connection that is lost while nobody uses it is made anew when somebody does.
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

/** Paths are alike on many machines, and so are names of users. */
function ownerHere(): string {
	return `${os.userInfo().username}@${os.hostname()}`;
}

// A person has a handful of turns at once, and each writes one thing after the other.
const CONNECTIONS = 4;

// Longer than a handshake takes on any network, and short enough for somebody who waits.
const CONNECT_MS = 10_000;

/** A connection whose errors are ours. */
function translatedClient(client: PoolClient): PostgresPoolClient {
	const query = (text: string, parameters: readonly unknown[]) => translated(client.query(text, [...parameters]));
	// The other way to call it is for cursors, which we do not use.
	return { query: query as unknown as PostgresPoolClient["query"], release: () => client.release() };
}

async function translated<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		const sentence = sentenceOf(error as Error & { code?: string });
		if (sentence === undefined) throw error;
		throw new StoreError(sentence, { cause: error });
	}
}

/** By the code of PostgreSQL or of the system; undefined where the mistake is ours. No message of the two holds a password. */
function sentenceOf({ code, message }: Error & { code?: string }): string | undefined {
	switch (code) {
		case "53100":
			return "The disk of the PostgreSQL server is full. Make room there and try again; all that was kept before is still there.";
		case "28P01":
		case "28000":
			return `The PostgreSQL server did not let us in: ${message}. Check the user and the password in its URL.`;
		case "3D000":
			return `The PostgreSQL server has no such database: ${message}. Make it, or name another in the URL.`;
		case "42501":
			return `The PostgreSQL server refused for lack of rights: ${message}. Allow the user to create schema ${POSTGRES_SCHEMA} or to use it.`;
	}
	const isOurs = code !== undefined && /^(0A|2[0-7]|3[4-9]|4[24])/.test(code);
	if (isOurs) return undefined;
	return `The PostgreSQL server cannot be reached, or not any more: ${message || code}. Check that it runs, and its URL.`;
}
