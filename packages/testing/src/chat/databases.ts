import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openEmbeddedStore, openPostgresStore, type Store } from "@segue/assist";

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

/** A PostgreSQL server of our own, empty, which lives in a temporary folder and cannot be reached from elsewhere. */
interface PostgresServer {
	/** A new, empty database. */
	createDatabase(): Promise<string>;
	stop(): Promise<void>;
}

/** Starts one, or says why it cannot. */
async function startPostgres(): Promise<PostgresServer | string> {
	const bin = findPrograms();
	if (bin === undefined) return "there is no initdb in the PATH or in /usr/lib/postgresql";
	const user = userToRunAs();
	if (user === undefined) return "it does not run as root, and there is no user postgres";
	const folder = mkdtempSync(path.join(os.tmpdir(), "segue-pg-"));
	if (user !== "ourselves") chownSync(folder, user.uid, user.gid);
	const run = async (program: string, ...args: string[]) => {
		const options = { cwd: folder, stdio: "ignore" as const, ...(user !== "ourselves" && user) };
		const child = spawn(path.join(bin, program), args, options);
		const [code] = await once(child, "exit");
		if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}`);
	};
	const data = path.join(folder, "data");
	try {
		await run("initdb", "-D", data, "-U", "segue", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync");
		// The socket is a file in the folder; nothing is kept for longer than the server runs, so nothing need reach the disk.
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

/** The folder of initdb and its like; Debian keeps them out of the PATH. */
function findPrograms(): string | undefined {
	const inPath = (process.env["PATH"] ?? "").split(path.delimiter);
	const debian = "/usr/lib/postgresql";
	const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
	const folders = [...inPath, ...versions.map((version) => path.join(debian, version, "bin"))];
	return folders.find((folder) => PROGRAMS.every((program) => existsSync(path.join(folder, program))));
}

const PROGRAMS = ["initdb", "pg_ctl", "createdb"];

/** PostgreSQL refuses to run as root. */
function userToRunAs(): { uid: number; gid: number } | "ourselves" | undefined {
	if (process.getuid?.() !== 0) return "ourselves";
	const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
	return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
