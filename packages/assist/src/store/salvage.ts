import { closeSync, copyFileSync, existsSync, openSync, readSync, rmSync, statSync, truncateSync } from "node:fs";
import { DamagedFile, DatabaseFile } from "./libsql.js";

// Number of rows to read at a time. At a damaged page, it is halved until a read succeeds.
const ROWS = 64;
// After a damaged row, this many row numbers are tried one by one before taking larger steps. No page has more rows.
const SINGLE_STEPS = 256;
// No store has ever had this many rows, even counting deleted ones.
const ROW_NUMBER_MAX = 2 ** 40;

export interface SalvageCount {
	readonly threads: number;
	readonly entries: number;
}

/**
 * Copies the readable rows of a damaged database to a new one. Opens a temporary copy instead of the damaged file,
 * because SQLite would write to it.
 */
export async function salvage(damaged: string, into: string): Promise<SalvageCount> {
	const copy = `${damaged}-copy`;
	try {
		for (const suffix of ["", "-wal"]) {
			if (existsSync(damaged + suffix)) copyFileSync(damaged + suffix, copy + suffix);
		}
		extend(copy);
		const source = await DatabaseFile.open(copy);
		const target = await DatabaseFile.open(into);
		try {
			return copyAll(source, target);
		} finally {
			source.close();
			target.close();
		}
	} finally {
		for (const suffix of ["", "-wal", "-shm", "-damaged"]) rmSync(copy + suffix, { force: true });
	}
}

/** Extends a file to the length in its header, because SQLite refuses to read a truncated file. */
function extend(file: string): void {
	const header = Buffer.alloc(32);
	const descriptor = openSync(file, "r");
	readSync(descriptor, header, 0, header.length, 0);
	closeSync(descriptor);
	const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
	const length = pageSize * header.readUInt32BE(28);
	// A damaged header can contain any length. If the file really was much longer, most of it is lost anyway.
	const { size } = statSync(file);
	if (length > size && length <= 16 * size) truncateSync(file, length);
}

function copyAll(source: DatabaseFile, target: DatabaseFile): SalvageCount {
	target.run("begin immediate");
	try {
		const threads = new Set<unknown>();
		let entries = 0;
		copyTable("threads", source, target, ({ id }) => threads.add(id));
		copyTable(
			"entries",
			source,
			target,
			() => entries++,
			({ thread, at }) => {
				if (threads.has(thread)) return;
				// The row with the thread's title and folder is lost.
				target.prepare(RECOVERED_THREAD).run([thread, at]);
				threads.add(thread);
			},
		);
		target.run("update threads set last = max(last, (select coalesce(max(number), 0) from entries where thread = id))");
		for (const table of ["pieces", "allowances", "suggestions"]) copyTable(table, source, target, () => {});
		target.run("commit");
		return { threads: threads.size, entries };
	} catch (error) {
		// A connection with prepared statements can stay open after `close`, and would keep its lock.
		if (target.inTransaction) target.run("rollback");
		throw error;
	}
}

const RECOVERED_THREAD =
	"insert into threads (id, title, workspace, modified) values (?, 'Recovered conversation', '', ?) on conflict do nothing";

type Row = Readonly<Record<string, unknown>>;

/**
 * Copies the readable rows of a table. SQLite does not detect a partly overwritten page, so rows with values that the
 * store would not write are skipped.
 */
function copyTable(
	table: string,
	source: DatabaseFile,
	target: DatabaseFile,
	copied: (row: Row) => void,
	prepare: (row: Row) => void = () => {},
): void {
	const known = columnsOf(table, source);
	const columns = columnsOf(table, target).filter((column) => known.includes(column));
	if (columns.length === 0) return;
	const places = columns.map(() => "?").join(", ");
	const insert = target.prepare(`insert or ignore into ${table} (${columns.join(", ")}) values (${places})`);
	for (const row of readableRows(table, columns, source)) {
		if (!columns.every((column) => isSound(row[column]))) continue;
		try {
			prepare(row);
			if (insert.run(columns.map((column) => row[column])).changes !== 0) copied(row);
		} catch (error) {
			if (!(error as NodeJS.ErrnoException).code?.startsWith("SQLITE_CONSTRAINT")) throw error;
		}
	}
}

/** Stored text never contains a NUL, so a NUL means that the row was overwritten. */
function isSound(value: unknown): boolean {
	return value !== null && !(typeof value === "string" && value.includes("\0"));
}

function columnsOf(table: string, connection: DatabaseFile): string[] {
	try {
		const rows = connection.prepare("select name from pragma_table_info(?)").all([table]) as { name: string }[];
		return rows.map(({ name }) => name);
	} catch (error) {
		if (error instanceof DamagedFile) return [];
		throw error;
	}
}

/** Reads the rows of a table by row number, except those on damaged pages. */
function* readableRows(table: string, columns: readonly string[], source: DatabaseFile): Iterable<Row> {
	if (table === "pieces") {
		// This table has no row numbers and only a few rows: pieces of answers that have not been merged yet.
		yield* tryAll(source, `select ${columns.join(", ")} from pieces`, []) ?? [];
		return;
	}
	const select = `select rowid as row_number, ${columns.join(", ")} from ${table} where rowid > ? order by rowid limit ?`;
	let after = 0;
	while (after < ROW_NUMBER_MAX) {
		let rows: Row[] | undefined;
		for (let limit = ROWS; limit >= 1 && rows === undefined; limit = Math.floor(limit / 2)) {
			rows = tryAll(source, select, [after, limit]);
		}
		if (rows?.length === 0) return;
		// If pages are damaged, the query can return rows whose numbers were not requested.
		const from = after;
		const next = (rows ?? []).filter((row) => (row["row_number"] as number) > from);
		yield* next;
		after =
			next.length > 0
				? Math.max(...next.map((row) => row["row_number"] as number))
				: afterDamage(source, select, after);
	}
}

/** Finds a row number after a damaged page. Tries the following numbers one by one, then in growing steps. */
function afterDamage(source: DatabaseFile, select: string, after: number): number {
	let step = 1;
	for (let at = after + 1; at < ROW_NUMBER_MAX; at += step) {
		const rows = tryAll(source, select, [at, 1]);
		if (rows?.every((row) => (row["row_number"] as number) > at)) return at;
		if (at - after >= SINGLE_STEPS) step *= 2;
	}
	return ROW_NUMBER_MAX;
}

/** Returns undefined if the query needs a damaged page. */
function tryAll(source: DatabaseFile, query: string, parameters: readonly unknown[]): Row[] | undefined {
	try {
		return source.prepare(query).all(parameters) as Row[];
	} catch (error) {
		if (error instanceof DamagedFile) return undefined;
		throw error;
	}
}
