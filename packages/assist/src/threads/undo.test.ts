import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { ChatFixture, type ChatFixtureOptions, calls, says } from "@segue/testing/chat/chat-fixture";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import { NoSuchThread, ThreadBusy, ThreadExists } from "../failures.js";
import type { Store } from "../store/store.js";

const FILES = { "a.ts": "const a = 1;\n", "b.ts": "const b = 2;\n" };
const ALL = { messages: true, files: true };
const READ_A = ["read_file", { path: "a.ts" }] as const;

/** Returns a call that replaces text in a file. */
function edit(file: string, before: string, after: string) {
	return ["edit_file", { path: file, old_text: before, new_text: after }] as const;
}

/**
 * Runs two turns: in the first, the model only answers; in the second, it makes these calls. `third` has the model's
 * answers for a third turn.
 */
async function twoTurns(
	second: readonly ReturnType<typeof calls>[],
	{ third = [], ...conditions }: ChatFixtureOptions & { third?: readonly ReturnType<typeof calls>[] } = {},
) {
	const answers = [says("First answer."), ...second, says("Second answer."), ...third];
	const chat = await ChatFixture.begin({ files: FILES, answers, ...conditions });
	await chat.prompt("First");
	const [before] = (await chat.entries()).slice(-1);
	await chat.prompt("Second");
	return { chat, number: (before?.number ?? 0) + 1 };
}

describe("rollback", () => {
	test("removes an entry and all later ones, and continues with new numbers", async () => {
		const { chat, number } = await twoTurns([calls(READ_A)]);
		const last = (await chat.entries()).at(-1)?.number ?? 0;
		expect(await chat.assist.rollback(chat.thread.id, number, ALL)).toEqual({ restored: [], left: [] });
		expect(await chat.lines()).toEqual(["prompt: First", "text: First answer.", "end: done"]);
		await chat.prompt("Third");
		expect((await chat.entries()).map((entry) => entry.number)).toEqual([1, 2, 3, last + 1, last + 2]);
		expect(JSON.stringify(chat.model.requests.at(-1)?.messages)).not.toMatch(/Second|const a/);
	});

	test("restores files that calls changed, created or deleted, unless they have changed since", async () => {
		const { chat, number } = await twoTurns([
			calls(READ_A, ["read_file", { path: "b.ts" }]),
			calls(edit("a.ts", "1", "7"), edit("a.ts", "7", "8"), ["delete_file", { path: "b.ts" }]),
			calls(["write_file", { path: "new/c.ts", content: "c" }], ["write_file", { path: "d.ts", content: "d" }]),
		]);
		await chat.tools.add({ "d.ts": "mine" });
		const { restored, left } = await chat.assist.rollback(chat.thread.id, number, ALL);
		const named = (files: readonly string[]) => files.map((file) => path.relative(chat.tools.root, file)).sort();
		expect([named(restored), named(left)]).toEqual([["a.ts", "b.ts", "new/c.ts"], ["d.ts"]]);
		expect(await chat.tools.text("a.ts")).toBe(FILES["a.ts"]);
		expect(await chat.tools.text("b.ts")).toBe(FILES["b.ts"]);
		expect(await chat.tools.text("d.ts")).toBe("mine");
		await expect(chat.tools.text("new/c.ts")).rejects.toThrow("ENOENT");
	});

	test("keeps the user's change between two calls, and undoes only later changes", async () => {
		const third = [calls(READ_A), calls(edit("a.ts", "70", "9"))];
		const { chat, number } = await twoTurns([calls(READ_A), calls(edit("a.ts", "1", "7"))], { third });
		await chat.tools.add({ "a.ts": "const a = 70;\n" });
		await chat.prompt("Third");
		const { left } = await chat.assist.rollback(chat.thread.id, number, ALL);
		expect(left).toEqual([path.join(chat.tools.root, "a.ts")]);
		expect(await chat.tools.text("a.ts")).toBe("const a = 70;\n");
	});

	test("does not undo or report declined changes", async () => {
		const { chat, number } = await twoTurns([calls(READ_A), calls(edit("a.ts", "1", "7"))], {
			approve: async () => "no",
		});
		await chat.tools.add({ "a.ts": "const a = 7;\n" });
		expect(await chat.assist.rollback(chat.thread.id, number, ALL)).toEqual({ restored: [], left: [] });
		expect(await chat.tools.text("a.ts")).toBe("const a = 7;\n");
	});

	test("does not report a change that failed", async () => {
		const { chat, number } = await twoTurns([calls(READ_A), calls(edit("a.ts", "1", "7"))], {
			approve: async ({ call }) => {
				await writeFile(call.diffs[0]?.path ?? "", "mine");
				return "once";
			},
		});
		expect((await chat.lines()).join()).toContain("failed: Edit a.ts: a.ts changed while");
		expect(await chat.assist.rollback(chat.thread.id, number, ALL)).toEqual({ restored: [], left: [] });
	});

	test("undoes a change made by a call that was cancelled while running", async () => {
		const chat: ChatFixture = await ChatFixture.begin({
			files: FILES,
			answers: [calls(READ_A), calls(edit("a.ts", "1", "7"))],
			buffers: {
				read: async () => undefined,
				write: async (file, text) => {
					await chat.tools.add({ [path.basename(file)]: text });
					chat.turn.abort();
					return true;
				},
			},
		});
		expect(await chat.prompt("Go")).toBe("cancelled");
		expect(await chat.tools.text("a.ts")).toBe("const a = 7;\n");
		const { restored } = await chat.assist.rollback(chat.thread.id, 1, ALL);
		expect(restored).toEqual([path.join(chat.tools.root, "a.ts")]);
		expect(await chat.tools.text("a.ts")).toBe(FILES["a.ts"]);
	});

	test("reports files that cannot be written and restores the others", async () => {
		const { chat, number } = await twoTurns([
			calls(READ_A, ["read_file", { path: "b.ts" }]),
			calls(edit("a.ts", "1", "7"), edit("b.ts", "2", "7")),
		]);
		await rm(path.join(chat.tools.root, "a.ts"));
		await chat.tools.add({ "a.ts/": "" });
		const { restored, left } = await chat.assist.rollback(chat.thread.id, number, ALL);
		expect([restored, left].map(([file = ""]) => path.basename(file))).toEqual(["b.ts", "a.ts"]);
	});

	test("never writes secret files, git's files or files outside the workspace", async () => {
		const chat = await ChatFixture.begin({ files: FILES });
		const diffs = ["../out.ts", ".env", ".git/hooks/pre-commit"].map((name) => {
			return { path: path.join(chat.tools.root, name), before: "harm", after: undefined };
		});
		const nothing = { title: "", input: "", output: "", locations: [] };
		const call = { id: "c", tool: "t", kind: "delete", status: "done", diffs, ...nothing } as const;
		await chat.store.append(chat.thread.id, "t", "2030-01-01T00:00:00.000Z", { type: "call", call });
		const { restored, left } = await chat.assist.rollback(chat.thread.id, 1, ALL);
		expect([restored, left.length]).toEqual([[], 3]);
		for (const { path: file } of diffs)
			await expect(chat.tools.text(path.relative(chat.tools.root, file))).rejects.toThrow("ENOENT");
	});

	test.each([
		[{ messages: true, files: false }, "const a = 7;\n", 3],
		[{ messages: false, files: true }, FILES["a.ts"], 10],
	])("restores only what is requested: %j", async (what, text, entries) => {
		const { chat, number } = await twoTurns([calls(READ_A), calls(edit("a.ts", "1", "7"))]);
		await chat.assist.rollback(chat.thread.id, number, what);
		expect(await chat.tools.text("a.ts")).toBe(text);
		expect(await chat.lines()).toHaveLength(entries);
	});

	test("forgets which files the model has read", async () => {
		const { chat, number } = await twoTurns([calls(READ_A)], { third: [calls(edit("a.ts", "1", "7"))] });
		await chat.assist.rollback(chat.thread.id, number, ALL);
		await chat.prompt("Third");
		expect((await chat.lines()).join()).toContain("Read a.ts before you change it.");
	});
});

describe("a fork", () => {
	test("has all entries up to the given one, and is independent of the original", async () => {
		const { chat, number } = await twoTurns([calls(READ_A)]);
		const before = await chat.entries();
		const fork = await chat.assist.fork(chat.thread.id, number - 1);
		expect(fork).toMatchObject({ title: "First (2)", workspace: chat.tools.root });
		expect(await chat.assist.thread(fork.id)).toEqual(fork);
		expect(await chat.assist.entries(fork.id)).toEqual(before.slice(0, 3));
		chat.thread = fork;
		await chat.prompt("Otherwise");
		expect(await chat.lines()).toEqual([
			"prompt: First",
			"text: First answer.",
			"end: done",
			"prompt: Otherwise",
			"end: done",
		]);
		expect(JSON.stringify(chat.model.requests.at(-1)?.messages)).not.toContain("Second");
	});

	test("does not look interrupted to the model if it ends in the middle of a turn", async () => {
		const { chat } = await twoTurns([calls(READ_A)]);
		const prompt = (await chat.entries()).findLast(({ body }) => body.type === "prompt");
		chat.thread = await chat.assist.fork(chat.thread.id, prompt?.number ?? 0);
		expect(await chat.lines()).toEqual([
			...["prompt: First", "text: First answer.", "end: done"],
			"prompt: Second",
			"end: done",
		]);
		await chat.prompt("Otherwise");
		expect(JSON.stringify(chat.model.requests.at(-1)?.messages)).not.toContain("cut off");
	});

	test("can have an id from the client, unless it is taken", async () => {
		const chat = await ChatFixture.begin({});
		expect(await chat.assist.create("/w", "chat-1")).toMatchObject({ id: "chat-1", workspace: "/w" });
		await expect(chat.assist.create("/v", "chat-1")).rejects.toThrow(new ThreadExists("chat-1"));
		expect(await chat.assist.thread("chat-1")).toMatchObject({ workspace: "/w" });
	});
});

test("clearing a thread keeps its title", async () => {
	const { chat } = await twoTurns([calls(READ_A)]);
	await chat.assist.clear(chat.thread.id);
	expect(await chat.entries()).toEqual([]);
	expect(await chat.assist.thread(chat.thread.id)).toMatchObject({ title: "First" });
});

test("stats report the start, number of prompts and model of each thread", async () => {
	const { chat } = await twoTurns([calls(READ_A)]);
	const empty = await chat.assist.create("/w");
	expect(await chat.assist.stats([chat.thread.id, empty.id, "none"])).toEqual(
		new Map([
			[chat.thread.id, { createdAt: "2030-01-02T03:04:05.678Z", prompts: 2, model: "test/first" }],
			[empty.id, { createdAt: undefined, prompts: 0, model: undefined }],
		]),
	);
});

describe.for([
	["rolled back", (chat: ChatFixture, id: string) => chat.assist.rollback(id, 1, ALL)],
	["forked", (chat: ChatFixture, id: string) => chat.assist.fork(id, 1)],
	["cleared", (chat: ChatFixture, id: string) => chat.assist.clear(id)],
] as const)("a thread cannot be %s", ([, change]) => {
	test("while a turn is running in it", async () => {
		const chat = await ChatFixture.begin({ answers: [[...says("Hm."), HOLD]] });
		const ended = chat.prompt("Go");
		await chat.model.holding();
		await expect(change(chat, chat.thread.id)).rejects.toThrow(new ThreadBusy(chat.thread.id));
		await chat.model.release();
		expect(await ended).toBe("done");
		expect(await chat.lines()).toEqual(["prompt: Go", "text: Hm.", "end: done"]);
		await change(chat, chat.thread.id);
	});

	test("if it does not exist", async () => {
		const chat = await ChatFixture.begin({});
		await expect(change(chat, "none")).rejects.toThrow(new NoSuchThread("none"));
	});
});

test("a turn waits until its thread has been cleared", async () => {
	const forgetting = deferred();
	const slow = (store: Store) => {
		const forget = store.forget.bind(store);
		store.forget = async (...which) => {
			await forgetting.opened;
			await forget(...which);
		};
		return store;
	};
	const { chat } = await twoTurns([calls(READ_A)], { store: slow });
	const { id } = chat.thread;
	const cleared = chat.assist.clear(id);
	await expect(chat.assist.clear(id)).rejects.toThrow(new ThreadBusy(id));
	const ended = chat.assist.prompt(id, [{ type: "text", text: "Third" }], chat, { signal: chat.turn.signal });
	await settled();
	expect(await chat.lines()).not.toContain("prompt: Third");
	forgetting.open();
	await cleared;
	expect(await ended).toBe("done");
	expect(await chat.lines()).toEqual(["prompt: Third", "end: done"]);
});
