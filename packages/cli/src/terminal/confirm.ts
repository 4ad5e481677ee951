import type { CommandProcess } from "../command-line.js";
import { correctWidth } from "./width.js";

/** A function that asks the user to confirm; undefined if input or output is not a terminal. */
export function confirmInTerminal({
	stdin: input,
	stdout: output,
}: Pick<CommandProcess, "stdin" | "stdout">): ((question: string) => Promise<boolean>) | undefined {
	if (!input.isTTY || !output.isTTY) return undefined;
	return async (question) => {
		const { confirm } = await import("@clack/prompts");
		correctWidth(output);
		// A cancelled prompt resolves to a symbol.
		return (await confirm({ message: question, initialValue: false, input, output })) === true;
	};
}
