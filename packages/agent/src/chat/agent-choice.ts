import { type AgentCommand, agentCommandOf } from "@segue/assist";
import type { Configuration } from "../config/configuration.js";
import { UserError } from "../config/user-error.js";
import { knownAgent } from "./known-agents.js";

/** The agent that somebody named: one of the configuration, one that is known, or else a command line. */
export function chooseAgent(said: string, { agents }: Pick<Configuration, "agents">): AgentCommand {
	const configured = agents.find(({ value }) => value.name === said)?.value;
	if (configured !== undefined) return configured;
	const known = knownAgent(said);
	if (known !== undefined) return known;
	try {
		return agentCommandOf(said);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw new UserError(
			`${error.message} Name an agent, as --agent gemini, or its command line. segue agents lists them.`,
		);
	}
}
