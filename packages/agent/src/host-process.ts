import type { StartAgent } from "@segue/assist";

/** The parts of the host process that the agent uses. Tests pass an in-memory implementation. */
export interface HostProcess {
	readonly env: NodeJS.ProcessEnv;
	cwd(): string;
	/** Replaces the child processes in which other agents run by default. */
	readonly startAgent?: StartAgent | undefined;
}
