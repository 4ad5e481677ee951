import { type ChildProcess, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { atProcessExit } from "@segue/rpc/node";
import { firstInvisible } from "@segue/text";
import * as z from "zod";
import { type Action, type Outcome, type Scope, type Tool, ToolError } from "../tool.js";
import { commandOutcome } from "./command-outcome.js";
import { startOf } from "./cut.js";
import { environmentFor } from "./environment.js";
import { HeadAndTail } from "./head-and-tail.js";
import { runInTerminal } from "./run-in-terminal.js";

// Builds and tests mostly end in this; what takes longer is asked for.
const TIME_LIMIT_S = 120;
const TIME_LIMIT_S_MAX = 600;
// What a well-behaved program needs to put things in order when it is told to end.
const GRACE_MS = 2000;
// Somebody who looks on has seen enough of it by then, and what is told is kept.
const PROGRESS_CHARACTERS_MAX = 100_000;
// Characters of a command in a title. The question shows all of it.
const TITLE_LENGTH_MAX = 80;

// Linux takes 128 KiB in one argument, and a character may be four bytes.
const COMMAND_LENGTH_MAX = 30_000;

const input = z.object({
	command: z
		.string()
		.min(1)
		.max(COMMAND_LENGTH_MAX)
		.describe("A command line for the shell, which runs at the top of the workspace."),
	time_limit_s: z
		.int()
		.min(1)
		.max(TIME_LIMIT_S_MAX)
		.optional()
		.describe(`After how many seconds it is ended. ${TIME_LIMIT_S} if absent.`),
});

type Input = z.infer<typeof input>;

/** The environment variables are those that no command gets. */
export function runCommand(secretVariables: readonly string[]): Tool<Input> {
	return {
		name: "run_command",
		description:
			"Runs a command line in a shell at the top of the workspace and tells what it printed and its exit code. " +
			"It gets no input, so nothing that asks can be answered, and what it leaves running in the background ends with it. " +
			"The user may be asked first. Use the other tools to read, find, search and edit files.",
		kind: "execute",
		input,
		prepare: (given, scope) => prepare(given, secretVariables, scope),
	};
}

async function prepare(
	{ command, time_limit_s }: Input,
	secretVariables: readonly string[],
	{ workspace, client: { terminals } }: Scope,
): Promise<Action> {
	checkVisible(command);
	const timeLimitS = time_limit_s ?? TIME_LIMIT_S;
	return {
		title: `Run ${titleOf(command)}`,
		locations: [],
		diffs: [],
		permissions: [{ kind: "command", subject: command }],
		run: async (signal, progress, shownIn) => {
			signal.throwIfAborted();
			if (terminals !== undefined && shownIn !== undefined) {
				const asked = { line: command, folder: workspace.root, timeLimitS, secretVariables };
				const outcome = await runInTerminal(terminals, asked, signal, shownIn);
				if (outcome !== undefined) return outcome;
			}
			const child = start(command, workspace.root, environmentFor(process.env, secretVariables));
			return follow(child, timeLimitS, signal, progress);
		},
	};
}

/** Throws for a command with invisible characters: a user who approves it would not see all of it. */
export function checkVisible(command: string): void {
	const invisible = firstInvisible(command);
	if (invisible === undefined) return;
	throw new ToolError(`The command contains an invisible character (${invisible}). Remove it and try again.`);
}

/** The start of a command, and its size if that is not all of it. */
export function titleOf(command: string): string {
	const whole = command.trim();
	const [line = ""] = whole.split("\n");
	if (line === whole && line.length <= TITLE_LENGTH_MAX) return line;
	return `${startOf(line, TITLE_LENGTH_MAX)}… (${sizeOf(whole)})`;
}

/** The size of a text in characters, and in lines if there are several. */
function sizeOf(text: string): string {
	const characters = `${text.length.toLocaleString("en")} characters`;
	const lines = text.split("\n").length;
	return lines === 1 ? characters : `${lines.toLocaleString("en")} lines, ${characters}`;
}

/** What comes of a command that runs. */
function follow(
	child: ChildProcess,
	timeLimitS: number,
	signal: AbortSignal,
	progress: (output: string) => void,
): Promise<Outcome> {
	const output = new HeadAndTail();
	const decoders = [child.stdout, child.stderr].map((stream) => {
		const decoder = new StringDecoder("utf8");
		stream?.on("data", (bytes: Buffer) => {
			const text = decoder.write(bytes);
			output.add(text);
			if (text !== "" && output.length <= PROGRESS_CHARACTERS_MAX) progress(text);
		});
		return decoder;
	});
	return new Promise((resolve, reject) => {
		let why: string | undefined;
		let kill: NodeJS.Timeout | undefined;
		/** Asks all of its processes to end, and then makes them. */
		const end = () => {
			signalGroup(child, "SIGTERM");
			kill ??= setTimeout(() => {
				signalGroup(child, "SIGKILL");
				// Who has left the group may hold the other end for ever.
				child.stdout?.destroy();
				child.stderr?.destroy();
			}, GRACE_MS);
		};
		const stop = (reason: string) => {
			why ??= reason;
			end();
		};
		const limit = setTimeout(() => stop(`ended after ${timeLimitS} s, before it was done`), timeLimitS * 1000);
		const cancel = () => stop("cancelled");
		signal.addEventListener("abort", cancel);
		const forgetExit = atProcessExit(() => signalGroup(child, "SIGKILL"));
		const settle = () => {
			forgetExit();
			clearTimeout(limit);
			clearTimeout(kill);
			signal.removeEventListener("abort", cancel);
		};
		child.on("error", (error) => {
			settle();
			reject(new ToolError(`The command could not be started: ${error.message}.`));
		});
		// What runs in the background keeps the streams open, so "close" may come much later than this.
		child.on("exit", end);
		child.on("close", (code, killedBy) => {
			settle();
			for (const decoder of decoders) output.add(decoder.end());
			const ending = why ?? (killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`);
			resolve(commandOutcome(output.toString(), ending, why !== undefined || code !== 0));
		});
	});
}

function start(command: string, cwd: string, env: Record<string, string>): ChildProcess {
	const options = {
		cwd,
		env,
		stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"],
	};
	if (process.platform === "win32") return spawn(command, { ...options, shell: true, windowsHide: true });
	// Both streams go into one pipe, so that their order is the one in which they were written. The group is the process's
	// own, so that it can be ended with all that it started.
	return spawn("/bin/sh", ["-c", 'exec /bin/sh -c "$0" 2>&1', command], { ...options, detached: true });
}

function signalGroup({ pid }: ChildProcess, name: "SIGTERM" | "SIGKILL"): void {
	if (pid === undefined) return;
	if (process.platform === "win32") {
		spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
		return;
	}
	try {
		process.kill(-pid, name);
	} catch {
		// All of them have ended.
	}
}
