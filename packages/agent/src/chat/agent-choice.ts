import { type AgentCommand, agentCommandOf } from "@segue/assist";
import type { Configuration } from "../config/configuration.js";
import { UserError } from "../config/user-error.js";
import { knownAgent } from "./known-agents.js";

/**
 * Finds an agent by name in the configuration or among the known agents. Anything else is treated as a command line.
 */
export function chooseAgent(nameOrCommand: string, { agents }: Pick<Configuration, "agents">): AgentCommand {
	const configured = agents.find(({ value }) => value.name === nameOrCommand)?.value;
	if (configured !== undefined) return configured;
	const known = knownAgent(nameOrCommand);
	if (known !== undefined) return known;
	try {
		return agentCommandOf(nameOrCommand);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw new UserError(
			`${error.message} Give the name of an agent, for example --agent gemini, or a command line. To list agents, run: segue agents`,
		);
	}
}
