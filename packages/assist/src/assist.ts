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

/** A launcher that has to download an MCP server first takes about this long; nobody waits longer. */
const MCP_START_MS = 30_000;
/** Threads whose titles a fork's title has to differ from. Lists show no more. */
const FORK_TITLES_MAX = 500;
/** The number of a thread's first entry. */
const FIRST = 1;

export interface AssistOptions {
	/** Closed by whoever opened it. */
	readonly store: Store;
	readonly models: ChatModels;
	readonly privacyOf: (folders: readonly string[]) => WorkspacePrivacy;
	readonly mcpServers: readonly McpServer[];
	/** Replaces the child processes that MCP servers are by default. */
	readonly startMcpServer?: StartMcpServer;
	readonly rules: readonly ApprovalRule[];
	/** Environment variables that hold keys, besides those whose names say so: no command gets them. */
	readonly secretVariables: readonly string[];
	/** Whether the model is offered to fetch from the network. */
	readonly network: boolean;
	/** Another agent, which answers instead of the models. */
	readonly agent?: OtherAgentOptions | undefined;
	readonly now: () => Date;
	readonly newId: () => string;
}

/** What of a thread is to be as it was. */
export interface RollbackOptions {
	readonly messages: boolean;
	readonly files: boolean;
}

/** The chat engine: threads that are kept, and turns in them. */
export class Assist {
	private readonly threadStates: ThreadStates;
	private readonly activity = new Activity();
	private readonly servers: McpServers;
	/** The configured MCP servers, to be shown, started and stopped. */
	readonly mcp: McpStatus;
	/** The commands that run in the background of threads. */
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

	/** The id is one that a client made, or a new one. Throws `ThreadExists` where it is taken. */
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

	/** What was chosen for a thread. Whoever opens it takes its turns so, until something else is chosen. */
	settings(id: string): Promise<ThreadSettings> {
		return this.options.store.settings(id);
	}

	/** Keeps what is chosen for a thread from now on, in the place of what was chosen before. */
	saveSettings(id: string, settings: ThreadSettings): Promise<void> {
		return this.options.store.saveSettings(id, settings);
	}

	async delete(id: string): Promise<void> {
		await this.release(id);
		if (this.agents !== undefined) await this.agents.delete(await this.options.store.entries(id));
		await this.options.store.delete(id);
	}

	/**
	 * A thread's session with the other agent, opened ahead of a prompt, so that a server can offer its modes, settings and
	 * commands; undefined if there is no other agent. Rejects with an `AgentFailure`.
	 */
	async agentFor(threadId: string, client: Client, options: ThreadOptions): Promise<OtherAgentSession | undefined> {
		if (this.agents === undefined) return undefined;
		const thread = await this.threadIn(threadId, options.workspace);
		return this.agents.sessionOf(this.threadContext(thread, client, options, options.signal));
	}

	/**
	 * Nobody works on a thread for now: what was allowed for the session is forgotten, its background jobs and MCP servers that no
	 * other thread uses end, and what another agent keeps for it is let go, and opened again when it is needed.
	 */
	async release(id: string): Promise<void> {
		this.threadStates.delete(id);
		this.servers.release(id);
		await Promise.all([this.jobs.release(id), this.agents?.release(id)]);
	}

	/** Says something to the turn that is under way in this process, which hears it before its next step. False where none is. */
	steer(threadId: string, text: string): boolean {
		return this.activity.steerings(threadId).some((steering) => steering.add(text));
	}

	/** Takes back what was said so and not heard yet. */
	unsteer(threadId: string): void {
		for (const steering of this.activity.steerings(threadId)) steering.clear();
	}

	/**
	 * Forgets what was said and done from an entry on. With files, changes that were made since are undone where the file is
	 * still as it was left. Throws `ThreadBusy` while a turn is under way.
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
	 * Copies everything up to and including an entry into a new thread with a title of its own. Throws `ThreadBusy` while a turn
	 * is under way.
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
			// The model would be told that a turn without an end was cut off.
			if (final !== undefined && final.body.type !== "end") {
				await store.append(copy.id, final.turn, copy.modifiedAt, { type: "end", reason: "done" });
			}
			return copy;
		});
	}

	/** Forgets all entries; the thread stays. Throws `ThreadBusy` while a turn is under way. */
	clear(threadId: string): Promise<void> {
		return this.exclusively(threadId, (thread) => this.forget(thread, FIRST));
	}

	/** In the order of the thread. */
	flags(threadId: string): Promise<readonly Flag[]> {
		return this.options.store.flags(threadId);
	}

	/** Puts a flag behind an entry, behind those that are there. Returns false if the thread has too many. */
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

	/** What lists show of threads besides the title. Threads that are not there have none. */
	stats(ids: readonly string[]): Promise<ReadonlyMap<string, ThreadStats>> {
		return this.options.store.stats(ids);
	}

	/** What a model is offered without MCP servers. */
	toolsFor(client: Pick<Client, "editor" | "ask">): readonly Tool[] {
		return toolsFor(client, this.options);
	}

	/** Whether a rule forbids it, for what a person asks for by themselves and nobody is asked about. */
	isDenied(permission: Permission): boolean {
		return isDenied(permission, this.options.rules);
	}

	/** What somebody who asks for files by themselves may see of the folder that a thread is about. */
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
	 * Takes a turn. Never rejects for what a model, a tool or a person does: that becomes entries, and the reason. It rejects
	 * when the store does, as on a full disk. A slash and one word, unless that names a file, is a command.
	 */
	async prompt(
		threadId: string,
		parts: readonly PromptPart[],
		client: Client,
		options: TurnOptions,
	): Promise<EndReason> {
		return this.activity.turn(threadId, (steering) => this.runTurn(threadId, parts, client, options, steering));
	}

	/** Keeps what a person said and nobody is to answer, because they left in the middle of it. The next turn knows of it. */
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

	/** Cancels what runs, and ends the MCP servers and the other agent. */
	async close(): Promise<void> {
		this.closing.abort(new Error("the engine was closed"));
		// The agent was told that its turns are cancelled; what it makes of that nobody waits for.
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
			const unheard = steering.close();
			// What was said too late stays for the next turn; but who stops a turn takes back what they said to it.
			if (unheard.length > 0 && reason !== "cancelled") await record.add(steeringPrompt(unheard, record.model));
			await record.add({ type: "end", reason });
			await record.flush();
		}
		return reason;
	}

	/** Runs a command, or has the model or the other agent answer. */
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
		const asked = { ...context, parts: [...parts, ...(expanded ?? [])] };
		const begin = () => this.nameThread(asked);
		return this.agents === undefined ? runModelTurn(asked, begin) : delegateTurn(asked, this.agents, begin);
	}

	/** With another agent, its commands come first, and those about models are its own. */
	private async isOurs(command: Command, thread: Thread): Promise<boolean> {
		const known = builtInCommand(command);
		if (this.agents === undefined) return known !== undefined || !(await namesFile(command, thread.workspace));
		if (known === undefined || known.needsModel === true) return false;
		return !(await this.agents.hasCommand(thread.id, command.name));
	}

	/** A thread as it is worked on: in a folder. */
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

	/** A thread is called after its first prompt. */
	private async nameThread({ thread, parts, record }: Pick<TurnContext, "thread" | "parts" | "record">): Promise<void> {
		if (thread.title !== "") return;
		await this.options.store.rename(thread.id, threadTitle(parts));
		const named = await this.options.store.thread(thread.id);
		if (named !== undefined) record.send({ type: "thread", thread: named });
	}

	/** Does something to a thread that no turn may go on beside. */
	private exclusively<T>(threadId: string, job: (thread: Thread) => Promise<T>): Promise<T> {
		return this.activity.exclusive(threadId, async () => job(await this.threadIn(threadId, undefined)));
	}

	/** Another agent cannot forget, so its session ends, and the next one begins with what is left. */
	private async forget(thread: Thread, from: number): Promise<void> {
		await this.agents?.release(thread.id);
		await this.options.store.forget(thread.id, from);
		this.threadStates.forgetRead(thread);
	}
}

/** Creates a pool of agent processes for engines that share a limit on processes and the user's sign-ins. */
export function agentProcesses(): AgentProcesses {
	return new ProcessPool();
}
