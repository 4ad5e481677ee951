import type { StartAgent } from "@segue/assist";
import { type Command, InvalidArgumentError, Option } from "commander";

type Signal = "SIGHUP" | "SIGINT" | "SIGTERM";

/** The process that a command runs in: Node's own, or one in memory in tests. */
export interface CommandProcess
	extends Pick<NodeJS.Process, "env" | "stdin" | "stdout" | "stderr" | "cwd" | "exit" | "exitCode"> {
	on(signal: Signal, listener: (name: Signal, number: number) => void): unknown;
	off(signal: Signal, listener: (name: Signal, number: number) => void): unknown;
	/** Replaces the child processes that run other agents by default. */
	readonly startAgent?: StartAgent | undefined;
}

/** What every command takes that serves ACP. */
export interface ServingOptions {
	/** Another agent that answers in chat: its name, or its command line. */
	readonly agent?: string;
	/** What writes next edits: PROVIDER/MODEL, or the embedded engine. */
	readonly nextEditModel?: string;
	/** Whether segue why is told of texts and paths, too. */
	readonly withCode?: boolean;
}

export function addServingOptions(command: Command, process: CommandProcess): Command {
	return command
		.option("--agent <name or command>", "another ACP agent that answers in chat; segue agents lists them")
		.hook("preAction", readSegueAgent(process))
		.option("--next-edit-model <provider/model>", "a model that writes next edits; embedded for none")
		.option("--with-code", "let segue why show what suggestions would write, and in which files");
}

/** A hook for commands with --agent, which defaults to SEGUE_AGENT. No other command reads that variable. */
export function readSegueAgent({ env }: CommandProcess): (_command: Command, command: Command) => void {
	return (_command, command) => {
		const agent = env["SEGUE_AGENT"];
		if (agent && command.getOptionValue("agent") === undefined) command.setOptionValueWithSource("agent", agent, "env");
	};
}

export function portOption(description: string, usual: number): Option {
	return new Option("--port <number>", description).argParser(readPort).default(usual);
}

function readPort(said: string): number {
	const port = Number(said);
	if (!Number.isInteger(port) || port < 0 || port > 65_535)
		throw new InvalidArgumentError("It must be a number from 0 to 65535.");
	return port;
}

export function readCount(said: string): number {
	const count = Number(said);
	if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("It must be a whole number above 0.");
	return count;
}

/** A hook for commands that print: exits quietly when the reader closes the pipe, as in `segue models | head -1`. */
export function endWhenUnread(process: CommandProcess): () => void {
	return () => {
		process.stdout.on("error", (error: NodeJS.ErrnoException) => {
			if (error.code !== "EPIPE") throw error;
			process.exit(0);
		});
	};
}
