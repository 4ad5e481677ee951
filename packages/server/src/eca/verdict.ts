import type { Answer } from "@segue/assist";

/** What a person who is asked to approve something says in a prompt; undefined for something else. */
export function verdictIn(message: string): Answer | undefined {
	const word = message
		.trim()
		.toLowerCase()
		.replace(/[.!]+$/, "");
	if (word === "yes" || word === "approve") return "once";
	return word === "no" || word === "reject" ? "no" : undefined;
}
