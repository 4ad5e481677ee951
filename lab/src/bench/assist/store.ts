import { mkdtempSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openEmbeddedStore, type Store } from "@segue/assist";
import Database from "libsql";
import { showProgress } from "../../progress-bar.js";
import type { Measurement } from "../measurement.js";
import { Random } from "../random-code.js";
import { interleave, median } from "../rounds.js";

const THREADS = 10_000;
const WORKSPACES = 20;
const ENTRIES = 6;
const PAGE = 50;
const WARM_UP_ROUNDS = 20;
const ROUNDS = 50;
const MESSAGES = 1000;
const PIECE_LENGTH = 5;

/** Measures listing and searching many threads, and streaming messages, each compared with plain SQL. */
export async function storeMeasurements(): Promise<Measurement[]> {
	const folder = mkdtempSync(path.join(os.tmpdir(), "segue-bench-store-"));
	try {
		return [...(await reading(path.join(folder, "many.db"))), ...(await streaming(folder))];
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Handwritten queries over the same tables. */
const PLAIN_LIST = "select id, title, workspace, modified from threads order by modified desc, id desc limit ?";
const PLAIN_WORKSPACE = PLAIN_LIST.replace("order", "where workspace = ? order");
const PLAIN_SEARCH = `
	select id, title, workspace, modified, type, text, rest
	from threads left join entries on entries.thread = id and entries.number = (
		select number from entries
		where entries.thread = id and (type = 'text' and text like ?1 or type = 'prompt' and rest like ?1)
		order by number limit 1
	)
	where title like ?1 or number is not null order by modified desc, id desc limit ?2`;

async function reading(file: string): Promise<Measurement[]> {
	const { store } = await openEmbeddedStore(file, new Date());
	await fill(store);
	const plain = new Database(file);
	const query = <Row extends { id: string }>(sql: string, ...parameters: unknown[]) =>
		plain.prepare(sql).all(parameters) as Row[];
	const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
	/** Includes an excerpt with each result, as the store does. */
	const searchPlainly = (word: string) => {
		const rows = query<Found>(PLAIN_SEARCH, `%${word}%`, PAGE);
		return idsOf(rows.map((row) => ({ id: row.id, title: row.title, excerpt: plainExcerpt(row, word) })));
	};
	const search = async (text: string) => (await store.search(text, { limit: PAGE })).map(({ thread }) => thread.id);
	const list = async (workspace?: string) => (await store.list({ workspace, limit: PAGE })).map(({ id }) => id);
	const compared = [
		await compare(
			"the newest 50 of 10,000 threads",
			() => list(),
			() => idsOf(query(PLAIN_LIST, PAGE)),
		),
		await compare(
			"the newest 50 of a workspace",
			() => list("/workspace/3"),
			() => idsOf(query(PLAIN_WORKSPACE, "/workspace/3", PAGE)),
		),
		await compare(
			"a search for a common word",
			() => search("Harbour"),
			() => searchPlainly("harbour"),
		),
		await compare(
			"a search for a rare word",
			() => search("Quicksilver"),
			() => searchPlainly("quicksilver"),
		),
	];
	plain.close();
	await store.close();
	return compared;
}

interface Found {
	readonly id: string;
	readonly title: string;
	readonly type: string | null;
	readonly text: string;
	readonly rest: string;
}

function plainExcerpt({ title, type, text, rest }: Found, word: string): string {
	const whole = type === null ? title : type === "text" ? JSON.parse(`"${text}"`) : JSON.parse(rest).parts[0].text;
	const at = whole.toLowerCase().indexOf(word);
	return whole.slice(Math.max(0, at - 40), at + word.length + 40).replaceAll(/\s+/g, " ");
}

async function fill(store: Store): Promise<void> {
	const random = new Random(1);
	for (let i = 0; i < THREADS; i++) {
		if (i % 100 === 0) showProgress(`store: thread ${i} of ${THREADS}`);
		const at = timeAfter(i);
		const thread = {
			id: `thread-${i}`,
			title: prose(random, 40),
			workspace: `/workspace/${i % WORKSPACES}`,
			modifiedAt: at,
		};
		const entries = Array.from({ length: ENTRIES }, (_, n) => {
			const text = `${prose(random, 200 + random.below(800))}${i === 77 && n === 3 ? " quicksilver" : ""}`;
			const body = n % 2 === 0 ? { type: "prompt", parts: [{ type: "text", text }] } : { type: "text", text };
			return { number: n + 1, turn: "turn", at, body };
		});
		await store.importThread({ format: "segue-thread", version: 1, thread, entries }, thread.workspace);
	}
}

async function compare(figure: string, ours: () => Promise<string[]>, plain: () => string[]): Promise<Measurement> {
	if (JSON.stringify(await ours()) !== JSON.stringify(plain())) throw new Error(`${figure}: the results differ`);
	const turns = { ours: () => timeOf(ours), plain: () => timeOf(async () => plain()) };
	await interleave(turns, WARM_UP_ROUNDS, () => showProgress(`${figure}: warming up`));
	const times = await interleave(turns, ROUNDS, (round) => showProgress(`${figure}: round ${round + 1} of ${ROUNDS}`));
	const against = { name: "plain SQL", value: median(times.plain) };
	return { figure, value: median(times.ours), unit: "ms", against, target: { timesAtMost: 2 } };
}

/** Streams messages of typical length in small pieces. Measures the time per piece and the size of the file. */
async function streaming(folder: string): Promise<Measurement[]> {
	const file = path.join(folder, "streamed.db");
	const { store } = await openEmbeddedStore(file, new Date());
	const barePieces = new Database(path.join(folder, "bare.db"));
	for (const sql of ["pragma journal_mode = wal", "pragma synchronous = normal", "create table pieces (text text)"]) {
		barePieces.exec(sql);
	}
	const insert = barePieces.prepare("insert into pieces values (?)");
	await store.create({ id: "a", title: "", workspace: "/workspace", modifiedAt: timeAfter(0) });
	const random = new Random(2);
	const times = { ours: [] as number[], bare: [] as number[] };
	let length = 0;
	for (let i = 0; i < MESSAGES; i++) {
		if (i % 10 === 0) showProgress(`store: message ${i} of ${MESSAGES}`);
		const text = prose(random, 500 + random.below(1500));
		const pieces = text.match(new RegExp(`[^]{1,${PIECE_LENGTH}}`, "g")) ?? [];
		length += Buffer.byteLength(text);
		const { number } = await store.append("a", "turn", timeAfter(i), { type: "text", text: "" });
		const ours = await timeOf(async () => {
			for (const piece of pieces) await store.more("a", number, piece);
		});
		const bare = await timeOf(async () => {
			for (const piece of pieces) insert.run([piece]);
		});
		times.ours.push((1000 * ours) / pieces.length);
		times.bare.push((1000 * bare) / pieces.length);
		await store.settle("a", number);
	}
	barePieces.close();
	await store.close();
	const checkpoint = new Database(file);
	checkpoint.exec("pragma wal_checkpoint(truncate)");
	checkpoint.close();
	const size = [file, `${file}-wal`].reduce(
		(sum, each) => sum + (statSync(each, { throwIfNoEntry: false })?.size ?? 0),
		0,
	);
	return [
		{
			figure: "storing one piece of a message",
			value: median(times.ours),
			unit: "µs",
			against: { name: "a bare insert", value: median(times.bare) },
			target: { timesAtMost: 2 },
		},
		{
			figure: "1,000 messages in pieces, on disk",
			value: size / 1_000_000,
			unit: "MB",
			against: { name: "their text", value: length / 1_000_000 },
			target: { timesAtMost: 3 },
		},
	];
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

function timeAfter(second: number): string {
	return new Date(Date.UTC(2030, 0, 1) + 1000 * second).toISOString();
}

const WORDS =
	'the a harbour of function returns Undefined "value" when it is\n not there, because `list.at(-1)` may be empty; so'.split(
		" ",
	);

function prose(random: Random, length: number): string {
	let text = "";
	while (text.length < length) text += `${random.pick(WORDS)} `;
	return text.slice(0, length);
}
