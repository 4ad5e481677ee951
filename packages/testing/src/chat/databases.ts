import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openEmbeddedStore, openPostgresStore, type Store } from "@segue/assist";

/** A kind of database used to test stores. */
export interface TestedDatabase {
	readonly name: string;
	/** Whether several users share the database. */
	readonly isShared: boolean;
	/** Creates an empty database and returns a function that opens a store in it, optionally for an owner. */
	create(): Promise<(owner?: string) => Promise<Store>>;
}

/**
 * Starts an embedded database and, if possible, a PostgreSQL server. Prints the reason if the server cannot be started.
 */
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
		process.stderr.write(`Skipping the PostgreSQL store tests: cannot start a server: ${server}.\n`);
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

/** A temporary PostgreSQL server that accepts only local connections. */
interface PostgresServer {
	/** Creates an empty database and returns its URL. */
	createDatabase(): Promise<string>;
	stop(): Promise<void>;
}

/** Starts the server, or returns the reason why it cannot be started. */
async function startPostgres(): Promise<PostgresServer | string> {
	const bin = findPrograms();
	if (bin === undefined) return "initdb is not on the PATH or in /usr/lib/postgresql";
	const user = userToRunAs();
	if (user === undefined) return "it refuses to run as root, and there is no user `postgres`";
	const folder = mkdtempSync(path.join(os.tmpdir(), "segue-pg-"));
	if (user !== "ourselves") chownSync(folder, user.uid, user.gid);
	const run = async (program: string, ...args: string[]) => {
		const options = { cwd: folder, stdio: "ignore" as const, ...(user !== "ourselves" && user) };
		const child = spawn(path.join(bin, program), args, options);
		const [code] = await once(child, "exit");
		if (code !== 0) throw new Error(`${program} ${args.join(" ")} exited with code ${code}`);
	};
	const data = path.join(folder, "data");
	try {
		await run("initdb", "-D", data, "-U", "segue", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync");
		// The socket is in the folder. The data is temporary, so it does not need to be flushed to disk.
		const settings = `-k ${folder} -c listen_addresses= -c fsync=off`;
		await run("pg_ctl", "-D", data, "-w", "-l", path.join(folder, "log"), "-o", settings, "start");
	} catch (error) {
		rmSync(folder, { recursive: true });
		return (error as Error).message;
	}
	let databases = 0;
	return {
		createDatabase: async () => {
			const name = `segue${++databases}`;
			await run("createdb", "-h", folder, "-U", "segue", name);
			return `socket://segue@${folder}?db=${name}`;
		},
		stop: async () => {
			await run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop");
			rmSync(folder, { recursive: true });
		},
	};
}

/** Returns the folder that contains PostgreSQL's programs, because Debian does not put them on the PATH. */
function findPrograms(): string | undefined {
	const inPath = (process.env["PATH"] ?? "").split(path.delimiter);
	const debian = "/usr/lib/postgresql";
	const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
	const folders = [...inPath, ...versions.map((version) => path.join(debian, version, "bin"))];
	return folders.find((folder) => PROGRAMS.every((program) => existsSync(path.join(folder, program))));
}

const PROGRAMS = ["initdb", "pg_ctl", "createdb"];

/** Returns the user to run PostgreSQL as, because it refuses to run as root. */
function userToRunAs(): { uid: number; gid: number } | "ourselves" | undefined {
	if (process.getuid?.() !== 0) return "ourselves";
	const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
	return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
