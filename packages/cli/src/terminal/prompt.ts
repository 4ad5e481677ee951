import { createInterface, type Interface, type Key } from "node:readline";
import type { CommandProcess } from "../command-line.js";
import { PASTING_OFF, PASTING_ON } from "./keys.js";

interface PromptLine {
	readonly process: CommandProcess;
	/** Whether the terminal is dumb: it supports no escape sequences and edits lines itself. */
	readonly isDumb: boolean;
	/** Newest first. */
	readonly history: readonly string[];
	/** Commands for Tab completion. */
	readonly commands: readonly string[];
}

const MARK = "> ";
const CONTINUATION_MARK = "… ";
const HOW_TO_QUIT = "Press Ctrl-C again, or Ctrl-D, to quit.";

/**
 * Reads a prompt from the user. Enter ends it, except after a backslash or within pasted text. Resolves to undefined if
 * the user quits with Ctrl-D, with a second Ctrl-C or by closing the terminal. `isLeaving` is true if Ctrl-C has
 * already been pressed once.
 */
export function readPrompt(
	{ process, isDumb, history, commands }: PromptLine,
	isLeaving: boolean,
	signal: AbortSignal,
): Promise<string | undefined> {
	const { stdin: input, stdout: output } = process;
	return new Promise((resolve) => {
		const lines: string[] = [];
		let isPasting = false;
		let mayLeave = isLeaving;
		const line: Interface = createInterface({
			input,
			output,
			terminal: !isDumb,
			prompt: MARK,
			history: [...history],
			historySize: HISTORY_MAX,
			completer: (typed: string) => [commands.filter((command) => command.startsWith(typed)), typed],
		});
		let written: string | undefined;
		const press = (_: unknown, { name, ctrl }: Key) => {
			if (name === "paste-start") isPasting = true;
			else if (name === "paste-end") isPasting = false;
			if (ctrl !== true || name !== "c") mayLeave = false;
		};
		const interrupt = () => {
			const hadText = line.line !== "" || lines.length > 0;
			if (!hadText && mayLeave) return line.close();
			mayLeave = true;
			lines.length = 0;
			// Move to the end of the line and delete the whole line.
			line.write(null, { ctrl: true, name: "e" });
			line.write(null, { ctrl: true, name: "u" });
			output.write(hadText ? "\n" : `\n${HOW_TO_QUIT}\n`);
			line.setPrompt(MARK);
			line.prompt();
		};
		const leave = () => line.close();
		line.on("line", (text) => {
			const isContinued = isPasting || text.endsWith("\\");
			lines.push(isContinued && !isPasting ? text.slice(0, -1) : text);
			if (isContinued) {
				line.setPrompt(CONTINUATION_MARK);
				return line.prompt();
			}
			written = lines.join("\n");
			line.close();
		});
		line.on("SIGINT", interrupt);
		line.on("close", () => {
			input.off("keypress", press);
			process.off("SIGINT", interrupt);
			signal.removeEventListener("abort", leave);
			if (!isDumb) output.write(PASTING_OFF);
			if (written === undefined) output.write("\n");
			resolve(written);
		});
		input.on("keypress", press);
		// A terminal that edits lines itself sends a signal instead of a key.
		process.on("SIGINT", interrupt);
		signal.addEventListener("abort", leave);
		if (!isDumb) output.write(PASTING_ON);
		line.prompt();
		if (signal.aborted) leave();
	});
}

/** Users don't go back further with the arrow keys; /search finds older prompts. */
export const HISTORY_MAX = 200;
