import * as acp from "@segue/protocol/acp";
import { type Channel, Connection, ConnectionError, memoryPair, on, PeerError, RpcError } from "@segue/rpc";
import { FakeClock } from "@segue/testing/clock";
import { deferred, settled } from "@segue/testing/rpc/peers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EditorWorkspace, Notice, SignInMethod } from "../host.js";
import { Agent, type AgentOptions } from "./agent.js";
import type { Session } from "./agent-connection.js";

const NEVER = new Promise<never>(() => {});
const AUTH_REQUIRED = new RpcError(-32000, "Authentication required");
const LOGIN: SignInMethod = { id: "login", name: "Log in" };

type Answer<Result> = (attempt: number, world: World) => Result | Promise<Result>;

/** Deviations from a well-behaved agent. Each function receives the number of earlier calls on all connections. */
interface Script {
	readonly connect?: Answer<void>;
	readonly initialize?: Answer<Partial<acp.InitializeResponse>>;
	readonly start?: Answer<void>;
	readonly authenticate?: Answer<void>;
	readonly close?: Answer<void>;
	/** The user's answer; null if the host has no `signIn`. */
	readonly signIn?: ((methods: readonly SignInMethod[]) => string | undefined | Promise<string | undefined>) | null;
	readonly workspace?: EditorWorkspace;
	readonly options?: Partial<AgentOptions>;
}

/** An editor with a scripted agent, and a log of everything that happens. */
class World {
	/** Requests to the agent and callbacks to the editor, in order. */
	readonly log: string[] = [];
	readonly notes: Notice[] = [];
	readonly agent: Agent;
	readonly sent: { initialize?: acp.InitializeRequest; start?: acp.NesStart } = {};
	workspace: EditorWorkspace;
	/** The agent's end of the current connection. */
	connection: Connection<"agent"> | undefined;
	/** The editor's active timers. */
	readonly timers = new Set<object>();
	private readonly clock = new FakeClock();
	private readonly counts = new Map<string, number>();
	/** The sessions that the agent knows. */
	private readonly sessions = new Set<string>();

	constructor(private readonly script: Script = {}) {
		this.workspace = script.workspace ?? { folders: [{ uri: "file:///w", name: "w" }] };
		const { signIn = () => LOGIN.id } = script;
		this.agent = new Agent({
			connect: () => this.connect(),
			host: {
				workspace: () => this.workspace,
				report: (note) => this.notes.push(note),
				...(signIn && {
					signIn: (methods) => {
						this.log.push("signIn");
						return Promise.resolve(signIn(methods));
					},
				}),
			},
			clock: { now: this.clock.now, after: (delayMs, run) => this.after(delayMs, run) },
			clientInfo: { name: "test", version: "1" },
			capabilities: { nes: { jump: {} }, positionEncodings: ["utf-16", "utf-8"] },
			handlers: [],
			started: (session) => this.log.push(`started ${session.id}`),
			ended: () => this.log.push("ended"),
			...script.options,
		});
	}

	static async started(script: Script = {}): Promise<World> {
		const world = new World(script);
		world.agent.start();
		await settled();
		return world;
	}

	get session(): Session {
		if (this.agent.session === undefined) throw new Error("no session");
		return this.agent.session;
	}

	/** Returns the log since the last call. */
	happened(): string[] {
		return this.log.splice(0);
	}

	get texts(): string[] {
		return this.notes.map(({ kind, text }) => `${kind}: ${text}`);
	}

	async pass(ms: number): Promise<void> {
		this.clock.advance(ms);
		await settled();
	}

	async die(): Promise<void> {
		this.connection?.close();
		await settled();
	}

	/** Makes a request in the current session fail. */
	async fail(code: number, message = "it failed"): Promise<void> {
		this.agent.failed(this.session, new PeerError(code, message));
		await settled();
	}

	private after(delayMs: number, run: () => void): () => void {
		const timer = {};
		this.timers.add(timer);
		const callOff = this.clock.after(delayMs, () => {
			this.timers.delete(timer);
			run();
		});
		return () => {
			this.timers.delete(timer);
			callOff();
		};
	}

	private async connect(): Promise<Channel> {
		this.log.push("connect");
		if (this.connection !== undefined) throw new Error("two connections at once");
		await this.answer("connect");
		const [ours, theirs] = memoryPair();
		this.connection = new Connection<"agent">(ours, {
			dialect: acp.dialect,
			handlers: this.handlers(),
			report: () => {},
			after: this.clock.after,
		});
		const gone = this.connection;
		void gone.closed.then(() => {
			this.sessions.clear();
			if (this.connection === gone) this.connection = undefined;
		});
		return theirs;
	}

	private handlers() {
		return [
			on(acp.initialize, async (params) => {
				this.log.push("initialize");
				this.sent.initialize = params;
				const agentCapabilities: acp.AgentCapabilities = { nes: {} };
				return { protocolVersion: 1, agentCapabilities, authMethods: [LOGIN], ...(await this.answer("initialize")) };
			}),
			on(acp.nesStart, async (params) => {
				this.log.push("nes/start");
				this.sent.start = params;
				await this.answer("start");
				if (this.sessions.size > 0) throw new RpcError(-32603, "two sessions at once");
				const sessionId = `s${this.count("session")}`;
				this.sessions.add(sessionId);
				return { sessionId };
			}),
			on(acp.nesClose, async ({ sessionId }) => {
				this.log.push(`nes/close ${sessionId}`);
				this.sessions.delete(sessionId);
				await this.answer("close");
				return {};
			}),
			on(acp.authenticate, async ({ methodId }) => {
				this.log.push(`authenticate ${methodId}`);
				await this.answer("authenticate");
				return {};
			}),
		];
	}

	private answer<Step extends "connect" | "initialize" | "start" | "authenticate" | "close">(step: Step) {
		return this.script[step]?.(this.count(step), this) as ReturnType<NonNullable<Script[Step]>> | undefined;
	}

	private count(what: string): number {
		const count = this.counts.get(what) ?? 0;
		this.counts.set(what, count + 1);
		return count;
	}
}

const AGAIN = ["connect", "initialize", "nes/start"];

describe("an agent", () => {
	test("receives client info, capabilities (also in `_meta`) and the workspace", async () => {
		const world = new World({
			options: { connected: (connection) => world.log.push(`connected ${connection instanceof Connection}`) },
		});
		world.agent.start();
		world.agent.start();
		await settled();
		expect(world.happened()).toEqual(["connect", "connected true", "initialize", "nes/start", "started s0"]);
		const capabilities = { nes: { jump: {} }, positionEncodings: ["utf-16", "utf-8"] };
		expect(world.sent).toEqual({
			initialize: {
				protocolVersion: 1,
				clientCapabilities: { ...capabilities, _meta: { segue: capabilities } },
				clientInfo: { name: "test", version: "1" },
			},
			start: { workspaceUri: "file:///w", workspaceFolders: [{ uri: "file:///w", name: "w" }] },
		});
		expect(world.session).toMatchObject({ id: "s0", encoding: "utf-16", capabilities: {} });
		expect(world.notes).toEqual([]);
	});

	test("may declare its capabilities in `_meta` only", async () => {
		const nes = { context: { diagnostics: {} } };
		const agentCapabilities = { _meta: { segue: { nes, positionEncoding: "utf-8" } } };
		const world = await World.started({ initialize: () => ({ agentCapabilities }) });
		expect(world.session).toMatchObject({ encoding: "utf-8", capabilities: nes });
	});

	test.each<[string, Partial<acp.InitializeResponse>, string]>([
		["without next edits", { agentCapabilities: {} }, "the agent does not support next edits"],
		[
			"with another protocol version",
			{ protocolVersion: 2 },
			"the agent uses protocol version 2, but this editor uses version 1",
		],
		[
			"with an encoding that was not offered",
			{ agentCapabilities: { nes: {}, positionEncoding: "utf-32" } },
			"the agent chose the position encoding utf-32, which this editor did not offer",
		],
		[
			"with an unknown encoding",
			{ agentCapabilities: { nes: {}, positionEncoding: "utf-7" } },
			"the agent chose the position encoding utf-7, which this editor did not offer",
		],
	])("%s stays connected without a session, and the user is notified", async (_title, result, text) => {
		const world = await World.started({ initialize: () => result });
		await world.agent.renew();
		world.agent.retry();
		await world.pass(1e6);
		expect(world.happened()).toEqual(["connect", "initialize"]);
		expect(world.texts).toEqual([`agent: ${text}`]);
		expect(world.connection).toBeDefined();
	});

	test.each<[acp.PositionEncoding[] | undefined, acp.PositionEncoding | undefined, acp.PositionEncoding]>([
		[["utf-8", "utf-16"], "utf-8", "utf-8"],
		[["utf-8", "utf-16"], undefined, "utf-16"],
		[["utf-8"], "utf-16", "utf-16"],
		[undefined, "utf-16", "utf-16"],
	])("that is offered %j and answers %j uses %s", async (positionEncodings, positionEncoding, expected) => {
		const world = await World.started({
			initialize: () => ({ agentCapabilities: { nes: {}, positionEncoding } }),
			options: { capabilities: { positionEncodings } },
		});
		expect(world.session.encoding).toBe(expected);
	});

	test("may send updates to its settings; unknown notifications are reported", async () => {
		const world = await World.started();
		const update = { sessionUpdate: "config_option_update", configOptions: [] as never[] } as const;
		world.connection?.notify(acp.sessionUpdate, { sessionId: "s0", update });
		await settled();
		expect(world.notes).toEqual([]);
		world.connection?.notify({ ...acp.sessionUpdate, method: "_vendor/news" }, { sessionId: "s0", update });
		await settled();
		expect(world.texts).toEqual([expect.stringMatching(/^agent: unknown-notification _vendor\/news/)]);
		expect(world.happened()).toEqual([...AGAIN, "started s0"]);
	});
});

describe("the workspace", () => {
	test.each<[string, string | undefined]>([
		["https://user:secret@github.com/o/r.git", "https://github.com/o/r.git"],
		["https://user:sec/ret@host/o/r", undefined],
	])("is sent without the credentials of its repository: %s", async (remoteUrl, expected) => {
		const repository = { name: "r", owner: "o", remoteUrl };
		const world = await World.started({ workspace: { folders: [], repository } });
		expect(world.sent.start).toEqual({
			workspaceFolders: [],
			...(expected !== undefined && { repository: { ...repository, remoteUrl: expected } }),
		});
		expect(world.session.id).toBe("s0");
	});

	test("replaces the session on the same connection when it changes", async () => {
		const world = await World.started();
		world.happened();
		await world.agent.renew();
		expect(world.happened()).toEqual([]);
		world.workspace = { folders: [{ uri: "file:///v", name: "v" }, ...world.workspace.folders] };
		await Promise.all([world.agent.renew(), world.agent.renew()]);
		expect(world.happened()).toEqual(["ended", "nes/close s0", "nes/start", "started s1"]);
		expect(world.sent.start).toMatchObject({ workspaceUri: "file:///v", workspaceFolders: [{ name: "v" }, {}] });
	});

	test("is sent to a second session on request, even if it has not changed", async () => {
		const world = await World.started();
		world.happened();
		await world.agent.restart();
		expect(world.happened()).toEqual(["ended", "nes/close s0", "nes/start", "started s1"]);
	});

	test("is sent to a second session if it changes while the first one starts", async () => {
		const { opened, open } = deferred();
		const world = await World.started({ start: (attempt) => (attempt === 0 ? opened : undefined) });
		world.workspace = { folders: [] };
		const renewed = world.agent.renew();
		open();
		await renewed;
		expect(world.happened()).toEqual([...AGAIN, "started s0", "ended", "nes/close s0", "nes/start", "started s1"]);
		expect(world.sent.start).toEqual({ workspaceFolders: [] });
	});

	test("is reported as unavailable if the host throws, and the session can be started later", async () => {
		const world = new World();
		const { workspace } = world;
		Object.defineProperty(world, "workspace", {
			configurable: true,
			get: () => {
				throw new Error("no workspace yet");
			},
		});
		world.agent.start();
		await settled();
		expect(world.texts).toEqual(["agent: no workspace yet"]);
		Object.defineProperty(world, "workspace", { value: workspace });
		await world.agent.renew();
		expect(world.session.id).toBe("s0");
	});

	test.each<[string, Answer<void>, string[]]>([
		["with -32002", () => fails(-32002), []],
		["with another error", () => fails(-32603), ["agent: the agent returned error -32603: refused"]],
		["never", () => NEVER, ["agent: the agent did not answer nes/close within 1 s"]],
	])("is replaced even if nes/close is answered %s", async (_title, close, texts) => {
		const world = await World.started({ close });
		world.workspace = { folders: [] };
		const renewed = world.agent.renew();
		await settled();
		await world.pass(1000);
		await renewed;
		expect(world.session.id).toBe("s1");
		expect(world.texts).toEqual(texts);
	});
});

describe("a session that the agent does not know", () => {
	test.each([-32002, -32602])("is replaced once after error %i", async (code) => {
		const world = await World.started();
		world.happened();
		const lost = world.session;
		await world.fail(code);
		expect(world.happened()).toEqual(["ended", "nes/close s0", "nes/start", "started s1"]);
		world.agent.failed(lost, new PeerError(code, "again"));
		await settled();
		expect([world.happened(), world.notes]).toEqual([[], []]);

		await world.fail(code);
		expect(world.happened()).toEqual(["ended", "nes/close s1"]);
		expect(world.texts).toEqual([
			`agent: the agent does not know its own session: the agent returned error ${code}: it failed`,
		]);
		await world.pass(1e6);
		expect(world.happened()).toEqual([]);
	});

	test("is replaced every time if it worked before", async () => {
		const world = await World.started();
		for (let i = 0; i < 5; i++) {
			world.agent.worked(world.session);
			await world.fail(-32002);
		}
		expect(world.session.id).toBe("s5");
		expect(world.notes).toEqual([]);
	});

	test("has a replacement that does not count as working when a response for the old session arrives", async () => {
		const world = await World.started();
		const first = world.session;
		await world.fail(-32002);
		world.agent.worked(first);
		await world.fail(-32002);
		expect(world.agent.session).toBeUndefined();
	});

	test("is retried when the user requests a suggestion", async () => {
		const world = await World.started();
		await world.fail(-32002);
		await world.fail(-32002);
		world.happened();
		world.agent.retry();
		await settled();
		expect(world.happened()).toEqual(["nes/start", "started s2"]);
	});
});

describe("a request that failed", () => {
	test("is reported once per message text", async () => {
		const world = await World.started();
		world.happened();
		for (const text of ["a", "b", "a"]) await world.fail(-32603, text);
		world.agent.failed(world.session, new ConnectionError("bad-result", "invalid response to nes/suggest"));
		world.agent.failed(world.session, new PeerError(-32603, "x".repeat(10_000)));
		expect(world.texts).toEqual([
			"agent: the agent returned error -32603: a",
			"agent: the agent returned error -32603: b",
			"agent: invalid response to nes/suggest",
			expect.stringMatching(/x…$/),
		]);
		expect(world.notes[3]?.text.length).toBeLessThan(5000);
		expect(world.happened()).toEqual([]);
	});

	test("is not reported if it was cancelled or the connection closed", async () => {
		const world = await World.started();
		await world.fail(-32800);
		world.agent.failed(world.session, new ConnectionError("closed", "nes/suggest has no answer"));
		expect(world.notes).toEqual([]);
	});

	test("is not reported after a hundred messages", async () => {
		const world = await World.started();
		for (let i = 0; i < 200; i++) await world.fail(-32603, String(i));
		expect(world.notes.length).toBe(100);
	});
});

describe("a session that the agent refuses", () => {
	test("is retried with growing delays on the same connection, and reported once", async () => {
		const world = await World.started({ start: () => fails(-32603) });
		expect(world.happened()).toEqual(AGAIN);
		expect(await delaysOf(world, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
		expect(world.texts).toEqual(["agent: the agent returned error -32603: refused"]);
	});

	test.each([-32603, -32001, -32002, -32800, 1])("with %i is retried after a second", async (code) => {
		const world = await World.started({ start: first(() => fails(code)) });
		world.happened();
		await world.pass(999);
		expect(world.happened()).toEqual([]);
		await world.pass(1);
		expect(world.happened()).toEqual(["nes/start", "started s0"]);
		await world.pass(1e6);
		expect(world.happened()).toEqual([]);
	});

	test("is retried after one second again if another session succeeded in between", async () => {
		const world = await World.started({ start: (attempt) => (attempt % 3 < 2 ? fails(-32603) : undefined) });
		for (let i = 0; i < 2; i++) {
			await world.pass(1000);
			expect(world.agent.session).toBeUndefined();
			await world.pass(2000);
			world.agent.worked(world.session);
			await world.fail(-32002);
		}
	});

	test.each([-32601, -32602])("with %i is not retried unless the user requests a suggestion", async (code) => {
		const world = await World.started({ start: first(() => fails(code)) });
		await world.pass(1e6);
		expect(world.happened()).toEqual(AGAIN);
		expect(world.texts).toEqual([`agent: the agent returned error ${code}: refused`]);
		world.agent.retry();
		await settled();
		expect(world.happened()).toEqual(["nes/start", "started s0"]);
	});

	test.each<[string, (agent: Agent) => void]>([
		["the user requests a suggestion", (agent) => agent.retry()],
		["the workspace changed", (agent) => void agent.renew()],
	])("is retried immediately, and only once, when %s", async (_title, act) => {
		const world = await World.started({ start: first(() => fails(-32603)) });
		world.happened();
		act(world.agent);
		await settled();
		expect(world.happened()).toEqual(["nes/start", "started s0"]);
		await world.pass(1e6);
		expect(world.happened()).toEqual([]);
	});

	test("waits for the delay after the last refusal, and for one second after a manual retry", async () => {
		const world = await World.started({ start: () => fails(-32603) });
		await world.agent.renew();
		world.happened();
		expect(await delaysOf(world, 2)).toEqual([2, 4]);
		world.agent.retry();
		await settled();
		expect(world.happened()).toEqual(["nes/start"]);
		expect(await delaysOf(world, 2)).toEqual([1, 2]);
	});

	test("is not retried if the user cannot sign in", async () => {
		const world = await World.started({ start: (attempt) => fails(attempt === 0 ? -32603 : -32000), signIn: null });
		await world.agent.renew();
		world.happened();
		await world.pass(1e6);
		expect(world.happened()).toEqual([]);
	});

	test("is retried without signing in again if it was refused after signing in", async () => {
		const refusals = [-32000, -32603];
		const world = await World.started({
			start: (attempt) => (refusals[attempt] ? fails(refusals[attempt]) : undefined),
		});
		world.happened();
		await world.pass(1000);
		expect(world.happened()).toEqual(["nes/start", "started s0"]);
	});
});

describe("an agent that does not answer", () => {
	const NO_ANSWER = "agent: the agent did not answer 5 requests in a row";
	const CLOGGED = new ConnectionError("too-many-requests", "nes/suggest: 1024 requests are already pending");
	const unanswered = async (world: World, times: number) => {
		const { session } = world;
		for (let i = 0; i < times; i++) world.agent.unanswered(session);
		await settled();
	};

	test("is restarted after five unanswered requests in a row", async () => {
		const world = await World.started();
		await unanswered(world, 4);
		expect(world.happened()).toEqual([...AGAIN, "started s0"]);
		await unanswered(world, 1);
		expect(world.happened()).toEqual(["ended"]);
		expect(world.texts).toEqual([NO_ANSWER]);
		await world.pass(1000);
		expect(world.happened()).toEqual([...AGAIN, "started s1"]);
		await unanswered(world, 4);
		expect(world.session.id).toBe("s1");
	});

	test.each<[string, (world: World) => void]>([
		["a request", ({ agent, session }) => agent.worked(session)],
		["an error", ({ agent, session }) => agent.failed(session, new PeerError(-32603, "it failed"))],
		["a cancellation", ({ agent, session }) => agent.failed(session, new PeerError(-32800, "cancelled"))],
	])("is not restarted if it answers %s in between", async (_title, answer) => {
		const world = await World.started();
		for (let i = 0; i < 3; i++) {
			await unanswered(world, 4);
			answer(world);
		}
		expect(world.session.id).toBe("s0");
	});

	test("is not restarted because of unanswered requests in an earlier session", async () => {
		const world = await World.started();
		const { session } = world;
		await world.fail(-32002);
		for (let i = 0; i < 5; i++) world.agent.unanswered(session);
		await settled();
		expect(world.session.id).toBe("s1");
	});

	test("is restarted when the limit on pending requests is reached", async () => {
		const world = await World.started();
		world.agent.failed(world.session, CLOGGED);
		await settled();
		expect(world.happened()).toEqual([...AGAIN, "started s0", "ended"]);
		expect(world.texts).toEqual(["agent: nes/suggest: 1024 requests are already pending"]);
		await world.pass(1000);
		expect(world.happened()).toEqual([...AGAIN, "started s1"]);
	});

	test("is restarted if that limit prevents starting a session", async () => {
		const world = await World.started();
		world.session.connection.request = () => Promise.reject(CLOGGED);
		world.workspace = { folders: [] };
		await world.agent.renew();
		await settled();
		world.happened();
		await world.pass(1000);
		expect(world.happened()).toEqual([...AGAIN, "started s1"]);
	});

	test("is restarted with growing delays, however long it hangs, and reported once", async () => {
		const world = await World.started();
		const delays: number[] = [];
		for (let i = 0; i < 4; i++) {
			await world.pass(150_000);
			await unanswered(world, 5);
			world.happened();
			delays.push(...(await delaysOf(world, 1)));
		}
		expect(delays).toEqual([1, 2, 4, 8]);
		expect(world.texts).toEqual([NO_ANSWER]);
	});
});

describe("signing in", () => {
	/** Refuses the first sessions, or all of them. */
	const refusing = (times: number): Answer<void> => {
		return (attempt) => (attempt < times ? Promise.reject(AUTH_REQUIRED) : undefined);
	};
	const ASKED = [...AGAIN, "signIn", "authenticate login"];

	test("happens when the agent requires it, and then the session starts", async () => {
		let offered: readonly SignInMethod[] = [];
		const world = await World.started({
			initialize: () => ({
				authMethods: [
					{ ...LOGIN, description: "with a browser" },
					{ id: "key", name: "Key", type: "agent" },
					{ id: "tty", name: "Terminal", type: "terminal" },
				],
			}),
			start: refusing(1),
			signIn: (methods) => {
				offered = methods;
				return "key";
			},
		});
		expect(world.happened()).toEqual([...AGAIN, "signIn", "authenticate key", "nes/start", "started s0"]);
		expect(offered).toEqual([
			{ ...LOGIN, description: "with a browser" },
			{ id: "key", name: "Key" },
		]);
		expect(world.notes).toEqual([]);
	});

	test.each<[string, Script, string[], string]>([
		["no methods", { initialize: () => ({ authMethods: [] }) }, AGAIN, "the agent requires signing in"],
		["a host without `signIn`", { signIn: null }, AGAIN, "the agent requires signing in"],
		[
			"only a terminal method",
			{ initialize: () => ({ authMethods: [{ ...LOGIN, type: "terminal" }] }) },
			AGAIN,
			"the agent requires signing in",
		],
		["a second refusal", {}, [...ASKED, "nes/start"], "the agent still requires signing in"],
		["a user who declines", { signIn: () => undefined }, [...AGAIN, "signIn"], "sign in to get suggestions"],
		[
			"a dialog that fails",
			{ signIn: () => Promise.reject(new Error("no window")) },
			[...AGAIN, "signIn"],
			"signing in failed: no window",
		],
		[
			"a wrong password",
			{ authenticate: () => fails(-32000) },
			ASKED,
			"signing in failed: the agent returned error -32000: refused",
		],
	])("fails with one message because of %s", async (_title, script, happened, text) => {
		const world = await World.started({ start: refusing(1e9), ...script });
		expect(world.happened()).toEqual(happened);
		await world.pass(1e6);
		world.workspace = { folders: [] };
		await world.agent.renew();
		expect(world.happened()).toEqual([]);
		expect(world.texts).toEqual([`sign-in: ${text}`]);
		expect(world.connection).toBeDefined();
	});

	test("is retried, with another prompt, when the user requests a suggestion", async () => {
		const world = await World.started({ start: refusing(3) });
		for (const expected of [
			[...ASKED, "nes/start"],
			["nes/start", "signIn", "authenticate login", "nes/start", "started s0"],
			[],
		]) {
			expect(world.happened()).toEqual(expected);
			world.agent.retry();
			await settled();
		}
		expect(world.texts).toEqual(["sign-in: the agent still requires signing in"]);
	});

	test("prompts only once while the prompt is open", async () => {
		const { opened, open } = deferred<string | undefined>();
		const world = await World.started({ start: refusing(1e9), signIn: () => opened });
		world.agent.retry();
		open(undefined);
		await settled();
		expect(world.happened()).toEqual([...AGAIN, "signIn"]);
	});

	test("times out, and can be retried", async () => {
		const world = await World.started({
			start: refusing(1),
			authenticate: (attempt) => (attempt === 0 ? NEVER : undefined),
		});
		await world.pass(600_000);
		expect(world.texts).toEqual(["sign-in: signing in failed: the agent did not answer authenticate within 600 s"]);
		world.happened();
		world.agent.retry();
		await settled();
		expect(world.happened()).toEqual(["nes/start", "started s0"]);
	});

	test("happens again if the user has been signed out, at most once per connection", async () => {
		const world = await World.started();
		world.happened();
		await world.fail(-32000);
		const ended = ["ended", "nes/close s0"];
		expect(world.happened()).toEqual([...ended, "signIn", "authenticate login", "nes/start", "started s1"]);
		await world.fail(-32000);
		expect(world.happened()).toEqual(["ended", "nes/close s1"]);
		expect(world.texts).toEqual(["sign-in: the agent requires signing in again"]);
	});

	test("is skipped if a session has started in the meantime", async () => {
		const world = await World.started();
		world.happened();
		world.workspace = { folders: [] };
		void world.agent.renew();
		await world.fail(-32000);
		expect(world.happened()).toEqual(["ended", "nes/close s0", "nes/start", "started s1"]);
	});

	/** Kills the agent immediately and waits for the next process. */
	const restart = async (world: World) => {
		await world.die();
		await world.pass(60_000);
	};
	/** Makes every process refuse sessions until the user signs in. */
	const forgetful = (): Pick<Script, "connect" | "start" | "authenticate"> => {
		let isSignedIn = false;
		return {
			connect: () => {
				isSignedIn = false;
			},
			start: () => (isSignedIn ? undefined : Promise.reject(AUTH_REQUIRED)),
			authenticate: () => {
				isSignedIn = true;
			},
		};
	};

	test("uses the chosen method for every process of an agent that keeps dying", async () => {
		const world = await World.started(forgetful());
		expect(world.happened()).toEqual([...ASKED, "nes/start", "started s0"]);
		for (let i = 1; i < 4; i++) {
			await restart(world);
			expect(world.happened()).toEqual(["ended", ...AGAIN, "authenticate login", "nes/start", `started s${i}`]);
		}
	});

	test("prompts once per connection if the agent lived long enough", async () => {
		const world = await World.started(forgetful());
		for (let i = 0; i < 3; i++) {
			expect(world.happened()).toEqual([...ASKED, "nes/start", `started s${i}`]);
			await world.pass(60_000);
			await world.die();
			expect(world.happened()).toEqual(["ended"]);
			await world.pass(1000);
		}
	});

	test.each([
		["refuses", { start: [0, 2], authenticate: [1] }],
		["forgets", { start: [0, 2, 3], authenticate: [] }],
	])("prompts again when an agent that died %s the chosen method", async (_title, refused) => {
		const ways = ["key", "login"];
		const world = await World.started({
			start: (attempt) => (refused.start.includes(attempt) ? fails(-32000) : undefined),
			authenticate: (attempt) => (refused.authenticate.includes(attempt) ? fails(-32603) : undefined),
			signIn: () => ways.shift(),
		});
		await restart(world);
		expect(world.happened().filter((what) => /^(signIn|authenticate|started)/.test(what))).toEqual([
			"signIn",
			"authenticate key",
			"started s0",
			"authenticate key",
			"signIn",
			"authenticate login",
			"started s1",
		]);
		expect(world.texts).toEqual(["agent: the agent closed the connection"]);
	});

	test("does not retry a refused method with the next process", async () => {
		const { opened, open } = deferred<string | undefined>();
		const ways = [Promise.resolve("key"), opened];
		const world = await World.started({
			start: (attempt) => (attempt === 1 || attempt === 4 ? undefined : fails(-32000)),
			authenticate: (attempt) => (attempt === 1 ? fails(-32603) : undefined),
			signIn: () => ways.shift(),
		});
		await restart(world);
		await restart(world);
		world.happened();
		open("login");
		await settled();
		expect(world.happened()).toEqual(["authenticate login", "nes/start", "started s1"]);
		expect(ways).toEqual([]);
	});

	test("that failed is not retried with the next process", async () => {
		const world = await World.started({ start: refusing(1e9), authenticate: () => fails(-32603) });
		expect(world.happened()).toEqual(ASKED);
		await restart(world);
		expect(world.happened()).toEqual(AGAIN);
	});

	test("that was declined after a minute prompts again when the agent dies", async () => {
		const { opened, open } = deferred<string | undefined>();
		const world = await World.started({ start: refusing(1e9), signIn: () => opened });
		await world.pass(60_000);
		open(undefined);
		await settled();
		world.happened();
		await restart(world);
		expect(world.happened()).toEqual([...AGAIN, "signIn"]);
	});

	test.each([
		["before the next connection exists", 0],
		["when the next connection waits for it", 60_000],
	])("continues if the agent died during the prompt and the user answers %s", async (_title, passMs) => {
		const { opened, open } = deferred<string | undefined>();
		const world = await World.started({ start: refusing(2), signIn: () => opened });
		expect(world.happened()).toEqual([...AGAIN, "signIn"]);
		await world.die();
		await world.pass(passMs);
		open("login");
		await settled();
		world.agent.retry();
		await world.pass(60_000);
		expect(world.happened()).toEqual([...AGAIN, "authenticate login", "nes/start", "started s0"]);
	});

	test("prompts only once while the prompt is open, however often the agent dies", async () => {
		const world = await World.started({ start: refusing(1e9), signIn: () => NEVER });
		for (let i = 0; i < 5; i++) {
			await restart(world);
			world.agent.retry();
		}
		expect(world.happened().filter((what) => what === "signIn")).toHaveLength(1);
	});

	test("counts as declined when the prompt times out, and can be retried", async () => {
		const world = await World.started({ start: refusing(1e9), signIn: () => NEVER });
		await world.pass(599_999);
		expect(world.notes).toEqual([]);
		await world.pass(1);
		expect(world.texts).toEqual(["sign-in: sign in to get suggestions"]);
		expect(world.happened()).toEqual([...AGAIN, "signIn"]);
		world.agent.retry();
		await settled();
		expect(world.happened()).toEqual(["nes/start", "signIn"]);
	});

	test("that was declined between two processes does not prompt for the next one", async () => {
		const { opened, open } = deferred<string | undefined>();
		const world = await World.started({ start: refusing(1e9), signIn: () => opened });
		await world.die();
		open(undefined);
		await world.pass(1000);
		expect(world.happened()).toEqual([...AGAIN, "signIn", ...AGAIN]);
		world.agent.retry();
		await settled();
		expect(world.happened()).toEqual(["nes/start", "signIn"]);
	});

	test("prompts again after a failed dialog when the user requests a suggestion", async () => {
		const signIn = () => {
			throw new Error("no window");
		};
		const world = await World.started({ start: refusing(1e9), signIn });
		world.happened();
		world.agent.retry();
		await settled();
		expect(world.happened()).toEqual(["nes/start", "signIn"]);
	});

	test.each([
		[59_999, []],
		[60_000, ["signIn"]],
	])(
		"that was declined and is required again %i ms after the next process started causes the prompts %j",
		async (livesMs, asks) => {
			const world = await World.started({ start: refusing(1), signIn: () => undefined });
			await restart(world);
			expect(world.happened()).toEqual([...AGAIN, "signIn", ...AGAIN, "started s0"]);
			await world.pass(livesMs);
			await world.fail(-32000);
			expect(world.happened()).toEqual(["ended", "nes/close s0", ...asks]);
		},
	);

	test("does not prompt for every process of an agent that keeps dying", async () => {
		const world = await World.started({ start: refusing(1e9), signIn: () => undefined });
		for (let i = 0; i < 4; i++) {
			await world.die();
			await world.pass(60_000);
		}
		expect(world.happened().filter((what) => what === "signIn")).toHaveLength(1);
		await world.pass(60_000);
		await world.die();
		await world.pass(60_000);
		expect(world.happened()).toContain("signIn");
	});
});

/** Ways in which the first attempt fails, and the messages that the user sees. */
const DEATHS: readonly [string, Script, string][] = [
	[
		"is not installed",
		{ connect: first(() => Promise.reject(new Error("agent was not found"))) },
		"agent was not found",
	],
	["dies immediately", { initialize: first((world) => dying(world)) }, "the agent closed the connection"],
	["never answers initialize", { initialize: first(() => NEVER) }, "the agent did not answer initialize within 30 s"],
	[
		"refuses initialize",
		{ initialize: first(() => fails(-32603)) },
		"initialize failed: the agent returned error -32603: refused",
	],
	[
		"sends an invalid response to initialize",
		{ initialize: first(() => ({ protocolVersion: -1 })) },
		"initialize failed: invalid response to initialize: result.protocolVersion: expected at least 0, got number",
	],
	["dies on nes/start", { start: first((world) => dying(world)) }, "the agent closed the connection"],
	["never answers nes/start", { start: first(() => NEVER) }, "the agent did not answer nes/start within 30 s"],
	[
		"dies on authenticate",
		{ start: first(() => Promise.reject(AUTH_REQUIRED)), authenticate: first((world) => dying(world)) },
		"the agent closed the connection",
	],
	[
		"has a `connected` callback that throws",
		{ options: { connected: throwingOnce("no tap") } },
		"initialize failed: no tap",
	],
];

describe("an agent that dies", () => {
	test.each(DEATHS)("is restarted after a second if it %s", async (_title, script, text) => {
		const world = await World.started(script);
		if (world.notes.length === 0) await world.pass(30_000);
		expect(world.texts).toEqual([`agent: ${text}`]);
		world.happened();
		await world.pass(999);
		expect(world.happened()).toEqual([]);
		await world.pass(1);
		expect(world.happened()).toEqual([...AGAIN, "started s0"]);
		expect(world.notes).toHaveLength(1);
	});

	test("is not left running if the connection cannot be created", async () => {
		const handler = on(acp.sessionUpdate, () => {});
		const world = await World.started({ options: { handlers: [handler, handler] } });
		expect(world.texts).toEqual(["agent: two handlers for session/update"]);
		expect(world.connection).toBeUndefined();
	});

	test("ends its session and gets another", async () => {
		const world = await World.started();
		const { session } = world;
		await world.die();
		expect(world.happened()).toEqual([...AGAIN, "started s0", "ended"]);
		expect(world.agent.session).toBeUndefined();
		world.agent.failed(session, new PeerError(-32002, "late"));
		world.agent.worked(session);
		await world.agent.renew();
		await world.pass(1000);
		expect(world.happened()).toEqual([...AGAIN, "started s1"]);
		expect(world.texts).toEqual(["agent: the agent closed the connection"]);
	});

	test("is restarted with growing delays, and reported once", async () => {
		const world = await World.started({ connect: () => Promise.reject(new Error("not found")) });
		world.happened();
		expect(await delaysOf(world, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
		expect(world.texts).toEqual(["agent: not found"]);
	});

	test("is restarted after a second, and reported again, if it had lived for a minute", async () => {
		const world = await World.started();
		const seen: [number, number][] = [];
		for (const livesMs of [1, 1, 59_999, 60_000, 1]) {
			await world.pass(livesMs);
			await world.die();
			world.happened();
			let seconds = 0;
			for (; world.happened().length === 0; seconds++) await world.pass(1000);
			seen.push([seconds, world.notes.length]);
		}
		expect(seen).toEqual([
			[1, 1],
			[2, 1],
			[4, 1],
			[1, 2],
			[2, 2],
		]);
	});

	test("is restarted immediately when the user requests a suggestion", async () => {
		const world = await World.started({ connect: first(() => Promise.reject(new Error("not found"))) });
		world.happened();
		world.agent.retry();
		await settled();
		expect(world.happened()).toEqual([...AGAIN, "started s0"]);
		await world.pass(1e6);
		expect(world.happened()).toEqual([]);
	});
});

describe("closing", () => {
	test("ends the session and the connection", async () => {
		const world = await World.started();
		world.happened();
		await Promise.all([world.agent.close(), world.agent.close()]);
		expect(world.happened()).toEqual(["ended", "nes/close s0"]);
		await expectNothingMore(world);
	});

	test("does not wait for an agent that never answers", async () => {
		const world = await World.started({ close: () => NEVER });
		const closed = world.agent.close();
		await settled();
		await world.pass(1000);
		await closed;
		expect(world.notes).toEqual([]);
		world.happened();
		await expectNothingMore(world);
	});

	test.each<[string, Script]>([
		["connecting", { connect: () => NEVER }],
		["initialize", { initialize: () => NEVER }],
		["nes/start", { start: () => NEVER }],
		["asking the user", { start: () => Promise.reject(AUTH_REQUIRED), signIn: () => NEVER }],
		["authenticate", { start: () => Promise.reject(AUTH_REQUIRED), authenticate: () => NEVER }],
		["the delay before the next session", { start: () => fails(-32603) }],
		["the delay before the next attempt", { connect: () => Promise.reject(new Error("not found")) }],
		["a connection without next edits", { initialize: () => ({ agentCapabilities: {} }) }],
	])("ends everything during %s", async (_title, script) => {
		const world = await World.started(script);
		const noteCount = world.notes.length;
		await world.agent.close();
		world.happened();
		await expectNothingMore(world);
		expect(world.notes).toHaveLength(noteCount);
	});

	test.each<[string, (waits: Promise<void>) => Script]>([
		["connecting", (waits) => ({ connect: () => waits })],
		[
			"asking the user",
			(waits) => ({
				start: () => Promise.reject(AUTH_REQUIRED),
				signIn: () => waits.then(() => LOGIN.id),
			}),
		],
	])("is final even if a late result arrives: %s", async (_title, script) => {
		const { opened, open } = deferred();
		const world = await World.started(script(opened));
		await world.agent.close();
		world.happened();
		open();
		await settled();
		await expectNothingMore(world);
	});

	test("is final even if the workspace changes at the same time", async () => {
		const world = await World.started();
		world.happened();
		world.workspace = { folders: [] };
		void world.agent.renew();
		await world.agent.close();
		expect(world.happened()).toEqual(["ended", "nes/close s0"]);
		await expectNothingMore(world);
	});

	test("is final even if a response was just read", async () => {
		const closing = (connection: Connection<"client">) => {
			connection.tap(({ phase, text }) => {
				if (phase === "after" && text.includes('"sessionId"')) void world.agent.close();
			});
		};
		const world = new World({ options: { connected: closing } });
		world.agent.start();
		await settled();
		expect(world.happened()).toEqual(AGAIN);
		await expectNothingMore(world);
	});

	test("before the start prevents the start", async () => {
		const world = new World();
		await world.agent.close();
		world.agent.start();
		await expectNothingMore(world);
	});

	async function expectNothingMore(world: World): Promise<void> {
		await settled();
		expect(world.timers.size).toBe(0);
		world.agent.retry();
		await world.agent.renew();
		await world.pass(1e7);
		expect(world.happened()).toEqual([]);
		expect(world.timers.size).toBe(0);
		expect(world.agent.session).toBeUndefined();
		expect(world.connection).toBeUndefined();
	}
});

test("sessions never overlap, and closing ends everything, whatever the agent, user and host do", async () => {
	const behaviour = fc.constantFrom("good", "good", "good", "dies", "never", -32000, -32002, -32603);
	const action = fc.oneof(
		fc.constantFrom("die", "renew", "retry", "worked", "unanswered", "throw"),
		fc.constantFrom(-32000, -32002, -32602, -32603),
		fc.constantFrom(0, 1000, 30_000, 600_000),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(behaviour), fc.array(action, { maxLength: 30 }), async (behaviours, actions) => {
			const next: Answer<void> = (_attempt, world) => {
				const what = behaviours.shift() ?? "good";
				if (what === "good") return undefined;
				if (what === "dies") return dying(world);
				return what === "never" ? NEVER : fails(what as number);
			};
			let isThrowing = false;
			let folders = 0;
			const log: string[] = [];
			const record = (what: string) => () => {
				log.push(what);
				if (isThrowing) throw new Error("the editor failed");
			};
			const world = await World.started({
				connect: async (attempt, inner) => {
					if (behaviours[0] === "dies") throw new Error("not found");
					await next(attempt, inner);
				},
				initialize: async (attempt, inner) => {
					await next(attempt, inner);
					return {};
				},
				start: next,
				authenticate: next,
				close: next,
				signIn: () => {
					const what = behaviours.shift();
					if (what === "never") return NEVER;
					return what === "dies" ? undefined : LOGIN.id;
				},
				options: { started: record("started"), ended: record("ended") },
			});
			for (const what of actions) {
				const { session } = world.agent;
				if (what === "die") await world.die();
				else if (what === "renew") {
					world.workspace = { folders: [{ uri: `file:///${folders++}`, name: "w" }] };
					void world.agent.renew();
				} else if (what === "retry") world.agent.retry();
				else if (what === "throw") isThrowing = !isThrowing;
				else if (what === "worked") session && world.agent.worked(session);
				else if (what === "unanswered") for (let i = 0; i < 3; i++) session && world.agent.unanswered(session);
				else if (typeof what === "number" && what < 0) session && (await world.fail(what));
				else await world.pass(what as number);
				const isHere = log.at(-1) === "started";
				expect(world.agent.session !== undefined).toBe(isHere);
			}
			const closed = world.agent.close();
			await settled();
			await world.pass(10_000);
			await closed;
			expect(log).toEqual(log.map((_, i) => (i % 2 === 0 ? "started" : "ended")));
			expect(log.length % 2).toBe(0);
			expect(world.timers.size).toBe(0);
			expect(world.notes.filter(({ text }) => text.includes("at once"))).toEqual([]);
		}),
	);
});

/** Returns the number of seconds before each of the next log entries. */
async function delaysOf(world: World, times: number): Promise<number[]> {
	const delays: number[] = [];
	while (delays.length < times) {
		let seconds = 0;
		for (; world.happened().length === 0 && seconds < 100; seconds++) await world.pass(1000);
		delays.push(seconds);
	}
	return delays;
}

function fails(code: number): Promise<never> {
	return Promise.reject(new RpcError(code, "refused"));
}

function dying(world: World): Promise<never> {
	world.connection?.close();
	return NEVER;
}

/** Misbehaves on the first attempt only. */
function first<Result>(misbehave: (world: World) => Result | Promise<Result>) {
	return (attempt: number, world: World) => (attempt === 0 ? misbehave(world) : ({} as Result));
}

function throwingOnce(text: string): () => void {
	let times = 0;
	return () => {
		if (times++ === 0) throw new Error(text);
	};
}
