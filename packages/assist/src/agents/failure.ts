import * as acp from "@segue/protocol/acp";
import { ConnectionError, PeerError } from "@segue/rpc";
import { AgentFailure } from "../failures.js";
import { maskSecretVariables } from "../workspace/environment.js";
import type { AgentCommand } from "./command-line.js";

/** Of what an agent says of its failure: some lines. */
const WORDS_CHARS_MAX = 2_000;

/** The agent that failed, and the environment variables whose values nobody may read in what it says. */
interface Origin {
	readonly command: AgentCommand;
	readonly secretVariables: readonly string[];
}

/** What a person is told of an error that an agent or its connection came up with. */
export function failureOf({ command: { name }, secretVariables }: Origin, error: unknown): AgentFailure {
	if (error instanceof AgentFailure) return error;
	if (error instanceof PeerError) {
		return new AgentFailure(`${name} answered with an error: ${sanitizeAgentText(saidBy(error), secretVariables)}`);
	}
	if (error instanceof ConnectionError && error.kind === "closed") {
		const why = error.message.replace(/^.* has no answer: /, "");
		return new AgentFailure(
			`${name} ended before it was done: ${sanitizeAgentText(why, secretVariables)}. The next prompt starts it again.`,
		);
	}
	if (error instanceof ConnectionError) return new AgentFailure(`${name} cannot be understood: ${error.message}.`);
	throw error;
}

export function signInFailure(
	{ command: { name, command } }: Origin,
	methods: readonly acp.AuthMethod[],
): AgentFailure {
	const ways = methods.map(({ name: way, description }) => (description ? `${way} (${description})` : way));
	const offered = ways.length === 0 ? "" : ` It offers: ${ways.join("; ").slice(0, WORDS_CHARS_MAX)}.`;
	return new AgentFailure(
		`${name} wants you to sign in first.${offered} Run ${command} in a terminal, sign in there, and then try again here.`,
		true,
	);
}

export function isSignInWanted(error: unknown): boolean {
	return error instanceof PeerError && error.code === acp.ErrorCode.authRequired;
}

/** Agents put what happened into the message, into its data, or into both. */
function saidBy({ message, data }: PeerError): string {
	const details = typeof data === "string" ? data : (data as { details?: unknown } | null | undefined)?.details;
	return typeof details === "string" && details !== message ? `${message} (${details})` : message;
}

/** What others wrote, for a thread: without keys and not too long. The end of it says what happened last. */
export function sanitizeAgentText(words: string, secretVariables: readonly string[]): string {
	return maskSecretVariables(words, process.env, secretVariables).slice(-WORDS_CHARS_MAX).trim().replace(/\.$/, "");
}
