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
 * Asks a person whether a call may do what it is about to, and takes a key for an answer, from when the keys are shown. What
 * holds for more than this once takes a second one.
 */
export async function askPermission(
	question: ApprovalRequest,
	prompt: PermissionPrompt,
	signal: AbortSignal,
): Promise<PermissionAnswer> {
	const { screen, transcript } = prompt;
	screen.write(transcript.question(question));
	for (;;) {
		const key = await press(prompt, whatOf(question.permission), keysFor(question, transcript), signal);
		const answer = ANSWERS[key];
		screen.write(answer === undefined ? "\n" : `${SAID[answer]}\n`);
		if (answer === "once" || answer === "no") return answer;
		if (answer !== undefined) {
			const second = await press(prompt, "Sure?", `${key} again, or Enter, yes · another key no`, signal);
			const isSure = second === key || ENTER.includes(second);
			screen.write(isSure ? "yes\n" : "no\n");
			if (isSure) return answer;
		} else if (key === "d" && transcript.hasMore(question)) screen.write(transcript.whole(question));
	}
}

/** The question stands there at once, and the keys as soon as they count. */
async function press(
	{ screen, keys, paint }: PermissionPrompt,
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
const ANSWERS: Readonly<Record<string, PermissionAnswer>> = { y: "once", s: "session", a: "always", n: "no" };

const SAID: Readonly<Record<PermissionAnswer, string>> = {
	once: "yes",
	session: "yes, for this session",
	always: "yes, always in this folder",
	no: "no",
};

function keysFor(question: ApprovalRequest, transcript: Transcript): string {
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
	return WHAT[kind](sanitizeLine(subject));
}

/** Reads what `--allow` was given: KIND:PATTERN. */
export function readAllowOption(said: string): ApprovalRule {
	const colon = said.indexOf(":");
	const kind = PERMISSION_KINDS.find((known) => known === said.slice(0, colon));
	const pattern = said.slice(colon + 1);
	if (kind === undefined || pattern === "") {
		const kinds = PERMISSION_KINDS.join(", ");
		throw new UserError(`--allow takes KIND:PATTERN, as --allow 'edit:src/**', and the kinds are ${kinds}.`);
	}
	return { kind, pattern, answer: "allow" };
}

/** How to allow beforehand what nobody can be asked for here. */
export function howToAllow({ kind, subject }: Permission): string {
	return `Not allowed, because nobody can be asked here. To allow it: --allow ${shellArgument(`${kind}:${subject}`)}`;
}
