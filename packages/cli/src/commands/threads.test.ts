import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { MemoryThreads, ThreadsEditor } from "@segue/editor";
import { lines } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { quirkyLine } from "@segue/testing/agents/quirky-agent";
import { type ModelServer, startModelServer } from "@segue/testing/models/model-server";
import { Home } from "@segue/testing/process/home";
import type { ServingSegue } from "@segue/testing/process/running-segue";
import { servingInMemory } from "@segue/testing/process/segue-in-memory";
import { serveInProcess } from "@segue/testing/process/segue-process";
import { WAIT } from "@segue/testing/setup/tier";
import { describe, expect, onTestFinished, test } from "vitest";
import { runSegue } from "../program.js";

const serveInMemory = servingInMemory(runSegue);

// `segue threads`, in memory or in its own process, with Segue's own client or another peer.

function environment(home: Home, model?: ModelServer): Record<string, string> {
	if (model === undefined) return { SEGUE_HOME: home.home };
	return { SEGUE_HOME: home.home, SEGUE_MODEL: "openai-compatible/scripted", SEGUE_BASE_URL: model.url };
}

/** Segue's own client, with one unsaved file. */
class Talk {
	text = "";

	private constructor(readonly editor: ThreadsEditor) {}

	static start(home: Home, env: Record<string, string>, ...args: readonly string[]): Talk {
		return Talk.with(serveInMemory(["threads", ...args], { folder: home.project, env }), home);
	}

	static startProcess(home: Home, env: Record<string, string>): Talk {
		return Talk.with(serveInProcess(["threads"], { folder: home.project, env }), home);
	}

	private static with({ input, output }: ServingSegue, home: Home): Talk {
		const folder = pathToFileURL(home.project).href;
		const talk: Talk = new Talk(
			new ThreadsEditor(overStreams(output, input, lines), {
				folder,
				threads: new MemoryThreads(),
				chunk: (_threadId, text) => {
					talk.text += text;
				},
				report: ({ text }) => {
					talk.text += `problem: ${text}`;
				},
				readText: (uri) => (uri === `${folder}/a.txt` ? { content: "unsaved\n", version: 2 } : undefined),
			}),
		);
		return talk;
	}

	async close(): Promise<void> {
		await this.editor.close();
	}
}

test("client and server chat, read an unsaved file, and find the thread again in the next process", async () => {
	using home = new Home({ "project/a.txt": "saved\n" });
	const model = await startModelServer([
		[{ thought: "Let me see." }, "I ", "look.", { call: "read_file", id: "c1", input: ['{"path":', '"a.txt"}'] }],
		["It says unsaved."],
		["You asked me to look."],
	]);
	onTestFinished(() => model.stop());
	const first = Talk.startProcess(home, environment(home, model));
	expect(await first.editor.getThreads()).toEqual([]);
	const threadId = await first.editor.createThread();
	await first.editor.sendMessage(threadId, "Look at a.txt");
	expect(first.text).toBe("> Let me see.\n\nI look.\n\n✓ Read a.txt\n\nIt says unsaved.");
	expect(JSON.stringify(model.requests[1]?.body)).toContain("unsaved");
	const entries = await first.editor.getThreadEntries(threadId);
	const text = (chunk: string) => ({ type: "text", chunk });
	expect(entries).toEqual([
		{ type: "message", role: "user", chunks: [text("Look at a.txt")] },
		{
			type: "message",
			role: "assistant",
			chunks: [text("> Let me see."), text("\n\nI look."), text("\n\n✓ Read a.txt\n")],
		},
		{ type: "readFile", path: path.join(home.project, "a.txt"), content: "unsaved" },
		{ type: "message", role: "assistant", chunks: [text("It says unsaved.")] },
	]);
	await first.close();

	const second = Talk.startProcess(home, environment(home, model));
	expect(await second.editor.getThreads()).toEqual([
		{ id: threadId, title: "Look at a.txt", modifiedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
	]);
	await second.editor.openThread(threadId);
	expect(await second.editor.getThreadEntries(threadId)).toEqual(entries);
	await second.editor.sendMessage(threadId, "What did I ask?");
	expect(second.text).toBe("You asked me to look.");
	expect(JSON.stringify(model.requests[2]?.body)).toMatch(/Look at a\.txt.*It says unsaved.*What did I ask\?/s);
	await second.close();
});

describe("with another agent", () => {
	const quirky = () => ["--agent", quirkyLine()] as const;

	test("shows the agent's thoughts, plans, calls and messages, uses its title, and denies its requests", async () => {
		using home = new Home({ "project/a.txt": "one\n" });
		const talk = Talk.start(home, environment(home), ...quirky());
		const threadId = await talk.editor.createThread();
		await talk.editor.sendMessage(threadId, "everything");
		expect(talk.text).toMatch(
			/^> Hm\.\n\n▸ Look\n\nLooking\.\n\n! Not allowed, .*edit a\.txt.*\n✗ Edit a\.txt.*\n\nAnswer: /,
		);
		expect((await talk.editor.getThreads()).map(({ title }) => title)).toEqual(["A new name"]);
		await expect(talk.editor.sendMessage(threadId, "error no room left")).rejects.toThrow("no room left");
		expect(talk.text).toContain("no room left");
		await talk.close();
	});

	test("performs the actions that a rule allows", async () => {
		using home = new Home({
			"project/a.txt": "one\n",
			"home/config.json": { approvals: [{ kind: "edit", pattern: "*.txt", answer: "allow" }] },
		});
		const talk = Talk.start(home, environment(home), ...quirky());
		await talk.editor.sendMessage(await talk.editor.createThread(), "everything");
		expect(talk.text).toContain("✓ Edit a.txt\n\nAnswer: yes");
		await talk.close();
	});

	test("ends a turn when the editor disconnects, and keeps the text", async () => {
		using home = new Home();
		const talk = Talk.start(home, environment(home), ...quirky());
		const threadId = await talk.editor.createThread();
		const turn = talk.editor.sendMessage(threadId, "wait");
		await expect.poll(() => talk.text, WAIT).toBe("Waiting.");
		await Promise.all([expect(turn).rejects.toThrow("has no answer"), talk.close()]);
		const next = Talk.start(home, environment(home), ...quirky());
		await expect
			.poll(() => next.editor.getThreadEntries(threadId), WAIT)
			.toMatchObject([
				{ role: "user" },
				{ role: "assistant", chunks: [{ chunk: expect.stringContaining("Waiting.") }] },
			]);
		await next.close();
	});
});

/**
 * A peer that behaves like programs from the time of the draft: ids count from 0 on both sides, empty `params` are
 * omitted, every message has a `jsonrpc` member, and messages are handled one after the other.
 */
class OldPeer {
	/** Short descriptions of the received messages, in order of arrival. */
	readonly received: string[] = [];
	private readonly segue: ServingSegue;
	private readonly waiting = new Map<number, (message: Message) => void>();
	private nextId = 0;
	private work: Promise<unknown> = Promise.resolve();

	constructor(
		home: Home,
		model: ModelServer,
		private readonly serve: Readonly<Record<string, (params: Params) => unknown>>,
	) {
		this.segue = serveInMemory(["threads"], { folder: home.project, env: environment(home, model) });
		createInterface(this.segue.output).on("line", (line) => {
			this.work = this.work.then(() => this.take(JSON.parse(line)));
		});
	}

	async call(method: string, params?: object): Promise<Message> {
		const id = this.nextId++;
		this.segue.input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, ...(params && { params }) })}\n`);
		return new Promise((resolve) => this.waiting.set(id, resolve));
	}

	/** Writes a line unchanged. Returns the response that has no id. */
	async line(text: string): Promise<Message> {
		this.segue.input.write(`${text}\n`);
		return new Promise((resolve) => this.waiting.set(Number.NaN, resolve));
	}

	/** Returns the exit code or the signal. */
	async end(how: "input" | NodeJS.Signals): Promise<number | NodeJS.Signals> {
		if (how === "input") this.segue.input.end();
		else this.segue.kill(how);
		return this.segue.ended;
	}

	private async take(message: Message): Promise<void> {
		expect(message).not.toHaveProperty("jsonrpc");
		if (message.method === undefined) {
			const id = message.id ?? Number.NaN;
			expect("result" in message).toBe(message.error === undefined);
			this.received.push(`answer ${message.id}`);
			this.waiting.get(id)?.(message);
			return;
		}
		this.received.push(`${message.id} ${message.method}`);
		const serve = this.serve[message.method];
		const answer =
			serve === undefined
				? { error: { code: -32601, message: `Method not found - '${message.method}'` } }
				: { result: (await serve(message.params ?? {})) ?? null };
		this.segue.input.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer })}\n`);
	}
}

interface Params {
	readonly path?: string;
	readonly chunk?: { readonly chunk: string };
	readonly message?: { readonly role: string; readonly chunks: readonly { readonly chunk: string }[] };
}

interface Message {
	readonly id: number | null;
	readonly method?: string;
	readonly params?: Params;
	readonly result?: unknown;
	readonly error?: { readonly code: number; readonly message: string };
}

describe("a peer from the time of the draft", () => {
	test("gets the messages that it expects", async () => {
		using home = new Home({ "project/a.txt": "saved\n" });
		const model = await startModelServer([
			[{ call: "read_file", id: "c1", input: ['{"path":"a.txt"}'] }],
			["Un", "saved."],
		]);
		onTestFinished(() => model.stop());
		let text = "";
		const file = path.join(home.project, "a.txt");
		const peer = new OldPeer(home, model, {
			streamMessageChunk: ({ chunk }) => {
				text += chunk?.chunk;
			},
			readTextFile: (params) => ({ version: 0, content: params.path === file ? "unsaved\n" : "" }),
		});
		expect(await peer.call("getThreads")).toEqual({ id: 0, result: { threads: [] } });
		const { result } = await peer.call("createThread");
		const threadId = (result as { threadId: string }).threadId;
		expect(await peer.call("openThread", { threadId })).toEqual({ id: 2, result: null });
		const message = { role: "user", chunks: [{ type: "text", chunk: "Look" }] };
		expect(await peer.call("sendMessage", { threadId, message })).toEqual({ id: 3, result: null });
		expect(text).toBe("✓ Read a.txt\n\nUnsaved.");
		// The agent's ids also count from 0, independently.
		const requests = peer.received.filter((each) => !each.startsWith("answer"));
		expect(requests.map((each) => Number.parseInt(each, 10))).toEqual(requests.map((_, i) => i));
		expect(peer.received.at(-1)).toBe("answer 3");
		expect(await peer.call("nonExistentMethod")).toEqual({
			id: 4,
			error: { code: -32601, message: "Method not found - 'nonExistentMethod'" },
		});
		expect(await peer.line("{ oops")).toEqual({
			id: null,
			error: { code: -32700, message: "Parse error: the message is not JSON" },
		});
		expect(await peer.call("readTextFile", { threadId, path: "a.txt", lineOffset: -1 })).toMatchObject({
			error: { code: -32602, message: expect.stringContaining("params.lineOffset") },
		});
		expect(await peer.call("readTextFile", { threadId, path: "a.txt" })).toMatchObject({
			result: { content: "saved\n" },
		});
		expect(await peer.end("input")).toBe(0);
	});

	test("receives the end of a turn even after its input has ended, and its streamed text is stored", async () => {
		using home = new Home();
		const model = await startModelServer([["Once", { hold: true }, " more"]]);
		onTestFinished(() => model.stop());
		const first = new OldPeer(home, model, { streamMessageChunk: () => null });
		const { threadId } = (await first.call("createThread")).result as { threadId: string };
		const message = { role: "user", chunks: [{ type: "text", chunk: "Tell" }] };
		const turn = first.call("sendMessage", { threadId, message });
		await expect.poll(() => first.received.join(), WAIT).toContain("streamMessageChunk");
		await first.call("streamMessageChunk", { threadId, chunk: { type: "text", chunk: "And then?" } });
		expect(await first.end("input")).toBe(0);
		expect((await turn).result).toBe(null);
		const second = new OldPeer(home, model, {});
		const { result } = await second.call("getThreadEntries", { threadId });
		const chunksOf = (role: string, chunk: string) => ({ type: "message", role, chunks: [{ type: "text", chunk }] });
		expect(result).toEqual({
			entries: [chunksOf("user", "Tell"), chunksOf("assistant", "Once"), chunksOf("user", "And then?")],
		});
		expect(await second.end("input")).toBe(0);
	});

	test("may stream the user's text and receive the answer as a single message", async () => {
		using home = new Home({ "project/a.txt": "saved\n" });
		const model = await startModelServer([["Hel", "lo."]]);
		onTestFinished(() => model.stop());
		const messages: unknown[] = [];
		const peer = new OldPeer(home, model, {
			sendMessage: (params) => {
				messages.push(params);
			},
		});
		const { result } = await peer.call("createThread");
		const threadId = (result as { threadId: string }).threadId;
		for (const chunk of ["Hi ", "there"]) {
			const answer = await peer.call("streamMessageChunk", { threadId, chunk: { type: "text", chunk } });
			expect(answer.result).toBe(null);
		}
		await peer.call("openThread", { threadId });
		const message = { role: "assistant", chunks: [{ type: "text", chunk: "Hello." }] };
		await expect.poll(() => messages, WAIT).toEqual([{ threadId, message }]);
		const glob = await peer.call("globSearch", { threadId, pattern: "*" });
		expect(glob.result).toEqual({ matches: ["a.txt"] });
		const stat = await peer.call("stat", { threadId, path: home.project });
		expect(stat.result).toEqual({ exists: true, isDirectory: true });
		const bytes = await peer.call("readBinaryFile", { threadId, path: "a.txt", byteOffset: 1, byteLimit: 2 });
		expect(bytes.result).toMatchObject({ content: Buffer.from("av").toString("base64") });
		expect(await peer.end("SIGTERM")).toBe(128 + 15);
	});
});
