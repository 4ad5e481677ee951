import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openEmbeddedStore, openPostgresStore, type Store } from "@segue/assist";
import { startPostgres } from "./postgres-server.js";

/** A kind of database that stores are tested on. */
export interface TestedDatabase {
	readonly name: string;
	/** Whether others can use it too. */
	readonly isShared: boolean;
	/** Makes a new, empty one, and returns what opens a store on it, as often as it is called, and for whom. */
	create(): Promise<(owner?: string) => Promise<Store>>;
}

/** A file always, and a PostgreSQL server where one can be started; where not, standard error says why. */
export async function startDatabases(): Promise<{ databases: TestedDatabase[]; stop: () => Promise<void> }> {
	const folder = mkdtempSync(path.join(os.tmpdir(), "segue-store-"));
	let files = 0;
	const embedded: TestedDatabase = {
		name: "libsql",
		isShared: false,
		create: async () => {
			const file = path.join(folder, `${++files}.db`);
			return async () => (await openEmbeddedStore(file, new Date())).store;
		},
	};
	const server = await startPostgres();
	if (typeof server === "string") {
		process.stderr.write(`The store is not tested on PostgreSQL, because no server can be started: ${server}.\n`);
		return { databases: [embedded], stop: async () => rmSync(folder, { recursive: true }) };
	}
	const postgres: TestedDatabase = {
		name: "PostgreSQL",
		isShared: true,
		create: async () => {
			const url = await server.createDatabase();
			return (owner) => openPostgresStore(url, owner);
		},
	};
	return {
		databases: [embedded, postgres],
		stop: async () => {
			rmSync(folder, { recursive: true });
			await server.stop();
		},
	};
}
