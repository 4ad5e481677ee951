import { readFileSync, statSync, writeFileSync } from "node:fs";
import { CompiledQuery, type DatabaseConnection, SqliteDialect, SqliteDriver, type SqliteStatement } from "kysely";
import type Libsql from "libsql";
import { StoreError } from "../failures.js";

/** An open database file with its prepared statements. Translates errors to `StoreError`. */
export class DatabaseFile {
	private readonly statements = new Map<string, SqliteStatement>();

	private constructor(
		private readonly file: string,
		private readonly identity: string,
		private readonly database: Libsql.Database,
	) {}

	static async open(file: string): Promise<DatabaseFile> {
		// This native module is loaded only when needed.
		const { default: Database } = await import("libsql");
		try {
			const database = new Database(file);
			return new DatabaseFile(file, identityOf(file), database);
		} catch (error) {
			throw new StoreError(fileMessage(file, undefined, String(error)), { cause: error });
		}
	}

	get inTransaction(): boolean {
		// libsql aborts the process if the database is closed.
		return this.database.open && this.database.inTransaction;
	}

	/** Caches every statement. There are few of them, because queries differ only in their parameters. */
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
	 * Runs a single statement directly, in half the time it takes with kysely. Returns undefined if it would become part
	 * of a running transaction or the file is busy.
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

	/**
	 * Marks the file as damaged, for the next time it is opened. The mark contains the identity of the file, because
	 * another process may have replaced the file.
	 */
	private markDamaged(): void {
		try {
			writeFileSync(markOf(this.file), this.identity);
		} catch {
			// The damage will be found again when the file is next queried or opened.
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
			throw new Failure(fileMessage(this.file, code, message ?? ""), { cause: error });
		}
	}
}

export class DamagedFile extends StoreError {}

/** Whether a file has been marked as damaged since it was last opened. */
export function isMarkedDamaged(file: string): boolean {
	try {
		return readFileSync(markOf(file), "utf8") === identityOf(file);
	} catch {
		return false;
	}
}

/** Returns the path of the mark for a damaged file. */
export function markOf(file: string): string {
	return `${file}-damaged`;
}

/** Returns an identity that survives renaming and is never reused, even by a new file with the same name. */
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

/** Returns the user-facing message for an error code from SQLite or the system. */
export function fileMessage(file: string, code: string | undefined, message: string): string {
	switch (code?.replace(/^(SQLITE_[A-Z]+)_.*/, "$1")) {
		case "SQLITE_FULL":
		case "ENOSPC":
		case "EDQUOT":
			return `The disk is full: ${file} could not be written. Free some space and try again; no stored conversations were lost.`;
		case "SQLITE_BUSY":
		case "SQLITE_LOCKED":
			return `Another program has locked ${file} for more than ${BUSY_MS / 1000} seconds. Close that program, or try again.`;
		case "SQLITE_CORRUPT":
		case "SQLITE_NOTADB":
			return `${file} is damaged. Start Segue again: it moves the file aside and keeps what can be read.`;
		case "SQLITE_READONLY":
		case "SQLITE_PERM":
		case "SQLITE_AUTH":
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return `No permission to write ${file}. Change its permissions, or choose another folder.`;
		case "EISDIR":
			return `${file} is a folder, but Segue stores conversations in a file with this name. Move the folder away and start Segue again.`;
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
	private retrying: DatabaseConnection | undefined;

	constructor(
		private readonly database: DatabaseFile,
		private readonly pause: Pause,
	) {
		super({ database });
	}

	override async acquireConnection(): Promise<DatabaseConnection> {
		const connection = await super.acquireConnection();
		this.retrying ??= {
			executeQuery: (query) => untilFree(this.pause, () => connection.executeQuery(query)),
			streamQuery: (query, rows) => connection.streamQuery(query, rows),
		};
		return this.retrying;
	}

	/**
	 * Takes the write lock immediately, because all transactions write. SQLite rejects a transaction that starts with a
	 * read and then has to wait for the lock.
	 */
	override async beginTransaction(connection: DatabaseConnection): Promise<void> {
		await connection.executeQuery(CompiledQuery.raw("begin immediate"));
	}

	override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
		// SQLite rolls back automatically when the disk is full; a second rollback would be an error.
		if (this.database.inTransaction) await super.rollbackTransaction(connection);
	}
}

/** Resolves after a delay. */
export type Pause = (ms: number) => Promise<unknown>;

/**
 * Retries while another connection writes. SQLite's own wait would block the process, and the other connection may
 * belong to the same process.
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

// A write takes a millisecond. A longer wait means that another process is stuck.
const BUSY_MS = 5000;

// A retry is cheap.
const BUSY_PAUSE_MS = 5;
