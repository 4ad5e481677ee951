import { createHash } from "node:crypto";
import * as acp from "@segue/protocol/acp";
import { maskKeys } from "@segue/text";
import type { AgentDescription } from "../acp.js";
import { isSecretVariable, maskSecretVariables } from "../workspace/environment.js";
import type { AgentCommand } from "./command-line.js";
import type { AgentMemory } from "./other-agent.js";

/** Known agents use at most 3,000 characters to describe a handful of sign-in methods. */
const DESCRIPTION_CHARS_MAX = 16_000;

/** Returns the stored description of an agent for a client with the same sign-in capabilities. */
export function recallDescription(
	memory: AgentMemory,
	command: AgentCommand,
	client: acp.ClientCapabilities,
): AgentDescription | undefined {
	const text = memory.recall(keyOf(command, client));
	if (text === undefined) return undefined;
	const read = acp.initialize.result["~standard"].validate(jsonOf(text));
	if (read instanceof Promise || read.issues !== undefined) return undefined;
	return { capabilities: acp.agentCapabilitiesOf(read.value), authMethods: read.value.authMethods ?? [] };
}

/** Stores the parts of a description that clients receive, unless they contain a secret. */
export function storeDescription(
	memory: AgentMemory,
	command: AgentCommand,
	client: acp.ClientCapabilities,
	{ capabilities, authMethods }: AgentDescription,
	secretVariables: readonly string[],
): void {
	const { promptCapabilities, mcpCapabilities, auth } = capabilities;
	const text = JSON.stringify({
		protocolVersion: acp.PROTOCOL_VERSION,
		agentCapabilities: { promptCapabilities, mcpCapabilities, auth },
		authMethods,
	});
	const variables = authMethods.flatMap(({ env }) => Object.entries(env ?? {}));
	const hasSecret =
		variables.some(([name, value]) => isSecretVariable(name, value, secretVariables)) ||
		maskSecretVariables(text, process.env, secretVariables) !== text ||
		maskKeys(text) !== text;
	if (hasSecret || text.length > DESCRIPTION_CHARS_MAX) return;
	const key = keyOf(command, client);
	if (memory.recall(key) !== text) memory.store(key, text);
}

/**
 * A digest, because a command line can contain a key. It includes the client's sign-in capabilities, because the
 * methods that an agent offers depend on them.
 */
function keyOf({ command, args }: AgentCommand, { auth, _meta }: acp.ClientCapabilities): string {
	const parts = [command, args, auth ?? null, _meta?.["terminal-auth"] ?? null];
	return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
