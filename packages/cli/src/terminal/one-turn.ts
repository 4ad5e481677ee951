import type { Engine } from "@segue/agent/chat/engine";
import { commandOf, type EndReason, type PromptPart, type Thread } from "@segue/assist";
import type { StartTimer } from "@segue/text";
import { PipeClient, ScriptClient, TerminalClient } from "./chat-clients.js";
import { isColoured, type Paint, paintFor } from "./colour.js";
import { Keys } from "./keys.js";
import { Screen } from "./screen.js";
import { Transcript } from "./transcript.js";

export interface RunContext {
	readonly engine: Engine;
	/** Undefined for a new thread. */
	readonly thread: Thread | undefined;
	readonly workspace: string;
	readonly process: Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env">;
	readonly isJson: boolean;
	readonly after: StartTimer;
	/** Called for Ctrl-C, which arrives as a key because a terminal in raw mode sends no signal. */
	readonly interrupt: () => void;
	readonly signal: AbortSignal;
}

interface TurnEnd {
	readonly reason: EndReason;
	/** Whether all requested permissions were denied because the user could not be asked. */
	readonly isPowerless: boolean;
	/** Whether a slash command failed. */
	readonly hasCommandFailed: boolean;
}

/** Runs one turn, with a client suited to standard output. */
export async function askOnce(parts: readonly PromptPart[], context: RunContext): Promise<TurnEnd> {
	const { engine, workspace, isJson } = context;
	const { stdout } = context.process;
	const thread = context.thread ?? (await engine.assist.create(workspace));
	const ask = isJson ? askForScript : stdout.isTTY ? askForTerminal : askForPipe;
	try {
		return await ask(parts, thread, context);
	} finally {
		// The thread is kept, because the script already has its id.
		if (context.thread === undefined && !isJson) await engine.forgetEmpty(thread.id);
	}
}

async function askForScript(parts: readonly PromptPart[], thread: Thread, context: RunContext): Promise<TurnEnd> {
	const script = new ScriptClient(context.process.stdout, context.process.stderr);
	// Sent first, so that a script knows the thread even if the turn fails.
	await script.send({ type: "thread", thread });
	const reason = await context.engine.prompt(thread.id, parts, script, { signal: context.signal });
	const { notAllowed, isPowerless, hasCommandFailed } = script;
	await script.send({ type: "end", reason, thread: thread.id, ...(notAllowed > 0 && { notAllowed }) });
	return { reason, isPowerless, hasCommandFailed };
}

async function askForTerminal(parts: readonly PromptPart[], thread: Thread, context: RunContext): Promise<TurnEnd> {
	const { engine, process, after, interrupt, signal } = context;
	const paint = paintFor(isColoured(process.stdout, process.env));
	const screen = screenOn(process.stdout, paint, process.env, after);
	const transcript = new Transcript(thread.workspace, paint, process.stdout);
	for (const notice of engine.notices) screen.write(transcript.notice("warning", notice));
	const isDumb = process.env["TERM"] === "dumb";
	const keys = process.stdin.isTTY ? new Keys(process.stdin, process.stdout, isDumb, interrupt, after) : undefined;
	const client = new TerminalClient(screen, transcript, paint, keys);
	screen.wait(() => transcript.waitingFor);
	try {
		const reason = await engine.prompt(thread.id, parts, client, { signal });
		return { reason, isPowerless: client.isPowerless, hasCommandFailed: client.hasCommandFailed };
	} finally {
		keys?.close();
		screen.rest();
		screen.write(transcript.endLine());
	}
}

async function askForPipe(parts: readonly PromptPart[], thread: Thread, context: RunContext): Promise<TurnEnd> {
	const { engine, process, after, signal } = context;
	const paint = paintFor(isColoured(process.stderr, process.env));
	const screen = screenOn(process.stderr, paint, process.env, process.stderr.isTTY ? after : undefined);
	const rest = new Transcript(thread.workspace, paint, process.stderr);
	for (const notice of engine.notices) screen.write(rest.notice("warning", notice));
	const pipe = new PipeClient(process.stdout, screen, rest, commandOf(parts) !== undefined);
	screen.wait(() => rest.waitingFor);
	try {
		const reason = await engine.prompt(thread.id, parts, pipe, { signal });
		return { reason, isPowerless: pipe.isPowerless, hasCommandFailed: pipe.hasCommandFailed };
	} finally {
		screen.rest();
		screen.write(rest.endLine());
		pipe.end();
	}
}

/** Creates a screen, without progress on a dumb terminal, which cannot erase text. */
export function screenOn(
	output: NodeJS.WriteStream,
	paint: Paint,
	env: NodeJS.ProcessEnv,
	after: StartTimer | undefined,
): Screen {
	return new Screen(output, paint, env["TERM"] === "dumb" ? undefined : after);
}
