import type { StartAgent } from "@segue/assist";

/** The parts of the host process that the agent uses. Tests pass one in memory. */
export interface HostProcess {
	readonly env: NodeJS.ProcessEnv;
	cwd(): string;
	/** Replaces the child processes that run other agents by default. */
	readonly startAgent?: StartAgent | undefined;
}
