import type * as acp from "@segue/protocol/acp";
import type { ParamsOf, ResultOf } from "@segue/rpc";
import { unlessCancelled } from "@segue/text";
import type { AgentDescription, VerbatimAgent, VerbatimPrompt } from "../acp.js";
import { AgentFailure } from "../failures.js";
import type { McpServer } from "../mcp/server.js";
import type { EndReason, Entry, PromptPart } from "../threads/thread.js";
import type { ThreadContext, TurnContext } from "../threads/turn-context.js";
import type { AgentProcess } from "./agent-process.js";
import type { AgentTurn } from "./agent-turn.js";
import { recallDescription, storeDescription } from "./description.js";
import { failureOf } from "./failure.js";
import type { AgentSignInMethod, OtherAgentOptions } from "./other-agent.js";
import { ProcessPool } from "./process-pool.js";
import { blocksOf, verbatimBlocksOf } from "./prompt.js";
import { AgentSession, relayOf } from "./session.js";
import { costSoFar, sessionBefore, sessionsOf, summaryFor } from "./summary.js";

/** A prompt for an agent. */
export interface AgentPrompt {
	readonly parts: readonly PromptPart[];
	/** The thread's entries before this turn. */
	readonly before: readonly Entry[];
	/** The same prompt exactly as sent by a client that speaks ACP. */
	readonly verbatim: VerbatimPrompt | undefined;
	/** Called with the session before the prompt is sent. */
	readonly instruct: TurnContext["instruct"];
	readonly turnIn: (session: AgentSession) => AgentTurn;
}

/** Runs another agent as a backend, with a process for each folder and a session for each thread. */
export class AgentProxy implements VerbatimAgent {
	readonly protocol = "acp";
	/** Sessions by thread. */
	private readonly sessions = new Map<string, Promise<Opened>>();
	/** The sessions that are still being opened. */
	private readonly opening = new Set<Promise<Opened>>();
	private readonly processes: ProcessPool;

	constructor(
		private readonly options: OtherAgentOptions,
		/**
		 * Environment variables that contain keys, in addition to those recognized by name. Commands don't get them, and
		 * their values are masked in text.
		 */
		private readonly secretVariables: readonly string[],
	) {
		const { processes = new ProcessPool() } = options;
		if (!(processes instanceof ProcessPool)) throw new TypeError("processes must be created by agentProcesses()");
		this.processes = processes;
	}

	get name(): string {
		return this.options.command.name;
	}

	async signInMethods(folder: string): Promise<AgentSignInMethod[]> {
		const { authMethods } = await this.introduce(folder, {});
		return authMethods.flatMap(({ id, name, type }) => (type == null || type === "agent" ? [{ id, name }] : []));
	}

	async signIn(methodId: string): Promise<void> {
		await this.authenticate({ methodId });
	}

	async signOut(): Promise<void> {
		await this.logout({});
	}

	async introduce(folder: string, client: acp.ClientCapabilities): Promise<AgentDescription> {
		const { command, memory } = this.options;
		const agent = await this.processIn(folder, client);
		if (memory !== undefined) storeDescription(memory, command, client, agent, this.secretVariables);
		return agent;
	}

	lastDescription(client: acp.ClientCapabilities): AgentDescription | undefined {
		const { command, memory } = this.options;
		return memory && recallDescription(memory, command, client);
	}

	async authenticate(params: ParamsOf<typeof acp.authenticate>): Promise<ResultOf<typeof acp.authenticate>> {
		const answer = await this.ofAll((agent) => agent.authenticate(params));
		this.processes.rememberSignIn(this.options.command, params.methodId);
		return answer;
	}

	async logout(params: ParamsOf<typeof acp.logout>): Promise<ResultOf<typeof acp.logout>> {
		this.processes.rememberSignIn(this.options.command, undefined);
		return this.ofAll((agent) => agent.logout(params));
	}

	/** Returns the session of a thread, opening it if needed. Throws an `AgentFailure`. */
	async sessionOf(context: ThreadContext): Promise<AgentSession> {
		return (await this.opened(context)).session;
	}

	/** Whether the agent offers a command with this name in a thread. */
	async hasCommand(threadId: string, name: string): Promise<boolean> {
		const opened = await this.sessions.get(threadId)?.catch(() => undefined);
		return opened?.session.commands.some((each) => each.name === name) ?? false;
	}

	/** Sends the agent a prompt that is already in the record. Throws only if the store fails or there is a bug. */
	async answer(context: TurnContext, { parts, before, verbatim, instruct, turnIn }: AgentPrompt): Promise<EndReason> {
		const { record, signal } = context;
		let turn: AgentTurn | undefined;
		try {
			const opened = await this.opened(context);
			const { session } = opened;
			await instruct?.(session);
			turn = turnIn(session);
			if (!session.isRecorded) {
				await record.add({ type: "agent", agent: this.name, session: session.id });
				session.isRecorded = true;
			}
			const { capabilities } = session.agent;
			const { blocks, notices } =
				verbatim === undefined
					? blocksOf(parts, this.name, capabilities)
					: { blocks: verbatimBlocksOf(verbatim.request.prompt, capabilities), notices: [] };
			for (const text of [...opened.notices.splice(0), ...notices])
				await record.add({ type: "notice", level: "warning", text });
			const summary = summaryFor(before, this.name, opened.remembers);
			opened.remembers = true;
			const lead = summary === undefined ? [] : [{ type: "text" as const, text: summary }];
			const answer = await session.prompt(turn, { ...verbatim?.request, prompt: [...lead, ...blocks] });
			verbatim?.onResponse(answer);
			if (signal.aborted) return "cancelled";
			const reason = END_REASONS[answer.stopReason] ?? "done";
			const why = UNFINISHED[reason];
			// A client that speaks ACP gets the stop reason from the agent.
			if (why !== undefined && verbatim === undefined) {
				await turn.settle();
				await record.add({ type: "notice", level: "warning", text: `${this.name} ${why}` });
			}
			return reason;
		} catch (error) {
			if (signal.aborted) return "cancelled";
			const failure = failureOf({ command: this.options.command, secretVariables: this.secretVariables }, error);
			verbatim?.onFailure(failure);
			await record.add({ type: "notice", level: "error", text: failure.message });
			return "failed";
		} finally {
			await turn?.end(signal.aborted ? "Cancelled." : "The turn ended before this was done.");
		}
	}

	/** Closes the session of a thread, which can be reopened later. */
	async release(threadId: string): Promise<void> {
		const opened = this.sessions.get(threadId);
		this.sessions.delete(threadId);
		// Ignore errors: a session that failed to open does not need to be closed.
		const closed = opened?.then(({ session }) => session.close()).catch(() => {});
		// Don't wait for an agent that is still starting.
		if (opened !== undefined && !this.opening.has(opened)) await closed;
	}

	/**
	 * Deletes the agent's sessions for a deleted thread, if the agent is running and supports that. Does not wait for the
	 * agent's response.
	 */
	async delete(entries: readonly Entry[]): Promise<void> {
		const sessions = new Set(sessionsOf(entries, this.name));
		const [agent] = sessions.size === 0 ? [] : await this.processes.running(this.options.command);
		for (const session of sessions) agent?.delete(session);
	}

	/** Ends the processes and their children. */
	async close(): Promise<void> {
		if (this.options.processes === undefined) await this.processes.close();
	}

	/** Sends a request to all of the agent's processes, and resolves with the response from the first. */
	private async ofAll<T>(request: (agent: AgentProcess) => Promise<T>): Promise<T> {
		const [first, ...others] = await this.processes.running(this.options.command);
		if (first === undefined) throw new AgentFailure(`${this.name} is not running. Start a new session to see why.`);
		const answers = await Promise.all([request(first), ...others.map(request)]);
		return answers[0] as T;
	}

	private async opened(context: ThreadContext): Promise<Opened> {
		const { thread, signal } = context;
		const before = this.sessions.get(thread.id);
		const known = before && (await unlessCancelled(before, signal));
		if (known?.session.isOpen === true) {
			known.session.context = context;
			return known;
		}
		const now = this.sessions.get(thread.id);
		const opened = await unlessCancelled(now === undefined || now === before ? this.begin(context) : now, signal);
		if (known !== undefined) reportSettings(opened.session);
		return opened;
	}

	private begin(context: ThreadContext): Promise<Opened> {
		const { id } = context.thread;
		const opened = this.open(context);
		this.sessions.set(id, opened);
		this.opening.add(opened);
		opened
			.catch(() => {
				if (this.sessions.get(id) === opened) this.sessions.delete(id);
			})
			.finally(() => this.opening.delete(opened));
		return opened;
	}

	private async open(context: ThreadContext): Promise<Opened> {
		const { thread, mcpServers, client, store } = context;
		const [, ...folders] = context.folders;
		const agent = await this.processIn(thread.workspace, relayOf(client)?.capabilities);
		const session = new AgentSession(agent, context);
		const { mcpCapabilities, sessionCapabilities } = agent.capabilities;
		const isReached = (server: McpServer) => server.type === "stdio" || mcpCapabilities?.http === true;
		const takesFolders = sessionCapabilities?.additionalDirectories != null;
		const notices = mcpServers
			.filter((server) => !isReached(server))
			.map((server) => `${this.name} cannot use the MCP server ${server.name}: it does not support HTTP servers.`);
		if (!takesFolders && folders.length > 0)
			notices.push(`${this.name} cannot use ${folders.join(", ")}: it supports only one folder.`);
		const params: acp.NewSession = {
			cwd: thread.workspace,
			mcpServers: mcpServers.filter(isReached).map(serverFor),
			...(takesFolders && { additionalDirectories: [...folders] }),
		};
		const known = await store.entries(thread.id);
		const before = sessionBefore(known, this.name);
		const remembers = await agent.open(session, params, before);
		session.isRecorded = remembers;
		if (remembers) session.costUsd = costSoFar(known, this.name);
		return { session, remembers, notices };
	}

	private processIn(folder: string, capabilities: acp.ClientCapabilities | undefined): Promise<AgentProcess> {
		const { secretVariables } = this;
		return this.processes.of({ ...this.options, folder, capabilities, after: this.options.after, secretVariables });
	}
}

/** Reports the settings of a session that was reopened in a new process, because that process uses its defaults. */
function reportSettings({ modes, configOptions, relay }: AgentSession): void {
	if (modes !== undefined) relay?.update({ sessionUpdate: "current_mode_update", currentModeId: modes.currentModeId });
	if (configOptions !== undefined) relay?.update({ sessionUpdate: "config_option_update", configOptions });
}

/** An open session. */
interface Opened {
	readonly session: AgentSession;
	/** Whether the agent remembers the thread up to the last turn it answered. */
	remembers: boolean;
	/** Messages for the user about features that the agent cannot use. Cleared once shown. */
	readonly notices: string[];
}

const END_REASONS: Readonly<Record<string, EndReason>> = {
	end_turn: "done",
	max_tokens: "length",
	max_turn_requests: "steps",
	refusal: "refused",
	cancelled: "cancelled",
};

/** Notices for turns that ended early. The agent's name is prepended. */
const UNFINISHED: Readonly<Partial<Record<EndReason, string>>> = {
	length: 'reached its output limit. Send "continue" to keep going.',
	steps: 'stopped after its maximum number of steps. Send "continue" to keep going.',
	refused: "refused to answer.",
};

function serverFor(server: McpServer): acp.McpServer {
	const { name } = server;
	if (server.type === "http") return { type: "http", name, url: server.url, headers: listOf(server.headers) };
	return { name, command: server.command, args: [...server.args], env: listOf(server.env) };
}

function listOf(pairs: Readonly<Record<string, string>>): { name: string; value: string }[] {
	return Object.entries(pairs).map(([name, value]) => ({ name, value }));
}
