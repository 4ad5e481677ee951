import { copyFileSync, existsSync, rmSync } from "node:fs";
import { Connection, DamagedFile } from "./libsql.js";

// Rows read at a time. A damaged page costs as many tries as it takes to halve this.
const ROWS = 64;
// Row numbers only grow, and no store of one user has had this many rows.
const ROW_NUMBER_MAX = 2 ** 40;

export interface Salvaged {
	readonly threads: number;
	readonly entries: number;
}

/**
 * Copies the rows that can be read from a damaged database into a new one. The damaged file itself is not opened, because
 * SQLite would write to it: a copy is read, and removed afterwards.
 */
export async function salvage(damaged: string, into: string): Promise<Salvaged> {
	const copy = `${damaged}-copy`;
	try {
		for (const suffix of ["", "-wal"]) {
			if (existsSync(damaged + suffix)) copyFileSync(damaged + suffix, copy + suffix);
		}
		const source = await Connection.open(copy);
		const target = await Connection.open(into);
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

function copyAll(source: Connection, target: Connection): Salvaged {
	target.run("begin immediate");
	const threads = new Set<unknown>();
	let entries = 0;
	copyTable("threads", source, target, ({ id }) => {
		threads.add(id);
		return true;
	});
	copyTable("entries", source, target, ({ thread, number, at }) => {
		if (!threads.has(thread)) {
			// Its own row is lost, and its title and folder with it.
			target.prepare(RECOVERED_THREAD).run([thread, at]);
			threads.add(thread);
		}
		target.prepare("update threads set last = max(last, ?) where id = ?").run([number, thread]);
		entries++;
		return true;
	});
	const hasEntry = target.prepare("select 1 from entries where thread = ? and number = ?");
	copyTable("pieces", source, target, ({ thread, number }) => hasEntry.all([thread, number]).length > 0);
	for (const table of ["allowances", "suggestions"]) copyTable(table, source, target, () => true);
	target.run("commit");
	return { threads: threads.size, entries };
}

const RECOVERED_THREAD =
	"insert into threads (id, title, workspace, modified) values (?, 'Recovered thread', '', ?) on conflict do nothing";

type Row = Readonly<Record<string, unknown>>;

/** Copies the rows of a table that can be read and that `isWanted` takes. */
function copyTable(table: string, source: Connection, target: Connection, isWanted: (row: Row) => boolean): void {
	const columns = columnsOf(table, target).filter((column) => columnsOf(table, source).includes(column));
	if (columns.length === 0) return;
	const places = columns.map(() => "?").join(", ");
	const insert = target.prepare(`insert or ignore into ${table} (${columns.join(", ")}) values (${places})`);
	for (const row of readableRows(table, columns, source)) {
		if (isWanted(row)) insert.run(columns.map((column) => row[column]));
	}
}

function columnsOf(table: string, connection: Connection): string[] {
	try {
		const rows = connection.prepare("select name from pragma_table_info(?)").all([table]) as { name: string }[];
		return rows.map(({ name }) => name);
	} catch (error) {
		if (error instanceof DamagedFile) return [];
		throw error;
	}
}

/** The rows of a table in the order of their row numbers, without those on damaged pages. */
function* readableRows(table: string, columns: readonly string[], source: Connection): Iterable<Row> {
	if (table === "pieces") {
		// This table has no row numbers. Its rows are the unjoined end of an answer, and few.
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
		if (rows !== undefined) {
			yield* rows;
			after = rows.at(-1)?.["row_number"] as number;
		} else after = afterDamage(source, select, after);
	}
}

/** The next row number behind a damaged page, found by doubling the distance and then halving the step. */
function afterDamage(source: Connection, select: string, after: number): number {
	const isReadable = (from: number) => tryAll(source, select, [from, 1]) !== undefined;
	let step = 1;
	while (after + step < ROW_NUMBER_MAX && !isReadable(after + step)) step *= 2;
	let [damaged, readable] = [after + Math.floor(step / 2), after + step];
	while (readable - damaged > 1) {
		const middle = Math.floor((damaged + readable) / 2);
		if (isReadable(middle)) readable = middle;
		else damaged = middle;
	}
	return readable;
}

/** Undefined where a page that the query needs is damaged. */
function tryAll(source: Connection, query: string, parameters: readonly unknown[]): Row[] | undefined {
	try {
		return source.prepare(query).all(parameters) as Row[];
	} catch (error) {
		if (error instanceof DamagedFile) return undefined;
		throw error;
	}
}
