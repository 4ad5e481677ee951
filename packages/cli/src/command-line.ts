import type { StartAgent } from "@segue/assist";
import { type Command, InvalidArgumentError, Option } from "commander";

type Signal = "SIGHUP" | "SIGINT" | "SIGTERM";

/** The process that a command runs in: Node's own process, or an in-memory one in tests. */
export interface CommandProcess
	extends Pick<NodeJS.Process, "env" | "stdin" | "stdout" | "stderr" | "cwd" | "exit" | "exitCode"> {
	on(signal: Signal, listener: (name: Signal, number: number) => void): unknown;
	off(signal: Signal, listener: (name: Signal, number: number) => void): unknown;
	/** Replaces the child processes that other agents run in by default. */
	readonly startAgent?: StartAgent | undefined;
}

/** Options shared by all commands that serve ACP. */
export interface ServingOptions {
	/** Name or command line of another agent that answers in chat. */
	readonly agent?: string;
	/** The model for next edits: either PROVIDER/MODEL or the embedded engine. */
	readonly nextEditModel?: string;
	/** Whether `segue why` may show code and paths. */
	readonly withCode?: boolean;
}

export function addServingOptions(command: Command, process: CommandProcess): Command {
	return command
		.option("--agent <agent>", "name or command line of an ACP agent that answers in chat")
		.hook("preAction", readSegueAgent(process))
		.option("--next-edit-model <provider/model>", 'model for next edits; use "embedded" for no model')
		.option("--with-code", "record code and paths, so that `segue why` can show them");
}

/** A hook for commands with --agent that makes SEGUE_AGENT its default. Other commands ignore the variable. */
export function readSegueAgent({ env }: CommandProcess): (_command: Command, command: Command) => void {
	return (_command, command) => {
		const agent = env["SEGUE_AGENT"];
		if (agent && command.getOptionValue("agent") === undefined) command.setOptionValueWithSource("agent", agent, "env");
	};
}

export function portOption(defaultPort: number): Option {
	const description = "port to listen on; if it is in use, the next free one";
	return new Option("--port <number>", description).argParser(readPort).default(defaultPort);
}

function readPort(text: string): number {
	const port = Number(text);
	if (!Number.isInteger(port) || port < 0 || port > 65_535)
		throw new InvalidArgumentError("It must be a number from 0 to 65535.");
	return port;
}

export function readCount(text: string): number {
	const count = Number(text);
	if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("It must be a whole number above 0.");
	return count;
}

/** A hook for commands that print. Exits without an error when the reader closes the pipe, as `head` does. */
export function endWhenUnread(process: CommandProcess): () => void {
	return () => {
		process.stdout.on("error", (error: NodeJS.ErrnoException) => {
			if (error.code !== "EPIPE") throw error;
			process.exit(0);
		});
	};
}
