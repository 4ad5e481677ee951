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

/** One client's work on one thread: its place, its settings, and the turn that is under way. */
export class ChatSession {
	/** Resolves once the latest settings are saved. Never rejects. */
	private saved: Promise<unknown> = Promise.resolve();
	private turn: { readonly cancel: AbortController; readonly ended: Promise<unknown> } | undefined;

	constructor(
		/** The thread's id is the session's. */
		readonly id: string,
		readonly workspace: SessionWorkspace,
		public settings: ChatSettings,
		private readonly acquired: AcquiredEngine,
		private readonly client: Client,
	) {}

	get engine(): ChatEngine {
		return this.acquired.engine;
	}

	/** Where another agent asks what the editor knows. */
	editorBridge: EditorBridgeHandle | undefined;

	/** Resolves when the settings for the other agent are sent, or it cannot be reached. Never rejects. */
	private settingsSent: Promise<unknown> = Promise.resolve();

	/** Does what has to be done before the first turn, which waits for it. */
	begin<T>(work: () => Promise<T>): Promise<T> {
		const cancel = new AbortController();
		cancel.abort();
		return this.take(cancel, work);
	}

	/** Calls `use` with the other agent's session for this one; undefined if there is no other agent. */
	async withAgent<T>(signal: AbortSignal, use: (agent: VerbatimSession) => T | Promise<T>): Promise<T | undefined> {
		const { assist } = this.engine;
		const agent = await assist.agentFor(this.id, this.client, { ...this.options, signal }).catch(rejectForPeer);
		try {
			return agent && (await use(acpSession(agent)));
		} catch (error) {
			return rejectForPeer(error);
		}
	}

	/** Like `withAgent`, for settings: the next prompt is sent to the agent after them. */
	setWithAgent<T>(signal: AbortSignal, use: (agent: VerbatimSession) => Promise<T>): Promise<T | undefined> {
		let begin = () => {};
		const begun = new Promise<void>((resolve) => {
			begin = resolve;
		});
		const answered = this.withAgent(signal, (agent) => {
			const answer = use(agent);
			begin();
			return answer;
		});
		answered.then(begin, begin);
		this.settingsSent = Promise.all([this.settingsSent, begun]);
		return answered;
	}

	/**
	 * Takes a turn. One that was cancelled and is still ending is waited for: clients send the next prompt as soon as they have
	 * cancelled the last. Another that is under way makes for a refusal.
	 */
	prompt(parts: readonly PromptPart[], signal: AbortSignal): Promise<EndReason> {
		return this.promptWith(parts, signal, async () => undefined);
	}

	/** Like `prompt`, with another agent that gets the prompt verbatim and whose response is returned verbatim. */
	async promptAgent(request: VerbatimPrompt["request"], signal: AbortSignal): Promise<ResultOf<typeof acp.prompt>> {
		let answer: ResultOf<typeof acp.prompt> | undefined;
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
				onResponse: (said) => {
					answer = said;
				},
				onFailure: (why) => {
					failure = why;
				},
			};
		});
		if (failure !== undefined) return rejectForPeer(failure);
		const stopReason = reason === "cancelled" ? reason : (answer?.stopReason ?? STOP_REASONS[reason]);
		return { ...answer, stopReason, _meta: { ...answer?._meta, segue: { reason } } };
	}

	private async promptWith(
		parts: readonly PromptPart[],
		signal: AbortSignal,
		verbatim: (during: AbortSignal) => Promise<VerbatimPrompt | undefined>,
	): Promise<EndReason> {
		const before = this.turn;
		if (before !== undefined && !before.cancel.signal.aborted) {
			throw new RpcError(ErrorCode.invalidRequest, "Invalid request: a turn is under way; send session/cancel first");
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

	/** Keeps the settings with the thread, after those that were chosen before. */
	remember(): Promise<void> {
		const kept = this.saved.then(() => this.engine.assist.saveSettings(this.id, this.settings));
		this.saved = kept.catch(() => {});
		return kept;
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
		this.editorBridge?.close();
		this.acquired.release();
	}

	/** Whether everything that another agent was told of its place holds there, too. */
	isAt(place: SessionWorkspace, engine: ChatEngine): boolean {
		return engine === this.engine && isDeepStrictEqual(place, this.workspace);
	}

	/** Another session works on the thread from now on, which may have taken over the editor bridge. */
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
