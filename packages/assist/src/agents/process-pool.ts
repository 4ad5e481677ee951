import { type StartTimer, startBackgroundTimer } from "@segue/text";
import { AgentProcess, type AgentProcessOptions } from "./agent-process.js";
import type { AgentCommand } from "./command-line.js";
import type { AgentProcesses } from "./other-agent.js";

/** More folders than a user works in at once. Beyond this, the least recently used process is retired. */
const PROCESSES_MAX = 8;

/** Runs a process for each agent and folder. Engines can share a pool. */
export class ProcessPool implements AgentProcesses {
	/** Processes by command and folder, in order of use. */
	private readonly processes = new Map<string, Process>();
	/** The last sign-in method used for each command. */
	private readonly signIns = new Map<string, string>();
	private readonly closing = new AbortController();

	/** Returns the process for a folder, starting it if needed. Throws an `AgentFailure`. */
	async of(options: PoolOptions): Promise<AgentProcess> {
		const key = keyOf(options.command, options.folder);
		const known = this.processes.get(key);
		if (known === undefined) return this.start(key, options);
		const agent = await known.agent;
		const isSame = this.processes.get(key) === known;
		if (isSame) this.processes.delete(key);
		// Another caller may have started a new process in the meantime.
		if (agent.isOver) return this.of(options);
		if (isSame) this.processes.set(key, known);
		return agent;
	}

	/** Returns the running processes for a command. */
	async running(command: AgentCommand): Promise<AgentProcess[]> {
		const known = [...this.processes.values()].filter((each) => lineOf(each.command) === lineOf(command));
		const agents = await Promise.all(known.map(({ agent }) => agent.catch(() => undefined))); // skip those that fail to start
		return agents.filter((agent) => agent?.isOver === false) as AgentProcess[];
	}

	/** Later processes for the command use the same method if they require the user to sign in. */
	rememberSignIn(command: AgentCommand, methodId: string | undefined): void {
		if (methodId === undefined) this.signIns.delete(lineOf(command));
		else this.signIns.set(lineOf(command), methodId);
	}

	/** Ends the processes and their children. */
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
			oldest[1].agent.then((each) => each.retire()).catch(() => {}); // it failed to start
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
