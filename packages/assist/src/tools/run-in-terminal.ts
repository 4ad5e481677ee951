import { errorText } from "@segue/text";
import type { EditorTerminal, TerminalExit, Terminals } from "../client.js";
import { ToolError } from "../failures.js";
import { blankSecrets } from "../workspace/environment.js";
import type { ToolOutcome } from "./tool.js";
import { HeadAndTail } from "./truncate.js";

/**
 * The editor keeps this much of the end of the output: far more than the model gets, but less than the limit for a
 * message.
 */
const OUTPUT_BYTES_MAX = 2 ** 20;
/** Timeout for a killed command to exit, and for the editor to return the output. */
const RESPONSE_TIMEOUT_MS = 10_000;

interface TerminalCommand {
	readonly line: string;
	readonly folder: string;
	readonly timeLimitS: number;
	/** Environment variables to blank. */
	readonly secretVariables: readonly string[];
}

/**
 * Runs a command in the editor's terminal. Resolves with undefined if the editor does not provide one. Aborting the
 * signal kills the command and rejects immediately. `shownIn` receives the terminal's id.
 */
export async function runInTerminal(
	terminals: Terminals,
	{ line, folder, timeLimitS, secretVariables }: TerminalCommand,
	signal: AbortSignal,
	shownIn: (terminalId: string) => void,
): Promise<ToolOutcome | undefined> {
	const env = blankSecrets(process.env, secretVariables);
	const [command, ...args] = shellFor(line);
	const program = { command, args, env, folder, outputBytesMax: OUTPUT_BYTES_MAX };
	const terminal = await asToolError(terminals.create(program, signal));
	if (terminal === undefined) return undefined;
	shownIn(terminal.id);
	const cancel = () => terminal.kill();
	signal.addEventListener("abort", cancel, { once: true });
	try {
		return await follow(terminal, timeLimitS, signal);
	} finally {
		signal.removeEventListener("abort", cancel);
	}
}

async function follow(terminal: EditorTerminal, timeLimitS: number, signal: AbortSignal): Promise<ToolOutcome> {
	const exited = (ms: number) => within(ms, signal, (until) => terminal.exited(until));
	const exit = await asToolError(exited(timeLimitS * 1000));
	if (exit === undefined) {
		terminal.kill();
		// A command that survives this is killed when the terminal is released.
		await asToolError(exited(RESPONSE_TIMEOUT_MS));
	}
	const output = await asToolError(within(RESPONSE_TIMEOUT_MS, signal, (until) => terminal.output(until)));
	const printed = new HeadAndTail();
	if (output?.isCut) printed.add("… (start omitted) …\n");
	printed.add(output?.text ?? "");
	if (exit === undefined) return commandOutcome(printed.toString(), `timed out after ${timeLimitS} s`, true);
	return commandOutcome(printed.toString(), endingOf(exit), exit.code !== 0);
}

function endingOf({ code, signal }: TerminalExit): string {
	if (code !== undefined) return `exit code ${code}`;
	return signal === undefined ? "ended with unknown status" : `killed by ${signal}`;
}

/**
 * Returns the shell that runs the line: editors expect a program and its arguments, and only some accept a command
 * line.
 */
function shellFor(line: string): readonly [string, ...string[]] {
	return process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", line] : ["/bin/sh", "-c", line];
}

/** Resolves with undefined on timeout. */
async function within<T>(
	ms: number,
	signal: AbortSignal,
	request: (until: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
	const timeout = new AbortController();
	const timer = setTimeout(() => timeout.abort(), ms);
	try {
		return await request(AbortSignal.any([signal, timeout.signal]));
	} catch (error) {
		if (timeout.signal.aborted && !signal.aborted) return undefined;
		throw error;
	} finally {
		clearTimeout(timer);
	}
}

async function asToolError<T>(response: Promise<T>): Promise<T> {
	try {
		return await response;
	} catch (error) {
		throw new ToolError(`The editor's terminal failed: ${errorText(error)}`);
	}
}

/** Returns a command's result for the model: its output, followed by a line about how it ended. */
export function commandOutcome(printed: string, ending: string, failed: boolean): ToolOutcome {
	const separator = printed === "" || printed.endsWith("\n") ? "" : "\n";
	return { output: `${printed}${separator}(${ending})`, read: [], failed };
}
