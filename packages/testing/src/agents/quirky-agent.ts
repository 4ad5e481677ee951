import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import type { AgentCommand, StartAgent } from "@segue/assist";
import { serveQuirky } from "./quirky-agent.mjs";

const SCRIPT = fileURLToPath(new URL("./quirky-process.mjs", import.meta.url));

/** Returns the command that starts the quirky agent, which reproduces the behaviour of real agents on demand. */
export function quirkyAgent(...flags: readonly string[]): AgentCommand {
	return { name: "quirky", command: process.execPath, args: [SCRIPT, ...flags] };
}

/** Returns the quirky agent's command as a quoted command line. */
export function quirkyLine(...flags: readonly string[]): string {
	const { command, args } = quirkyAgent(...flags);
	return [command, ...args].map((word) => `"${word}"`).join(" ");
}

/** Starts quirky agents in this thread instead of in child processes, connected by in-memory streams. */
export class QuirkyAgents {
	/** For each agent started, in order, whether it is still running. */
	readonly running: boolean[] = [];

	readonly start: StartAgent = async ({ args: [script, ...flags] }) => {
		if (script !== SCRIPT) throw new Error(`only the quirky agent can run in memory, not ${script}`);
		const stdin = new PassThrough();
		const stdout = new PassThrough();
		const number = this.running.push(true) - 1;
		void serveQuirky(flags, stdin, stdout).then(() => {
			this.running[number] = false;
		});
		return { stdin, stdout };
	};
}
