import { fileURLToPath } from "node:url";
import type { AgentCommand } from "@segue/assist";

/** How to start an agent made with the ACP SDK that shows, on demand, what real ones do. */
export function quirkyAgent(...flags: readonly string[]): AgentCommand {
	const script = fileURLToPath(new URL("./quirky-agent.mjs", import.meta.url));
	return { name: "quirky", command: process.execPath, args: [script, ...flags] };
}
