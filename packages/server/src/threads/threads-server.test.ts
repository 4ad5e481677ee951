import type { Entry } from "@segue/assist";
import { StoreError } from "@segue/assist/failures";
import { ModelFailure } from "@segue/models";
import * as threads from "@segue/protocol/threads";
import { on, RpcError } from "@segue/rpc";
import { calls, never, says } from "@segue/testing/chat/chat-fixture";
import { ThreadsFixture } from "@segue/testing/editors/threads-fixture";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test, vi } from "vitest";

const EDIT = ["edit_file", { path: "a.txt", old_text: "one", new_text: "two" }] as const;
const READ = ["read_file", { path: "a.txt" }] as const;

describe("a thread", () => {
	test("is created, used, listed and read again", async () => {
		const stage = await ThreadsFixture.open({ answers: [says("Hel", "lo."), says("Bye.")] });
		const threadId = await stage.create();
		expect(await stage.entries(threadId)).toEqual([]);
		expect(await stage.send(threadId, "Hi there")).toBe(null);
		expect(stage.transcript.at(-1)).toBe("result 2 null");
		expect(await stage.send(threadId, "Bye")).toBe(null);
		expect(stage.agentText).toBe("Hello.Bye.");
		expect(await stage.entries(threadId)).toEqual([
			"user: Hi there",
			"assistant: Hello.",
			"user: Bye",
			"assistant: Bye.",
		]);
		const { threads: listed } = await stage.connection.request(threads.getThreads, null);
		const modifiedAt = "2030-01-02T03:04:05.678Z";
		expect(listed).toContainEqual({ id: threadId, title: "Hi there", modifiedAt });
		expect(stage.problems).toEqual([]);
	});

	test("is listed, with its folder's threads first, newest first, up to a limit", async () => {
		const stage = await ThreadsFixture.open();
		const { store, tools: box } = stage.conversation;
		const make = (id: string, workspace: string, second: number) =>
			store.create({
				id,
				title: id,
				workspace,
				modifiedAt: `2031-01-01T00:00:${String(second).padStart(2, "0")}.000Z`,
			});
		await make("there-new", "/elsewhere", 9);
		await make("here-old", box.root, 1);
		await make("there-old", "/elsewhere", 2);
		await make("here-new", box.root, 3);
		const ids = async () => (await stage.connection.request(threads.getThreads, null)).threads.map(({ id }) => id);
		expect(await ids()).toEqual(["here-new", "here-old", "id1", "there-new", "there-old"]);
		for (let i = 0; i < 210; i++) await make(`more${i}`, "/elsewhere", 4);
		expect(await ids()).toHaveLength(200);
		expect((await ids()).slice(0, 4)).toEqual(["here-new", "here-old", "id1", "there-new"]);
	});

	test("uses the settings chosen with another protocol", async () => {
		const chosen: unknown[] = [];
		const choose = (name: string | undefined) => {
			chosen.push(name);
			return stage.conversation.model;
		};
		const stage = await ThreadsFixture.open({ answers: [says("Yes.")], models: { names: [], choose } });
		const threadId = await stage.create();
		await stage.conversation.assist.saveSettings(threadId, { mode: "ask", model: "test/second", effort: "high" });
		await stage.send(threadId, "Hi");
		const [request] = stage.conversation.model.requests;
		expect(chosen).toEqual(["test/second"]);
		expect(request?.effort).toBe("high");
		expect(request?.tools.map(({ name }) => name)).not.toContain("write_file");
	});

	test("shows prompts sent with another protocol", async () => {
		const stage = await ThreadsFixture.open({ answers: [says("Seen.")] });
		const { thread } = stage.conversation;
		await stage.conversation.prompt([
			{ type: "text", text: "Look" },
			{ type: "image", mediaType: "image/png", base64: "AA==" },
			{ type: "excerpt", label: "Terminal", content: "$ ls" },
			{ type: "file", path: "/x/a.ts", lines: { first: 1, last: 2 }, content: "a" },
		]);
		const [prompt, reply] = await stage.entries(thread.id);
		expect(prompt).toBe("user: Look|[image: image/png]|Terminal\n$ ls|[/x/a.ts:1-2]");
		expect(reply).toContain("Seen.");
	});

	test("omits its oldest entries if it is too long for a response", async () => {
		const stage = await ThreadsFixture.open();
		const { store, thread } = stage.conversation;
		const add = (content: string) =>
			store.append(thread.id, "t", "2030-01-02T03:04:05.678Z", { type: "file", path: "/a", content });
		await add("old");
		await add("x".repeat(3 * 2 ** 20));
		await add("y".repeat(3 * 2 ** 20));
		await add("new");
		expect((await stage.entries(thread.id)).map((entry) => entry.slice(0, 12))).toEqual([
			"read /a: yyy",
			"read /a: new",
		]);
	});

	test.each([
		["a file", { type: "file", path: "/a", content: "😀".repeat(3 * 2 ** 20) } as const],
		["a message", { type: "prompt", parts: [{ type: "text", text: "😀".repeat(3 * 2 ** 20) }] } as const],
	])("truncates its newest entry if the entry is too long for a response: %s", async (_what, body) => {
		const stage = await ThreadsFixture.open();
		const { store, thread } = stage.conversation;
		await store.append(thread.id, "t", "2030-01-02T03:04:05.678Z", { type: "file", path: "/a", content: "old" });
		await store.append(thread.id, "t", "2030-01-02T03:04:05.678Z", body);
		const [entry, ...others] = await stage.entries(thread.id);
		expect(others).toEqual([]);
		expect(entry).toMatch(/: 😀{2097152}\n\[truncated: the thread has 2097152 more characters\]$/u);
	});

	test("is deleted if it is empty when the editor disconnects", async () => {
		const stage = await ThreadsFixture.open({ answers: [says("Yes.")] });
		const { assist, thread } = stage.conversation;
		const [empty, full] = [await stage.create(), await stage.create()];
		await stage.send(full, "Hi");
		await stage.leave();
		expect(await assist.thread(empty)).toBeUndefined();
		expect(await assist.thread(full)).toBeDefined();
		expect(await assist.thread(thread.id)).toBeDefined(); // created with another protocol
		expect(stage.engineCount).toBe(0);
	});

	test("is rejected with the field's name if it is unknown", async () => {
		const stage = await ThreadsFixture.open();
		const none = "-32602 Invalid params: params.threadId: unknown thread";
		expect(await stage.errorOf(stage.connection.request(threads.openThread, { threadId: "x" }))).toBe(none);
		expect(await stage.errorOf(stage.entries("x"))).toBe(none);
		expect(await stage.errorOf(stage.send("x", "Hi"))).toBe(none);
		expect(await stage.errorOf(stage.stream("x", "Hi"))).toBe(none);
		expect(await stage.errorOf(stage.connection.request(threads.stat, { threadId: "x", path: "a" }))).toBe(none);
		expect(stage.chunks).toEqual([]);
		// Text streamed to an unknown thread is discarded and starts no turn.
		await stage.create();
		expect(stage.conversation.model.requests).toEqual([]);
	});

	test("keeps its engine until the editor uses another thread, reopens this one or disconnects", async () => {
		const stage = await ThreadsFixture.open();
		const [one, two] = [await stage.create(), await stage.create()];
		expect(stage.engineCount).toBe(0);
		await stage.send(one, "Hi");
		expect(stage.engineCount).toBe(1);
		await stage.send(two, "Hi");
		expect(stage.engineCount).toBe(1);
		await stage.connection.request(threads.openThread, { threadId: two });
		expect(stage.engineCount).toBe(0);
		await stage.send(two, "Hi");
		await stage.leave();
		await settled();
		expect(stage.engineCount).toBe(0);
	});
});

describe("a turn", () => {
	test("includes thoughts, calls and plans in its text, and files as entries", async () => {
		const stage = await ThreadsFixture.open({
			files: { "a.txt": "one\n" },
			answers: [
				[
					{ type: "thought", text: "Hm.\nWell.", signature: undefined },
					...says("I ", "look."),
					...calls([
						"update_plan",
						{
							steps: [
								{ text: "Look", status: "running" },
								{ text: "Tell", status: "pending" },
							],
						},
					]),
				],
				[...calls(["read_file", { path: "none.txt" }])],
				[...calls(READ)],
				says("It says one."),
			],
		});
		const threadId = await stage.create();
		await stage.send(threadId, "Look");
		expect(stage.agentText).toBe(
			"> Hm.\n> Well.\n\nI look.\n\n▸ Look\n☐ Tell\n\n✓ Update the plan\n" +
				"✗ Read none.txt: none.txt does not exist. Use find_files to find files by name.\n✓ Read a.txt\n\nIt says one.",
		);
		expect(await stage.entries(threadId)).toEqual([
			"user: Look",
			"assistant: > Hm.\n> Well.|\n\nI look.|\n\n✓ Update the plan\n|\n▸ Look\n☐ Tell\n|" +
				"\n✗ Read none.txt: none.txt does not exist. Use find_files to find files by name.\n|✓ Read a.txt\n",
			"read ROOT/a.txt: one",
			"assistant: It says one.",
		]);
	});

	test("denies actions that need permission and explains how to allow them", async () => {
		const answers = [[...calls(READ)], [...calls(EDIT)], says("Well.")];
		const stage = await ThreadsFixture.open({ files: { "a.txt": "one\n" }, answers });
		const threadId = await stage.create();
		await stage.send(threadId, "Make it two");
		expect(await stage.conversation.tools.text("a.txt")).toBe("one\n");
		expect(stage.agentText).toContain(
			'! Not allowed, because this editor cannot ask for permission: edit a.txt. To allow it, add {"kind":"edit","pattern":"a.txt","answer":"allow"} to "approvals"',
		);
		expect(stage.agentText).toContain("\n✗ Edit a.txt\n");
	});

	test.each([
		["allow", "two\n", "✓ Edit a.txt"],
		["deny", "one\n", "! Denied by a rule: edit a.txt"],
	] as const)("follows a rule with the answer %s", async (answer, content, line) => {
		const answers = [[...calls(READ)], [...calls(EDIT)], says("Well.")];
		const rules = [{ kind: "edit" as const, pattern: "*.txt", answer }];
		const stage = await ThreadsFixture.open({ files: { "a.txt": "one\n" }, answers, rules });
		await stage.send(await stage.create(), "Make it two");
		expect(await stage.conversation.tools.text("a.txt")).toBe(content);
		expect(stage.agentText).toContain(line);
	});

	test("shows an error in its text and in the response", async () => {
		const failure = new ModelFailure("unknown-model", "There is no such model. Choose another.");
		const stage = await ThreadsFixture.open({ answers: [[...says("Let me"), failure]] });
		const threadId = await stage.create();
		expect(await stage.errorOf(stage.send(threadId, "Hi"))).toBe("-32603 There is no such model. Choose another.");
		expect(stage.agentText).toBe("Let me\n\n✗ There is no such model. Choose another.\n");
		expect(stage.transcript.slice(-1)).toEqual(["error -32603"]);
		expect(await stage.entries(threadId)).toEqual([
			"user: Hi",
			"assistant: Let me|\n\n✗ There is no such model. Choose another.\n",
		]);
	});

	test("explains what to do without a model, and still runs commands", async () => {
		const models = { names: [], choose: () => ({ why: "Set SEGUE_MODEL first." }) };
		const stage = await ThreadsFixture.open({ models });
		const threadId = await stage.create();
		expect(await stage.errorOf(stage.send(threadId, "Hi"))).toBe("-32603 Set SEGUE_MODEL first.");
		expect(stage.agentText).toBe("! Set SEGUE_MODEL first.\n");
		expect(await stage.send(threadId, "/help")).toBe(null);
		expect(stage.agentText).toContain("/conversations");
	});

	test("saves the model chosen with /model as part of the thread", async () => {
		const stage = await ThreadsFixture.open({
			models: { names: ["test/scripted"], choose: () => stage.conversation.model },
		});
		const threadId = await stage.create();
		const { assist } = stage.conversation;
		await assist.saveSettings(threadId, { mode: "ask" });
		await stage.send(threadId, "/help");
		expect(await assist.settings(threadId)).toEqual({ mode: "ask" });
		await stage.send(threadId, "/model test/scripted");
		expect(await assist.settings(threadId)).toEqual({ mode: "ask", model: "test/scripted" });
	});

	test("shows in the thread why it cannot start", async () => {
		const stage = await ThreadsFixture.open({
			store: (store) => {
				return Object.assign(Object.create(store), { append: () => Promise.reject(new RpcError(-32603, "Fix it.")) });
			},
		});
		expect(await stage.errorOf(stage.send(await stage.create(), "Hi"))).toBe("-32603 Fix it.");
		expect(stage.agentText).toBe("✗ Fix it.\n");
	});

	test("runs one at a time in a thread, and in parallel in different threads", async () => {
		const stage = await ThreadsFixture.open({ answers: [[HOLD, ...says("One.")], says("Two.")] });
		const [one, two] = [await stage.create(), await stage.create()];
		const turn = stage.send(one, "Hi");
		await stage.conversation.model.holding();
		const busy =
			"-32600 Invalid request: a turn is running in this thread; wait for it to end, or stream the message to queue it";
		expect(await stage.errorOf(stage.send(one, "Hi?"))).toBe(busy);
		await stage.send(two, "Hi");
		expect(stage.agentText).toBe("Two.");
		await stage.conversation.model.release();
		await turn;
		expect(stage.agentText).toBe("Two.One.");
	});

	test("is rejected while too many turns are running, and keeps its streamed text", async () => {
		const stage = await ThreadsFixture.open({ answers: Array.from({ length: 16 }, () => [HOLD]) });
		const turns: Promise<unknown>[] = [];
		const last = await stage.create();
		for (let i = 0; i < 16; i++) turns.push(stage.send(await stage.create(), "Hi"));
		await stage.stream(last, "Hi ");
		const busy = "-32001 Busy: 16 turns are running; wait for one to end";
		expect(await stage.errorOf(stage.send(last, "there"))).toBe(busy);
		expect(await stage.errorOf(stage.connection.request(threads.openThread, { threadId: last }))).toBe(busy);
		for (const _ of turns) await stage.conversation.model.release();
		await Promise.all(turns);
		await stage.send(last, "there");
		expect((await stage.entries(last))[0]).toBe("user: Hi there");
	});

	test.each<[string, string, "user" | "assistant", string]>([
		["without text", " \n", "user", "params.message.chunks: the message is empty"],
		["from the assistant", "Hi", "assistant", 'params.message.role: expected "user", because'],
	])("is not started by a message %s", async (_title, text, role, why) => {
		const stage = await ThreadsFixture.open();
		expect(await stage.errorOf(stage.send(await stage.create(), text, role))).toContain(
			`-32602 Invalid params: ${why}`,
		);
		expect(stage.conversation.model.requests).toEqual([]);
	});

	test("is cancelled when the editor disconnects, and keeps its entries", async () => {
		const stage = await ThreadsFixture.open({ answers: [[...says("Once"), HOLD, ...says(" more")]] });
		const threadId = await stage.create();
		const turn = stage.send(threadId, "Tell");
		await stage.conversation.model.holding();
		await stage.leave();
		await expect(turn).rejects.toThrow("has no answer");
		await expect
			.poll(async () => (await stage.conversation.assist.entries(threadId)).map(({ body }) => body).at(-1))
			.toEqual({ type: "end", reason: "cancelled" });
	});
});

describe("a streamed message", () => {
	test("is complete when the thread is opened, and is answered in chunks", async () => {
		const stage = await ThreadsFixture.open({ answers: [says("Hello.")] });
		const threadId = await stage.create();
		await stage.stream(threadId, "Hi ");
		await stage.stream(threadId, "there");
		expect(stage.conversation.model.requests).toEqual([]);
		await stage.connection.request(threads.openThread, { threadId });
		await expect.poll(() => stage.agentText).toBe("Hello.");
		expect(await stage.entries(threadId)).toEqual(["user: Hi there", "assistant: Hello."]);
	});

	test("is prepended to a message sent to the same thread", async () => {
		const stage = await ThreadsFixture.open({ answers: [says("Hello."), says("Yes.")] });
		const threadId = await stage.create();
		await stage.stream(threadId, "Hi ");
		await stage.send(threadId, "there");
		await stage.stream(threadId, "All?");
		await stage.send(threadId, "");
		const entries = ["user: Hi there", "assistant: Hello.", "user: All?", "assistant: Yes."];
		expect(await stage.entries(threadId)).toEqual(entries);
	});

	test("is complete when a message is streamed or sent to another thread", async () => {
		const stage = await ThreadsFixture.open({ answers: [says("One."), says("Two."), says("Three.")] });
		const [one, two] = [await stage.create(), await stage.create()];
		await stage.stream(one, "1");
		await stage.stream(two, "2");
		await expect.poll(() => stage.agentText).toBe("One.");
		await stage.send(one, "3");
		await expect.poll(() => stage.chunks.toSorted()).toEqual(["One.", "Three.", "Two."]);
		await expect.poll(() => stage.entries(two)).toHaveLength(2);
	});

	test("waits for the running turn of its thread", async () => {
		const stage = await ThreadsFixture.open({ answers: [[HOLD, ...says("One.")], says("Two.")] });
		const threadId = await stage.create();
		const turn = stage.send(threadId, "1");
		await stage.conversation.model.holding();
		await stage.stream(threadId, "2");
		await stage.connection.request(threads.openThread, { threadId });
		await settled();
		expect(stage.conversation.model.requests).toHaveLength(1);
		await stage.conversation.model.release();
		await turn;
		await expect.poll(() => stage.agentText).toBe("One.Two.");
		const entries = ["user: 1", "assistant: One.", "user: 2", "assistant: Two."];
		expect(await stage.entries(threadId)).toEqual(entries);
	});

	test("is shown while incomplete, and stored if the editor disconnects", async () => {
		const stage = await ThreadsFixture.open();
		const { assist, model } = stage.conversation;
		const threadId = await stage.create();
		await stage.stream(threadId, "Remember ");
		await stage.stream(threadId, "this");
		expect(await stage.entries(threadId)).toEqual(["user: Remember this"]);
		await stage.leave();
		expect((await assist.entries(threadId)).map(({ body }) => body)).toEqual([
			{ type: "prompt", parts: [{ type: "text", text: "Remember this" }] },
			{ type: "end", reason: "cancelled" },
		]);
		expect((await assist.thread(threadId))?.title).toBe("Remember this");
		expect(model.requests).toEqual([]);
		expect(stage.problems).toEqual([]);
	});

	test("loses only the rejected chunk if the store fails temporarily", async () => {
		const stage = await ThreadsFixture.open({ answers: [says("Yes.")] });
		const { assist } = stage.conversation;
		const threadId = await stage.create();
		await stage.stream(threadId, "one ");
		const failing = vi.spyOn(assist, "thread").mockRejectedValueOnce(new StoreError("the disk is full"));
		await expect(stage.stream(threadId, "two ")).rejects.toThrow("Internal error");
		failing.mockRestore();
		await stage.stream(threadId, "three");
		expect(await stage.entries(threadId)).toEqual(["user: one three"]);
	});

	test("has a maximum length", async () => {
		const stage = await ThreadsFixture.open();
		const threadId = await stage.create();
		await stage.stream(threadId, "x".repeat(2 ** 20));
		const error = await stage.errorOf(stage.stream(threadId, "x"));
		expect(error).toBe("-32602 Invalid params: params.chunk: a message must not exceed 1048576 characters");
	});

	test("shows a failed turn's error in the thread", async () => {
		const failure = new ModelFailure("unknown-model", "There is no such model.");
		const stage = await ThreadsFixture.open({ answers: [[failure]] });
		const threadId = await stage.create();
		await stage.stream(threadId, "Hi");
		await stage.connection.request(threads.openThread, { threadId });
		await expect.poll(() => stage.agentText).toBe("✗ There is no such model.\n");
		expect(stage.problems).toEqual([]);
	});
});

describe("an editor's buffers", () => {
	test("take precedence over the disk, and reads are recorded as entries", async () => {
		const requests: unknown[] = [];
		const reads = on(threads.readTextFile, (params) => {
			requests.push(params);
			return { version: 3, content: "unsaved\n" };
		});
		const answers = [[...calls(READ)], says("Unsaved.")];
		const stage = await ThreadsFixture.open({ files: { "a.txt": "saved\n" }, answers }, [reads]);
		const threadId = await stage.create();
		await stage.send(threadId, "Look");
		const { root } = stage.conversation.tools;
		expect(requests).toContainEqual({ threadId, path: `${root}/a.txt` });
		expect(await stage.entries(threadId)).toContain("read ROOT/a.txt: unsaved");
		expect(JSON.stringify(stage.conversation.model.requests.at(-1))).toContain("unsaved");
	});

	test("are requested once if the editor does not support the method", async () => {
		const answers = [[...calls(READ)], [...calls(READ)], says("Saved."), [...calls(READ)], says("Still.")];
		const stage = await ThreadsFixture.open({ files: { "a.txt": "saved\n" }, answers });
		const threadId = await stage.create();
		await stage.send(threadId, "Look");
		await stage.send(threadId, "Look");
		expect(await stage.entries(threadId)).toContain("read ROOT/a.txt: saved");
		expect(stage.transcript.filter((each) => each === "readTextFile")).toHaveLength(1);
	});

	test("are requested again if the editor merely did not have the file", async () => {
		const reads = on(threads.readTextFile, () => {
			throw new RpcError(-32602, "not open");
		});
		const answers = [[...calls(READ)], [...calls(READ)], says("Saved.")];
		const stage = await ThreadsFixture.open({ files: { "a.txt": "saved\n" }, answers }, [reads]);
		const threadId = await stage.create();
		await stage.send(threadId, "Look");
		expect(await stage.entries(threadId)).toContain("read ROOT/a.txt: saved");
		expect(stage.transcript.filter((each) => each === "readTextFile").length).toBeGreaterThan(1);
	});

	test("time out if the editor never responds", async () => {
		const requested = deferred();
		const reads = on(threads.readTextFile, () => {
			requested.open();
			return never();
		});
		const answers = [[...calls(READ)], says("Saved.")];
		const stage = await ThreadsFixture.open({ files: { "a.txt": "saved\n" }, answers }, [reads]);
		const threadId = await stage.create();
		const turn = stage.send(threadId, "Look");
		await requested.opened;
		stage.clock.advance(5000);
		await turn;
		expect(await stage.entries(threadId)).toContain("read ROOT/a.txt: saved");
	});
});

describe("chunks", () => {
	/** Releases the eight letters one by one, each after the previous one was sent. Resolves once all are stored. */
	async function releaseLetters(stage: ThreadsFixture, threadId: string, chunks: readonly string[]): Promise<void> {
		for (const letter of LETTERS) {
			await stage.conversation.model.release();
			if (letter <= "d") await expect.poll(() => chunks.at(-1)).toBe(letter);
		}
		await expect.poll(() => stage.conversation.store.entries(threadId).then(textIn)).toBe("abcdefgh");
		await settled();
	}

	const LETTERS = [..."abcdefgh"];
	const ANSWER = LETTERS.flatMap((letter) => [HOLD, ...says(letter)]);

	test("wait for responses to earlier chunks and are merged in the meantime", async () => {
		const pending: (() => void)[] = [];
		const chunks: string[] = [];
		const slow = on(threads.streamMessageChunk, ({ chunk }) => {
			chunks.push(chunk.chunk);
			return new Promise<null>((resolve) => pending.push(() => resolve(null)));
		});
		const stage = await ThreadsFixture.open({ answers: [ANSWER] }, [slow]);
		const threadId = await stage.create();
		const turn = stage.send(threadId, "Go");
		await releaseLetters(stage, threadId, chunks);
		expect(chunks).toEqual(["a", "b", "c", "d"]);
		pending.shift()?.();
		await expect.poll(() => chunks).toEqual(["a", "b", "c", "d", "efgh"]);
		expect(stage.transcript.at(-1)).toBe("chunk efgh");
		for (const respond of pending) respond();
		expect(await turn).toBe(null);
	});

	test("become one message at the end of each turn for a peer that does not support them", async () => {
		const messages: unknown[] = [];
		const whole = on(threads.sendMessage, (params) => {
			messages.push(params);
			return null;
		});
		const unknown = on(threads.streamMessageChunk, () => {
			throw new RpcError(-32601, "Method not found - 'streamMessageChunk'");
		});
		const stage = await ThreadsFixture.open({ answers: [says("Hel", "lo."), says("Bye.")] }, [whole, unknown]);
		const threadId = await stage.create();
		await stage.send(threadId, "Hi");
		await stage.send(threadId, "Bye");
		const message = (text: string) => ({
			threadId,
			message: { role: "assistant", chunks: [{ type: "text", chunk: text }] },
		});
		expect(messages).toEqual([message("Hello."), message("Bye.")]);
		const ends = stage.transcript.filter((each) => /^(?:sendMessage|result [12])/.test(each));
		expect(ends).toEqual(["sendMessage", "result 1 null", "sendMessage", "result 2 null"]);
		expect(stage.transcript.filter((each) => each.startsWith("chunk")).length).toBeLessThanOrEqual(2);
	});

	test("can be answered with errors", async () => {
		const failing = on(threads.streamMessageChunk, () => {
			throw new RpcError(-32602, "no such thread");
		});
		const stage = await ThreadsFixture.open({ answers: [says("Hello.")] }, [failing]);
		expect(await stage.send(await stage.create(), "Hi")).toBe(null);
	});

	test("are all sent without blocking the turn if the peer never responds", async () => {
		const chunks: string[] = [];
		const silent = on(threads.streamMessageChunk, ({ chunk }) => {
			chunks.push(chunk.chunk);
			return never();
		});
		const stage = await ThreadsFixture.open({ answers: [ANSWER, says("i", "j")] }, [silent]);
		const threadId = await stage.create();
		const turn = stage.send(threadId, "Go");
		await releaseLetters(stage, threadId, chunks);
		expect(chunks).toEqual(["a", "b", "c", "d"]);
		stage.clock.advance(5000);
		await turn;
		expect(chunks).toEqual(["a", "b", "c", "d", "efgh"]);
		await stage.send(threadId, "Again");
		expect(chunks.slice(5)).toEqual(["ij"]);
		expect(stage.clock.isIdle).toBe(true);
	});
});

function textIn(entries: readonly Entry[]): string | undefined {
	const body = entries.map((entry) => entry.body).findLast(({ type }) => type === "text");
	return body?.type === "text" ? body.text : undefined;
}
