import { readFileSync, statSync, writeFileSync } from "node:fs";
import { CompiledQuery, type DatabaseConnection, SqliteDialect, SqliteDriver, type SqliteStatement } from "kysely";
import type Libsql from "libsql";
import { StoreError } from "../failures.js";

/** A database file that is open, with its prepared statements. Its errors are ours. */
export class DatabaseFile {
	private readonly statements = new Map<string, SqliteStatement>();

	private constructor(
		private readonly file: string,
		private readonly identity: string,
		private readonly database: Libsql.Database,
	) {}

	static async open(file: string): Promise<DatabaseFile> {
		// It is native code, which only those who keep threads need.
		const { default: Database } = await import("libsql");
		try {
			const database = new Database(file);
			return new DatabaseFile(file, identityOf(file), database);
		} catch (error) {
			throw new StoreError(sentenceOf(file, undefined, String(error)), { cause: error });
		}
	}

	get inTransaction(): boolean {
		// libsql ends the process when a closed one is asked.
		return this.database.open && this.database.inTransaction;
	}

	/** The texts of our queries are few, because what varies in them are parameters. */
	prepare(text: string): SqliteStatement {
		const known = this.statements.get(text);
		if (known !== undefined) return known;
		const statement = this.translated(() => this.database.prepare(text));
		const prepared = {
			reader: statement.reader,
			all: (parameters: readonly unknown[]) => this.translated(() => statement.all(parameters)),
			run: (parameters: readonly unknown[]) => this.translated(() => statement.run(parameters)),
			iterate: (parameters: readonly unknown[]) => statement.iterate(parameters),
		};
		this.statements.set(text, prepared);
		return prepared;
	}

	run(text: string): void {
		this.translated(() => this.database.exec(text));
	}

	/**
	 * Runs a statement that needs no transaction, where none is under way that it would become a part of, and nobody else
	 * writes. Going through kysely takes twice as long.
	 */
	runNow({ sql, parameters }: CompiledQuery): number | undefined {
		if (this.inTransaction) return undefined;
		try {
			return Number(this.prepare(sql).run(parameters).changes);
		} catch (error) {
			if (error instanceof BusyFile) return undefined;
			throw error;
		}
	}

	close(): void {
		this.statements.clear();
		this.database.close();
	}

	/** Leaves a note for the next opening. It names the file itself: another process may have replaced it by a new one. */
	private markDamaged(): void {
		try {
			writeFileSync(markOf(this.file), this.identity);
		} catch {
			// The next opening checks the file itself, or the next query finds the damage again.
		}
	}

	private translated<T>(work: () => T): T {
		try {
			return work();
		} catch (error) {
			const { code = "", message } = error as Partial<InstanceType<typeof Libsql.SqliteError>>;
			if (!code.startsWith("SQLITE_") || code === "SQLITE_ERROR" || code.startsWith("SQLITE_CONSTRAINT")) throw error;
			const Failure = FAILURES[code.split("_").slice(0, 2).join("_")] ?? StoreError;
			if (Failure === DamagedFile) this.markDamaged();
			throw new Failure(sentenceOf(this.file, code, message ?? ""), { cause: error });
		}
	}
}

export class DamagedFile extends StoreError {}

/** Whether damage was found in a file since it was opened last. */
export function isMarkedDamaged(file: string): boolean {
	try {
		return readFileSync(markOf(file), "utf8") === identityOf(file);
	} catch {
		return false;
	}
}

/** The note that a file is damaged lies beside it. */
export function markOf(file: string): string {
	return `${file}-damaged`;
}

/** It stays the same when a file is renamed, and another file never has it, not even in the place of a deleted one. */
export function identityOf(file: string): string {
	const { dev, ino, birthtimeMs } = statSync(file);
	return `${dev} ${ino} ${birthtimeMs}`;
}

class BusyFile extends StoreError {}

const FAILURES: Readonly<Record<string, typeof StoreError>> = {
	SQLITE_CORRUPT: DamagedFile,
	SQLITE_NOTADB: DamagedFile,
	SQLITE_BUSY: BusyFile,
};

/** What went wrong with the file, by the code of SQLite or of the system. */
export function sentenceOf(file: string, code: string | undefined, message: string): string {
	switch (code?.replace(/^(SQLITE_[A-Z]+)_.*/, "$1")) {
		case "SQLITE_FULL":
		case "ENOSPC":
		case "EDQUOT":
			return `The disk is full: ${file} could not be written. Make room and try again; all that was kept before is still there.`;
		case "SQLITE_BUSY":
		case "SQLITE_LOCKED":
			return `Another program has kept ${file} locked for more than ${BUSY_MS / 1000} seconds. End it, or try again.`;
		case "SQLITE_CORRUPT":
		case "SQLITE_NOTADB":
			return `${file} is damaged. Start Segue again: it moves the file aside and keeps what can be read.`;
		case "SQLITE_READONLY":
		case "SQLITE_PERM":
		case "SQLITE_AUTH":
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return `${file} cannot be written for lack of rights. Allow it, or choose another folder.`;
		case "EISDIR":
			return `${file} is a folder, and threads are to be kept in a file of that name. Move it away, and start again.`;
		default:
			return `${file} cannot be used: ${message}.`;
	}
}

export class EmbeddedDialect extends SqliteDialect {
	constructor(
		private readonly database: DatabaseFile,
		private readonly pause: Pause,
	) {
		super({ database });
	}

	override createDriver(): SqliteDriver {
		return new EmbeddedDriver(this.database, this.pause);
	}
}

class EmbeddedDriver extends SqliteDriver {
	private patient: DatabaseConnection | undefined;

	constructor(
		private readonly database: DatabaseFile,
		private readonly pause: Pause,
	) {
		super({ database });
	}

	override async acquireConnection(): Promise<DatabaseConnection> {
		const connection = await super.acquireConnection();
		this.patient ??= {
			executeQuery: (query) => untilFree(this.pause, () => connection.executeQuery(query)),
			streamQuery: (query, rows) => connection.streamQuery(query, rows),
		};
		return this.patient;
	}

	/** All our transactions write. One that began to read and then wants to write is refused where it would have to wait. */
	override async beginTransaction(connection: DatabaseConnection): Promise<void> {
		await connection.executeQuery(CompiledQuery.raw("begin immediate"));
	}

	override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
		// SQLite rolls back by itself when the disk is full, and it would be an error to do it again.
		if (this.database.inTransaction) await super.rollbackTransaction(connection);
	}
}

/** Resolves when that much time has passed. */
export type Pause = (ms: number) => Promise<unknown>;

/**
 * Tries again as long as another connection writes. SQLite can wait by itself, but it stops this whole process in doing so,
 * and with it the other connection, if that is one of this process.
 */
export async function untilFree<T>(pause: Pause, work: () => Promise<T>): Promise<T> {
	for (let waitedMs = 0; ; waitedMs += BUSY_PAUSE_MS) {
		try {
			return await work();
		} catch (error) {
			if (!(error instanceof BusyFile) || waitedMs >= BUSY_MS) throw error;
		}
		await pause(BUSY_PAUSE_MS);
	}
}

// Writing takes a millisecond; who waits for longer than this waits for a process that is stuck.
const BUSY_MS = 5000;

// The next try may then be the one that succeeds, and trying costs little.
const BUSY_PAUSE_MS = 5;
