import type { CommandProcess } from "../command-line.js";

/** Asks the person in front of the terminal for a yes; undefined where nobody is. */
export function confirmHere({
	stdin: input,
	stdout: output,
}: CommandProcess): ((question: string) => Promise<boolean>) | undefined {
	if (!input.isTTY || !output.isTTY) return undefined;
	return async (question) => {
		const { confirm } = await import("@clack/prompts");
		// Where it is cancelled, it is a symbol.
		return (await confirm({ message: question, initialValue: false, input, output })) === true;
	};
}
