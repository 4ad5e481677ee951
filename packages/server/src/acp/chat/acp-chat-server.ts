import { stat } from "node:fs/promises";
import type { AcquiredEngine, Chat, ChatEngine } from "@segue/agent/chat/chat";
import type { Thread, ThreadSettings, Update } from "@segue/assist";
import { NoSuchThread, StoreError } from "@segue/assist/failures";
import type { ChatModel } from "@segue/models";
import * as acp from "@segue/protocol/acp";
import { type Call, ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import { rejectForPeer } from "../../engine-error.js";
import type { ChatPeer, ChatServer, Introduction } from "../chat-server.js";
import { EditorState } from "../editor-state.js";
import { AcpClient } from "./acp-client.js";
import { ChatSession } from "./chat-session.js";
import { promptPartsOf, refuseImages, type SessionWorkspace, sessionWorkspaceOf } from "./from-wire.js";
import { AcpRelay, passThroughHandler } from "./relay.js";
import { changeChatSetting, chatOptionsOf, chatSettingsOf, modeStateOf } from "./session-settings.js";
import { ChatSignIn } from "./sign-in.js";
import { type DisplayCapabilities, replayOf, STOP_REASONS, updatesOf } from "./to-wire.js";

// Far more than anybody has conversations open.
const SESSIONS_MAX = 256;
// As many as a list on a screen shows, and a little more.
const PAGE = 50;

/** The time and the id of a thread, as the store wants them. */
const CURSOR = /^\d{4}-\d\d-\d\dT[\d:.]+Z\|./;

// How long `initialize` waits for an agent that was never started before. Most agents need 3 to 8 s on a busy machine. Next edits
// do not wait for one that has to be downloaded first: its sign-in methods are also in the error of `session/new`.
const INTRODUCTION_MS = 10_000;

/** Lets `serveAcp` chat. */
export function withChat(chat: Chat): (peer: ChatPeer) => ChatServer {
	return (peer) => new AcpChatServer(peer, chat);
}

/** What an agent with chat can do beside next edits. */
const CAPABILITIES: acp.AgentCapabilities = {
	loadSession: true,
	promptCapabilities: { image: true, audio: false, embeddedContext: true },
	mcpCapabilities: { http: true, sse: false },
	sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
};

/** The sessions of chat of one connection. A session's id is that of its thread, so it can be opened again at any time. */
class AcpChatServer implements ChatServer {
	readonly capabilities = CAPABILITIES;
	private readonly signIn: ChatSignIn;
	private readonly sessions = new Map<string, ChatSession>();
	/** Sessions whose last turn is still ending, by id. */
	private readonly closing = new Map<string, Promise<void>>();
	/** Whether the client is gone. */
	private isOver = false;

	constructor(
		private readonly peer: ChatPeer,
		private readonly chat: Chat,
	) {
		this.signIn = new ChatSignIn(chat);
	}

	/**
	 * Undefined if chat has nothing to add to the initialize response. Resolves with the other agent's last description, or else
	 * with its present one, or with undefined if the agent takes too long or does not start.
	 */
	introduce(): Promise<Introduction | undefined> | undefined {
		const failed = (error: unknown) => {
			this.peer.report(acp.initialize.method, "the agent behind us says nothing of itself", error);
			return undefined;
		};
		const introduced = this.signIn.introduce(this.peer.capabilities, failed);
		if (introduced === undefined) return undefined;
		return new Promise((resolve) => {
			const callOff = this.chat.clock.after(INTRODUCTION_MS, () => resolve(undefined));
			void introduced.catch(failed).then(resolve).finally(callOff);
		});
	}

	authenticate(params: Parameters<ChatSignIn["authenticate"]>[0]) {
		return this.signIn.authenticate(params);
	}

	logout(params: Parameters<ChatSignIn["logout"]>[0]) {
		return this.signIn.logout(params);
	}

	handlers(): Handler<"client">[] {
		return [
			on(acp.newSession, async (params, call) => {
				this.peer.checkSignedIn();
				const place = sessionWorkspaceOf(params);
				if (!(await isFolder(place.folders[0]))) {
					throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.cwd: there is no such folder");
				}
				return this.withEngine(place, async (lease) => {
					const { assist } = lease.engine;
					const thread = await assist.create(place.folders[0]);
					try {
						return { sessionId: thread.id, ...(await this.open(thread, place, lease, {}, call)) };
					} catch (error) {
						// Nobody knows of it.
						await assist.delete(thread.id);
						throw error;
					}
				});
			}),
			on(acp.loadSession, async (params, call) => {
				this.peer.checkSignedIn();
				const place = sessionWorkspaceOf(params);
				return this.withEngine(place, async (lease) => {
					const thread = await threadOf(lease.engine, params.sessionId);
					const remembered = await lease.engine.assist.settings(thread.id);
					return this.open(thread, place, lease, remembered, call, async () => {
						const entries = await lease.engine.assist.entries(thread.id);
						for (const update of replayOf(entries, this.display(thread.id))) this.send(thread.id, update);
					});
				});
			}),
			on(acp.resumeSession, async (params, call) => {
				this.peer.checkSignedIn();
				const place = sessionWorkspaceOf(params);
				return this.withEngine(place, async (lease) => {
					const thread = await threadOf(lease.engine, params.sessionId);
					return this.open(thread, place, lease, await lease.engine.assist.settings(thread.id), call);
				});
			}),
			on(acp.closeSession, async ({ sessionId }) => {
				await this.close(this.session(sessionId));
				return {};
			}),
			on(acp.deleteSession, async ({ sessionId }) => {
				this.peer.checkSignedIn();
				const { engine, release } = await this.engineFor(undefined);
				try {
					await threadOf(engine, sessionId);
					const session = this.sessions.get(sessionId);
					if (session !== undefined) await this.close(session);
					await engine.assist.delete(sessionId);
				} finally {
					release();
				}
				return {};
			}),
			on(acp.listSessions, async (params) => {
				this.peer.checkSignedIn();
				const { cwd, cursor } = params ?? {};
				if (cursor && !CURSOR.test(cursor)) {
					throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.cursor: it is none that was given out");
				}
				const query = { ...(cwd && { workspace: cwd }), ...(cursor && { before: cursor }), limit: PAGE };
				const { engine, release } = await this.engineFor(undefined);
				const threads = await engine.assist.list(query).finally(release);
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
			on(
				acp.prompt,
				async ({ sessionId, prompt, ...others }, call) => {
					this.peer.checkSignedIn();
					const session = this.session(sessionId);
					if (session.engine.agent !== undefined) {
						return session.promptAgent({ prompt, ...others }, call.signal).catch(throwForClient);
					}
					const parts = promptPartsOf(prompt);
					const model = this.modelOf(session);
					if (model !== undefined) refuseImages(parts, model);
					const reason = await session.prompt(parts, call.signal).catch(throwForClient);
					return { stopReason: STOP_REASONS[reason], _meta: { segue: { reason } } };
				},
				{ isTalk: true },
			),
			on(acp.cancel, ({ sessionId }) => this.sessions.get(sessionId)?.cancel()),
			on(acp.setMode, ({ sessionId, modeId }, call) => {
				const session = this.session(sessionId);
				// What is ours is set at once, for the prompt that may come right behind.
				if (session.engine.agent !== undefined) {
					return session.setWithAgent(call.signal, (agent) => agent.setMode(modeId, call.signal)).then(() => ({}));
				}
				const kept = this.change(session, "mode", modeId);
				call.afterwards(() => {
					const { mode } = session.settings;
					this.send(sessionId, { sessionUpdate: "current_mode_update", currentModeId: mode });
					this.send(sessionId, { sessionUpdate: "config_option_update", configOptions: this.optionsOf(session) });
				});
				return kept.then(() => ({}));
			}),
		];
	}

	/** What an editor asks of another agent, or tells it, that is none of the protocol's. */
	otherwise(method: string, kind: "request" | "notification"): Handler<"client"> | undefined {
		return passThroughHandler(method, kind, (sessionId) => {
			const session = this.sessions.get(sessionId);
			return session?.engine.agent === undefined ? undefined : session;
		});
	}

	/** Undefined where the session is none of chat. */
	setConfigOption(
		sessionId: string,
		configId: string,
		value: string | boolean,
		call: Call,
	): Promise<acp.ConfigOption[]> | undefined {
		const session = this.sessions.get(sessionId);
		if (session === undefined) return undefined;
		if (session.engine.agent !== undefined) {
			const set = session.setWithAgent(call.signal, (agent) => agent.setConfigOption(configId, value, call.signal));
			return set.then((options) => options ?? []);
		}
		const { mode } = session.settings;
		const kept = this.change(session, configId, value);
		if (session.settings.mode !== mode) {
			const currentModeId = session.settings.mode;
			call.afterwards(() => this.send(sessionId, { sessionUpdate: "current_mode_update", currentModeId }));
		}
		const options = this.optionsOf(session);
		return kept.then(() => options);
	}

	/** Cancels every turn: the client is gone. */
	async end(): Promise<void> {
		this.isOver = true;
		await Promise.all([...this.sessions.values()].map((session) => this.close(session)));
	}

	private engineFor(folder: string | undefined): Promise<AcquiredEngine> {
		return this.chat.acquireEngine(folder).catch(rejectForPeer);
	}

	/** Has the engine of a place for a session that is to be opened. Given back if it is not. */
	private async withEngine<T>({ folders }: SessionWorkspace, open: (lease: AcquiredEngine) => Promise<T>): Promise<T> {
		const lease = await this.engineFor(folders[0]);
		try {
			return await open(lease);
		} catch (error) {
			lease.release();
			throwForClient(this.signIn.withMethods(error));
		}
	}

	/** `replay` tells what was said before. */
	private async open(
		thread: Thread,
		place: SessionWorkspace,
		lease: AcquiredEngine,
		remembered: ThreadSettings,
		call: Call,
		replay?: () => Promise<void>,
	): Promise<Offered> {
		const { id } = thread;
		const { engine } = lease;
		if (this.isOver) throw new RpcError(ErrorCode.internal, "The client is gone");
		const before = this.sessions.get(id);
		if (before === undefined && this.sessions.size >= SESSIONS_MAX) {
			throw new RpcError(ErrorCode.busy, `Busy: ${SESSIONS_MAX} sessions are open; close one with session/close`);
		}
		const { connection, capabilities } = this.peer;
		const state = new EditorState(connection, capabilities, this.chat.clock);
		const relay = new AcpRelay(connection, id, capabilities);
		const tell = (update: Update) => {
			// Why another agent failed is the answer to the prompt.
			if (engine.agent !== undefined && isFailure(update)) return;
			for (const each of updatesOf(update, this.display(id))) this.send(id, each);
		};
		const choose = (model: string) => {
			session.settings = { ...session.settings, model };
			// Where this cannot be kept, the turn cannot either, and says so.
			session.remember().catch(() => {});
			this.send(id, { sessionUpdate: "config_option_update", configOptions: this.optionsOf(session) });
		};
		const cancelTurn = () => session.cancel();
		const client = new AcpClient(connection, id, capabilities, state, relay, tell, choose, cancelTurn);
		const settings = before?.settings ?? chatSettingsOf(remembered);
		const session = new ChatSession(id, place, settings, lease, client);
		const closing = this.closing.get(id);
		// From now on it is closed with the others, and who opens it once more waits for this opening.
		this.sessions.set(id, session);
		const opening = session.begin(async () => {
			// Who opens a session again, as after a reload, has nobody left who listens to the turn of before.
			await Promise.all([before?.stop(), closing]);
			const stays = before?.isAt(place, engine) === true;
			// What another agent and MCP servers have for the thread is of another place.
			if (!stays) await before?.engine.assist.release(id);
			session.editorBridge = stays ? before.editorBridge : await engine.openEditorBridge?.(place.folders, client);
			try {
				const its = await this.offeredBy(session, thread, call);
				await replay?.();
				return its;
			} catch (error) {
				if (session.editorBridge !== before?.editorBridge) session.editorBridge?.close();
				session.editorBridge = before?.editorBridge;
				throw error;
			}
		});
		const its = await opening.catch((error) => {
			session.cancel();
			if (this.sessions.get(id) !== session) before?.replacedBy(session.editorBridge);
			else if (before === undefined) this.sessions.delete(id);
			else this.sessions.set(id, before);
			throw error;
		});
		before?.replacedBy(session.editorBridge);
		call.afterwards(() => {
			if (relay.release()) return;
			const availableCommands = its?.commands ?? commandsOf(engine);
			if (its === undefined || availableCommands.length > 0) {
				this.send(id, { sessionUpdate: "available_commands_update", availableCommands });
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

	/** It holds at once, for the prompt that may come right behind, and is kept when the promise is. */
	private change(session: ChatSession, configId: string, value: string | boolean): Promise<void> {
		session.settings = changeChatSetting(session.settings, session.engine, configId, value);
		return session.remember();
	}

	private optionsOf({ settings, engine }: ChatSession): acp.ConfigOption[] {
		return chatOptionsOf(settings, engine);
	}

	private display(sessionId: string): DisplayCapabilities {
		const { session: shows } = this.peer.capabilities;
		const session = this.sessions.get(sessionId);
		return {
			notices: Boolean(shows?.notices),
			compaction: Boolean(shows?.compaction),
			windowTokens: session && this.modelOf(session)?.windowTokens,
		};
	}

	/** Undefined where none can be asked, and where another agent answers. */
	private modelOf({ engine, settings }: ChatSession): ChatModel | undefined {
		if (engine.agent !== undefined) return undefined;
		const model = engine.models.choose(settings.model);
		return "why" in model ? undefined : model;
	}

	private send(sessionId: string, update: acp.SessionUpdate): void {
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
	readonly modes: acp.ModeState | undefined;
	readonly configOptions: acp.ConfigOption[] | undefined;
}

function isFailure(update: Update): boolean {
	return update.type === "entry" && update.entry.body.type === "notice" && update.entry.body.level === "error";
}

async function threadOf({ assist }: ChatEngine, sessionId: string): Promise<Thread> {
	const thread = await assist.thread(sessionId);
	if (thread === undefined) throw notFound(sessionId);
	return thread;
}

function commandsOf({ commands }: ChatEngine): acp.AvailableCommand[] {
	return commands.map(({ name, description, argument }) => {
		return { name, description, ...(argument !== undefined && { input: { hint: argument } }) };
	});
}

function isFolder(folder: string): Promise<boolean> {
	return stat(folder).then(
		(stats) => stats.isDirectory(),
		() => false,
	);
}

/** A thread may be deleted at any time, also by another process. */
function throwForClient(error: unknown): never {
	if (error instanceof NoSuchThread) throw notFound(error.id);
	throw error instanceof StoreError ? new RpcError(ErrorCode.internal, error.message) : error;
}

function notFound(sessionId: string): RpcError {
	return new RpcError(acp.ErrorCode.notFound, "Session not found", { sessionId });
}
