import { startDatabases } from "@segue/testing/chat/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Body } from "../threads/thread.js";
import type { Store } from "./store.js";

const { databases, stop } = await startDatabases();
afterAll(stop);

describe.for(databases)("a search on $name", ({ create }) => {
	const opened: Store[] = [];
	let store: Store;
	beforeAll(async () => {
		store = await storeOf({
			title: { title: "The sky" },
			answer: {
				text: `${"letter by letter, one after the other, ".repeat(3)}and the Sky is blue because of Rayleigh, who found out how light is scattered`,
			},
			prompt: { prompt: "100% of_it" },
			title2: { title: "GRÖSSE und GRÖßE" },
			greek: { text: "ὁδός, Όδος" },
			cyrillic: { prompt: "ПРИВЕТ, мир" },
			split: { pieces: ["a\ud83d", "\ude00b"] },
			quoted: { text: 'say "no" or' },
			quoted2: { text: "C:\\new" },
			tilde: { prompt: "a~b" },
			newline: { pieces: ["a li", "ne\nbre", "ak"] },
			thought: { thought: "hidden" },
		});
	});
	afterAll(async () => {
		for (const each of opened) await each.close();
	});

	async function storeOf(threads: Record<string, Content>): Promise<Store> {
		const made = await (await create())();
		opened.push(made);
		await fill(made, threads);
		return made;
	}

	test.for<[text: string, found: Record<string, string>]>([
		[
			"SKY",
			{
				title: "The sky",
				answer: "…by letter, one after the other, and the Sky is blue because of Rayleigh, who found…",
			},
		],
		["100%", { prompt: "100% of_it" }],
		["100_", {}],
		["of_IT", { prompt: "100% of_it" }],
		["ofXit", {}],
		["größe", { title2: "GRÖSSE und GRÖßE" }],
		["ΌΔΟΣ", { greek: "ὁδός, Όδος" }],
		["привет", { cyrillic: "ПРИВЕТ, мир" }],
		["😀", { split: "a😀b" }],
		['say "n', { quoted: 'say "no" or' }],
		["\\new", { quoted2: "C:\\new" }],
		["~", { tilde: "a~b" }],
		["hidden", {}],
		["nline", {}],
		["line\nbreak", { newline: "a line break" }],
	])("finds %j in titles, prompts and answers, ignoring case", async ([text, found]) => {
		const results = await store.search(text, { limit: 20 });
		expect(Object.fromEntries(results.map(({ thread: { id }, excerpt }) => [id, excerpt]))).toEqual(found);
	});

	test("returns a workspace's newest matches first, up to the limit", async () => {
		// Candidates from the database that don't match must not count toward the limit.
		const many = await storeOf({
			a: { text: "nfs" },
			b: { text: "\nfs" },
			c: { text: "\nfs" },
			d: { text: "nfs" },
			e: { text: "nfs" },
		});
		const ids = async (query: { limit: number; workspace?: string }) =>
			(await many.search("NFS", query)).map(({ thread: { id } }) => id);
		expect(await ids({ limit: 2 })).toEqual(["e", "d"]);
		for (const limit of [3, 9]) expect(await ids({ limit })).toEqual(["e", "d", "a"]);
		expect(await ids({ limit: 9, workspace: "/elsewhere" })).toEqual([]);
	});

	test("finds a long string", async () => {
		const long = "Ä word%_".repeat(20_000);
		const both = await storeOf({ a: { text: `so ${long} it is` }, b: { text: long.slice(0, -1) } });
		expect((await both.search(long.toLowerCase(), { limit: 9 })).map(({ thread: { id } }) => id)).toEqual(["a"]);
	});
});

type Content = { title?: string; prompt?: string; text?: string; thought?: string; pieces?: string[] };

/** Creates threads with these ids, each newer than the one before. */
async function fill(store: Store, threads: Record<string, Content>): Promise<void> {
	for (const [i, [id, { title = "", prompt, text, thought, pieces }]] of Object.entries(threads).entries()) {
		const at = new Date(Date.UTC(2030, 0, 1, 0, 0, i)).toISOString();
		await store.create({ id, title, workspace: "/home/alice/app", modifiedAt: at });
		const append = (body: Body) => store.append(id, "turn", at, body);
		if (prompt !== undefined) await append({ type: "prompt", parts: [{ type: "text", text: prompt }] });
		if (thought !== undefined) await append({ type: "thought", text: thought, signature: undefined });
		if (text !== undefined) await append({ type: "text", text });
		if (pieces === undefined) continue;
		const { number } = await append({ type: "text", text: "" });
		for (const piece of pieces) await store.more(id, number, piece);
	}
}
