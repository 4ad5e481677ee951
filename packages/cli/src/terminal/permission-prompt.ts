import { shellArgument } from "@segue/agent/config/masking";
import { PERMISSION_KINDS } from "@segue/agent/config/schema";
import { UserError } from "@segue/agent/config/user-error";
import type { ApprovalRequest, ApprovalRule, Permission, PermissionAnswer, PermissionKind } from "@segue/assist";
import { sanitizeLine } from "@segue/text";
import type { Paint } from "./colour.js";
import type { Keys } from "./keys.js";
import type { Screen } from "./screen.js";
import type { Transcript } from "./transcript.js";

interface PermissionPrompt {
	readonly screen: Screen;
	readonly transcript: Transcript;
	readonly keys: Keys;
	readonly paint: Paint;
}

/**
 * Asks the user to allow a tool call. Reads a key as the answer once the choices are shown. Answers that apply to more
 * than this call need a second key.
 */
export async function askPermission(
	question: ApprovalRequest,
	prompt: PermissionPrompt,
	signal: AbortSignal,
): Promise<PermissionAnswer> {
	const { screen, transcript } = prompt;
	screen.write(transcript.question(question));
	for (;;) {
		const key = await press(prompt, questionText(question.permission), keysFor(question, transcript), signal);
		const answer = ANSWERS[key];
		screen.write(answer === undefined ? "\n" : `${ANSWER_TEXTS[answer]}\n`);
		if (answer === "once" || answer === "no") return answer;
		if (answer !== undefined) {
			const second = await press(prompt, "Sure?", `${key} or Enter: yes · any other key: no`, signal);
			const isSure = second === key || ENTER.includes(second);
			screen.write(isSure ? "yes\n" : "no\n");
			if (isSure) return answer;
		} else if (key === "d" && transcript.hasMore(question)) screen.write(transcript.whole(question));
	}
}

/** Shows the question immediately, and the choices once keys are accepted. */
async function press(
	{ screen, keys, paint }: PermissionPrompt,
	text: string,
	choices: string,
	signal: AbortSignal,
): Promise<string> {
	screen.write(`  ${paint.yellow(text)} `);
	try {
		await keys.quiet(signal);
		screen.write(`${paint.dim(`[${choices}]`)} `);
		return (await keys.next(signal)).toLowerCase();
	} catch (error) {
		screen.write("\n");
		throw error;
	}
}

// Enter sends a carriage return or a newline, depending on the terminal.
const ENTER: readonly string[] = ["\r", "\n"];
const ANSWERS: Readonly<Record<string, PermissionAnswer>> = { y: "once", s: "session", a: "always", n: "no" };

const ANSWER_TEXTS: Readonly<Record<PermissionAnswer, string>> = {
	once: "yes",
	session: "yes, for this session",
	always: "yes, always in this folder",
	no: "no",
};

function keysFor(question: ApprovalRequest, transcript: Transcript): string {
	const keys = ["y yes", "s session", "a always", "n no"];
	if (transcript.hasMore(question)) keys.push(question.call.diffs.length > 0 ? "d diff" : "d details");
	return keys.join(" · ");
}

const QUESTIONS: Readonly<Record<PermissionKind, (subject: string) => string>> = {
	"read-ignored": (subject) => `Read the ignored file ${subject}?`,
	edit: (subject) => `Change ${subject}?`,
	delete: (subject) => `Delete ${subject}?`,
	// The full command is shown above.
	command: () => "Run this command?",
	network: (subject) => `Connect to ${subject}?`,
	mcp: (subject) => `Use ${subject}?`,
};

function questionText({ kind, subject }: Permission): string {
	return QUESTIONS[kind](sanitizeLine(subject));
}

/** Parses a value for `--allow`: KIND:PATTERN. */
export function readAllowOption(text: string): ApprovalRule {
	const colon = text.indexOf(":");
	const kind = PERMISSION_KINDS.find((known) => known === text.slice(0, colon));
	const pattern = text.slice(colon + 1);
	if (kind === undefined || pattern === "") {
		const kinds = PERMISSION_KINDS.join(", ");
		throw new UserError(`--allow takes KIND:PATTERN, for example --allow 'edit:src/**'. Kinds: ${kinds}.`);
	}
	return { kind, pattern, answer: "allow" };
}

/** Returns the message for a permission that cannot be requested outside a terminal, with the option that grants it. */
export function howToAllow({ kind, subject }: Permission): string {
	return `Denied: cannot ask for permission outside a terminal. To allow it: --allow ${shellArgument(`${kind}:${subject}`)}`;
}
