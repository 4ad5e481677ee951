import { existsSync } from "node:fs";
import path from "node:path";
import type { EditorOptions } from "@segue/editor";
import { agentProcess } from "@segue/editor/node";

/**
 * Returns a function that starts the agent that comes with the extension, with the Node of VS Code, or another agent
 * from the settings.
 */
export function startAgent(extensionFolder: string, command: readonly string[], cwd: string | undefined): EditorOptions["connect"] {
	const [program, ...args] = command;
	if (program !== undefined) return agentProcess(program, args, cwd === undefined ? {} : { cwd });
	const script = path.join(extensionFolder, "dist", "agent", "segue.js");
	// VS Code's program runs scripts like Node with this variable.
	const env = { ELECTRON_RUN_AS_NODE: "1" };
	const start = agentProcess(process.execPath, [script, "acp"], cwd === undefined ? { env } : { env, cwd });
	return () => {
		if (!existsSync(script)) throw new Error("The agent is missing from the extension. Install the extension again.");
		return start();
	};
}
