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
	identityOf,
	isMarkedDamaged,
	markOf,
	type Pause,
	sentenceOf,
	untilFree,
} from "./libsql.js";
import { makeFolder } from "./make-folder.js";
import { type SalvageCount, salvage } from "./salvage.js";
import { migrate, type Tables } from "./schema.js";
import { Store } from "./store.js";

export interface OpenedStore {
	readonly store: Store;
	/** What the person should know: that the file was damaged, and where it is now. */
	readonly notice: string | undefined;
}

/** A store in a file of this machine, which also keeps what must not leave it. */
export interface OpenedEmbeddedStore extends OpenedStore {
	/** It is there until the store is closed. */
	readonly feedback: Feedback;
}

/**
 * Opens the store in a file, which is made where there is none, with its folder, for this user alone. A damaged file is
 * moved aside, and what can be read of it is copied into a new one; one that cannot be used for any other reason is left
 * as it is, and a `StoreError` says why. `pause` is for tests.
 */
export async function openEmbeddedStore(
	file: string,
	now: Date,
	pause: Pause = setTimeout,
): Promise<OpenedEmbeddedStore> {
	const found = findFile(file);
	const isDamaged = !found.looksRight || !(await isSound(file, pause));
	if (!isDamaged) return { ...(await openStore(file, pause)), notice: undefined };
	// Another process may have found the same, and the file is then a new one already.
	const isSame = existsSync(file) && identityOf(file) === found.identity;
	const aside = isSame ? moveAside(file, now) : undefined;
	findFile(file);
	const opened = await openStore(file, pause);
	return { ...opened, notice: aside && (await noticeAfter(aside, file)) };
}

/** Copies what can be read of a damaged file, and returns a notice for the user. */
async function noticeAfter(aside: string, file: string): Promise<string> {
	const moved = `The database of your threads was damaged and was moved to ${aside}.`;
	let kept: SalvageCount;
	try {
		kept = await salvage(aside, file);
	} catch (error) {
		const why = errorText(error);
		return `${moved} A new one was created. Nothing could be copied: ${why.replace(/\.$/, "")}.`;
	}
	if (kept.threads === 0) return `${moved} Nothing in it could be read, so a new one was created.`;
	const threads = kept.threads === 1 ? "1 thread" : `${kept.threads.toLocaleString("en")} threads`;
	const entries = kept.entries === 1 ? "1 entry" : `${kept.entries.toLocaleString("en")} entries`;
	return `${moved} ${threads} with ${entries} could be read and kept; others may be missing. To see all: segue chat --list --all`;
}

/** The same for a command that only reads: a damaged file is left as it is, and a `StoreError` says that it is damaged. */
export async function openSoundStore(
	file: string,
	pause: Pause = setTimeout,
): Promise<Omit<OpenedEmbeddedStore, "notice">> {
	if (!findFile(file).looksRight || !(await isSound(file, pause)))
		throw new DamagedFile(sentenceOf(file, "SQLITE_CORRUPT", ""));
	return openStore(file, pause);
}

interface FoundFile {
	readonly identity: string;
	readonly looksRight: boolean;
}

/**
 * Finds or makes the file, and looks whether it may be a database. SQLite itself looks at the write-ahead log first: it
 * would write that into whatever is there, or throw it away where the file is empty.
 *
 * A file that this process has opened as a database it must not open in any other way: when a process closes a file, the
 * system takes all locks from it that it has on that file, SQLite's too, and another process would then remove the
 * write-ahead log that this one uses. For the same reason nothing here is awaited.
 */
function findFile(file: string): FoundFile {
	try {
		makeFolder(dirname(file));
		if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
		const identity = identityOf(file);
		const looksRight = OPENED.has(identity) || hasRightHead(file);
		// Any other is not going to be opened, and is looked at again next time.
		if (looksRight) OPENED.add(identity);
		return { identity, looksRight };
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		throw new StoreError(sentenceOf(file, code, message), { cause: error });
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

/** What every SQLite database begins with. */
const MAGIC = "SQLite format 3\0";

// SQLite checks about a megabyte in a millisecond, so this delays the opening by less than a tenth of a second. Damage in
// a larger file shows when it is read; it is then marked, and moved aside at the next opening.
const CHECKED_BYTES_MAX = 64 * 2 ** 20;

/**
 * Whether a database is sound: all of a file of usual size is checked, and the schema of a larger one. This has a
 * connection of its own and prepares no statement, because a connection with prepared statements is closed only when
 * those are collected as garbage, and a file that is to be moved must be closed. So the check's result is inserted into
 * a table that takes nothing but `ok`.
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

/** Moves a damaged file and what belongs to it to another name, and returns that. */
function moveAside(file: string, now: Date): string {
	const stamp = now.toISOString().replaceAll(/[-:.]/g, "");
	let aside = `${file}.corrupt-${stamp}`;
	for (let i = 2; existsSync(aside); i++) aside = `${file}.corrupt-${stamp}-${i}`;
	// The write-ahead log goes first: a new file must never be seen beside the log of the old one.
	for (const suffix of ["-wal", "-shm", ""]) {
		try {
			if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
		} catch (error) {
			const { message } = error as Error;
			throw new StoreError(`${file} is damaged and cannot be moved aside: ${message}. Move it away, and start again.`, {
				cause: error,
			});
		}
	}
	rmSync(markOf(file), { force: true });
	return aside;
}

/** The file is this user's alone, on whatever machine they are. */
const THIS_USER = "";

async function openStore(file: string, pause: Pause): Promise<Omit<OpenedEmbeddedStore, "notice">> {
	const connection = await DatabaseFile.open(file);
	const database = new Kysely<Tables>({ dialect: new EmbeddedDialect(connection, pause) });
	try {
		// Readers and a writer do not wait for each other, and a commit does not wait for the disk: a killed process
		// loses nothing by that, and a power failure only the last moments.
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
