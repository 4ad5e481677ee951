import {
	chmodSync,
	copyFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { inTier } from "@segue/testing/setup/tier";
import { sql } from "kysely";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StoreError } from "../failures.js";
import { openEmbeddedStore, openSoundStore } from "./embedded.js";
import type { Store } from "./store.js";

const AT = "2030-01-01T00:00:00.000Z";
const NOW = new Date(AT);

let folder: string;
let file: string;
const opened: Store[] = [];

beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), "segue-embedded-"));
	file = path.join(folder, "data", "segue.db");
});
afterEach(async () => {
	for (const store of opened.splice(0)) await store.close();
	rmSync(folder, { recursive: true });
});

async function open() {
	const result = await openEmbeddedStore(file, NOW, async () => {});
	opened.push(result.store);
	return result;
}

/** Creates a store with a long thread by copying another, so that no process has opened the file. */
async function makeStore(): Promise<void> {
	const original = path.join(folder, "original.db");
	const { store } = await openEmbeddedStore(original, NOW);
	opened.push(store);
	await write(store, 50);
	await sql`pragma wal_checkpoint(truncate)`.execute(store["database"]);
	mkdirSync(path.dirname(file));
	copyFileSync(original, file);
}

async function write(store: Store, entries: number): Promise<void> {
	if ((await store.thread("a")) === undefined)
		await store.create({ id: "a", title: "", workspace: "/w", modifiedAt: AT });
	for (let i = 0; i < entries; i++) await store.append("a", "t", AT, { type: "text", text: `${i} `.repeat(500) });
}

test("creates an embedded store and its folder, accessible only by this user", async () => {
	const { store, notice } = await open();
	await write(store, 1);
	expect(notice).toBeUndefined();
	const mode = (each: string) => (statSync(each).mode & 0o777).toString(8);
	expect([path.dirname(file), file, `${file}-wal`, `${file}-shm`].map(mode)).toEqual(["700", "600", "600", "600"]);
});

describe("a damaged file", () => {
	const MOVED = "segue.db.corrupt-20300101T000000000Z";

	test.for<[what: string, damage: () => void]>([
		[
			"random bytes",
			() => writeFileSync(file, Buffer.from(Array.from({ length: 10_000 }, (_, i) => (i * i * 31) % 251))),
		],
		["zeros", () => writeFileSync(file, Buffer.alloc(8192))],
		["text", () => writeFileSync(file, "Dear diary,\n")],
		["only its first bytes", () => truncateSync(file, 50)],
		["a database with a broken schema", () => overwrite(100, 3000)],
	])("is moved aside and replaced if it contains %s", async ([, damage]) => {
		await makeStore();
		damage();
		const damaged = readFileSync(file);
		const { store, notice } = await open();
		const aside = path.join(path.dirname(file), MOVED);
		expect(notice).toBe(
			`Your conversation database was damaged and has been moved to ${aside}. Nothing in it could be read, so a new one was created.`,
		);
		expect(readFileSync(aside).equals(damaged)).toBe(true);
		expect(await store.list({ limit: 9 })).toEqual([]);
		await write(store, 3);
		expect(await store.entries("a")).toHaveLength(3);
		expect((await open()).notice).toBeUndefined();
	});

	test.for<[what: string, content: string]>([
		["text", "not a database"],
		["nothing", ""],
	])("is moved together with its write-ahead log if it contains %s", async ([, content]) => {
		const { store } = await openEmbeddedStore(path.join(folder, "original.db"), NOW);
		opened.push(store);
		await write(store, 5);
		mkdirSync(path.dirname(file));
		const log = readFileSync(path.join(folder, "original.db-wal"));
		writeFileSync(`${file}-wal`, log);
		writeFileSync(file, content);
		expect((await open()).notice).toContain(MOVED);
		const aside = path.join(path.dirname(file), MOVED);
		expect(readFileSync(aside, "utf8")).toBe(content);
		expect(readFileSync(`${aside}-wal`).equals(log)).toBe(true);
	});

	test.for<[what: string, content: string | undefined]>([
		["text", "not a database"],
		["nothing", ""],
		["a broken schema", undefined],
	])("is left unchanged by openSoundStore, but moved by openEmbeddedStore, if it contains %s", async ([, content]) => {
		await makeStore();
		if (content === undefined) overwrite(100, 3000);
		else writeFileSync(file, content);
		if (content !== undefined) writeFileSync(`${file}-wal`, "a log");
		const before = readFileSync(file);
		for (let i = 0; i < 2; i++) await expect(openSoundStore(file)).rejects.toThrow(`${file} is damaged.`);
		expect(readFileSync(file).equals(before)).toBe(true);
		if (content !== undefined) expect(readFileSync(`${file}-wal`, "utf8")).toBe("a log");
		expect((await open()).notice).toContain(MOVED);
	});

	test("does not overwrite another file when it is moved", async () => {
		mkdirSync(path.dirname(file));
		const before = path.join(path.dirname(file), MOVED);
		writeFileSync(before, "an earlier one");
		writeFileSync(file, "not a database");
		expect((await open()).notice).toContain(`${before}-2.`);
		expect(readFileSync(before, "utf8")).toBe("an earlier one");
	});

	test("leads to a readable error if it cannot be moved", async () => {
		mkdirSync(path.dirname(file));
		writeFileSync(file, "not a database");
		// Permissions don't apply to root.
		const isRoot = process.getuid?.() === 0;
		chmodSync(folder, 0o755);
		chmodSync(path.dirname(file), 0o555);
		chmodSync(file, 0o666);
		if (isRoot) process.seteuid?.(65_534);
		try {
			await expect(open()).rejects.toThrow(
				/segue\.db is damaged and cannot be moved: EACCES.*Move it away and start Segue again\.$/,
			);
		} finally {
			if (isRoot) process.seteuid?.(0);
			chmodSync(path.dirname(file), 0o700);
		}
	});

	test("is moved once when opened several times concurrently", async () => {
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, "not a database");
		const results = await Promise.all([open(), open(), open()]);
		expect(results.filter(({ notice }) => notice !== undefined)).toHaveLength(1);
		await write(results[0].store, 1);
		for (const { store } of results) expect(await store.entries("a")).toHaveLength(1);
	});

	test("is moved aside if pages are damaged, and its readable rows are kept", async () => {
		await makeStore();
		// The first pages contain the schema and the threads; the others contain the entries.
		overwrite(24 * 4096, 4 * 4096);
		const damaged = readFileSync(file);
		const { store, notice } = await open();
		const aside = path.join(path.dirname(file), MOVED);
		expect(notice).toMatch(
			/ has been moved to .*\. 1 conversation with \d+ entries could be recovered; others may be missing\. To list all conversations: segue chat --list --all$/,
		);
		expect(readFileSync(aside).equals(damaged)).toBe(true);
		expect(readdirSync(path.dirname(file)).filter((name) => /copy|damaged/.test(name))).toEqual([]);
		const kept = await store.entries("a");
		expect(kept.length).toBeGreaterThan(35);
		expect(kept.length).toBeLessThan(50);
		expect([kept[0]?.number, kept.at(-1)?.number]).toEqual([1, 50]);
		expect(notice).toContain(`with ${kept.length} entries`);
		for (const { number, body } of kept) expect(body).toEqual({ type: "text", text: `${number - 1} `.repeat(500) });
		expect((await store.append("a", "t", AT, { type: "text", text: "on" })).number).toBe(51);
		expect((await open()).notice).toBeUndefined();
	});

	test("keeps the remaining rows if it was truncated", async () => {
		await makeStore();
		truncateSync(file, (statSync(file).size * 3) / 4);
		const { store, notice } = await open();
		expect(notice).toContain("could be recovered");
		expect((await store.entries("a")).length).toBeGreaterThan(20);
	});

	test("keeps its other rows, and can be read and written, if any one sector was zeroed", async () => {
		await makeStore();
		const sound = readFileSync(file);
		const sectors = Array.from({ length: sound.length / 512 }, (_, i) => i).slice(8);
		const tried = sectors.filter((i) => i % inTier(17, 3) === 0);
		const mostly: number[] = [];
		for (const sector of tried) {
			for (const store of opened.splice(0)) await store.close();
			rmSync(path.dirname(file), { recursive: true });
			mkdirSync(path.dirname(file));
			writeFileSync(file, Buffer.from(sound).fill(0, sector * 512, (sector + 1) * 512));
			const { store } = await open();
			await write(store, 1);
			if ((await store.entries("a")).length > 30) mostly.push(sector);
		}
		// Without its root page, a table is lost.
		expect(mostly.length).toBeGreaterThan(0.8 * tried.length);
	});

	test("does not cause an endless loop if its pages form a cycle", async () => {
		await makeStore();
		const bytes = readFileSync(file);
		// The interior page of the entries table. Each cell has a page number and a row number.
		const interior = Array.from({ length: bytes.length / 4096 }, (_, i) => i * 4096).findLast((at) => bytes[at] === 5);
		if (interior === undefined) throw new Error("the entries do not fill a page");
		const cells = Array.from({ length: bytes.readUInt16BE(interior + 3) }, (_, i) => {
			return interior + bytes.readUInt16BE(interior + 12 + 2 * i);
		});
		for (const cell of cells.slice(4)) bytes.copy(bytes, cell, cells[1], (cells[1] as number) + 4);
		writeFileSync(file, bytes);
		const { store } = await open();
		const kept = await store.entries("a");
		expect(new Set(kept.map(({ number }) => number)).size).toBe(kept.length);
	});

	test("keeps the entries of a lost thread under a new title", async () => {
		await makeStore();
		const database = new Database(file);
		database.exec("pragma foreign_keys = off; delete from threads");
		database.close();
		overwrite(12 * 4096, 4096);
		const { store } = await open();
		expect(await store.list({ limit: 9 })).toMatchObject([{ id: "a", title: "Recovered conversation" }]);
		expect((await store.entries("a")).length).toBeGreaterThan(30);
	});

	test("is moved aside the next time it is opened if the damage is found while it is in use", async () => {
		await makeStore();
		const { store, notice } = await open();
		expect(notice).toBeUndefined();
		overwrite(12 * 4096, 20 * 4096);
		await expect(store.entries("a")).rejects.toThrow(
			new StoreError(`${file} is damaged. Start Segue again: it moves the file aside and keeps what can be read.`),
		);
		expect((await open()).notice).toContain("could be recovered");
	});

	function overwrite(from: number, length: number): void {
		const bytes = readFileSync(file);
		expect(bytes.length).toBeGreaterThan(from + length);
		writeFileSync(file, bytes.fill(0xa5, from, from + length));
	}
});

describe("a file that cannot be used", () => {
	test.for<[why: string, message: string, hinder: () => (() => void) | undefined]>([
		[
			"is locked",
			"Another program has locked FILE for more than 5 seconds. Close that program, or try again.",
			() => {
				const other = new Database(file);
				other.exec("begin exclusive");
				return () => other.close();
			},
		],
		[
			"is not readable",
			"No permission to write FILE. Change its permissions, or choose another folder.",
			() => withoutRights(0o000),
		],
		[
			"is not writable",
			"No permission to write FILE. Change its permissions, or choose another folder.",
			() => withoutRights(0o400),
		],
		[
			"has a newer format",
			"The conversations were stored by a newer version of Segue (format 99; this version supports 8). Update Segue to use them.",
			() => {
				const other = new Database(file);
				other.exec("update schema_version set version = 99");
				other.close();
				return undefined;
			},
		],
	])("is left unchanged and leads to a readable error if it %s", async ([, message, hinder]) => {
		await makeStore();
		const release = hinder();
		try {
			await expect(open()).rejects.toThrow(new StoreError(message.replace("FILE", file)));
		} finally {
			release?.();
		}
		expect(readdirSync(path.dirname(file)).filter((name) => name.includes("corrupt"))).toEqual([]);
		const left = new Database(file);
		expect(left.prepare("select count(*) as n from entries").all()).toEqual([{ n: 50 }]);
		left.close();
	});

	/** Switches to a user other than root, because permissions don't apply to root. */
	function withoutRights(mode: number): () => void {
		chmodSync(folder, 0o755);
		chmodSync(path.dirname(file), 0o755);
		chmodSync(file, mode);
		const isRoot = process.getuid?.() === 0;
		if (isRoot) process.seteuid?.(65_534);
		return () => {
			if (isRoot) process.seteuid?.(0);
			chmodSync(file, 0o600);
		};
	}
});

test("a folder with the same name as the file leads to a readable error", async () => {
	mkdirSync(file, { recursive: true });
	await expect(open()).rejects.toThrow(
		new StoreError(
			`${file} is a folder, but Segue stores conversations in a file with this name. Move the folder away and start Segue again.`,
		),
	);
	expect(statSync(file).isDirectory()).toBe(true);
});

test.runIf(process.platform === "linux").for(["/proc/segue/data/segue.db", "/dev/null/segue.db"])(
	"reports that the folder for %s cannot be created",
	async (impossible) => {
		await expect(openEmbeddedStore(impossible, NOW)).rejects.toThrow(
			new RegExp(`^${impossible} cannot be used: (ENOENT|ENOTDIR): `),
		);
	},
);

test("reports a full disk, loses nothing, and continues once there is space", async () => {
	const { store } = await open();
	await write(store, 10);
	await store.append("a", "t", AT, { type: "text", text: "" });
	const before = await store.entries("a");
	const pages = async (count: number) =>
		await sql`pragma max_page_count = ${sql.lit(count)}`.execute(store["database"]);
	await pages(1);
	const full = new StoreError(
		`The disk is full: ${file} could not be written. Free some space and try again; no stored conversations were lost.`,
	);
	const long = "x".repeat(100_000);
	await expect(store.append("a", "t", AT, { type: "text", text: long })).rejects.toThrow(full);
	await expect(store.more("a", 11, long)).rejects.toThrow(full);
	await expect(store.replace("a", 11, { type: "text", text: long })).rejects.toThrow(full);
	await expect(store.create({ id: "b", title: long, workspace: "/w", modifiedAt: AT })).rejects.toThrow(full);
	expect(await store.entries("a")).toEqual(before);
	const { rows } = await sql`pragma integrity_check`.execute(store["database"]);
	expect(rows).toEqual([{ integrity_check: "ok" }]);
	await pages(1_000_000);
	await store.more("a", 11, long);
	expect((await store.entries("a"))[10]?.body).toEqual({ type: "text", text: long });
});

test("resumes writing once a full disk has space again", async () => {
	const { store } = await open();
	await write(store, 1);
	const pages = async (count: number) =>
		void (await sql`pragma max_page_count = ${sql.lit(count)}`.execute(store["database"]));
	const large = { type: "text", text: "x".repeat(500_000) } as const;
	await pages(20);
	await expect(store.append("a", "t", AT, large)).rejects.toThrow(/^The disk is full: /);
	await expect(store.more("a", 1, large.text)).rejects.toThrow(/^The disk is full: /);
	await expect(store.replace("a", 1, large)).rejects.toThrow(/^The disk is full: /);
	await pages(100_000);
	await store.more("a", 1, large.text);
	await store.append("a", "t", AT, large);
	await store.replace("a", 1, large);
	expect((await store.entries("a")).map(({ body }) => body)).toEqual([large, large]);
});
