import type { McpServer as AcpMcpServer, NewSession } from "@segue/protocol/acp";
import { unlessCancelled } from "../cancel.js";
import type { McpServer } from "../mcp.js";
import type { TurnRecord } from "../record.js";
import type { EndReason, Entry, PromptPart, Thread } from "../thread.js";
import { type After, Agent } from "./agent.js";
import type { AgentCommand } from "./command-line.js";
import { failureOf } from "./failure.js";
import { blocksOf } from "./prompt.js";
import { AgentSession, type Desk } from "./session.js";
import { sessionBefore, summaryFor } from "./summary.js";
import type { AgentTurn } from "./turn.js";

/** Folders that somebody works in at once. Each has a process, and the one that was used longest ago ends for another. */
const PROCESSES_MAX = 8;

export interface AgentOptions {
	readonly command: AgentCommand;
	/** Told what has no place in a thread: for the log. */
	readonly report: (line: string) => void;
	/** Runs something later; returns how to call it off. */
	readonly after?: After;
}

/** Where a thread's session is to be, and for whom. */
export interface Opening {
	readonly thread: Thread;
	readonly folders: readonly string[];
	readonly mcpServers: readonly McpServer[];
	readonly desk: Desk;
	readonly entries: () => Promise<readonly Entry[]>;
	readonly signal: AbortSignal;
}

/** A prompt that an agent is to answer. */
export interface Asked {
	readonly parts: readonly PromptPart[];
	/** The thread's entries before this turn. */
	readonly before: readonly Entry[];
	readonly record: TurnRecord;
	readonly turnIn: (session: AgentSession) => AgentTurn;
}

/** Another agent as a back end: a process for each folder, and a session in it for each thread. */
export class Agents {
	/** By folder, the one that was used last at the end. */
	private readonly processes = new Map<string, Promise<Agent>>();
	/** By thread. */
	private readonly sessions = new Map<string, Promise<Opened>>();
	private readonly closing = new AbortController();

	constructor(
		private readonly options: AgentOptions,
		/** Environment variables that hold keys, besides those whose names say so: no command gets them, and no text. */
		private readonly secretVariables: readonly string[],
	) {}

	get name(): string {
		return this.options.command.name;
	}

	/** The session of a thread, opened where it is not. Throws an `AgentFailure`. */
	async sessionOf(opening: Opening): Promise<AgentSession> {
		return (await this.opened(opening)).session;
	}

	/** Whether the agent has a command of that name for a thread. */
	async hasCommand(threadId: string, name: string): Promise<boolean> {
		const opened = await this.sessions.get(threadId)?.catch(() => undefined);
		return opened?.session.commands.some((each) => each.name === name) ?? false;
	}

	/** Has the agent answer a prompt that is in the record already. Throws what the store threw, and bugs. */
	async answer(opening: Opening, { parts, before, record, turnIn }: Asked): Promise<EndReason> {
		const { signal } = opening;
		let turn: AgentTurn | undefined;
		try {
			const opened = await this.opened(opening);
			const { session } = opened;
			turn = turnIn(session);
			if (!session.isRecorded) {
				await record.add({ type: "agent", agent: this.name, session: session.id });
				session.isRecorded = true;
			}
			const { blocks, notices } = blocksOf(parts, this.name, session.agent.capabilities);
			for (const text of [...opened.leftOut.splice(0), ...notices])
				await record.add({ type: "notice", level: "warning", text });
			const summary = summaryFor(before, this.name, opened.remembers);
			opened.remembers = true;
			const lead = summary === undefined ? [] : [{ type: "text" as const, text: summary }];
			const reason = END_REASONS[await session.prompt(turn, [...lead, ...blocks])] ?? "done";
			return signal.aborted ? "cancelled" : reason;
		} catch (error) {
			if (signal.aborted) return "cancelled";
			const { message } = failureOf({ command: this.options.command, secretVariables: this.secretVariables }, error);
			await record.add({ type: "notice", level: "error", text: message });
			return "failed";
		} finally {
			await turn?.end(signal.aborted ? "Cancelled." : "The turn ended before this was done.");
		}
	}

	/** Nobody works on the thread for now. */
	async release(threadId: string): Promise<void> {
		const opened = this.sessions.get(threadId);
		this.sessions.delete(threadId);
		await opened?.then(({ session }) => session.close()).catch(() => {}); // one that never opened is closed
	}

	/** Ends the processes, with everything that they started. */
	async close(): Promise<void> {
		this.closing.abort();
		await Promise.allSettled([...this.processes.values()].map(async (agent) => (await agent).connection.closed));
	}

	private async opened(opening: Opening): Promise<Opened> {
		const { thread, desk, signal } = opening;
		const before = this.sessions.get(thread.id);
		const known = before && (await unlessCancelled(before, signal));
		if (known?.session.isOpen === true) {
			known.session.desk = desk;
			return known;
		}
		const now = this.sessions.get(thread.id);
		const opened = await unlessCancelled(now === undefined || now === before ? this.begin(opening) : now, signal);
		if (known !== undefined) tellSettings(opened.session);
		return opened;
	}

	private begin(opening: Opening): Promise<Opened> {
		const { id } = opening.thread;
		const opened = this.open(opening);
		this.sessions.set(id, opened);
		opened.catch(() => {
			if (this.sessions.get(id) === opened) this.sessions.delete(id);
		});
		return opened;
	}

	private async open({ thread, folders, mcpServers, desk, entries }: Opening): Promise<Opened> {
		const agent = await this.processFor(thread.workspace, desk);
		const session = new AgentSession(agent, desk);
		const { mcpCapabilities, sessionCapabilities } = agent.capabilities;
		const isReached = (server: McpServer) => server.type === "stdio" || mcpCapabilities?.http === true;
		const takesFolders = sessionCapabilities?.additionalDirectories != null;
		const leftOut = mcpServers
			.filter((server) => !isReached(server))
			.map(
				(server) =>
					`${this.name} was not told of the MCP server ${server.name}: it takes only those that are programs.`,
			);
		if (!takesFolders && folders.length > 0)
			leftOut.push(`${this.name} was not told of ${folders.join(", ")}: it takes one folder.`);
		const place: NewSession = {
			cwd: thread.workspace,
			mcpServers: mcpServers.filter(isReached).map(serverFor),
			...(takesFolders && { additionalDirectories: [...folders] }),
		};
		const before = sessionBefore(await entries(), this.name);
		const remembers = await agent.open(session, place, before);
		session.isRecorded = remembers;
		return { session, remembers, leftOut };
	}

	private async processFor(folder: string, desk: Desk): Promise<Agent> {
		const known = this.processes.get(folder);
		if (known === undefined) return this.start(folder, desk);
		const agent = await known;
		const isSame = this.processes.get(folder) === known;
		if (isSame) this.processes.delete(folder);
		// Somebody else may have started another one meanwhile.
		if (agent.isOver) return this.processFor(folder, desk);
		if (isSame) this.processes.set(folder, known);
		return agent;
	}

	private start(folder: string, { client }: Desk): Promise<Agent> {
		const { command, report, after = startTimer } = this.options;
		const { signal } = this.closing;
		const capabilities = client.relay?.capabilities;
		const started = Agent.start({
			command,
			folder,
			capabilities,
			after,
			report,
			secretVariables: this.secretVariables,
			signal,
		});
		this.processes.set(folder, started);
		started.catch(() => {
			if (this.processes.get(folder) === started) this.processes.delete(folder);
		});
		const [oldest] = this.processes;
		if (this.processes.size > PROCESSES_MAX && oldest !== undefined) {
			this.processes.delete(oldest[0]);
			oldest[1].then((agent) => agent.retire()).catch(() => {}); // it has failed to start, and is over
		}
		return started;
	}
}

/** A session that was opened anew, because the agent had ended, has forgotten what was set in it. */
function tellSettings({ modes, configOptions, desk }: AgentSession): void {
	const { relay } = desk.client;
	if (modes !== undefined) relay?.update({ sessionUpdate: "current_mode_update", currentModeId: modes.currentModeId });
	if (configOptions !== undefined) relay?.update({ sessionUpdate: "config_option_update", configOptions });
}

/** A session that is open. */
interface Opened {
	readonly session: AgentSession;
	/** Whether the agent knows what was said in the thread, up to the last turn that it took. */
	remembers: boolean;
	/** What the agent cannot use, for the person. Empty once it was told. */
	readonly leftOut: string[];
}

const END_REASONS: Readonly<Record<string, EndReason>> = {
	end_turn: "done",
	max_tokens: "length",
	max_turn_requests: "steps",
	refusal: "refused",
	cancelled: "cancelled",
};

function serverFor(server: McpServer): AcpMcpServer {
	const { name } = server;
	if (server.type === "http") return { type: "http", name, url: server.url, headers: listOf(server.headers) };
	return { name, command: server.command, args: [...server.args], env: listOf(server.env) };
}

function listOf(pairs: Readonly<Record<string, string>>): { name: string; value: string }[] {
	return Object.entries(pairs).map(([name, value]) => ({ name, value }));
}

/** Does not keep this process alive: its end ends the agents, too. */
function startTimer(delayMs: number, run: () => void): () => void {
	const timer = setTimeout(run, delayMs).unref();
	return () => clearTimeout(timer);
}
