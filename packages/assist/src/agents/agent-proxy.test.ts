import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
	agentProcesses,
	type OtherAgent,
	type OtherAgentOptions,
	type OtherAgentSession,
	type PermissionAnswer,
	type Relay,
	type Verbatim,
} from "@segue/assist";
import { acpAgent, acpSession, type VerbatimRelay } from "@segue/assist/acp";
import { PeerError } from "@segue/rpc";
import { QuirkyAgents, quirkyAgent } from "@segue/testing/agents/quirky-agent";
import { ChatFixture, type ChatFixtureOptions } from "@segue/testing/chat/chat-fixture";
import { isAll, WAIT } from "@segue/testing/setup/tier";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { AgentProxy } from "./agent-proxy.js";
import type { AgentSession } from "./session.js";

/** A chat with the quirky agent, which imitates the quirks of real agents. */
class Fronted {
	/** The editor's response to queries. */
	answer: unknown;

	private constructor(
		readonly conversation: ChatFixture,
		/** Log lines. */
		readonly reported: readonly string[],
		/** Callbacks of long timers, by delay. */
		readonly timers: ReadonlyMap<number, () => void>,
	) {}

	/** Runs the agent in memory. */
	static by(flags: readonly string[] = [], conditions: ChatFixtureOptions = {}): Promise<Fronted> {
		return Fronted.begin({ command: quirkyAgent(...flags), start: new QuirkyAgents().start }, conditions);
	}

	/** Runs the agent as a child process. */
	static byProcess(flags: readonly string[] = []): Promise<Fronted> {
		return Fronted.begin({ command: quirkyAgent(...flags) }, {});
	}

	private static async begin(
		what: Pick<OtherAgentOptions, "command" | "start">,
		conditions: ChatFixtureOptions,
	): Promise<Fronted> {
		const reported: string[] = [];
		const timers = new Map<number, () => void>();
		const after = (delayMs: number, run: () => void) => {
			const timer = delayMs < 5_000 ? setTimeout(run, delayMs) : undefined;
			if (timer === undefined) timers.set(delayMs, run);
			return () => clearTimeout(timer);
		};
		const agent = { ...what, report: (line: string) => reported.push(line), after };
		return new Fronted(await ChatFixture.begin({ agent, ...conditions }), reported, timers);
	}

	/** Returns the thread's lines, except those for prompts, agent sessions and the ends of turns. */
	async lines(): Promise<string[]> {
		return (await this.conversation.lines()).filter((line) => !/^(?:prompt|agent|end): /.test(line));
	}

	/** Sends a prompt and returns the text of the answer. */
	async saying(prompt: string): Promise<string> {
		const before = (await this.conversation.entries()).length;
		await this.conversation.prompt(prompt);
		const entries = (await this.conversation.entries()).slice(before);
		return entries.map(({ body }) => (body.type === "text" ? body.text : "")).join("");
	}

	/** Waits until the thread contains the given line. */
	async until(line: string | RegExp): Promise<void> {
		const isIt = (each: string) => (typeof line === "string" ? each === line : line.test(each));
		await vi.waitFor(async () => expect((await this.conversation.lines()).some(isIt)).toBe(true), WAIT);
	}
}

function answering(answer: PermissionAnswer): ChatFixtureOptions {
	return { approve: async () => answer };
}

afterEach(() => {
	vi.unstubAllEnvs();
});

describe("another agent behind the engine", () => {
	test("sends text, thoughts, a plan, a call with approval, usage and a title", async () => {
		const { conversation } = await Fronted.by([], { files: { "a.txt": "one\n" } });
		expect(await conversation.prompt("everything")).toBe("done");
		expect(await conversation.lines()).toEqual([
			"prompt: everything",
			"agent: quirky s1",
			"thought: Hm.",
			"plan: Look running",
			"text: Looking.",
			"done: Edit a.txt: ",
			"approval: edit a.txt: once by person",
			"text: Answer: yes",
			"usage: 12",
			"end: done",
		]);
		expect(await conversation.tools.text("a.txt")).toBe("two\n");
		expect(conversation.questions).toMatchObject([{ call: { title: "Edit a.txt", diffs: [{ before: "one\n" }] } }]);
		expect(conversation.receivedEntries()).toEqual(await conversation.entries());
		expect((await conversation.assist.thread(conversation.thread.id))?.title).toBe("A new name");
	});

	test.each<[PermissionAnswer, string]>([
		["once", "yes"],
		["session", "yes"],
		["always", "yes"],
		["no", "no"],
	])("gets the answer %s as its own option %s", async (answer, option) => {
		const fronted = await Fronted.by([], answering(answer));
		expect(await fronted.saying(`asks ${JSON.stringify({ kind: "execute", rawInput: { command: "make" } })}`)).toBe(
			option,
		);
		expect(await fronted.lines()).toContain(`approval: command make: ${answer} by person`);
	});

	test.each<[string, object, object, string]>([
		["a line", { command: "make" }, { command: "make", description: "again" }, "make"],
		["words", { command: "npm", args: ["test"] }, { command: ["npm", "test"] }, "npm test"],
		["the workspace as its folder", { command: "make", cwd: "." }, { command: "make" }, "make"],
	])("needs no second approval in the session for the same command: %s", async (_what, first, second, subject) => {
		const fronted = await Fronted.by([], answering("session"));
		for (const rawInput of [first, second])
			await fronted.saying(`asks ${JSON.stringify({ kind: "execute", rawInput })}`);
		expect(fronted.conversation.questions).toMatchObject([{ permission: { subject } }]);
	});

	test.each<[string, object, object, string]>([
		["other arguments", { command: "npm", args: ["test"] }, { command: "npm", args: ["publish"] }, "npm publish"],
		["arguments split differently", { command: ["rm", "a", "b"] }, { command: ["rm", "a b"] }, "rm 'a b'"],
		["another folder", { command: "make" }, { command: "make", workdir: "sub" }, "cd sub && make"],
		["a variable", { command: "make" }, { command: "make", env: { MAKEFLAGS: "x" } }, "May I?"],
		["invalid arguments", { command: "npm" }, { command: "npm", args: "publish" }, "May I?"],
		["no command", { cmd: "ls" }, { cmd: "rm -rf ." }, "May I?"],
	])("needs another approval in the session for another command: %s", async (_what, first, second, subject) => {
		const fronted = await Fronted.by([], answering("session"));
		for (const rawInput of [first, second])
			await fronted.saying(`asks ${JSON.stringify({ kind: "execute", rawInput })}`);
		expect(fronted.conversation.questions).toHaveLength(2);
		expect(fronted.conversation.questions[1]).toMatchObject({ permission: { subject } });
	});

	test.each([
		["execute", "command"],
		["fetch", "network"],
		["other", "mcp"],
		["edit", "edit"],
	] as const)("needs approval each time if it sends only a title: %s", async (kind, permission) => {
		const rules = [
			{ kind: permission, pattern: permission === "mcp" ? "quirky/**" : "May I?", answer: "allow" } as const,
		];
		const fronted = await Fronted.by([], { ...answering("always"), rules });
		for (let i = 0; i < 2; i++) expect(await fronted.saying(`ask ${kind}`)).toBe("yes");
		expect(fronted.conversation.questions).toHaveLength(2);
		expect((await fronted.lines()).filter((line) => /: once by person$/.test(line))).toHaveLength(2);
		expect(await fronted.conversation.store.allowances(fronted.conversation.tools.root)).toEqual([]);
	});

	test.each(["allow", "deny"] as const)("follows a rule for * if it sends only a title: %s", async (answer) => {
		const fronted = await Fronted.by([], { rules: [{ kind: "mcp", pattern: "*", answer }] });
		expect(await fronted.saying("ask other")).toBe(answer === "allow" ? "yes" : "no");
		expect(fronted.conversation.questions).toEqual([]);
	});

	test("can send requests for a session before the response with the session's id", async () => {
		const fronted = await Fronted.by(["--peeks"], { files: { "a.txt": "one\n" } });
		expect(await fronted.saying("say hello")).toBe("hello");
	});

	test("follows the user's rules", async () => {
		const rules = [{ kind: "edit", pattern: "**", answer: "deny" } as const];
		const fronted = await Fronted.by([], { files: { "a.txt": "one\n" }, rules });
		expect(await fronted.saying("everything")).toBe("Looking.Answer: no");
		expect(fronted.conversation.questions).toEqual([]);
		expect(await fronted.saying("write b.txt")).toMatch(/^error -32602: .*declined/);
	});

	test.each<[string, string | null | undefined, string, string, string]>([
		["the whole file", "one\n", "two\n", "two\n", "restored"],
		["no previous text", undefined, "two\n", "two\n", "left"],
		["null as the previous text", null, "two\n", "two\n", "left"],
		["an empty previous text", "", "two\n", "two\n", "left"],
		["part of a file", "one", "two", "two\n", "left"],
	])("sends %s, and its change is undone only if that is safe", async (_what, oldText, newText, now, outcome) => {
		const { conversation } = await Fronted.by([], { files: { "a.txt": now } });
		const file = path.join(conversation.tools.root, "a.txt");
		const content = [{ type: "diff", path: file, ...(oldText !== undefined && { oldText }), newText }];
		const about = { toolCallId: "w", title: "Write", kind: "edit", status: "completed" };
		await conversation.prompt(`news ${JSON.stringify({ sessionUpdate: "tool_call", ...about, content })}`);
		const undone = await conversation.assist.rollback(conversation.thread.id, 1, { messages: false, files: true });
		expect(undone).toEqual({ restored: [], left: [], [outcome]: [file] });
		expect(await conversation.tools.text("a.txt")).toBe(outcome === "restored" ? oldText : now);
	});

	test("can request permission with text that is not part of the call, and reuse call ids", async () => {
		const fronted = await Fronted.by();
		await fronted.saying("ask execute");
		await fronted.saying("ask execute");
		const { questions } = fronted.conversation;
		expect(questions.map(({ call }) => [call.id, call.output])).toEqual([
			["q", "Please confirm."],
			["q-2", "Please confirm."],
		]);
		expect((await fronted.lines()).filter((line) => line.startsWith("failed: May I?"))).toEqual(
			Array(2).fill("failed: May I?: The turn ended before this was done."),
		);
	});

	test.each([
		["end_turn", "done"],
		["max_tokens", "length"],
		["max_turn_requests", "steps"],
		["refusal", "refused"],
		["cancelled", "cancelled"],
	])("stops with %s, which ends the turn with the reason %s", async (stopReason, reason) => {
		const { conversation } = await Fronted.by();
		expect(await conversation.prompt(`stop ${stopReason}`)).toBe(reason);
	});

	test.each([
		["end_turn", undefined],
		["max_tokens", /^warning: quirky reached its output limit\. Send "continue"/],
		["max_turn_requests", /^warning: quirky stopped after its maximum number of steps/],
		["refusal", /^warning: quirky refused to answer\./],
	])("stops with %s, and the user sees why", async (stopReason, notice) => {
		const fronted = await Fronted.by();
		await fronted.conversation.prompt(`stop ${stopReason}`);
		const lines = await fronted.lines();
		expect(lines).toEqual(notice === undefined ? [] : [expect.stringMatching(notice)]);
	});

	test("reports the cost of the session, and each turn is charged its share", async () => {
		const { conversation } = await Fronted.by();
		const usage = (amount: number) => {
			const cost = { amount, currency: "USD" };
			return `news ${JSON.stringify({ sessionUpdate: "usage_update", used: 12, size: 100, cost })}`;
		};
		// The last amount is lower, as if the agent had restarted.
		for (const amount of [0.5, 0.75, 0.75, 0.25]) await conversation.prompt(usage(amount));
		const costs = (await conversation.entries()).flatMap(({ body }) =>
			body.type === "usage" ? body.usage.costUsd : [],
		);
		expect(costs).toEqual([0.5, 0.25, 0, 0.25]);
	});

	test("receives a message sent during a turn as the next prompt in that turn", async () => {
		const fronted = await Fronted.by([], {
			approve: async () => {
				const { assist, thread } = fronted.conversation;
				expect(assist.steer(thread.id, "repeat this")).toBe(true);
				return "once";
			},
		});
		const { conversation } = fronted;
		expect(await conversation.prompt("ask other")).toBe("done");
		expect((await conversation.lines()).filter((line) => !line.startsWith("approval"))).toEqual([
			"prompt: ask other",
			"agent: quirky s1",
			expect.stringMatching(/^failed: May I/),
			"text: yes",
			"prompt: repeat this",
			expect.stringMatching(/^text: \[\{[^{]*"repeat this"[^{]*\}\]$/),
			"end: done",
		]);
		expect(new Set((await conversation.entries()).map(({ turn }) => turn)).size).toBe(1);
		expect(conversation.receivedEntries()).toEqual(await conversation.entries());
		expect(conversation.assist.steer(conversation.thread.id, "too late")).toBe(false);
	});

	test("does not get messages sent to a cancelled turn", async () => {
		const fronted = await Fronted.by();
		const { conversation } = fronted;
		const ended = conversation.prompt("wait");
		await fronted.until(/^text: Waiting/);
		expect(conversation.assist.steer(conversation.thread.id, "repeat this")).toBe(true);
		conversation.turn.abort();
		expect(await ended).toBe("cancelled");
		expect((await conversation.lines()).filter((line) => line.startsWith("prompt"))).toEqual(["prompt: wait"]);
	});

	test.each(["rollback", "fork"] as const)(
		"starts a new session with the remaining entries after a %s",
		async (how) => {
			const fronted = await Fronted.by(["--resume"]);
			const { conversation } = fronted;
			await conversation.prompt("repeat one");
			const from = (await conversation.entries()).length + 1;
			await conversation.prompt("repeat two");
			const { id } = conversation.thread;
			if (how === "fork") conversation.thread = await conversation.assist.fork(id, from - 1);
			else await conversation.assist.rollback(id, from, { messages: true, files: false });
			const visible = await fronted.saying("repeat three");
			expect(visible).toContain("User: repeat one");
			expect(visible).not.toContain("repeat two");
			expect((await conversation.lines()).filter((line) => line.startsWith("agent"))).toEqual(["agent: quirky s2"]);
		},
	);

	test("does not get an MCP server that the user disabled", async () => {
		const server = (name: string) => ({ name, type: "stdio", command: name, args: [], env: {} }) as const;
		const fronted = await Fronted.by([], { mcpServers: [server("one"), server("two")] });
		await fronted.conversation.assist.mcp.disable("one");
		expect(JSON.parse(await fronted.saying("offered"))).toMatchObject({ servers: [{ name: "two" }] });
	});

	test("reads files through Segue, which stores them in the thread", async () => {
		const buffers = {
			read: async (file: string) => (file.endsWith("b.txt") ? "unsaved\n" : undefined),
			write: async () => false,
		};
		const fronted = await Fronted.by([], { files: { "a.txt": "one\ntwo\n", "b.txt": "saved\n" }, buffers });
		for (const prompt of ["read a.txt", "lines a.txt", "read b.txt"]) await fronted.saying(prompt);
		const entries = await fronted.conversation.entries();
		const read = entries.flatMap(({ body }) =>
			body.type === "file" ? [[path.basename(body.path), body.content]] : [],
		);
		expect(read).toEqual([
			["a.txt", "one\ntwo\n"],
			["a.txt", "two"],
			["b.txt", "unsaved\n"],
		]);
	});

	test("is offered files and terminals, and gets the MCP servers that it supports", async () => {
		const mcpServers = [
			{ name: "near", type: "stdio", command: "near", args: ["-x"], env: { A: "b" } },
			{ name: "far", type: "http", url: "http://127.0.0.1/", headers: {} },
		] as const;
		const fronted = await Fronted.by([], { mcpServers });
		expect(JSON.parse(await fronted.saying("offered"))).toMatchObject({
			capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
			servers: [{ name: "near", command: "near", args: ["-x"], env: [{ name: "A", value: "b" }] }],
		});
		expect((await fronted.lines())[0]).toMatch(/^warning: quirky cannot use the MCP server far/);
	});

	test("gets files by name or with their content, but no secret files", async () => {
		const fronted = await Fronted.by(["--embedded"], { files: { "a.txt": "one\n" } });
		const { root } = fronted.conversation.tools;
		const named = { type: "file", path: path.join(root, "a.txt"), lines: { first: 1, last: 2 } } as const;
		await fronted.conversation.prompt([
			{ ...named, content: undefined },
			{ ...named, lines: undefined, content: "one\n" },
			{ ...named, path: path.join(root, ".env"), content: "KEY=1" },
			{ type: "image", mediaType: "image/png", base64: "aGk=" },
			{ type: "text", text: "repeat" },
		]);
		const uri = pathToFileURL(named.path).href;
		expect(await fronted.lines()).toEqual([
			`warning: quirky was not shown ${root}/.env: it has the name of a secret file.`,
			"warning: quirky was not shown the image: it does not accept images.",
			expect.stringContaining("text: "),
		]);
		const text = (await fronted.lines()).at(-1)?.slice("text: ".length) ?? "";
		expect(JSON.parse(text)).toEqual([
			{ type: "resource_link", uri: `${uri}#L1-L2`, name: "a.txt" },
			{ type: "resource", resource: { uri, text: "one\n" } },
			{ type: "text", text: "repeat" },
		]);
	});

	test("gets its own commands, while Segue's still work", async () => {
		const fronted = await Fronted.by(["--early"]);
		await fronted.saying("say hello");
		await fronted.conversation.prompt("/help");
		await fronted.conversation.prompt("/compact");
		expect(await fronted.lines()).toEqual(["text: hello", expect.stringMatching(/^info: \/help/)]);
	});
});

describe("a misbehaving agent", () => {
	test("can send updates after its response, and they belong to the turn that ended", async () => {
		const fronted = await Fronted.by();
		await fronted.conversation.prompt("late");
		await fronted.until("text: After the end.");
		await fronted.until(/^done: Slow/);
		const entries = await fronted.conversation.entries();
		expect(new Set(entries.map(({ turn }) => turn)).size).toBe(1);
		expect(await fronted.saying("say next")).toBe("next");
		expect(fronted.conversation.receivedEntries()).toEqual(await fronted.conversation.entries());
	});

	test("has a session that keeps the client and the workspace between turns, but discards the prompt", async () => {
		const { conversation } = await Fronted.by();
		const sessions = new Set<OtherAgentSession>();
		const instruct = async (session: OtherAgentSession) => void sessions.add(session);
		for (const prompt of ["say one", "say two"]) {
			await conversation.prompt(prompt, { instruct });
			const [session] = sessions as ReadonlySet<unknown> as ReadonlySet<AgentSession>;
			expect(Object.keys(session?.context ?? {})).toEqual(["client", "workspace", "approvals"]);
		}
		expect(sessions.size).toBe(1);
	});

	test("can send updates for a session before the response with its id", async () => {
		const { conversation } = await Fronted.by(["--early"]);
		const session = await conversation.assist.agentFor(conversation.thread.id, conversation, conversation.turn);
		expect(session?.commands).toMatchObject([{ name: "compact" }]);
	});

	test.each([
		"available_commands_update",
		"config_option_update",
		"current_mode_update",
		"plan",
		"tool_call",
		"agent_message_chunk",
		"usage_update",
		"of_a_later_version",
	])("can send invalid updates, which are ignored: %s", async (sessionUpdate) => {
		const fronted = await Fronted.by(["--early"]);
		const { conversation } = fronted;
		expect(await conversation.prompt(`news ${JSON.stringify({ sessionUpdate })}`)).toBe("done");
		const session = await conversation.assist.agentFor(conversation.thread.id, conversation, conversation.turn);
		expect(session).toMatchObject({
			commands: [{ name: "compact" }],
			modes: { currentModeId: "calm" },
			configOptions: [{ currentValue: "small" }],
		});
		expect(await conversation.prompt("/help")).toBe("done");
	});

	test("can leave a call open, which is then marked as failed", async () => {
		const fronted = await Fronted.by();
		await fronted.conversation.prompt("unfinished");
		expect(await fronted.lines()).toEqual(["failed: Slow: The turn ended before this was done."]);
	});

	test.each(["qwen/private", "_own/request"])("gets an error for the unknown method %s", async (method) => {
		const fronted = await Fronted.by();
		expect(await fronted.saying(`private ${method}`)).toMatch(/^error -32601/);
	});

	test("can write lines of several megabytes", async () => {
		const fronted = await Fronted.by();
		expect((await fronted.saying(`long ${3 * 2 ** 20}`)).length).toBe(3 * 2 ** 20);
	});

	test("can write lines that are not messages", async () => {
		const fronted = await Fronted.by(["--log"]);
		expect(await fronted.saying("garbage")).toBe("Still here.");
		expect(fronted.reported).toEqual(["quirky: a line for the log", "quirky: npm warn not a message"]);
	});

	test.each(["_auth/status_update", "qwen/notify/session", "unknown"])(
		"can send an unknown notification, which is not reported: %s",
		async (method) => {
			const fronted = await Fronted.by();
			expect(await fronted.saying(`notify ${method}`)).toBe("Sent.");
			expect(fronted.reported).toEqual([]);
		},
	);

	test("can send an update without a session, which is reported", async () => {
		const fronted = await Fronted.by();
		await fronted.saying("notify session/update");
		expect(fronted.reported).toEqual([expect.stringMatching(/^quirky: bad-notification session\/update: /)]);
	});

	test("can return an error, which is shown", async () => {
		const fronted = await Fronted.by();
		expect(await fronted.conversation.prompt("error the model is overloaded")).toBe("failed");
		expect(await fronted.lines()).toEqual([
			"error: quirky returned an error: Internal error (the model is overloaded)",
		]);
		expect(await fronted.saying("say again")).toBe("again");
	});

	test("as a process, can exit during a turn: the error is shown without keys, and the next turn restarts it", async () => {
		vi.stubEnv("QUIRKY_API_KEY", "sk-1234567890");
		const fronted = await Fronted.byProcess();
		expect(await fronted.conversation.prompt("die of the key sk-1234567890")).toBe("failed");
		const died = "quirky ended unexpectedly: the agent exited with code 3: of the key ***";
		expect(await fronted.lines()).toEqual([`error: ${died}. The next prompt starts it again.`]);
		expect(await fronted.saying("say alive")).toBe("alive");
	});

	test.runIf(isAll)("as a process, can exit between turns", async () => {
		const fronted = await Fronted.byProcess();
		await fronted.saying("later");
		await vi.waitFor(() => expect(fronted.reported).toEqual(["quirky: the agent exited with code 4"]), WAIT);
		expect(await fronted.saying("say alive")).toBe("alive");
	});

	test.runIf(isAll)("as a process, can exit while it starts", async () => {
		vi.stubEnv("QUIRKY_API_KEY", "sk-1234567890");
		const fronted = await Fronted.byProcess(["--broken"]);
		expect(await fronted.conversation.prompt("say hello")).toBe("failed");
		expect(await fronted.lines()).toEqual([
			expect.stringMatching(/^error: quirky ended .* code 2: No model is configured\. The key \*\*\* is wrong/),
		]);
	});

	test("can fail to start because it is not installed", async () => {
		const command = { name: "missing", command: "segue-test-no-such-agent", args: [] };
		const { conversation } = await Fronted.by([], { agent: { command, report: () => {} } });
		expect(await conversation.prompt("say hello")).toBe("failed");
		expect((await conversation.lines()).at(-2)).toMatch(/segue-test-no-such-agent was not found: install it/);
	});

	test("can use another version of the protocol", async () => {
		const fronted = await Fronted.by(["--version=2"]);
		expect(await fronted.conversation.prompt("say hello")).toBe("failed");
		expect(await fronted.lines()).toEqual(["error: quirky uses ACP version 2, but Segue supports version 1."]);
	});

	test("times out if it never answers", async () => {
		const fronted = await Fronted.by(["--silent"]);
		const turn = fronted.conversation.prompt("say hello");
		await vi.waitFor(() => expect(fronted.timers.has(120_000)).toBe(true), WAIT);
		fronted.timers.get(120_000)?.();
		expect(await turn).toBe("failed");
		expect(await fronted.lines()).toEqual(["error: quirky did not answer initialize within 120 s."]);
	});
});

describe("a cancelled turn", () => {
	test("includes the agent's last updates", async () => {
		const fronted = await Fronted.by();
		const turn = fronted.conversation.prompt("wait");
		await fronted.until("text: Waiting.");
		fronted.conversation.turn.abort();
		expect(await turn).toBe("cancelled");
		expect(await fronted.lines()).toEqual(["text: Waiting. Stopped."]);
	});

	test("answers the agent's permission request as cancelled", async () => {
		const fronted = await Fronted.by([], { approve: () => new Promise(() => {}) });
		const turn = fronted.conversation.prompt("ask edit");
		await vi.waitFor(() => expect(fronted.conversation.questions).toHaveLength(1), WAIT);
		fronted.conversation.turn.abort();
		expect(await turn).toBe("cancelled");
		expect(await fronted.lines()).toEqual([
			"failed: May I?: Cancelled.",
			"approval: edit May I?: no by nobody",
			"text: cancelled",
		]);
	});

	test("times out if the agent ignores it, and the next turn restarts the agent", async () => {
		const fronted = await Fronted.by();
		const turn = fronted.conversation.prompt("deaf");
		await fronted.until(/^text: Ignoring/);
		fronted.conversation.turn.abort();
		fronted.timers.get(10_000)?.();
		expect(await turn).toBe("cancelled");
		const { signal } = new AbortController();
		expect(await fronted.conversation.prompt("say hello", { signal })).toBe("done");
		expect(await fronted.conversation.lines()).toContain("agent: quirky s1");
	});

	test("ends even before the agent has started", async () => {
		const fronted = await Fronted.by(["--silent"]);
		const turn = fronted.conversation.prompt("say hello");
		await vi.waitFor(() => expect(fronted.timers.has(120_000)).toBe(true), WAIT);
		fronted.conversation.turn.abort();
		expect(await turn).toBe("cancelled");
	});
});

describe("files that an agent requests", () => {
	const files = { "a.txt": "one\ntwo\nthree", "secret/.env": "KEY=1\n" };

	test.each([
		["a.txt", '{"content":"one\\ntwo\\nthree"}'],
		["secret/.env", /^error -32602: .*secret file/],
		["/etc/hostname", /^error -32602: .*outside/],
		["none.txt", /^error -32002: none\.txt does not exist/],
	])("are read if allowed: %s", async (file, response) => {
		const fronted = await Fronted.by([], { files });
		expect(await fronted.saying(`read ${file}`)).toMatch(response);
	});

	test("can be read in part", async () => {
		const fronted = await Fronted.by([], { files });
		expect(await fronted.saying("lines a.txt")).toBe('{"content":"two"}');
	});

	test("are empty if missing, for an agent that reads files before creating them", async () => {
		const fronted = await Fronted.by(["--name=gemini-cli"]);
		expect(await fronted.saying("read none.txt")).toBe('{"content":""}');
	});

	test("count as missing, and can be created, if they are not on disk and the editor sends empty text", async () => {
		const buffers = { read: async () => "", write: async () => false };
		const fronted = await Fronted.by([], { files, buffers });
		expect(await fronted.saying("read none.txt")).toMatch(/^error -32002: none\.txt does not exist/);
		expect(await fronted.saying("write none.txt")).toBe("{}");
		expect(fronted.conversation.questions).toMatchObject([{ call: { title: "Create none.txt" } }]);
	});

	test("are not requested from the editor if they are named AGENTS.md and are neither on disk nor open", async () => {
		const requested: string[] = [];
		const read = async (file: string) => {
			requested.push(path.basename(file));
			return undefined;
		};
		const buffers = { read, write: async () => false };
		const fronted: Fronted = await Fronted.by([], {
			files: { "AGENTS.md": "Use tabs." },
			buffers,
			editor: {
				openDocuments: async () => [{ path: path.join(fronted.conversation.tools.root, "open/AGENTS.md"), text: "" }],
			},
		});
		for (const file of ["AGENTS.md", "sub/agents.md", ".kimi-code/AGENTS.md", "open/AGENTS.md", "other.md"]) {
			await fronted.saying(`read ${file}`);
		}
		expect(requested).toEqual(["AGENTS.md", "AGENTS.md", "other.md"]);
	});

	test("are read and written through the editor", async () => {
		const written: string[] = [];
		const buffers = {
			read: async () => "unsaved",
			write: async (_file: string, text: string) => {
				written.push(text);
				return true;
			},
		};
		const fronted = await Fronted.by([], { files, buffers });
		expect(await fronted.saying("read a.txt")).toBe('{"content":"unsaved"}');
		expect(await fronted.saying("write a.txt")).toBe("{}");
		expect(written).toEqual(["written\n"]);
	});

	test("are written with the user's approval, which Segue requests if the agent did not", async () => {
		const fronted = await Fronted.by([], { files });
		expect(await fronted.saying("write new/b.txt")).toBe("{}");
		expect(await fronted.conversation.tools.text("new/b.txt")).toBe("written\n");
		expect(await fronted.lines()).toContain("approval: edit new/b.txt: once by person");
	});

	test("are not written if the user declines or writing is not allowed", async () => {
		const fronted = await Fronted.by([], { files, ...answering("no") });
		for (const file of ["a.txt", ".git/config", "secret/.env", "/etc/segue-test"]) {
			expect(await fronted.saying(`write ${file}`)).toMatch(/^error -32602/);
		}
		expect(await fronted.conversation.tools.text("a.txt")).toBe(files["a.txt"]);
	});
});

describe("files that an agent asked to edit", () => {
	const rules = [{ kind: "edit", pattern: "locked/**", answer: "deny" } as const];

	async function editing(plan: object, conditions: ChatFixtureOptions = {}) {
		const fronted = await Fronted.by([], { rules, ...conditions });
		const answer = await fronted.saying(`edits ${JSON.stringify(plan)}`);
		return { answer, asked: fronted.conversation.questions.map(({ permission }) => permission.subject), fronted };
	}

	test("need no second approval", async () => {
		const shown = { "a.txt": "A\n", "b.txt": "B\n" };
		const { answer, asked, fronted } = await editing({ shown, writes: shown });
		expect(answer).toBe("yes{}{}");
		expect(asked).toEqual(["a.txt"]);
		expect((await fronted.lines()).filter((line) => line.startsWith("approval: "))).toEqual([
			"approval: edit a.txt: once by person",
			"approval: edit b.txt: once by person",
		]);
	});

	test.each([
		["shown", { shown: { "a.txt": "A\n", "locked/b.txt": "B\n" } }],
		["named", { shown: { "a.txt": "A\n" }, named: ["locked/b.txt"] }],
	])("are refused without a question if a rule denies one of the files %s", async (_how, plan) => {
		const { answer, asked, fronted } = await editing({ ...plan, writes: { "locked/b.txt": "B\n" } });
		expect(answer).toMatch(/^noerror -32602: .*declined/);
		expect(asked).toEqual([]);
		expect(existsSync(path.join(fronted.conversation.tools.root, "locked"))).toBe(false);
	});

	test.each([
		["the new content was not shown", { shown: { "a.txt": "A\n" }, writes: { "a.txt": "other\n" } }],
		["they were named but not shown", { named: ["a.txt"], writes: { "a.txt": "A\n" } }],
	])("need another approval if %s", async (_why, plan) => {
		const { answer, asked } = await editing(plan);
		expect(answer).toBe("yes{}");
		expect(asked).toEqual(["a.txt", "a.txt"]);
	});
});

describe("a permission request that has no path, only the tool's arguments as text", () => {
	const files = { "a.txt": "one\ntwo\n" };
	const allowAll = [{ kind: "edit", pattern: "**", answer: "allow" } as const];

	async function described(plan: object, conditions: ChatFixtureOptions = {}) {
		const fronted = await Fronted.by([], { files, ...conditions });
		const answer = await fronted.saying(`described ${JSON.stringify(plan)}`);
		const { questions, tools: box } = fronted.conversation;
		return { answer, questions, box, lines: await fronted.lines() };
	}

	test.each<[string, object, Record<string, string>]>([
		["a whole file", { path: "new.txt", content: "made\n" }, { "new.txt": "made\n" }],
		["appended text", { path: "a.txt", content: "3\n", mode: "append" }, { "a.txt": "one\ntwo\n3\n" }],
		["one replacement", { file_path: "a.txt", old_string: "two", new_string: "2" }, { "a.txt": "one\n2\n" }],
		[
			"all replacements",
			{ path: "a.txt", old_string: "o", new_string: "0", replace_all: true },
			{ "a.txt": "0ne\ntw0\n" },
		],
	])("leads to one question with the file and its change: %s", async (_what, args, writes) => {
		const { answer, questions, box, lines } = await described({ args, writes });
		expect(answer).toBe("yes{}");
		const [[file = "", after] = []] = Object.entries(writes);
		const before = file === "a.txt" ? files["a.txt"] : undefined;
		expect(questions).toMatchObject([
			{
				permission: { kind: "edit", subject: file },
				call: { output: "Requesting approval", diffs: [{ path: path.join(box.root, file), before, after }] },
			},
		]);
		expect(lines).toContain(`approval: edit ${file}: once by person`);
		expect(await box.text(file)).toBe(after);
	});

	test("follows rules for the path", async () => {
		const plan = { args: { path: "new.txt", content: "made\n" }, writes: { "new.txt": "made\n" } };
		const allowed = await described(plan, { rules: [{ kind: "edit", pattern: "**", answer: "allow" }] });
		expect(allowed.answer).toBe("yes{}");
		expect(allowed.questions).toEqual([]);
		const denied = await described(plan, { rules: [{ kind: "edit", pattern: "*.txt", answer: "deny" }] });
		expect(denied.answer).toMatch(/^noerror -32602: .*declined/);
		expect(denied.questions).toEqual([]);
	});

	test("follows rules for the command", async () => {
		const rules = [{ kind: "command", pattern: "make", answer: "allow" } as const];
		const { answer, questions } = await described({ kind: "execute", args: { command: "make" } }, { rules });
		expect(answer).toBe("yes");
		expect(questions).toEqual([]);
	});

	test.each<[string, unknown]>([
		["are incomplete", '{"path":"new.txt","cont'],
		["have no path", { content: "made\n" }],
	])("leads to a question with its title, despite rules for paths, if the arguments %s", async (_what, args) => {
		const { questions } = await described({ args }, { rules: allowAll });
		expect(questions).toMatchObject([
			{ permission: { subject: "Write", isVague: true }, call: { output: "Requesting approval", diffs: [] } },
		]);
	});

	const unreachable: readonly [string, string, (root: string) => object][] = [
		["outside", "../new.txt", (root) => ({ subject: path.join(path.dirname(root), "new.txt") })],
		["in the home folder", "~/new.txt", () => ({ subject: path.join(homedir(), "new.txt") })],
		["in another user's home folder", "~root/new.txt", () => ({ subject: "~root/new.txt", isVague: true })],
		["of a secret file", ".env", () => ({ subject: ".env", isVague: true })],
	];

	test.each(unreachable)(
		"leads to a question for a path %s, despite rules for the workspace",
		async (_w, file, permission) => {
			const { questions, box } = await described({ args: { path: file, content: "made\n" } }, { rules: allowAll });
			expect(questions).toMatchObject([{ permission: permission(box.root), call: { diffs: [] } }]);
		},
	);

	test("is allowed outside the workspace by a rule with an absolute pattern", async () => {
		const rules = [{ kind: "edit", pattern: `${homedir()}/**`, answer: "allow" } as const];
		const { answer, questions } = await described({ args: { path: "~/new.txt", content: "made\n" } }, { rules });
		expect(answer).toBe("yes");
		expect(questions).toEqual([]);
	});

	test("is denied without a question if a rule denies the secret file in its arguments", async () => {
		const rules = [{ kind: "edit", pattern: ".env", answer: "deny" } as const];
		const { answer, questions } = await described({ args: { path: ".env", content: "made\n" } }, { rules });
		expect(answer).toBe("no");
		expect(questions).toEqual([]);
	});

	test("leads to a question about the path in its arguments, even if its location is another file", async () => {
		const fronted = await Fronted.by([], { files, rules: allowAll });
		const about = { sessionUpdate: "tool_call", toolCallId: "q", title: "Write", kind: "edit", status: "pending" };
		const locations = [{ path: path.join(fronted.conversation.tools.root, "a.txt") }];
		const rawInput = { file_path: path.join(homedir(), ".bashrc"), content: "new\n" };
		await fronted.saying(`asks ${JSON.stringify({ ...about, locations, rawInput })}`);
		expect(fronted.conversation.questions).toMatchObject([
			{ permission: { subject: path.join(homedir(), ".bashrc") } },
		]);
	});

	test("leads to a question about the file in its input", async () => {
		const fronted = await Fronted.by([], { files });
		const about = { sessionUpdate: "tool_call", toolCallId: "q", title: "Write", kind: "edit", status: "pending" };
		const rawInput = { file_path: "a.txt", content: "new\n" };
		await fronted.saying(`asks ${JSON.stringify({ ...about, rawInput })}`);
		expect(fronted.conversation.questions).toMatchObject([
			{ permission: { subject: "a.txt" }, call: { diffs: [{ before: files["a.txt"], after: "new\n" }] } },
		]);
	});

	test("leads to a question, despite rules for the workspace, if its location is a link to a folder outside", async () => {
		const fronted = await Fronted.by([], { files, rules: [{ kind: "edit", pattern: "**", answer: "allow" }] });
		await symlink(tmpdir(), path.join(fronted.conversation.tools.root, "out"));
		const locations = [{ path: path.join(fronted.conversation.tools.root, "out", "new.txt") }];
		const about = {
			sessionUpdate: "tool_call",
			toolCallId: "q",
			title: "Write",
			kind: "edit",
			status: "pending",
			locations,
		};
		await fronted.saying(`asks ${JSON.stringify(about)}`);
		expect(fronted.conversation.questions).toMatchObject([{ permission: { subject: "out/new.txt", isVague: true } }]);
	});

	test("leads to a question with the content of the call if the request has none", async () => {
		const { questions } = await described({ args: "All of it", question: null });
		expect(questions).toMatchObject([{ call: { output: "All of it" } }]);
	});

	/** A client that speaks ACP, and the permission requests it gets. */
	function relayed(): { relay: VerbatimRelay; questions: unknown[] } {
		const questions: unknown[] = [];
		const relay: VerbatimRelay = {
			protocol: "acp",
			capabilities: {},
			update: () => {},
			notify: () => {},
			permission: async ({ toolCall }) => {
				questions.push(toolCall);
				return { outcome: "selected", optionId: "yes" };
			},
			request: async () => ({}),
		};
		return { relay, questions };
	}

	test("is sent with the change to a client that speaks ACP, and the write needs no further approval", async () => {
		const { relay, questions } = relayed();
		const args = { path: "a.txt", old_string: "two", new_string: "2" };
		const plan = { args, question: null, writes: { "a.txt": "one\n2\n" } };
		const { answer, box, questions: ours } = await described(plan, { relay });
		expect(answer).toBe("yes{}");
		expect(ours).toEqual([]);
		const text = { type: "content", content: { type: "text", text: JSON.stringify(args) } };
		const diff = { type: "diff", path: path.join(box.root, "a.txt"), oldText: "one\ntwo\n", newText: "one\n2\n" };
		expect(questions).toEqual([{ toolCallId: "w", title: "Write", content: [text, diff] }]);
	});

	test("is sent with the path to a client that speaks ACP if the change is unknown", async () => {
		const { relay, questions } = relayed();
		await described({ args: { path: "~/.bashrc", content: "made\n" } }, { relay });
		const file = path.join(homedir(), ".bashrc");
		const text = (words: string) => ({ type: "content", content: { type: "text", text: words } });
		expect(questions).toEqual([
			{
				toolCallId: "w",
				title: "Write",
				locations: [{ path: file }],
				content: [text(`\`\`\`\n${file}\n\`\`\``), text("Requesting approval")],
			},
		]);
	});

	test("leads to another question if the agent writes text that differs from the arguments", async () => {
		const args = { path: "a.txt", old_string: "two", new_string: "2" };
		const { questions } = await described({ args, writes: { "a.txt": "other\n" } });
		expect(questions.map(({ permission }) => permission.subject)).toEqual(["a.txt", "a.txt"]);
	});
});

describe("an agent's commands", () => {
	test("run with the user's approval, and the end of their output is kept", async () => {
		const fronted = await Fronted.by();
		const result = JSON.parse(await fronted.saying("run seq 1 100"));
		expect(result).toEqual({ exitCode: 0, output: "\n95\n96\n97\n98\n99\n100\n", truncated: true });
		expect(await fronted.lines()).toContain("approval: command seq 1 100: once by person");
		expect(await fronted.lines()).toContain("done: seq 1 100: \n95\n96\n97\n98\n99\n100\n");
	});

	test("need no second approval if the agent asked for the same command", async () => {
		const fronted = await Fronted.by();
		expect(await fronted.saying("asked echo hello; echo hello")).toMatch(/"exitCode":0/);
		expect(await fronted.saying("asked echo hello; echo other")).toMatch(/"exitCode":0/);
		const { questions } = fronted.conversation;
		expect(questions.map(({ permission }) => permission.subject)).toEqual(["echo hello", "echo hello", "echo other"]);
	});

	test("are not allowed by a rule for the bare command if they set variables", async () => {
		const rules = [{ kind: "command", pattern: "echo hello", answer: "allow" } as const];
		const fronted = await Fronted.by([], { rules });
		await fronted.saying("run echo hello");
		await fronted.saying("with BASH_ENV=./x;y echo hello");
		const { questions } = fronted.conversation;
		expect(questions.map(({ permission }) => permission.subject)).toEqual(["BASH_ENV='./x;y' echo hello"]);
	});

	test.each([
		["bash -c ls", "ls"],
		["/usr/bin/zsh -c ls", "ls"],
		["./bash -c ls", "./bash -c ls"],
		["/home/alice/bin/sh -c ls", "/home/alice/bin/sh -c ls"],
	])("are shown without the system shell that runs them: %s", async (line, subject) => {
		const fronted = await Fronted.by([], answering("no"));
		await fronted.saying(`run ${line}`);
		expect(fronted.conversation.questions).toMatchObject([{ permission: { subject } }]);
	});

	test("do not run if the user declines", async () => {
		const fronted = await Fronted.by([], answering("no"));
		expect(await fronted.saying("run touch made.txt")).toMatch(/^error -32602/);
		expect(existsSync(path.join(fronted.conversation.tools.root, "made.txt"))).toBe(false);
	});

	test("exit with code 127 if the program does not exist", async () => {
		const fronted = await Fronted.by();
		expect(await fronted.saying("run segue-test-no-such-command")).toMatch(/"exitCode":127/);
	});
});

describe("with an editor that serves files and terminals itself, Segue", () => {
	const denied = [
		{ kind: "edit", pattern: "locked.txt", answer: "deny" },
		{ kind: "command", pattern: "npm test", answer: "deny" },
	] as const;

	/** An editor with files and terminals. `takes` determines whether it actually writes files. */
	async function served(takes: boolean, conditions: ChatFixtureOptions = {}) {
		const requests: string[] = [];
		const questions: unknown[] = [];
		const updates: unknown[] = [];
		const relay: VerbatimRelay = {
			protocol: "acp",
			capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
			update: (update) => updates.push(update),
			notify: () => {},
			permission: async ({ toolCall }) => {
				questions.push(toolCall);
				return { outcome: "selected", optionId: "yes" };
			},
			request: async (method) => {
				requests.push(method);
				if (/^(?:workspace|_)/.test(method)) return fronted.answer;
				return method === "terminal/output" ? { output: "", truncated: false } : { terminalId: "t", exitCode: 0 };
			},
		};
		const buffers = {
			read: async () => undefined,
			write: async (file: string) => {
				requests.push(path.basename(file));
				return takes;
			},
		};
		const fronted = await Fronted.by([], { rules: denied, relay, buffers, ...conditions });
		return { requests, questions, updates, fronted };
	}

	const content = (text: string) => ({ type: "content", content: { type: "text", text } });

	const fenced = (text: string) => content(`\`\`\`sh\n${text}\n\`\`\``);
	const long = `echo ${"a".repeat(200)}`;
	const execute = (command: string, about: object) => ({ kind: "execute", rawInput: { command }, ...about });

	test.each<[string, ReturnType<typeof execute>, object]>([
		["is the title", execute("ls -la", { title: "ls -la" }), { title: "ls -la" }],
		["is not in the title", execute("ls -la", { title: "List" }), { title: "List", content: [fenced("ls -la")] }],
		[
			"is only part of a word in the title",
			execute("ls", { title: "List tools" }),
			{ title: "List tools", content: [fenced("ls")] },
		],
		["is too long for a title", execute(long, { title: long }), { title: long, content: [fenced(long)] }],
		[
			"has several lines",
			execute("echo hi\nrm x", { title: "echo hi\nrm x" }),
			{ title: "echo hi\nrm x", content: [fenced("echo hi\nrm x")] },
		],
		[
			"is in text that a client can render as Markdown",
			execute("ls", { title: "List", content: [content("<!--\nls\n-->")] }),
			{ title: "List", content: [fenced("ls"), content("<!--\nls\n-->")] },
		],
		[
			"is already a code block",
			execute("ls", { title: "List", content: [content("```\nls\n```")] }),
			{ title: "List", content: [content("```\nls\n```")] },
		],
		[
			"is in a call with invisible characters in its title and text",
			execute("ls", { title: "a\u200bb", content: [content("Runs\u3164 ls.")] }),
			{ title: "a⟨U+200B⟩b", content: [fenced("ls"), content("Runs⟨U+3164⟩ ls.")] },
		],
	])("lets the editor show the whole command if it %s", async (_case, call, shown) => {
		const { questions, fronted } = await served(true);
		expect(await fronted.saying(`asks ${JSON.stringify(call)}`)).toBe("yes");
		expect(questions).toEqual([{ toolCallId: "q", kind: "execute", rawInput: call.rawInput, ...shown }]);
	});

	test.each([
		[
			{
				kind: "other",
				title: "Ask\u200b",
				rawInput: { "ci\u200bty": ["Os\u2800lo"] },
				content: [content("Os\u2800lo")],
			},
			{
				title: "Ask⟨U+200B⟩",
				rawInput: { "ci⟨U+200B⟩ty": ["Os⟨U+2800⟩lo"] },
				content: [content("Os⟨U+2800⟩lo")],
			},
		],
		[
			{ kind: "edit", title: "Edit\u200b", rawInput: { text: "❤\ufe0f" }, content: [content("❤\ufe0f")] },
			{ title: "Edit⟨U+200B⟩", rawInput: { text: "❤\ufe0f" }, content: [content("❤\ufe0f")] },
		],
	])(
		"makes invisible characters visible in titles and arguments, but not in the content of files: %j",
		async (call, shown) => {
			const { questions, updates, fronted } = await served(true);
			expect(await fronted.saying(`asks ${JSON.stringify(call)}`)).toBe("yes");
			expect(questions).toEqual([{ toolCallId: "q", kind: call.kind, ...shown }]);
			const update = { sessionUpdate: "tool_call", toolCallId: "t", status: "completed" };
			await fronted.saying(`news ${JSON.stringify({ ...update, ...call })}`);
			// A tool's output is left unchanged, like the agent's answers.
			expect(updates).toContainEqual({ ...update, ...call, ...shown, content: call.content });
		},
	);

	test("refuses a command with an invisible character in a request and in the editor's terminal", async () => {
		const { requests, questions, fronted } = await served(true);
		const call = { kind: "execute", rawInput: { command: "echo a\u2800; rm b" } };
		expect(await fronted.saying(`asks ${JSON.stringify(call)}`)).toBe("no");
		expect(await fronted.saying("run echo a\u2800b")).toMatch(/^error -32602: .*\(U\+2800\)/);
		expect([questions, requests]).toEqual([[], []]);
	});

	/** Agents may see only the first document. */
	const DOCUMENTS = [
		"file:///ROOT/a.txt",
		"file:///ROOT/.env",
		"file:///ROOT/ignored.txt",
		"file:///etc/hostname",
		"file://elsewhere/a.txt",
		"untitled:1",
	].map((uri) => ({ uri, languageId: "plaintext" }));

	test.each(["write locked.txt", "run npm test", "with CI=1 npm test"])(
		"applies the user's rules before the editor gets a request: %s",
		async (prompt) => {
			const { requests, fronted } = await served(true);
			expect(await fronted.saying(prompt)).toMatch(/^error -32602: .*declined/);
			expect(requests).toEqual([]);
		},
	);

	test.each([
		["workspace/open_documents", { documents: DOCUMENTS }, { documents: [DOCUMENTS[0]] }],
		["workspace/recent_documents", { documents: DOCUMENTS }, { documents: [DOCUMENTS[0]] }],
		["workspace/active_document", { document: DOCUMENTS[0] }, { document: DOCUMENTS[0] }],
		["workspace/active_document", { document: DOCUMENTS[1] }, { document: null }],
		["workspace/active_document", null, null],
		["workspace/open_documents", ["/etc/passwd"], null],
		["workspace/later", { documents: DOCUMENTS }, undefined],
		["_own/request", { documents: 5 }, { documents: 5 }],
	])("filters the editor's documents for the agent: %s %j", async (method, answer, visible) => {
		const { fronted } = await served(true, { privacyOf: () => ({ isPrivate: (uri) => uri.endsWith("ignored.txt") }) });
		const { root } = fronted.conversation.tools;
		fronted.answer = JSON.parse(JSON.stringify(answer).replaceAll("file:///ROOT", pathToFileURL(root).href));
		const response = (await fronted.saying(`private ${method}`)).replaceAll(pathToFileURL(root).href, "file:///ROOT");
		if (visible === undefined) expect(response).toMatch(/^error -32601/);
		else expect(JSON.parse(response)).toEqual(visible);
	});

	test("leaves everything else to the editor and asks no questions", async () => {
		const { requests, fronted } = await served(true);
		expect(await fronted.saying("write a.txt")).toBe("{}");
		expect(await fronted.saying("run make")).toMatch(/"exitCode":0/);
		expect(requests.slice(0, 2)).toEqual(["a.txt", "terminal/create"]);
		expect(fronted.conversation.questions).toEqual([]);
	});

	test.each<[PermissionAnswer, boolean]>([
		["once", true],
		["no", false],
	])("asks the user if the editor does not write the file: %s", async (answer, isWritten) => {
		const { fronted } = await served(false, answering(answer));
		expect(await fronted.saying("write a.txt")).toMatch(isWritten ? "{}" : /^error -32602: .*declined/);
		expect(fronted.conversation.questions).toHaveLength(1);
		expect(existsSync(path.join(fronted.conversation.tools.root, "a.txt"))).toBe(isWritten);
	});
});

describe("an agent's sessions", () => {
	/** Continues a thread with a second engine, as another process would. Returns the prompt that the agent received. */
	async function reopened(...flags: string[]): Promise<string> {
		const fronted = await Fronted.by(flags);
		const { conversation } = fronted;
		await fronted.saying("say The answer is 42.");
		await conversation.assist.close();
		conversation.assist = conversation.newEngine();
		const sent = await fronted.saying("repeat");
		return JSON.parse(sent)
			.map(({ text }: { text: string }) => text)
			.join("\n");
	}

	test.each([["--resume"], ["--load"], ["--resume", "--tired", "--load"]])(
		"are not sent the history when reopened with %s",
		async (...flags) => {
			expect(await reopened(...flags)).toBe("repeat");
		},
	);

	test.each([["--none"], ["--load", "--forgets"], ["--resume", "--tired", "--load", "--forgets"]])(
		"are sent the history when reopened with %s",
		async (...flags) => {
			const visible = await reopened(...flags);
			expect(visible).toContain("User: say The answer is 42.\n\nAssistant: The answer is 42.");
			expect(visible).toMatch(/repeat$/);
		},
	);

	test("are closed with their thread and reopened when needed", async () => {
		const fronted = await Fronted.by(["--resume"]);
		const { assist, thread } = fronted.conversation;
		await fronted.saying("say One.");
		await assist.release(thread.id);
		expect(JSON.parse(await fronted.saying("repeat"))).toEqual([{ type: "text", text: "repeat" }]);
		const sessions = (await fronted.conversation.lines()).filter((line) => line.startsWith("agent: "));
		expect(sessions).toEqual(["agent: quirky s1"]);
	});

	test("can be opened before a prompt, with the agent's modes and settings", async () => {
		const { conversation } = await Fronted.by();
		const opened = await conversation.assist.agentFor(conversation.thread.id, conversation, conversation.turn);
		const session = opened && acpSession(opened);
		expect(session).toMatchObject({ modes: { currentModeId: "calm" }, configOptions: [{ currentValue: "small" }] });
		await session?.setMode("wild", conversation.turn.signal);
		await session?.setConfigOption("model", "large", conversation.turn.signal);
		expect(session).toMatchObject({ modes: { currentModeId: "wild" }, configOptions: [{ currentValue: "large" }] });
	});

	test("offer their modes, models and efforts as plain choices", async () => {
		const { conversation } = await Fronted.by();
		const { signal } = conversation.turn;
		const session = await conversation.assist.agentFor(conversation.thread.id, conversation, conversation.turn);
		expect(session).toMatchObject({ agentName: "quirky", protocol: "acp", isOpen: true });
		expect(session?.choice("mode")).toEqual({ current: "calm", values: ["calm", "wild"] });
		expect(session?.choice("model")).toMatchObject({ current: "small", values: ["small", "large"] });
		expect(session?.choice("effort")).toBeUndefined();
		await session?.choose("mode", "wild", signal);
		await session?.choose("model", "large", signal);
		expect([session?.choice("mode")?.current, session?.choice("model")?.current]).toEqual(["wild", "large"]);
		await expect(session?.choose("effort", "high", signal)).rejects.toThrow(RangeError);
	});

	test("offer the values from all groups of a choice, and nothing for a choice that is not a list", async () => {
		const { conversation } = await Fronted.by();
		const values = (...names: string[]) => names.map((name) => ({ value: name, name }));
		const groups = [
			{ group: "g", name: "G", options: values("low", "mid") },
			{ group: "h", name: "H", options: values("high") },
		];
		const configOptions = [
			{ id: "e", name: "E", category: "thought_level", type: "select", currentValue: "mid", options: groups },
			{ id: "m", name: "M", category: "model", type: "boolean", currentValue: true },
		];
		await conversation.prompt(`news ${JSON.stringify({ sessionUpdate: "config_option_update", configOptions })}`);
		const session = await conversation.assist.agentFor(conversation.thread.id, conversation, conversation.turn);
		expect(session?.choice("effort")).toMatchObject({ current: "mid", values: ["low", "mid", "high"] });
		expect(session?.choice("model")).toBeUndefined();
	});

	test.each([
		["a mode", "session/set_mode"],
		["a setting", "session/set_config_option"],
	])("time out or can be cancelled while setting %s", async (what, method) => {
		const { conversation, timers } = await Fronted.by();
		const opened = await conversation.assist.agentFor(conversation.thread.id, conversation, conversation.turn);
		const session = opened && acpSession(opened);
		const set = async (signal: AbortSignal) => {
			if (what === "a mode") await session?.setMode("deaf", signal);
			else await session?.setConfigOption("model", "deaf", signal);
		};
		const late = set(conversation.turn.signal);
		timers.get(30_000)?.();
		await expect(late).rejects.toThrow(`quirky did not answer ${method} within 30 s.`);
		const cancelled = set(conversation.turn.signal);
		conversation.turn.abort(new Error("Enough."));
		await expect(cancelled).rejects.toThrow("Enough.");
	});

	test("share a process with the folder's other threads, and it keeps running if one session times out", async () => {
		const fronted = await Fronted.by();
		const { conversation } = fronted;
		const { assist, tools: box } = conversation;
		const other = await assist.create(box.root);
		const going = new AbortController();
		const prompt = [{ type: "text", text: "wait" }] as const;
		const long = assist.prompt(other.id, prompt, conversation, { signal: going.signal });
		await vi.waitFor(() => expect(JSON.stringify(conversation.updates)).toContain("Waiting."), WAIT);
		const turn = fronted.conversation.prompt("deaf");
		await fronted.until(/^text: Ignoring/);
		conversation.turn.abort();
		fronted.timers.get(10_000)?.();
		expect(await turn).toBe("cancelled");
		going.abort();
		expect(await long).toBe("cancelled");
		const entries = await assist.entries(other.id);
		expect(entries.map(({ body }) => (body.type === "text" ? body.text : "")).join("")).toBe("Waiting. Stopped.");
		expect(entries.find(({ body }) => body.type === "agent")?.body).toMatchObject({ session: "s1" });
		expect(await conversation.lines()).toContain("agent: quirky s2");
	});

	test("time out if they never open, while those of other threads continue", async () => {
		const fronted = await Fronted.by(["--hangs=s2"]);
		const { conversation } = fronted;
		const { assist, tools: box } = conversation;
		const agent = await fronted.saying("instance");
		const other = await assist.create(box.root);
		const before = fronted.timers.get(120_000);
		const prompt = [{ type: "text", text: "say hello" }] as const;
		const late = assist.prompt(other.id, prompt, conversation, { signal: conversation.turn.signal });
		await vi.waitFor(() => expect(fronted.timers.get(120_000)).not.toBe(before), WAIT);
		fronted.timers.get(120_000)?.();
		expect(await late).toBe("failed");
		expect(JSON.stringify(await assist.entries(other.id))).toContain("did not answer session/new within 120 s.");
		expect(await fronted.saying("instance")).toBe(agent);
	});

	test("are deleted with their thread if the agent supports it", async () => {
		const fronted = await Fronted.by(["--deletes"]);
		const { assist, tools: box } = fronted.conversation;
		const other = await assist.create(box.root);
		const { signal } = fronted.conversation.turn;
		await fronted.saying("say One.");
		await assist.prompt(other.id, [{ type: "text", text: "say Two." }], fronted.conversation, { signal });
		await assist.delete(other.id);
		expect(await fronted.saying("deleted")).toBe('["s2"]');
	});

	test("share the process limit with other engines", async () => {
		const processes = agentProcesses();
		onTestFinished(() => processes.close());
		const { start, running } = new QuirkyAgents();
		for (let i = 0; i < 9; i++) {
			const agent = { command: quirkyAgent(), start, report: () => {}, processes };
			const fronted = await Fronted.by([], { agent });
			expect(await fronted.saying("say hello")).toBe("hello");
		}
		await vi.waitFor(() => expect(running).toEqual([false, ...Array(8).fill(true)]), WAIT);
	});

	test("only accept processes from agentProcesses", () => {
		const processes = { close: async () => {} };
		expect(() => new AgentProxy({ command: quirkyAgent(), report: () => {}, processes }, [])).toThrow(TypeError);
	});

	test("can sign in and out through the protocol-independent interface", async () => {
		const { conversation, ...fronted } = await Fronted.by(["--auth", "--terminal"]);
		const { otherAgent } = conversation.assist;
		if (otherAgent === undefined) throw new Error("no other agent");
		const { root } = conversation.tools;
		const { authMethods } = await acpAgent(otherAgent).introduce(root, { auth: { terminal: true } });
		expect(authMethods.map(({ id }) => id)).toEqual(["quirky-api-key", "in-terminal"]);
		expect(await otherAgent.signInMethods(root)).toEqual([{ id: "quirky-api-key", name: "A key" }]);
		await otherAgent.signIn("quirky-api-key");
		expect(await conversation.prompt("say hello")).toBe("done");
		await expect(otherAgent.signIn("no such method")).rejects.toThrow(PeerError);
		await otherAgent.signOut();
		expect(fronted.reported).toEqual([]);
	});

	test("do not pass ACP messages on to a client with another protocol", async () => {
		const unused = () => Promise.reject(new Error("unexpected message"));
		const relay: Relay = { protocol: "other", request: unused, notify: unused };
		const { conversation } = await Fronted.by([], { relay });
		let failure: unknown;
		const verbatim: Verbatim = { protocol: "other", onFailure: (why) => (failure = why) };
		expect(await conversation.prompt("say hello", { verbatim })).toBe("done");
		expect(conversation.receivedEntries()).toEqual(await conversation.entries());
		expect(await conversation.lines()).toContain("text: hello");
		expect(failure).toBeUndefined();
	});

	test("have ACP types only if the agent speaks ACP", async () => {
		const { conversation } = await Fronted.by();
		const { assist, thread, turn } = conversation;
		const session = await assist.agentFor(thread.id, conversation, turn);
		if (assist.otherAgent === undefined || session === undefined) throw new Error("no other agent");
		expect(acpAgent(assist.otherAgent)).toBe(assist.otherAgent);
		expect(acpSession(session)).toBe(session);
		const protocol = "other";
		expect(() => acpAgent({ ...assist.otherAgent, name: "odd", protocol } as OtherAgent)).toThrow(
			"odd speaks other, not ACP",
		);
		expect(() => acpSession({ agentName: "odd", protocol } as Partial<typeof session> as typeof session)).toThrow(
			"odd speaks other, not ACP",
		);
	});

	test("explain how to sign in", async () => {
		const fronted = await Fronted.by(["--auth"]);
		expect(await fronted.conversation.prompt("say hello")).toBe("failed");
		expect(await fronted.lines()).toEqual([
			expect.stringMatching(
				/^error: quirky requires you to sign in\. Sign-in methods: A key \(QUIRKY_API_KEY\)\. Run /,
			),
		]);
	});

	test("sign in with a key from the environment", async () => {
		vi.stubEnv("QUIRKY_API_KEY", "sk-1234567890");
		const fronted = await Fronted.by(["--auth"]);
		expect(await fronted.saying("say hello")).toBe("hello");
	});
});

describe("an agent's process", () => {
	test("ends during a turn if the engine is closed, without the grace period for a cancelled turn", async () => {
		const fronted = await Fronted.by();
		const { conversation, timers } = fronted;
		const turn = conversation.prompt("deaf");
		await fronted.until(/^text: Ignoring/);
		await conversation.assist.close();
		expect(await turn).toBe("cancelled");
		// The timer for the grace period had been started.
		expect(timers.has(10_000)).toBe(true);
	});

	test.runIf(isAll).each([[[]], [["--stubborn"]]])(
		"exits with the engine and takes its children with it: %s",
		async (flags) => {
			const agent = { command: quirkyAgent(...flags), report: () => {} };
			const { conversation } = await Fronted.by(flags, { agent });
			const fronted = await conversation.prompt("pid");
			expect(fronted).toBe("done");
			const text = (await conversation.lines()).find((line) => line.startsWith("text: "));
			const pid = Number(text?.slice("text: ".length));
			expect(() => process.kill(pid, 0)).not.toThrow();
			await conversation.assist.close();
			await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), WAIT);
		},
	);
});
