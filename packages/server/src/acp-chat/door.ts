import path from "node:path";
import type { McpServer, Thread, Update } from "@segue/assist";
import {
	AcpErrorCode,
	type AgentCapabilities,
	type AvailableCommand,
	acp,
	type ClientCapabilities,
	type ConfigOption,
	type ModeState,
	type NewSession,
	type SessionUpdate,
} from "@segue/protocol/acp";
import { type Call, type Connection, ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import type { Chat, ChatEngine } from "../chat/chat.js";
import { EditorState } from "../editor-state.js";
import { AcpClient } from "./client.js";
import { promptPartsOf } from "./prompt.js";
import { AcpRelay } from "./relay.js";
import { ChatSession, type Place } from "./session.js";
import { type ChatSettings, changeChatSetting, chatOptionsOf, modeStateOf } from "./settings.js";
import { replayOf, type Shown, STOP_REASONS, updatesOf } from "./update.js";

// Far more than anybody has conversations open.
const SESSIONS_MAX = 256;
// As many as a list on a screen shows, and a little more.
const PAGE = 50;

/** The client at the other end. Looked at only when a request of it is handled. */
interface Peer {
	readonly connection: Connection<"agent">;
	readonly capabilities: ClientCapabilities;
	/** Throws an RpcError for one who has to sign in first. */
	checkSignedIn(): void;
}

/** What an agent with chat can do beside next edits. */
export const CHAT_CAPABILITIES: AgentCapabilities = {
	loadSession: true,
	promptCapabilities: { image: true, audio: false, embeddedContext: true },
	mcpCapabilities: { http: true, sse: false },
	sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
};

/** The sessions of chat of one connection. A session's id is that of its thread, so it can be opened again at any time. */
export class ChatDoor {
	private readonly sessions = new Map<string, ChatSession>();
	/** Sessions whose last turn is still ending, by id. */
	private readonly closing = new Map<string, Promise<void>>();
	/** Whether the client is gone. */
	private isOver = false;

	constructor(
		private readonly peer: Peer,
		private readonly chat: Chat,
	) {}

	handlers(): Handler<"client">[] {
		return [
			on(acp.newSession, async (params, call) => {
				this.peer.checkSignedIn();
				const place = placeOf(params);
				const engine = await this.chat.engineFor(place.folders[0]);
				const thread = await engine.assist.create(place.folders[0]);
				try {
					return { sessionId: thread.id, ...(await this.open(thread, place, engine, call)) };
				} catch (error) {
					// Nobody knows of it.
					await engine.assist.delete(thread.id);
					throw error;
				}
			}),
			on(acp.loadSession, async (params, call) => {
				this.peer.checkSignedIn();
				const place = placeOf(params);
				const engine = await this.chat.engineFor(place.folders[0]);
				const thread = await threadOf(engine, params.sessionId);
				return this.open(thread, place, engine, call, async () => {
					const entries = await engine.assist.entries(thread.id);
					for (const update of replayOf(entries, this.shown(thread.id))) this.tell(thread.id, update);
				});
			}),
			on(acp.resumeSession, async (params, call) => {
				this.peer.checkSignedIn();
				const place = placeOf(params);
				const engine = await this.chat.engineFor(place.folders[0]);
				return this.open(await threadOf(engine, params.sessionId), place, engine, call);
			}),
			on(acp.closeSession, async ({ sessionId }) => {
				await this.close(this.session(sessionId));
				return {};
			}),
			on(acp.deleteSession, async ({ sessionId }) => {
				this.peer.checkSignedIn();
				const engine = await this.chat.engineFor(undefined);
				await threadOf(engine, sessionId);
				const session = this.sessions.get(sessionId);
				if (session !== undefined) await this.close(session);
				await engine.assist.delete(sessionId);
				return {};
			}),
			on(acp.listSessions, async (params) => {
				this.peer.checkSignedIn();
				const { cwd, cursor } = params ?? {};
				const query = { ...(cwd && { workspace: cwd }), ...(cursor && { before: cursor }), limit: PAGE };
				const { assist } = await this.chat.engineFor(undefined);
				const threads = await assist.list(query);
				const last = threads.at(-1);
				return {
					sessions: threads.map(({ id, workspace, title, modifiedAt }) => ({
						sessionId: id,
						cwd: workspace,
						...(title !== "" && { title }),
						updatedAt: modifiedAt,
					})),
					...(last !== undefined && threads.length === PAGE && { nextCursor: `${last.modifiedAt}|${last.id}` }),
				};
			}),
			on(acp.prompt, async ({ sessionId, prompt }, call) => {
				this.peer.checkSignedIn();
				const session = this.session(sessionId);
				const reason = await session.prompt(promptPartsOf(prompt), call.signal);
				if (reason === "failed" && session.engine.agent !== undefined) {
					throw new RpcError(ErrorCode.internal, session.failure);
				}
				return { stopReason: STOP_REASONS[reason], _meta: { segue: { reason } } };
			}),
			on(acp.cancel, ({ sessionId }) => this.sessions.get(sessionId)?.cancel()),
			on(acp.setMode, ({ sessionId, modeId }, call) => {
				const session = this.session(sessionId);
				// What is ours is set at once, for the prompt that may come right behind.
				if (session.engine.agent !== undefined) {
					return session.withAgent(call.signal, (agent) => agent.setMode(modeId, call.signal)).then(() => ({}));
				}
				this.change(session, "mode", modeId);
				call.afterwards(() => {
					const { mode } = session.settings;
					this.tell(sessionId, { sessionUpdate: "current_mode_update", currentModeId: mode });
					this.tell(sessionId, { sessionUpdate: "config_option_update", configOptions: this.optionsOf(session) });
				});
				return {};
			}),
		];
	}

	/** Undefined where the session is none of chat; later where another agent has to be asked. */
	setConfigOption(
		sessionId: string,
		configId: string,
		value: string | boolean,
		call: Call,
	): ConfigOption[] | Promise<ConfigOption[]> | undefined {
		const session = this.sessions.get(sessionId);
		if (session === undefined) return undefined;
		if (session.engine.agent !== undefined) {
			const set = session.withAgent(call.signal, (agent) => agent.setConfigOption(configId, value, call.signal));
			return set.then((options) => options ?? []);
		}
		const { mode } = session.settings;
		this.change(session, configId, value);
		if (session.settings.mode !== mode) {
			const currentModeId = session.settings.mode;
			call.afterwards(() => this.tell(sessionId, { sessionUpdate: "current_mode_update", currentModeId }));
		}
		return this.optionsOf(session);
	}

	/** Cancels every turn: the client is gone. */
	async end(): Promise<void> {
		this.isOver = true;
		await Promise.all([...this.sessions.values()].map((session) => this.close(session)));
	}

	/** `replay` tells what was said before. */
	private async open(
		thread: Thread,
		place: Place,
		engine: ChatEngine,
		call: Call,
		replay?: () => Promise<void>,
	): Promise<Offered> {
		const { id } = thread;
		if (this.isOver) throw new RpcError(ErrorCode.internal, "The client is gone");
		const before = this.sessions.get(id);
		if (before === undefined && this.sessions.size >= SESSIONS_MAX) {
			throw new RpcError(ErrorCode.busy, `Busy: ${SESSIONS_MAX} sessions are open; close one with session/close`);
		}
		const { connection, capabilities } = this.peer;
		const state = new EditorState(connection, capabilities, this.chat.clock);
		const relay = new AcpRelay(connection, id, capabilities);
		const tell = (update: Update) => {
			const failure = engine.agent === undefined ? undefined : failureIn(update);
			// It is the answer to the prompt.
			if (failure !== undefined) session.failure = failure;
			else for (const each of updatesOf(update, this.shown(id))) this.tell(id, each);
		};
		const choose = (model: string) => {
			session.settings = { ...session.settings, model };
			this.tell(id, { sessionUpdate: "config_option_update", configOptions: this.optionsOf(session) });
		};
		const client = new AcpClient(connection, id, capabilities, state, relay, tell, choose);
		const settings: ChatSettings = before?.settings ?? { mode: "edit", model: undefined, effort: undefined };
		const session = new ChatSession(id, place, settings, engine, client);
		const closing = this.closing.get(id);
		// From now on it is closed with the others, and who opens it once more waits for this opening.
		this.sessions.set(id, session);
		const opening = session.begin(async () => {
			// Who opens a session again, as after a reload, has nobody left who listens to the turn of before.
			await Promise.all([before?.stop(), closing]);
			session.desk = before?.desk ?? (await engine.deskFor?.(place.folders, client));
			try {
				const its = await this.offeredBy(session, thread, call);
				await replay?.();
				return its;
			} catch (error) {
				if (session.desk !== before?.desk) session.desk?.close();
				session.desk = before?.desk;
				throw error;
			}
		});
		const its = await opening.catch((error) => {
			session.cancel();
			if (this.sessions.get(id) === session) {
				if (before === undefined) this.sessions.delete(id);
				else this.sessions.set(id, before);
			}
			throw error;
		});
		call.afterwards(() => {
			const told = relay.release();
			if (told.some(({ sessionUpdate }) => sessionUpdate === "available_commands_update")) return;
			const availableCommands = its?.commands ?? commandsOf(engine);
			if (its === undefined || availableCommands.length > 0) {
				this.tell(id, { sessionUpdate: "available_commands_update", availableCommands });
			}
		});
		if (its !== undefined) return its.offered;
		return { modes: modeStateOf(session.settings), configOptions: this.optionsOf(session) };
	}

	/** What the other agent offers, where there is one. Without it, what was said before can still be looked at. */
	private async offeredBy(session: ChatSession, { title }: Thread, { signal }: Call) {
		try {
			return await session.withAgent(signal, ({ modes, configOptions, commands }) => {
				return { offered: { modes, configOptions }, commands };
			});
		} catch (error) {
			if (title === "" || !(error instanceof RpcError)) throw error;
			return { offered: { modes: undefined, configOptions: undefined }, commands: [] };
		}
	}

	private async close(session: ChatSession): Promise<void> {
		const { id } = session;
		this.sessions.delete(id);
		const closed = session.close();
		this.closing.set(id, closed);
		try {
			await closed;
		} finally {
			if (this.closing.get(id) === closed) this.closing.delete(id);
		}
	}

	private change(session: ChatSession, configId: string, value: string | boolean): void {
		session.settings = changeChatSetting(session.settings, session.engine.models.names, configId, value);
	}

	private optionsOf({ settings, engine }: ChatSession): ConfigOption[] {
		return chatOptionsOf(settings, engine.models.names);
	}

	private shown(sessionId: string): Shown {
		const { session: shows } = this.peer.capabilities;
		const session = this.sessions.get(sessionId);
		const model = session?.engine.models.choose(session.settings.model);
		return {
			notices: Boolean(shows?.notices),
			compaction: Boolean(shows?.compaction),
			windowTokens: model === undefined || "why" in model ? undefined : model.windowTokens,
		};
	}

	private tell(sessionId: string, update: SessionUpdate): void {
		this.peer.connection.notify(acp.sessionUpdate, { sessionId, update });
	}

	private session(sessionId: string): ChatSession {
		const session = this.sessions.get(sessionId);
		if (session === undefined) throw notFound(sessionId);
		return session;
	}
}

/** What can be set in a session. */
interface Offered {
	readonly modes: ModeState | undefined;
	readonly configOptions: ConfigOption[] | undefined;
}

function failureIn(update: Update): string | undefined {
	if (update.type !== "entry" || update.entry.body.type !== "notice") return undefined;
	const { level, text } = update.entry.body;
	return level === "error" ? text : undefined;
}

async function threadOf({ assist }: ChatEngine, sessionId: string): Promise<Thread> {
	const thread = await assist.thread(sessionId);
	if (thread === undefined) throw notFound(sessionId);
	return thread;
}

function commandsOf({ commands }: ChatEngine): AvailableCommand[] {
	return commands.map(({ name, description, argument }) => {
		return { name, description, ...(argument !== undefined && { input: { hint: argument } }) };
	});
}

function placeOf({ cwd, additionalDirectories, mcpServers }: NewSession): Place {
	const others = additionalDirectories ?? [];
	for (const [name, folder] of [["cwd", cwd], ...others.map((each) => ["additionalDirectories", each] as const)]) {
		if (!path.isAbsolute(folder ?? "")) {
			throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.${name}: it must be an absolute path`);
		}
	}
	return { folders: [cwd, ...others], mcpServers: (mcpServers ?? []).map(mcpServerOf) };
}

function mcpServerOf(server: NonNullable<NewSession["mcpServers"]>[number]): McpServer {
	const { name } = server;
	if ("command" in server) {
		return { name, type: "stdio", command: server.command, args: server.args, env: pairsOf(server.env) };
	}
	if (server.type !== "http") {
		const why = `${name} is of the type ${server.type}, which is not supported; use stdio or http`;
		throw new RpcError(ErrorCode.invalidParams, `Invalid params: params.mcpServers: ${why}`);
	}
	return { name, type: "http", url: server.url, headers: pairsOf(server.headers) };
}

function pairsOf(list: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
	return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

function notFound(sessionId: string): RpcError {
	return new RpcError(AcpErrorCode.notFound, "Session not found", { sessionId });
}
