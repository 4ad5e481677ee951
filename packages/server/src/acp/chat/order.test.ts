import { PassThrough } from "node:stream";
import { COMMANDS, type StartAgent } from "@segue/assist";
import * as acp from "@segue/protocol/acp";
import { Connection, lines, memoryPair, on, type Problem } from "@segue/rpc";
import { overStreams } from "@segue/rpc/node";
import { ChatFixture } from "@segue/testing/chat/chat-fixture";
import { HOLD, type ScriptedAnswer } from "@segue/testing/models/scripted-model";
import { settled } from "@segue/testing/rpc/peers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { serveAcp } from "../acp-server.js";
import { withChat } from "./acp-chat-server.js";

// Checks the message order that editors depend on, with random actions by the editor, the model and the user. To run
// many schedules from a fixed seed: FUZZ_RUNS=10000 FUZZ_SEED=1 npx vitest run
// packages/server/src/acp/chat/order.test.ts

const ACTIONS = [
	...["open", "load", "resume", "close", "prompt", "prompt", "prompt", "cancel"],
	...["release", "release", "settle", "settle", "mode", "option", "suggest"],
] as const;

type Step = { readonly action: string; readonly at: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.record({
		action: fc.constantFrom(...ACTIONS),
		at: fc.nat(2),
	}),
	{ maxLength: 18 },
);

const TEXT = { type: "text", text: "" } as const;

/** The model's replies: pieces of text, thoughts and tool calls, with pauses. */
const answers: fc.Arbitrary<Extract<ScriptedAnswer, readonly unknown[]>[]> = fc.array(
	fc.array(
		fc.constantFrom(
			HOLD,
			TEXT,
			{ type: "thought", text: "t", signature: undefined } as const,
			{ type: "call", id: "c", tool: "read_file", input: '{"path":"a.txt"}' } as const,
			{ type: "call", id: "d", tool: "delete_file", input: '{"path":"a.txt"}' } as const,
		),
		{ maxLength: 5 },
	),
	{ maxLength: 5 },
);

/** Updates that belong to a turn. */
const TURN_UPDATES = [
	"agent_message_chunk",
	"agent_thought_chunk",
	"tool_call",
	"tool_call_update",
	"plan",
	"usage_update",
];

test("updates arrive after their session is opened and before their turn's response, and engines are released", async () => {
	const conversation = await ChatFixture.begin({ files: { "a.txt": "a\n" } });
	await fc.assert(
		fc.asyncProperty(steps, answers, async (walk, script) => {
			conversation.model.add(...script.map((reply) => reply.map((each) => (each === TEXT ? newText() : each))));
			const editor = new Editor(conversation, () => conversation.model.release());
			await editor.play(walk);
			expect(editor.broken).toEqual([]);
		}),
	);
});

/** Actions of an external agent during a turn. */
const AGENT_ACTIONS = [
	"text",
	"text",
	"hold",
	"think",
	"call",
	"finish",
	"ask",
	"commands",
	"options",
	"mode",
	"late",
	"late call",
];

test("an external agent's messages arrive in order after its session is opened, and tool calls end before their turn", async () => {
	const actions = fc.array(fc.array(fc.constantFrom(...AGENT_ACTIONS), { maxLength: 6 }), { maxLength: 5 });
	const agent = new RandomAgent();
	const command = { name: "random", command: "random", args: [] };
	const { start } = agent;
	const conversation = await ChatFixture.begin({ files: {}, agent: { command, start, report: () => {} } });
	await fc.assert(
		fc.asyncProperty(steps, actions, fc.boolean(), async (walk, script, isEarly) => {
			agent.script = [...script];
			agent.isEarly = isEarly;
			agent.sent = "";
			const editor = new Editor(conversation, () => agent.release(), agent);
			await editor.play(walk);
			expect(editor.broken).toEqual([]);
		}),
	);
});

let letters = 0;

/** Returns a letter that is greater than all earlier ones. */
function newLetter(): string {
	return String.fromCodePoint(FIRST_LETTER + letters++);
}

/** The private use planes have more characters than all schedules need. */
const FIRST_LETTER = 0xf0000;

function newText() {
	return { type: "text", text: newLetter() } as const;
}

/** An agent that sends every kind of update that the protocol allows, at random times. */
class RandomAgent {
	/** The actions for the next turns. */
	script: (readonly string[])[] = [];
	/** Whether it sends updates for a session before the response to `session/new`. */
	isEarly = false;
	/** The text sent in all sessions. */
	sent = "";
	private sessions = 0;
	private calls = 0;
	private readonly held = new Set<() => void>();
	/** Sessions whose turn has been cancelled and no longer pauses. */
	private readonly cancelled = new Set<string>();
	private connection: Connection<"agent"> | undefined;

	readonly start: StartAgent = async () => {
		const stdin = new PassThrough();
		const stdout = new PassThrough();
		const settings = (currentValue: string) => ({ configOptions: [{ ...OPTION, currentValue }] });
		this.connection = new Connection<"agent">(overStreams(stdin, stdout, lines), {
			dialect: acp.dialect,
			report: () => {},
			handlers: [
				on(acp.initialize, () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } })),
				on(acp.newSession, () => {
					const sessionId = `s${++this.sessions}`;
					if (this.isEarly) this.send(sessionId, { sessionUpdate: "available_commands_update", availableCommands: [] });
					return { sessionId, modes: { currentModeId: "plan", availableModes: [] }, ...settings("a") };
				}),
				on(acp.closeSession, () => ({})),
				on(acp.setMode, () => ({})),
				on(acp.setConfigOption, () => settings("b")),
				on(acp.cancel, ({ sessionId }) => {
					this.cancelled.add(sessionId);
					this.release();
				}),
				on(acp.prompt, async ({ sessionId }) => {
					this.cancelled.delete(sessionId);
					for (const action of this.script.shift() ?? []) await this.do(action, sessionId);
					return { stopReason: "end_turn" as const };
				}),
			],
		});
		return { stdin, stdout };
	};

	/** Continues all paused turns. */
	release(): void {
		for (const wake of this.held) wake();
		this.held.clear();
	}

	private async do(action: string, sessionId: string): Promise<void> {
		const toolCallId = `c${this.calls}`;
		const content = { type: "text" as const, text: "t" };
		if (action === "hold" && this.cancelled.has(sessionId)) return;
		if (action === "hold") await new Promise<void>((resolve) => this.held.add(resolve));
		else if (action === "text") this.sendText(sessionId);
		else if (action === "late") setImmediate(() => this.sendText(sessionId));
		else if (action === "think") this.send(sessionId, { sessionUpdate: "agent_thought_chunk", content });
		else if (action === "call") {
			const id = `c${++this.calls}`;
			this.send(sessionId, { sessionUpdate: "tool_call", toolCallId: id, title: "Do", status: "in_progress" });
		} else if (action === "late call") {
			const update = { sessionUpdate: "tool_call", toolCallId: `late${++this.calls}`, title: "Do" } as const;
			setImmediate(() => this.send(sessionId, update));
		} else if (action === "finish" && this.calls > 0) {
			this.send(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
		} else if (action === "commands") {
			this.send(sessionId, { sessionUpdate: "available_commands_update", availableCommands: [] });
		} else if (action === "options") {
			this.send(sessionId, {
				sessionUpdate: "config_option_update",
				configOptions: [{ ...OPTION, currentValue: "b" }],
			});
		} else if (action === "mode") this.send(sessionId, { sessionUpdate: "current_mode_update", currentModeId: "plan" });
		else if (action === "ask") {
			const options = [{ optionId: "no", name: "No", kind: "reject_once" as const }];
			const params = { sessionId, toolCall: { toolCallId: `c${++this.calls}`, title: "Ask" }, options };
			await this.connection?.request(acp.requestPermission, params);
		}
	}

	private sendText(sessionId: string): void {
		const text = newLetter();
		this.sent += text;
		this.send(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
	}

	private send(sessionId: string, update: acp.SessionUpdate): void {
		this.connection?.notify(acp.sessionUpdate, { sessionId, update });
	}
}

const OPTION = {
	id: "mode",
	name: "Mode",
	type: "select" as const,
	options: ["edit", "a", "b"].map((value) => ({ value, name: value })),
};

/** An editor that checks the messages on the wire. */
class Editor {
	/** Descriptions of broken rules. */
	readonly broken: string[] = [];
	private readonly connection: Connection<"client">;
	/** Requests without a response, by id. */
	private readonly pending = new Map<unknown, Pending>();
	/** Sessions whose id was in a response. */
	private readonly known = new Set<string>();
	/** Sessions that have been closed at least once. */
	private readonly closed = new Set<string>();
	private count = 0;
	private readonly responses = new Set<Promise<unknown>>();
	/** Engines that have not been released yet. */
	private readonly acquired = new Set<unknown>();

	/** The text received in each session, without replays. */
	private readonly texts = new Map<string, string>();
	/** Unfinished tool calls by session. */
	private readonly open = new Map<string, Set<string>>();
	/** Sessions that were loaded or resumed. */
	private readonly reopened = new Set<string>();

	constructor(
		private readonly conversation: ChatFixture,
		private readonly release: () => void,
		private readonly agent?: RandomAgent,
	) {
		const [ours, theirs] = memoryPair();
		const { assist, model } = conversation;
		const report = (problem: Problem) => this.broken.push(JSON.stringify(problem));
		const models = { names: [], choose: () => model };
		const external = agent && { agent: "random" };
		const engine = { assist, models, commands: COMMANDS, prompt: assist.prompt.bind(assist), ...external };
		const acquire = () => {
			const handle = { engine, release: () => void this.acquired.delete(handle) };
			this.acquired.add(handle);
			return handle;
		};
		const chat = { acquireEngine: async () => acquire(), clock: { after: () => () => {} } };
		serveAcp(theirs, { version: "1", sync: "events", report, chat: withChat(chat) });
		this.connection = new Connection<"client">(ours, {
			dialect: acp.dialect,
			report,
			handlers: [
				on(acp.sessionUpdate, () => {}),
				on(acp.requestPermission, () => ({ outcome: { outcome: "selected" as const, optionId: "no" } })),
			],
		});
		this.connection.tap(({ direction, phase, text }) => {
			if (phase !== "before") return;
			const message = JSON.parse(text);
			if (direction === "in") this.arrives(message);
			else if ("id" in message && "method" in message) {
				const { method, params } = message;
				this.pending.set(message.id, {
					method,
					sessionId: params?.sessionId,
					number: ++this.count,
					isReplayed: false,
					text: "",
				});
			}
		});
	}

	async play(walk: readonly Step[]): Promise<void> {
		await this.initialize();
		for (const step of walk) await this.take(step);
		await this.finish();
	}

	private async initialize(): Promise<void> {
		await this.connection.request(acp.initialize, { protocolVersion: 1 });
		const { sessionId } = await this.connection.request(acp.nesStart, {});
		this.connection.notify(acp.didOpen, { sessionId, uri: URI, languageId: "typescript", version: 1, text: "let a\n" });
		await this.connection.request(acp.newSession, { cwd: this.conversation.tools.root });
	}

	private async take({ action, at }: Step): Promise<void> {
		const cwd = this.conversation.tools.root;
		const threads = [...this.known].filter((id) => !id.startsWith("nes_"));
		const sessionId = threads[at % Math.max(1, threads.length)];
		if (action === "open") this.track(this.connection.request(acp.newSession, { cwd }));
		else if (action === "settle") await settled();
		else if (action === "suggest") {
			const place = { uri: URI, version: 1, position: { line: 0, character: 5 }, triggerKind: "manual" } as const;
			this.track(this.connection.request(acp.nesSuggest, { sessionId: "nes_1", ...place }));
		} else if (action === "release") this.release();
		else if (sessionId === undefined) return;
		else if (action === "cancel") this.connection.notify(acp.cancel, { sessionId });
		else if (action === "load" || action === "resume") {
			this.reopened.add(sessionId);
			const message = action === "load" ? acp.loadSession : acp.resumeSession;
			this.track(this.connection.request(message, { sessionId, cwd }));
		} else if (action === "close") {
			this.closed.add(sessionId);
			this.track(this.connection.request(acp.closeSession, { sessionId }));
		} else if (action === "mode") this.track(this.connection.request(acp.setMode, { sessionId, modeId: "plan" }));
		else if (action === "option") {
			const option = { sessionId, configId: "mode", value: "edit" };
			this.track(this.connection.request(acp.setConfigOption, option));
		} else this.track(this.connection.request(acp.prompt, { sessionId, prompt: [{ type: "text", text: "Go" }] }));
	}

	/** Waits until everything has ended, and checks the final state. */
	private async finish(): Promise<void> {
		await settled();
		for (const sessionId of this.known) this.connection.notify(acp.cancel, { sessionId });
		await Promise.all(this.responses);
		await settled();
		this.connection.close();
		await this.connection.closed;
		await settled();
		const received = [...this.texts.values()].flatMap((text) => [...text]).sort();
		// An editor that closes or reopens a session may miss messages that the agent sends after its response.
		const isComplete = this.closed.size === 0 && this.reopened.size === 0;
		if (this.agent !== undefined && isComplete && received.join("") !== this.agent.sent) {
			this.broken.push(`received ${received.join("")} of ${this.agent.sent}`);
		}
		if (this.acquired.size > 0) this.broken.push(`${this.acquired.size} engines that were not released`);
	}

	private track(response: Promise<unknown>): void {
		this.responses.add(response.catch(() => {}));
	}

	private arrives({ id, method, params, result, error }: Message): void {
		if (method === undefined) {
			const request = this.pending.get(id);
			this.pending.delete(id);
			if (typeof result?.sessionId === "string") this.known.add(result.sessionId);
			// A second prompt is rejected, and a closed session is not found. A turn never ends with an error, even if
			// it is cancelled.
			const isExpected =
				error?.code === -32600 || (error?.code === -32002 && this.closed.has(request?.sessionId ?? ""));
			if (error !== undefined && !isExpected) this.broken.push(`${request?.method}: ${error.message}`);
			if (request?.method === acp.prompt.method && error === undefined && this.open.get(request.sessionId)?.size) {
				this.broken.push("a tool call is open at the end of its turn");
			}
			if (request?.method === acp.loadSession.method && error === undefined && this.agent === undefined) {
				const text = this.texts.get(request.sessionId) ?? "";
				if (request.text !== text) this.broken.push(`replayed ${request.text} for ${text}`);
			}
			if (request !== undefined && OPENINGS.includes(request.method)) this.checkEnded(request);
			return;
		}
		const { sessionId, update } = params ?? {};
		const what = update?.sessionUpdate ?? method;
		const waiting = (kind: string) =>
			[...this.pending.values()].find((each) => each.method === kind && each.sessionId === sessionId);
		// Loads of the same session run one after another.
		const load = waiting(acp.loadSession.method);
		if (what === "user_message_chunk") {
			if (load === undefined) this.broken.push("a replay without session/load");
			else {
				load.isReplayed = true;
				this.checkEnded(load);
			}
		}
		if (what === "agent_message_chunk") this.addText(update?.content?.text ?? "", sessionId ?? "", load);
		const { toolCallId = "", status } = update ?? {};
		if (/^tool_call/.test(what) && !toolCallId.startsWith("late") && load?.isReplayed !== true) {
			const open = this.open.get(sessionId ?? "") ?? new Set();
			this.open.set(sessionId ?? "", open);
			if (status === "completed" || status === "failed") open.delete(toolCallId);
			else open.add(toolCallId);
		}
		if (!this.known.has(sessionId ?? "")) this.broken.push(`${what} before its session`);
		// A replay begins with a prompt.
		const isInTurn = load?.isReplayed === true || waiting(acp.prompt.method) !== undefined;
		// An external agent may send updates after its response.
		if (TURN_UPDATES.includes(what) && !isInTurn && this.agent === undefined)
			this.broken.push(`${what} outside a turn`);
	}

	/** Checks that text arrives once and in order. */
	private addText(text: string, sessionId: string, load: Pending | undefined): void {
		if (load?.isReplayed === true) {
			load.text += text;
			return;
		}
		const before = this.texts.get(sessionId) ?? "";
		this.texts.set(sessionId, before + text);
		const letters = [...before, ...text].filter((each) => (each.codePointAt(0) ?? 0) >= FIRST_LETTER);
		if (letters.some((each, i) => i > 0 && each <= (letters[i - 1] ?? "")))
			this.broken.push(`${letters} is out of order`);
	}

	/** Checks that all earlier prompts of a reopened session have a response. */
	private checkEnded({ method, sessionId, number }: Pending): void {
		const isOlder = (each: Pending) => each.method === acp.prompt.method && each.number < number;
		const older = [...this.pending.values()].filter((each) => each.sessionId === sessionId && isOlder(each));
		if (older.length > 0) this.broken.push(`${method} before the end of the turn`);
	}
}

const URI = "file:///a.ts";
const OPENINGS: readonly string[] = [acp.loadSession.method, acp.resumeSession.method];

/** A request without a response. */
interface Pending {
	readonly method: string;
	readonly sessionId: string;
	/** Position in the order of requests. */
	readonly number: number;
	/** Whether the replay of `session/load` has begun. */
	isReplayed: boolean;
	/** The text replayed so far. */
	text: string;
}

interface ReceivedUpdate {
	readonly sessionUpdate: string;
	readonly content?: { readonly text?: string };
	readonly toolCallId?: string;
	readonly status?: string;
}

interface Message {
	readonly id?: unknown;
	readonly method?: string;
	readonly params?: { readonly sessionId?: string; readonly update?: ReceivedUpdate };
	readonly result?: { readonly sessionId?: unknown } | null;
	readonly error?: { readonly code: number; readonly message: string };
}
