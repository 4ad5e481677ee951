import type { AgentSession, Client, EndReason, McpServer, PromptPart } from "@segue/assist";
import { ErrorCode, PeerError, RpcError } from "@segue/rpc";
import type { ChatEngine, Desk } from "../chat/chat.js";
import type { ChatSettings } from "./settings.js";

/** Where a session works. */
export interface Place {
	/** Absolute paths: the folder that it is about, and those it may work in besides. */
	readonly folders: readonly [string, ...string[]];
	readonly mcpServers: readonly McpServer[];
}

/** One client's work on one thread: its place, its settings, and the turn that is under way. */
export class ChatSession {
	private turn: { readonly cancel: AbortController; readonly ended: Promise<unknown> } | undefined;

	constructor(
		/** The thread's id is the session's. */
		readonly id: string,
		readonly place: Place,
		public settings: ChatSettings,
		readonly engine: ChatEngine,
		private readonly client: Client,
	) {}

	/** Where another agent asks what the editor knows. */
	desk: Desk | undefined;

	/** Why another agent did not do what it was to, the last time. */
	failure = "";

	/** Does what has to be done before the first turn, which waits for it. */
	begin<T>(work: () => Promise<T>): Promise<T> {
		const cancel = new AbortController();
		cancel.abort();
		return this.take(cancel, work);
	}

	/** What is done with another agent's session for this one; undefined where there is no other agent. */
	async withAgent<T>(signal: AbortSignal, use: (agent: AgentSession) => T | Promise<T>): Promise<T | undefined> {
		const agent = await this.engine.agentFor?.(this.id, this.client, { ...this.options, signal });
		try {
			return agent && (await use(agent));
		} catch (error) {
			// The editor and the agent are meant to hear each other.
			if (error instanceof PeerError) throw new RpcError(error.code, error.message, error.data);
			throw error;
		}
	}

	/**
	 * Takes a turn. One that was cancelled and is still ending is waited for: clients send the next prompt as soon as they have
	 * cancelled the last. Another that is under way makes for a refusal.
	 */
	async prompt(parts: readonly PromptPart[], signal: AbortSignal): Promise<EndReason> {
		const before = this.turn;
		if (before !== undefined && !before.cancel.signal.aborted) {
			throw new RpcError(ErrorCode.invalidRequest, "Invalid request: a turn is under way; send session/cancel first");
		}
		const cancel = new AbortController();
		const { mode, model, effort } = this.settings;
		return this.take(cancel, async () => {
			await before?.ended;
			const both = AbortSignal.any([cancel.signal, signal]);
			const options = { mode, model, effort, ...this.options, signal: both };
			return this.engine.prompt(this.id, parts, this.client, options);
		});
	}

	cancel(): void {
		this.turn?.cancel.abort(new Error("cancelled"));
	}

	/** Cancels, and waits until everything of the turn is written down. */
	async stop(): Promise<void> {
		this.cancel();
		await this.turn?.ended;
	}

	async close(): Promise<void> {
		await this.stop();
		await this.engine.assist.release(this.id);
		this.desk?.close();
	}

	private async take<T>(cancel: AbortController, run: () => Promise<T>): Promise<T> {
		const running = run();
		const turn = { cancel, ended: running.catch(() => {}) };
		this.turn = turn;
		try {
			return await running;
		} finally {
			if (this.turn === turn) this.turn = undefined;
		}
	}

	private get options() {
		const { folders, mcpServers } = this.place;
		const desk = this.desk === undefined ? [] : [this.desk.server];
		return { folders: folders.slice(1), mcpServers: [...mcpServers, ...desk] };
	}
}
