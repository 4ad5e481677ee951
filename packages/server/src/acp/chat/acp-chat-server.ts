import { stat } from "node:fs/promises";
import type { AcquiredEngine, Chat, ChatEngine } from "@segue/agent/chat/chat";
import type { Thread } from "@segue/assist";
import { NoSuchThread, StoreError } from "@segue/assist/failures";
import * as acp from "@segue/protocol/acp";
import { type Call, ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import { rejectForPeer } from "../../engine-error.js";
import type { ChatPeer, ChatServer, Introduction } from "../chat-server.js";
import type { ChatSession } from "./chat-session.js";
import { ChatSessions, modelOf, notFound, optionsOf } from "./chat-sessions.js";
import { promptPartsOf, refuseImages, type SessionWorkspace, sessionWorkspaceOf } from "./from-wire.js";
import { passThroughHandler } from "./relay.js";
import { changeChatSetting } from "./session-settings.js";
import { ChatSignIn } from "./sign-in.js";
import { replayOf, STOP_REASONS } from "./to-wire.js";

// A little more than fits on a screen.
const PAGE = 50;

/** The format of the store's cursors: the time and id of a thread. */
const CURSOR = /^\d{4}-\d\d-\d\dT[\d:.]+Z\|./;

// How long `initialize` waits for an external agent on its first start. Most agents need 3 to 8 s on a busy machine. An
// agent that has to be downloaded first takes longer, but must not delay next edits. Its sign-in methods are then sent
// in the error response to `session/new`.
const INTRODUCTION_MS = 10_000;

/** Creates the `chat` option for `serveAcp`. */
export function withChat(chat: Chat): (peer: ChatPeer) => ChatServer {
	return (peer) => new AcpChatServer(peer, chat);
}

const CAPABILITIES: acp.AgentCapabilities = {
	loadSession: true,
	promptCapabilities: { image: true, audio: false, embeddedContext: true },
	mcpCapabilities: { http: true, sse: false },
	sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
};

/** Answers the chat requests on one connection. */
class AcpChatServer implements ChatServer {
	readonly capabilities = CAPABILITIES;
	private readonly signIn: ChatSignIn;
	private readonly sessions: ChatSessions;

	constructor(
		private readonly peer: ChatPeer,
		private readonly chat: Chat,
	) {
		this.signIn = new ChatSignIn(chat);
		this.sessions = new ChatSessions(peer, chat);
	}

	/**
	 * Returns undefined if chat has nothing to add to the initialize response. Resolves with the external agent's cached
	 * description or, if there is none, starts the agent to get its description. Resolves with undefined if the agent
	 * times out or fails to start.
	 */
	introduce(): Promise<Introduction | undefined> | undefined {
		const failed = (error: unknown) => {
			this.peer.report(acp.initialize.method, "the external agent did not describe itself", error);
			return undefined;
		};
		const introduced = this.signIn.introduce(this.peer.capabilities, failed);
		if (introduced === undefined) return undefined;
		return new Promise((resolve) => {
			const stopTimer = this.chat.clock.after(INTRODUCTION_MS, () => resolve(undefined));
			void introduced.catch(failed).then(resolve).finally(stopTimer);
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
				const workspace = sessionWorkspaceOf(params);
				if (!(await isFolder(workspace.folders[0]))) {
					throw new RpcError(ErrorCode.invalidParams, "Invalid params: params.cwd: folder not found");
				}
				return this.withEngine(workspace, async (acquired) => {
					const { assist } = acquired.engine;
					const thread = await assist.create(workspace.folders[0]);
					try {
						return { sessionId: thread.id, ...(await this.sessions.open(thread, workspace, acquired, {}, call)) };
					} catch (error) {
						// The client never gets the thread's id, so delete the thread.
						await assist.delete(thread.id);
						throw error;
					}
				});
			}),
			on(acp.loadSession, async (params, call) => {
				this.peer.checkSignedIn();
				const workspace = sessionWorkspaceOf(params);
				return this.withEngine(workspace, async (acquired) => {
					const thread = await threadOf(acquired.engine, params.sessionId);
					const remembered = await acquired.engine.assist.settings(thread.id);
					return this.sessions.open(thread, workspace, acquired, remembered, call, async () => {
						const entries = await acquired.engine.assist.entries(thread.id);
						for (const update of replayOf(entries, this.sessions.display(thread.id)))
							this.sessions.send(thread.id, update);
					});
				});
			}),
			on(acp.resumeSession, async (params, call) => {
				this.peer.checkSignedIn();
				const workspace = sessionWorkspaceOf(params);
				return this.withEngine(workspace, async (acquired) => {
					const thread = await threadOf(acquired.engine, params.sessionId);
					return this.sessions.open(
						thread,
						workspace,
						acquired,
						await acquired.engine.assist.settings(thread.id),
						call,
					);
				});
			}),
			on(acp.closeSession, async ({ sessionId }) => {
				await this.sessions.close(this.sessions.get(sessionId));
				return {};
			}),
			on(acp.deleteSession, async ({ sessionId }) => {
				this.peer.checkSignedIn();
				const { engine, release } = await this.engineFor(undefined);
				try {
					await threadOf(engine, sessionId);
					const session = this.sessions.find(sessionId);
					if (session !== undefined) await this.sessions.close(session);
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
					throw new RpcError(
						ErrorCode.invalidParams,
						"Invalid params: params.cursor: not a cursor from an earlier response",
					);
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
					const session = this.sessions.get(sessionId);
					if (session.engine.agent !== undefined) {
						return session.promptAgent({ prompt, ...others }, call.signal).catch(throwForClient);
					}
					const parts = promptPartsOf(prompt);
					const model = modelOf(session);
					if (model !== undefined) refuseImages(parts, model);
					const reason = await session.prompt(parts, call.signal).catch(throwForClient);
					return { stopReason: STOP_REASONS[reason], _meta: { segue: { reason } } };
				},
				{ isTalk: true },
			),
			on(acp.cancel, ({ sessionId }) => this.sessions.find(sessionId)?.cancel()),
			on(acp.setMode, ({ sessionId, modeId }, call) => {
				const session = this.sessions.get(sessionId);
				if (session.engine.agent !== undefined) {
					return session.setWithAgent(call.signal, (agent) => agent.setMode(modeId, call.signal)).then(() => ({}));
				}
				const saved = this.change(session, "mode", modeId);
				call.afterwards(() => {
					const { mode } = session.settings;
					this.sessions.send(sessionId, { sessionUpdate: "current_mode_update", currentModeId: mode });
					this.sessions.send(sessionId, { sessionUpdate: "config_option_update", configOptions: optionsOf(session) });
				});
				return saved.then(() => ({}));
			}),
		];
	}

	fallback(method: string, kind: "request" | "notification"): Handler<"client"> | undefined {
		return passThroughHandler(method, kind, (sessionId) => {
			const session = this.sessions.find(sessionId);
			return session?.engine.agent === undefined ? undefined : session;
		});
	}

	setConfigOption(
		sessionId: string,
		configId: string,
		value: string | boolean,
		call: Call,
	): Promise<acp.ConfigOption[]> | undefined {
		const session = this.sessions.find(sessionId);
		if (session === undefined) return undefined;
		if (session.engine.agent !== undefined) {
			const set = session.setWithAgent(call.signal, (agent) => agent.setConfigOption(configId, value, call.signal));
			return set.then((options) => options ?? []);
		}
		const { mode } = session.settings;
		const saved = this.change(session, configId, value);
		if (session.settings.mode !== mode) {
			const currentModeId = session.settings.mode;
			call.afterwards(() => this.sessions.send(sessionId, { sessionUpdate: "current_mode_update", currentModeId }));
		}
		const options = optionsOf(session);
		return saved.then(() => options);
	}

	end(): Promise<void> {
		return this.sessions.end();
	}

	private engineFor(folder: string | undefined): Promise<AcquiredEngine> {
		return this.chat.acquireEngine(folder).catch(rejectForPeer);
	}

	/** Acquires the engine for a workspace to open a session. Releases the engine if opening the session fails. */
	private async withEngine<T>(
		{ folders }: SessionWorkspace,
		open: (acquired: AcquiredEngine) => Promise<T>,
	): Promise<T> {
		const acquired = await this.engineFor(folders[0]);
		try {
			return await open(acquired);
		} catch (error) {
			acquired.release();
			throwForClient(this.signIn.withMethods(error));
		}
	}

	/** Changes the setting synchronously, because a prompt may follow immediately. Resolves once the setting is saved. */
	private change(session: ChatSession, configId: string, value: string | boolean): Promise<void> {
		session.settings = changeChatSetting(session.settings, session.engine, configId, value);
		return session.remember();
	}
}

async function threadOf({ assist }: ChatEngine, sessionId: string): Promise<Thread> {
	const thread = await assist.thread(sessionId);
	if (thread === undefined) throw notFound(sessionId);
	return thread;
}

function isFolder(folder: string): Promise<boolean> {
	return stat(folder).then(
		(stats) => stats.isDirectory(),
		() => false,
	);
}

/** Reports a missing thread to the client, because another process may delete a thread at any time. */
function throwForClient(error: unknown): never {
	if (error instanceof NoSuchThread) throw notFound(error.id);
	throw error instanceof StoreError ? new RpcError(ErrorCode.internal, error.message) : error;
}
