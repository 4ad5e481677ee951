import { type StartTimer, startBackgroundTimer } from "@segue/text";
import { AgentProcess, type AgentProcessOptions } from "./agent-process.js";
import type { AgentCommand } from "./command-line.js";
import type { AgentProcesses } from "./other-agent.js";

/** Folders that somebody works in at once. Each has a process, and the one that was used longest ago ends for another. */
const PROCESSES_MAX = 8;

/** A process for each agent and folder. The engines that share the pool share the processes. */
export class ProcessPool implements AgentProcesses {
	/** By command and folder, the one that was used last at the end. */
	private readonly processes = new Map<string, Process>();
	/** How somebody has signed in, by command. */
	private readonly signIns = new Map<string, string>();
	private readonly closing = new AbortController();

	/** The one of a folder, started where there is none. Throws an `AgentFailure`. */
	async of(options: PoolOptions): Promise<AgentProcess> {
		const key = keyOf(options.command, options.folder);
		const known = this.processes.get(key);
		if (known === undefined) return this.start(key, options);
		const agent = await known.agent;
		const isSame = this.processes.get(key) === known;
		if (isSame) this.processes.delete(key);
		// Somebody else may have started another one meanwhile.
		if (agent.isOver) return this.of(options);
		if (isSame) this.processes.set(key, known);
		return agent;
	}

	/** Those of a command that run. */
	async running(command: AgentCommand): Promise<AgentProcess[]> {
		const its = [...this.processes.values()].filter((each) => lineOf(each.command) === lineOf(command));
		const agents = await Promise.all(its.map(({ agent }) => agent.catch(() => undefined))); // it has failed to start
		return agents.filter((agent) => agent?.isOver === false) as AgentProcess[];
	}

	/** Those that are started from now on are signed in to in the same way, where they want that. */
	rememberSignIn(command: AgentCommand, methodId: string | undefined): void {
		if (methodId === undefined) this.signIns.delete(lineOf(command));
		else this.signIns.set(lineOf(command), methodId);
	}

	/** Ends them, with everything that they started. */
	async close(): Promise<void> {
		this.closing.abort();
		await Promise.allSettled([...this.processes.values()].map(async ({ agent }) => (await agent).connection.closed));
	}

	private start(key: string, options: PoolOptions): Promise<AgentProcess> {
		const { command, after = startBackgroundTimer } = options;
		const { signal } = this.closing;
		const signIn = () => this.signIns.get(lineOf(command));
		const agent = AgentProcess.start({ ...options, after, signal, signIn });
		const started = { command, agent };
		this.processes.set(key, started);
		agent.catch(() => {
			if (this.processes.get(key) === started) this.processes.delete(key);
		});
		const [oldest] = this.processes;
		if (this.processes.size > PROCESSES_MAX && oldest !== undefined) {
			this.processes.delete(oldest[0]);
			oldest[1].agent.then((each) => each.retire()).catch(() => {}); // it has failed to start, and is over
		}
		return agent;
	}
}

type PoolOptions = Omit<AgentProcessOptions, "signal" | "signIn" | "after"> & {
	readonly after?: StartTimer | undefined;
};

interface Process {
	readonly command: AgentCommand;
	readonly agent: Promise<AgentProcess>;
}

function keyOf(command: AgentCommand, folder: string): string {
	return JSON.stringify([lineOf(command), folder]);
}

function lineOf({ command, args }: AgentCommand): string {
	return JSON.stringify([command, ...args]);
}
