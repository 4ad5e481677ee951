import { startDatabases } from "@segue/testing/chat/databases";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { NoSuchThread, StoreError, ThreadExists } from "../failures.js";
import type { Body, Thread } from "../threads/thread.js";
import type { Store } from "./store.js";

const { databases, stop } = await startDatabases();
afterAll(stop);

describe.for(databases)("a store on $name", ({ create, isShared }) => {
	let open: (owner?: string) => Promise<Store>;
	let store: Store;
	const opened: Store[] = [];

	beforeEach(async () => {
		open = await create();
		store = await openAnother();
	});
	afterEach(async () => {
		for (const each of opened.splice(0)) await each.close();
	});

	/** Opens the store again, as another process would. */
	async function openAnother(owner?: string): Promise<Store> {
		const another = await open(owner);
		opened.push(another);
		return another;
	}

	test("stores threads and their entries", async () => {
		await store.create(thread("a", { title: "Why?\0 \ud83d" }));
		const bodies: Body[] = [
			{ type: "prompt", parts: [{ type: "text", text: 'Why is\nthe sky "blue"? \\ \0' }] },
			{ type: "thought", text: "Rayleigh", signature: "s" },
			{ type: "text", text: "Half a pair: \ud83d" },
			{ type: "notice", level: "warning", text: "slow" },
			{ type: "end", reason: "done" },
		];
		for (const [i, body] of bodies.entries()) {
			expect(await store.append("a", "turn", at(i), body)).toEqual({ number: i + 1, turn: "turn", at: at(i), body });
		}
		const later = await openAnother();
		expect(await later.entries("a")).toEqual(
			bodies.map((body, i) => ({ number: i + 1, turn: "turn", at: at(i), body })),
		);
		expect(await later.thread("a")).toEqual(thread("a", { title: "Why?\0 \ud83d", modifiedAt: at(4) }));
	});

	test("stores the settings of a thread without changing its modification time", async () => {
		await store.create(thread("a"));
		await store.create(thread("b"));
		expect(await store.settings("a")).toEqual({});
		await store.saveSettings("a", { mode: "plan", model: "p/m\0\ud83d", effort: "high" });
		await store.saveSettings("b", { mode: "ask" });
		await store.saveSettings("b", { effort: undefined });
		const later = await openAnother();
		expect(await later.settings("a")).toEqual({ mode: "plan", model: "p/m\0\ud83d", effort: "high" });
		expect(await later.settings("b")).toEqual({});
		expect(await later.thread("a")).toEqual(thread("a"));
		await expect(store.settings("c")).rejects.toThrow(NoSuchThread);
		await expect(store.saveSettings("c", {})).rejects.toThrow(NoSuchThread);
	});

	test("returns the whole text of an entry, both while it grows and afterwards", async () => {
		const [, whole] = [await store.create(thread("a")), 'Hi, 😀! "\n\0'];
		await store.append("a", "t", at(1), { type: "text", text: "" });
		await store.append("a", "t", at(2), { type: "thought", text: "so ", signature: undefined });
		// Splits surrogate pairs.
		for (const unit of whole.split("")) await store.more("a", 1, unit);
		await store.more("a", 2, "it is");
		const expected = [
			{ type: "text", text: whole },
			{ type: "thought", text: "so it is" },
		];
		const other = await openAnother();
		expect((await other.entries("a")).map(({ body }) => body)).toEqual(expected);
		await store.settle("a", 1);
		await store.settle("a", 2);
		await store.settle("a", 2);
		expect((await other.entries("a")).map(({ body }) => body)).toEqual(expected);
	});

	test("replaces a body together with its pieces", async () => {
		await store.create(thread("a"));
		await store.append("a", "t", at(1), { type: "thought", text: "a", signature: undefined });
		await store.more("a", 1, "b");
		const body: Body = { type: "thought", text: "ab", signature: "signed" };
		await store.replace("a", 1, body);
		expect(await store.entries("a")).toEqual([{ number: 1, turn: "t", at: at(1), body }]);
	});

	test("refuses a second thread with the same id", async () => {
		await store.create(thread("a", { title: "First" }));
		await expect(store.create(thread("a", { title: "Second" }))).rejects.toThrow(new ThreadExists("a"));
		await expect(store.copy("a", 1, thread("a"))).rejects.toThrow(new ThreadExists("a"));
		expect(await store.thread("a")).toEqual(thread("a", { title: "First" }));
	});

	test("deletes entries with their pieces and another agent's session, and does not reuse numbers", async () => {
		await store.create(thread("a"));
		await store.append("a", "t", at(1), { type: "agent", agent: "quirky", session: "s1" });
		await store.append("a", "t", at(2), { type: "text", text: "kept" });
		await store.append("a", "t", at(3), { type: "text", text: "forgotten" });
		await store.more("a", 3, " too");
		await store.forget("a", 3);
		expect((await store.entries("a")).map(({ body }) => body)).toEqual([{ type: "text", text: "kept" }]);
		const other = await openAnother();
		expect(await other.append("a", "t", at(4), { type: "text", text: "new" })).toMatchObject({ number: 4 });
		await expect(store.more("a", 3, "!")).rejects.toThrow(RangeError);
		await expect(store.forget("none", 1)).rejects.toThrow(new NoSuchThread("none"));
	});

	test("copies the entries that precede a given number, even while they grow", async () => {
		await store.create(thread("a"));
		await store.append("a", "t", at(1), { type: "text", text: "in " });
		await store.append("a", "t", at(2), { type: "end", reason: "done" });
		await store.more("a", 1, "pieces");
		await store.copy("a", 2, thread("b"));
		await store.more("a", 1, "!");
		const copied = [{ number: 1, turn: "t", at: at(1), body: { type: "text", text: "in pieces" } }];
		expect(await store.entries("b")).toEqual(copied);
		expect(await store.append("b", "t", at(3), { type: "text", text: "" })).toMatchObject({ number: 2 });
	});

	test("keeps flags in copies and exports until their entries are deleted", async () => {
		await store.create(thread("a", {}));
		for (let i = 0; i < 4; i++) await store.append("a", "turn", at(i), { type: "text", text: `${i}` });
		const flags = [
			{ id: "late", after: 3, text: "Late \0 \ud83d" },
			{ id: "early", after: 1, text: "Early" },
		];
		await Promise.all(flags.map((flag) => store.changeFlags("a", (all) => [...all, flag])));
		const later = await openAnother();
		expect((await later.flags("a")).map(({ id }) => id)).toEqual(["early", "late"]);
		expect(await later.flags("a")).toContainEqual(flags[0]);
		await store.copy("a", 3, thread("copy", {}));
		expect(await store.flags("copy")).toEqual([flags[1]]);
		await store.forget("copy", 1);
		expect(await store.flags("copy")).toEqual([]);
		const imported = await store.importThread(JSON.parse(JSON.stringify(await store.exportThread("a"))), "/w");
		expect(await store.flags(imported.id)).toEqual([flags[1], flags[0]]);
		await store.forget("a", 3);
		expect(await store.flags("a")).toEqual([flags[1]]);
		await store.changeFlags("a", () => []);
		expect(await store.flags("a")).toEqual([]);
		await expect(store.flags("none")).rejects.toThrow(NoSuchThread);
		await expect(store.changeFlags("none", () => [])).rejects.toThrow(NoSuchThread);
	});

	test("returns statistics for more threads than fit in one query", async () => {
		const ids = Array.from({ length: 201 }, (_, i) => `${i}`);
		for (const id of ids) await store.create(thread(id));
		const parts = [{ type: "text", text: '"model":"another"' }] as const;
		await store.append("200", "t", at(1), { type: "prompt", parts, model: "one" });
		await store.append("200", "t", at(2), { type: "prompt", parts });
		const tallies = await store.stats(ids);
		expect([...tallies.keys()].toSorted()).toEqual(ids.toSorted());
		expect(tallies.get("200")).toEqual({ createdAt: at(1), prompts: 2, model: "one" });
		expect(tallies.get("0")).toEqual({ createdAt: undefined, prompts: 0, model: undefined });
		expect(await store.stats([])).toEqual(new Map());
	});

	test("lists threads by the time of their last entry, with pages and by workspace", async () => {
		for (const [i, id] of ["c", "a", "d", "b"].entries()) {
			await store.create(thread(id, { workspace: i % 2 === 0 ? "/even" : "/odd", modifiedAt: at(1) }));
		}
		await store.append("a", "t", at(5), { type: "text", text: "" });
		const pages: string[][] = [];
		let before: string | undefined;
		do {
			const page = await store.list({ limit: 2, before });
			pages.push(page.map(({ id }) => id));
			const last = page.at(-1);
			before = last && `${last.modifiedAt}|${last.id}`;
		} while (before !== undefined);
		expect(pages).toEqual([["a", "d"], ["c", "b"], []]);
		expect((await store.list({ limit: 9, workspace: "/odd" })).map(({ id }) => id)).toEqual(["a", "b"]);
		await expect(store.list({ limit: 9, before: "yesterday" })).rejects.toThrow(RangeError);
	});

	test("renames and deletes threads with all their data", async () => {
		for (const id of ["a", "b"]) await store.create(thread(id));
		await store.append("a", "t", at(1), { type: "text", text: "one" });
		await store.append("b", "t", at(1), { type: "text", text: "" });
		await store.more("b", 1, "two");
		await store.rename("a", "Named");
		expect((await store.thread("a"))?.title).toBe("Named");
		await store.delete("b");
		expect(await store.thread("b")).toBeUndefined();
		expect(await store.search("two", { limit: 9 })).toEqual([]);
		await store.create(thread("b"));
		expect(await store.entries("b")).toEqual([]);
	});

	test("throws NoSuchThread for a missing thread", async () => {
		const body: Body = { type: "text", text: "" };
		const methods = {
			rename: () => store.rename("x", "y"),
			delete: () => store.delete("x"),
			append: () => store.append("x", "t", at(0), body),
			more: () => store.more("x", 1, "y"),
			replace: () => store.replace("x", 1, body),
			settle: () => store.settle("x", 1),
			entries: () => store.entries("x"),
			exportThread: () => store.exportThread("x"),
		};
		for (const [name, call] of Object.entries(methods)) await expect(call(), name).rejects.toThrow(NoSuchThread);
		expect(await store.thread("x")).toBeUndefined();
	});

	test("refuses to extend an entry that is missing or has no text", async () => {
		await store.create(thread("a"));
		await store.append("a", "t", at(0), { type: "end", reason: "done" });
		for (const number of [1, 2]) await expect(store.more("a", number, "x")).rejects.toThrow(RangeError);
		await expect(store.settle("a", 2)).rejects.toThrow(RangeError);
		expect((await store.entries("a")).map(({ body }) => body)).toEqual([{ type: "end", reason: "done" }]);
	});

	test("stores permissions for a workspace", async () => {
		const long = "x".repeat(100_000);
		for (const subject of ["npm test\0", "npm test\0", long]) await store.allow("/w", { kind: "command", subject });
		await store.allow("/w", { kind: "edit", subject: "npm test\0" });
		await store.allow("/v", { kind: "mcp", subject: "a/b" });
		const allowed = (await (await openAnother()).allowances("/w")).map(({ kind, subject }) => `${kind} ${subject}`);
		expect(allowed.sort()).toEqual(["command npm test\0", `command ${long}`, "edit npm test\0"]);
		expect((await store.everyAllowance()).map(({ workspace }) => workspace)).toEqual(["/v", "/w", "/w", "/w"]);
		expect([await store.forgetAllowances("/w"), await store.forgetAllowances("/w")]).toEqual([true, false]);
		expect(await store.everyAllowance()).toEqual([{ workspace: "/v", permission: { kind: "mcp", subject: "a/b" } }]);
	});

	test.runIf(isShared)("separates the permissions of different users", async () => {
		const permission = { kind: "command", subject: "make" } as const;
		const [alice, bob] = [await openAnother("alice@one"), await openAnother("bob@two")];
		await alice.allow("/w", permission);
		expect([await bob.allowances("/w"), await bob.everyAllowance(), await store.allowances("/w")]).toEqual([
			[],
			[],
			[],
		]);
		expect(await bob.forgetAllowances("/w")).toBe(false);
		expect(await (await openAnother("alice@one")).allowances("/w")).toEqual([permission]);
	});

	test("numbers entries from concurrent writers without gaps or duplicates", async () => {
		await store.create(thread("a"));
		const writers = await Promise.all([1, 2, 3, 4].map(() => openAnother()));
		await Promise.all(
			writers.map(async (writer, w) => {
				for (let i = 0; i < 25; i++) await writer.append("a", `${w}`, at(i), { type: "text", text: `${i}` });
			}),
		);
		const entries = await store.entries("a");
		expect(entries.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
		for (const w of writers.keys()) {
			const own = entries.filter(({ turn }) => turn === `${w}`);
			expect(own.map(({ at }) => at)).toEqual(Array.from({ length: 25 }, (_, i) => at(i)));
		}
	});

	test("stores a chunk that arrives at any moment while another change fails", async () => {
		await store.create(thread("a"));
		await store.append("a", "t", at(0), { type: "text", text: "" });
		for (let moment = 0; moment < 40; moment++) {
			const failing = expect(store.append("x", "t", at(0), { type: "text", text: "" })).rejects.toThrow(NoSuchThread);
			for (let i = 0; i < moment; i++) await undefined;
			await store.more("a", 1, `${moment} `);
			await failing;
		}
		const text = Array.from({ length: 40 }, (_, moment) => `${moment} `).join("");
		expect((await store.entries("a"))[0]?.body).toEqual({ type: "text", text });
	});

	test("creates its tables once when opened several times concurrently", async () => {
		open = await create();
		const all = await Promise.all([1, 2, 3, 4].map(() => openAnother()));
		await all[0]?.create(thread("a"));
		for (const each of all) expect(await each.thread("a")).toEqual(thread("a"));
	});

	test("gives an imported thread a new id if its own is taken", async () => {
		await store.create(thread("a"));
		await store.append("a", "t", at(1), { type: "text", text: "one" });
		const json: unknown = JSON.parse(JSON.stringify(await store.exportThread("a")));
		const copy = await store.importThread(json, "/here");
		expect(copy).toEqual({ ...(await store.thread("a")), id: copy.id, workspace: "/here" });
		expect(await store.thread(copy.id)).toEqual(copy);
		expect(copy.id).not.toBe("a");
		expect(await store.entries(copy.id)).toEqual(await store.entries("a"));
		const other = await (await create())();
		opened.push(other);
		expect((await other.importThread(json, "/here")).id).toBe("a");
	});

	test("stores nothing if an import fails", async () => {
		await expect(store.importThread({ messages: [] }, "/w")).rejects.toThrow(StoreError);
		expect(await store.list({ limit: 9 })).toEqual([]);
	});
});

function thread(id: string, given: Partial<Thread> = {}): Thread {
	return { id, title: "", workspace: "/home/alice/app", modifiedAt: at(0), ...given };
}

function at(second: number): string {
	return new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString();
}
