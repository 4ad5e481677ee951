import type { StartAgent } from "@segue/assist";
import { type Command, InvalidArgumentError, Option } from "commander";

type Signal = "SIGHUP" | "SIGINT" | "SIGTERM";

/** The process that a command runs in: Node's own process, or an in-memory one in tests. */
export interface CommandProcess
	extends Pick<NodeJS.Process, "env" | "stdin" | "stdout" | "stderr" | "cwd" | "exit" | "exitCode"> {
	on(signal: Signal, listener: (name: Signal, number: number) => void): unknown;
	off(signal: Signal, listener: (name: Signal, number: number) => void): unknown;
	/** Starts other agents, by default as child processes. */
	readonly startAgent?: StartAgent | undefined;
}

/** Options shared by all commands that serve ACP. */
export interface ServingOptions {
	/** Name or command line of another agent that answers in chat. */
	readonly agent?: string;
	/** The model for next edits: PROVIDER/MODEL, or `embedded` for the built-in engine. */
	readonly nextEditModel?: string;
	/** Whether `segue why` may show code and paths. */
	readonly withCode?: boolean;
}

export function addServingOptions(command: Command, process: CommandProcess): Command {
	return command
		.option("--agent <agent>", "name or command line of an ACP agent to use for chat")
		.hook("preAction", readSegueAgent(process))
		.option("--next-edit-model <provider/model>", 'model for next edits; "embedded" selects the built-in engine')
		.option("--with-code", "record code and paths so that `segue why` can show them");
}

/** A hook that makes SEGUE_AGENT the default for --agent. Commands without --agent ignore the variable. */
export function readSegueAgent({ env }: CommandProcess): (_command: Command, command: Command) => void {
	return (_command, command) => {
		const agent = env["SEGUE_AGENT"];
		if (agent && command.getOptionValue("agent") === undefined) command.setOptionValueWithSource("agent", agent, "env");
	};
}

export function portOption(defaultPort: number): Option {
	const description = "port to listen on; if it is taken, the next free port is used";
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
	if (!Number.isInteger(count) || count < 1)
		throw new InvalidArgumentError("It must be a whole number greater than 0.");
	return count;
}

/** A hook for commands that print. Exits without an error when a reader such as `head` closes the pipe. */
export function endWhenUnread(process: CommandProcess): () => void {
	return () => {
		process.stdout.on("error", (error: NodeJS.ErrnoException) => {
			if (error.code !== "EPIPE") throw error;
			process.exit(0);
		});
	};
}
