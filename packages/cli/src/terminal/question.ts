import type { Answer, Permission, PermissionKind, Question } from "@segue/assist";
import { harmlessLine } from "@segue/text";
import type { Paint } from "./colour.js";
import type { Keys } from "./keys.js";
import type { Screen } from "./screen.js";
import type { Transcript } from "./transcript.js";

interface Desk {
	readonly screen: Screen;
	readonly transcript: Transcript;
	readonly keys: Keys;
	readonly paint: Paint;
}

/**
 * Asks a person whether a call may do what it is about to, and takes a key for an answer, from when the keys are shown. What
 * holds for more than this once takes a second one.
 */
export async function askForKey(question: Question, desk: Desk, signal: AbortSignal): Promise<Answer> {
	const { screen, transcript } = desk;
	screen.write(transcript.question(question));
	for (;;) {
		const key = await press(desk, whatOf(question.permission), keysFor(question, transcript), signal);
		const answer = ANSWERS[key];
		screen.write(answer === undefined ? "\n" : `${SAID[answer]}\n`);
		if (answer === "once" || answer === "no") return answer;
		if (answer !== undefined) {
			const second = await press(desk, "Sure?", `${key} again, or Enter, yes · another key no`, signal);
			const isSure = second === key || ENTER.includes(second);
			screen.write(isSure ? "yes\n" : "no\n");
			if (isSure) return answer;
		} else if (key === "d" && transcript.hasMore(question)) screen.write(transcript.whole(question));
	}
}

/** The question stands there at once, and the keys as soon as they count. */
async function press(
	{ screen, keys, paint }: Desk,
	asked: string,
	choices: string,
	signal: AbortSignal,
): Promise<string> {
	screen.write(`  ${paint.yellow(asked)} `);
	try {
		await keys.quiet(signal);
		screen.write(`${paint.dim(`[${choices}]`)} `);
		return (await keys.next(signal)).toLowerCase();
	} catch (error) {
		screen.write("\n");
		throw error;
	}
}

// As terminals send it.
const ENTER: readonly string[] = ["\r", "\n"];
const ANSWERS: Readonly<Record<string, Answer>> = { y: "once", s: "session", a: "always", n: "no" };

const SAID: Readonly<Record<Answer, string>> = {
	once: "yes",
	session: "yes, for this session",
	always: "yes, always in this folder",
	no: "no",
};

function keysFor(question: Question, transcript: Transcript): string {
	const keys = ["y yes", "s session", "a always", "n no"];
	if (transcript.hasMore(question)) keys.push(question.call.diffs.length > 0 ? "d diff" : "d all of it");
	return keys.join(" · ");
}

const WHAT: Readonly<Record<PermissionKind, (subject: string) => string>> = {
	"read-ignored": (subject) => `Read ${subject}, which is ignored?`,
	edit: (subject) => `Change ${subject}?`,
	delete: (subject) => `Delete ${subject}?`,
	// The command stands above, with all its lines.
	command: () => "Run this command?",
	network: (subject) => `Connect to ${subject}?`,
	mcp: (subject) => `Use ${subject}?`,
};

function whatOf({ kind, subject }: Permission): string {
	return WHAT[kind](harmlessLine(subject));
}
