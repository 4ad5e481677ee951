import { COMMANDS } from "@segue/assist";
import { acp, acpDialect } from "@segue/protocol/acp";
import { Connection, memoryPair, on, type Problem } from "@segue/rpc";
import { Conversation, HOLD, type ScriptedAnswer, settled } from "@segue/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { serveAcp } from "../acp.js";

// The rules of order that editors depend on, whatever they, the model and the user do at whatever moment. For many schedules
// that can be had again: FUZZ_RUNS=10000 FUZZ_SEED=1 npx vitest run packages/server/src/acp-chat/order.test.ts

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

/** What the model says: pieces of an answer, thoughts and calls, with stops in between. */
const answers: fc.Arbitrary<ScriptedAnswer[]> = fc.array(
	fc.array(
		fc.constantFrom(
			HOLD,
			{ type: "text", text: "a" } as const,
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
	const conversation = await Conversation.begin({ files: { "a.txt": "a\n" } });
	await fc.assert(
		fc.asyncProperty(steps, answers, async (walk, said) => {
			const editor = new Editor(conversation, said);
			await editor.initialize();
			for (const step of walk) await editor.take(step);
			await editor.finish();
			expect(editor.broken).toEqual([]);
		}),
	);
});

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
	private readonly lent = new Set<unknown>();

	constructor(
		private readonly conversation: Conversation,
		said: readonly ScriptedAnswer[],
	) {
		const [ours, theirs] = memoryPair();
		const { assist, model } = conversation;
		model.add(...said);
		const report = (problem: Problem) => this.broken.push(JSON.stringify(problem));
		const models = { names: [], choose: () => model };
		const engine = { assist, models, commands: COMMANDS, prompt: assist.prompt.bind(assist) };
		const lend = () => {
			const lease = { engine, release: () => void this.lent.delete(lease) };
			this.lent.add(lease);
			return lease;
		};
		const chat = { engineFor: async () => lend(), clock: { after: () => () => {} } };
		serveAcp(theirs, { version: "1", sync: "events", report, chat });
		this.connection = new Connection<"client">(ours, {
			dialect: acpDialect,
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
				this.asked.set(message.id, { method, sessionId: params?.sessionId, number: ++this.count, isReplayed: false });
			}
		});
	}

	async initialize(): Promise<void> {
		await this.connection.request(acp.initialize, { protocolVersion: 1 });
		const { sessionId } = await this.connection.request(acp.nesStart, {});
		this.connection.notify(acp.didOpen, { sessionId, uri: URI, languageId: "typescript", version: 1, text: "let a\n" });
		await this.connection.request(acp.newSession, { cwd: this.conversation.box.root });
	}

	async take({ does, at }: Step): Promise<void> {
		const cwd = this.conversation.box.root;
		const threads = [...this.known].filter((id) => !id.startsWith("nes_"));
		const sessionId = threads[at % Math.max(1, threads.length)];
		if (does === "open") this.ask(this.connection.request(acp.newSession, { cwd }));
		else if (does === "settle") await settled();
		else if (does === "suggest") {
			const place = { uri: URI, version: 1, position: { line: 0, character: 5 }, triggerKind: "manual" } as const;
			this.ask(this.connection.request(acp.nesSuggest, { sessionId: "nes_1", ...place }));
		} else if (does === "go on") void this.conversation.model.release();
		else if (sessionId === undefined) return;
		else if (does === "cancel") this.connection.notify(acp.cancel, { sessionId });
		else if (does === "load") this.ask(this.connection.request(acp.loadSession, { sessionId, cwd }));
		else if (does === "resume") this.ask(this.connection.request(acp.resumeSession, { sessionId, cwd }));
		else if (does === "close") {
			this.closed.add(sessionId);
			this.ask(this.connection.request(acp.closeSession, { sessionId }));
		} else if (does === "mode") this.ask(this.connection.request(acp.setMode, { sessionId, modeId: "plan" }));
		else if (does === "option") {
			const option = { sessionId, configId: "mode", value: "edit" };
			this.ask(this.connection.request(acp.setConfigOption, option));
		} else this.ask(this.connection.request(acp.prompt, { sessionId, prompt: [{ type: "text", text: "Go" }] }));
	}

	/** Lets everything come to its end, and sees that it does. */
	async finish(): Promise<void> {
		await settled();
		for (const sessionId of this.known) this.connection.notify(acp.cancel, { sessionId });
		await Promise.all(this.answers);
		await settled();
		this.connection.close();
		await this.connection.closed;
		await settled();
		if (this.lent.size > 0) this.broken.push(`${this.lent.size} engines that were not given back`);
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
		if (!this.known.has(sessionId ?? "")) this.broken.push(`${what} before its session`);
		// A replay begins with what the user said.
		const isTold = load?.isReplayed === true || waiting(acp.prompt.method) !== undefined;
		if (OF_A_TURN.includes(what) && !isTold) this.broken.push(`${what} outside of a turn`);
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
}

interface Message {
	readonly id?: unknown;
	readonly method?: string;
	readonly params?: { readonly sessionId?: string; readonly update?: { readonly sessionUpdate: string } };
	readonly result?: { readonly sessionId?: unknown } | null;
	readonly error?: { readonly code: number; readonly message: string };
}
