// An agent built on the ACP SDK that reproduces the quirks of real agents. The last text block in a prompt is a word
// from the table below, which selects the behaviour, and an argument. Flags change how the agent starts. Plain
// JavaScript, because quirky-process.mjs runs it in a child process without a build.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

/** Serves one client over two byte streams. `more` adds words to the table. Resolves when the client closes its end. */
export async function serveQuirky(args, input, output, more = {}) {
	const flags = new Map(args.map((flag) => flag.replace(/^--/, "").split("=")));
	const quirky = new Quirky(flags, output, { ...DOES, ...more });
	const app = agent({ name: "quirky" })
		.onRequest("initialize", ({ params }) => quirky.initialize(params))
		.onRequest("authenticate", ({ params }) => quirky.authenticate(params))
		.onRequest("logout", () => quirky.logout())
		.onRequest("session/new", ({ params }) => quirky.newSession(params))
		.onRequest("session/load", ({ params }) => quirky.loadSession(params))
		.onRequest("session/resume", ({ params }) => quirky.resumeSession(params))
		.onRequest("session/close", () => ({}))
		.onRequest("session/delete", ({ params }) => {
			quirky.deleted.push(params.sessionId);
			return {};
		})
		.onRequest("session/set_mode", ({ params }) => quirky.setMode(params))
		.onRequest("session/set_config_option", ({ params }) => quirky.setConfigOption(params))
		.onRequest("session/prompt", ({ params }) => quirky.prompt(params))
		.onRequest("*", ({ method, params }) => {
			if (method !== "_own/question") throw RequestError.methodNotFound(method);
			return { heard: params };
		})
		.onNotification("session/cancel", ({ params }) => quirky.cancel(params))
		.onNotification("*", ({ method, params }) => quirky.noted.push({ method, params }));
	const { readable, writable } = ndJsonStream(Writable.toWeb(output), Readable.toWeb(input));
	const heard = new TransformStream({
		transform: (message, next) => {
			if (message.id === null && message.error !== undefined) quirky.complaints.push(message.error.message);
			else next.enqueue(message);
		},
	});
	const connection = app.connect({ readable: readable.pipeThrough(heard), writable });
	quirky.client = connection.client;
	await connection.closed;
}

const IN_TERMINAL = {
	id: "in-terminal",
	name: "In a terminal",
	type: "terminal",
	args: ["--signs-in"],
	env: { QUIRKY_OWN: "1" },
};
const MODES = { currentModeId: "calm", availableModes: ["calm", "wild"].map((id) => ({ id, name: id })) };
const OPTIONS = (currentValue) => [
	{
		id: "model",
		name: "Model",
		category: "model",
		type: "select",
		currentValue,
		options: ["small", "large"].map((value) => ({ value, name: value })),
	},
];

let instances = 0;

class Quirky {
	constructor(flags, output, words) {
		this.flags = flags;
		this.output = output;
		this.words = words;
		this.signedIn = !flags.has("auth");
		this.instance = ++instances;
	}

	cancels = [];
	/** Error messages that the client sent for unreadable lines. */
	complaints = [];
	edits = 0;
	/** Extension notifications from the client. */
	noted = [];
	/** Ids of deleted sessions. */
	deleted = [];

	async initialize({ clientCapabilities }) {
		if (this.flags.has("silent") || existsSync(this.flags.get("silent-with") ?? "")) await new Promise(() => {});
		if (this.flags.has("log")) this.output.write("a line for the log\n");
		this.capabilities = clientCapabilities;
		return {
			protocolVersion: Number(this.flags.get("version") ?? 1),
			agentInfo: { name: this.flags.get("name") ?? "quirky", version: "1" },
			authMethods: [
				...(this.flags.has("auth") ? [{ id: "quirky-api-key", name: "A key", description: "QUIRKY_API_KEY" }] : []),
				...(this.flags.has("terminal") && clientCapabilities.auth?.terminal ? [IN_TERMINAL] : []),
			],
			agentCapabilities: {
				loadSession: this.flags.has("load"),
				promptCapabilities: {
					image: this.flags.has("images"),
					audio: this.flags.has("audio"),
					embeddedContext: this.flags.has("embedded"),
				},
				sessionCapabilities: {
					...(this.flags.has("resume") && { resume: {} }),
					...(this.flags.has("deletes") && { delete: {} }),
					close: {},
				},
				...(this.flags.has("auth") && { auth: { logout: {} } }),
			},
		};
	}

	async authenticate({ methodId, _meta }) {
		if (methodId !== "quirky-api-key") throw RequestError.invalidParams(undefined, "only API keys are accepted");
		this.signedIn = true;
		return { _meta };
	}

	async logout() {
		this.signedIn = false;
		return {};
	}

	async newSession({ cwd, mcpServers }) {
		if (!this.signedIn) throw RequestError.authRequired();
		if (this.flags.has("refuse")) throw RequestError.internalError({ details: "no room left" });
		const sessionId = `s${this.count()}`;
		if (this.flags.has("whispers")) await this.client.notify("_own/news", { sessionId, own: 1 });
		if (this.flags.has("peeks")) {
			await this.client.request("fs/read_text_file", { sessionId, path: `${cwd}/a.txt` });
		}
		if (this.flags.get("hangs") === sessionId) await new Promise(() => {});
		this.cwd = cwd;
		this.servers = mcpServers;
		if (this.flags.has("early"))
			await this.sendUpdate(sessionId, { sessionUpdate: "available_commands_update", ...COMMANDS });
		if (!this.flags.has("early")) {
			setImmediate(() => this.sendUpdate(sessionId, { sessionUpdate: "available_commands_update", ...COMMANDS }));
		}
		return { sessionId, modes: MODES, configOptions: OPTIONS("small") };
	}

	async loadSession({ sessionId, cwd }) {
		this.cwd = cwd;
		if (this.flags.has("forgets")) throw RequestError.resourceNotFound(sessionId);
		await this.sendText(sessionId, "Earlier message.");
		return { modes: MODES };
	}

	async resumeSession({ sessionId, cwd }) {
		this.cwd = cwd;
		if (this.flags.has("tired")) throw RequestError.resourceNotFound(sessionId);
		return { modes: MODES, configOptions: OPTIONS("large") };
	}

	async setMode({ sessionId, modeId }) {
		if (modeId === "deaf") await new Promise(() => {});
		if (modeId === "hasty") {
			const path = `${this.cwd}/hasty.txt`;
			await this.client.request("fs/write_text_file", { sessionId, path, content: "written\n" });
		}
		if (modeId === "none") throw RequestError.invalidParams(undefined, "no such mode");
		await this.sendUpdate(sessionId, { sessionUpdate: "current_mode_update", currentModeId: modeId });
		return {};
	}

	async setConfigOption({ value }) {
		if (value === "deaf") await new Promise(() => {});
		return { configOptions: OPTIONS(value) };
	}

	cancel() {
		for (const wake of this.cancels.splice(0)) wake();
	}

	async prompt({ sessionId, ...params }) {
		const { prompt } = params;
		this.promptParams = params;
		const [word, ...rest] = (prompt.at(-1).text ?? "").split(" ");
		const done = (await this.words[word]?.call(this, sessionId, rest.join(" "), prompt)) ?? "end_turn";
		return typeof done === "string" ? { stopReason: done } : done;
	}

	/**
	 * Returns the number of the next session. With `--memory=FILE` it is stored in that file, so a restarted process
	 * uses new ids.
	 */
	count() {
		const memory = this.flags.get("memory");
		if (memory === undefined) {
			this.sessions = (this.sessions ?? 0) + 1;
			return this.sessions;
		}
		let before = 0;
		try {
			before = Number(readFileSync(memory, "utf8"));
		} catch {}
		writeFileSync(memory, String(before + 1));
		return before + 1;
	}

	sendUpdate(sessionId, update) {
		return this.client.notify("session/update", { sessionId, update });
	}

	sendText(sessionId, text) {
		return this.sendUpdate(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
	}

	/** Sends the result of `work`, or its error, as text that a test can read. */
	async attempt(sessionId, work) {
		try {
			await this.sendText(sessionId, JSON.stringify((await work()) ?? null));
		} catch (error) {
			await this.sendText(sessionId, `error ${error.code}: ${error.message}`);
		}
	}
}

const COMMANDS = { availableCommands: [{ name: "compact", description: "Compact the conversation" }] };

const ALLOW = [
	{ optionId: "yes", name: "Allow", kind: "allow_once" },
	{ optionId: "ever", name: "Always allow", kind: "allow_always" },
	{ optionId: "no", name: "Reject", kind: "reject_once" },
];

const DOES = {
	async say(id, text) {
		await this.sendText(id, text);
	},
	/** Sends an arbitrary session update. */
	async news(id, json) {
		await this.sendUpdate(id, JSON.parse(json));
	},
	/** Sends every kind of update in one turn. */
	async everything(id) {
		await this.sendUpdate(id, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm." } });
		await this.sendUpdate(id, {
			sessionUpdate: "plan",
			entries: [{ content: "Look", priority: "high", status: "in_progress" }],
		});
		await this.sendText(id, "Look");
		await this.sendText(id, "ing.");
		const path = `${this.cwd}/a.txt`;
		const call = { toolCallId: "c1", title: "Edit a.txt", kind: "edit", rawInput: { path } };
		await this.sendUpdate(id, {
			sessionUpdate: "tool_call",
			...call,
			status: "pending",
			locations: [{ path, line: 1 }],
		});
		const content = [{ type: "diff", path, oldText: "one\n", newText: "two\n" }];
		const { outcome } = await this.client.request("session/request_permission", {
			sessionId: id,
			toolCall: { toolCallId: "c1", content, _meta: { own: 1 } },
			options: ALLOW,
		});
		if (outcome.optionId === "yes" || outcome.optionId === "ever") {
			await this.client.request("fs/write_text_file", { sessionId: id, path, content: "two\n" });
			await this.sendUpdate(id, { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
		} else await this.sendUpdate(id, { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed" });
		await this.sendText(id, `Answer: ${outcome.optionId ?? outcome.outcome}`);
		await this.sendUpdate(id, {
			sessionUpdate: "usage_update",
			used: 12,
			size: 100,
			cost: { amount: 0.5, currency: "USD" },
		});
		await this.sendUpdate(id, { sessionUpdate: "session_info_update", title: "A new name" });
	},
	async late(id) {
		await this.sendUpdate(id, { sessionUpdate: "tool_call", toolCallId: "late", title: "Slow", status: "in_progress" });
		setImmediate(async () => {
			await this.sendText(id, "After the end.");
			await this.sendUpdate(id, { sessionUpdate: "tool_call_update", toolCallId: "late", status: "completed" });
		});
	},
	async unfinished(id) {
		await this.sendUpdate(id, { sessionUpdate: "tool_call", toolCallId: "c1", title: "Slow", status: "in_progress" });
	},
	async private(id, method) {
		await this.attempt(id, () => this.client.request(method, { sessionId: id, own: 1 }));
	},
	async long(id, length) {
		await this.sendText(id, "x".repeat(Number(length)));
	},
	async read(id, file) {
		const path = file.startsWith("/") ? file : `${this.cwd}/${file}`;
		await this.attempt(id, () => this.client.request("fs/read_text_file", { sessionId: id, path }));
	},
	async lines(id, file) {
		await this.attempt(id, () =>
			this.client.request("fs/read_text_file", { sessionId: id, path: `${this.cwd}/${file}`, line: 2, limit: 1 }),
		);
	},
	async write(id, file) {
		const path = file.startsWith("/") ? file : `${this.cwd}/${file}`;
		await this.attempt(id, () =>
			this.client.request("fs/write_text_file", { sessionId: id, path, content: "written\n" }),
		);
	},
	/** Writes a file during an announced tool call, without asking for permission. */
	async edit(id, file) {
		await this.sendUpdate(id, {
			sessionUpdate: "tool_call",
			toolCallId: "c1",
			title: "Edit",
			kind: "edit",
			status: "pending",
		});
		const params = { sessionId: id, path: `${this.cwd}/${file}`, content: `${++this.edits}\n` };
		await this.client.request("fs/write_text_file", params);
		await this.sendUpdate(id, { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
	},
	async run(id, line, _prompt, env = []) {
		const [command, ...args] = line.split(" ");
		await this.attempt(id, async () => {
			const terminal = await this.client.createTerminal({ sessionId: id, command, args, env, outputByteLimit: 20 });
			await this.sendUpdate(id, {
				sessionUpdate: "tool_call",
				toolCallId: "t",
				title: line,
				kind: "execute",
				status: "in_progress",
				content: [{ type: "terminal", terminalId: terminal.id }],
			});
			const exit = await terminal.waitForExit();
			const { output, truncated } = await terminal.currentOutput();
			await this.sendUpdate(id, {
				sessionUpdate: "tool_call_update",
				toolCallId: "t",
				status: "completed",
				content: [{ type: "terminal", terminalId: terminal.id }],
			});
			await terminal.release();
			return { ...exit, output, truncated };
		});
	},
	/** Runs a command with an environment variable: `NAME=VALUE COMMAND`. */
	async with(id, words) {
		const [, name, value, line] = /^(\w+)=(\S*) (.*)$/.exec(words);
		await DOES.run.call(this, id, line, [], [{ name, value }]);
	},
	/** Asks for permission to run one command, then runs another. */
	async asked(id, lines) {
		const [command, next] = lines.split("; ");
		const toolCall = {
			toolCallId: "q",
			title: "Run",
			kind: "execute",
			rawInput: { command: ["/bin/bash", "-lc", command] },
		};
		await this.client.request("session/request_permission", { sessionId: id, toolCall, options: ALLOW });
		await DOES.run.call(this, id, next);
	},
	/** Asks for permission to edit files, identified by diff or only by path, then writes other files. */
	async edits(id, json) {
		const { shown = {}, named = [], writes } = JSON.parse(json);
		const { outcome } = await this.client.request("session/request_permission", {
			sessionId: id,
			toolCall: {
				toolCallId: "q",
				title: "Edit",
				kind: "edit",
				content: Object.entries(shown).map(([file, newText]) => ({
					type: "diff",
					path: `${this.cwd}/${file}`,
					newText,
				})),
				locations: named.map((file) => ({ path: `${this.cwd}/${file}` })),
			},
			options: ALLOW,
		});
		await this.sendText(id, outcome.optionId ?? outcome.outcome);
		for (const [file, content] of Object.entries(writes)) {
			const params = { sessionId: id, path: `${this.cwd}/${file}`, content };
			await this.attempt(id, () => this.client.request("fs/write_text_file", params));
		}
	},
	/**
	 * Like Kimi: sends a tool's arguments as the text content of the call, asks for permission with a title but no
	 * path, then writes files.
	 */
	async described(id, json) {
		const { args, kind = "edit", question = "Requesting approval", writes = {} } = JSON.parse(json);
		const text = (words) => [{ type: "content", content: { type: "text", text: words } }];
		const call = { toolCallId: "w", title: "Write" };
		const content = text(typeof args === "string" ? args : JSON.stringify(args));
		await this.sendUpdate(id, { sessionUpdate: "tool_call", ...call, kind, status: "pending", content });
		const { outcome } = await this.client.request("session/request_permission", {
			sessionId: id,
			toolCall: question === null ? call : { ...call, content: text(question) },
			options: ALLOW,
		});
		await this.sendText(id, outcome.optionId ?? outcome.outcome);
		for (const [file, written] of Object.entries(writes)) {
			const params = { sessionId: id, path: `${this.cwd}/${file}`, content: written };
			await this.attempt(id, () => this.client.request("fs/write_text_file", params));
		}
		await this.sendUpdate(id, { sessionUpdate: "tool_call_update", toolCallId: "w", status: "completed" });
	},
	async error(_id, words) {
		throw new RequestError(-32603, "Internal error", { details: words });
	},
	async stop(_id, reason) {
		return reason;
	},
	/** Runs until the turn is cancelled. */
	async wait(id) {
		await this.sendText(id, "Waiting.");
		await new Promise((resolve) => this.cancels.push(resolve));
		await this.sendText(id, " Stopped.");
		return "cancelled";
	},
	async deaf(id) {
		await this.sendText(id, "Ignoring cancellation.");
		await new Promise(() => {});
	},
	async ask(id, kind) {
		const { outcome } = await this.client.request("session/request_permission", {
			sessionId: id,
			toolCall: {
				toolCallId: "q",
				title: "May I?",
				kind,
				content: [{ type: "content", content: { type: "text", text: "Please confirm." } }],
			},
			options: ALLOW,
		});
		await this.sendText(id, outcome.optionId ?? outcome.outcome);
		return outcome.outcome === "cancelled" ? "cancelled" : "end_turn";
	},
	/** Asks for permission for one action in a call, then performs other actions under the same call id. */
	async more(id) {
		const path = `${this.cwd}/a.txt`;
		const content = [{ type: "diff", path, oldText: "one\n", newText: "two\n" }];
		const call = { toolCallId: "c1", title: "Edit a.txt", kind: "edit" };
		await this.sendUpdate(id, { sessionUpdate: "tool_call", ...call, status: "pending", content });
		const may = async (toolCall) => {
			const params = { sessionId: id, toolCall, options: ALLOW };
			const { outcome } = await this.client.request("session/request_permission", params);
			await this.sendText(id, outcome.optionId ?? outcome.outcome);
		};
		await may({ toolCallId: "c1" });
		const write = { sessionId: id, path: `${this.cwd}/other.txt`, content: "never shown\n" };
		await this.attempt(id, () => this.client.request("fs/write_text_file", write));
		await may({ toolCallId: "c1", title: "Remove all", kind: "execute", rawInput: { command: "rm -rf /" } });
		await may({ toolCallId: "c1" });
	},
	/** Asks for permission for a call that is already in progress. */
	async belatedly(id) {
		const call = { toolCallId: "c1", title: "Look", kind: "execute", rawInput: { command: "ls" } };
		await this.sendUpdate(id, { sessionUpdate: "tool_call", ...call, status: "in_progress" });
		const params = { sessionId: id, toolCall: { toolCallId: "c1" }, options: ALLOW };
		const { outcome } = await this.client.request("session/request_permission", params);
		await this.sendText(id, outcome.optionId ?? outcome.outcome);
	},
	/** Ends the turn while a permission request is pending. */
	async carelessly(id) {
		const toolCall = { toolCallId: "c1", title: "Look", kind: "execute", rawInput: { command: "ls" } };
		const pending = this.client.request("session/request_permission", { sessionId: id, toolCall, options: ALLOW });
		void pending.then(({ outcome }) => this.sendText(id, `The answer: ${outcome.optionId ?? outcome.outcome}`));
		await this.client.request("_own/request", { sessionId: id }).catch(() => {});
	},
	/** Asks for permission for the tool call given as JSON. */
	async asks(id, json) {
		const toolCall = { toolCallId: "q", title: "May I?", ...JSON.parse(json) };
		const { outcome } = await this.client.request("session/request_permission", {
			sessionId: id,
			toolCall,
			options: ALLOW,
		});
		await this.sendText(id, outcome.optionId ?? outcome.outcome);
	},
	/** Writes a line that is not a message to standard output, then sends the client's error messages about it. */
	async garbage(id, line) {
		this.output.write(`${line || "npm warn not a message"}\n`);
		await this.client.request("_own/request", { sessionId: id }).catch(() => {});
		await this.sendText(id, ["Still here.", ...this.complaints].join(" "));
	},
	/** Creates a file as the file services of some agents do: reads it first, and gives up on any error. */
	async create(id, file) {
		const path = `${this.cwd}/${file}`;
		await this.attempt(id, async () => {
			const { content } = await this.client.request("fs/read_text_file", { sessionId: id, path });
			await this.client.request("fs/write_text_file", { sessionId: id, path, content: `${content}created\n` });
		});
	},
	/** Ends the turn with the given response. */
	async answer(_id, json) {
		return JSON.parse(json);
	},
	/** Sends an extension notification between two messages. */
	async whisper(id, json) {
		await this.sendText(id, "Before.");
		await this.client.notify("_own/news", { sessionId: id, ...JSON.parse(json) });
		await this.sendText(id, "After.");
	},
	/** Sends a notification that belongs to no session. */
	async notify(id, method) {
		await this.client.notify(method, { own: 1 });
		await this.sendText(id, "Sent.");
	},
	async noted(id) {
		await this.sendText(id, JSON.stringify(this.noted));
	},
	/** Sends the number of this agent instance. */
	async instance(id) {
		await this.sendText(id, String(this.instance));
	},
	async deleted(id) {
		await this.sendText(id, JSON.stringify(this.deleted));
	},
	/** Simulates an expired token. */
	async expire() {
		this.signedIn = false;
		throw RequestError.authRequired();
	},
	/** Echoes all params of the prompt request. */
	async whole(id) {
		await this.sendText(id, JSON.stringify(this.promptParams));
	},
	/** Echoes the content of the prompt. */
	async repeat(id, _text, prompt) {
		await this.sendText(id, JSON.stringify(prompt));
	},
	/** Sends the client's capabilities and MCP servers. */
	async offered(id) {
		await this.sendText(id, JSON.stringify({ capabilities: this.capabilities, servers: this.servers }));
	},
};
