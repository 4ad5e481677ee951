import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { errorText } from "@segue/text";
import { Kysely } from "kysely";
import { StoreError } from "../failures.js";
import { Feedback } from "./feedback.js";
import {
	DamagedFile,
	DatabaseFile,
	EmbeddedDialect,
	fileMessage,
	identityOf,
	isMarkedDamaged,
	markOf,
	type Pause,
	untilFree,
} from "./libsql.js";
import { makeFolder } from "./make-folder.js";
import { type SalvageCount, salvage } from "./salvage.js";
import { migrate, type Tables } from "./schema.js";
import { Store } from "./store.js";

export interface OpenedStore {
	readonly store: Store;
	/** Tells the user that the file was damaged and where it was moved. */
	readonly notice: string | undefined;
}

/** A store in a local file, including feedback that must not leave this machine. */
export interface OpenedEmbeddedStore extends OpenedStore {
	/** Can be used until the store is closed. */
	readonly feedback: Feedback;
}

/**
 * Opens the store in a file. Creates the file and its folder if needed, accessible only by this user. A damaged file is
 * moved aside, and its readable rows are copied to a new one. Throws a `StoreError` if the file cannot be used for
 * another reason. `pause` is for tests.
 */
export async function openEmbeddedStore(
	file: string,
	now: Date,
	pause: Pause = setTimeout,
): Promise<OpenedEmbeddedStore> {
	const found = findFile(file);
	const isDamaged = !found.looksRight || !(await isSound(file, pause));
	if (!isDamaged) return { ...(await openStore(file, pause)), notice: undefined };
	// Another process may have replaced the damaged file already.
	const isSame = existsSync(file) && identityOf(file) === found.identity;
	const aside = isSame ? moveAside(file, now) : undefined;
	findFile(file);
	const opened = await openStore(file, pause);
	return { ...opened, notice: aside && (await noticeAfter(aside, file)) };
}

/** Copies the readable rows of a damaged file, and returns a notice for the user. */
async function noticeAfter(aside: string, file: string): Promise<string> {
	const moved = `Your conversation database was damaged and has been moved to ${aside}.`;
	let kept: SalvageCount;
	try {
		kept = await salvage(aside, file);
	} catch (error) {
		const why = errorText(error);
		return `${moved} A new one was created. Nothing could be copied: ${why.replace(/\.$/, "")}.`;
	}
	if (kept.threads === 0) return `${moved} Nothing in it could be read, so a new one was created.`;
	const threads = kept.threads === 1 ? "1 conversation" : `${kept.threads.toLocaleString("en")} conversations`;
	const entries = kept.entries === 1 ? "1 entry" : `${kept.entries.toLocaleString("en")} entries`;
	return `${moved} ${threads} with ${entries} could be recovered; others may be missing. To list all conversations: segue chat --list --all`;
}

/** Opens the store for a command that only reads. Throws a `StoreError` for a damaged file instead of moving it. */
export async function openSoundStore(
	file: string,
	pause: Pause = setTimeout,
): Promise<Omit<OpenedEmbeddedStore, "notice">> {
	if (!findFile(file).looksRight || !(await isSound(file, pause)))
		throw new DamagedFile(fileMessage(file, "SQLITE_CORRUPT", ""));
	return openStore(file, pause);
}

interface FoundFile {
	readonly identity: string;
	readonly looksRight: boolean;
}

/**
 * Finds or creates the file, and checks whether it could be a database. SQLite itself would read the write-ahead log
 * first, and write it into any other file, or discard it if the file is empty.
 *
 * A file that this process has opened as a database must not be opened in any other way: closing a file releases all of
 * the process's locks on it, including SQLite's, and another process could then remove the write-ahead log while it is
 * in use. For the same reason, nothing here is awaited.
 */
function findFile(file: string): FoundFile {
	try {
		makeFolder(dirname(file));
		if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
		const identity = identityOf(file);
		const looksRight = OPENED.has(identity) || hasRightHead(file);
		// A file that does not look like a database is not opened, so it is checked again next time.
		if (looksRight) OPENED.add(identity);
		return { identity, looksRight };
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		throw new StoreError(fileMessage(file, code, message), { cause: error });
	}
}

/** The identities of the files that this process has opened as databases. */
const OPENED = new Set<string>();

function hasRightHead(file: string): boolean {
	const descriptor = openSync(file, "r+");
	const head = Buffer.alloc(MAGIC.length);
	const length = readSync(descriptor, head, 0, MAGIC.length, 0);
	closeSync(descriptor);
	if (length > 0) return head.toString("latin1") === MAGIC;
	return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** The header of every SQLite database. */
const MAGIC = "SQLite format 3\0";

// SQLite checks about a megabyte per millisecond, so this delays opening by less than a tenth of a second. Damage in a
// larger file is found when the damaged part is read. The file is then marked, and moved aside the next time it is
// opened.
const CHECKED_BYTES_MAX = 64 * 2 ** 20;

/**
 * Checks a whole database if it is small enough, and otherwise only its schema. Uses a separate connection without
 * prepared statements, because a connection with prepared statements closes only once they are garbage collected, and a
 * file must be closed before it is moved. Without prepared statements, the result cannot be read, so the check inserts
 * it into a table that accepts only `ok`.
 */
async function isSound(file: string, pause: Pause): Promise<boolean> {
	if (isMarkedDamaged(file)) return false;
	const check = statSync(file).size <= CHECKED_BYTES_MAX ? QUICK_CHECK : "select * from sqlite_schema";
	const connection = await DatabaseFile.open(file);
	try {
		await untilFree(pause, async () => connection.run(check));
		return true;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (error instanceof DamagedFile || code?.startsWith("SQLITE_CONSTRAINT")) return false;
		throw error;
	} finally {
		connection.close();
	}
}

const QUICK_CHECK = `
	create temp table soundness (result text check (result = 'ok'));
	insert into soundness select * from pragma_quick_check(1);
	drop table soundness`;

/** Renames a damaged file and its write-ahead log, and returns the new name. */
function moveAside(file: string, now: Date): string {
	const stamp = now.toISOString().replaceAll(/[-:.]/g, "");
	let aside = `${file}.corrupt-${stamp}`;
	for (let i = 2; existsSync(aside); i++) aside = `${file}.corrupt-${stamp}-${i}`;
	// Move the write-ahead log first: a new file must never coexist with the old file's log.
	for (const suffix of ["-wal", "-shm", ""]) {
		try {
			if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
		} catch (error) {
			const { message } = error as Error;
			throw new StoreError(`${file} is damaged and cannot be moved: ${message}. Move it away and start Segue again.`, {
				cause: error,
			});
		}
	}
	rmSync(markOf(file), { force: true });
	return aside;
}

/** The owner of "always" answers. The file belongs to this user alone. */
const THIS_USER = "";

async function openStore(file: string, pause: Pause): Promise<Omit<OpenedEmbeddedStore, "notice">> {
	const connection = await DatabaseFile.open(file);
	const database = new Kysely<Tables>({ dialect: new EmbeddedDialect(connection, pause) });
	try {
		// With WAL, readers and a writer do not block each other, and a commit does not wait for the disk: a killed
		// process loses nothing, and a power failure loses only the last moments of work.
		await untilFree(pause, async () => connection.run("pragma journal_mode = wal"));
		connection.run("pragma synchronous = normal");
		connection.run("pragma foreign_keys = on");
		await migrate(database, "embedded");
	} catch (error) {
		connection.close();
		throw error;
	}
	const store = new Store(database, "embedded", (query) => connection.runNow(query), THIS_USER);
	return { store, feedback: new Feedback(database) };
}
