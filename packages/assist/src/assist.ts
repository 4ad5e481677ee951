import { unlessCancelled } from "@segue/text";
import { AgentProxy } from "./agents/agent-proxy.js";
import { delegateTurn, withoutRelayed } from "./agents/delegate-turn.js";
import type { AgentProcesses, OtherAgent, OtherAgentOptions, OtherAgentSession } from "./agents/other-agent.js";
import { ProcessPool } from "./agents/process-pool.js";
import type { Client } from "./client.js";
import { NoSuchThread, ToolError } from "./failures.js";
import type { McpServer, StartMcpServer } from "./mcp/server.js";
import { McpServers } from "./mcp/servers.js";
import { McpStatus } from "./mcp/status.js";
import { FLAGS_MAX } from "./store/archive.js";
import type { Store } from "./store/store.js";
import type { ThreadStats } from "./store/thread-stats.js";
import { type ApprovalRule, isDenied } from "./threads/approvals.js";
import { readAttachments } from "./threads/attachments.js";
import { builtInCommand, expandPrompt, runCommand } from "./threads/commands.js";
import { TurnRecord } from "./threads/record.js";
import type { ThreadSettings } from "./threads/settings.js";
import { type Command, commandOf, namesFile } from "./threads/slash-command.js";
import { Activity, type Steering, steeringPrompt } from "./threads/steering.js";
import {
	type EndReason,
	type Entry,
	type Flag,
	forkTitle,
	type Permission,
	type PromptPart,
	type Thread,
	threadTitle,
} from "./threads/thread.js";
import { type ThreadState, ThreadStates } from "./threads/thread-state.js";
import { runModelTurn } from "./threads/turn.js";
import type { ChatModels, ThreadContext, ThreadOptions, TurnContext, TurnOptions } from "./threads/turn-context.js";
import { type UndoResult, undo } from "./threads/undo.js";
import type { Tool } from "./tools/tool.js";
import { toolsFor } from "./tools/tools.js";
import { Jobs } from "./workspace/jobs.js";
import { RestrictedView } from "./workspace/restricted-view.js";
import type { WorkspacePrivacy } from "./workspace/workspace.js";

/** Enough for a launcher that has to download an MCP server. */
const MCP_START_MS = 30_000;
/** The number of recent threads whose titles a fork's title must differ from. Lists don't show more threads. */
const FORK_TITLES_MAX = 500;
/** The number of a thread's first entry. */
const FIRST = 1;

export interface AssistOptions {
	/** Closed by the caller. */
	readonly store: Store;
	readonly models: ChatModels;
	readonly privacyOf: (folders: readonly string[]) => WorkspacePrivacy;
	readonly mcpServers: readonly McpServer[];
	/** Starts MCP servers, by default as child processes. */
	readonly startMcpServer?: StartMcpServer;
	readonly rules: readonly ApprovalRule[];
	/** Environment variables that contain keys, in addition to those recognized by name. Commands don't get them. */
	readonly secretVariables: readonly string[];
	/** Whether to offer the model a tool that fetches web pages. */
	readonly network: boolean;
	/** Another agent that answers instead of the models. */
	readonly agent?: OtherAgentOptions | undefined;
	readonly now: () => Date;
	readonly newId: () => string;
}

/** The parts of a thread to roll back. */
export interface RollbackOptions {
	readonly messages: boolean;
	readonly files: boolean;
}

/** The chat engine: manages stored threads and runs turns in them. */
export class Assist {
	private readonly threadStates: ThreadStates;
	private readonly activity = new Activity();
	private readonly servers: McpServers;
	/** The configured MCP servers, for clients that list, start and stop them. */
	readonly mcp: McpStatus;
	/** Commands that run in the background. */
	readonly jobs: Jobs;
	private readonly agents: AgentProxy | undefined;
	private readonly closing = new AbortController();

	constructor(private readonly options: AssistOptions) {
		this.threadStates = new ThreadStates(options);
		this.servers = new McpServers(MCP_START_MS, options.startMcpServer);
		this.mcp = new McpStatus(this.servers, options.mcpServers);
		this.jobs = new Jobs(options.now);
		this.agents = options.agent && new AgentProxy(options.agent, options.secretVariables);
	}

	/** The agent that answers instead of the models. */
	get otherAgent(): OtherAgent | undefined {
		return this.agents;
	}

	/** Creates a thread with the client's id, or a new one. Throws `ThreadExists` if the id is taken. */
	async create(workspace: string, id?: string): Promise<Thread> {
		const { store, newId, now } = this.options;
		const thread: Thread = { id: id ?? newId(), title: "", workspace, modifiedAt: now().toISOString() };
		await store.create(thread);
		return thread;
	}

	thread(id: string): Promise<Thread | undefined> {
		return this.options.store.thread(id);
	}

	entries(id: string): Promise<Entry[]> {
		return this.options.store.entries(id);
	}

	list(query: Parameters<Store["list"]>[0]): Promise<Thread[]> {
		return this.options.store.list(query);
	}

	search(text: string, query: Parameters<Store["search"]>[1]): ReturnType<Store["search"]> {
		return this.options.store.search(text, query);
	}

	rename(id: string, title: string): Promise<void> {
		return this.options.store.rename(id, title);
	}

	/** Returns the saved settings of a thread. Clients apply them when they open it. */
	settings(id: string): Promise<ThreadSettings> {
		return this.options.store.settings(id);
	}

	/** Replaces the saved settings of a thread. */
	saveSettings(id: string, settings: ThreadSettings): Promise<void> {
		return this.options.store.saveSettings(id, settings);
	}

	async delete(id: string): Promise<void> {
		await this.release(id);
		if (this.agents !== undefined) await this.agents.delete(await this.options.store.entries(id));
		await this.options.store.delete(id);
	}

	/**
	 * Opens a thread's session with the other agent before the first prompt, for servers that show the agent's modes,
	 * settings and commands. Resolves with undefined if there is no other agent. Rejects with an `AgentFailure`.
	 */
	async agentFor(threadId: string, client: Client, options: ThreadOptions): Promise<OtherAgentSession | undefined> {
		if (this.agents === undefined) return undefined;
		const thread = await this.threadIn(threadId, options.workspace);
		return this.agents.sessionOf(this.threadContext(thread, client, options, options.signal));
	}

	/**
	 * Releases the resources of a thread that is no longer open: forgets its session answers, stops its background jobs
	 * and any MCP servers that no other thread uses, and closes the other agent's session, which is reopened when
	 * needed.
	 */
	async release(id: string): Promise<void> {
		this.threadStates.delete(id);
		this.servers.release(id);
		await Promise.all([this.jobs.release(id), this.agents?.release(id)]);
	}

	/**
	 * Sends a message to the turn that the thread is running in this process. The turn receives it before its next
	 * step. Returns false if no turn is running here.
	 */
	steer(threadId: string, text: string): boolean {
		return this.activity.steerings(threadId).some((steering) => steering.add(text));
	}

	/** Drops messages sent with `steer` that the turn has not received yet. */
	unsteer(threadId: string): void {
		for (const steering of this.activity.steerings(threadId)) steering.clear();
	}

	/**
	 * Deletes an entry and all later ones. With `files`, also undoes the file changes made since then, except in files
	 * whose content has changed since the call. Throws `ThreadBusy` while a turn is running.
	 */
	rollback(threadId: string, number: number, what: RollbackOptions): Promise<UndoResult> {
		return this.exclusively(threadId, async (thread) => {
			const { store } = this.options;
			const since = (await store.entries(threadId)).filter((entry) => entry.number >= number);
			const { workspace } = this.threadStates.of(thread);
			const undone = what.files ? await undo(since, workspace, this.closing.signal) : { restored: [], left: [] };
			if (what.messages) await this.forget(thread, number);
			return undone;
		});
	}

	/**
	 * Copies everything up to and including an entry to a new thread with a new title. Throws `ThreadBusy` while a turn
	 * is running.
	 */
	fork(threadId: string, last: number): Promise<Thread> {
		return this.exclusively(threadId, async (thread) => {
			const { store, newId, now } = this.options;
			const others = await store.list({ workspace: thread.workspace, limit: FORK_TITLES_MAX });
			const title = forkTitle(
				thread.title,
				others.map((each) => each.title),
			);
			const copy: Thread = { ...thread, id: newId(), title, modifiedAt: now().toISOString() };
			await store.copy(threadId, last + 1, copy);
			const final = (await store.entries(copy.id)).at(-1);
			// To the model, a turn without an end would look interrupted.
			if (final !== undefined && final.body.type !== "end") {
				await store.append(copy.id, final.turn, copy.modifiedAt, { type: "end", reason: "done" });
			}
			return copy;
		});
	}

	/** Deletes all entries, but not the thread. Throws `ThreadBusy` while a turn is running. */
	clear(threadId: string): Promise<void> {
		return this.exclusively(threadId, (thread) => this.forget(thread, FIRST));
	}

	/** Returns the flags in the order of their entries. */
	flags(threadId: string): Promise<readonly Flag[]> {
		return this.options.store.flags(threadId);
	}

	/** Adds a flag after an entry and its existing flags. Returns false if the thread has too many. */
	async addFlag(threadId: string, after: number, text: string): Promise<boolean> {
		const flag = { id: this.options.newId(), after, text };
		let isAdded = true;
		await this.options.store.changeFlags(threadId, (flags) => {
			isAdded = flags.length < FLAGS_MAX;
			return isAdded ? [...flags, flag] : flags;
		});
		return isAdded;
	}

	removeFlag(threadId: string, flagId: string): Promise<void> {
		return this.options.store.changeFlags(threadId, (flags) => flags.filter(({ id }) => id !== flagId));
	}

	/** Returns statistics for lists of threads. Skips missing threads. */
	stats(ids: readonly string[]): Promise<ReadonlyMap<string, ThreadStats>> {
		return this.options.store.stats(ids);
	}

	/** Returns the tools for models, except those from MCP servers. */
	toolsFor(client: Pick<Client, "editor" | "ask">): readonly Tool[] {
		return toolsFor(client, this.options);
	}

	/** Whether a rule denies a permission. For actions started by the user, which need no approval. */
	isDenied(permission: Permission): boolean {
		return isDenied(permission, this.options.rules);
	}

	/** Returns the part of a thread's workspace that a client may read without asking the user. */
	restrictedView(thread: Thread, signal: AbortSignal): RestrictedView {
		const { workspace, approvals } = this.threadStates.of(thread);
		return new RestrictedView(workspace, approvals, signal);
	}

	exportThread(id: string): Promise<unknown> {
		return this.options.store.exportThread(id);
	}

	importThread(value: unknown, workspace: string): Promise<Thread> {
		return this.options.store.importThread(value, workspace);
	}

	/**
	 * Runs a turn. A prompt that starts with a slash and a word is a command, unless the word is a path. Errors from
	 * models and tools become entries and determine the returned reason; rejects only if the store fails, for example
	 * on a full disk.
	 */
	async prompt(
		threadId: string,
		parts: readonly PromptPart[],
		client: Client,
		options: TurnOptions,
	): Promise<EndReason> {
		return this.activity.turn(threadId, (steering) => this.runTurn(threadId, parts, client, options, steering));
	}

	/**
	 * Stores a prompt without an answer, for a client that disconnected before its turn started. The next turn includes
	 * the prompt.
	 */
	recordPrompt(threadId: string, parts: readonly PromptPart[]): Promise<void> {
		const { store, newId, now } = this.options;
		return this.activity.turn(threadId, async () => {
			const thread = await this.threadIn(threadId, undefined);
			const record = new TurnRecord(store, threadId, newId(), { update: () => {} }, this.closing.signal, now);
			await record.add({ type: "prompt", parts });
			await this.nameThread({ thread, parts, record });
			await record.add({ type: "end", reason: "cancelled" });
		});
	}

	/** Cancels running turns and stops jobs, MCP servers and the other agent. */
	async close(): Promise<void> {
		this.closing.abort(new Error("the engine was closed"));
		// Notifies the agent of the cancellation, but does not wait for its response.
		await Promise.all([this.activity.settled(), this.agents?.close()]);
		await Promise.all([this.servers.close(), this.jobs.close()]);
	}

	private async runTurn(
		threadId: string,
		parts: readonly PromptPart[],
		client: Client,
		options: TurnOptions,
		steering: Steering,
	): Promise<EndReason> {
		const context = await this.turnContext(threadId, parts, client, options, steering);
		const { record, signal } = context;
		let reason: EndReason = "failed";
		try {
			reason = await this.answer(context);
		} catch (error) {
			if (!signal.aborted) throw error;
			reason = "cancelled";
		} finally {
			const pending = steering.close();
			// Late messages remain for the next turn. Cancelling a turn discards them.
			if (pending.length > 0 && reason !== "cancelled") await record.add(steeringPrompt(pending, record.model));
			await record.add({ type: "end", reason });
			await record.flush();
		}
		return reason;
	}

	/** Runs a command, or sends the prompt to the model or the other agent. */
	private async answer(context: TurnContext): Promise<EndReason> {
		const { thread, parts, record, signal, client } = context;
		const command = commandOf(parts);
		const expanded = command && (await unlessCancelled(expandPrompt(command, context), signal));
		if (expanded instanceof ToolError) {
			await record.add({ type: "prompt", parts: (await readAttachments(parts, false, context)).parts });
			await record.add({ type: "notice", level: "warning", text: expanded.message });
			return "done";
		}
		if (
			command !== undefined &&
			expanded === undefined &&
			(await unlessCancelled(this.isOurs(command, thread), signal))
		) {
			await record.add({ type: "prompt", parts: (await readAttachments(parts, false, context)).parts });
			const { level, text, resumed } = await unlessCancelled(runCommand(command, context), signal);
			await record.add({ type: "notice", level, text });
			if (resumed !== undefined) client.resume?.(resumed);
			return "done";
		}
		const prompt = { ...context, parts: [...parts, ...(expanded ?? [])] };
		const begin = () => this.nameThread(prompt);
		return this.agents === undefined ? runModelTurn(prompt, begin) : delegateTurn(prompt, this.agents, begin);
	}

	/**
	 * Whether Segue itself runs a command. Another agent's commands take precedence, and commands about models are left
	 * to that agent.
	 */
	private async isOurs(command: Command, thread: Thread): Promise<boolean> {
		const known = builtInCommand(command);
		if (this.agents === undefined) return known !== undefined || !(await namesFile(command, thread.workspace));
		if (known === undefined || known.needsModel === true) return false;
		return !(await this.agents.hasCommand(thread.id, command.name));
	}

	/** Returns the stored thread, with `folder` as its workspace if given. */
	private async threadIn(id: string, folder: string | undefined): Promise<Thread> {
		const thread = await this.options.store.thread(id);
		if (thread === undefined) throw new NoSuchThread(id);
		return folder === undefined ? thread : { ...thread, workspace: folder };
	}

	private threadContext(
		thread: Thread,
		client: Client,
		options: ThreadOptions,
		signal: AbortSignal,
	): ThreadContext & { readonly state: ThreadState } {
		const state = this.threadStates.of(thread, options.folders ?? []);
		const { folders, workspace, approvals, estimator } = state;
		const { store } = this.options;
		const mcpServers = [...this.mcp.offered, ...(options.mcpServers ?? [])];
		return { thread, client, state, folders, workspace, approvals, estimator, store, mcpServers, signal };
	}

	private async turnContext(
		threadId: string,
		parts: readonly PromptPart[],
		client: Client,
		options: TurnOptions,
		steering: Steering,
	): Promise<TurnContext> {
		const { store, models, agent, newId, now } = this.options;
		const thread = await this.threadIn(threadId, options.workspace);
		const signal = AbortSignal.any([options.signal, this.closing.signal]);
		const id = newId();
		const notified = this.agents === undefined ? client : withoutRelayed(client);
		const { state, ...threadContext } = this.threadContext(thread, client, options, signal);
		state.workspace.refreshIgnored();
		return {
			...threadContext,
			...{ id, parts, steering, models, newId, now },
			modelName: options.model ?? state.model,
			mode: options.mode ?? "edit",
			effort: options.effort,
			verbatim: options.verbatim,
			instruct: options.instruct,
			tools: this.toolsFor(client),
			record: new TurnRecord(store, thread.id, id, notified, signal, now),
			jobs: this.jobs.of(thread.id),
			agentName: agent?.command.name,
			mcp: this.mcp,
			runningServers: this.servers,
			chooseModel: (name) => {
				state.model = name;
				client.modelChosen?.(name);
			},
		};
	}

	/** Sets the title of a thread from its first prompt. */
	private async nameThread({ thread, parts, record }: Pick<TurnContext, "thread" | "parts" | "record">): Promise<void> {
		if (thread.title !== "") return;
		await this.options.store.rename(thread.id, threadTitle(parts));
		const named = await this.options.store.thread(thread.id);
		if (named !== undefined) record.send({ type: "thread", thread: named });
	}

	/** Runs a job that excludes turns in the thread. */
	private exclusively<T>(threadId: string, job: (thread: Thread) => Promise<T>): Promise<T> {
		return this.activity.exclusive(threadId, async () => job(await this.threadIn(threadId, undefined)));
	}

	/**
	 * Deletes entries. Another agent cannot forget them, so its session is closed, and its next session starts with the
	 * remaining entries.
	 */
	private async forget(thread: Thread, from: number): Promise<void> {
		await this.agents?.release(thread.id);
		await this.options.store.forget(thread.id, from);
		this.threadStates.forgetRead(thread);
	}
}

/** Creates a pool of agent processes for engines that share the process limit and the user's sign-ins. */
export function agentProcesses(): AgentProcesses {
	return new ProcessPool();
}
