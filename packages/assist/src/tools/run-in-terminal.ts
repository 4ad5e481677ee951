import { errorText } from "@segue/text";
import type { EditorTerminal, TerminalExit, Terminals } from "../client.js";
import { ToolError } from "../failures.js";
import { blankSecrets } from "../workspace/environment.js";
import type { ToolOutcome } from "./tool.js";
import { HeadAndTail } from "./truncate.js";

/** Kept of what is printed, its end: far more than the model is told, and less than a message may hold. */
const OUTPUT_BYTES_MAX = 2 ** 20;
/** For a command to end when it was told to, and for its editor to tell what it has at hand. */
const ANSWER_MS = 10_000;

/** A command line, and what holds for it. */
interface TerminalCommand {
	readonly line: string;
	readonly folder: string;
	readonly timeLimitS: number;
	/** Variables that no command should get. */
	readonly secretVariables: readonly string[];
}

/**
 * Runs a command in a terminal of the editor, which shows it as it goes. Undefined where the editor has none after all. When
 * the signal is aborted, the command is ended and nothing is waited for. `shownIn` is told the terminal's id.
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
	const terminal = await inWords(terminals.create(program, signal));
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
	const exit = await inWords(exited(timeLimitS * 1000));
	if (exit === undefined) {
		terminal.kill();
		// One that does not listen is ended when the terminal is let go of.
		await inWords(exited(ANSWER_MS));
	}
	const said = await inWords(within(ANSWER_MS, signal, (until) => terminal.output(until)));
	const printed = new HeadAndTail();
	if (said?.isCut) printed.add("… (the start is left out) …\n");
	printed.add(said?.text ?? "");
	if (exit === undefined) {
		return commandOutcome(printed.toString(), `ended after ${timeLimitS} s, before it was done`, true);
	}
	return commandOutcome(printed.toString(), endingOf(exit), exit.code !== 0);
}

function endingOf({ code, signal }: TerminalExit): string {
	if (code !== undefined) return `exit code ${code}`;
	return signal === undefined ? "ended, and nobody told how" : `ended by ${signal}`;
}

/** Editors start a program with its arguments, and only some understand a whole line. */
function shellFor(line: string): readonly [string, ...string[]] {
	return process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", line] : ["/bin/sh", "-c", line];
}

/** What comes of it, or undefined when the time is up. */
async function within<T>(
	ms: number,
	signal: AbortSignal,
	ask: (until: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
	const up = new AbortController();
	const timer = setTimeout(() => up.abort(), ms);
	try {
		return await ask(AbortSignal.any([signal, up.signal]));
	} catch (error) {
		if (up.signal.aborted && !signal.aborted) return undefined;
		throw error;
	} finally {
		clearTimeout(timer);
	}
}

async function inWords<T>(asked: Promise<T>): Promise<T> {
	try {
		return await asked;
	} catch (error) {
		throw new ToolError(`The editor's terminal failed: ${errorText(error)}`);
	}
}

/** What a model is told of a command: what it printed, and how it ended on a line of its own. */
export function commandOutcome(printed: string, ending: string, failed: boolean): ToolOutcome {
	const separator = printed === "" || printed.endsWith("\n") ? "" : "\n";
	return { output: `${printed}${separator}(${ending})`, read: [], failed };
}
