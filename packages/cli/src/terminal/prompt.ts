import { createInterface, type Interface, type Key } from "node:readline";
import type { CommandProcess } from "../command-line.js";
import { PASTING_OFF, PASTING_ON } from "./keys.js";

interface PromptLine {
	readonly process: CommandProcess;
	/** A terminal that can do nothing but print: its own line editing is all there is. */
	readonly isDumb: boolean;
	/** Newest first. */
	readonly history: readonly string[];
	/** What Tab completes. */
	readonly commands: readonly string[];
}

const MARK = "> ";
const MARK_OF_MORE = "… ";
const HOW_TO_LEAVE = "Press Ctrl-C again, or Ctrl-D, to leave.";

/**
 * Lets a person write a prompt. It ends with Enter, unless a backslash stands before that or it was pasted. Undefined when they
 * want to leave: Ctrl-D, a second Ctrl-C, or a terminal that is gone; `isLeaving` where the first Ctrl-C was pressed already.
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
			// To the end of the line, and all of it deleted.
			line.write(null, { ctrl: true, name: "e" });
			line.write(null, { ctrl: true, name: "u" });
			output.write(hadText ? "\n" : `\n${HOW_TO_LEAVE}\n`);
			line.setPrompt(MARK);
			line.prompt();
		};
		const leave = () => line.close();
		line.on("line", (text) => {
			const goesOn = isPasting || text.endsWith("\\");
			lines.push(goesOn && !isPasting ? text.slice(0, -1) : text);
			if (goesOn) {
				line.setPrompt(MARK_OF_MORE);
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
		// A terminal that is not ours to edit lines on sends a signal instead of a key.
		process.on("SIGINT", interrupt);
		signal.addEventListener("abort", leave);
		if (!isDumb) output.write(PASTING_ON);
		line.prompt();
		if (signal.aborted) leave();
	});
}

/** More prompts than this nobody goes back to with a key; /search finds the others. */
export const HISTORY_MAX = 200;
