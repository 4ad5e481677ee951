import { fstatSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { type Engine, openEngine } from "@segue/agent/chat/engine";
import { shellArgument } from "@segue/agent/config/masking";
import { fileErrorText, UserError } from "@segue/agent/config/user-error";
import { type EndReason, type Mode, NoSuchThread, type PromptPart, StoreError, type Thread } from "@segue/assist";
import { errorText, sanitize, sanitizeLine, startTimer } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import { INTERRUPTED, ShutdownSignals } from "../shutdown.js";
import { isColoured, paintFor } from "./colour.js";
import { InteractiveChat } from "./interactive-chat.js";
import { writeMessage } from "./message.js";
import { askOnce, type RunContext, screenOn } from "./one-turn.js";
import { openThreadStore } from "./open-store.js";
import { readAllowOption } from "./permission-prompt.js";
import { PROGRESS_DELAY_MS } from "./screen.js";
import { findThread, runThreadCommand, type ThreadCommand } from "./thread-commands.js";
import { columnsOf } from "./width.js";

export interface ChatOptions {
	readonly model?: string;
	readonly agent?: string;
	readonly mode?: Mode;
	readonly effort?: string;
	readonly folder?: string;
	readonly allow?: readonly string[];
	readonly json?: boolean;
	readonly resume?: boolean;
	readonly conversation?: string;
	readonly list?: boolean;
	readonly all?: boolean;
	readonly search?: string;
	readonly show?: string;
	readonly export?: string;
	readonly import?: string;
	readonly rename?: string;
	readonly delete?: string;
}

/** Runs `segue chat`: a conversation, a single turn, or a thread command. */
export async function runChat(words: readonly string[], options: ChatOptions, process: CommandProcess): Promise<void> {
	const signals = new ShutdownSignals(process);
	try {
		const code = await chat(words, options, signals, process);
		process.exitCode = signals.code ?? code;
	} catch (error) {
		process.exitCode = signals.code ?? 1;
		if (signals.code === undefined) reportError(error, options.json === true, process);
	} finally {
		signals.close();
		// Lets the process exit.
		process.stdin.pause();
	}
}

/** Returns the exit code. */
async function chat(
	words: readonly string[],
	options: ChatOptions,
	signals: ShutdownSignals,
	process: CommandProcess,
): Promise<number> {
	const command = threadCommandOf(words, options);
	const here = workspaceOf(path.resolve(process.cwd(), options.folder ?? "."));
	if (command !== undefined) return await runCommand(command, options, here, process);
	const question = await questionOf(words, signals.signal, process);
	if (question.length === 0) expectTerminal(options.json === true, process);
	const { conversation } = options;
	const named = conversation === undefined ? undefined : await threadNamed(conversation, options, here, process);
	// A thread continues with the configuration of its own folder.
	const workspace = named?.workspace ?? here;
	if (workspace !== here)
		printNotices(
			[`The conversation belongs to ${workspace}. It continues there, with that folder's configuration.`],
			process,
		);
	const { model, agent, effort, mode, allow = [] } = options;
	const engine = await openEngine({
		...{ workspace, env: process.env, startAgent: process.startAgent, model, agent, effort, mode },
		rules: allow.map(readAllowOption),
		report: () => {}, // the user's screen is not a log
	});
	try {
		if (engine.agent !== undefined) expectNoModelOptions(options);
		if (named !== undefined) await expectStored(named, engine);
		const thread = named ?? (options.resume ? await lastThread(engine, workspace) : undefined);
		if (question.length === 0) return await talk(engine, thread, workspace, signals, process);
		return await ask(question, { engine, thread, workspace, process }, options, signals);
	} finally {
		await engine.close();
	}
}

/** Another agent, possibly chosen by SEGUE_AGENT, has its own modes and models and would ignore --mode. */
function expectNoModelOptions(options: ChatOptions): void {
	const name = (["model", "mode", "effort"] as const).find((each) => options[each] !== undefined);
	if (name === undefined) return;
	throw new UserError(`--${name} cannot be used with another agent. Omit it, or unset SEGUE_AGENT.`);
}

async function runCommand(
	command: ThreadCommand,
	options: ChatOptions,
	workspace: string,
	process: CommandProcess,
): Promise<number> {
	const { stdin, stdout, env } = process;
	const { store, notices } = await openThreadStore(workspace, env);
	try {
		printNotices(notices, process);
		const { printed, notice } = await runThreadCommand(store, command, {
			workspace,
			folder: process.cwd(),
			isAll: options.all === true,
			isJson: options.json === true,
			paint: paintFor(isColoured(stdout, env)),
			columns: columnsOf(stdout),
			stdin,
		});
		stdout.write(printed);
		if (notice !== undefined) printNotices([notice], process);
		return 0;
	} finally {
		await store.close();
	}
}

async function ask(
	question: readonly PromptPart[],
	about: Pick<RunContext, "engine" | "thread" | "workspace" | "process">,
	{ json: isJson = false }: ChatOptions,
	signals: ShutdownSignals,
): Promise<number> {
	// With --json, standard output contains only JSON. The other clients print notices along with their other output.
	if (isJson) printNotices(about.engine.notices, about.process);
	const { interrupt } = signals;
	const signal = signals.interruptible();
	const end = await askOnce(question, { ...about, isJson, after: startTimer, interrupt, signal });
	return end.reason === "done" && (end.isPowerless || end.hasCommandFailed) ? NOT_DONE : CODES[end.reason];
}

const NOT_DONE = 1;
const CODES: Readonly<Record<EndReason, number>> = {
	done: 0,
	failed: NOT_DONE,
	refused: NOT_DONE,
	length: NOT_DONE,
	steps: NOT_DONE,
	cancelled: INTERRUPTED,
};

async function talk(
	engine: Engine,
	thread: Thread | undefined,
	workspace: string,
	signals: ShutdownSignals,
	process: CommandProcess,
): Promise<number> {
	const { stdout: output, env } = process;
	const paint = paintFor(isColoured(output, env));
	const options = {
		...{ engine, workspace, process, paint, after: startTimer },
		isDumb: env["TERM"] === "dumb",
		screen: screenOn(output, paint, env, startTimer),
		gone: signals.signal,
		leaveNow: signals.now,
	};
	await new InteractiveChat(options, thread).run();
	return 0;
}

function printNotices(notices: readonly string[], { stderr }: Pick<CommandProcess, "stderr">): void {
	for (const notice of notices) writeMessage(stderr, sanitize(notice));
}

/** A conversation needs a terminal for input and output. */
function expectTerminal(isJson: boolean, process: CommandProcess): void {
	if (isJson) throw new UserError('--json needs a question: segue chat --json "QUESTION"');
	if (process.stdin.isTTY && process.stdout.isTTY) return;
	throw new UserError('Not a terminal. To ask one question: segue chat "QUESTION"');
}

/** Prints an error as a sentence. An unexpected error is a bug and is reported as an internal error. */
function reportError(error: unknown, isJson: boolean, process: CommandProcess): void {
	const isExpected = error instanceof UserError || error instanceof StoreError || error instanceof NoSuchThread;
	const message = sanitize(`${isExpected ? "" : "Internal error: "}${errorText(error)}`);
	writeMessage(process.stderr, message);
	if (isJson) process.stdout.write(`${JSON.stringify({ type: "end", reason: "failed", error: message })}\n`);
}

function threadCommandOf(words: readonly string[], options: ChatOptions): ThreadCommand | undefined {
	const { list, search, show, export: exported, import: file, rename, delete: deleted } = options;
	const commands: ThreadCommand[] = [];
	if (list) commands.push({ type: "list" });
	if (search !== undefined) commands.push({ type: "search", text: search });
	if (show !== undefined) commands.push({ type: "show", id: show });
	if (exported !== undefined) commands.push({ type: "export", id: exported });
	if (file !== undefined) commands.push({ type: "import", file });
	if (rename !== undefined) commands.push({ type: "rename", id: rename, title: words.join(" ") });
	if (deleted !== undefined) commands.push({ type: "delete", id: deleted });
	const [command, another] = commands;
	if (options.all && command?.type !== "list" && command?.type !== "search") {
		throw new UserError("--all needs --list or --search.");
	}
	if (another !== undefined) {
		throw new UserError(`--${command?.type} and --${another.type} cannot be combined. Run one after the other.`);
	}
	if (rename !== undefined && words.join("").trim() === "") {
		throw new UserError('--rename needs a title: segue chat --rename ID "TITLE"');
	}
	if (command !== undefined && rename === undefined && words.length > 0) {
		throw new UserError(`--${command.type} takes no question. Omit the option or the question.`);
	}
	return command;
}

/** Resolves a folder to its real path, so that symbolic links to it find the same threads. */
function workspaceOf(folder: string): string {
	try {
		const real = realpathSync(folder);
		if (statSync(real).isDirectory()) return real;
	} catch (error) {
		throw new UserError(
			`Cannot open ${sanitizeLine(path.resolve(folder))}: ${fileErrorText(error)}. Choose another folder with --folder.`,
		);
	}
	throw new UserError(`${sanitizeLine(path.resolve(folder))} is not a folder. Choose another one with --folder.`);
}

/** The thread named by `--conversation`. Throws a `UserError` if its folder does not exist or differs from `--folder`. */
async function threadNamed(
	id: string,
	{ folder }: ChatOptions,
	here: string,
	process: CommandProcess,
): Promise<Thread> {
	const { store, notices } = await openThreadStore(here, process.env);
	try {
		const thread = await findThread(store, id).catch((error) => {
			printNotices(notices, process);
			throw error;
		});
		if (folder !== undefined && thread.workspace !== here) {
			throw new UserError(`The conversation belongs to ${sanitizeLine(thread.workspace)}. Omit --folder.`);
		}
		if (!isFolder(thread.workspace)) {
			const problem =
				thread.workspace === ""
					? "The conversation's folder is unknown."
					: `The conversation belongs to ${sanitizeLine(thread.workspace)}, which is not a folder here.`;
			throw new UserError(
				`${problem} To continue in this folder, copy it: segue chat --export ${shellArgument(thread.id)} | segue chat --import -`,
			);
		}
		return thread;
	} finally {
		await store.close();
	}
}

function isFolder(place: string): boolean {
	try {
		return path.isAbsolute(place) && statSync(place).isDirectory();
	} catch {
		return false; // missing or not accessible
	}
}

/** A thread's folder may use a different store from the one in which the thread was found. */
async function expectStored({ id, workspace }: Thread, { assist }: Engine): Promise<void> {
	if ((await assist.thread(id)) !== undefined) return;
	throw new UserError(
		`The conversation belongs to ${sanitizeLine(workspace)}, which uses another database. Copy it there: segue chat --export ${shellArgument(id)} | segue chat --import - --folder ${shellArgument(workspace)}`,
	);
}

async function lastThread(engine: Engine, workspace: string): Promise<Thread> {
	const [last] = await engine.assist.list({ workspace, limit: 1 });
	if (last === undefined) {
		throw new UserError(`No conversations in ${sanitizeLine(workspace)} yet. To start one: segue chat`);
	}
	return last;
}

/**
 * The question on the command line, with piped input as an excerpt. Without such a question, the piped input is the
 * question.
 */
async function questionOf(
	words: readonly string[],
	gone: AbortSignal,
	{ stdin, stderr }: CommandProcess,
): Promise<PromptPart[]> {
	const text = words.join(" ").trim();
	let piped = "";
	if (isPiped(stdin)) {
		gone.addEventListener("abort", () => stdin.destroy());
		const callOff = startTimer(PROGRESS_DELAY_MS, () => writeMessage(stderr, "Reading standard input until it ends…"));
		piped = await readPiped(stdin).finally(callOff);
	}
	if (piped.trim() === "") return text === "" ? [] : [{ type: "text", text }];
	if (text === "") return [{ type: "text", text: piped }];
	return [
		{ type: "text", text },
		{ type: "excerpt", label: "standard input", content: piped },
	];
}

// About the context window of today's larger models. Any more would be cut off but still cost money.
const PIPED_BYTES_MAX = 512 * 1024;

/** Whether standard input can have content, which a terminal and /dev/null do not. */
function isPiped(stdin: { readonly isTTY?: boolean; readonly fd?: number }): boolean {
	if (stdin.isTTY) return false;
	if (stdin.fd === undefined) return true; // a stream in memory
	try {
		const stats = fstatSync(stdin.fd);
		return stats.isFIFO() || stats.isFile() || stats.isSocket();
	} catch {
		return false; // closed before the command started
	}
}

/** Reads piped text. Throws a `UserError` if it is too large or not text. */
export async function readPiped(stdin: AsyncIterable<Uint8Array>): Promise<string> {
	const pieces: Uint8Array[] = [];
	let bytes = 0;
	for await (const piece of stdin) {
		bytes += piece.length;
		if (bytes > PIPED_BYTES_MAX) {
			const limit = `${PIPED_BYTES_MAX / 1024} KiB`;
			throw new UserError(
				`The piped input is larger than ${limit}. Pipe only part of it, for example: tail -c 100000 FILE`,
			);
		}
		pieces.push(piece);
	}
	const binary = new UserError("The piped input is not UTF-8 text. Pipe text, or name the file in your question.");
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
		if (text.includes("\0")) throw binary;
		return text;
	} catch {
		throw binary;
	}
}
