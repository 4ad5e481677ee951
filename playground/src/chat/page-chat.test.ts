import * as acp from "@segue/protocol/acp";
import { type Call, type Connection, on } from "@segue/rpc";
import { connectPeers, deferred, settled } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import { PageChat } from "./page-chat.js";

const OPTIONS = [
	{ optionId: "yes", name: "Allow", kind: "allow_once" as const },
	{ optionId: "no", name: "Reject", kind: "reject_once" as const },
];

/** The agent's side of a turn. Returns the stop reason. */
type Turn = (agent: Agent, call: Call) => Promise<string> | string;

interface Agent {
	readonly connection: Connection<"agent">;
	readonly sessionId: string;
	readonly say: (update: acp.SessionUpdate) => void;
}

/** A chat with an agent that plays the turns defined by the test. One file is open: /w/a.ts. */
class Stage {
	readonly buffers = new Map([["/w/a.ts", "a"]]);
	folder = "/w";
	/** The working directory of each new session. */
	readonly sessions: string[] = [];
	readonly closed: string[] = [];
	readonly cancelled: string[] = [];
	/** Number of times the chat reported that files may have changed on disk. */
	refreshes = 0;
	private readonly waiting: (() => void)[] = [];
	readonly chat = new PageChat(
		() => this.client,
		() => this.folder,
		{
			read: (path) => this.buffers.get(path),
			write: (path, text) => this.buffers.has(path) && this.buffers.set(path, text).has(path),
			refresh: () => this.refreshes++,
		},
		(run) => this.waiting.push(run),
	);
	client: Connection<"client"> | undefined;

	constructor(private readonly turn: Turn = () => "end_turn") {
		this.connect();
	}

	connect(): void {
		const { agent, client } = connectPeers(
			[
				on(acp.newSession, ({ cwd }, call) => {
					this.sessions.push(cwd);
					const sessionId = `s${this.sessions.length}`;
					const update = {
						sessionUpdate: "available_commands_update" as const,
						availableCommands: [{ name: "help", description: "Lists the commands" }],
					};
					call.afterwards(() => void agent.notify(acp.sessionUpdate, { sessionId, update }));
					return { sessionId };
				}),
				on(acp.closeSession, ({ sessionId }) => {
					this.closed.push(sessionId);
					return {};
				}),
				on(acp.prompt, async ({ sessionId }, call) => {
					const say = (update: acp.SessionUpdate) => void agent.notify(acp.sessionUpdate, { sessionId, update });
					return { stopReason: (await this.turn({ connection: agent, sessionId, say }, call)) as "end_turn" };
				}),
				on(acp.cancel, ({ sessionId }) => {
					this.cancelled.push(sessionId);
				}),
			],
			this.chat.handlers(),
		);
		this.client = client;
	}

	/** Runs the callbacks for the next frame. Returns how many there were. */
	draw(): number {
		const runs = this.waiting.splice(0);
		for (const run of runs) run();
		return runs.length;
	}

	/** The items in the chat, one line each. */
	get log(): readonly string[] {
		return this.chat.items.value.map((item) => {
			if (item.type === "plan") return `plan: ${item.entries.map(({ status }) => status).join(", ")}`;
			return item.type === "call" ? `call: ${item.title}, ${item.status}` : `${item.type}: ${item.text}`;
		});
	}
}

function text(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", said: string): acp.SessionUpdate {
	return { sessionUpdate, content: { type: "text", text: said } };
}

function plan(...statuses: readonly ("pending" | "completed")[]): acp.SessionUpdate {
	const entries = statuses.map((status) => ({ content: "a", priority: "medium" as const, status }));
	return { sessionUpdate: "plan", entries };
}

test("joins the chunks of an answer and of a thought into one item each", async () => {
	const stage = new Stage(({ say }) => {
		say(text("agent_thought_chunk", "H"));
		say(text("agent_thought_chunk", "m"));
		say(text("agent_message_chunk", "He"));
		say(text("agent_message_chunk", "llo"));
		return "end_turn";
	});
	await stage.chat.send("hi");
	expect(stage.log).toEqual(["user: hi", "thought: Hm", "agent: Hello"]);
	expect(stage.chat.isBusy.value).toBe(false);
});

test("draws chunks once per frame, and other updates immediately, together with earlier chunks", async () => {
	const further = [deferred(), deferred()];
	const stage = new Stage(async ({ say }) => {
		for (const letter of "Hello") say(text("agent_message_chunk", letter));
		await further[0]?.opened;
		for (const letter of ", you") say(text("agent_message_chunk", letter));
		say(plan("pending"));
		await further[1]?.opened;
		return "end_turn";
	});
	const said = stage.chat.send("hi");
	await settled();
	expect(stage.log).toEqual(["user: hi", "agent: H"]);
	expect(stage.draw()).toBe(1);
	expect(stage.log).toEqual(["user: hi", "agent: Hello"]);
	further[0]?.open();
	await settled();
	expect(stage.log).toEqual(["user: hi", "agent: Hello, you", "plan: pending"]);
	expect(stage.draw()).toBe(1);
	further[1]?.open();
	await said;
	expect(stage.log).toEqual(["user: hi", "agent: Hello, you", "plan: pending"]);
});

test("a new chat stays empty when a pending frame for the previous chat is drawn", async () => {
	const stage = new Stage(async ({ say }, { signal }) => {
		say(text("agent_message_chunk", "He"));
		say(text("agent_message_chunk", "llo"));
		await new Promise((resolve) => signal.addEventListener("abort", resolve));
		return "cancelled";
	});
	void stage.chat.send("hi");
	await settled();
	stage.chat.renew();
	expect(stage.draw()).toBe(1);
	expect(stage.log).toEqual([]);
});

test("a tool call is one item, and an update keeps the fields that it leaves out", async () => {
	const stage = new Stage(({ say }) => {
		say({ sessionUpdate: "tool_call", toolCallId: "c1", title: "Read a.ts", status: "pending" });
		say(text("agent_message_chunk", "…"));
		say({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
		return "end_turn";
	});
	await stage.chat.send("go");
	expect(stage.log).toEqual(["user: go", "call: Read a.ts, completed", "agent: …"]);
	// After the call, and after the turn.
	expect(stage.refreshes).toBe(2);
});

test("an updated plan replaces the previous plan in the same turn", async () => {
	const stage = new Stage(({ say }) => {
		say(plan("pending", "pending"));
		say(text("agent_message_chunk", "…"));
		say(plan("completed", "pending"));
		return "end_turn";
	});
	await stage.chat.send("one");
	await stage.chat.send("two");
	const turn = ["plan: completed, pending", "agent: …"];
	expect(stage.log).toEqual(["user: one", ...turn, "user: two", ...turn]);
});

test("each permission request waits for its own answer", async () => {
	const answers: unknown[] = [];
	const stage = new Stage(async ({ connection, sessionId, say }) => {
		say({ sessionUpdate: "tool_call", toolCallId: "c2", title: "Edit b.ts" });
		const asked = [{ toolCallId: "c1", title: "Edit a.ts" }, { toolCallId: "c2" }].map((toolCall) => {
			return connection.request(acp.requestPermission, { sessionId, toolCall, options: OPTIONS });
		});
		answers.push(...(await Promise.all(asked)).map(({ outcome }) => outcome));
		return "end_turn";
	});
	const said = stage.chat.send("go");
	await settled();
	const [first, second] = stage.chat.questions.value;
	expect([first?.title, second?.title]).toEqual(["Edit a.ts", "Edit b.ts"]);
	second?.answer("no");
	expect(stage.chat.questions.value).toEqual([first]);
	first?.answer("yes");
	await said;
	expect(answers).toEqual([
		{ outcome: "selected", optionId: "yes" },
		{ outcome: "selected", optionId: "no" },
	]);
});

test("removes a permission request that the agent cancels", async () => {
	const control = new AbortController();
	const stage = new Stage(async ({ connection, sessionId }) => {
		const params = { sessionId, toolCall: { toolCallId: "c1" }, options: OPTIONS };
		await connection.request(acp.requestPermission, params, control.signal).catch(() => {});
		return "end_turn";
	});
	const said = stage.chat.send("go");
	await settled();
	expect(stage.chat.questions.value.length).toBe(1);
	control.abort();
	await said;
	expect(stage.chat.questions.value).toEqual([]);
});

test("stopping a turn cancels open permission requests and notifies the agent", async () => {
	let outcome: unknown;
	const stage = new Stage(async ({ connection, sessionId }) => {
		const params = { sessionId, toolCall: { toolCallId: "c1" }, options: OPTIONS };
		({ outcome } = await connection.request(acp.requestPermission, params));
		return "cancelled";
	});
	const said = stage.chat.send("go");
	await settled();
	stage.chat.stop();
	await said;
	expect(outcome).toEqual({ outcome: "cancelled" });
	expect(stage.cancelled).toEqual(["s1"]);
	expect(stage.log).toEqual(["user: go", "notice: Stopped."]);
});

test("a chat that is started during an answer is empty and ignores that answer", async () => {
	const left = deferred();
	const stage = new Stage(async ({ sessionId, say }) => {
		if (sessionId === "s1") await left.opened;
		say(text("agent_message_chunk", `in ${sessionId}`));
		return sessionId === "s1" ? "cancelled" : "end_turn";
	});
	const before = stage.chat.send("one");
	await settled();
	stage.chat.renew();
	expect(stage.chat.isBusy.value).toBe(false);
	const after = stage.chat.send("two");
	left.open();
	await before;
	expect(stage.chat.isBusy.value).toBe(true);
	await after;
	expect(stage.log).toEqual(["user: two", "agent: in s2"]);
	expect(stage.chat.isBusy.value).toBe(false);
});

test("reports a lost connection and opens a new session on the next connection", async () => {
	const stage = new Stage(({ connection }) => {
		if (stage.sessions.length > 1) return "end_turn";
		connection.close();
		return new Promise(() => {});
	});
	await stage.chat.send("go");
	expect(stage.log).toEqual(["user: go", "notice: The connection was lost."]);
	expect(stage.chat.isBusy.value).toBe(false);
	stage.connect();
	await stage.chat.send("again");
	expect(stage.log.slice(2)).toEqual([
		"notice: This is a new chat. The agent does not know the messages above.",
		"user: again",
	]);
});

test("says only once that a new chat has begun, however often the folder changes", async () => {
	const stage = new Stage();
	await stage.chat.send("go");
	const before = stage.log.length;
	for (let times = 0; times < 3; times++) {
		stage.connect();
		await stage.chat.begin();
	}
	expect(stage.log.slice(before)).toEqual(["notice: This is a new chat. The agent does not know the messages above."]);
});

test("reports a missing connection", async () => {
	const stage = new Stage();
	stage.client = undefined;
	await stage.chat.begin();
	await stage.chat.send("go");
	expect(stage.log).toEqual(["user: go", "notice: The connection was lost."]);
});

test("shows the agent's error message", async () => {
	const stage = new Stage(() => Promise.reject(new Error("boom")));
	await stage.chat.send("go");
	expect(stage.log.length).toBe(2);
	expect(stage.log[1]).toMatch(/^notice: ./);
	expect(stage.log[1]).not.toContain("connection was lost");
});

test("knows the commands before the first prompt, and opens one session for two calls", async () => {
	const { chat, sessions } = new Stage();
	await Promise.all([chat.begin(), chat.begin()]);
	await settled();
	expect(chat.commands.value.map(({ name }) => name)).toEqual(["help"]);
	expect(sessions).toEqual(["/w"]);
});

test("opens a session for each folder and each new chat", async () => {
	const stage = new Stage();
	await stage.chat.send("one");
	stage.folder = "/v";
	await stage.chat.send("two");
	stage.chat.renew();
	await stage.chat.send("three");
	expect(stage.sessions).toEqual(["/w", "/v", "/v"]);
	expect(stage.log).toEqual(["user: three"]);
});

test("closes the session of a folder or chat that the user left", async () => {
	const stage = new Stage();
	await stage.chat.send("one");
	stage.chat.leaveFolder();
	await settled();
	expect(stage.closed).toEqual([]);
	stage.folder = "/v";
	stage.chat.leaveFolder();
	await settled();
	expect(stage.closed).toEqual(["s1"]);
	await stage.chat.send("two");
	stage.chat.renew();
	await settled();
	expect(stage.closed).toEqual(["s1", "s2"]);
	expect(stage.sessions).toEqual(["/w", "/v", "/v"]);
});

test("closes a session that was left while it was being opened, and sends no prompt in it", async () => {
	const said: string[] = [];
	const stage = new Stage(({ sessionId }) => {
		said.push(sessionId);
		return "end_turn";
	});
	const begun = stage.chat.begin();
	stage.chat.renew();
	await begun;
	await stage.chat.send("one");
	expect(stage.closed).toEqual(["s1"]);
	expect(said).toEqual(["s2"]);
});

test("ignores updates for other sessions", async () => {
	const stage = new Stage(({ connection }) => {
		const update = text("agent_message_chunk", "stray");
		connection.notify(acp.sessionUpdate, { sessionId: "other", update });
		return "end_turn";
	});
	await stage.chat.send("go");
	expect(stage.log).toEqual(["user: go"]);
});

test("lets the agent read and write only open files", async () => {
	const found: unknown[] = [];
	const stage = new Stage(async ({ connection, sessionId }) => {
		const reason = (error: unknown) => (error as { code: number }).code;
		found.push((await connection.request(acp.readTextFile, { sessionId, path: "/w/a.ts" })).content);
		await connection.request(acp.writeTextFile, { sessionId, path: "/w/a.ts", content: "b" });
		found.push(await connection.request(acp.readTextFile, { sessionId, path: "/w/x.ts" }).catch(reason));
		const other = { sessionId, path: "/w/x.ts", content: "" };
		found.push(await connection.request(acp.writeTextFile, other).catch(reason));
		return "end_turn";
	});
	await stage.chat.send("go");
	expect(found).toEqual(["a", -32002, -32601]);
	expect(stage.buffers).toEqual(new Map([["/w/a.ts", "b"]]));
});

test("shows a notice if the answer was cut off", async () => {
	const stage = new Stage(() => "max_tokens");
	await stage.chat.send("go");
	expect(stage.log).toEqual(["user: go", "notice: The answer was cut off because it was too long."]);
});
