import * as acp from "@segue/protocol/acp";
import { ConnectionError, PeerError } from "@segue/rpc";
import { AgentFailure } from "../failures.js";
import { maskSecretVariables } from "../workspace/environment.js";
import type { AgentCommand } from "./command-line.js";

/** A few lines of an agent's error message. */
const TEXT_CHARS_MAX = 2_000;

/** The agent that failed, and the environment variables to mask in its messages. */
interface Origin {
	readonly command: AgentCommand;
	readonly secretVariables: readonly string[];
}

/** Converts an error from an agent or its connection to an error with a message for the user. Rethrows other errors. */
export function failureOf({ command: { name }, secretVariables }: Origin, error: unknown): AgentFailure {
	if (error instanceof AgentFailure) return error;
	if (error instanceof PeerError) {
		return new AgentFailure(`${name} returned an error: ${sanitizeAgentText(messageOf(error), secretVariables)}`);
	}
	if (error instanceof ConnectionError && error.kind === "closed") {
		const why = error.message.replace(/^.* has no answer: /, "");
		return new AgentFailure(
			`${name} ended unexpectedly: ${sanitizeAgentText(why, secretVariables)}. The next prompt starts it again.`,
		);
	}
	if (error instanceof ConnectionError) return new AgentFailure(`${name} sent an invalid message: ${error.message}.`);
	throw error;
}

export function signInFailure(
	{ command: { name, command } }: Origin,
	methods: readonly acp.AuthMethod[],
): AgentFailure {
	const labels = methods.map(({ name: label, description }) => (description ? `${label} (${description})` : label));
	const offered = labels.length === 0 ? "" : ` Sign-in methods: ${labels.join("; ").slice(0, TEXT_CHARS_MAX)}.`;
	return new AgentFailure(
		`${name} requires you to sign in.${offered} Run ${command} in a terminal, sign in there, and try again here.`,
		true,
	);
}

export function isSignInWanted(error: unknown): boolean {
	return error instanceof PeerError && error.code === acp.ErrorCode.authRequired;
}

/** Agents put details of an error in its message, its data, or both. */
function messageOf({ message, data }: PeerError): string {
	const details = typeof data === "string" ? data : (data as { details?: unknown } | null | undefined)?.details;
	return typeof details === "string" && details !== message ? `${message} (${details})` : message;
}

/** Masks keys in an agent's error text and truncates it. Keeps the end, which has the last error. */
export function sanitizeAgentText(text: string, secretVariables: readonly string[]): string {
	return maskSecretVariables(text, process.env, secretVariables).slice(-TEXT_CHARS_MAX).trim().replace(/\.$/, "");
}
