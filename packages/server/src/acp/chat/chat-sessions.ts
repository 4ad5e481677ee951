import type { AcquiredEngine, Chat, ChatEngine } from "@segue/agent/chat/chat";
import type { Thread, ThreadSettings, Update } from "@segue/assist";
import type { ChatModel } from "@segue/models";
import * as acp from "@segue/protocol/acp";
import { type Call, ErrorCode, RpcError } from "@segue/rpc";
import type { ChatPeer } from "../chat-server.js";
import { EditorState } from "../editor-state.js";
import { AcpClient } from "./acp-client.js";
import { ChatSession } from "./chat-session.js";
import type { SessionWorkspace } from "./from-wire.js";
import { AcpRelay } from "./relay.js";
import { chatOptionsOf, chatSettingsOf, modeStateOf } from "./session-settings.js";
import { type DisplayCapabilities, updatesOf } from "./to-wire.js";

// Far more chats than a user has open.
const SESSIONS_MAX = 256;

/**
 * The open chat sessions on one connection. A session has the same id as its thread, so it can be reopened at any time.
 */
export class ChatSessions {
	private readonly sessions = new Map<string, ChatSession>();
	/** Promises that resolve once a closed session's last turn has ended, by session id. */
	private readonly closing = new Map<string, Promise<void>>();
	/** Whether the client has disconnected. */
	private isOver = false;

	constructor(
		private readonly peer: ChatPeer,
		private readonly chat: Pick<Chat, "clock">,
	) {}

	find(sessionId: string): ChatSession | undefined {
		return this.sessions.get(sessionId);
	}

	/** Throws an `RpcError` if the session is not open. */
	get(sessionId: string): ChatSession {
		const session = this.sessions.get(sessionId);
		if (session === undefined) throw notFound(sessionId);
		return session;
	}

	/**
	 * Opens a session for a thread, replacing one that is already open. `replay` sends the stored content to the
	 * client.
	 */
	async open(
		thread: Thread,
		workspace: SessionWorkspace,
		acquired: AcquiredEngine,
		remembered: ThreadSettings,
		call: Call,
		replay?: () => Promise<void>,
	): Promise<SessionOffer> {
		const { id } = thread;
		const { engine } = acquired;
		if (this.isOver) throw new RpcError(ErrorCode.internal, "The client has disconnected");
		const before = this.sessions.get(id);
		if (before === undefined && this.sessions.size >= SESSIONS_MAX) {
			throw new RpcError(ErrorCode.busy, `Busy: ${SESSIONS_MAX} sessions are open; close one with session/close`);
		}
		const { connection, capabilities } = this.peer;
		const state = new EditorState(connection, capabilities, this.chat.clock);
		const relay = new AcpRelay(connection, id, capabilities);
		const send = (update: Update) => {
			// An external agent's error is reported in the response to the prompt.
			if (engine.agent !== undefined && isFailure(update)) return;
			for (const each of updatesOf(update, this.display(id))) this.send(id, each);
		};
		const choose = (model: string) => {
			session.settings = { ...session.settings, model };
			// If saving fails, the turn also fails and reports the error.
			session.remember().catch(() => {});
			this.send(id, { sessionUpdate: "config_option_update", configOptions: optionsOf(session) });
		};
		const cancelTurn = () => session.cancel();
		const client = new AcpClient(connection, id, capabilities, state, relay, send, choose, cancelTurn);
		const settings = before?.settings ?? chatSettingsOf(remembered);
		const session = new ChatSession(id, workspace, settings, acquired, client);
		const closing = this.closing.get(id);
		// From here on, `end` closes this session, and reopening it waits until this call is done.
		this.sessions.set(id, session);
		const opening = session.begin(async () => {
			// After a reload nothing listens to the previous turn, so stop it.
			await Promise.all([before?.stop(), closing]);
			const stays = before?.isAt(workspace, engine) === true;
			// Release the external agent and the MCP servers, which still use the previous workspace.
			if (!stays) await before?.engine.assist.release(id);
			session.editorBridge = stays ? before.editorBridge : await engine.openEditorBridge?.(workspace.folders, client);
			try {
				const offer = await this.agentOffer(session, thread, call);
				await replay?.();
				return offer;
			} catch (error) {
				if (session.editorBridge !== before?.editorBridge) session.editorBridge?.close();
				session.editorBridge = before?.editorBridge;
				throw error;
			}
		});
		const offer = await opening.catch((error) => {
			session.cancel();
			if (this.sessions.get(id) !== session) before?.replacedBy(session.editorBridge);
			else if (before === undefined) this.sessions.delete(id);
			else this.sessions.set(id, before);
			throw error;
		});
		before?.replacedBy(session.editorBridge);
		call.afterwards(() => {
			if (relay.release()) return;
			const availableCommands = offer?.commands ?? commandsOf(engine);
			if (offer === undefined || availableCommands.length > 0) {
				this.send(id, { sessionUpdate: "available_commands_update", availableCommands });
			}
		});
		if (offer !== undefined) return offer.offered;
		return { modes: modeStateOf(session.settings), configOptions: optionsOf(session) };
	}

	/**
	 * Returns the external agent's settings and commands. If the agent fails, a thread with content still opens, so the
	 * user can read it.
	 */
	private async agentOffer(session: ChatSession, { title }: Thread, { signal }: Call) {
		try {
			return await session.withAgent(signal, ({ modes, configOptions, commands }) => {
				return { offered: { modes, configOptions }, commands };
			});
		} catch (error) {
			if (title === "" || !(error instanceof RpcError)) throw error;
			return { offered: { modes: undefined, configOptions: undefined }, commands: [] };
		}
	}

	async close(session: ChatSession): Promise<void> {
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

	/** Closes every session after the client has disconnected. */
	async end(): Promise<void> {
		this.isOver = true;
		await Promise.all([...this.sessions.values()].map((session) => this.close(session)));
	}

	send(sessionId: string, update: acp.SessionUpdate): void {
		this.peer.connection.notify(acp.sessionUpdate, { sessionId, update });
	}

	display(sessionId: string): DisplayCapabilities {
		const { session: supported } = this.peer.capabilities;
		const session = this.sessions.get(sessionId);
		return {
			notices: Boolean(supported?.notices),
			compaction: Boolean(supported?.compaction),
			windowTokens: session && modelOf(session)?.windowTokens,
		};
	}
}

/** Returns the session's model, or undefined if none is available or an external agent answers. */
export function modelOf({ engine, settings }: ChatSession): ChatModel | undefined {
	if (engine.agent !== undefined) return undefined;
	const model = engine.models.choose(settings.model);
	return "why" in model ? undefined : model;
}

export function optionsOf({ settings, engine }: ChatSession): acp.ConfigOption[] {
	return chatOptionsOf(settings, engine);
}

interface SessionOffer {
	readonly modes: acp.ModeState | undefined;
	readonly configOptions: acp.ConfigOption[] | undefined;
}

function isFailure(update: Update): boolean {
	return update.type === "entry" && update.entry.body.type === "notice" && update.entry.body.level === "error";
}

function commandsOf({ commands }: ChatEngine): acp.AvailableCommand[] {
	return commands.map(({ name, description, argument }) => {
		return { name, description, ...(argument !== undefined && { input: { hint: argument } }) };
	});
}

export function notFound(sessionId: string): RpcError {
	return new RpcError(acp.ErrorCode.notFound, "Session not found", { sessionId });
}
