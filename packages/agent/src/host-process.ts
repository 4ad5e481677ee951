import type { StartAgent } from "@segue/assist";

/** What the agent uses of the process that it runs in. Tests pass one in memory. */
export interface HostProcess {
	readonly env: NodeJS.ProcessEnv;
	cwd(): string;
	/** Replaces the child processes that other ACP agents are by default. */
	readonly startAgent?: StartAgent | undefined;
}
