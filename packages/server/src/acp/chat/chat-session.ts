import { isDeepStrictEqual } from "node:util";
import type { AcquiredEngine, ChatEngine, EditorBridgeHandle } from "@segue/agent/chat/chat";
import type { Client, EndReason, PromptPart } from "@segue/assist";
import { acpSession, type VerbatimPrompt, type VerbatimSession } from "@segue/assist/acp";
import type { AgentFailure } from "@segue/assist/failures";
import type * as acp from "@segue/protocol/acp";
import { ErrorCode, type ResultOf, RpcError } from "@segue/rpc";
import { whenAborted } from "@segue/text";
import { rejectForPeer } from "../../engine-error.js";
import { isMoreThanText, type SessionWorkspace, storedPartsOf } from "./from-wire.js";
import type { ChatSettings } from "./session-settings.js";
import { STOP_REASONS } from "./to-wire.js";

/** A client's session for one thread, with its workspace, settings and running turn. */
export class ChatSession {
	/** Resolves once the latest settings are saved. Never rejects. */
	private saved: Promise<unknown> = Promise.resolve();
	private turn: { readonly cancel: AbortController; readonly ended: Promise<unknown> } | undefined;

	constructor(
		/** Also the thread's id. */
		readonly id: string,
		readonly workspace: SessionWorkspace,
		public settings: ChatSettings,
		private readonly acquired: AcquiredEngine,
		private readonly client: Client,
	) {}

	get engine(): ChatEngine {
		return this.acquired.engine;
	}

	/** Gives the external agent access to the editor's state. */
	editorBridge: EditorBridgeHandle | undefined;

	/** Resolves once pending settings have been sent to the external agent or sending them has failed. Never rejects. */
	private settingsSent: Promise<unknown> = Promise.resolve();

	/** Runs setup work. The first turn waits until it is done. */
	begin<T>(work: () => Promise<T>): Promise<T> {
		const cancel = new AbortController();
		cancel.abort();
		return this.take(cancel, work);
	}

	/** Calls `use` with the external agent's session. Resolves with undefined if there is no external agent. */
	async withAgent<T>(signal: AbortSignal, use: (agent: VerbatimSession) => T | Promise<T>): Promise<T | undefined> {
		const { assist } = this.engine;
		const agent = await assist.agentFor(this.id, this.client, { ...this.options, signal }).catch(rejectForPeer);
		try {
			return agent && (await use(acpSession(agent)));
		} catch (error) {
			return rejectForPeer(error);
		}
	}

	/** Like `withAgent`, but for changing settings. The next prompt waits until they have been sent. */
	setWithAgent<T>(signal: AbortSignal, use: (agent: VerbatimSession) => Promise<T>): Promise<T | undefined> {
		let markSent = () => {};
		const sent = new Promise<void>((resolve) => {
			markSent = resolve;
		});
		const result = this.withAgent(signal, (agent) => {
			const response = use(agent);
			markSent();
			return response;
		});
		result.then(markSent, markSent);
		this.settingsSent = Promise.all([this.settingsSent, sent]);
		return result;
	}

	/**
	 * Runs a turn. First waits for a cancelled turn to end, because clients send the next prompt right after
	 * cancelling. Throws an `RpcError` while another turn is running.
	 */
	prompt(parts: readonly PromptPart[], signal: AbortSignal): Promise<EndReason> {
		return this.promptWith(parts, signal, async () => undefined);
	}

	/** Like `prompt`, but for an external agent. The prompt and the response are passed through unchanged. */
	async promptAgent(request: VerbatimPrompt["request"], signal: AbortSignal): Promise<ResultOf<typeof acp.prompt>> {
		let response: ResultOf<typeof acp.prompt> | undefined;
		let failure: AgentFailure | undefined;
		const reason = await this.promptWith(storedPartsOf(request.prompt), signal, async (during) => {
			if (request.prompt.some(isMoreThanText)) {
				await this.withAgent(during, (agent) => agent.checkTakes(request.prompt)).catch((error: unknown) => {
					if (!during.aborted) throw error;
				});
			}
			return {
				protocol: "acp",
				request,
				onResponse: (received) => {
					response = received;
				},
				onFailure: (error) => {
					failure = error;
				},
			};
		});
		if (failure !== undefined) return rejectForPeer(failure);
		const stopReason = reason === "cancelled" ? reason : (response?.stopReason ?? STOP_REASONS[reason]);
		return { ...response, stopReason, _meta: { ...response?._meta, segue: { reason } } };
	}

	private async promptWith(
		parts: readonly PromptPart[],
		signal: AbortSignal,
		verbatim: (during: AbortSignal) => Promise<VerbatimPrompt | undefined>,
	): Promise<EndReason> {
		const before = this.turn;
		if (before !== undefined && !before.cancel.signal.aborted) {
			throw new RpcError(ErrorCode.invalidRequest, "Invalid request: a turn is running; send session/cancel first");
		}
		const cancel = new AbortController();
		const { mode, model, effort } = this.settings;
		const { settingsSent } = this;
		return this.take(cancel, async () => {
			await before?.ended;
			const both = AbortSignal.any([cancel.signal, signal]);
			await Promise.race([settingsSent, whenAborted(both)]);
			const options = { mode, model, effort, ...this.options, verbatim: await verbatim(both), signal: both };
			return this.engine.prompt(this.id, parts, this.client, options);
		});
	}

	/** Saves the settings with the thread once earlier saves have finished. */
	remember(): Promise<void> {
		const saved = this.saved.then(() => this.engine.assist.saveSettings(this.id, this.settings));
		this.saved = saved.catch(() => {});
		return saved;
	}

	cancel(): void {
		this.turn?.cancel.abort(new Error("cancelled"));
	}

	/** Cancels the turn and resolves once it is fully stored. */
	async stop(): Promise<void> {
		this.cancel();
		await this.turn?.ended;
	}

	async close(): Promise<void> {
		await this.stop();
		await this.engine.assist.release(this.id);
		this.editorBridge?.close();
		this.acquired.release();
	}

	/** Whether the external agent's session can be reused with this workspace and engine. */
	isAt(workspace: SessionWorkspace, engine: ChatEngine): boolean {
		return engine === this.engine && isDeepStrictEqual(workspace, this.workspace);
	}

	/**
	 * Called when another session replaces this one. Releases the engine, and closes the editor bridge unless the new
	 * session reuses it.
	 */
	replacedBy(bridge?: EditorBridgeHandle): void {
		if (bridge !== this.editorBridge) this.editorBridge?.close();
		this.acquired.release();
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
		const { folders, mcpServers } = this.workspace;
		const bridge = this.editorBridge === undefined ? [] : [this.editorBridge.server];
		return { workspace: folders[0], folders: folders.slice(1), mcpServers: [...mcpServers, ...bridge] };
	}
}
