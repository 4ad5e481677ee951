import { startDatabases } from "@segue/testing/chat/databases";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Body, Entry, Permission, Thread } from "../threads/thread.js";
import type { Store } from "./store.js";
import type { ThreadStats } from "./thread-stats.js";

const { databases, stop } = await startDatabases();
afterAll(stop);

// Each run makes hundreds of writes to a disk or a socket.
const RUNS = { numRuns: runs(100) };

describe.for(databases)("a store on $name", ({ create }) => {
	test("behaves like a simple in-memory store", async () => {
		const open = await create();
		const stores = [await open(), await open()] as const;
		await fc.assert(
			fc.asyncProperty(fc.array(someStep(), { maxLength: 60, size: "max" }), someText(), async (steps, needle) => {
				const [store, other] = stores;
				for (const { id } of await store.list({ limit: 1000 })) await store.delete(id);
				const memory = new Memory();
				for (const [i, step] of steps.entries()) await play(step, i, memory, i % 2 === 0 ? store : other);
				await expectSame(store, memory, needle);
			}),
			RUNS,
		);
		for (const store of stores) await store.close();
	});

	test("round-trips exports and imports", async () => {
		const open = await create();
		const store = await open();
		const someThread = fc.record({
			id: fc.uuid(),
			title: someText(),
			workspace: fc.constant("/w"),
			modifiedAt: someTime(),
		});
		const someEntry = fc.record({ turn: fc.uuid(), at: someTime(), body: someBody() });
		await fc.assert(
			fc.asyncProperty(someThread, fc.array(someEntry), async (thread, entries) => {
				const numbered = entries.map((entry, i) => ({ number: i + 1, ...entry }));
				const archive = { format: "segue-thread", version: 1, thread, entries: numbered };
				await store.importThread(JSON.parse(JSON.stringify(archive)), "/w");
				expect(await store.exportThread(thread.id)).toEqual(archive);
				await store.delete(thread.id);
			}),
			RUNS,
		);
		await store.close();
	});
});

interface StoredThread {
	thread: Thread;
	entries: Entry[];
	/** The last entry number used. */
	last: number;
}

/** The reference implementation. */
class Memory {
	readonly threads: StoredThread[] = [];

	newest(): StoredThread[] {
		const key = ({ thread }: { thread: Thread }) => `${thread.modifiedAt}|${thread.id}`;
		return this.threads.toSorted((a, b) => (key(a) < key(b) ? 1 : -1));
	}

	finds(needle: string): string[] {
		const matches = (text: string) => text.toLowerCase().includes(needle.toLowerCase());
		const matching = this.newest().filter(
			({ thread, entries }) => matches(thread.title) || entries.some(({ body }) => textsOf(body).some(matches)),
		);
		return matching.map(({ thread }) => thread.id);
	}
}

function textsOf(body: Body): string[] {
	if (body.type === "text") return [body.text];
	return body.type === "prompt" ? body.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [];
}

type Step =
	| { do: "create"; title: string; at: string }
	| { do: "append"; body: Body; at: string; pick: number }
	| { do: "more"; text: string; pick: number }
	| { do: "settle"; pick: number }
	| { do: "replace"; body: Body; pick: number }
	| { do: "rename"; title: string; pick: number }
	| { do: "delete"; pick: number }
	| { do: "copy"; pick: number }
	| { do: "fork"; pick: number }
	| { do: "forget"; pick: number };

function someStep(): fc.Arbitrary<Step> {
	const pick = fc.nat(1000);
	const step = <Name extends Step["do"]>(name: Name) => fc.constant(name);
	return fc.oneof(
		fc.record({ do: step("create"), title: someText(), at: someTime() }),
		{ weight: 4, arbitrary: fc.record({ do: step("append"), body: someBody(), at: someTime(), pick }) },
		{ weight: 8, arbitrary: fc.record({ do: step("more"), text: someText(), pick }) },
		{ weight: 2, arbitrary: fc.record({ do: step("settle"), pick }) },
		fc.record({ do: step("replace"), body: someBody(), pick }),
		fc.record({ do: step("rename"), title: someText(), pick }),
		fc.record({ do: step("delete"), pick }),
		fc.record({ do: step("copy"), pick }),
		fc.record({ do: step("fork"), pick }),
		fc.record({ do: step("forget"), pick }),
	);
}

/** Applies a step to both stores. Does nothing if the step needs a thread or entry and there is none. */
async function play(step: Step, index: number, memory: Memory, store: Store): Promise<void> {
	if (step.do === "create") {
		// Ids are not in alphabetical order.
		const thread = { id: `${(index * 7) % 10}-${index}`, title: step.title, workspace: "/w", modifiedAt: step.at };
		memory.threads.push({ thread, entries: [], last: 0 });
		return await store.create(thread);
	}
	const at = step.pick % memory.threads.length;
	const stored = memory.threads[at];
	if (stored === undefined) return;
	const { id } = stored.thread;
	if (step.do === "append") {
		const entry = { number: ++stored.last, turn: `${index}`, at: step.at, body: step.body };
		stored.entries.push(entry);
		stored.thread = { ...stored.thread, modifiedAt: step.at };
		expect(await store.append(id, `${index}`, step.at, step.body)).toEqual(entry);
		return;
	}
	if (step.do === "rename") {
		stored.thread = { ...stored.thread, title: step.title };
		return await store.rename(id, step.title);
	}
	if (step.do === "delete") {
		memory.threads.splice(at, 1);
		return await store.delete(id);
	}
	if (step.do === "copy") {
		const copy = await store.importThread(JSON.parse(JSON.stringify(await store.exportThread(id))), "/w");
		const entries = stored.entries.map((entry, i) => ({ ...entry, number: i + 1 }));
		memory.threads.push({ thread: { ...stored.thread, id: copy.id }, entries, last: entries.length });
		return;
	}
	// Any position, including the start and past the end.
	const number = 1 + (step.pick % (stored.last + 2));
	const isBefore = (entry: Entry) => entry.number < number && entry.body.type !== "agent";
	if (step.do === "fork") {
		const thread = { ...stored.thread, id: `fork-${index}` };
		memory.threads.push({ thread, entries: stored.entries.filter(isBefore), last: number - 1 });
		return await store.copy(id, number, thread);
	}
	if (step.do === "forget") {
		stored.entries = stored.entries.filter(isBefore);
		return await store.forget(id, number);
	}
	const entryAt = step.pick % stored.entries.length;
	const entry = stored.entries[entryAt];
	if (entry === undefined) return;
	if (step.do === "settle") return await store.settle(id, entry.number);
	if (step.do === "replace") {
		stored.entries[entryAt] = { ...entry, body: step.body };
		return await store.replace(id, entry.number, step.body);
	}
	const { body } = entry;
	if (body.type !== "text" && body.type !== "thought") return;
	stored.entries[entryAt] = { ...entry, body: { ...body, text: body.text + step.text } };
	await store.more(id, entry.number, step.text);
}

async function expectSame(store: Store, memory: Memory, needle: string): Promise<void> {
	const newest = memory.newest();
	expect(await store.list({ limit: 1000 })).toEqual(newest.map(({ thread }) => thread));
	for (const { thread, entries } of newest) expect(await store.entries(thread.id)).toEqual(entries);
	const stats = newest.map(({ thread, entries }) => [thread.id, statsOf(entries)] as const);
	expect(await store.stats(["none", ...newest.map(({ thread }) => thread.id)])).toEqual(new Map(stats));
	const found = memory.finds(needle);
	for (const limit of [3, 1000]) {
		const results = await store.search(needle, { limit });
		expect(results.map(({ thread }) => thread.id)).toEqual(found.slice(0, limit));
	}
}

function statsOf(entries: readonly Entry[]): ThreadStats {
	const prompts = entries.flatMap(({ body }) => (body.type === "prompt" ? [body] : []));
	return {
		createdAt: entries.map(({ at }) => at).toSorted()[0],
		prompts: prompts.length,
		model: prompts.findLast(({ model }) => model !== undefined)?.model,
	};
}

// Characters that databases can get wrong: those that are special in patterns or JSON, and letters whose case databases
// don't know.
const ALPHABET = [..."aAbB%_~\\\"' \n\0äÄжЖ漢😀", "\ud83d", "\ude00"];

function someText(): fc.Arbitrary<string> {
	return fc.string({ unit: fc.constantFrom(...ALPHABET), maxLength: 6 });
}

function someTime(): fc.Arbitrary<string> {
	return fc.nat(20).map((second) => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString());
}

function somePermission(): fc.Arbitrary<Permission> {
	return fc.record({ kind: fc.constantFrom("edit", "command"), subject: someText() });
}

function someBody(): fc.Arbitrary<Body> {
	const text = someText();
	const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
	const type = <Type extends string>(name: Type) => fc.constant(name);
	const line = fc.integer({ min: 1, max: 99 });
	const file = fc.record({
		type: type("file"),
		path: text,
		lines: maybe(fc.record({ first: line, last: line })),
		content: maybe(text),
	});
	const call = fc.record({
		id: text,
		tool: text,
		kind: fc.constantFrom("read", "edit", "execute", "other"),
		title: text,
		status: fc.constantFrom("pending", "running", "done", "failed"),
		input: text,
		output: text,
		diffs: fc.array(
			fc.record(
				{ path: text, before: maybe(text), isBeforeUnknown: fc.boolean(), after: maybe(text) },
				{ requiredKeys: ["path", "before", "after"] },
			),
			{ maxLength: 2 },
		),
		locations: fc.array(fc.record({ path: text, line: maybe(line) }), { maxLength: 2 }),
	});
	const approval = fc.record({
		callId: text,
		permission: somePermission(),
		by: fc.constantFrom("person", "rule", "nobody"),
		answer: fc.constantFrom("once", "session", "always", "no"),
	});
	const usage = fc.record({
		inputTokens: fc.nat(),
		outputTokens: fc.nat(),
		cachedTokens: maybe(fc.nat()),
		costUsd: maybe(fc.double({ min: 0, max: 9, noNaN: true })),
	});
	const part = fc.oneof(
		fc.record({ type: type("text"), text }),
		fc.record({ type: type("image"), mediaType: text, base64: text }),
		file,
		fc.record({ type: type("excerpt"), label: text, content: text }),
	);
	const step = fc.record({ text, status: fc.constantFrom("pending", "running", "done") });
	return fc.oneof(
		fc.record({ type: type("prompt"), parts: fc.array(part, { maxLength: 3 }), model: maybe(text) }),
		fc.record({ type: type("agent"), agent: text, session: text }),
		{ weight: 4, arbitrary: fc.record({ type: type("text"), text }) },
		{ weight: 2, arbitrary: fc.record({ type: type("thought"), text, signature: maybe(text) }) },
		fc.record({ type: type("call"), call }),
		fc.record({ type: type("file"), path: text, content: text }),
		fc.record({ type: type("plan"), steps: fc.array(step, { maxLength: 2 }) }),
		fc.record({ type: type("approval"), approval }),
		fc.record({ type: type("usage"), usage }),
		fc.record({ type: type("summary"), text }),
		fc.record({ type: type("notice"), level: fc.constantFrom("info", "warning", "error"), text }),
		fc.record({
			type: type("end"),
			reason: fc.constantFrom("done", "cancelled", "length", "steps", "refused", "failed"),
		}),
	);
}
