import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { atProcessExit } from "@segue/rpc/node";
import { firstInvisible } from "@segue/text";
import * as z from "zod";
import { ToolError } from "../failures.js";
import { environmentFor } from "../workspace/environment.js";
import { GRACE_MS, signalGroup, startShell } from "../workspace/shell.js";
import { commandOutcome, runInTerminal } from "./run-in-terminal.js";
import type { Tool, ToolAction, ToolContext, ToolOutcome } from "./tool.js";
import { HeadAndTail, truncateHead, truncateTail } from "./truncate.js";

// Enough for most builds and tests; the model can ask for more.
const TIME_LIMIT_S = 120;
const TIME_LIMIT_S_MAX = 600;
// Progress is stored, and users don't read more while a command runs.
const PROGRESS_CHARACTERS_MAX = 100_000;
// The request for approval shows the whole command.
const TITLE_LENGTH_MAX = 80;

// Linux allows 128 KiB per argument, and a character can take four bytes.
const COMMAND_LENGTH_MAX = 30_000;

const input = z.object({
	command: z
		.string()
		.min(1)
		.max(COMMAND_LENGTH_MAX)
		.describe("The command line, run by the shell in the workspace root."),
	time_limit_s: z
		.int()
		.min(1)
		.max(TIME_LIMIT_S_MAX)
		.optional()
		.describe(`Time limit in seconds (default ${TIME_LIMIT_S}). Ignored for background jobs.`),
	background: z
		.boolean()
		.optional()
		.describe(
			"Whether to run it as a background job and return immediately, for servers and watchers. Use background_jobs to read its output and stop it.",
		),
});

type Input = z.infer<typeof input>;

/** `secretVariables` are removed from the environment of commands. */
export function runCommandTool(secretVariables: readonly string[]): Tool<Input> {
	return {
		name: "run_command",
		description:
			"Runs a command line in a shell in the workspace root and returns its output and exit code. " +
			"The command has no input and cannot prompt. Processes that it leaves running are killed, unless background is true. " +
			"May need the user's approval. Use the other tools to read, find, search and edit files.",
		kind: "execute",
		input,
		prepare: (given, context) => prepare(given, secretVariables, context),
	};
}

async function prepare(
	{ command, time_limit_s, background = false }: Input,
	secretVariables: readonly string[],
	{ workspace, client: { terminals }, jobs }: ToolContext,
): Promise<ToolAction> {
	checkVisible(command);
	const timeLimitS = time_limit_s ?? TIME_LIMIT_S;
	if (background && jobs === undefined)
		throw new ToolError("Background jobs are not available here. Set background to false.");
	return {
		title: `Run ${commandTitle(command)}${background ? " in the background" : ""}`,
		locations: [],
		diffs: [],
		permissions: [{ kind: "command", subject: command }],
		run: async (signal, progress, shownIn) => {
			signal.throwIfAborted();
			if (background && jobs !== undefined) {
				const { id } = jobs.start(command, workspace.root, environmentFor(process.env, secretVariables));
				return { output: `Started as ${id}. Read its output with background_jobs.`, read: [], failed: false };
			}
			if (terminals !== undefined && shownIn !== undefined) {
				const program = { line: command, folder: workspace.root, timeLimitS, secretVariables };
				const outcome = await runInTerminal(terminals, program, signal, shownIn);
				if (outcome !== undefined) return outcome;
			}
			const child = startShell(command, workspace.root, environmentFor(process.env, secretVariables), "joined");
			return follow(child, timeLimitS, signal, progress);
		},
	};
}

/** Throws for a command with invisible characters, because users could not see everything that they approve. */
export function checkVisible(command: string): void {
	const invisible = firstInvisible(command);
	if (invisible === undefined) return;
	throw new ToolError(`The command contains an invisible character (${invisible}). Remove it and try again.`);
}

/**
 * Returns the first line of a command, truncated if long. Appends the size of the command if the line is not the whole
 * command.
 */
export function commandTitle(command: string): string {
	const whole = command.trim();
	const [line = ""] = whole.split("\n");
	if (line === whole && line.length <= TITLE_LENGTH_MAX) return line;
	return `${truncateHead(line, TITLE_LENGTH_MAX)}… (${sizeOf(whole)})`;
}

/** Returns the size of the text in characters, and in lines if there are several. */
function sizeOf(text: string): string {
	const characters = `${text.length.toLocaleString("en")} characters`;
	const lines = text.split("\n").length;
	return lines === 1 ? characters : `${lines.toLocaleString("en")} lines, ${characters}`;
}

/** Collects the output of a command until it exits. */
function follow(
	child: ChildProcess,
	timeLimitS: number,
	signal: AbortSignal,
	progress: (output: string) => void,
): Promise<ToolOutcome> {
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
		/** Terminates the process group, and kills it after a grace period. */
		const end = () => {
			signalGroup(child, "SIGTERM");
			kill ??= setTimeout(() => {
				signalGroup(child, "SIGKILL");
				// A process that has left the group can keep the pipes open indefinitely.
				child.stdout?.destroy();
				child.stderr?.destroy();
			}, GRACE_MS);
		};
		const stop = (reason: string) => {
			why ??= reason;
			end();
		};
		const limit = setTimeout(() => stop(`timed out after ${timeLimitS} s`), timeLimitS * 1000);
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
		// Background processes can keep the streams open, so "close" can fire much later.
		child.on("exit", end);
		child.on("close", (code, killedBy) => {
			settle();
			for (const decoder of decoders) output.add(decoder.end());
			const ending = why ?? (killedBy === null ? `exit code ${code}` : `killed by ${killedBy}`);
			resolve(commandOutcome(output.toString(), ending, why !== undefined || code !== 0));
		});
	});
}

/** Limits a job's output to its end: about 4,000 tokens. */
const OUTPUT_CHARS_MAX = 16_000;

const jobsInput = z.object({
	action: z
		.enum(["list", "output", "kill"])
		.describe("list: list all jobs. output: read a job's output. kill: stop a job."),
	job: z.string().optional().describe('The id of the job, for example "job-1". Required for output and kill.'),
});

/** Lets the model manage the commands that it started in the background. */
export const backgroundJobsTool: Tool<z.infer<typeof jobsInput>> = {
	name: "background_jobs",
	description: "Lists the jobs that run_command started in the background, reads the output of one, or stops one.",
	kind: "execute",
	input: jobsInput,
	prepare: async ({ action, job }, { jobs }) => ({
		title:
			action === "list"
				? "List background jobs"
				: `${action === "kill" ? "Stop" : "Read the output of"} ${job ?? "a background job"}`,
		locations: [],
		diffs: [],
		permissions: [],
		run: async () => {
			const all = jobs?.list() ?? [];
			const lineOf = ({ id, status, exitCode, command }: (typeof all)[number]) => {
				return `${id}: ${status}${exitCode === undefined ? "" : ` (exit code ${exitCode})`}: ${command}`;
			};
			if (action === "list") {
				const output = all.length === 0 ? "No background jobs." : all.map(lineOf).join("\n");
				return { output, read: [], failed: false };
			}
			const named = all.find(({ id }) => id === job);
			if (jobs === undefined || named === undefined)
				throw new ToolError(job === undefined ? "The job id is missing." : `Unknown job ${job}.`);
			if (action === "kill") {
				const output = jobs.kill(named.id) ? `Stopped ${named.id}.` : `${named.id} has already ended.`;
				return { output, read: [], failed: false };
			}
			const printed = (jobs.output(named.id) ?? []).map(({ text }) => text).join("\n");
			return { output: `${lineOf(named)}\n${truncateTail(printed, OUTPUT_CHARS_MAX)}`, read: [], failed: false };
		},
	}),
};
