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

// The rules of order that editors depend on, whatever they, the model and the user do at whatever moment. For many schedules
// that can be had again: FUZZ_RUNS=10000 FUZZ_SEED=1 npx vitest run packages/server/src/acp/chat/order.test.ts

const DEEDS = [
	...["open", "load", "resume", "close", "prompt", "prompt", "prompt", "cancel"],
	...["go on", "go on", "settle", "settle", "mode", "option", "suggest"],
] as const;

type Step = { readonly does: string; readonly at: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.record({
		does: fc.constantFrom(...DEEDS),
		at: fc.nat(2),
	}),
	{ maxLength: 18 },
);

const TEXT = { type: "text", text: "" } as const;

/** What the model says: pieces of an answer, thoughts and calls, with stops in between. */
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

/** What belongs to a turn. */
const OF_A_TURN = [
	"agent_message_chunk",
	"agent_thought_chunk",
	"tool_call",
	"tool_call_update",
	"plan",
	"usage_update",
];

test("every update of a session follows its opening, every update of a turn comes before its answer, and every engine is given back", async () => {
	const conversation = await ChatFixture.begin({ files: { "a.txt": "a\n" } });
	await fc.assert(
		fc.asyncProperty(steps, answers, async (walk, said) => {
			conversation.model.add(...said.map((answer) => answer.map((each) => (each === TEXT ? newText() : each))));
			const editor = new Editor(conversation, () => conversation.model.release());
			await editor.play(walk);
			expect(editor.broken).toEqual([]);
		}),
	);
});

/** What another agent does in a turn, with stops in between. */
const AGENT_DEEDS = [
	"say",
	"say",
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

test("with another agent, all that it says is told in its order behind the opening, and no call of a turn is open at its answer", async () => {
	const deeds = fc.array(fc.array(fc.constantFrom(...AGENT_DEEDS), { maxLength: 6 }), { maxLength: 5 });
	const agent = new RandomAgent();
	const command = { name: "random", command: "random", args: [] };
	const { start } = agent;
	const conversation = await ChatFixture.begin({ files: {}, agent: { command, start, report: () => {} } });
	await fc.assert(
		fc.asyncProperty(steps, deeds, fc.boolean(), async (walk, script, isEarly) => {
			agent.script = [...script];
			agent.isEarly = isEarly;
			agent.said = "";
			const editor = new Editor(conversation, () => agent.release(), agent);
			await editor.play(walk);
			expect(editor.broken).toEqual([]);
		}),
	);
});

let letters = 0;

/** A letter that nobody has said before; those that come later are greater. */
function newLetter(): string {
	return String.fromCodePoint(FIRST_LETTER + letters++);
}

/** Of the planes for private use, which have more than all schedules say. */
const FIRST_LETTER = 0xf0000;

function newText() {
	return { type: "text", text: newLetter() } as const;
}

/** An agent that uses every freedom that agents take, at any moment. */
class RandomAgent {
	/** Of the turns that come, in order. */
	script: (readonly string[])[] = [];
	/** Whether it tells of a session before its answer does. */
	isEarly = false;
	/** In all sessions. */
	said = "";
	private sessions = 0;
	private calls = 0;
	private readonly held = new Set<() => void>();
	/** Sessions whose turn stops nowhere any more. */
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
					if (this.isEarly) this.tell(sessionId, { sessionUpdate: "available_commands_update", availableCommands: [] });
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
					for (const deed of this.script.shift() ?? []) await this.do(deed, sessionId);
					return { stopReason: "end_turn" as const };
				}),
			],
		});
		return { stdin, stdout };
	};

	/** Goes on wherever it has stopped. */
	release(): void {
		for (const wake of this.held) wake();
		this.held.clear();
	}

	private async do(deed: string, sessionId: string): Promise<void> {
		const toolCallId = `c${this.calls}`;
		const content = { type: "text" as const, text: "t" };
		if (deed === "hold" && this.cancelled.has(sessionId)) return;
		if (deed === "hold") await new Promise<void>((resolve) => this.held.add(resolve));
		else if (deed === "say") this.say(sessionId);
		else if (deed === "late") setImmediate(() => this.say(sessionId));
		else if (deed === "think") this.tell(sessionId, { sessionUpdate: "agent_thought_chunk", content });
		else if (deed === "call") {
			const id = `c${++this.calls}`;
			this.tell(sessionId, { sessionUpdate: "tool_call", toolCallId: id, title: "Do", status: "in_progress" });
		} else if (deed === "late call") {
			const update = { sessionUpdate: "tool_call", toolCallId: `late${++this.calls}`, title: "Do" } as const;
			setImmediate(() => this.tell(sessionId, update));
		} else if (deed === "finish" && this.calls > 0) {
			this.tell(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
		} else if (deed === "commands") {
			this.tell(sessionId, { sessionUpdate: "available_commands_update", availableCommands: [] });
		} else if (deed === "options") {
			this.tell(sessionId, {
				sessionUpdate: "config_option_update",
				configOptions: [{ ...OPTION, currentValue: "b" }],
			});
		} else if (deed === "mode") this.tell(sessionId, { sessionUpdate: "current_mode_update", currentModeId: "plan" });
		else if (deed === "ask") {
			const options = [{ optionId: "no", name: "No", kind: "reject_once" as const }];
			const asked = { sessionId, toolCall: { toolCallId: `c${++this.calls}`, title: "Ask" }, options };
			await this.connection?.request(acp.requestPermission, asked);
		}
	}

	private say(sessionId: string): void {
		const text = newLetter();
		this.said += text;
		this.tell(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
	}

	private tell(sessionId: string, update: acp.SessionUpdate): void {
		this.connection?.notify(acp.sessionUpdate, { sessionId, update });
	}
}

const OPTION = {
	id: "mode",
	name: "Mode",
	type: "select" as const,
	options: ["edit", "a", "b"].map((value) => ({ value, name: value })),
};

/** An editor that looks at nothing but the wire. */
class Editor {
	/** Which rules were broken, in words. */
	readonly broken: string[] = [];
	private readonly connection: Connection<"client">;
	/** What was asked and has no answer yet, by id. */
	private readonly asked = new Map<unknown, Asked>();
	/** Sessions that were answered for. */
	private readonly known = new Set<string>();
	/** Sessions that were closed at some time. */
	private readonly closed = new Set<string>();
	private count = 0;
	private readonly answers = new Set<Promise<unknown>>();
	/** Engines that were not given back. */
	private readonly acquired = new Set<unknown>();

	/** What was said in each session, without what was replayed. */
	private readonly texts = new Map<string, string>();
	/** Calls that are not over, by session. */
	private readonly open = new Map<string, Set<string>>();
	/** Sessions that were opened again. */
	private readonly reopened = new Set<string>();

	constructor(
		private readonly conversation: ChatFixture,
		private readonly goOn: () => void,
		private readonly agent?: RandomAgent,
	) {
		const [ours, theirs] = memoryPair();
		const { assist, model } = conversation;
		const report = (problem: Problem) => this.broken.push(JSON.stringify(problem));
		const models = { names: [], choose: () => model };
		const fronting = agent && { agent: "random" };
		const engine = { assist, models, commands: COMMANDS, prompt: assist.prompt.bind(assist), ...fronting };
		const lend = () => {
			const handle = { engine, release: () => void this.acquired.delete(handle) };
			this.acquired.add(handle);
			return handle;
		};
		const chat = { acquireEngine: async () => lend(), clock: { after: () => () => {} } };
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
				this.asked.set(message.id, {
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

	private async take({ does, at }: Step): Promise<void> {
		const cwd = this.conversation.tools.root;
		const threads = [...this.known].filter((id) => !id.startsWith("nes_"));
		const sessionId = threads[at % Math.max(1, threads.length)];
		if (does === "open") this.ask(this.connection.request(acp.newSession, { cwd }));
		else if (does === "settle") await settled();
		else if (does === "suggest") {
			const place = { uri: URI, version: 1, position: { line: 0, character: 5 }, triggerKind: "manual" } as const;
			this.ask(this.connection.request(acp.nesSuggest, { sessionId: "nes_1", ...place }));
		} else if (does === "go on") this.goOn();
		else if (sessionId === undefined) return;
		else if (does === "cancel") this.connection.notify(acp.cancel, { sessionId });
		else if (does === "load" || does === "resume") {
			this.reopened.add(sessionId);
			const message = does === "load" ? acp.loadSession : acp.resumeSession;
			this.ask(this.connection.request(message, { sessionId, cwd }));
		} else if (does === "close") {
			this.closed.add(sessionId);
			this.ask(this.connection.request(acp.closeSession, { sessionId }));
		} else if (does === "mode") this.ask(this.connection.request(acp.setMode, { sessionId, modeId: "plan" }));
		else if (does === "option") {
			const option = { sessionId, configId: "mode", value: "edit" };
			this.ask(this.connection.request(acp.setConfigOption, option));
		} else this.ask(this.connection.request(acp.prompt, { sessionId, prompt: [{ type: "text", text: "Go" }] }));
	}

	/** Lets everything come to its end, and sees that it does. */
	private async finish(): Promise<void> {
		await settled();
		for (const sessionId of this.known) this.connection.notify(acp.cancel, { sessionId });
		await Promise.all(this.answers);
		await settled();
		this.connection.close();
		await this.connection.closed;
		await settled();
		const heard = [...this.texts.values()].flatMap((text) => [...text]).sort();
		// Who closes a session, or opens it again, may miss what an agent says after its answer.
		const isWhole = this.closed.size === 0 && this.reopened.size === 0;
		if (this.agent !== undefined && isWhole && heard.join("") !== this.agent.said) {
			this.broken.push(`${heard.join("")} of ${this.agent.said}`);
		}
		if (this.acquired.size > 0) this.broken.push(`${this.acquired.size} engines that were not released`);
	}

	private ask(answer: Promise<unknown>): void {
		this.answers.add(answer.catch(() => {}));
	}

	private arrives({ id, method, params, result, error }: Message): void {
		if (method === undefined) {
			const asked = this.asked.get(id);
			this.asked.delete(id);
			if (typeof result?.sessionId === "string") this.known.add(result.sessionId);
			// One prompt too many is refused, and what is closed is not found. A turn never ends in an error, least of all a
			// cancelled one.
			const isDue = error?.code === -32600 || (error?.code === -32002 && this.closed.has(asked?.sessionId ?? ""));
			if (error !== undefined && !isDue) this.broken.push(`${asked?.method}: ${error.message}`);
			if (asked?.method === acp.prompt.method && error === undefined && this.open.get(asked.sessionId)?.size) {
				this.broken.push("a call that is open at the end of its turn");
			}
			if (asked?.method === acp.loadSession.method && error === undefined && this.agent === undefined) {
				const text = this.texts.get(asked.sessionId) ?? "";
				if (asked.text !== text) this.broken.push(`a replay of ${asked.text} for ${text}`);
			}
			if (asked !== undefined && OPENINGS.includes(asked.method)) this.checkEnded(asked);
			return;
		}
		const { sessionId, update } = params ?? {};
		const what = update?.sessionUpdate ?? method;
		const waiting = (kind: string) =>
			[...this.asked.values()].find((each) => each.method === kind && each.sessionId === sessionId);
		// One after the other.
		const load = waiting(acp.loadSession.method);
		if (what === "user_message_chunk") {
			if (load === undefined) this.broken.push("a replay that nobody asked for");
			else {
				load.isReplayed = true;
				this.checkEnded(load);
			}
		}
		if (what === "agent_message_chunk") this.hear(update?.content?.text ?? "", sessionId ?? "", load);
		const { toolCallId = "", status } = update ?? {};
		if (/^tool_call/.test(what) && !toolCallId.startsWith("late") && load?.isReplayed !== true) {
			const open = this.open.get(sessionId ?? "") ?? new Set();
			this.open.set(sessionId ?? "", open);
			if (status === "completed" || status === "failed") open.delete(toolCallId);
			else open.add(toolCallId);
		}
		if (!this.known.has(sessionId ?? "")) this.broken.push(`${what} before its session`);
		// A replay begins with what the user said.
		const isTold = load?.isReplayed === true || waiting(acp.prompt.method) !== undefined;
		// What another agent says after its answer is told, too.
		if (OF_A_TURN.includes(what) && !isTold && this.agent === undefined) this.broken.push(`${what} outside of a turn`);
	}

	/** Everything is told once, in its order. */
	private hear(text: string, sessionId: string, load: Asked | undefined): void {
		if (load?.isReplayed === true) {
			load.text += text;
			return;
		}
		const before = this.texts.get(sessionId) ?? "";
		this.texts.set(sessionId, before + text);
		const heard = [...before, ...text].filter((each) => (each.codePointAt(0) ?? 0) >= FIRST_LETTER);
		if (heard.some((each, i) => i > 0 && each <= (heard[i - 1] ?? ""))) this.broken.push(`${heard} is out of order`);
	}

	/** Who opens a session again has an answer to every prompt of before by then. */
	private checkEnded({ method, sessionId, number }: Asked): void {
		const isOlder = (each: Asked) => each.method === acp.prompt.method && each.number < number;
		const older = [...this.asked.values()].filter((each) => each.sessionId === sessionId && isOlder(each));
		if (older.length > 0) this.broken.push(`${method} before the end of the turn`);
	}
}

const URI = "file:///a.ts";
const OPENINGS: readonly string[] = [acp.loadSession.method, acp.resumeSession.method];

/** A request without an answer. */
interface Asked {
	readonly method: string;
	readonly sessionId: string;
	/** Counts up. */
	readonly number: number;
	/** Whether the replay of a load has begun. */
	isReplayed: boolean;
	/** What the replay of a load tells. */
	text: string;
}

interface Told {
	readonly sessionUpdate: string;
	readonly content?: { readonly text?: string };
	readonly toolCallId?: string;
	readonly status?: string;
}

interface Message {
	readonly id?: unknown;
	readonly method?: string;
	readonly params?: { readonly sessionId?: string; readonly update?: Told };
	readonly result?: { readonly sessionId?: unknown } | null;
	readonly error?: { readonly code: number; readonly message: string };
}
