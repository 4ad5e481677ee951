import type { Outcome } from "../tool.js";

/** What a model is told of a command: what it printed, and how it ended on a line of its own. */
export function commandOutcome(printed: string, ending: string, failed: boolean): Outcome {
	const separator = printed === "" || printed.endsWith("\n") ? "" : "\n";
	return { output: `${printed}${separator}(${ending})`, read: [], failed };
}
