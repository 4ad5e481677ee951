import type { Notice } from "./host.js";

/** The sentence for one reason, for example from the table of `@segue/predict/no-suggestion`. */
export interface ReasonSentences {
	/** Shown before the agent's detail. */
	readonly sentence?: string;
	/** Shown instead of `sentence` and the agent's detail. */
	readonly onPage?: string;
}

/** Reasons that the library or a plugin reports. Agents do not send them. */
const EDITOR_REASONS = new Map(
	Object.entries({
		"no-agent": "The agent is starting.",
		"no-reason": "The agent has no suggestion and gave no reason.",
		opening: "Checking whether this file is private.",
		rejected: "Suggestion dismissed.",
		ignored: "The suggestion no longer applies.",
		quiet: "You dismissed a suggestion here a moment ago. Press Alt+\\ to request one.",
		"several-cursors": "No suggestions while there is more than one cursor.",
		"read-only": "No suggestions, because this editor is read-only.",
	}),
);

/**
 * Returns a sentence for the user. `agentReasons` takes precedence over the library's own reasons. An unknown reason is
 * returned unchanged, with the agent's detail.
 */
export function noticeSentence(
	{ kind, text, detail }: Notice,
	agentReasons: Readonly<Record<string, ReasonSentences>>,
): string {
	if (kind !== "no-suggestion") return problemSentence(kind, text);
	const { sentence, onPage } = (Object.hasOwn(agentReasons, text) ? agentReasons[text] : undefined) ?? {};
	const whole = onPage ?? (sentence === undefined ? EDITOR_REASONS.get(text) : undefined);
	return whole ?? [sentence ?? text, detail].filter((part) => part !== undefined).join(" ");
}

/** Messages that are not sentences come from the library or the agent, and don't name a next step. */
function problemSentence(kind: Notice["kind"], text: string): string {
	if (/[.!?]$/.test(text)) return text;
	const sentence = ABOUT_COMMAND.test(text) ? `${text}.` : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
	return kind === "agent" ? `${sentence} Press Alt+\\ to try again.` : sentence;
}

/** Messages about a command start with its name, whose case matters. */
const ABOUT_COMMAND = /^\S+ (?:was not found|did not start)\b/;
